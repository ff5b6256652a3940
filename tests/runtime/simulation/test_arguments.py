"""Time steps that are none and worlds beyond the memory are refused in one line, through every door."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import physx_runtime
import pytest
from click.testing import CliRunner
from physx_runtime import Scene, Session, Simulation, simulate, verify
from physx_runtime.verification.tuning.tune import tune
from support.stages.robots import finger, opened

from physx_schema.command_line.program import program

NO_TIMES: tuple[Any, ...] = ("x", "0.1", None, 0, 0.0, -1e-3, float("nan"), float("inf"), -float("inf"), 1j, [0.1],
                             np.array([0.1, 0.2]))
DOORS: dict[str, Callable[[Any, Any], object]] = {
    "Simulation": lambda stage, dt: Simulation(stage, dt=dt),
    "Simulation.set_time_step": lambda stage, dt: Simulation(stage).set_time_step(dt),
    "Scene": lambda stage, dt: Scene(stage, dt=dt),
    "Scene.set_time_step": lambda stage, dt: Scene(stage).set_time_step(dt),
    "simulate": lambda stage, dt: simulate(stage, dt=dt, steps=1),
    "verify": lambda stage, dt: verify(stage, dt=dt),
    "tune": lambda stage, dt: tune(stage, {}, dt=dt),
}
MANY = 10**12


@pytest.mark.filterwarnings("ignore::physx_runtime.NotSimulatedWarning")
@pytest.mark.parametrize(("door", "dt"), [
    (door, dt) for door in DOORS for dt in NO_TIMES if door != "verify" or dt is not None], ids=repr)
def test_a_time_step_that_is_none_is_refused(door: str, dt: Any) -> None:
    with pytest.raises(ValueError, match=r"dt is .*; give a positive, finite time in seconds"):
        DOORS[door](opened(finger()), dt)


@pytest.mark.parametrize("dt", NO_TIMES, ids=repr)
def test_a_session_refuses_a_time_step_that_is_none(dt: Any) -> None:
    with Session(opened(finger())) as session:
        with pytest.raises(ValueError, match=r"dt is .*; give a positive, finite time in seconds"):
            session.step(dt)
        session.step(np.float32(0.01))


@pytest.mark.parametrize("command", ["simulate", "verify", "report"])
@pytest.mark.parametrize("dt", ["x", "0", "-1", "nan", "inf", "1/0", "1e999", ""])
def test_commands_refuse_a_time_step_that_is_none(command: str, dt: str) -> None:
    result = CliRunner().invoke(program(), [command, "--dt", dt, "a.usda"])
    assert result.exit_code == 2 and "is not a positive time; write seconds such as 0.01 or 1/60" in result.stderr


@pytest.mark.parametrize("made", [Simulation, Scene, lambda stage, worlds: simulate(stage, worlds=worlds, steps=1)])
def test_more_worlds_than_the_memory_holds_are_refused_before_any_is_made(made: Any) -> None:
    with pytest.raises(ValueError, match=rf"worlds is {MANY}; the data of these worlds needs .* GB, and this machine "
                                          "has "):
        made(opened(finger()), MANY)


def test_a_hundred_worlds_have_room() -> None:
    assert physx_runtime.Simulation(opened(finger()), 100).worlds == 100


# --- numbers ---------------------------------------------------------------------------------------------------------

NO_NUMBERS: tuple[Any, ...] = ("0.5", ["a", "b"], True, [True, False], 1j, np.zeros(2, np.complex64), None, object(),
                               {}, np.array([1, "a"], dtype=object), [[1.0, 2.0], [3.0]], b"x", np.array(["1", "2"]))


@pytest.mark.parametrize("values", NO_NUMBERS, ids=[type(values).__name__ for values in NO_NUMBERS])
def test_values_that_are_no_numbers_are_refused(values: Any) -> None:
    with pytest.raises(ValueError, match=r"q is .*; give real numbers, as an array or as lists of equal length"):
        Simulation(opened(finger())).set("q", values)


def test_a_masked_array_is_refused_with_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"q is a masked array; replace what is masked, for example with .filled"):
        Simulation(opened(finger())).set("q", np.ma.masked_array([0.5], mask=[True]))


def test_refused_values_set_nothing() -> None:
    sim = Simulation(opened(finger()))
    for values in NO_NUMBERS:
        with pytest.raises(ValueError):
            sim.set("q", values)
    assert not sim.joint_position.any()


@pytest.mark.parametrize("values", [[1], np.float32([1.0]), np.int8([1]), [[1.0]], (1,), np.float16([1.0])], ids=repr)
def test_numbers_of_every_kind_are_set(values: Any) -> None:
    sim = Simulation(opened(finger()))
    sim.set("q", values)
    assert sim.joint_position.tolist() == [[1.0]]


def test_a_switch_takes_true_and_false() -> None:
    sim = Simulation(opened(finger()))
    sim.set_parameter("gravity_enabled", False)
    assert not sim.parameter("gravity_enabled").any()


@pytest.mark.parametrize("count", [True, 1.0, "1", None, 2**70, -1, np.array([1, 2]), float("nan")], ids=repr)
def test_a_count_of_steps_that_is_none_is_refused(count: Any) -> None:
    with pytest.raises(ValueError, match=r"count is .*; give a whole number of at (least 0|most \d+)"):
        Simulation(opened(finger())).step(count)
