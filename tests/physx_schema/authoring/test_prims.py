"""What a helper writes is no error to `check` under any profile; what would be one is refused.

On random trees the helpers accept exactly what the reader makes whole tendons and sound mimic joints of.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from pxr import Usd, UsdGeom, UsdPhysics
from support.schemas.authored import text
from support.stages.robots import base, joint, link, opened, robot

from physx_schema import AuthoringError, PhysxMimicJointAPI, PhysxTendonAxisAPI, PhysxTendonAxisRootAPI, check
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
from physx_schema.description import describe

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


def random_mimic(seed: int) -> tuple[Callable[[], Usd.Stage], dict[str, float]]:
    """What makes the stage of a seed, and the values of a mimic joint on it."""
    random = np.random.default_rng(seed)
    joint = revolute_joint if random.random() < 0.7 else prismatic_joint
    limits, tip_limits = (tuple(sorted(random.choice([-90.0, -60.0, 0.0, 30.0, 60.0], 2))) for _ in range(2))
    values = {"gearing": float(random.choice([-2, -1, -0.5, 0.3, 1])), "offset": float(random.choice([0, 0, 10, -200]))}
    if random.random() < 0.5:
        values |= {"natural_frequency": float(random.choice([5, 900])), "damping_ratio": float(random.choice([0.5, 2]))}
    return lambda: finger(limits, tip_limits, joint), values


def is_accepted(stage: Usd.Stage, values: dict[str, float]) -> bool:
    """Whether the helper writes the mimic joint."""
    try:
        mimic(stage.GetPrimAtPath(TIP), KNUCKLE, **values)
    except AuthoringError:
        return False
    return True


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_mimic_joint_is_accepted_exactly_where_check_finds_no_error(seed: int) -> None:
    make, values = random_mimic(seed)
    stage = make()
    if is_accepted(stage, values):
        assert errors(stage) == []
    else:
        assert errors(_by_hand(make(), values))


def test_the_helper_accepts_some_of_these_mimic_joints_and_refuses_some() -> None:
    accepted = [is_accepted(make(), values) for make, values in map(random_mimic, range(SEEDS))]
    assert SEEDS // 10 < sum(accepted) < SEEDS - SEEDS // 10


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
    with pytest.raises(AuthoringError, match=r"^/Block: inertia: no solid has .*; give the moments of a solid body$"):
        rigid_body(stage, "/Block", mass=1.0, inertia=inertia)
    assert not stage.GetPrimAtPath("/Block")


@pytest.mark.parametrize("inertia", [(1, 1, 2), (1, 1, 1), (1, 2, 3.0), (math.pi, 1e-3, math.pi)])
def test_moments_of_solids_are_accepted(inertia: tuple[float, float, float]) -> None:
    stage = Usd.Stage.CreateInMemory()
    assert rigid_body(stage, "/Block", mass=1.0, inertia=inertia)
    assert not any("inertia-triangle" in line for line in errors(stage))


# --- fuzz ------------------------------------------------------------------------------------------------------------

KINDS = ("Revolute", "Prismatic", "Fixed")
STAGES = 150


def random_tree(random: np.random.Generator) -> tuple[str, list[str]]:
    """A robot of 3 to 8 links with random parents, kinds, limits and body order; paths of its joints."""
    count = int(random.integers(3, 9))
    names = ["base", *(f"l{index}" for index in range(count))]
    parts = [base(), *(link(name, (index + 1, 0, 0)) for index, name in enumerate(names[1:]))]
    for index, name in enumerate(names[1:]):
        bodies = [names[int(random.integers(0, index + 1))], name]
        if random.random() < 0.3:
            bodies.reverse()
        values: dict[str, object] = {}
        if random.random() < 0.7:
            values = {"float physics:lowerLimit": -45.0, "float physics:upperLimit": 45.0}
        if random.random() < 0.1:
            values["bool physics:excludeFromArticulation"] = True
        parts.append(joint(str(random.choice(KINDS, p=(0.6, 0.3, 0.1))), f"j{index}", *bodies, (), values))
    return robot(*parts), [f"/Robot/j{index}" for index in range(count)]


def accepts(stage: Usd.Stage, call: object) -> bool:
    """Whether a helper accepts; a refusal leaves the stage as it was."""
    before = text(stage)
    try:
        call()                          # type: ignore[operator]
    except AuthoringError:
        assert text(stage) == before
        return False
    return True


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(STAGES))
def test_fixed_tendon_is_accepted_where_the_reader_finds_all_of_it(seed: int) -> None:
    random = np.random.default_rng(seed)
    source, joints = random_tree(random)
    size = int(random.integers(1, min(4, len(joints)) + 1))
    chosen = [str(path) for path in random.choice(joints, size, replace=False)]
    if random.random() < 0.7:
        chosen.sort()
    raw, helped = opened(source), opened(source)
    for index, path in enumerate(chosen):
        api = PhysxTendonAxisAPI if index else PhysxTendonAxisRootAPI
        api.Apply(raw.GetPrimAtPath(path), "t", gearing=[1.0])
    tendons = [tendon for item in describe(raw).articulations for tendon in item.fixed_tendons]
    whole = len(tendons) == 1 and {axis.path for axis in tendons[0].axes} == set(chosen)
    axes = [(path, 1.0, 1.0) for path in chosen]
    assert accepts(helped, lambda: fixed_tendon(helped, "t", axes, stiffness=1.0)) == whole


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(STAGES))
def test_mimic_is_accepted_where_the_reader_finds_it_and_no_rule_calls_it_an_error(seed: int) -> None:
    random = np.random.default_rng(seed)
    source, joints = random_tree(random)
    follower, leader = (str(path) for path in random.choice(joints, 2))
    instance = str(random.choice(["rotX", "rotY", "rotZ", "transX"], p=(0.4, 0.2, 0.2, 0.2)))
    gearing = float(random.choice([0.0, 1.0, -2.0], p=(0.1, 0.7, 0.2)))
    raw, helped = opened(source), opened(source)
    api = PhysxMimicJointAPI.Apply(raw.GetPrimAtPath(follower), instance)
    api.CreateReferenceJointRel().SetTargets([leader])
    api.set(gearing=gearing, naturalFrequency=60.0, dampingRatio=0.0)
    errors = [item for item in check(raw, "physx+simready+newton", select=["DJ.007"]).findings
              if item.severity == "error"]
    found = [item.path for articulation in describe(raw).articulations for item in articulation.mimics]
    author = accepts(helped, lambda: mimic(helped.GetPrimAtPath(follower), leader, gearing=gearing, instance=instance))
    assert author == (found == [follower] and not errors)
