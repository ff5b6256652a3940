"""No command ends in an internal error, whatever options and stages it is given; `make fuzz` runs 2,000 cases."""

from __future__ import annotations

import os

import pytest
from support.command_runs import CAMPAIGN, case, corpus, faults

QUICK = 40
SWEEP = int(os.environ.get("PHYSX_SCHEMA_COMMAND_RUNS", "1000"))


def test_no_command_ends_in_an_internal_error() -> None:
    found, codes = faults(0, QUICK)
    assert not found, "\n\n".join(found)
    assert codes.total() == QUICK


@pytest.mark.sweep
def test_no_command_of_many_ends_in_an_internal_error() -> None:
    found, codes = faults(QUICK, SWEEP)
    assert not found, "\n\n".join(found)
    assert codes.total() == SWEEP


def test_cases_follow_from_their_numbers_and_reach_every_command() -> None:
    cases = [case(number) for number in range(CAMPAIGN)]
    assert cases == [case(number) for number in range(CAMPAIGN)]
    assert {"check", "describe", "migrate", "simulate", "verify", "report", "explain", "diff", "convert",
            "generate"} <= {one.arguments[0] for one in cases if one.arguments}
    assert len({one.stage for one in cases}) > 0.9 * len(corpus())
