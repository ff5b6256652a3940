"""What changes the motion most of all that a verification found."""

from __future__ import annotations

import math

import pytest
from physx_runtime.verification.headline import headline
from physx_runtime.verification.report import ALTERED, AS_AUTHORED, IGNORED, OTHER_ENGINE, Row, Verification


def row(name: str, verdict: str, authored: float = 1.0, effective: float | None = None, path: str = "/j") -> Row:
    return Row(path, name, authored, effective, effective, verdict, "reason")


def said(*rows: Row) -> str:
    return headline(Verification("s.usda", rows, 1 / 60, ()))


@pytest.mark.parametrize(("name", "text"), [
    ("drive:angular:physics:stiffness", "drives do nothing"), ("physxTendon:t:damping", "couplings do not act"),
    ("physics:lowerLimit", "limits do not hold"), ("physics:breakForce", "values have no effect"),
])
def test_what_is_ignored_is_named_by_what_it_leaves_undone(name: str, text: str) -> None:
    assert said(row(name, IGNORED), row("physics:unknown", IGNORED, path="/x")).startswith(f"{text}: /j.{name}")


def test_the_number_that_is_farthest_off_is_named_with_both_values() -> None:
    assert said(row("a", ALTERED, 100.0, 90.0), row("b", ALTERED, 100.0, 12.0), row("c", AS_AUTHORED, 1.0, 1.0)) == (
        "/j.b is effectively 12 instead of 100")


def test_a_number_that_comes_to_nothing_known_does_not_count() -> None:
    assert said(row("a", ALTERED, 100.0, math.nan), row("b", ALTERED, 100.0, 99.0)).startswith("/j.b")


def test_values_for_other_engines_change_nothing() -> None:
    assert said(row("mjc:solref", OTHER_ENGINE)) == ""
