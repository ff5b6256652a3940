"""The point of a triangle nearest to a point, and on which of its corners or edges that lies."""

from __future__ import annotations

from typing import Any

from physx_runtime.collision.vectors import ZERO, Number, Vector, add, cross, dot, scaled, sub
from physx_runtime.compiling.numba_functions import scalar_code

FACE = 6            # corners are 0 to 2, edges 01 12 20 are 3 to 5


@scalar_code
def nearest_on_triangle(p: Vector, a: Vector, b: Vector, c: Vector) -> tuple[Any, Vector, Number]:
    """Feature, point and square distance."""
    ab, ac, ap, bp, cp = sub(b, a), sub(c, a), sub(p, a), sub(p, b), sub(p, c)
    d1, d2, d3, d4, d5, d6 = dot(ab, ap), dot(ac, ap), dot(ab, bp), dot(ac, bp), dot(ab, cp), dot(ac, cp)
    if d1 < ZERO and d2 < ZERO:
        return 0, a, dot(ap, ap)
    if d3 >= ZERO and d3 >= d4:
        return 1, b, dot(bp, bp)
    if d6 >= ZERO and d6 >= d5:
        return 2, c, dot(cp, cp)
    normal = cross(ab, ac)
    if dot(normal, cross(ap, bp)) < ZERO and d1 >= ZERO and d3 < ZERO:
        return _on_edge(3, p, a, ab, d1 / (d1 - d3))
    upper, lower = d4 - d3, d5 - d6
    if dot(normal, cross(bp, cp)) < ZERO and d4 >= d3 and d5 >= d6:
        return _on_edge(4, p, b, sub(c, b), upper / (upper + lower))
    if dot(normal, cross(cp, ap)) < ZERO and d2 >= ZERO and d6 < ZERO:
        return _on_edge(5, p, a, ac, d2 / (d2 - d6))
    way = scaled(normal, dot(normal, sub(a, p)) / dot(normal, normal))
    return FACE, add(p, way), dot(way, way)


@scalar_code
def _on_edge(feature: Any, p: Vector, start: Vector, along: Vector, share: Number) -> tuple[Any, Vector, Number]:
    point = add(scaled(along, share), start)
    way = sub(p, point)
    return feature, point, dot(way, way)
