"""Pairs of links that overlap where the robot starts: PhysX would push them apart or jam them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from pxr import Usd, UsdPhysics

from physx_runtime.conversion.support_function import penetration_depth, shape_of
from physx_schema.description.filter import CollisionFilter
from physx_schema.description.frames import start_poses_by_body
from physx_schema.description.model import Description

DEPTH_TOLERANCE = 1e-3      # m: less is rounding of an asset, and disappears within a few steps


def overlapping_links(description: Description) -> dict[tuple[str, str], float]:
    """Pairs of links of one articulation that overlap at the start, with the depth in lengths.

    Pairs that PhysX does not let collide are left out, such as links that a joint connects.
    """
    collisions, poses = CollisionFilter(description), start_poses_by_body(description)
    sides = {i: side for i, side in enumerate(collisions.shapes) if side.owner and side.collider.kind != "plane"}
    shapes = {i: shape_of(side.collider, poses[side.body]) for i, side in sides.items()}
    high = {i: shape.support(np.eye(3)) for i, shape in shapes.items()}
    low = {i: -shape.support(-np.eye(3)) for i, shape in shapes.items()}
    depths: dict[tuple[str, str], float] = {}
    for i, j in combinations(sides, 2):
        if sides[i].owner != sides[j].owner or (low[i] > high[j]).any() or (low[j] > high[i]).any() or (
                not collisions.can_collide(i, j)):
            continue
        first, second = sorted((sides[i].body, sides[j].body))
        depths[first, second] = max(depths.get((first, second), 0.0), penetration_depth(shapes[i], shapes[j]))
    min_depth = DEPTH_TOLERANCE / description.scene.meters_per_unit
    return {pair: depth for pair, depth in sorted(depths.items()) if depth > min_depth}


def filter_overlaps(stage: Usd.Stage, description: Description) -> Iterator[str]:
    """Filter the pairs of links that overlap at the start; what was done, in words."""
    for (first, second), depth in overlapping_links(description).items():
        api = UsdPhysics.FilteredPairsAPI.Apply(stage.GetPrimAtPath(first))
        api.CreateFilteredPairsRel().AddTarget(second)
        yield (f"{first} and {second} overlap by {depth * description.scene.meters_per_unit * 1000.0:.2g} mm at the "
               "start; the pair no longer collides")
