"""Actors that joints hold together fall asleep with the step with which they do in real PhysX."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime import Scene
from support.stages.iteration_stages import free, prim, slider
from support.stages.iteration_stages import opened as opened_island
from support.stages.iteration_stages import stage as island_stage

ISLAND_DT, STEPS = 1 / 60, 700
N, V = 4, 1
SPRING = {"float drive:linear:physics:stiffness": "300", "float drive:linear:physics:damping": "30"}


def damped(name: str, x: float, threshold: float) -> str:
    """A body that comes to rest slowly."""
    return free(name, (N, V), x, {
        "float physxRigidBody:linearDamping": "4", "float physxRigidBody:angularDamping": "4",
        "float physxRigidBody:sleepThreshold": str(threshold)})


def hinge(name: str, body0: str, body1: str, x: float) -> str:
    """A hinge about y half a metre beside body1, which is at x, to body0 a metre before it, or to the world."""
    held = {"rel physics:body0": f"</{body0}>"} if body0 else {}
    return prim("PhysicsRevoluteJoint", name, "", {
        "bool physics:excludeFromArticulation": "1", "uniform token physics:axis": '"Y"', **held,
        "rel physics:body1": f"</{body1}>",
        "point3f physics:localPos0": "(0.5, 0, 0)" if body0 else f"({x - 0.5}, 0, 0)",
        "point3f physics:localPos1": "(-0.5, 0, 0)"})


def chain(*thresholds: float) -> str:
    """Bodies that hang on each other and on the world."""
    parts = []
    for i, threshold in enumerate(thresholds):
        parts += [damped(f"B{i}", i + 0.5, threshold), hinge(f"J{i}", f"B{i - 1}" if i else "", f"B{i}", i + 0.5)]
    return island_stage(*parts)


SCENES = {
    "two bodies": chain(5e-3, 5e-3),
    "three bodies with thresholds of their own": chain(5e-2, 1e-3, 5e-3),
    "a slider and a body": island_stage(
        slider("S", (N, V), joint_schemas="PhysicsDriveAPI:linear", of_joint=SPRING,
               more={"float physxArticulation:sleepThreshold": "5e-3"}),
        damped("B0", 1.0, 5e-3), hinge("J0", "S/tip", "B0", 1.0)),
}


@pytest.fixture(scope="module")
def recorded(oracle_folder: Path) -> Mapping[str, dict[str, Any]]:
    from scene_recorder import record

    jobs = [{"usd": text, "dt": ISLAND_DT, "steps": STEPS} for text in SCENES.values()]
    return dict(zip(SCENES, record(jobs), strict=True))


@pytest.mark.parametrize("name", SCENES)
def test_an_island_rests_with_the_step_with_which_it_does_in_physx(name: str,
                                                                  recorded: Mapping[str, dict[str, Any]]) -> None:
    speed = np.abs(np.concatenate([recorded[name][part] for part in ("vel", "ang")], axis=2)).max(axis=(1, 2))
    rests = next(step for step in range(2, STEPS + 1) if speed[step] == 0.0)
    scene = Scene(opened_island(SCENES[name]), dt=ISLAND_DT)
    scene.step(rests - 1)
    assert not any(scene[actor].asleep[0] for actor in scene.actors)
    scene.step()
    assert all(scene[actor].asleep[0] for actor in scene.actors)
