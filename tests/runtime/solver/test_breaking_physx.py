"""Joints break in PhysX just beyond the largest force and torque that ours give in the same steps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime.packing.island import PackedIsland, islands_of
from physx_runtime.packing.scene import scene_model
from physx_runtime.worlds.island import IslandWorlds
from pxr import Usd, UsdPhysics

from physx_schema.description import Description, describe

# Recorded stages whose joints give forces and torques well above rounding; some hold links.
JOINTS = {"random_bodies": ("j0", "j1", "j2"), "revolute_world": ("j",), "d6_pyramid": ("j",),
          "loop_tree_free_body": ("e0", "x0", "x1")}
ATTRIBUTES = {"breakForce": "break_force", "breakTorque": "break_torque"}
DT, STEPS = 1.0 / 60.0, 20
# Of the threshold: two rounds of 256 between 1e-4 and 1e5 find ours to 4e-4, and 20 steps part by 1e-4 in float32.
WITHIN = 0.01
MOVED = 1e-5            # by which a body parts in the step after its joint broke; without that, runs agree to the bit


def breaking(stage: Path, joint: str, attribute: str, threshold: float) -> str:
    """The stage with a threshold at one joint."""
    opened = Usd.Stage.Open(str(stage))
    prim = UsdPhysics.Joint(opened.GetPrimAtPath(joint))
    (prim.CreateBreakForceAttr if attribute == "breakForce" else prim.CreateBreakTorqueAttr)(threshold)
    text: str = opened.GetRootLayer().ExportToString()
    return text


def largest(description: Description, joint: str, row: str) -> float:
    """The least threshold that holds for all steps, of many worlds that differ by nothing else."""
    model = scene_model(description, [body for body in description.bodies if not body.kinematic])
    island = next(found for found in islands_of(description, model) if joint in found.joints)
    low, high = 1e-4, 1e5
    for _ in range(2):
        thresholds = np.geomspace(low, high, 256)
        gone = _gone(island, island.joints.index(joint), row, thresholds)
        last = int(np.flatnonzero(gone)[-1])
        low, high = thresholds[last], thresholds[last + 1]
    return float(high)


def _gone(island: PackedIsland, j: int, row: str, thresholds: np.ndarray) -> np.ndarray:
    """Whether a joint breaks at each of these thresholds."""
    t = replace(island.topology, actors=tuple(replace(actor, sleeping=False) for actor in island.topology.actors))
    worlds = IslandWorlds(t, len(thresholds), "float32")
    packed = next(iter(island.actors.values()))
    n = packed.position_iterations
    times = {f"actor{i}_{name}": value for i in range(len(t.actors)) for name, value in (
        ("dt", DT), ("h", DT / n), ("erp", min(0.9, 2.0 / np.sqrt(n))))}
    given: dict[str, Any] = {**island.parameters, **island.state, **{name: [x] for name, x in times.items()}}
    for name, values in given.items():
        if f"{name}_0" in worlds.layout:
            worlds.write(name, np.tile(np.asarray(values, dtype=np.float32), (len(thresholds), 1)))
    worlds.write(f"joint{j}_{row}", thresholds.astype(np.float32)[:, None])
    worlds.step(STEPS, n, packed.velocity_iterations)
    gone: np.ndarray = worlds.rows(f"joint{j}_broken")[:, 0] > 0.5
    return gone


@pytest.mark.parametrize("name", JOINTS)
def test_joints_break_beyond_what_ours_give(name: str, shared_cases: Path, oracle_folder: Path, tmp_path: Path) -> None:
    import scene_recorder

    stage, jobs, ours = shared_cases / "scenes" / name / "stage.usda", [], {}
    for joint in JOINTS[name]:
        for attribute, row in ATTRIBUTES.items():
            place = tmp_path / f"{joint}{attribute}.usda"
            place.write_text(breaking(stage, f"/World/{joint}", attribute, 1e30), encoding="utf-8")
            ours[joint, attribute] = largest(describe(place), f"/World/{joint}", row)
            jobs += [{"usd": breaking(stage, f"/World/{joint}", attribute, factor * ours[joint, attribute]), "dt": DT,
                      "steps": STEPS + 1} for factor in (1.0 - WITHIN, 1.0 + WITHIN, 1e9)]
    motions = scene_recorder.record(jobs)
    for i, (what, threshold) in enumerate(ours.items()):
        less, more, never = (motions[3 * i + k]["vel"] for k in range(3))
        assert np.abs(less - never).max() > MOVED, f"{what} holds more than {threshold}"
        assert np.abs(more - never).max() < MOVED, f"{what} holds less than {threshold}"
