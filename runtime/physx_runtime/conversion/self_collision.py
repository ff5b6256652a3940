"""Pairs of links that overlap where the robot starts: PhysX would push them apart or jam them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from pxr import Usd, UsdPhysics

from physx_runtime.conversion.support_function import support
from physx_runtime.packing.not_simulated import NotSimulatedWarning
from physx_runtime.simulation.scene import Scene
from physx_runtime.worlds.store import SCHEDULED
from physx_schema.description.frames import start_poses
from physx_schema.description.model import Articulation, Description

DEPTH_TOLERANCE = 1e-3      # m: less is rounding of an asset, and disappears within a few steps


def overlapping_links(description: Description) -> dict[tuple[str, str], float]:
    """Pairs of links of one articulation in contact at the start, with the depth of their overlap in lengths.

    The contacts are those of the first step. PhysX makes none between links that a joint connects.
    """
    owners = {link.path: item.path for item in description.articulations for link in item.links}
    if not any(map(_may_overlap, description.articulations)):
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSimulatedWarning)
        scene = Scene(description, path=SCHEDULED)
    scene.step()
    depths: dict[tuple[str, str], float] = {}
    for (first, second), separation in zip(scene.contacts.bodies, scene.contacts.separations, strict=True):
        pair = (first, second) if first < second else (second, first)
        if first in owners and owners[first] == owners.get(second):
            depths[pair] = max(depths.get(pair, 0.0), -float(separation))
    min_depth = DEPTH_TOLERANCE / description.scene.meters_per_unit
    return {pair: depth for pair, depth in sorted(depths.items()) if depth > min_depth}


def _may_overlap(articulation: Articulation) -> bool:
    """Whether boxes around links that no joint connects overlap: else no step is needed."""
    poses = dict(zip((link.path for link in articulation.links), start_poses(articulation), strict=True))
    boxes = {i: [(support([link], poses, axis), -support([link], poses, -axis)) for axis in np.eye(3)]
             for i, link in enumerate(articulation.links) if link.colliders}
    joined = {(link.parent, i) for i, link in enumerate(articulation.links)}
    return any((i, j) not in joined and (j, i) not in joined and all(
        low <= other_high and other_low <= high for (high, low), (other_high, other_low) in zip(
            boxes[i], boxes[j], strict=True)) for i, j in combinations(boxes, 2))


def filter_overlaps(stage: Usd.Stage, description: Description) -> Iterator[str]:
    """Filter the pairs of links that overlap at the start; what was done, in words."""
    for (first, second), depth in overlapping_links(description).items():
        api = UsdPhysics.FilteredPairsAPI.Apply(stage.GetPrimAtPath(first))
        api.CreateFilteredPairsRel().AddTarget(second)
        yield (f"{first} and {second} overlap by {depth * description.scene.meters_per_unit * 1000.0:.2g} mm at the "
               "start; the pair no longer collides")
