"""Joints break in PhysX just beyond the largest force and torque that ours tell for the same steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from physx_runtime import simulate
from pxr import Usd, UsdPhysics

# Recorded stages whose joints give forces and torques well above rounding; some hold links.
JOINTS = {"random_bodies": ("j0", "j1", "j2"), "revolute_world": ("j",), "d6_pyramid": ("j",),
          "loop_tree_free_body": ("e0", "x0", "x1")}
ATTRIBUTES = ("breakForce", "breakTorque")
BREAK_DT, STEPS = 1.0 / 60.0, 20
# Of the threshold: 20 steps part by 1e-4 in float32.
WITHIN = 0.01
MOVED = 1e-5            # by which a body parts in the step after its joint broke; without that, runs agree to the bit


def breaking(stage: Path, joint: str, attribute: str, threshold: float) -> str:
    """The stage with a threshold at one joint."""
    opened = Usd.Stage.Open(str(stage))
    prim = UsdPhysics.Joint(opened.GetPrimAtPath(joint))
    (prim.CreateBreakForceAttr if attribute == "breakForce" else prim.CreateBreakTorqueAttr)(threshold)
    text: str = opened.GetRootLayer().ExportToString()
    return text


def largest(forces: np.ndarray, attribute: str) -> float:
    """The largest force or torque of (n_step, 6)."""
    part = forces[:, :3] if attribute == "breakForce" else forces[:, 3:]
    return float(np.linalg.norm(part, axis=1).max())


@pytest.mark.parametrize("name", JOINTS)
def test_joints_break_beyond_what_ours_give(name: str, shared_cases: Path, oracle_folder: Path) -> None:
    import scene_recorder

    stage, jobs, ours = shared_cases / "scenes" / name / "stage.usda", [], {}
    recording = simulate(stage, BREAK_DT, STEPS, joint_forces=True)
    for joint in JOINTS[name]:
        forces = recording.outside_joint_force[:, 0, recording.outside_joint_names.index(f"/World/{joint}")]
        for attribute in ATTRIBUTES:
            ours[joint, attribute] = largest(forces, attribute)
            jobs += [{"usd": breaking(stage, f"/World/{joint}", attribute, factor * ours[joint, attribute]),
                      "dt": BREAK_DT, "steps": STEPS + 1} for factor in (1.0 - WITHIN, 1.0 + WITHIN, 1e9)]
    motions = scene_recorder.record(jobs)
    for i, (what, threshold) in enumerate(ours.items()):
        less, more, never = (motions[3 * i + k]["vel"] for k in range(3))
        assert np.abs(less - never).max() > MOVED, f"{what} holds more than {threshold}"
        assert np.abs(more - never).max() < MOVED, f"{what} holds less than {threshold}"
