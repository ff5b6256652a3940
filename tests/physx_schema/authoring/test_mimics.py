"""mimic: the USD it writes, that the reader accepts it, and what it refuses."""

from __future__ import annotations

import math

import pytest
from pxr import Sdf, Usd, UsdPhysics
from support.schemas.authored import clean, one_line, properties, refusal, schemas
from support.stages.robots import base, joint, link, opened, robot

from physx_schema import PhysxMimicJointAPI
from physx_schema.authoring import mimic
from physx_schema.description import Mimic, describe

LEADER, FOLLOWER, SLIDER = "/Robot/leader", "/Robot/follower", "/Robot/slider"
TRAVEL = {"float physics:lowerLimit": -100.0, "float physics:upperLimit": 100.0}
LIMITS = {"float physics:lowerLimit": -90.0, "float physics:upperLimit": 90.0}


def hand(axis: str = "Y", leader: dict[str, object] = LIMITS, follower: dict[str, object] = LIMITS,
         slider: dict[str, object] = TRAVEL, **settings: object) -> Usd.Stage:
    """A base with links in a row, on a revolute leader, a revolute follower and a prismatic slider."""
    parts = [base(), *(link(name, (index + 1, 0, 0)) for index, name in enumerate("abc"))]
    along: dict[str, object] = {"uniform token physics:axis": axis, "point3f physics:localPos0": (1, 0, 0)}
    parts += [
        joint("Revolute", "leader", "base", "a", (), {**along, **leader}),
        joint("Revolute", "follower", "a", "b", (), {**along, **follower}),
        joint("Prismatic", "slider", "b", "c", (), {**along, **slider}),
    ]
    return opened(robot(*parts, **settings))


@pytest.fixture
def stage() -> Usd.Stage:
    return hand()


def only_mimic(stage: Usd.Stage) -> Mimic:
    """The single mimic joint of a stage on which nothing is wrong or unused."""
    described = clean(stage)
    assert [declaration.refusal for declaration in described.mimic_declarations] == [""]
    (found,) = described.articulations[0].mimics
    return found


def test_mimic_joint_is_written_under_its_axis(stage: Usd.Stage) -> None:
    mimic(stage.GetPrimAtPath(FOLLOWER), LEADER, gearing=-0.5, offset=12.0, natural_frequency=10.0, damping_ratio=0.75)
    assert schemas(stage, FOLLOWER) == ["PhysxMimicJointAPI:rotY"]
    assert properties(stage, FOLLOWER, "physxMimicJoint") == {
        "physxMimicJoint:rotY:referenceJoint": "rel = /Robot/leader",
        "physxMimicJoint:rotY:gearing": "float = -0.5",
        "physxMimicJoint:rotY:offset": "float = 12.0",
        "physxMimicJoint:rotY:naturalFrequency": "float = 10.0",
        "physxMimicJoint:rotY:dampingRatio": "float = 0.75",
    }


def test_a_hard_coupling_is_written_as_a_damping_ratio_of_zero(stage: Usd.Stage) -> None:
    mimic(stage.GetPrimAtPath(FOLLOWER), LEADER, gearing=1.0)
    assert properties(stage, FOLLOWER, "physxMimicJoint") == {
        "physxMimicJoint:rotY:referenceJoint": "rel = /Robot/leader", "physxMimicJoint:rotY:gearing": "float = 1.0",
        "physxMimicJoint:rotY:naturalFrequency": "float = 60.0", "physxMimicJoint:rotY:dampingRatio": "float = 0.0",
    }


@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
@pytest.mark.parametrize("path", [FOLLOWER, SLIDER])
def test_instance_is_a_rotation_for_revolute_and_prismatic_joints(axis: str, path: str) -> None:
    stage = hand(axis)
    assert mimic(stage.GetPrimAtPath(path), LEADER, gearing=1.0).GetName() == f"rot{axis}"


def test_instance_can_be_chosen(stage: Usd.Stage) -> None:
    mimic(stage.GetPrimAtPath(FOLLOWER), LEADER, gearing=1.0, instance="rotZ")
    assert only_mimic(stage).instance == "rotZ"


def test_reader_finds_the_coupling_in_radians(stage: Usd.Stage) -> None:
    mimic(stage.GetPrimAtPath(FOLLOWER), LEADER, gearing=-0.5, offset=18.0, natural_frequency=10.0, damping_ratio=1.0)
    found = only_mimic(stage)
    assert (found.path, found.follower, found.reference, found.gearing) == (FOLLOWER, 1, 0, -0.5)
    assert found.offset == pytest.approx(math.pi / 10)
    assert (found.natural_frequency, found.damping_ratio) == (10.0, 1.0)


