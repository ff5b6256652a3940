"""Commands over time: neither the interval of the records nor the number of steps of a call changes a motion."""

from __future__ import annotations

import numpy as np
from physx_runtime.simulation.simulation import Simulation
from support.places import ROOT

FINGER = ROOT / "tests/data/stages/clean_finger.usda"


def followed(steps: int, every: int = 1, calls: int = 1) -> np.ndarray:
    """Positions of three worlds with different starts and delays."""
    sim, commands = Simulation(FINGER, 3, dt=1 / 240), {"target_position": np.linspace(0.0, 0.5, 20)[:, None]}
    records = []
    for call in range(calls):
        start = np.array([0, 1, 4]) + call * steps
        records.append(sim.follow(commands, start, steps=steps, delay=[0.0, 0.5, 2.25], every=every)["q"])
    return np.concatenate([records[0], *(record[1:] for record in records[1:])])


def test_records_are_those_of_every_nth_step() -> None:
    np.testing.assert_array_equal(followed(9, every=3), followed(9)[::3])


def test_two_calls_are_one_call_of_all_steps() -> None:
    np.testing.assert_array_equal(followed(5, calls=2), followed(10))


def test_a_table_that_moves_moves_the_worlds() -> None:
    assert np.ptp(followed(10), axis=0).min() > 1e-4
