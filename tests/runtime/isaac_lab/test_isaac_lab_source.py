"""Isaac Lab's own files, of the two releases whose rules are known here: `make isaac-lab` fetches them.

Its functions for names give the same results as ours, and every robot of isaaclab_assets is read.
"""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from physx_runtime.isaac_lab import configured_stage
from physx_runtime.isaac_lab.matching import MatchError, matched
from physx_runtime.isaac_lab.modules import read_module
from physx_runtime.isaac_lab.report import FAULT, NOT_EVALUATED
from physx_runtime.isaac_lab.selection import ARTICULATION as ROBOT
from physx_runtime.isaac_lab.selection import RELEASES
from physx_runtime.isaac_lab.values import ConfigObject, NotEvaluated
from support.isaac_lab import module, package
from support.stages.named_robots import names_of, star

pytestmark = pytest.mark.sweep

# The parts of isaaclab_assets's robots that are not evaluated, by the last word of the field and the reason.
KNOWN_GAPS = {
    ("thrusters",
     "ThrusterCfg is not a class of Isaac Lab, and its base class is not in a file beside the configuration"),
    ("allocation_matrix", "the field is not known here"), ("rotor_directions", "the field is not known here"),
    ("thruster_force_direction", "the field is not known here"),
    ("ensure_drives_exist", "its effect on the stage is not applied here"),
    ("mesh_approximation_name", "the field mesh_approximation_name of UsdPhysicsMeshCollisionCfg is not known here"),
}


@pytest.mark.parametrize("release", RELEASES)
def test_names_are_matched_as_isaac_lab_matches_them(release: str) -> None:
    theirs = module(package(release) / "utils" / "string.py")
    chance = random.Random(7)
    words = ("hip", "knee", "LF", "RF", "_", ".*", "[LR]F", "(hip|knee)", "k", "x?", "\\d")
    agreed = refused = 0
    for _ in range(3000):
        names = [f"{chance.choice(('LF', 'RF', 'LH'))}_{chance.choice(('hip', 'knee', 'foot'))}{i}" for i in range(4)]
        patterns = list(dict.fromkeys("".join(chance.choices(words, k=chance.randint(1, 4)))
                                      for _ in range(chance.randint(1, 2))))
        try:
            expected: list[str] | None = theirs.resolve_matching_names(patterns, names)[1]
        except (ValueError, re.error):
            expected = None
        try:
            found: list[str] | None = list(matched(patterns, names))
        except MatchError:
            found = None
        assert found == expected, (patterns, names)
        agreed, refused = agreed + (expected is not None), refused + (expected is None)
    assert agreed > 50 and refused > 50


def robots(release: str) -> Iterator[tuple[Path, str, ConfigObject]]:
    """Every robot of isaaclab_assets, with its file and name."""
    for path in sorted((package(release, "isaaclab_assets") / "robots").glob("*.py")):
        found = read_module(path)
        for name in sorted(found.own):
            value = found.names[name]
            if isinstance(value, ConfigObject) and ROBOT in value.kinds:
                yield path, name, value


def joints_of(robot: ConfigObject) -> list[str]:
    """Names of joints for every expression of a robot."""
    patterns: list[str] = []
    actuators = robot.value("actuators") or {}
    for actuator in actuators.values() if isinstance(actuators, dict) else ():
        names = actuator.value("joint_names_expr") or []
        patterns += [names] if isinstance(names, str) else names
        patterns += [name for entry in actuator.fields.values() if isinstance(entry.value, dict)
                     for name in entry.value]
    state = robot.value("init_state")
    for field in ("joint_pos", "joint_vel"):
        patterns += list(state.value(field) or {}) if isinstance(state, ConfigObject) else []
    return [name for pattern in patterns for name in names_of(pattern)] or ["joint"]


@pytest.mark.parametrize("release", RELEASES)
def test_every_robot_of_isaac_lab_is_read(release: str) -> None:
    count, gaps = 0, set()
    for path, name, robot in robots(release):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            _, report = configured_stage(star(joints_of(robot)), f"{path}:{name}")
        assert report.release == release or release == RELEASES[1], name
        assert not any("not a regular expression" in note.reason for note in report.notes_of(FAULT)), name
        gaps |= {(note.field.rpartition(".")[2], note.reason) for note in report.notes_of(NOT_EVALUATED)}
        count += 1
    assert count > 40
    assert gaps <= KNOWN_GAPS


@pytest.mark.parametrize("release", RELEASES)
def test_fields_on_physics_are_evaluated(release: str) -> None:
    unknown = {(name, field) for _, name, robot in robots(release) for field, value in _values(robot, "")
               if isinstance(value, NotEvaluated)}
    assert {field.rpartition(".")[2] for _, field in unknown} <= {"usd_path", "asset_path", "network_file", "usd_dir"}


def _values(value: Any, label: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, ConfigObject):
        for name, entry in value.fields.items():
            yield from _values(entry.value, f"{label}.{name}")
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _values(item, f"{label}.{name}")
    else:
        yield label, value


def test_a_task_of_isaac_lab_gives_its_time_step_and_decimation() -> None:
    folder = package("3.0.0", "isaaclab_tasks")
    path = folder / "core" / "cartpole" / "cartpole_direct_env_cfg.py"
    _, report = configured_stage(star(("slider_to_cart", "cart_to_pole")), path)
    assert (report.dt, report.decimation, report.release) == (1 / 120, 2, "3.0.0")
