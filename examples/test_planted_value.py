"""A test that fails when a value on a stage does not take effect in PhysX.

    pytest examples/test_planted_value.py
    STAGE=path/to/your.usda pytest examples/test_planted_value.py
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from physx_runtime.pytest_plugin import assert_authored_values, assert_valid_physics
from pxr import Usd, UsdGeom, UsdPhysics

from physx_schema import authoring

KNUCKLE, TIP = "/Finger/knuckle", "/Finger/tip_joint"


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that STAGE names, else a finger of two bones with a drive, a tendon and a mimic joint."""
    if "STAGE" in os.environ:
        return Path(os.environ["STAGE"])
    path = tmp_path_factory.mktemp("stage") / "finger.usda"
    finger(path)
    return path


def finger(path: Path) -> None:
    """Author the finger. Lengths in metres, angles in degrees."""
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdPhysics.Scene.Define(stage, "/Scene")
    root = UsdGeom.Xform.Define(stage, "/Finger").GetPrim()
    for index, name in enumerate(("palm", "proximal", "distal")):
        authoring.rigid_body(
            stage, f"/Finger/{name}", mass=0.2, inertia=(1e-3, 2e-3, 2e-3), position=(0.1 * index, 0.0, 0.0))
    authoring.fixed_joint(stage, "/Finger/wrist", None, "/Finger/palm")
    for joint, parent, child in ((KNUCKLE, "palm", "proximal"), (TIP, "proximal", "distal")):
        authoring.revolute_joint(
            stage, joint, f"/Finger/{parent}", f"/Finger/{child}", axis="Y", lower=-60.0, upper=60.0)
    # with velocity iterations PhysX pulls tendons once more and solves the compliant mimic joint hard
    authoring.articulation_root(root, velocity_iterations=0)
    knuckle = stage.GetPrimAtPath(KNUCKLE)
    authoring.drive(knuckle, stiffness=0.02, damping=0.002, target=20.0, max_force=5.0)
    authoring.fixed_tendon(stage, "flexor", [(KNUCKLE, 0.001, 0.05)], stiffness=20.0, damping=0.1, rest_length=0.01)
    authoring.mimic(stage.GetPrimAtPath(TIP), KNUCKLE, gearing=-0.5, natural_frequency=20.0, damping_ratio=1.0)
    stage.Save()


def test_physx_accepts_the_stage(stage: Path) -> None:
    assert_valid_physics(stage)


def test_every_authored_value_takes_effect(stage: Path) -> None:
    assert_authored_values(stage)
