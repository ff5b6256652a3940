"""Faces of a convex hull in PhysX's order.

Faces of a hull under construction: their planes, and the points that lie outside of them.

The order in which PhysX keeps vertices, faces and edges of a cooked hull: contacts choose by it among equals.

Closed polyhedra as solids of density 1: volume, centre and inertia, also under a scale.

Vectors and rotations in single floats, rounded step by step as PhysX rounds them.

Where a mesh is symmetric, rounding decides which of two equal candidates PhysX takes, and with it the shape.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from physx_schema.description.model import ConvexHull

Singles = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Triangles = npt.NDArray[np.intp]


class FirstFace(NamedTuple):
    """The face of a hull that was made first."""

    edges: int
    alive: bool         # whether it still is one


@dataclass(frozen=True, slots=True)
class Polyhedron:
    """Corners, and faces as loops of corner indices, counterclockwise seen from outside."""

    points: Doubles
    faces: tuple[tuple[int, ...], ...]
    planes: Singles             # (faces, 4): outward normal, and minus the distance along it
    first: FirstFace | None     # None of a hull that was cut out of a box

    def triangles(self) -> Triangles:
        """Every face as a fan from its first corner."""
        fans = [(loop[0], loop[i], loop[i + 1]) for loop in self.faces for i in range(1, len(loop) - 1)]
        return np.array(fans, dtype=np.intp).reshape(-1, 3)


@dataclass(frozen=True, slots=True)
class Solid:
    """A solid of density 1: its volume, its centre, its inertia about that centre in the axes of the shape."""

    volume: float
    center: Doubles
    inertia: Doubles      # 3 x 3

    def inertia_at_origin(self) -> Doubles:
        """The inertia about the origin of the shape's coordinates."""
        return self.inertia + self.volume * (self.center @ self.center * np.eye(3) - np.outer(self.center, self.center))


def solid_of(points: Doubles, triangles: Triangles) -> Solid:
    """The solid inside a closed surface of triangles; an inside-out surface counts as its mirror image."""
    if not len(triangles):
        return Solid(0.0, np.zeros(3), np.zeros((3, 3)))
    origin = points[np.unique(triangles)].mean(axis=0)
    vertices = points[triangles] - origin
    volumes = np.einsum("ij,ij->i", vertices[:, 0], np.cross(vertices[:, 1], vertices[:, 2])) / 6.0
    volume = float(volumes.sum())
    if volume == 0.0:
        return Solid(0.0, origin, np.zeros((3, 3)))
    sums = vertices.sum(axis=1)
    center = (volumes[:, None] * sums).sum(axis=0) / (4.0 * volume)
    # The second moments of a tetrahedron with one corner in the origin, summed over all.
    second = np.einsum("i,ij,ik->jk", volumes, sums, sums) + np.einsum("i,inj,ink->jk", volumes, vertices, vertices)
    second /= 20.0
    second -= volume * np.outer(center, center)
    if volume < 0.0:
        volume, second = -volume, -second
    return Solid(volume, origin + center, np.trace(second) * np.eye(3) - second)


def scaled_solid(solid: Solid, scale: Sequence[float]) -> Solid:
    """The solid stretched along the axes of the shape; a mirrored one keeps a positive volume."""
    factors = np.array(scale, dtype=float)
    stretch = float(abs(np.prod(factors)))
    second = 0.5 * np.trace(solid.inertia) * np.eye(3) - solid.inertia
    second = second * np.outer(factors, factors) * stretch
    return Solid(solid.volume * stretch, solid.center * factors, np.trace(second) * np.eye(3) - second)


Single = np.float32

_SWEEPS = 24
_NEGLIGIBLE = Single(2e6)
_SMALL_ANGLE = 1000.0


def dot(first: Singles, second: Singles) -> Singles:
    """Products of rows, added from left to right."""
    products = first * second
    return np.asarray(products[..., 0] + products[..., 1] + products[..., 2])


