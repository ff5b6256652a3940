"""Closest points of two convex shapes by GJK, or their penetration depth by EPA (PhysX GuGJKPenetration)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from physx_runtime.arrays import Frame, Integer, Record, Scalar, Vec3
from physx_runtime.collision.pcm.epa import penetration_depth
from physx_runtime.collision.pcm.simplex import (
    ORIGIN,
    GjkConvex,
    Simplex,
    add_support,
    barycentric,
    closest_on_simplex,
    interpolate,
    new_simplex,
    precision,
    set_vertex,
)
from physx_runtime.collision.simd_math import (
    LARGEST,
    ONE,
    ZERO,
    divided,
    dot,
    negated,
    unit,
)
from physx_runtime.compiling.numba_functions import scalar_code

NEAR_ENOUGH = ONE - np.float32(0.000225)    # the search ends when no support point is closer than this fraction
# Results of a search: shapes farther apart than the contact distance, points found, a stalled search, or EPA failed
GJK_NON_INTERSECT, GJK_CONTACT, GJK_DEGENERATE, EPA_FAIL = range(4)


class ClosestPoints(NamedTuple):
    """Status and result of a search, in the frame of shape 1."""

    status: Integer         # GJK_NON_INTERSECT, GJK_CONTACT, GJK_DEGENERATE or EPA_FAIL
    point0: Vec3            # of a segment: on the axis, not on the surface
    point1: Vec3
    normal: Vec3            # towards shape 0
    distance: Scalar        # negative where shapes overlap
    direction: Vec3         # the last direction of the search


@scalar_code
def closest_points(pair: Record, core0: GjkConvex, frame: Frame, core1: GjkConvex, start: Vec3,
                   contact_distance: Scalar) -> ClosestPoints:
    """The closest points of two shapes, or those of their penetration depth where they overlap.

    frame: of shape 0 in shape 1, the frame of all results. start: approximate direction from shape 1 to shape 0. The
    search starts from the last simplex of the pair (warm start), and stores its own.
    """
    # GJK  (GuGJKPenetration.h, gjkPenetration)
    simplex, size = new_simplex(4), pair.warm_start_count
    near, within = precision(core0, core1), (core0.radius + core1.radius) + contact_distance
    # warm start from the last simplex  (GuGJKPenetration.h, assignWarmStartValue)
    for i in range(size):
        set_vertex(core0, frame, core1, pair.warm_start0[i], pair.warm_start1[i], simplex, i)
    distance: Scalar = LARGEST
    if size > 0:
        closest, size = closest_on_simplex(simplex, size)
        distance = math.sqrt(dot(closest, closest))
        direction = divided(closest, distance)
    else:
        # first direction: from shape 1 to shape 0
        closest = start if dot(start, start) > ZERO else (ONE, ZERO, ZERO)
        direction = unit(closest)
    while distance > near:
        # w = s0(-v) - s1(v)
        support = add_support(core0, frame, core1, negated(closest), closest, simplex, size)
        ahead = dot(direction, support)
        # separated: v . w / |v| > r0 + r1 + contactDist
        if ahead > within:
            _store_warm_start(pair, simplex, size)
            return ClosestPoints(GJK_NON_INTERSECT, ORIGIN, ORIGIN, ORIGIN, ZERO, ORIGIN)
        # converged: v . w > (1 - 0.000225) |v|^2
        if ahead > distance * NEAR_ENOUGH:
            _store_warm_start(pair, simplex, size)
            point0, point1 = _witness_points(simplex, size, closest)
            return ClosestPoints(GJK_CONTACT, point0, point1, direction, distance, direction)
        before, previous = distance, closest
        closest, size = closest_on_simplex(simplex, size + 1)
        distance = math.sqrt(dot(closest, closest))
        direction = divided(closest, distance)
        # |v| grew: degenerate, the previous simplex counts
        if not before > distance:
            _store_warm_start(pair, simplex, size - 1)
            point0, point1 = _witness_points(simplex, size, previous)
            return ClosestPoints(GJK_DEGENERATE, point0, point1, divided(previous, before), before, direction)
    _store_warm_start(pair, simplex, size)
    # |v| below the precision: EPA  (GuEPA.cpp, epaPenetration)
    depth = penetration_depth(core0, frame, core1, simplex, size, pair.tolerance_length)
    return ClosestPoints(GJK_CONTACT if depth.converged else EPA_FAIL, depth.point0, depth.point1, depth.normal,
                         depth.distance, depth.normal)


@scalar_code
def _witness_points(simplex: Simplex, size: Integer, closest: Vec3) -> tuple[Vec3, Vec3]:
    # p0 = sum lambda_i a_i, p1 = sum lambda_i b_i  (GuGJKSimplex.h, getClosestPoint)
    weights = barycentric(simplex.vertices, size, closest)
    return interpolate(simplex.vertices0, weights), interpolate(simplex.vertices1, weights)


@scalar_code
def _store_warm_start(pair: Record, simplex: Simplex, size: Integer) -> None:
    pair.warm_start_count = size
    for i in range(size):
        pair.warm_start0[i], pair.warm_start1[i] = simplex.vertex_indices[i, 0], simplex.vertex_indices[i, 1]
