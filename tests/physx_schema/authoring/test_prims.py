"""What a helper writes is no error to `check` under any profile; what would be one is refused."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from pxr import Usd, UsdGeom, UsdPhysics

from physx_schema import AuthoringError, PhysxMimicJointAPI, check
from physx_schema.authoring import (
    Attachment,
    articulation_root,
    drive,
    fixed_joint,
    fixed_tendon,
    joint_axis,
    mimic,
    prismatic_joint,
    revolute_joint,
    rigid_body,
    spatial_tendon,
)

# "driven" is left out: it asks for numbers that only a robot's maker knows (greatest force, greatest velocity, state).
PROFILES = "physx+simready+newton"
SEEDS = 300
KNUCKLE, TIP = "/Finger/knuckle", "/Finger/tip"


def finger(limits: tuple[float, float] = (-60.0, 60.0), tip_limits: tuple[float, float] = (-60.0, 60.0),
           joint: Callable[..., object] = revolute_joint) -> Usd.Stage:
    """Three bodies in a row on two joints, a fixed base, all made by the helpers."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdPhysics.SetStageKilogramsPerUnit(stage, 1.0)
    UsdPhysics.Scene.Define(stage, "/Scene")
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, "/Finger").GetPrim())
    for index, name in enumerate(("palm", "middle", "end")):
        rigid_body(stage, f"/Finger/{name}", mass=1.0, inertia=(1.0, 1.0, 1.5), position=(0.0, 0.0, index))
    fixed_joint(stage, "/Finger/base", None, "/Finger/palm")
    revolute_joint(stage, KNUCKLE, "/Finger/palm", "/Finger/middle", lower=limits[0], upper=limits[1])
    joint(stage, TIP, "/Finger/middle", "/Finger/end", lower=tip_limits[0], upper=tip_limits[1])
    articulation_root(stage.GetPrimAtPath("/Finger"), position_iterations=16, velocity_iterations=1)
    return stage


def errors(stage: Usd.Stage) -> list[str]:
    return [f"{item.code} {item.path}: {item.message}" for item in check(stage, PROFILES).findings
            if item.severity == "error"]


CALLS: dict[str, Callable[[Usd.Stage], object]] = {
    "nothing more": lambda stage: None,
    "a hard mimic joint": lambda stage: mimic(stage.GetPrimAtPath(TIP), KNUCKLE, gearing=-1),
    "a hard mimic joint the other way": lambda stage: mimic(stage.GetPrimAtPath(TIP), KNUCKLE, gearing=1),
    "a soft mimic joint": lambda stage: mimic(stage.GetPrimAtPath(TIP), KNUCKLE, gearing=-0.5, offset=5.0,
                                              natural_frequency=30, damping_ratio=1),
    "a drive": lambda stage: drive(stage.GetPrimAtPath(TIP), stiffness=10, damping=1, target=20, max_force=5),
    "a joint axis": lambda stage: joint_axis(stage.GetPrimAtPath(TIP), armature=0.1, static_friction=0.2,
                                             dynamic_friction=0.1, viscous_friction=0.1, max_velocity=90),
    "a fixed tendon": lambda stage: fixed_tendon(stage, "flexor", [(KNUCKLE, 0.01, 1), (TIP, 0.01, 1)], stiffness=10),
    "a fixed tendon with limits": lambda stage: fixed_tendon(
        stage, "flexor", [(KNUCKLE, 0.01, 1), (TIP, 0.01, 1)], limit_stiffness=10, lower=-0.1, upper=0.1),
    "a spatial tendon": lambda stage: spatial_tendon(
        stage, "string", ("/Finger/palm", (0, 0.1, 0)), [Attachment("/Finger/middle", (0, 0.1, 0), children=(
            Attachment("/Finger/end", (0, 0.1, 0), rest_length=1.5),))], stiffness=10, damping=1),
}


@pytest.mark.parametrize("made", CALLS)
def test_what_a_helper_writes_is_no_error(made: str) -> None:
    stage = finger()
    CALLS[made](stage)
    assert errors(stage) == []


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_mimic_joint_is_accepted_exactly_where_check_finds_no_error(seed: int) -> None:
    random = np.random.default_rng(seed)
    joint = revolute_joint if random.random() < 0.7 else prismatic_joint
    limits, tip_limits = (tuple(sorted(random.choice([-90.0, -60.0, 0.0, 30.0, 60.0], 2))) for _ in range(2))
    values = {"gearing": float(random.choice([-2, -1, -0.5, 0.3, 1])), "offset": float(random.choice([0, 0, 10, -200]))}
    if random.random() < 0.5:
        values |= {"natural_frequency": float(random.choice([5, 900])), "damping_ratio": float(random.choice([0.5, 2]))}
    stage, by_hand = finger(limits, tip_limits, joint), finger(limits, tip_limits, joint)
    try:
        mimic(stage.GetPrimAtPath(TIP), KNUCKLE, **values)
    except AuthoringError as error:
        assert errors(_by_hand(by_hand, values)), error
        return
    assert errors(stage) == []


def _by_hand(stage: Usd.Stage, values: dict[str, float]) -> Usd.Stage:
    """The stage with the mimic joint of the values, written without the helper."""
    api = PhysxMimicJointAPI.Apply(stage.GetPrimAtPath(TIP), "rotX")
    api.CreateReferenceJointRel().SetTargets([KNUCKLE])
    api.set(gearing=values["gearing"], offset=values["offset"], naturalFrequency=values.get("natural_frequency", 60.0),
            dampingRatio=values.get("damping_ratio", 0.0))
    return stage


@pytest.mark.parametrize("inertia", [(1, 1, 10), (5, 1, 1), (0.1, 0.3, 0.1), (1, 2, 3.01)])
def test_moments_that_no_solid_has_are_refused(inertia: tuple[float, float, float]) -> None:
    stage = Usd.Stage.CreateInMemory()
    with pytest.raises(AuthoringError, match=r"^/Block: inertia: no solid has .*; give moments of a solid$"):
        rigid_body(stage, "/Block", mass=1.0, inertia=inertia)
    assert not stage.GetPrimAtPath("/Block")


@pytest.mark.parametrize("inertia", [(1, 1, 2), (1, 1, 1), (1, 2, 3.0), (math.pi, 1e-3, math.pi)])
def test_moments_of_solids_are_accepted(inertia: tuple[float, float, float]) -> None:
    stage = Usd.Stage.CreateInMemory()
    assert rigid_body(stage, "/Block", mass=1.0, inertia=inertia)
    assert not any("inertia-triangle" in line for line in errors(stage))
