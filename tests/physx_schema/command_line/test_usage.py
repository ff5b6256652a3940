"""Usage errors: one line with the command, what is wrong and what to do; the exit code is 2, or 3 for no such file."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from support.places import STAGES

from physx_schema.command_line.command_files import PACKAGES, commands_of
from physx_schema.command_line.program import program

COMMANDS = {entry.name: entry for package in PACKAGES for entry in commands_of(package)}
STAGE = str(STAGES / "clean_finger.usda")
# Arguments that a command requires besides a file that does not exist; commands that read no file are not here.
NEEDED = {"check": "FILE", "convert": "FILE -o made.usda", "describe": "FILE", "diff": "FILE physx_generated",
          "generate": "--from FILE -o made", "identify": "FILE log.csv", "migrate": "FILE", "report": "FILE",
          "simulate": "FILE", "tune": "FILE --target /a bandwidth 3", "verify": "FILE", "view": "FILE"}


def call(*arguments: str) -> Result:
    return CliRunner().invoke(program(), list(arguments))


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_misspelt_option_of_any_command_is_one_line_with_the_option_that_was_meant(name: str) -> None:
    done = call(name, "--hlep")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"physx-schema {name}: no option --hlep; did you mean --help?\n"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_unknown_option_of_any_command_is_one_line_with_the_next_step(name: str) -> None:
    done = call(name, "--qqqqqq")
    assert (done.exit_code, done.stdout, done.stderr) == (
        2, "", f"physx-schema {name}: no option --qqqqqq; run physx-schema {name} --help\n")


@pytest.mark.parametrize("suffix", ["usda", "urdf", "xml", ""])
@pytest.mark.parametrize("name", sorted(NEEDED))
def test_missing_file_of_any_command_is_one_line_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, suffix: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    missing = f"absent.{suffix}".rstrip(".")
    done = call(name, *NEEDED[name].replace("FILE", missing).split())
    (line,) = done.stderr.splitlines()
    assert (done.exit_code, done.stdout) == (3, "") and line.startswith(missing)
    assert "no such file" in line or "not a path" in line
    assert not list(tmp_path.iterdir())


def test_every_command_that_reads_a_file_is_drilled() -> None:
    arguments = {name for name, entry in COMMANDS.items()
                 if any(isinstance(item, click.Argument) for item in entry.load().params)}
    assert arguments - {"explain"} <= set(NEEDED)


@pytest.mark.parametrize(("arguments", "line"), [
    (("check",), "check: PATH... is missing; run physx-schema check --help"),
    (("verify", STAGE, "--format", "xml"), "verify: --format: 'xml' is not one of 'text', 'json'; run physx-schema "
                                           "verify --help"),
    (("simulate", STAGE, "--steps"), "simulate: option '--steps' requires an argument; run physx-schema simulate "
                                     "--help"),
    (("simulate", STAGE, "second.usda"), "simulate: got unexpected extra argument (second.usda); run physx-schema "
                                         "simulate --help"),
    (("simulate", STAGE, "--dt", "0"), "simulate: --dt: '0' is not a positive time; write seconds such as 0.01 or "
                                       "1/60"),
    (("check", STAGE, "--in-place"), "check: --unsafe-fixes, --in-place and --override work only with --fix; run "
                                     "physx-schema check --help"),
    (("migrate", STAGE, "--write", "-o", "made.usda"), "migrate: --write and -o exclude each other; use one of them"),
    (("simulate", STAGE, "--joint-position", "Knuckle=1"), "simulate: Knuckle is not a simulated joint; joints are "
                                                           "/Robot/j"),
])
def test_usage_error_names_the_command_and_the_next_step_once(arguments: tuple[str, ...], line: str) -> None:
    done = call(*arguments)
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"physx-schema {line}\n")


@pytest.mark.parametrize(("arguments", "line"), [
    (("nonsense",), "physx-schema: no such command 'nonsense'; run physx-schema --help"),
    (("--versoin",), "physx-schema: no option --versoin; did you mean --version?"),
])
def test_usage_error_of_the_program_itself_is_one_line(arguments: tuple[str, ...], line: str) -> None:
    done = call(*arguments)
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"{line}\n")


def test_program_without_arguments_prints_its_help_on_stderr_and_exits_2() -> None:
    done = call()
    assert (done.exit_code, done.stdout) == (2, "") and done.stderr == call("--help").stdout
