"""Helpers refuse a joint from the world that is to move a base: PhysX fixes it."""

from __future__ import annotations

from typing import Literal

import pytest
from pxr import Usd, UsdGeom, UsdPhysics

from physx_schema.authoring import articulation_root, fixed_joint, prismatic_joint, revolute_joint, rigid_body
from physx_schema.checking import check
from physx_schema.errors import AuthoringError


def robot(*names: str, rooted: bool = False) -> Usd.Stage:
    """Bodies in a row under /R, each hinged to the one before."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.Xform.Define(stage, "/R")
    for index, name in enumerate(names):
        rigid_body(stage, f"/R/{name}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(float(index), 0, 0))
        if index:
            revolute_joint(stage, f"/R/j{index}", f"/R/{names[index - 1]}", f"/R/{name}", axis="Y")
    if rooted:
        articulation_root(stage.GetPrimAtPath("/R"))
    return stage


@pytest.mark.parametrize(("kind", "axis"), [("revolute", "Z"), ("prismatic", "X"), ("revolute", "X")])
def test_root_above_a_base_on_a_moving_joint_is_refused(kind: str, axis: Literal["X", "Z"]) -> None:
    stage = robot("base", "arm")
    (revolute_joint if kind == "revolute" else prismatic_joint)(stage, "/R/turn", None, "/R/base", axis=axis)
    with pytest.raises(AuthoringError, match=f"/R/turn: a {kind} joint to the world would fix /R/base"):
        articulation_root(stage.GetPrimAtPath("/R"))
    assert not stage.GetPrimAtPath("/R").HasAPI(UsdPhysics.ArticulationRootAPI)


def test_root_on_a_moving_joint_to_the_world_is_refused() -> None:
    stage = robot("base", "arm")
    revolute_joint(stage, "/R/turn", None, "/R/base")
    with pytest.raises(AuthoringError, match="/R/turn: a revolute joint to the world"):
        articulation_root(stage.GetPrimAtPath("/R/turn"))


def test_root_over_a_rope_to_the_world_asks_to_exclude_it() -> None:
    stage = robot("base", "arm")
    UsdPhysics.DistanceJoint.Define(stage, "/R/rope").CreateBody1Rel().SetTargets(["/R/base"])
    with pytest.raises(AuthoringError, match="set physics:excludeFromArticulation of this joint to true"):
        articulation_root(stage.GetPrimAtPath("/R"))


def test_moving_joint_to_the_base_of_an_articulation_is_refused() -> None:
    stage = robot("base", "arm", rooted=True)
    with pytest.raises(AuthoringError, match="a prismatic joint to the world would fix /R/base"):
        prismatic_joint(stage, "/R/slide", None, "/R/base")
    assert not stage.GetPrimAtPath("/R/slide")


def test_body_that_a_fixed_joint_holds_lets_the_base_move() -> None:
    stage = robot("rail", "base", "arm")
    fixed_joint(stage, "/R/stand", None, "/R/rail")
    articulation_root(stage.GetPrimAtPath("/R"))
    assert "articulation/fixed-base-joint" not in {item.code for item in check(stage).findings}


def test_root_on_the_body_leaves_its_joint_to_the_world_outside() -> None:
    stage = robot("base", "arm")
    revolute_joint(stage, "/R/turn", None, "/R/base")
    articulation_root(stage.GetPrimAtPath("/R/base"))
    assert stage.GetPrimAtPath("/R/base").HasAPI(UsdPhysics.ArticulationRootAPI)


def test_joints_to_the_world_outside_articulations_may_move() -> None:
    stage = robot("base")
    assert revolute_joint(stage, "/R/turn", None, "/R/base")


def test_second_joint_to_the_world_from_another_link_is_a_loop_and_no_base() -> None:
    stage = robot("base", "arm")
    fixed_joint(stage, "/R/stand", None, "/R/base")
    articulation_root(stage.GetPrimAtPath("/R"))
    assert revolute_joint(stage, "/R/foot", None, "/R/arm")