def test_slider_follows_a_turning_joint_in_lengths_per_degree() -> None:
    stage = hand(slider=TRAVEL)
    mimic(stage.GetPrimAtPath(SLIDER), LEADER, gearing=0.01, offset=0.25)
    found = only_mimic(stage)
    assert found.gearing == pytest.approx(0.01 * 180.0 / math.pi, rel=1e-6)
    assert found.offset == 0.25


def test_joint_and_reference_may_be_schema_objects_and_paths(stage: Usd.Stage) -> None:
    mimic(UsdPhysics.RevoluteJoint.Get(stage, FOLLOWER), Sdf.Path(LEADER), gearing=1.0)
    assert only_mimic(stage).path == FOLLOWER


def test_two_joints_follow_one(stage: Usd.Stage) -> None:
    for path in (FOLLOWER, SLIDER):
        mimic(stage.GetPrimAtPath(path), LEADER, gearing=1.0)
    assert len(describe(stage).articulations[0].mimics) == 2


def test_following_a_follower_is_refused(stage: Usd.Stage) -> None:
    mimic(stage.GetPrimAtPath(FOLLOWER), LEADER, gearing=1.0)
    one_line(refused(stage, SLIDER, FOLLOWER), f"{SLIDER}:", f"{FOLLOWER} itself follows {LEADER}", "chain")


def test_following_as_a_joint_that_is_followed_is_refused(stage: Usd.Stage) -> None:
    mimic(stage.GetPrimAtPath(FOLLOWER), LEADER, gearing=1.0)
    one_line(refused(stage, LEADER, SLIDER), f"{LEADER}:", f"{FOLLOWER} follows this joint", "chain")


def test_a_joint_with_newtons_mimic_is_refused(stage: Usd.Stage) -> None:
    stage.GetPrimAtPath(FOLLOWER).AddAppliedSchema("NewtonMimicAPI")
    one_line(refused(stage), f"{FOLLOWER}:", "NewtonMimicAPI", "remove NewtonMimicAPI first")


def test_returned_object_changes_values_later(stage: Usd.Stage) -> None:
    mimic(stage.GetPrimAtPath(FOLLOWER), LEADER, gearing=1.0).set(gearing=-0.5)
    assert only_mimic(stage).gearing == -0.5


def refused(stage: Usd.Stage, joint: str = FOLLOWER, reference: str = LEADER, **values: object) -> list[str]:
    return refusal(stage, lambda: mimic(stage.GetPrimAtPath(joint), reference, **{"gearing": 1.0, **values}))


def test_prim_that_is_no_joint_is_refused(stage: Usd.Stage) -> None:
    one_line(refused(stage, "/Robot/a"), "/Robot/a:", "Xform", "revolute or prismatic")


def test_reference_that_is_no_joint_is_refused(stage: Usd.Stage) -> None:
    one_line(refused(stage, reference="/Robot/a"), "/Robot/a:", "Xform", "revolute or prismatic")


def test_missing_reference_is_refused(stage: Usd.Stage) -> None:
    one_line(refused(stage, reference="/Robot/leadr"), "/Robot/leadr:", "no such prim", "did you mean /Robot/leader?")


def test_invalid_joint_is_refused() -> None:
    stage = hand()
    assert "not a prim" in refused(stage, "/Robot/nothing")[0]


def test_reference_to_itself_is_refused(stage: Usd.Stage) -> None:
    one_line(refused(stage, FOLLOWER, FOLLOWER), f"{FOLLOWER}:", "itself")


@pytest.mark.parametrize("instance", ["transZ", "Z", "rotx", "rot Z"])
def test_instance_that_physx_does_not_read_is_refused(stage: Usd.Stage, instance: str) -> None:
    one_line(refused(stage, instance=instance), f"{FOLLOWER}:", instance)


def test_gearing_of_zero_is_refused(stage: Usd.Stage) -> None:
    one_line(refused(stage, gearing=0.0), f"{FOLLOWER}.physxMimicJoint:rotY:gearing:", "0")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", ["gearing", "offset"])
def test_numbers_that_are_not_finite_are_refused(stage: Usd.Stage, name: str, value: float) -> None:
    one_line(refused(stage, **{name: value}), f"{FOLLOWER}.physxMimicJoint:rotY:{name}:")


@pytest.mark.parametrize("values", [
    {"natural_frequency": 5.0}, {"damping_ratio": 1.0}, {"natural_frequency": 5.0, "damping_ratio": 0.0},
    {"natural_frequency": -5.0, "damping_ratio": 1.0}, {"natural_frequency": 0.0, "damping_ratio": 1.0},
])
def test_compliance_that_physx_takes_as_hard_is_refused(stage: Usd.Stage, values: dict[str, float]) -> None:
    lines = refused(stage, **values)
    assert lines
    assert all("hard" in line for line in lines)


