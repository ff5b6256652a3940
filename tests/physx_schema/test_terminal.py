"""Texts on a terminal: broken between words at its width, whole in a pipe, and never cut."""

from __future__ import annotations

import pytest
from support.places import STAGES
from support.terminal import on_a_terminal

from physx_schema import terminal
from physx_schema.terminal import table_rows, wrapped

LINE = "    /Robot/j: " + " ".join(f"word{number}" for number in range(60))
ROWS = [("path", "property", "authored", "verdict"),
        ("/Robot/left_arm/upper/forearm/wrist", "physxJointAxis:angular:maxJointVelocity", "1000", "altered"),
        ("/Robot/j", "drive:angular:physics:stiffness", "5", "ignored")]
WIDTHS = [80, 100, 200]
CLEAR = "\x1b[K"        # ends the line of progress


@pytest.fixture
def columns(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The width of a terminal."""
    width = int(request.param)
    monkeypatch.setattr(terminal, "terminal_width", lambda: width)
    return width


@pytest.mark.parametrize("columns", WIDTHS, indirect=True)
def test_line_is_broken_between_words_and_continued_with_an_indent(columns: int) -> None:
    lines = wrapped(LINE).splitlines()
    assert max(map(len, lines)) <= columns
    assert " ".join(lines).split() == LINE.split()
    assert all(line.startswith(" " * 8) for line in lines[1:])


def test_line_in_a_pipe_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "terminal_width", lambda: None)
    assert wrapped(LINE) == LINE


@pytest.mark.parametrize("columns", [40], indirect=True)
def test_word_that_is_longer_than_a_line_stays_whole(columns: int) -> None:
    assert wrapped("see " + "x" * 60).splitlines() == ["see", "    " + "x" * 60]


@pytest.mark.parametrize("columns", [40], indirect=True)
def test_colours_take_no_columns(columns: int) -> None:
    coloured = f"\x1b[33m{'x' * 40}\x1b[0m"
    assert wrapped(coloured) == coloured


@pytest.mark.parametrize("columns", [50, *WIDTHS], indirect=True)
def test_table_fits_and_keeps_every_character(columns: int) -> None:
    for row, printed in zip(ROWS, table_rows(ROWS, {"path", "property", "verdict"}), strict=True):
        assert max(map(len, printed)) <= columns
        assert sorted("".join("".join(printed).split())) == sorted("".join(row).replace(" ", ""))


def test_table_in_a_pipe_has_a_line_for_each_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "terminal_width", lambda: None)
    assert [len(printed) for printed in table_rows(ROWS, {"path"})] == [1, 1, 1]


@pytest.mark.parametrize("columns", [60], indirect=True)
def test_cell_is_broken_after_a_part_of_its_path(columns: int) -> None:
    _, (first, *_), _ = table_rows(ROWS, {"path", "property", "verdict"})
    assert first.startswith("/Robot/left_arm/") and "physxJointAxis:" in first


@pytest.mark.parametrize(("command", "columns"), [("describe", 80), ("describe", 200), ("verify", 80),
                                                  ("simulate", 100)])
def test_command_on_a_terminal_keeps_to_its_width_and_says_all(command: str, columns: int) -> None:
    stage = str(STAGES / "clean_finger.usda")
    piped = on_a_terminal(command, stage, stdout_piped=True).piped
    shown = on_a_terminal(command, stage, columns=columns).terminal.split(CLEAR)[-1]
    assert max(map(len, shown.splitlines())) <= max(columns, len(stage) + 4)
    assert set(piped.split()) <= set(shown.split())
