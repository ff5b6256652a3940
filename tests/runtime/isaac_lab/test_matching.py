"""Expressions match whole names, each name once, as in Isaac Lab's own functions (see test_isaac_lab_source)."""

from __future__ import annotations

import pytest
from physx_runtime.isaac_lab.matching import MatchError, matched, matched_values

NAMES = ("LF_hip", "RF_hip", "LF_knee")


@pytest.mark.parametrize(("patterns", "found"), [
    ([".*"], NAMES), ([".*_hip"], NAMES[:2]), (["LF.*"], (NAMES[0], NAMES[2])), (["(L|R)F_hip", "LF_knee"], NAMES),
    ([], ())])
def test_names_keep_their_order(patterns: list[str], found: tuple[str, ...]) -> None:
    assert tuple(matched(patterns, NAMES)) == found


def test_values_go_to_the_names_that_match() -> None:
    assert matched_values({".*_hip": 1.0, ".*_knee": 2.0}, NAMES) == {"LF_hip": 1.0, "RF_hip": 1.0, "LF_knee": 2.0}


@pytest.mark.parametrize("pattern", ["(a+)+", "(a*)*b", "(.*x){2,}", "a" * 400, "[", "(?P<a"])
def test_an_expression_that_is_none_or_takes_too_long_is_refused(pattern: str) -> None:
    with pytest.raises(MatchError):
        matched([pattern], NAMES)
