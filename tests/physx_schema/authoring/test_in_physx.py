"""What the helpers author works in real PhysX, and what they refuse is what PhysX ignores."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pxr import Usd, UsdGeom, UsdPhysics
from support.stages.robots import opened, prim

from physx_schema import (
    PhysxArticulationAPI,
    PhysxMimicJointAPI,
    PhysxTendonAttachmentAPI,
    PhysxTendonAttachmentLeafAPI,
    PhysxTendonAttachmentRootAPI,
    PhysxTendonAxisAPI,
    PhysxTendonAxisRootAPI,
)
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

pytestmark = pytest.mark.sweep

STEP = 1.0 / 60.0
STEPS = 60
SCENE = prim("PhysicsScene", "Scene", ("PhysxSceneAPI",), {
    "bool physxScene:enableGPUDynamics": False, "uniform token physxScene:broadphaseType": "MBP",
})
FLOAT32 = 1e-6                  # relative rounding of one stored value
HARD_MIMIC = math.radians(0.2)  # a hard coupling under load is this close after a second at 16/1 iterations


@pytest.fixture(scope="module")
def oracle(oracle_folder: Path) -> Any:
    """The module that runs stages in real PhysX."""
    import physx_oracle

    return physx_oracle


def hand() -> Usd.Stage:
    """A palm held to the world, two revolute joints and a slider in a row, from the helpers alone."""
    stage = opened('#usda 1.0\n(\n    metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = "Z"\n)\n' + SCENE)
    UsdGeom.Xform.Define(stage, "/Hand")
    for index, name in enumerate(("palm", "near", "far", "tip")):
        rigid_body(stage, f"/Hand/{name}", mass=0.5, inertia=(0.01, 0.02, 0.02), position=(0.2 * index, 0.0, 0.0))
    fixed_joint(stage, "/Hand/wrist", None, "/Hand/palm")
    for name, parent, child, anchor in (("a", "palm", "near", 0.1), ("b", "near", "far", 0.3)):
        revolute_joint(stage, f"/Hand/{name}", f"/Hand/{parent}", f"/Hand/{child}", axis="Y", anchor=(anchor, 0.0, 0.0),
                       lower=-80.0, upper=80.0)
    prismatic_joint(stage, "/Hand/c", "/Hand/far", "/Hand/tip", axis="X", lower=-0.2, upper=0.2)
    articulation_root(stage.GetPrimAtPath("/Hand"), position_iterations=16, velocity_iterations=1)
    return stage


def test_authored_hand_has_the_authored_numbers_in_physx(oracle: Any) -> None:
    stage = hand()
    drive(stage.GetPrimAtPath("/Hand/a"), stiffness=0.5, damping=0.05, max_force=30.0)
    joint_axis(stage.GetPrimAtPath("/Hand/b"), armature=0.25, static_friction=0.5, dynamic_friction=0.25,
               max_velocity=90.0)
    found = oracle.dynamics(stage, dt=STEP)
    order = [found["dof_names"].index(name) for name in "abc"]
    half = math.radians(80.0)
    limits = [-half, half, -half, half, -0.2, 0.2]
    assert np.ravel(found["dof_limit"][order]) == pytest.approx(limits, rel=FLOAT32)
    assert found["dof_stiffness"][order[0]] == pytest.approx(0.5 * 180.0 / math.pi, rel=FLOAT32)
    assert found["dof_max_force"][order[0]] == 30.0
    assert found["dof_armature"][order[1]] == 0.25
    assert list(found["dof_friction"][order[1]][:2]) == [0.5, 0.25]
    assert found["dof_max_velocity"][order[1]] == pytest.approx(math.pi / 2, rel=FLOAT32)
    assert found["body_mass"] == pytest.approx([0.5] * 4)


def test_authored_fixed_tendon_has_the_authored_numbers_in_physx(oracle: Any) -> None:
    stage = hand()
    fixed_tendon(
        stage, "flexor", [("/Hand/a", 0.01, 0.5), ("/Hand/b", 0.02, 0.5), ("/Hand/c", 1.0, 1.0)], stiffness=50.0,
        damping=2.0, rest_length=0.25, offset=0.125, limit_stiffness=8.0, lower=-1.0, upper=2.0,
    )
    found = oracle.dynamics(stage, dt=STEP)
    values = {name: np.ravel(found[name]).tolist() for name in (
        "ft_stiffness", "ft_damping", "ft_rest_length", "ft_offset", "ft_limit_stiffness", "ft_limit")}
    assert values == {
        "ft_stiffness": [50.0], "ft_damping": [2.0], "ft_rest_length": [0.25], "ft_offset": [0.125],
        "ft_limit_stiffness": [8.0], "ft_limit": [-1.0, 2.0],
    }


def test_authored_spatial_tendon_has_the_authored_numbers_in_physx(oracle: Any) -> None:
    stage = hand()
    leaf = Attachment("/Hand/near", (0.0, 0.0, 0.05), upper=0.5)
    spatial_tendon(stage, "cable", ("/Hand/palm", (0.0, 0.0, 0.05)), [leaf], stiffness=50.0, damping=2.0, offset=0.125,
                   limit_stiffness=8.0)
    found = oracle.dynamics(stage, dt=STEP)
    values = {name: np.ravel(found[name]).tolist() for name in (
        "st_stiffness", "st_damping", "st_offset", "st_limit_stiffness")}
    assert values == {
        "st_stiffness": [50.0], "st_damping": [2.0], "st_offset": [0.125], "st_limit_stiffness": [8.0],
    }


def test_physx_says_nothing_about_authored_tendons_and_mimic_joints(oracle: Any) -> None:
    tendons, coupled = hand(), hand()
    fixed_tendon(tendons, "flexor", [("/Hand/a", 0.01, 0.5), ("/Hand/b", 0.02, 0.5)], stiffness=50.0)
    branches = (Attachment("/Hand/far", (0.0, 0.0, 0.05)), Attachment("/Hand/tip", (0.0, 0.0, 0.05), upper=0.5))
    spatial_tendon(
        tendons, "cable", ("/Hand/palm", (0.0, 0.0, 0.05)), [Attachment("/Hand/near", (0, 0, 0.05), children=branches)],
        stiffness=50.0, limit_stiffness=10.0,
    )
    mimic(coupled.GetPrimAtPath("/Hand/b"), "/Hand/a", gearing=-1.0)
    mimic(coupled.GetPrimAtPath("/Hand/c"), "/Hand/a", gearing=0.001)
    found = [oracle.simulate(stage, STEP, STEPS) for stage in (tendons, coupled)]
    assert not [line for result in found for line in result["log"].splitlines() if "/Hand" in line]
    assert [(result["fixed_tendons"], result["spatial_tendons"]) for result in found] == [(1, 1), (0, 0)]


def test_authored_mimic_joints_follow_in_physx(oracle: Any) -> None:
    stage = hand()
    drive(stage.GetPrimAtPath("/Hand/a"), stiffness=5.0, damping=0.5, target=20.0)
    mimic(stage.GetPrimAtPath("/Hand/b"), "/Hand/a", gearing=-0.5, offset=10.0)
    mimic(stage.GetPrimAtPath("/Hand/c"), "/Hand/a", gearing=0.002, offset=0.01)
    found = oracle.simulate(stage, STEP, STEPS)
    a, b, c = (found["q"][-1, found["dof_names"].index(name)] for name in "abc")
    assert abs(a) > math.radians(5.0)
    assert b == pytest.approx(0.5 * a - math.radians(10.0), abs=HARD_MIMIC)
    assert c == pytest.approx(-0.002 * math.degrees(a) - 0.01, abs=0.002)


def axis(stage: Usd.Stage, name: str, root: bool = False, **values: Any) -> None:
    (PhysxTendonAxisRootAPI if root else PhysxTendonAxisAPI).Apply(
        stage.GetPrimAtPath(f"/Hand/{name}"), "flexor", **({"gearing": [0.01]} | values))


def attach(stage: Usd.Stage, root: tuple[float, float, float], leaf: tuple[str, tuple[float, float, float]],
           **values: Any) -> None:
    """A spatial tendon from the palm to a leaf on another link."""
    palm = stage.GetPrimAtPath("/Hand/palm")
    PhysxTendonAttachmentRootAPI.Apply(palm, "cable", localPos=root, stiffness=500.0)
    PhysxTendonAttachmentLeafAPI.Apply(
        stage.GetPrimAtPath(f"/Hand/{leaf[0]}"), "end", localPos=leaf[1], parentLink=palm, parentAttachment="cable",
        **values)


def follow(stage: Usd.Stage, name: str, reference: str, instance: str = "rotY", **values: float) -> None:
    """A mimic joint with whatever values, as the compiled classes would author it."""
    api = PhysxMimicJointAPI.Apply(stage.GetPrimAtPath(f"/Hand/{name}"), instance)
    api.CreateReferenceJointRel().SetTargets([f"/Hand/{reference}"])
    for word, value in values.items():
        getattr(api, f"Create{word}Attr")(value)


def via(stage: Usd.Stage, **values: float) -> None:
    """A spatial tendon palm, near, far; `values` go to the attachment in between."""
    palm, near = stage.GetPrimAtPath("/Hand/palm"), stage.GetPrimAtPath("/Hand/near")
    PhysxTendonAttachmentRootAPI.Apply(palm, "cable", localPos=(0, 0, 0.1), stiffness=50.0, limitStiffness=50.0)
    PhysxTendonAttachmentAPI.Apply(near, "middle", localPos=(0, 0, 0.1), parentLink=palm, parentAttachment="cable")
    PhysxTendonAttachmentLeafAPI.Apply(
        stage.GetPrimAtPath("/Hand/far"), "end", localPos=(0, 0, 0.1), parentLink=near, parentAttachment="middle")
    leaf = PhysxTendonAttachmentLeafAPI(near, "middle")
    for word, value in values.items():
        getattr(leaf, f"Create{word[0].upper()}{word[1:]}Attr")(value)


def endless(stage: Usd.Stage) -> None:
    for name in ("lowerLimit", "upperLimit"):
        stage.GetPrimAtPath("/Hand/b").GetAttribute(f"physics:{name}").Clear()


def negative_drive(stage: Usd.Stage) -> None:
    UsdPhysics.DriveAPI.Apply(stage.GetPrimAtPath("/Hand/a"), "angular").CreateStiffnessAttr(5.0)
    UsdPhysics.DriveAPI(stage.GetPrimAtPath("/Hand/a"), "angular").CreateMaxForceAttr(-1.0)


def rough(stage: Usd.Stage) -> None:
    prim = stage.GetPrimAtPath("/Hand/a")
    joint_axis(prim, static_friction=0.5).CreateDynamicFrictionEffortAttr(1.0)


def smooth(stage: Usd.Stage) -> None:
    joint_axis(stage.GetPrimAtPath("/Hand/a"), armature=0.0)


def split(stage: Usd.Stage) -> None:
    PhysxArticulationAPI(stage.GetPrimAtPath("/Hand")).set(articulationEnabled=False)


Build = Callable[[Usd.Stage], object]


def nothing(stage: Usd.Stage) -> None:
    pass


def both(*builds: Build) -> Build:
    """One after the other."""
    return lambda stage: [build(stage) for build in builds]


def bind(function: Callable[..., object], *arguments: Any, **values: Any) -> Build:
    """The function with everything but the stage."""
    return lambda stage: function(stage, *arguments, **values)


SPRING = {"stiffness": 50.0, "restLength": 1.0}
UP = (0.0, 0.0, 0.1)

# what a helper refuses -> (the stage with it, the stage that PhysX makes of it)
IGNORED: dict[str, tuple[Build, Build]] = {
    "axis above the root": (both(bind(axis, "b", True, **SPRING), bind(axis, "a")), bind(axis, "b", True, **SPRING)),
    "axis behind a gap": (both(bind(axis, "a", True, **SPRING), bind(axis, "c")), bind(axis, "a", True, **SPRING)),
    "axis without a root": (bind(axis, "a"), nothing),
    "tendon limits without stiffness": (bind(axis, "a", True, lowerLimit=1.0, upperLimit=2.0), nothing),
    "limit stiffness without limits": (bind(axis, "a", True, limitStiffness=50.0), nothing),
    "tendon of a disabled articulation": (both(split, bind(axis, "a", True, **SPRING)), split),
    "segment without length": (bind(attach, (0.1, 0, 0), ("near", (-0.1, 0, 0)), restLength=1.0), nothing),
    "way on one link": (bind(attach, (0.1, 0, 0), ("palm", (-0.1, 0, 0)), restLength=1.0), nothing),
    "leaf values between": (bind(via, restLength=2.0, lowerLimit=3.0), via),
    "negative rest length": (bind(attach, UP, ("far", UP), restLength=-2.0), bind(attach, UP, ("far", UP))),
    "mimic under transZ": (bind(follow, "b", "a", "transZ", Gearing=1.0), nothing),
    "mimic with gearing 0": (bind(follow, "b", "a", Gearing=0.0), nothing),
    "mimic of itself": (bind(follow, "b", "b", Gearing=1.0), nothing),
    "mimic without limits": (both(endless, bind(follow, "b", "a", Gearing=1.0)), endless),
    "second mimic on a joint": (
        both(bind(follow, "b", "a", "rotX", Gearing=1.0), bind(follow, "b", "a", "rotY", Gearing=-1.0)),
        bind(follow, "b", "a", "rotX", Gearing=1.0)),
    "frequency without damping ratio": (
        bind(follow, "b", "a", Gearing=1.0, NaturalFrequency=3.0), bind(follow, "b", "a", Gearing=1.0)),
    "negative force bound": (negative_drive, nothing),
    "dynamic friction above static": (rough, smooth),
}


@pytest.fixture(scope="module")
def ignored_motion(oracle: Any) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Motion of both stages of each case, in one process."""
    stages = []
    for pair in IGNORED.values():
        for build in pair:
            stages.append(hand())
            build(stages[-1])
    found = oracle.run_jobs([oracle.sim_job(stage, STEP, STEPS) for stage in stages])
    return dict(zip(IGNORED, zip(found[::2], found[1::2], strict=True), strict=True))


@pytest.mark.parametrize("case", IGNORED)
def test_physx_ignores_what_the_helpers_refuse(ignored_motion: Any, case: str) -> None:
    refused, plain = ignored_motion[case]
    key = "q" if "q" in refused else "rigid_pose"
    assert np.array_equal(refused[key], plain[key])
    assert not np.array_equal(plain[key][0], plain[key][-1])
