"""Every recorded stage with joints outside articulations moves as in real PhysX, in both precisions."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from physx_runtime import NotSimulatedWarning, simulate
from physx_runtime.worlds.store import SCHEDULED
from support.physx.recorded_scenes import Recorded, apart, recorded
from support.physx.rounded_sums import ROUNDED

from physx_schema.errors import UnsupportedError

SCENES = (
    "break_force", "bridge", "chain3", "chain3_names", "d6_drives_limits", "d6_pyramid", "d6_universal",
    "distance_kinds", "fixed_snap", "forces_once", "gear_rack", "islands_share_iterations", "kinematic_pose",
    "kinematic_target", "locked_axes", "loop_ancestor", "loop_floating", "loop_fourbar_base", "loop_fourbar_world",
    "loop_gear", "loop_hub", "loop_rack", "loop_tree_free_body", "prismatic_drive_soft_limit", "random_bodies",
    "revolute_drive_limit", "revolute_world", "spherical_cone", "spherical_cone_soft", "star_order",
)
FOUND = ("fourbar", "iterations_beside_body", "iterations_beside_robot", "iterations_two_robots",
         "rest_length_from_pose", "rest_length_off_joint", "root_held_by_fixed_joint", "single_link",
         "three_hinges_same_bodies", "two_hinges_same_bodies", "welded_pair")
# Stages of contacts, which test_found_cases.py steps.
FOUND_IN_CONTACT = ("box_on_hull_centimetres", "cylinder_on_hull_links", "mirrored_legs", "moving_mesh_none",
                    "plane_contact_gap_0", "plane_contact_gap_1e-3", "self_contact_order")


def differences(real: Recorded, dtype: str, least: float) -> list[str]:
    """Where our motion of a stage is beyond the tolerance, or why there is none."""
    given: dict[str, Any] = {"joint_position": real.joint_position} if real.joint_position else {}
    if real.kinematic:
        given["kinematic_pose" if real.teleports else "kinematic_target"] = dict(real.kinematic)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", NotSimulatedWarning)
            ours = simulate(real.stage, real.dt, int(real.steps[-1]), dtype=dtype, path=SCHEDULED, **given)
    except (UnsupportedError, NotSimulatedWarning, TypeError) as error:
        return [str(error)]
    return apart(real, ours, least=least)


def test_every_recorded_stage_of_joints_is_listed(shared_cases: Path) -> None:
    cases = {path.parent for path in shared_cases.glob("*/*/case.json") if path.parts[-3] in ("scenes", "found")}
    groups = {folder.name: json.loads((folder / "case.json").read_text()).get("group", "found") for folder in cases}
    assert {name for name, group in groups.items() if group != "contact"} == {*SCENES, *FOUND, *FOUND_IN_CONTACT}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", [*SCENES, *FOUND])
def test_joints_move_as_recorded(name: str, dtype: str, shared_cases: Path) -> None:
    folder = shared_cases / ("scenes" if name in SCENES else "found") / name
    least = ROUNDED[name].float64 if dtype == "float64" and name in ROUNDED else 0.0
    found = differences(recorded(folder), dtype, least)
    assert not found, "\n".join(found)
