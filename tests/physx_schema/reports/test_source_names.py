"""Findings on a robot's file are in its own names and lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.places import ROOT

from physx_schema.command_line.program import program
from physx_schema.description import robot_files

# arm.urdf of the guide as urdf-usd-converter 0.3.4 converts it
CONVERTED = ROOT / "tests" / "data" / "guides" / "arm.usda"
URDF = '<robot name="arm">\n<link name="base"/>\n<link name="upper"/>\n<link name="fore"/></robot>\n'


@pytest.fixture
def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A robot's file that a kept stage stands in for."""
    path = tmp_path / "arm.urdf"
    path.write_text(URDF, encoding="utf-8")
    monkeypatch.setitem(robot_files._ORIGINALS, str(CONVERTED), path)
    monkeypatch.setattr("physx_schema.description.stages.converted", lambda *_: CONVERTED)
    return path


@pytest.mark.parametrize(("style", "text"), [
    ("text", "arm.urdf:2:2: link base: warning articulation/world-joint-outside: PhysicsArticulationRootAPI is on a "
             "body that root_joint joins to the world"),
    ("github", "arm.urdf,line=2,col=2,title=articulation/world-joint-outside::link base: "),
    ("sarif", '"startLine": 2'), ("html", "<code>link base</code>")])
def test_finding_cites_the_line_and_the_name_of_the_link(robot: Path, style: str, text: str) -> None:
    result = CliRunner().invoke(program(), ["check", str(robot), "--format", style])
    assert text in result.stdout


def test_temporary_layers_of_the_stage_are_not_named(robot: Path, tmp_path: Path,
                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    kept, stage = tmp_path / "temporary.usda", tmp_path / "layered.usda"
    kept.write_bytes(CONVERTED.read_bytes())
    units = 'defaultPrim = "arm"\n    kilogramsPerUnit = 1\n    metersPerUnit = 1\n    upAxis = "Z"'
    stage.write_text(f"#usda 1.0\n(\n    subLayers = [@./temporary.usda@]\n    {units}\n)\n", encoding="utf-8")
    monkeypatch.setitem(robot_files._ORIGINALS, str(stage), robot)
    monkeypatch.setattr("physx_schema.description.stages.converted", lambda *_: stage)
    result = CliRunner().invoke(program(), ["check", str(robot)])
    assert f"{robot}:2:2: link base: " in result.stdout
    assert "temporary.usda" not in result.stdout


def test_line_before_the_summary_is_the_command_that_makes_a_repaired_stage(robot: Path) -> None:
    result = CliRunner().invoke(program(), ["check", str(robot)])
    assert f"physx-schema convert {robot} -o arm.usda writes a stage" in result.stdout.splitlines()[-2]


def test_text_report_on_a_robot_is_replaced_by_the_next_one(robot: Path, tmp_path: Path) -> None:
    arguments = ["check", str(robot), "-o", str(tmp_path / "report.txt")]
    codes = [CliRunner().invoke(program(), arguments).exit_code for _ in range(2)]
    assert codes == [0, 0]


def test_json_keeps_the_paths_of_prims_and_has_the_lines_of_elements(robot: Path) -> None:
    result = CliRunner().invoke(program(), ["check", str(robot), "--format", "json"])
    found = {item["path"]: item for item in json.loads(result.stdout)["reports"][0]["findings"]}["/arm/Geometry/base"]
    assert (found["line"], found["column"]) == (2, 2)
