"""Worlds that follow one table of commands take the steps of `set_parameters` and `step`, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime.simulation.simulation import Simulation
from support.places import ROOT

from physx_schema.errors import UnsupportedError

FINGER = ROOT / "tests/data/stages/clean_finger.usda"
WORLDS, STEPS, RECORDS = 11, 40, 30
Array = NDArray[np.float64]


def finger(path: str = "specialised", dtype: str = "float64", worlds: int = WORLDS) -> Simulation:
    return Simulation(FINGER, worlds, dt=1 / 240, path=path, dtype=dtype)


def table(size: int, seed: int = 3) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    return {"target_position": np.cumsum(rng.normal(size=(RECORDS, size)) * 0.02, axis=0),
            "target_velocity": rng.normal(size=(RECORDS, size)) * 0.1}


def blended(values: Array, start: NDArray[np.int64], step: int, delay: Array) -> Array:
    whole = np.floor(delay).astype(int)
    new, old = (np.clip(start + step - whole - k, 0, RECORDS - 1) for k in (0, 1))
    fraction = (delay - whole)[:, None]
    return np.asarray((1.0 - fraction) * values[new] + fraction * values[old])


def followed_and_stepped(sim: Simulation, other: Simulation) -> tuple[Array, Array]:
    """Positions of worlds that follow a table, and of others that are given each command."""
    rng, commands = np.random.default_rng(5), table(len(sim.topology.dofs))
    start, delay = rng.integers(0, 20, WORLDS), rng.uniform(-1.0, 5.0, WORLDS)
    positions = [other.get("q")]
    for step in range(STEPS):
        other.set_parameters({name: blended(values, start, step, delay) for name, values in commands.items()})
        other.step()
        positions.append(other.get("q"))
    return sim.follow(commands, start, steps=STEPS, delay=delay, record=("q",))["q"], np.stack(positions)


@pytest.mark.parametrize("path", ["specialised", "generic"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_following_has_the_bits_of_commands_set_step_by_step(path: str, dtype: str) -> None:
    followed, stepped = followed_and_stepped(finger(path, dtype), finger(path, dtype))
    assert np.ptp(followed) > 1e-3
    np.testing.assert_array_equal(followed, stepped)


def test_following_wakes_sleeping_worlds_as_a_target_does() -> None:
    sims = [finger(), finger()]
    for sim in sims:
        sim.put_to_sleep()
    np.testing.assert_array_equal(*followed_and_stepped(*sims))


def test_the_commands_of_the_last_step_stay_in_the_worlds() -> None:
    sim = finger()
    commands = table(len(sim.topology.dofs))
    sim.follow(commands, 4, steps=3)
    np.testing.assert_array_equal(sim.parameter("target_position")[0], commands["target_position"][6])


@pytest.mark.parametrize(("arguments", "message"), [
    ({"commands": {}}, "commands is empty"),
    ({"commands": {"mass": [[1.0]]}}, "mass"),
    ({"commands": {"target_position": [1.0]}}, r"target_position has shape \(1,\); give \(n_record, 1\)"),
    ({"commands": {"target_position": [[np.nan]]}}, "target_position at record 0 and /Robot/j is nan"),
    ({"start": 30}, "start is 30; give records of the table, from 0 to 29"),
    ({"start": 0.5}, "start is 0.5; give a whole number"),
    ({"delay": np.inf}, "delay is inf; give finite numbers"),
    ({"record": ("z",)}, "record"),
])
def test_a_wrong_argument_is_refused_in_one_line(arguments: dict[str, object], message: str) -> None:
    sim = finger(worlds=2)
    given = {"commands": table(1), "steps": 2} | arguments
    with pytest.raises(ValueError, match=message) as error:
        sim.follow(**given)     # type: ignore[arg-type]
    assert "\n" not in str(error.value)
    assert sim.steps_taken == 0


def test_a_gpu_refuses_a_table_and_says_what_to_do(cuda_on_host: None) -> None:
    sim = Simulation(FINGER, 2, device="cuda")
    with pytest.raises(UnsupportedError, match="follow a table of commands; create the Simulation with"):
        sim.follow(table(1), steps=2)
