"""Additions that take new files alone: a rule, a command and a format of recordings, each planted in a copy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.places import DOUBLE_PENDULUM, ROOT

PACKAGES = {"physx_schema": "physx_schema", "physx_codegen": "codegen/physx_codegen",
            "physx_generated": "generated/physx_generated", "physx_runtime": "runtime/physx_runtime"}
STAGE, JOINT_COUNT = str(DOUBLE_PENDULUM), 2
RULE = '''"""Joints whose names say that they belong to a gear box."""

from __future__ import annotations

from collections.abc import Iterator

from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.rule import Rule, every_dof, finder
from physx_schema.description import Description

FAMILIES = {"gear": "Gears"}
MOVABLE = Rule("gear/movable", "warning", """
    Joint of a gear box

    The joint moves, as joints of gear boxes do.
    """,
    why="it turns",
    fix="oil it",
)


@finder("gears", MOVABLE)
def find_gears(description: Description) -> Iterator[Finding]:
    """Every degree of freedom."""
    for dof in every_dof(description):
        yield MOVABLE.at(dof.path, "", "the joint moves")
'''
COMMAND = '''"""The command `count-joints`."""

from __future__ import annotations

import click

from physx_schema.command_line.options import isolation_option
from physx_schema.description import describe


@click.command("count-joints")
@click.argument("stage")
@isolation_option
def count_joints_command(stage: str) -> None:
    """Count the degrees of freedom of a stage."""
    click.echo(sum(len(articulation.dofs) for articulation in describe(stage).articulations))
'''
FORMAT = '''"""The names of the joints of a recording, a line for each."""

from __future__ import annotations

from pathlib import Path

from physx_runtime.viewing.formats.recording_format import Motion, RecordingFormat


def _write(path: Path, motion: Motion) -> None:
    path.write_text("".join(f"{name}\\n" for name in motion.recording.joint_names), encoding="utf-8")


FORMATS = (RecordingFormat((".names",), "names of joints", _write),)
'''


class Copy:
    """A copy of a package with another file in it, run in a process of its own."""

    def __init__(self, folder: Path, package: str, file: str, text: str) -> None:
        shutil.copytree(ROOT / PACKAGES[package], folder / package, ignore=shutil.ignore_patterns("__pycache__"))
        path = folder / package / file
        assert not path.exists()
        path.write_text(text, encoding="utf-8")
        others = [str((ROOT / home).parent) for name, home in PACKAGES.items() if name != package]
        self._environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(folder), *others))}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The program with these arguments."""
        code = "from physx_schema.cli import main; main()"
        return subprocess.run([sys.executable, "-P", "-c", code, *arguments], env=self._environment, text=True,
                              capture_output=True, check=False)


@pytest.fixture(scope="module")
def with_rule(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("rule"), "physx_schema", "checking/rules/gears.py", RULE)


def test_a_file_of_rules_adds_its_findings(with_rule: Copy) -> None:
    result = with_rule.run("check", STAGE, "--select", "gear", "--fail-on", "warning")
    assert result.returncode == 1
    assert "warning gear/movable: the joint moves" in result.stdout


def test_a_file_of_rules_adds_its_page(with_rule: Copy, tmp_path: Path) -> None:
    assert with_rule.run("explain", "--pages", str(tmp_path / "rules")).returncode == 0
    assert "\n# Gears\n" in (tmp_path / "rules/gear.md").read_text(encoding="utf-8")
    assert "## [Gears](gear.md)" in (tmp_path / "rules/index.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def with_command(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("command"), "physx_schema", "cli/count_joints_command.py", COMMAND)


def test_a_command_file_adds_its_command(with_command: Copy) -> None:
    result = with_command.run("count-joints", STAGE)
    assert (result.stdout, result.stderr, result.returncode) == (f"{JOINT_COUNT}\n", "", 0)


def test_a_command_file_is_in_the_list_of_commands(with_command: Copy) -> None:
    text = " ".join(with_command.run("--help").stdout.split())
    assert "count-joints Count the degrees of freedom of a stage." in text


def test_a_format_file_adds_its_suffix(tmp_path: Path) -> None:
    copy = Copy(tmp_path, "physx_runtime", "viewing/formats/joint_names.py", FORMAT)
    assert ".names (names of joints)" in " ".join(copy.run("simulate", "--help").stdout.split())
    result = copy.run("simulate", STAGE, "--steps", "1", "--out", str(tmp_path / "joints.names"))
    assert (result.stderr, result.returncode) == ("", 0)
    assert len((tmp_path / "joints.names").read_text(encoding="utf-8").splitlines()) == JOINT_COUNT
