"""Faces of a hull under construction: their planes, and the points that lie outside of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from physx_schema.description.collision.single import Single, Singles, added, cross, dot, normalized

Indices = npt.NDArray[np.intp]
Edge = tuple[int, int]

_THICKNESS = 3.0 * float(np.finfo(Single).eps)      # of a plane, relative to the size of the points


@dataclass(frozen=True, slots=True)
class Tolerances:
    """Lengths below which points count as being on a plane."""

    plane: float        # how far a point must be outside to be added
    thickness: float    # rounding: what counts as outside or as concave

    @staticmethod
    def of(points: Singles, plane_tolerance: float) -> Tolerances:
        """For points of some extent; never below those of an extent of 1."""
        size = max(float(np.ptp(points, axis=0).sum()) * 0.5, 1.0)
        return Tolerances(plane_tolerance * size, _THICKNESS * size)


@dataclass(slots=True, eq=False)
class Face:
    """A polygon of the hull: its corners counterclockwise seen from outside, its plane, the points outside of it."""

    loop: list[int]
    normal: Singles = field(default_factory=lambda: np.zeros(3, dtype=Single))
    offset: float = 0.0
    centroid: Singles = field(default_factory=lambda: np.zeros(3, dtype=Single))
    area: float = 0.0           # a measure that orders faces: it is no area where there are more than four corners
    alive: bool = True
    convex: bool = True
    outside: list[tuple[Indices, Singles]] = field(default_factory=list)      # with their heights, as they came
    eye: int = -1               # the farthest of them
    reach: float = 0.0          # its distance

    def fit(self, points: Singles) -> None:
        """Work the plane out: the longest of the first three edges, crossed with the sum of the corners."""
        corners = points[self.loop]
        steps = corners[:3] - corners[[1, 2, 3 % len(corners)]]
        start = int(dot(steps, steps).argmax())
        if start:
            corners = np.concatenate([corners[start:], corners[:start]])
        arms = corners[1:] - corners[0]
        normal = added(cross(arms[0], arms[1:]))
        self.normal, self.area = normalized(normal)
        self.centroid = added(corners) * (Single(1.0) / Single(len(corners)))
        self.offset = float(dot(self.normal, self.centroid))

    def above(self, points: Singles) -> Singles:
        """Signed distances of points from the plane."""
        return np.asarray(dot(points, self.normal) - Single(self.offset))

    def release(self) -> Indices:
        """Let go of the points outside, in the order of PhysX's list: the farthest, then the others, latest first.

        What enters the list gets behind the farthest, be it a point that came or the farthest that one displaced.
        """
        if not self.outside:
            return np.empty(0, dtype=np.intp)
        points = np.concatenate([batch for batch, _ in self.outside])
        heights = np.concatenate([batch for _, batch in self.outside])
        self.outside, self.eye = [], -1
        leads = np.append(True, heights[1:] >= np.maximum.accumulate(heights)[:-1])
        leader = np.maximum.accumulate(np.where(leads, np.arange(len(points)), 0))
        behind = np.where(leads[1:], leader[:-1], np.arange(1, len(points)))
        return np.asarray(np.concatenate([points[leader[-1:]], points[behind[::-1]]]))

    def edges(self) -> list[Edge]:
        """Directed edges, the one that ends in the first corner first."""
        return [(self.loop[i - 1], corner) for i, corner in enumerate(self.loop)]

    def claim(self, points: Indices, heights: Singles) -> None:
        """Take points as outside of this face; the last of equally far ones is the one to add."""
        if not len(points):
            return
        self.outside.append((points, heights))
        last = len(points) - 1 - int(np.argmax(heights[::-1]))
        if self.eye < 0 or heights[last] >= self.reach:
            self.eye, self.reach = int(points[last]), float(heights[last])
