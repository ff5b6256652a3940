"""What other people's code may rely on changes only on purpose."""

from __future__ import annotations

import difflib

from support.api import SNAPSHOT, lines

REWRITE = "if that is meant, run `PYTHONPATH=tests python -m support.api`, and say so in CHANGELOG.md"


def test_public_names_and_signatures_are_those_of_the_snapshot() -> None:
    held = SNAPSHOT.read_text(encoding="utf-8").splitlines()
    changed = list(difflib.unified_diff(held, list(lines()), "held", "found", lineterm="", n=0))
    assert not changed, "\n".join([*changed, REWRITE])


def test_no_line_of_the_snapshot_depends_on_the_process() -> None:
    assert [line for line in lines() if " at 0x" in line] == []
