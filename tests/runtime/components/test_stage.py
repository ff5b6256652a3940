"""What scenes of components export, real PhysX moves as the engine here does."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import physx_runtime
import physx_runtime.components as sapien
import physx_runtime.components.physx as px
import pytest
from support.components.sapien_scenes import NAMES, exported
from support.physx.live import BODY, record_live
from support.places import SHARED

STEPS = 100
# m, and as components of quaternions, over a second: ten times what the worst of them (a box that slides and tips on a
# rough ground) was measured to part by; most are within 2e-6.
POSITION, ROTATION = 3e-4, 3e-4
FOLDER = os.environ.get("PHYSX_ORACLE", str(SHARED / "oracle"))
# The pusher is put from place to place by calls, which are on no stage: it has a test of its own.
STAGES = [name for name in NAMES if name != "pusher_set_pose"]


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    """What PhysX does with the stages."""
    sys.path.insert(0, FOLDER)
    try:
        from scene_recorder import record
    finally:
        sys.path.remove(FOLDER)
    jobs = []
    for name in STAGES:
        stage, dt = exported(name, sapien, px)
        jobs.append({"usd": stage.ExportToString(), "dt": dt, "steps": STEPS})
    return dict(zip(STAGES, record(jobs), strict=True))


@pytest.mark.sweep
@pytest.mark.parametrize("name", STAGES)
def test_real_physx_moves_an_exported_stage_alike(name: str, recorded: dict[str, Any]) -> None:
    stage, dt = exported(name, sapien, px)
    scene, real = physx_runtime.Scene(stage, dt=dt), recorded[name]
    places = [scene.body_names.index(path) for path in real["paths"]]
    found = [scene.body_pose[0, places]]
    for _ in range(STEPS):
        scene.step()
        found.append(scene.body_pose[0, places])
    poses = np.array(found)
    assert abs(poses[..., :3] - real["pos"]).max() < POSITION
    turned = poses[..., 3:]
    assert np.minimum(abs(turned - real["quat"]), abs(turned + real["quat"])).max() < ROTATION


def test_real_physx_moves_what_a_pusher_is_put_into_alike(oracle_folder: Path) -> None:
    """The stage says where the pusher starts; calls put it from place to place in both engines."""
    stage, dt = exported("pusher_set_pose", sapien, px)
    scene = physx_runtime.Scene(stage, dt=dt)
    (pusher,), box = scene.kinematic.paths, scene.actors[0]
    ways = [(min(0.005 * step, 0.6), 0.0, 0.101) for step in range(1, STEPS + 1)]
    script = {step: [(BODY, pusher, "position", list(way))] for step, way in enumerate(ways, start=1)}
    (real,) = record_live([(stage.ExportToString(), dt, 1, STEPS, script)])
    found = []
    for way in ways:
        scene.set_kinematic_pose(pusher, [*way, 0.0, 0.0, 0.0, 1.0])
        scene.step()
        found.append(scene.body_pose[0, scene.body_names.index(box), :3])
    assert abs(real.of("position", pusher)[-1] - ways[-1]).max() < 1e-6
    assert abs(np.array(found) - real.of("position", box)).max() < POSITION
