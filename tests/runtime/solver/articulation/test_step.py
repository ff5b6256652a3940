"""The runtime moves recorded articulations as real PhysX did."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import simulate
from support.chance.articulations import engine_names
from support.places import MOTIONS

from physx_schema.description import describe

# Recorded with ovphysx; these travel with the repository, the others lie with the shared cases.
HERE = ("double_pendulum_n4", "drive_force_chain", "fixed_tendon_finger", "freefall_slider", "mimic_hard",
        "spatial_tendon_chain")
ELSEWHERE = ("centimetre_drives", "defaults_only", "envelope_slider", "joint_state_frames", "limit_pendulum",
             "mimic_compliant_vel1", "mimic_rack_pinion", "pendulum_free", "pendulum_once_per_step",
             "slider_friction_armature", "spherical_pendulum")
# Link velocities are J qd of arms up to this long; their tolerance is twice that of qd, times it.
REACH = 2.0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", HERE)
def test_recorded_motion_is_reproduced_within_the_cases_tolerance(name: str, dtype: str) -> None:
    compare(MOTIONS / name, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ELSEWHERE)
def test_every_other_recorded_motion_is_reproduced_too(name: str, dtype: str, shared_cases: Path) -> None:
    compare(shared_cases / "dynamics" / name, dtype)


@pytest.mark.parametrize("name", HERE)
def test_the_generic_path_reproduces_recorded_motion_too(name: str) -> None:
    compare(MOTIONS / name, "float32", "generic")


def compare(folder: Path, dtype: str, path: str = "auto") -> None:
    """Step the stage of a case as it was recorded, and hold joints and links against the recording."""
    case, expected = json.loads((folder / "case.json").read_text()), np.load(folder / "expected.npz")
    description = describe(folder / "stage.usda")
    names = engine_names(description.articulations[0])
    order = [list(expected["dof_names"]).index(n) for n in names]

    def given(key: str) -> np.ndarray | None:
        return None if case[key] is None else np.array(case[key])[order]

    record = simulate(description, case["dt"], case["steps"], joint_position=given("q"), joint_velocity=given("qd"),
                      joint_effort=given("effort"), every=case["every"], dtype=dtype,
                      path=path)

    half = len(expected["time"]) // 2
    for key, ours in (("q", record.joint_position), ("qd", record.joint_velocity)):
        error = np.abs(ours[:, 0] - expected[key][:, order]).max(axis=1)
        assert error[:half].max() <= case["tolerance"][key][0], f"{key}, first half"
        assert error.max() <= case["tolerance"][key][1], f"{key}, whole motion"
    links = [list(expected["link_paths"]).index(n) for n in record.link_names]
    position = np.abs(record.link_pose[:, 0, :, :3] - expected["link_pose"][:, links, :3]).max()
    assert position <= 2 * REACH * case["tolerance"]["q"][1]
    velocity = np.abs(record.link_velocity[:, 0] - expected["link_vel"][:, links]).max()
    assert velocity <= 2 * REACH * case["tolerance"]["qd"][1]