@pytest.mark.parametrize("missing", ["float physics:lowerLimit", "float physics:upperLimit"])
def test_revolute_follower_without_two_limits_is_refused(missing: str) -> None:
    stage = hand(follower={name: value for name, value in LIMITS.items() if name != missing})
    side = missing.removeprefix("float physics:").removesuffix("Limit")
    one_line(refused(stage), f"{FOLLOWER}.physics:lowerLimit:", f"no limit on the {side} side", "two finite limits")


def test_revolute_reference_without_limits_is_refused() -> None:
    one_line(refused(hand(leader={})), f"{LEADER}.physics:lowerLimit:", "two finite limits")


def test_prismatic_joint_without_limits_is_refused() -> None:
    one_line(refused(hand(slider={}), SLIDER), f"{SLIDER}.physics:lowerLimit:", "two finite limits")


def test_limits_without_room_between_them_are_refused() -> None:
    fixed = dict.fromkeys(LIMITS, 5.0)
    one_line(refused(hand(leader=fixed)), f"{LEADER}.physics:lowerLimit:",
             "lower limit not below the upper limit", "lower < upper")


@pytest.mark.parametrize("path", [FOLLOWER, LEADER])
@pytest.mark.parametrize(("name", "value"), [("excludeFromArticulation", True), ("jointEnabled", False)])
def test_joint_outside_the_articulation_by_a_flag_is_refused(path: str, name: str, value: bool) -> None:
    stage = hand()
    stage.GetPrimAtPath(path).GetAttribute(f"physics:{name}").Set(value)
    assert any(line.startswith(f"{path}:") and name in line for line in refused(stage))


def test_reference_in_another_articulation_is_refused(stage: Usd.Stage) -> None:
    Sdf.CopySpec(hand().GetRootLayer(), "/Robot", stage.GetRootLayer(), "/Second")
    one_line(refused(stage, reference="/Second/leader"), f"{FOLLOWER}:", "another articulation")


def test_joint_without_an_articulation_is_refused() -> None:
    lines = refused(hand(schemas=()))
    assert [line.partition(":")[0] for line in lines] == [FOLLOWER, LEADER]


def test_second_mimic_on_a_joint_is_refused(stage: Usd.Stage) -> None:
    mimic(stage.GetPrimAtPath(FOLLOWER), LEADER, gearing=1.0)
    one_line(refused(stage, instance="rotX"), f"{FOLLOWER}:", "PhysxMimicJointAPI:rotY")


def test_mimic_that_is_there_is_refused(stage: Usd.Stage) -> None:
    mimic(stage.GetPrimAtPath(FOLLOWER), LEADER, gearing=1.0)
    one_line(refused(stage, gearing=2.0), f"{FOLLOWER}:", "PhysxMimicJointAPI:rotY")


def test_values_left_over_from_a_removed_mimic_are_refused(stage: Usd.Stage) -> None:
    mimic(stage.GetPrimAtPath(FOLLOWER), LEADER, gearing=1.0)
    stage.GetPrimAtPath(FOLLOWER).RemoveAPI(PhysxMimicJointAPI, "rotY")
    assert all("remove the property first" in line for line in refused(stage))


def test_circle_of_two_is_refused(stage: Usd.Stage) -> None:
    mimic(stage.GetPrimAtPath(FOLLOWER), LEADER, gearing=1.0)
    lines = refused(stage, LEADER, FOLLOWER)
    assert [line.partition("; SimReady")[0] for line in lines] == [
        f"{LEADER}: {FOLLOWER} follows this joint", f"{LEADER}: {FOLLOWER} itself follows {LEADER}"]


@pytest.mark.parametrize(("gearing", "offset", "accepted"), [
    (1.0, 0.0, True), (-1.0, 0.0, True), (0.5, 45.0, True), (1.0, 1.0, False), (-1.1, 0.0, False), (1.0, 200.0, False)])
def test_limits_that_cut_off_the_motion_are_refused(
    stage: Usd.Stage, gearing: float, offset: float, accepted: bool,
) -> None:
    if accepted:
        mimic(stage.GetPrimAtPath(FOLLOWER), LEADER, gearing=gearing, offset=offset)
        assert [item.gearing for item in describe(stage).articulations[0].mimics] == [gearing]
    else:
        one_line(refused(stage, gearing=gearing, offset=offset), f"{FOLLOWER}.physics:lowerLimit:",
                 "for the reference joint's limits this joint needs the range", "widen")


def test_every_problem_is_reported_at_once() -> None:
    lines = refused(hand(leader={}, schemas=()), gearing=0.0, natural_frequency=1.0)
    assert len(lines) == 5
    assert lines == sorted(lines)
