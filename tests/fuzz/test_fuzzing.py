"""Hostile input of every kind works, or is refused in lines of our own; `make fuzz` runs many more cases."""

from __future__ import annotations

import pytest
from support.fuzzing.targets import TARGETS, run


@pytest.mark.parametrize("name", TARGETS)
def test_hostile_input_works_or_is_refused_in_a_line(name: str) -> None:
    run(name, 0, TARGETS[name].quick)


@pytest.mark.sweep
@pytest.mark.parametrize("name", TARGETS)
def test_much_hostile_input_works_or_is_refused_in_a_line(name: str) -> None:
    run(name, 0, TARGETS[name].sweep)
