"""What rays, sweeps and shapes meet among the colliders of a scene, through coal (the extra `queries`).

A sweep advances by its distance from a collider: for a convex one over the speed at which that shrinks, which never
goes too far. A ray is the sweep of a point.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.packing.frames import Frame, compose
from physx_runtime.packing.geometry import has_shape
from physx_runtime.simulation.query_shapes import QueryShape, coal, collider_geometry, query_geometry, transform
from physx_schema.description.model import Collider, Description
from physx_schema.description.poses import IDENTITY_POSE

Array = NDArray[Any]

TOUCHING = 1e-6         # length, how near a sweep comes to what it meets; PhysX's own queries differ by as much
# Length before its end at which a sweep's normal is taken. Where shapes touch the normal is made of rounding: that of
# rays on boxes and cylinders was wrong by up to 1.4. A little before, that of what is round is wrong by about this
# over the radius: beside PhysX's, at sizes of 0.2 to 0.5, by 5e-4; with 1e-3 by 5e-3, with 1e-2 faces are mistaken.
BEFORE = 1e-4
MOST_ADVANCES = 2000    # of a sweep along triangles, which approaches slowly where it grazes them


@dataclass(frozen=True, slots=True)
class Hit:
    """What a ray or a sweep met first."""

    collider: str
    body: str                           # a static collider itself
    distance: float                     # length; 0 where the sweep begins in it
    position: Array                     # (3,) where it is met, world
    normal: Array                       # (3,) of its surface; against the direction where the sweep begins in it


@dataclass(frozen=True, slots=True)
class _Target:
    collider: Collider
    geometry: Any


class SceneQueries:
    """The enabled colliders of a stage that are no triggers, as coal has them."""

    def __init__(self, description: Description, bodies: Sequence[str]) -> None:
        self._description, self._known = description, frozenset(bodies)

    @cached_property
    def _targets(self) -> tuple[_Target, ...]:
        return tuple(_Target(collider, collider_geometry(collider)) for collider in self._colliders()
                     if collider.enabled and not collider.trigger and has_shape(collider))

    def _colliders(self) -> Iterator[Collider]:
        links = [link for item in self._description.articulations for link in item.links]
        for body in (*links, *self._description.bodies):
            yield from body.colliders if body.path in self._known else ()
        yield from self._description.static_colliders

    def inside(self, shape: QueryShape, place: Frame, poses: Mapping[str, Array]) -> tuple[str, ...]:
        """The colliders that a shape overlaps."""
        own, at = query_geometry(shape), transform(place)
        return tuple(target.collider.path for target in self._targets
                     if coal().collide(own, at, target.geometry, self._placed(target, poses),
                                       coal().CollisionRequest(), coal().CollisionResult()))

    def first(self, shape: QueryShape | None, place: Frame, along: Array, distance: float,
              poses: Mapping[str, Array]) -> Hit | None:
        """What a shape, or a point where None, meets first on its way along a direction of length 1."""
        own, found = query_geometry(shape), None
        for target in self._targets:
            reach = distance if found is None else found.distance
            hit = self._met(own, place, along, reach, target, self._placed(target, poses))
            if hit is not None and (found is None or hit.distance < found.distance):
                found = hit
        return found

    def _placed(self, target: _Target, poses: Mapping[str, Array]) -> Any:
        pose = poses.get(target.collider.body)
        body: Frame = IDENTITY_POSE if pose is None else (tuple(pose[:3].tolist()), tuple(pose[3:].tolist()))
        return transform(compose(body, target.collider.pose), target.collider)

    def _met(self, own: Any, place: Frame, along: Array, reach: float, target: _Target, at: Any) -> Hit | None:
        start, convex, travel = transform(place), target.collider.kind != "triangle-mesh", 0.0
        name, reach = target.collider.path, min(reach, _leaves(own, place, along, target, at))

        def gap_at(travel: float) -> tuple[float, Array, Array]:
            """The distance, the direction to the collider and the point of it that is nearest."""
            now = coal().Transform3s(start.getRotation(), start.getTranslation() + travel * along)
            result = coal().DistanceResult()
            gap = coal().distance(own, now, target.geometry, at, coal().DistanceRequest(), result)
            return gap, np.array(result.normal), np.array(result.getNearestPoint2())

        for _ in range(MOST_ADVANCES):
            gap, normal, point = gap_at(travel)
            if gap <= TOUCHING:
                # where they touch a normal is made of rounding, so it is that of a little before
                outward = -gap_at(max(travel - BEFORE, 0.0))[1] if travel else -along
                return Hit(name, target.collider.body or name, travel, point, outward)
            speed = float(normal @ along)
            if convex and speed <= 0.0:
                return None
            travel += gap / speed if convex else gap
            if travel > reach or math.isinf(travel):
                return None
        raise ArithmeticError(f"{name}: a sweep along its triangles comes no nearer than {gap:.3g} in {MOST_ADVANCES} "
                              "advances; sweep from another place or in another direction")


def _leaves(own: Any, place: Frame, along: Array, target: _Target, at: Any) -> float:
    """How far a shape goes until its bounding ball has left that of a collider; inf for a plane."""
    center = at.transform(target.geometry.aabb_center)
    return float(along @ (center - np.array(place[0]))) + float(target.geometry.aabb_radius) + float(own.aabb_radius)
