"""The command `physx-schema report`."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner
from physx_runtime.commands import report_command
from support.stages.recorded_arm import arm
from support.stages.recorded_arm import saved as saved_arm

from physx_schema.cli.program import program


def test_a_report_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    stage, out = saved_arm(arm(), tmp_path / "arm.usda"), tmp_path / "page.html"
    done = CliRunner().invoke(report_command, [str(stage), "-o", str(out), "--steps", "5"])
    assert done.exit_code == 0, done.output
    assert done.stdout == f"{stage}: report written to {out}\n"
    assert 'id="robot-data"' in out.read_text(encoding="utf-8")


def test_a_place_that_cannot_be_written_is_said_in_one_line(tmp_path: Path) -> None:
    stage = saved_arm(arm(), tmp_path / "arm.usda")
    done = CliRunner().invoke(program(), ["report", "-q", str(stage), "-o", str(stage / "page.html"), "--steps", "1"])
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{stage / 'page.html'}: cannot be written: ")
