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
    vertex_count: int
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
        while (farthest := self._farthest()) is not None and farthest[1] != stop:
            if not self._add(*farthest):
                limited = True
                break
            added += 1
        return Hull(self.points, [face for face in self.faces if face.alive], added, self.tolerances, first, limited)

    def _simplex(self) -> None:
        """Start from four corners: the two farthest along an axis, the farthest from their line, and from the plane."""
        points, tolerance = self.points, self.tolerances.thickness
        spans = np.ptp(points, axis=0)
        axis = int(np.argmax(spans))
        first, second = int(np.argmax(points[:, axis])), int(np.argmin(points[:, axis]))
        line, length = normalized(points[second] - points[first])
        if length <= tolerance or spans[axis] <= tolerance:
            raise DegenerateHullError("all points are equal")
        crossed = cross(line, points - points[first])
        third = int(np.argmax(dot(crossed, crossed)))
        normal, size = normalized(crossed[third])
        if size <= tolerance:
            raise DegenerateHullError("all points are on one line")
        heights = dot(points, normal) - dot(points[third], normal)
        fourth = int(np.argmax(np.abs(heights)))
        if abs(heights[fourth]) <= tolerance:
            raise DegenerateHullError("all points are in one plane")
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
        is_outside = best > self.tolerances.thickness
        for index, face in enumerate(faces):
            is_owned = is_outside & (owner == index)
            face.claim(candidates[is_owned], best[is_owned])

    def _farthest(self) -> tuple[Face, int] | None:
        """The face with the farthest point outside, and that point; None where all are within the plane tolerance."""
        best, max_distance = None, self.tolerances.plane
        for face in self.faces:
            if face.alive and face.eye >= 0 and face.eye_distance > max_distance:
                best, max_distance = face, face.eye_distance
        return (best, best.eye) if best is not None else None

    def _add(self, face: Face, eye: int) -> bool:
        """Add a point; False where the limit on polygons forbids it."""
        horizon, removed = self._horizon(face, eye)
        if self.count + len(horizon) > self.polygon_limit:
            for removed_face in removed:
                removed_face.alive = True
            self.count += len(removed)
            return False
        new_faces = [self._append([eye, origin, end]) for origin, end in horizon]
        for by_larger in (True, False):
            for new_face in new_faces:
                if new_face.alive and new_face.convex is by_larger:
                    new_face.convex = True
                    while self._merge_concave(new_face, by_larger, eye):
                        pass
        unclaimed = np.concatenate(self.unclaimed)
        self.unclaimed = []
        self._assign(unclaimed[unclaimed != eye], [new_face for new_face in new_faces if new_face.alive])
        if len(self.faces) > 4 * self.count + 64:
            self.faces = [item for item in self.faces if item.alive]
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
                index = around.index(twin)
                enter(other, around[index + 1:] + around[:index])
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
        is_outside = heights > self.tolerances.thickness
        heir.claim(points[is_outside], heights[is_outside])
        self.unclaimed.append(points[~is_outside])

    def _merge_concave(self, face: Face, by_larger: bool, eye: int) -> bool:
        """Merge the first neighbour that is not below this face; whether there was one.

        In the first pass the larger of the two faces decides; what only the smaller one says waits for the second.
        """
        edges = face.edges()
        others = [self.edges[end, origin] for origin, end in edges]
        limit = -self.tolerances.thickness
        others_above = face.above(np.array([other.centroid for other in others])) > limit
        offsets = np.array([other.offset for other in others], dtype=Single)
        face_above = dot(np.array([other.normal for other in others]), face.centroid) - offsets > limit
        if by_larger:
            merges = np.where(face.area > np.array([other.area for other in others]), others_above, face_above)
        else:
            merges = others_above | face_above
        if merges.any():
            if not self._merge(face, edges[int(merges.argmax())]):
                raise _MergeFailedError(eye)
            return True
        if by_larger and bool((others_above | face_above).any()):
            face.convex = False
        return False

    def merge_flat(self, face: Face) -> bool:
        """Merge the first smaller neighbour that is nearly parallel; whether there was one."""
        for edge in face.edges():
            other = self.edges[edge[1], edge[0]]
            parallel = float(dot(face.normal, other.normal)) > _SMALLEST_ANGLE
            if parallel and face.area >= other.area and self._can_merge(face, other, edge):
                return self._merge(face, edge)
        return False

    def _can_merge(self, face: Face, other: Face, edge: Edge) -> bool:
        """Whether the joined polygon is convex, has no corner of two faces only, and leaves no point outside."""
        start = face.loop[0] if edge != (face.loop[-1], face.loop[0]) else face.loop[1]
        joined = _rotated_loop(_joined(face.loop, other.loop, edge), start)
        merged = Face(joined)
        merged.fit(self.points)
        if float(merged.above(self.points).max()) > self.tolerances.plane:
            return False
        vertices = self.points[joined]
        edge_vectors = np.roll(vertices, -1, axis=0) - vertices
        lengths = np.linalg.norm(edge_vectors, axis=1, keepdims=True)
        units = np.asarray(edge_vectors / np.where(lengths > 0.0, lengths, 1.0), dtype=Single)
        outward = -cross(merged.normal, units)
        beyond = np.einsum("ijk,ik->ij", vertices[None, :, :] - vertices[:, None, :], outward)
        if float(beyond.max()) > self.tolerances.thickness:
            return False
        return all(self._has_distinct_neighbours(joined, joined.index(vertex)) for vertex in edge)

    def _has_distinct_neighbours(self, loop: list[int], index: int) -> bool:
        """Whether the two edges at a corner have different faces behind them."""
        before, vertex, after = loop[index - 1], loop[index], loop[(index + 1) % len(loop)]
        return self.edges[vertex, before] is not self.edges[after, vertex]

    def _merge(self, face: Face, edge: Edge) -> bool:
        """Join the face behind an edge; False where the two faces share every edge."""
        other = self.edges[edge[1], edge[0]]
        chain = self._shared(face, other, edge)
        if chain is None:
            return False
        origin, end = chain
        start = face.loop[0] if edge != (face.loop[-1], face.loop[0]) else _next_vertex(face.loop, end)
        loop = _joined(face.loop, other.loop, chain)
        other.alive = False
        self.count -= 1
        removed = [other]
        for vertex in (end, origin):
            before, after = loop[loop.index(vertex) - 1], _next_vertex(loop, vertex)
            behind = self.edges[vertex, before]
            if behind is not self.edges[after, vertex] or len(loop) <= 3:
                continue
            loop.remove(vertex)
            if start == vertex:
                start = after
            if len(behind.loop) == 3:
                behind.alive = False
                self.count -= 1
                removed.append(behind)
            else:
                behind.loop.remove(vertex)
                self.edges[after, before] = behind
                behind.fit(self.points)
        face.loop = _rotated_loop(loop, start) if start in loop else loop
        self.edges.update(dict.fromkeys(face.edges(), face))
        face.fit(self.points)
        for removed_face in removed:
            self._release(removed_face, face)
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


def _next_vertex(loop: list[int], vertex: int) -> int:
    return loop[(loop.index(vertex) + 1) % len(loop)]


def _rotated_loop(loop: list[int], start: int) -> list[int]:
    """The same loop from another corner."""
    index = loop.index(start)
    return loop[index:] + loop[:index]


def _joined(loop: list[int], other: list[int], chain: Edge) -> list[int]:
    """The outline of two loops along both sides of a chain, from the chain's end."""
    origin, end = chain
    first_loop, second_loop = _rotated_loop(loop, end), _rotated_loop(other, origin)
    return first_loop[:first_loop.index(origin) + 1] + second_loop[1:second_loop.index(end)]
