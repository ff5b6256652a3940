"""Help: every command and option in a group, at the terminal's width, never cut, and in colours only on a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner
from support.terminal import on_a_terminal

from physx_schema.command_line.command_files import PACKAGES, commands_of
from physx_schema.command_line.help import COMMAND_GROUPS, OPTION_GROUPS, first_sentence, in_groups
from physx_schema.command_line.program import program

COMMANDS = {entry.name: entry for package in PACKAGES for entry in commands_of(package)}
BOLD = "\x1b[1m"


def help_of(*arguments: str, columns: int = 80) -> str:
    done = CliRunner(env={"COLUMNS": str(columns)}).invoke(program(), [*arguments, "--help"])
    assert done.exit_code == 0
    return done.stdout


def options_of(name: str) -> Iterator[str]:
    command = COMMANDS[name].load()
    yield from (max(item.opts, key=len) for item in command.params if isinstance(item, click.Option))


def test_help_of_the_program_has_the_commands_in_groups_by_purpose() -> None:
    headings = re.findall(r"^(\w.*):$", help_of(), re.M)
    assert headings == ["Options", *COMMAND_GROUPS]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_is_one_whole_line_of_the_programs_help(name: str) -> None:
    sentence = first_sentence(COMMANDS[name].load())
    assert re.search(rf"^  {name} +{re.escape(sentence)}$", help_of(), re.M)


def test_groups_of_commands_name_no_others() -> None:
    assert {name for names in COMMAND_GROUPS.values() for name in names} <= set(COMMANDS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_option_has_a_group(name: str) -> None:
    known = {option for options in OPTION_GROUPS.values() for option in options}
    assert set(options_of(name)) - known == set(), "add the option to OPTION_GROUPS in command_line/help.py"


def test_groups_of_options_name_no_others() -> None:
    used = {option for name in COMMANDS for option in options_of(name)} | {"--help", "--version"}
    assert {option for options in OPTION_GROUPS.values() for option in options} - used == set()


def test_options_of_a_command_stand_under_their_headings() -> None:
    headings = re.findall(r"^(\w.*):$", help_of("simulate"), re.M)
    assert headings == ["Input", "Physics", "Output", "Limits", "Other"]


def test_unknown_names_are_in_the_last_group() -> None:
    groups = {"First": ("a", "b"), "Last": ("z",)}
    assert in_groups(("x", "z", "b"), groups) == {"First": ["b"], "Last": ["x", "z"]}


@pytest.mark.parametrize("columns", [80, 100, 200])
@pytest.mark.parametrize("name", ["", *sorted(COMMANDS)])
def test_help_fits_the_terminal_and_is_never_cut(name: str, columns: int) -> None:
    text = help_of(*filter(None, [name]), columns=columns)
    assert max(map(len, text.splitlines())) <= columns and "..." not in text.replace("[ARGS]...", "").replace(
        "PATH...", "").replace("STAGE...", "").replace("}, ...}", "")


def test_every_word_of_an_option_is_in_the_help() -> None:
    words = " ".join(help_of("check").split())
    texts = [item.help or "" for item in COMMANDS["check"].load().params if isinstance(item, click.Option)]
    assert all(" ".join(text.split()) in words for text in texts)


@pytest.mark.parametrize(("environment", "bold"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_headings_are_bold_on_a_terminal_that_has_colours(environment: dict[str, str], bold: bool) -> None:
    said = on_a_terminal("describe", "--help", **environment)
    assert (said.code, BOLD in said.terminal) == (0, bold)


def test_help_in_a_pipe_has_no_colours() -> None:
    assert "\x1b" not in help_of("describe")
