"""The order in which PhysX keeps vertices, faces and edges of a cooked hull: contacts choose by it among equals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from physx_schema.description.collision.polyhedron import FirstFace, Polyhedron, Solid
from physx_schema.description.collision.single import Single, added
from physx_schema.description.model import ConvexHull

Loop = Sequence[int]


def hull_in_order(hull: Polyhedron, solid: Solid) -> ConvexHull:
    """A cooked hull in PhysX's order; solid: the hull's."""
    if hull.first is None:
        order, used = _largest_first([len(loop) for loop in hull.faces]), list(range(len(hull.points)))
    else:
        order = _with_first([len(loop) for loop in hull.faces], hull.first)
        used = list(dict.fromkeys(corner for loop in hull.faces for corner in loop))
    place = {corner: i for i, corner in enumerate(used)}
    faces = tuple(tuple(place[corner] for corner in hull.faces[i]) for i in order)
    vertices = np.ascontiguousarray(hull.points[used], dtype=Single)
    mean = added(vertices) * (Single(1.0) / Single(len(vertices)))
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
    behind = {(loop[i], loop[i - 1]): face for face, loop in enumerate(faces) for i in range(len(loop))}
    met: dict[frozenset[int], tuple[int, int]] = {}
    for face, loop in enumerate(faces):
        for i, corner in enumerate(loop):
            following = loop[(i + 1) % len(loop)]
            met.setdefault(frozenset((corner, following)), (face, behind[corner, following]))
    return tuple(met.values())


def _sorted_edges(faces: Sequence[Loop]) -> tuple[tuple[int, int], ...]:
    """Edges by their lower and higher vertex, with the face first that comes first."""
    sides: dict[tuple[int, int], list[int]] = {}
    for face, loop in enumerate(faces):
        for i, corner in enumerate(loop):
            sides.setdefault((min(corner, loop[i - 1]), max(corner, loop[i - 1])), []).append(face)
    return tuple((sides[edge][0], sides[edge][1]) for edge in sorted(sides))
