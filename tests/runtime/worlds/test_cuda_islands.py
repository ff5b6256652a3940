"""Joints outside articulations on device "cuda" move what they hold with the bits of the CPU."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Scene
from support.physx.recorded_scenes import LINKS_TOUCHING, TOUCHING

pytestmark = pytest.mark.usefixtures("cuda_on_host")

ISLAND_WORLDS, ISLAND_STEPS = 3, 20
SOON = ("d6_drives_limits", "gear_rack", "kinematic_target", "loop_fourbar_base")


def pair(folder: Path, dtype: str = "float32") -> tuple[Scene, Scene]:
    """The same scene on both devices."""
    cpu, cuda = (Scene(folder / "stage.usda", ISLAND_WORLDS, device=device, dtype=dtype, path="generic")
                 for device in ("cpu", "cuda"))
    return cpu, cuda


def assert_alike(cpu: Scene, cuda: Scene) -> None:
    for each in ("body_pose", "body_velocity"):
        assert np.array_equal(getattr(cpu, each), getattr(cuda, each), equal_nan=True), each


@pytest.mark.parametrize("name", SOON)
def test_a_recorded_scene_has_the_bits_of_the_cpu(name: str, shared_cases: Path) -> None:
    cpu, cuda = pair(shared_cases / "scenes" / name)
    before = cpu.body_pose
    for scene in (cpu, cuda):
        scene.step(ISLAND_STEPS)
    assert_alike(cpu, cuda)
    assert name == "kinematic_target" or (cpu.body_pose != before).any()
    assert cuda.not_simulated == cpu.not_simulated == ()


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_recorded_scene_of_joints_has_the_bits_of_the_cpu(dtype: str, shared_cases: Path) -> None:
    folders = [path.parent for path in sorted((shared_cases / "scenes").glob("*/case.json"))
               if path.parent.name not in (*TOUCHING, *LINKS_TOUCHING)]
    assert folders
    for folder in folders:
        cpu, cuda = pair(folder, dtype)
        for scene in (cpu, cuda):
            scene.step(ISLAND_STEPS)
        assert_alike(cpu, cuda)


def test_what_a_joint_is_given_and_says_is_that_of_the_cpu(shared_cases: Path) -> None:
    cpu, cuda = pair(shared_cases / "scenes" / "d6_drives_limits")
    path, name = cpu.joints[0], "damping"
    for scene in (cpu, cuda):
        scene.enable_joint_forces()
        scene.step(3)
        scene.joint(path).set_parameter(name, 2.0 * scene.joint(path).parameter(name)[:2], [2, 0])
        scene.step(ISLAND_STEPS)
    assert_alike(cpu, cuda)
    one, other = cpu.joint(path), cuda.joint(path)
    assert one.force.any()
    assert np.array_equal(one.parameter(name), other.parameter(name))
    assert np.array_equal(one.force, other.force)
    assert np.array_equal(one.broken, other.broken)
