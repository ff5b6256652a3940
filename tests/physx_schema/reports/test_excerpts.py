"""Excerpts of a file: the caret line is exactly below the text, whatever stands around it."""

from __future__ import annotations

import pytest

from physx_schema.errors import printable
from physx_schema.reports.excerpts import WIDTH, excerpt
from physx_schema.reports.regions import TextRegion


def region(before: str, text: str, after: str = "", previous: str = "", following: str = "") -> TextRegion:
    return TextRegion(9, len(before) + 1, before, text, after, previous, following)


def below_caret(lines: list[str]) -> str:
    """The characters of the line above the caret line that are above the carets."""
    caret = next(index for index, line in enumerate(lines) if set(line.partition("| ")[2]) <= {" ", "^"})
    start = lines[caret].index("^")
    return lines[caret - 1][start:start + lines[caret].count("^")]


def test_excerpt_has_the_lines_around_without_their_common_indentation() -> None:
    middle = region("        float a = ", "-1", " (", "        int b = 2", "            doc = 1")
    assert list(excerpt(middle, "error")) == [
        "     8 | int b = 2",
        "     9 | float a = -1 (",
        "       |           ^^",
        "    10 |     doc = 1"]


@pytest.mark.parametrize("around", ["", "    {", "}", "  )"])
def test_lines_of_brackets_alone_are_left_out(around: str) -> None:
    assert list(excerpt(region("  float a = ", "-1", "", around, around), "error")) == [
        "     9 | float a = -1", "       |           ^^"]


@pytest.mark.parametrize(("before", "text", "after", "shown"), [
    ("\tfloat\ta = ", "-1", "", "-1"), ("    float a = ", "-1", " " * 300 + "# far", "-1"),
    ("    string s = \"" + "x" * 400, "text", "y" * 400, "text"), ("    rel r = ", "<" + "/a" * 200 + ">", "", ""),
    ("x" * 60, "y" * 500, "z", ""), ("    token t = ", '"\x1b[31m"', "", printable('"\x1b[31m"'))])
def test_caret_is_below_the_text_in_any_line(before: str, text: str, after: str, shown: str) -> None:
    lines = list(excerpt(region(before, text, after, "p" * 400, "f" * 400), "error"))
    assert below_caret(lines) == shown if shown else text.startswith(below_caret(lines)[:40])
    assert max(map(len, lines)) <= WIDTH + len("    10 | ") and "\x1b" not in "".join(lines) and "^" in "".join(lines)


def test_caret_is_below_the_text_after_wide_letters() -> None:
    _, caret = excerpt(region("質量 = ", "-1"), "error")
    assert caret.partition("| ")[2] == " " * len("wide = ") + "^^"
