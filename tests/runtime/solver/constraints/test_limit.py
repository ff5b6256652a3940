"""One number decides whether a limit has anything to do, and takes nothing from what limits do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from physx_runtime.solver.constraints.limit import ALWAYS_TRIGGERED, SolvedDof, limit_trigger, solve_limit

H, ROUNDS = 1e-3, 200
TOTALS = ("lower_total", "upper_total")


def rows_of(lower: float, upper: float) -> dict[str, Any]:
    """A joint at 0 between two limits, before its first iteration."""
    return {"h": [H], "erp": [0.9], "lower_start": [lower], "upper_start": [upper], "lower_total": [0.0],
            "upper_total": [0.0]}


@pytest.mark.parametrize("final", [False, True])
@pytest.mark.parametrize("limits", [(-1e-3, 1e-3), (-2e-3, -1e-3), (1e-3, -1e-3), (-np.inf, 1e-3), (-1e-3, np.inf)])
def test_impulses_are_those_of_a_joint_that_asks_for_every_total(limits: tuple[float, float], final: bool) -> None:
    chance, plain = np.random.default_rng(0), rows_of(*limits)
    triggered = {**plain, "limit_trigger": [limit_trigger(plain, limits[0])]}
    gave = 0
    for _ in range(ROUNDS):
        v, travel = chance.normal(scale=2.0), chance.normal(scale=1e-3)
        ends = []
        for rows in (plain, triggered):
            joint = SolvedDof(1.5, 0.6, v, travel)
            made = {name: list(values) for name, values in rows.items()}
            solve_limit(rows, 0, joint, made, final)
            rows |= {name: made[name] for name in (*TOTALS, "limit_trigger") if name in rows}
            ends.append((joint.v, joint.impulse, *(rows[name][0] for name in TOTALS)))
        assert ends[0] == ends[1]
        gave += plain["lower_total"][0] - plain["upper_total"][0] > 0.0
    assert gave > 0


def test_a_limit_that_has_given_an_impulse_is_looked_at_until_it_has_taken_it_back() -> None:
    rows = rows_of(-1e-3, 1e-3)
    rows["limit_trigger"] = [limit_trigger(rows, -1e-3)]
    at_start = rows["limit_trigger"][0]
    speeds, triggers = (-0.5, -3.0, 0.0, 0.9, 0.9, 0.9), (at_start, *[ALWAYS_TRIGGERED] * 4, at_start)
    for v, expected in zip(speeds, triggers, strict=True):
        solve_limit(rows, 0, SolvedDof(1.0, 1.0, v, 0.0), rows, final=False)
        assert rows["limit_trigger"] == [expected]
    assert rows["lower_total"] == [0.0]
