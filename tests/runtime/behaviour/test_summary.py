"""The lines on behaviour in verify and in reports."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from physx_runtime.behaviour import summary
from physx_runtime.behaviour.summary import behaviour_lines
from physx_runtime.commands.verify_command import verify_command
from support.stages.driven_arms import arm
from support.stages.robots import opened

WEAK = arm(stiffness=1000.0, damping=100.0, maxForce=10.0)
FIRM = arm(stiffness=1000.0, damping=100.0, maxForce=100.0)


def test_robot_that_does_what_it_should_has_no_line() -> None:
    assert list(behaviour_lines(opened(FIRM))) == []


def test_finding_is_a_line_with_what_to_do() -> None:
    (line,) = behaviour_lines(opened(WEAK))
    assert line.startswith("error behaviour/too-weak: /Robot/j.drive:angular:physics:maxForce: ")
    assert "; author maxForce 29.5" in line


def test_more_findings_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "MAX_LINES", 0)
    assert list(behaviour_lines(opened(WEAK))) == [
        "and 1 more finding on the robot's behaviour; `physx-schema check --profile behaviour` lists all"]


@pytest.mark.parametrize(("text", "found"), [(WEAK, True), (FIRM, False)])
def test_verify_ends_with_the_findings_and_keeps_its_exit_code(text: str, found: bool, tmp_path: Path) -> None:
    path = tmp_path / "arm.usda"
    path.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(verify_command, [str(path), "--isolate", "off"])
    assert result.exit_code == 0, result.output
    *lines, counts = result.stdout.splitlines()
    assert counts.startswith(f"{path}: ")
    assert any("behaviour/too-weak" in line for line in lines) == found
