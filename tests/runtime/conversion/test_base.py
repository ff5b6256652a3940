"""The base of a converted robot: inferred, and authored so that PhysX fixes it or lets it float."""

from __future__ import annotations

from typing import Any

import pytest
from physx_runtime.conversion.base import infer_base, world_joints
from physx_runtime.conversion.limbs import Limb, Stance
from pxr import UsdPhysics
from support.converted_robots import only_robot, repaired

from physx_schema.description import describe
from physx_schema.description.frames import start_poses_by_body
from physx_schema.description.model import MaximalJoint
from physx_schema.description.records import IDENTITY_POSE
from physx_schema.description.robot_sources import Element, RobotText

HOLD = [MaximalJoint("/hold", "fixed", 0, "", "/robot", IDENTITY_POSE, IDENTITY_POSE)]
LEG = Limb((1, 2), 2, False, -1.0)
WHEEL = Limb((1,), 1, True, -1.0)
ON_BASE, ON_LEGS = Stance((LEG,), -1.0, -0.9), Stance((LEG, LEG), 0.0, -0.9)
ON_WHEELS = Stance((WHEEL, WHEEL), -1.0, -0.9)
BODIES = ("cart", "quadruped", "hopper")


def text_of(root: str, link: str = "base") -> RobotText:
    return RobotText(root, elements={("link", link): Element("link", link, (1, 1))})


@pytest.mark.parametrize(("text", "joints", "stance", "fixed"), [
    (text_of("robot"), HOLD, ON_BASE, True), (text_of("robot"), HOLD, ON_LEGS, False),
    (text_of("robot"), HOLD, ON_WHEELS, False), (text_of("robot", "base_footprint"), HOLD, ON_BASE, False),
    (text_of("robot", "world"), HOLD, ON_LEGS, True), (text_of("robot"), [], ON_BASE, False),
    (text_of("mujoco"), HOLD, ON_LEGS, True), (text_of("mujoco"), [], ON_BASE, False)],
    ids=["arm", "legs", "wheels", "footprint", "world", "floating joint", "mjcf", "mjcf free joint"])
def test_base_floats_for_what_moves_about(
    text: RobotText, joints: list[MaximalJoint], stance: Stance, fixed: bool,
) -> None:
    assert infer_base(joints, stance, text).fixed is fixed


def test_single_pendulum_that_hangs_lowest_is_fixed() -> None:
    assert infer_base(HOLD, Stance((LEG,), 0.0, -0.9), text_of("robot")).fixed


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_base_is_in_physx_what_was_asked_for(name: str, base: str) -> None:
    stage, _ = repaired(name, base)
    description, robot = only_robot(stage)
    assert robot.fixed_base == (base == "fixed")
    assert world_joints(description, robot) == []
    assert "articulation/world-joint-outside" not in {item.code for item in description.problems}


@pytest.mark.parametrize(("base", "joints"), [("auto", 0), ("floating", 0), ("fixed", 1)])
def test_urdf_of_one_link_is_a_free_body_unless_it_is_to_be_fixed(base: str, joints: int) -> None:
    stage, lines = repaired("cup", base)
    description = describe(stage)
    assert (len(description.bodies), len(description.joints), description.articulations) == (1, joints, ())
    assert ("link cup is floating, because it has no joints; root_joint is removed" in lines) == (base == "auto")


@pytest.mark.parametrize(("name", "fixed"), [("cart", True), ("quadruped", False), ("hopper", False)])
def test_base_is_inferred(name: str, fixed: bool) -> None:
    stage, lines = repaired(name)
    assert only_robot(stage)[1].fixed_base is fixed
    assert f"--base {'floating' if fixed else 'fixed'} changes that" in lines


def test_joint_that_slides_on_the_world_keeps_its_axis_on_a_fixed_base() -> None:
    stage, lines = repaired("cart")
    description, robot = only_robot(stage)
    assert [dof.path.rpartition("/")[2] for dof in robot.dofs] == ["slider", "hinge"]
    assert "slider moves on the new body mount" in lines
    assert "articulation/fixed-base-joint" not in {item.code for item in description.problems}


def test_cart_starts_where_it_was() -> None:
    poses = start_poses_by_body(only_robot(repaired("cart")[0])[0])
    position, rotation = next(pose for path, pose in poses.items() if path.endswith("/cart"))
    assert (position, rotation) == (pytest.approx((0.0, 0.0, 1.0)), pytest.approx((0.0, 0.0, 0.0, 1.0)))


def applied(prim: Any) -> list[str]:
    """The API schemas on a prim, also those that are not registered."""
    listed = prim.GetMetadata("apiSchemas")
    return list(listed.GetAppliedItems()) if listed else []


@pytest.mark.parametrize("name", ["cart", "quadruped"])
def test_newtons_root_and_its_values_move_with_the_root_of_physx(name: str) -> None:
    stage, _ = repaired(name, "fixed")
    roots = [prim for prim in stage.Traverse() if prim.HasAPI(UsdPhysics.ArticulationRootAPI)]
    newtons = [prim for prim in stage.Traverse() if "NewtonArticulationRootAPI" in applied(prim)]
    assert newtons == roots
    holders = [prim for prim in stage.Traverse() if prim.HasAttribute("newton:jointsAddMobility")]
    assert holders == (roots if name == "cart" else [])
