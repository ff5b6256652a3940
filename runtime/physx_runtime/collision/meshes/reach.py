"""Which triangles of a mesh meet a box that is turned in it."""

from __future__ import annotations

import math
from typing import Any

from physx_runtime.collision.meshes.table import Meshes, corner_of, triangles_near
from physx_runtime.collision.vectors import (
    Frame,
    Vector,
    absolute,
    add,
    by_transposed,
    cross,
    dot,
    out_of,
    sub,
)
from physx_runtime.compiling.numba_functions import scalar_code


@scalar_code
def triangles_in_box(meshes: Meshes, row: Any, frame: Frame, center: Vector, half: Vector) -> Any:
    """The rows of the triangles that meet a box, in PhysX's order.

    frame: of the box in the mesh; center: in that frame.
    """
    middle, m = out_of(frame, center), frame[1]
    reach = (abs(m[0][0]) * half[0] + abs(m[1][0]) * half[1] + abs(m[2][0]) * half[2],
             abs(m[0][1]) * half[0] + abs(m[1][1]) * half[1] + abs(m[2][1]) * half[2],
             abs(m[0][2]) * half[0] + abs(m[1][2]) * half[1] + abs(m[2][2]) * half[2])
    near, count = triangles_near(meshes, row, sub(middle, reach), add(middle, reach)), 0
    for k in range(len(near)):
        a, b, c = (by_transposed(m, sub(corner_of(meshes, row, near[k], 0), middle)),
                   by_transposed(m, sub(corner_of(meshes, row, near[k], 1), middle)),
                   by_transposed(m, sub(corner_of(meshes, row, near[k], 2), middle)))
        if meets_box(half, a, b, c):
            near[count] = near[k]
            count += 1
    return near[:count]


@scalar_code
def meets_box(half: Vector, a: Vector, b: Vector, c: Vector) -> bool:
    """Whether a triangle meets the upright box of some half sides about the origin."""
    if abs(a[0]) <= half[0] and abs(a[1]) <= half[1] and abs(a[2]) <= half[2]:
        return True
    for k in range(3):
        if min(min(a[k], b[k]), c[k]) > half[k] or -half[k] > max(max(a[k], b[k]), c[k]):
            return False
    ab, bc, ca = sub(b, a), sub(c, b), sub(a, c)
    normal = cross(ab, bc)
    height, most = dot(normal, a), dot(normal, (math.copysign(half[0], normal[0]), math.copysign(half[1], normal[1]),
                                                math.copysign(half[2], normal[2])))
    if height > most or -most > height:
        return False
    return _meets_across(half, ab, a, b, c) and _meets_across(half, bc, a, b, c) and _meets_across(half, ca, a, b, c)


@scalar_code
def _meets_across(half: Vector, edge: Vector, a: Vector, b: Vector, c: Vector) -> bool:
    """Whether box and triangle overlap along the products of an edge with the axes."""
    p, q, r, e = _products(a, edge), _products(b, edge), _products(c, edge), absolute(edge)
    radii = half[0] * e[1] + half[1] * e[0], half[1] * e[2] + half[2] * e[1], half[2] * e[0] + half[0] * e[2]
    apart = False
    for k in range(3):
        apart = apart or min(min(p[k], q[k]), r[k]) > radii[k] or -radii[k] > max(max(p[k], q[k]), r[k])
    return not apart


@scalar_code
def _products(a: Vector, e: Vector) -> Vector:
    return a[0] * e[1] - a[1] * e[0], a[1] * e[2] - a[2] * e[1], a[2] * e[0] - a[0] * e[2]
