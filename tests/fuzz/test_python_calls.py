"""Wrong arguments of Python calls are refused in one line of ours, without an error of Python's or NumPy's own."""

from __future__ import annotations

import pytest
from support.fuzzing.python_calls import calls

QUICK, SWEEP = 300, 5000


def faults(first: int, count: int) -> list[str]:
    """What is wrong with the answers of these calls, a line each."""
    return [f"call {call.number}, {call.text}: {call.fault}" for call in calls(first, count) if call.fault]


def test_a_call_with_wrong_arguments_works_or_is_refused_in_a_line() -> None:
    assert not faults(0, QUICK)


@pytest.mark.sweep
def test_many_calls_with_wrong_arguments_work_or_are_refused_in_a_line() -> None:
    assert not faults(QUICK, SWEEP)
