"""What Isaac Lab writes lies over the stage, which stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from physx_runtime.isaac_lab.fields import ACTUATOR, RIGID_BODY, STARTED
from physx_runtime.isaac_lab.overlay import Overlay
from physx_runtime.isaac_lab.report import IGNORED
from support.isaac_lab import configured, implicit, robot
from support.stages.named_robots import star


def test_the_stage_stays_as_it_is(tmp_path: Path) -> None:
    stage = star(("hip",))
    before = stage.GetRootLayer().ExportToString(), stage.GetSessionLayer().ExportToString()
    changed, report = configured(tmp_path, robot(implicit("stiffness=40.0, damping=5.0")), stage)
    assert report.settings and changed != stage
    assert (stage.GetRootLayer().ExportToString(), stage.GetSessionLayer().ExportToString()) == before


def test_the_session_of_the_stage_counts(tmp_path: Path) -> None:
    stage = star(("hip",))
    stage.SetEditTarget(stage.GetSessionLayer())
    stage.GetPrimAtPath("/Robot/hip").GetAttribute("drive:angular:physics:maxForce").Set(7.0)
    changed, report = configured(tmp_path, robot(implicit("stiffness=40.0, damping=5.0")), stage)
    assert changed.GetPrimAtPath("/Robot/hip").GetAttribute("drive:angular:physics:maxForce").Get() == 7.0
    assert {item.authored for item in report.settings if item.property.endswith("stiffness")} == {1.0}


def test_the_last_of_two_values_counts_and_the_first_is_ignored() -> None:
    overlay = Overlay(star(("hip",)))
    for name, value in (("spawn.a", 1.0), ("actuators.b", 2.0)):
        overlay.write("/Robot/hip", ACTUATOR["armature"], value, name, "cfg.py:1", STARTED, "angular")
    assert [item.configured for item in overlay.settings] == [2.0]
    assert [(note.outcome, note.field) for note in overlay.notes] == [(IGNORED, "spawn.a")]


@pytest.mark.parametrize(("name", "value", "expected"), [
    ("solver_position_iteration_count", 4, 4), ("disable_gravity", 1, True), ("sleep_threshold", 0, 0.0)])
def test_a_value_has_the_type_of_its_property(name: str, value: object, expected: object) -> None:
    overlay = Overlay(star(("hip",)))
    overlay.write("/Robot/base", RIGID_BODY[name], value, name, "cfg.py:1", STARTED)
    found = overlay.stage.GetPrimAtPath("/Robot/base").GetAttribute(RIGID_BODY[name].property).Get()
    assert found == expected and type(found) is type(expected)
