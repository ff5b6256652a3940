"""Pairs of links that overlap at the start no longer collide."""

from __future__ import annotations

from physx_runtime.conversion import self_collision
from physx_runtime.conversion.self_collision import overlapping_links
from pytest import MonkeyPatch, approx
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


def test_robot_with_links_apart_takes_no_step(monkeypatch: MonkeyPatch) -> None:
    monkeypatch.delattr(self_collision, "Scene")
    assert overlapping_links(describe(repaired("hopper")[0])) == {}
