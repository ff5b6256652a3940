"""Convex hulls of points by quickhull with thick planes and merged faces, in the order of additions that PhysX has.

A hull is an inner approximation: a point closer to it than the plane tolerance is left out, and building stops at the
limit on polygons. Which points are left depends on the order in which points are added, so the order is PhysX's:
the farthest point over all faces first, faces by age. Arithmetic is that of single floats, as in PhysX: between the
equal distances of a symmetric mesh its rounding decides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from physx_schema.description.collision.hull import (
    Edge,
    Face,
    Indices,
    Single,
    Singles,
    Tolerances,
    cross,
    dot,
    normalized,
)

_SMALLEST_ANGLE = math.cos(math.radians(3.0))           # between neighbours that are not merged at the end


class DegenerateHullError(ValueError):
    """The points lie in one place, on one line or in one plane."""


@dataclass(slots=True)
class Hull:
    """What quickhull found; `limited` where the limit on polygons ended it."""

    points: Singles
    faces: list[Face]
    corners: int
    tolerances: Tolerances
    first: Face                     # the one that was made first, which may be gone
    limited: bool = False


def build_hull(points: Singles, plane_tolerance: float, polygon_limit: int) -> Hull:
    """The hull of points. Raises DegenerateHullError where they span no volume."""
    stop = -1
    while True:
        builder = _Builder(points, Tolerances.of(points, plane_tolerance), polygon_limit)
        try:
            return builder.build(stop)
        except _MergeFailedError as failure:    # PhysX starts anew and ends before the point that did it
            stop = failure.point


def merge_flat_neighbours(hull: Hull) -> None:
    """Join faces whose normals differ by less than 3 degrees, where all points stay inside."""
    builder = _Builder(hull.points, hull.tolerances, 0)
    builder.faces = hull.faces
    builder.edges = {edge: face for face in hull.faces for edge in face.edges()}
    for face in hull.faces:
        while face.alive and builder.merge_flat(face):
            pass
    hull.faces = [face for face in hull.faces if face.alive]


class _MergeFailedError(Exception):
    def __init__(self, point: int) -> None:
        super().__init__()
        self.point = point


class _Builder:
    """A hull while points are added to it; `edges` maps every directed edge to the face it bounds."""

    def __init__(self, points: Singles, tolerances: Tolerances, polygon_limit: int) -> None:
        self.points = points
        self.tolerances = tolerances
        self.polygon_limit = polygon_limit
        self.faces: list[Face] = []
        self.edges: dict[Edge, Face] = {}
        self.count = 0
        self.unclaimed: list[Indices] = []

    def build(self, stop: int) -> Hull:
        self._simplex()
        first = self.faces[0]
        added, limited = 4, False
        while (found := self._farthest()) is not None and found[1] != stop:
            if not self._add(*found):
                limited = True
                break
            added += 1
        return Hull(self.points, [face for face in self.faces if face.alive], added, self.tolerances, first, limited)

    def _simplex(self) -> None:
        """Start from four corners: the two farthest along an axis, the farthest from their line, and from the plane."""
        points, least = self.points, self.tolerances.thickness
        spans = np.ptp(points, axis=0)
        axis = int(np.argmax(spans))
        first, second = int(np.argmax(points[:, axis])), int(np.argmin(points[:, axis]))
        line, length = normalized(points[second] - points[first])
        if length <= least or spans[axis] <= least:
            raise DegenerateHullError("points in one place")
        crossed = cross(line, points - points[first])
        third = int(np.argmax(dot(crossed, crossed)))
        normal, size = normalized(crossed[third])
        if size <= least:
            raise DegenerateHullError("points on one line")
        heights = dot(points, normal) - dot(points[third], normal)
        fourth = int(np.argmax(np.abs(heights)))
        if abs(heights[fourth]) <= least:
            raise DegenerateHullError("points in one plane")
        self._start(first, second, third, fourth, below=bool(heights[fourth] < 0.0))

    def _start(self, a: int, b: int, c: int, d: int, below: bool) -> None:
        """The four faces of the first corners; their order and first corners decide among equals later on."""
        upward = [[a, b, c], [d, b, a], [d, c, b], [d, a, c]]
        downward = [[a, c, b], [d, a, b], [d, b, c], [d, c, a]]
        for loop in upward if below else downward:
            self._append(loop)
        self._assign(np.setdiff1d(np.arange(len(self.points)), [a, b, c, d]), self.faces)

    def _append(self, loop: list[int]) -> Face:
        face = Face(loop)
        face.fit(self.points)
        self.faces.append(face)
        self.edges.update(dict.fromkeys(face.edges(), face))
        self.count += 1
        return face

    def _assign(self, candidates: Indices, faces: list[Face]) -> None:
        """Give each point to the face it is farthest outside of; points outside of none are inside for good."""
        if not len(candidates) or not faces:
            return
        heights = np.stack([face.above(self.points[candidates]) for face in faces])
        owner = np.argmax(heights, axis=0)
        best = heights[owner, np.arange(len(candidates))]
        outside = best > self.tolerances.thickness
        for place, face in enumerate(faces):
            mine = outside & (owner == place)
            face.claim(candidates[mine], best[mine])

    def _farthest(self) -> tuple[Face, int] | None:
        """The face with the farthest point outside, and that point; None where all are within the plane tolerance."""
        found, most = None, self.tolerances.plane
        for face in self.faces:
            if face.alive and face.eye >= 0 and face.reach > most:
                found, most = face, face.reach
        return (found, found.eye) if found is not None else None

    def _add(self, face: Face, eye: int) -> bool:
        """Add a point; False where the limit on polygons forbids it."""
        horizon, removed = self._horizon(face, eye)
        if self.count + len(horizon) > self.polygon_limit:
            for gone in removed:
                gone.alive = True
            self.count += len(removed)
            return False
        fresh = [self._append([eye, origin, end]) for origin, end in horizon]
        for by_larger in (True, False):
            for new in fresh:
                if new.alive and new.convex is by_larger:
                    new.convex = True
                    while self._merge_concave(new, by_larger, eye):
                        pass
        waiting = np.concatenate(self.unclaimed)
        self.unclaimed = []
        self._assign(waiting[waiting != eye], [new for new in fresh if new.alive])
        if len(self.faces) > 4 * self.count + 64:
            self.faces = [kept for kept in self.faces if kept.alive]
        return True

    def _horizon(self, first: Face, eye: int) -> tuple[list[Edge], list[Face]]:
        """The edges around the faces that see a point, in order, and those faces, depth first."""
        horizon: list[Edge] = []
        removed: list[Face] = []
        stack: list[Iterator[Edge]] = []

        def enter(face: Face, edges: list[Edge]) -> None:
            self._release(face, None)
            face.alive = False
            self.count -= 1
            removed.append(face)
            stack.append(iter(edges))

        enter(first, first.edges())
        while stack:
            edge = next(stack[-1], None)
            if edge is None:
                stack.pop()
                continue
            twin = edge[1], edge[0]
            other = self.edges[twin]
            if not other.alive:
                continue
            if float(other.above(self.points[eye])) > self.tolerances.thickness:
                around = other.edges()
                place = around.index(twin)
                enter(other, around[place + 1:] + around[:place])
            else:
                horizon.append(edge)
        return horizon, removed

    def _release(self, face: Face, heir: Face | None) -> None:
        """Free a face's points, or hand those on that lie outside of its heir."""
        points = face.release()
        if heir is None:
            self.unclaimed.append(points)
            return
        heights = heir.above(self.points[points])
        outside = heights > self.tolerances.thickness
        heir.claim(points[outside], heights[outside])
        self.unclaimed.append(points[~outside])

    def _merge_concave(self, face: Face, by_larger: bool, eye: int) -> bool:
        """Merge the first neighbour that is not below this face; whether there was one.

        In the first pass the larger of the two faces decides; what only the smaller one says waits for the second.
        """
        edges = face.edges()
        others = [self.edges[end, origin] for origin, end in edges]
        limit = -self.tolerances.thickness
        mine = face.above(np.array([other.centroid for other in others])) > limit
        offsets = np.array([other.offset for other in others], dtype=Single)
        its = dot(np.array([other.normal for other in others]), face.centroid) - offsets > limit
        if by_larger:
            chosen = np.where(face.area > np.array([other.area for other in others]), mine, its)
        else:
            chosen = mine | its
        if chosen.any():
            if not self._merge(face, edges[int(chosen.argmax())]):
                raise _MergeFailedError(eye)
            return True
        if by_larger and bool((mine | its).any()):
            face.convex = False
        return False

    def merge_flat(self, face: Face) -> bool:
        """Merge the first smaller neighbour that is nearly parallel; whether there was one."""
        for edge in face.edges():
            other = self.edges[edge[1], edge[0]]
            parallel = float(dot(face.normal, other.normal)) > _SMALLEST_ANGLE
            if parallel and face.area >= other.area and self._may_merge(face, other, edge):
                return self._merge(face, edge)
        return False

    def _may_merge(self, face: Face, other: Face, edge: Edge) -> bool:
        """Whether the joined polygon is convex, has no corner of two faces only, and leaves no point outside."""
        start = face.loop[0] if edge != (face.loop[-1], face.loop[0]) else face.loop[1]
        joined = _turned(_joined(face.loop, other.loop, edge), start)
        merged = Face(joined)
        merged.fit(self.points)
        if float(merged.above(self.points).max()) > self.tolerances.plane:
            return False
        corners = self.points[joined]
        along = np.roll(corners, -1, axis=0) - corners
        lengths = np.linalg.norm(along, axis=1, keepdims=True)
        units = np.asarray(along / np.where(lengths > 0.0, lengths, 1.0), dtype=Single)
        outward = -cross(merged.normal, units)
        beyond = np.einsum("ijk,ik->ij", corners[None, :, :] - corners[:, None, :], outward)
        if float(beyond.max()) > self.tolerances.thickness:
            return False
        return all(self._neighbours(joined, joined.index(corner)) for corner in edge)

    def _neighbours(self, loop: list[int], place: int) -> bool:
        """Whether the two edges at a corner have different faces behind them."""
        before, corner, after = loop[place - 1], loop[place], loop[(place + 1) % len(loop)]
        return self.edges[corner, before] is not self.edges[after, corner]

    def _merge(self, face: Face, edge: Edge) -> bool:
        """Join the face behind an edge; False where the two faces share every edge."""
        other = self.edges[edge[1], edge[0]]
        chain = self._shared(face, other, edge)
        if chain is None:
            return False
        origin, end = chain
        start = face.loop[0] if edge != (face.loop[-1], face.loop[0]) else _after(face.loop, end)
        loop = _joined(face.loop, other.loop, chain)
        other.alive = False
        self.count -= 1
        gone = [other]
        for corner in (end, origin):
            before, after = loop[loop.index(corner) - 1], _after(loop, corner)
            behind = self.edges[corner, before]
            if behind is not self.edges[after, corner] or len(loop) <= 3:
                continue
            loop.remove(corner)
            if start == corner:
                start = after
            if len(behind.loop) == 3:
                behind.alive = False
                self.count -= 1
                gone.append(behind)
            else:
                behind.loop.remove(corner)
                self.edges[after, before] = behind
                behind.fit(self.points)
        face.loop = _turned(loop, start) if start in loop else loop
        self.edges.update(dict.fromkeys(face.edges(), face))
        face.fit(self.points)
        for dead in gone:
            self._release(dead, face)
        return True

    def _shared(self, face: Face, other: Face, edge: Edge) -> Edge | None:
        """First and last corner of the unbroken chain of edges, around one of them, that two faces share."""
        loop = face.loop
        first, last = loop.index(edge[0]), loop.index(edge[1])
        for _ in loop:
            if self.edges[loop[first], loop[first - 1]] is not other:
                break
            first = (first - 1) % len(loop)
        else:
            return None
        for _ in loop:
            after = (last + 1) % len(loop)
            if self.edges[loop[after], loop[last]] is not other:
                break
            last = after
        return loop[first], loop[last]


def _after(loop: list[int], corner: int) -> int:
    return loop[(loop.index(corner) + 1) % len(loop)]


def _turned(loop: list[int], start: int) -> list[int]:
    """The same loop from another corner."""
    place = loop.index(start)
    return loop[place:] + loop[:place]


def _joined(loop: list[int], other: list[int], chain: Edge) -> list[int]:
    """The outline of two loops along both sides of a chain, from the chain's end."""
    origin, end = chain
    mine, its = _turned(loop, end), _turned(other, origin)
    return mine[:mine.index(origin) + 1] + its[1:its.index(end)]
