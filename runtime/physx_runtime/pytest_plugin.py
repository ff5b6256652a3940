"""Assertions and a fixture for tests of physics stages; USD and numba are loaded only by a test that uses them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from physx_runtime.simulation.recording import Recording
    from physx_runtime.verification import Row


class NotEvaluatedWarning(UserWarning):
    """Authored physics that an assertion could not evaluate."""


def assert_valid_physics(stage: str | Path | Any, profile: str = "physx+simready") -> None:
    """Assert that the check of a stage or file finds no errors; the message lists them.

    Values that could not be evaluated give a NotEvaluatedWarning. Raises UnreadableError for a file that is not a
    stage.
    """
    __tracebackhide__ = True
    from physx_schema.checking import check
    from physx_schema.reports.findings import finding_lines
    from physx_schema.text import plural

    report = check(stage, profile)
    _warn([f"not evaluated: {item.path} {item.property}: {item.reason}" for item in report.not_evaluated])
    if report.errors:
        lines = finding_lines(report.source, report.errors)
        raise AssertionError("\n".join([f"{plural(len(report.errors), 'error')} in {report.source}", *lines]))


def assert_authored_values(stage: str | Path | Any, tolerance: float = 0.05) -> None:
    """Assert that measured values are within a relative `tolerance` of the authored values, and none is ignored.

    Values for another engine are skipped, unless PhysX uses a different value of the same quantity. The message lists
    prim, property, authored and effective value, and the reason. Values that could not be measured or simulated give
    one NotEvaluatedWarning. Raises the errors of `physx_runtime.verify`.
    """
    __tracebackhide__ = True
    from physx_runtime.verification import verify
    from physx_runtime.verification.report import NOT_EVALUATED
    from physx_runtime.verification.row_groups import group_rows
    from physx_runtime.verification.text import reason_lines, sentence
    from physx_schema.text import plural

    verification = verify(stage)
    unknown = group_rows(row for row in verification.rows if row.verdict == NOT_EVALUATED)
    if unknown:
        _warn(["\n".join(["not evaluated:", *reason_lines(unknown)])])
    _warn(list(map(str, verification.not_simulated)))
    failed_rows = [row for row in verification.rows if not _takes_effect(row, tolerance)]
    if failed_rows:
        lines = [f"{row.path}: {sentence(row, verification)}" for row in failed_rows]
        count = plural(len(failed_rows), "authored value")
        headline = f"{count} in {verification.source} without the authored effect (tolerance {tolerance:.3g})"
        raise AssertionError("\n".join([headline, *lines]))


def _takes_effect(row: Row, tolerance: float) -> bool:
    """Whether a row counts as authored, or says nothing about it.

    A row that is altered although its number is right is altered for another reason, such as a range out of reach.
    """
    from physx_runtime.verification.report import (
        ALTERED,
        AS_AUTHORED_TOLERANCE,
        IGNORED,
        NOT_EVALUATED,
        OTHER_ENGINE,
        deviation,
    )

    if row.verdict in (IGNORED, NOT_EVALUATED, OTHER_ENGINE):
        return row.verdict != IGNORED
    if row.effective is None:
        return False
    if row.verdict == ALTERED and deviation(row.intended_effect, row.effective) <= AS_AUTHORED_TOLERANCE:
        return False
    return row.intended_effect == row.effective or deviation(row.intended_effect, row.effective) <= tolerance


def _warn(lines: list[str]) -> None:
    for line in lines:
        warnings.warn(line, NotEvaluatedWarning, stacklevel=3)


@pytest.fixture
def physx_simulate() -> Callable[..., Recording]:
    """Return the function physx_runtime.simulate: (stage, dt=1/60, steps=600, ...) -> Recording."""
    from physx_runtime.simulation.simulate import simulate

    return simulate
