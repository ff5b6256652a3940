"""A report counts what is overridden, and says whether something is refused, ignored or not evaluated."""

from __future__ import annotations

import pytest
from physx_runtime.isaac_lab.report import (
    FAULT,
    IGNORED,
    NOT_EVALUATED,
    OUTSIDE,
    UNRELATED,
    WARNING,
    IsaacLabReport,
    Note,
    Setting,
    SettingValue,
)
from physx_runtime.isaac_lab.text import isaac_lab_lines


def item(authored: SettingValue, configured: SettingValue, path: str = "/Robot/hip") -> Setting:
    return Setting(path, "drive:angular:physics:stiffness", authored, configured, "actuators.all.stiffness", "cfg.py:3",
                   "in PhysX, after it read USD")


def report(*settings: Setting, notes: tuple[Note, ...] = ()) -> IsaacLabReport:
    return IsaacLabReport("cfg.py:ROBOT_CFG", "3.0.0", 0.005, 4, settings, notes)


@pytest.mark.parametrize(("authored", "configured", "overrides"), [
    (1.0, 2.0, True), (1.0, 1.0, False), (0.01745329, 0.017453292, False), (None, 2.0, False), (True, False, True),
    ("force", "force", False), (0.0, 0.0, False)])
def test_an_override_is_an_authored_value_that_changes(
    authored: SettingValue, configured: SettingValue, overrides: bool,
) -> None:
    assert item(authored, configured).overrides is overrides


@pytest.mark.parametrize(("outcome", "failed", "incomplete"), [
    (FAULT, True, False), (IGNORED, True, False), (WARNING, False, False), (OUTSIDE, False, True),
    (NOT_EVALUATED, False, True), (UNRELATED, False, False)])
def test_an_outcome_decides_the_result(outcome: str, failed: bool, incomplete: bool) -> None:
    found = report(notes=(Note("actuators", "cfg.py:3", outcome, "why"),))
    assert (found.failed, found.incomplete) == (failed, incomplete)


def test_a_value_that_physx_does_not_use_fails() -> None:
    found = report(item(1.0, 2.0)).with_reasons({("/Robot/hip", "drive:angular:physics:stiffness"): "maxForce is 0"})
    assert found.failed
    assert any("ignored: cfg.py:3: actuators.all.stiffness" in line and line.endswith("maxForce is 0")
               for line in isaac_lab_lines(found))


def test_the_text_groups_equal_overrides() -> None:
    settings = item(1.0, 2.0), item(1.0, 2.0, "/Robot/knee"), item(None, 2.0, "/Robot/ankle")
    lines = list(isaac_lab_lines(report(*settings)))
    assert lines[0] == ("cfg.py:ROBOT_CFG, by the rules of Isaac Lab 3.0.0; steps of 0.005 s, 4 for each action: "
                        "overrides 2 authored values of the stage")
    assert [line for line in lines if line.startswith("2 prims")] == [
        "2 prims  drive:angular:physics:stiffness         1          2  cfg.py:3 actuators.all.stiffness"]
    assert not any("ankle" in line for line in lines)


def test_the_text_names_control_characters() -> None:
    assert any("\\x1b" in line for line in isaac_lab_lines(report(notes=(Note("a", "b", FAULT, "\x1b[2J"),))))
