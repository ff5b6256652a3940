"""Diffs of migrated layers: those of difflib where both can be had, and quick on large stages."""

from __future__ import annotations

import difflib
import random
import time

import pytest

from physx_schema.migration.report import unified


def prims(rng: random.Random, count: int) -> tuple[list[str], list[str]]:
    """A text of prims and one in which some lines are others."""
    old: list[str] = []
    new: list[str] = []
    for index in range(count):
        head = [f'def Joint "j{index}"', "{"]
        body = [f"    float a{line} = {rng.randrange(9)}" for line in range(rng.randrange(5))]
        changed = [f"{line} changed" if rng.random() < 0.2 else line for line in body if rng.random() < 0.9]
        old += [*head, *body, "}", ""]
        new += [*head, *changed, "}", ""]
    return old, new


@pytest.mark.parametrize("seed", range(20))
def test_a_diff_leads_from_the_old_text_to_the_new_one(seed: int) -> None:
    old, new = prims(random.Random(seed), 6)
    lines = unified(old, new, "old", "new").splitlines()
    kept, position = [], 0
    for line in lines[2:]:
        if line.startswith("@@"):
            start, _, count = line.split()[1][1:].partition(",")
            first = int(start) - (count != "0")
            kept += old[position:first]
            position = first
        elif line[0] in " -":
            assert old[position] == line[1:]
            position += 1
            kept += [line[1:]] * (line[0] == " ")
        else:
            kept.append(line[1:])
    assert [*kept, *old[position:]] == new


def test_the_format_is_that_of_difflib() -> None:
    old = ["a", "b", 'def "p"', "{", "    x = 1", "}"]
    new = ["a", "b", 'def "p"', "{", "    x = 2", "    y = 3", "}"]
    expected = "\n".join(difflib.unified_diff(old, new, "old", "new", lineterm="")) + "\n"
    assert unified(old, new, "old", "new") == expected


def test_equal_texts_have_no_diff() -> None:
    assert unified(["a"], ["a"], "old", "new") == ""


def test_a_large_text_takes_seconds_and_not_minutes() -> None:
    old, new = prims(random.Random(0), 20_000)
    start = time.perf_counter()
    unified(old, new, "old", "new")
    assert time.perf_counter() - start < 20.0