def cross(first: Singles, second: Singles) -> Singles:
    """Cross products of rows."""
    ax, ay, az = first[..., 0], first[..., 1], first[..., 2]
    bx, by, bz = second[..., 0], second[..., 1], second[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def sum_rows(rows: Singles) -> Singles:
    """The sum of rows, added one after another."""
    return np.asarray(np.add.accumulate(rows, axis=0)[-1])


def normalized(vector: Singles) -> tuple[Singles, float]:
    """The unit vector and the length; zero stays."""
    length = np.sqrt(dot(vector, vector))
    return (np.asarray(vector * (Single(1.0) / length), dtype=Single) if length > 0.0 else vector), float(length)


def rotation_about(axis: Singles, angle: Single) -> Singles:
    """The quaternion (x, y, z, w) of a turn about a unit axis."""
    half = float(angle * Single(0.5))
    return np.append(axis * Single(math.sin(half)), Single(math.cos(half)))


def columns(rotation: Singles) -> Singles:
    """The rotation matrix of a quaternion."""
    w, double = rotation[3], rotation + rotation
    p, q, r = double[:3] * w
    diagonal = double[3] * w - Single(1.0)
    first = np.array([diagonal, r, -q], dtype=Single) + rotation[:3] * double[0]
    second = np.array([-r, diagonal, p], dtype=Single) + rotation[:3] * double[1]
    third = np.array([q, -p, diagonal], dtype=Single) + rotation[:3] * double[2]
    return np.stack([first, second, third], axis=1)


def rotate_inverse(rotation: Singles, rows: Singles) -> Singles:
    """Vectors in the axes of a rotated frame."""
    axis, w = rotation[:3], rotation[3]
    straight = rows * (w * w - Single(0.5)) - cross(axis, rows) * w
    return np.asarray((straight + dot(axis, rows)[:, None] * axis) * Single(2.0), dtype=Single)


def principal_rotation(matrix: Singles) -> Singles:
    """The quaternion of the principal axes of a symmetric matrix, by Jacobi rotations from the identity."""
    rotation = np.array([0.0, 0.0, 0.0, 1.0], dtype=Single)
    for _ in range(_SWEEPS):
        axes = columns(rotation)
        rotated = _product(_product(axes.T, matrix), axes)
        sizes = np.abs([rotated[1, 2], rotated[0, 2], rotated[0, 1]])
        axis = 0 if sizes[0] > sizes[1] and sizes[0] > sizes[2] else 1 if sizes[1] > sizes[2] else 2
        i, j = (axis + 1) % 3, (axis + 2) % 3
        off, gap = rotated[j, i], rotated[i, i] - rotated[j, j]
        if off == 0.0 or abs(gap) > _NEGLIGIBLE * abs(Single(2.0) * off):
            break
        rotation = _times(rotation, _jacobi(axis, gap / (Single(2.0) * off)))
        rotation = rotation * (Single(1.0) / np.sqrt((rotation * rotation).sum(dtype=Single)))
    return rotation


def _jacobi(axis: int, cotangent: Single) -> Singles:
    """The turn about a coordinate axis that clears one element; `cotangent` is that of twice its angle."""
    one, half = Single(1.0), Single(0.5)
    rotation = np.zeros(4, dtype=Single)
    size = abs(cotangent)
    if size > _SMALL_ANGLE:
        rotation[axis], rotation[3] = one / (Single(4.0) * cotangent), one
        return rotation
    tangent = one / (size + np.sqrt(cotangent * cotangent + one))
    cosine = one / np.sqrt(tangent * tangent + one)
    rotation[axis] = np.sqrt((one - cosine) * half) * Single(math.copysign(1.0, cotangent))
    rotation[3] = np.sqrt((one + cosine) * half)
    return rotation


def _product(first: Singles, second: Singles) -> Singles:
    """The matrix product, columns of the first added from left to right."""
    parts = first[:, :, None] * second[None, :, :]
    return np.asarray(parts[:, 0] + parts[:, 1] + parts[:, 2])


def _times(first: Singles, second: Singles) -> Singles:
    """The product of two quaternions."""
    ax, ay, az, aw = first
    bx, by, bz, bw = second
    return np.array([
        aw * bx + bw * ax + ay * bz - by * az, aw * by + bw * ay + az * bx - bz * ax,
        aw * bz + bw * az + ax * by - bx * ay, aw * bw - ax * bx - ay * by - az * bz,
    ], dtype=Single)


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
    conflict_list: list[tuple[Indices, Singles]] = field(default_factory=list)      # with their heights, as they came
    eye: int = -1               # the farthest of them
    eye_distance: float = 0.0          # its distance

    def fit(self, points: Singles) -> None:
        """Work the plane out: the longest of the first three edges, crossed with the sum of the corners."""
        vertices = points[self.loop]
        steps = vertices[:3] - vertices[[1, 2, 3 % len(vertices)]]
        start = int(dot(steps, steps).argmax())
        if start:
            vertices = np.concatenate([vertices[start:], vertices[:start]])
        arms = vertices[1:] - vertices[0]
        normal = sum_rows(cross(arms[0], arms[1:]))
        self.normal, self.area = normalized(normal)
        self.centroid = sum_rows(vertices) * (Single(1.0) / Single(len(vertices)))
        self.offset = float(dot(self.normal, self.centroid))

    def above(self, points: Singles) -> Singles:
        """Signed distances of points from the plane."""
        return np.asarray(dot(points, self.normal) - Single(self.offset))

    def release(self) -> Indices:
        """Let go of the points outside, in the order of PhysX's list: the farthest, then the others, latest first.

        What enters the list gets behind the farthest, be it a point that came or the farthest that one displaced.
        """
        if not self.conflict_list:
            return np.empty(0, dtype=np.intp)
        points = np.concatenate([batch for batch, _ in self.conflict_list])
        heights = np.concatenate([batch for _, batch in self.conflict_list])
        self.conflict_list, self.eye = [], -1
        leads = np.append(True, heights[1:] >= np.maximum.accumulate(heights)[:-1])
        leader = np.maximum.accumulate(np.where(leads, np.arange(len(points)), 0))
        behind = np.where(leads[1:], leader[:-1], np.arange(1, len(points)))
        return np.asarray(np.concatenate([points[leader[-1:]], points[behind[::-1]]]))

    def edges(self) -> list[Edge]:
        """Directed edges, the one that ends in the first corner first."""
        return [(self.loop[i - 1], vertex) for i, vertex in enumerate(self.loop)]

    def claim(self, points: Indices, heights: Singles) -> None:
        """Take points as outside of this face; the last of equally far ones is the one to add."""
        if not len(points):
            return
        self.conflict_list.append((points, heights))
        last = len(points) - 1 - int(np.argmax(heights[::-1]))
        if self.eye < 0 or heights[last] >= self.eye_distance:
            self.eye, self.eye_distance = int(points[last]), float(heights[last])


Loop = Sequence[int]


def hull_in_order(hull: Polyhedron, solid: Solid) -> ConvexHull:
    """A cooked hull in PhysX's order; solid: the hull's."""
    if hull.first is None:
        order, used = _largest_first([len(loop) for loop in hull.faces]), list(range(len(hull.points)))
    else:
        order = _with_first([len(loop) for loop in hull.faces], hull.first)
        used = list(dict.fromkeys(vertex for loop in hull.faces for vertex in loop))
    index = {vertex: i for i, vertex in enumerate(used)}
    faces = tuple(tuple(index[vertex] for vertex in hull.faces[i]) for i in order)
    vertices = np.ascontiguousarray(hull.points[used], dtype=Single)
    mean = sum_rows(vertices) * (Single(1.0) / Single(len(vertices)))
    return ConvexHull(vertices, np.ascontiguousarray(hull.planes[order], dtype=Single), faces,
                      _sorted_edges(faces) if hull.first is None else _edges(faces),
                      (solid.center - mean).astype(Single) + mean)


def _largest_first(sizes: Sequence[int]) -> list[int]:
    """The largest face, the first of equals, changes places with the first."""
    order, largest = list(range(len(sizes))), int(np.argmax(sizes))
    order[0], order[largest] = largest, 0
    return order


def _with_first(sizes: Sequence[int], first: FirstFace) -> list[int]:
    """The same where the face made first takes part with the edges it had last, though it may be gone."""
    if first.alive:
        return _largest_first(sizes)
    largest = int(np.argmax(sizes))
    if sizes[largest] <= first.edges:
        return list(range(len(sizes)))
    return [largest, *(i for i in range(len(sizes)) if i != largest)]


def _edges(faces: Sequence[Loop]) -> tuple[tuple[int, int], ...]:
    """Edges in the order in which they are met going round the faces, with the face they are met in first."""
    opposite_face = {(loop[i], loop[i - 1]): face for face, loop in enumerate(faces) for i in range(len(loop))}
    edge_faces: dict[frozenset[int], tuple[int, int]] = {}
    for face, loop in enumerate(faces):
        for i, vertex in enumerate(loop):
            following = loop[(i + 1) % len(loop)]
            edge_faces.setdefault(frozenset((vertex, following)), (face, opposite_face[vertex, following]))
    return tuple(edge_faces.values())


def _sorted_edges(faces: Sequence[Loop]) -> tuple[tuple[int, int], ...]:
    """Edges by their lower and higher vertex, with the face first that comes first."""
    edge_faces: dict[tuple[int, int], list[int]] = {}
    for face, loop in enumerate(faces):
        for i, vertex in enumerate(loop):
            edge_faces.setdefault((min(vertex, loop[i - 1]), max(vertex, loop[i - 1])), []).append(face)
    return tuple((edge_faces[edge][0], edge_faces[edge][1]) for edge in sorted(edge_faces))
