"""Pairs of links that overlap at the start no longer collide."""

from __future__ import annotations

import physx_runtime
from physx_runtime.conversion.self_collision import overlapping_links
from pytest import approx
from support.converted_robots import only_robot, repaired

from physx_schema.description import describe


def test_pair_that_overlaps_is_named_filtered_and_no_longer_in_contact() -> None:
    stage, lines = repaired("quadruped")
    # the thigh's box ends at 0.09 m, the trunk's at 0.1 m
    assert "self-collision: link trunk.0 and link FL_thigh overlap by 10 mm at the start; the pair no longer " in lines
    assert lines.count("self-collision:") == 1
    assert overlapping_links(describe(stage)) == {}
    (pair,) = describe(stage).filtered_pairs
    assert pair.second.endswith("FL_thigh")


def test_depth_is_that_of_the_overlap() -> None:
    stage, _ = repaired("quadruped")
    trunk = only_robot(stage)[1].links[0].path
    stage.GetPrimAtPath(trunk).GetRelationship("physics:filteredPairs").ClearTargets(True)
    (depth,) = overlapping_links(describe(stage)).values()
    assert depth == approx(0.01, abs=1e-5)


def test_depths_are_those_of_the_contacts_of_the_first_step() -> None:
    stage, _ = repaired("quadruped")
    trunk = stage.GetPrimAtPath(only_robot(stage)[1].links[0].path)
    trunk.GetRelationship("physics:filteredPairs").ClearTargets(True)
    contacts = physx_runtime.simulate(stage, steps=1).contacts[-1]
    deepest: dict[tuple[str, ...], float] = {}
    for pair, separation in zip(contacts.bodies, contacts.separations, strict=True):
        key = tuple(sorted(pair))
        deepest[key] = max(deepest.get(key, 0.0), -float(separation))
    assert {pair: depth for pair, depth in deepest.items() if depth > 1e-3} == approx(
        overlapping_links(describe(stage)), abs=1e-5)


def test_links_apart_stay_as_they_are() -> None:
    assert overlapping_links(describe(repaired("hopper")[0])) == {}
