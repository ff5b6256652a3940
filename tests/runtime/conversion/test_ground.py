"""A ground below a robot, and a scene."""

from __future__ import annotations

import math

from physx_runtime.conversion.robot import repair
from pxr import UsdPhysics
from pytest import approx
from support.converted_robots import NO_DRIVES, converted, repaired, robot_text

from physx_schema.description import describe


def test_ground_touches_the_lowest_collider_from_below() -> None:
    stage, lines = repaired("hopper", ground=True)
    (plane,) = describe(stage).static_colliders
    # a shin from 0.85 m down to 0.45 m, with a radius of 0.03 m
    assert (plane.kind, plane.axis, plane.pose[0]) == ("plane", 2, approx((0.0, 0.0, 0.419), abs=2e-3))
    assert plane.pose[0][2] <= 0.42
    assert "ground: /Ground, a plane at Z = 0.4" in lines


def test_no_collider_starts_in_the_ground_by_rounding() -> None:
    stage, _ = repaired("quadruped", ground=True)
    (plane,) = describe(stage).static_colliders
    # feet of 0.02 m below legs with knees at 45.8 degrees
    lowest = -0.4 * math.cos(math.radians(45.8366 / 2)) - 0.02
    assert lowest - 1e-3 < plane.pose[0][2] < lowest


def test_ground_of_the_file_is_kept() -> None:
    stage, lines = repaired("cart", ground=True)
    assert "ground: geom floor is in the file; none is added" in lines
    assert not stage.GetPrimAtPath("/Ground")


def test_no_ground_is_added_unasked() -> None:
    stage, lines = repaired("hopper")
    assert "ground:" not in lines
    assert not stage.GetPrimAtPath("/Ground")


def test_scene_for_newton_is_one_that_physx_reads() -> None:
    stage, lines = repaired("hopper")
    assert "scene: /PhysicsScene has PhysxSceneAPI: without it PhysX ignores a scene with NewtonSceneAPI" in lines
    assert "scene/hidden" not in {item.code for item in describe(stage).problems}


def test_stage_without_a_scene_gets_one() -> None:
    stage = converted("hopper")
    for prim in [prim for prim in stage.Traverse() if prim.IsA(UsdPhysics.Scene)]:
        stage.RemovePrim(prim.GetPath())
    assert "scene: /PhysicsScene is added" in repair(stage, robot_text("hopper"), "auto", NO_DRIVES, False)
    assert stage.GetPrimAtPath("/PhysicsScene").IsA(UsdPhysics.Scene)
