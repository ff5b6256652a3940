"""Fragments of sleep and divergence, for one link or row each (`solver.sleep`, `solver.divergence`)."""

from __future__ import annotations

from physx_runtime.dynamics.spatial import linear_first, motion_of
from physx_runtime.language.ops import Rows, maximum, where
from physx_runtime.solver import sleep
from physx_runtime.solver.divergence import is_valid
from physx_runtime.solver.scheduled.fragments.kinematics import (
    Operands,
    central_acceleration,
    central_velocity,
    rotation_matrix,
    sym,
    vec,
)
from physx_runtime.solver.sleep import SleepState


def _link(rows: Operands) -> SleepState:
    return SleepState(rows["counter"][0], vec(rows["linear"]), vec(rows["angular"]))


def _sleep_rows(link: SleepState) -> Rows:
    return {"counter": [link.counter], "linear": link.linear, "angular": link.angular}


def decide(rows: Operands) -> Rows:
    """Whether the world wakes or stays awake, and whether it was reset, as numbers."""
    # counters are set up by a request or by a force  (ScArticulationSim.cpp, internalWakeUp)
    waking = sleep.wake_requested(rows["wake_request"][0]) | (rows["external_force_size"][0] > 0.0)
    return {"wakes": [where(waking, 1.0, 0.0)],
            "started": [where(sleep.reset_requested(rows["wake_request"][0]), 1.0, 0.0)]}


def wake(rows: Operands) -> Rows:
    """A link after a wake request, and the longest counter so far."""
    link = sleep.apply_wake_request(_link(rows), rows["wakes"][0] > 0.5, rows["started"][0] > 0.5)
    return {**_sleep_rows(link), "max_counter": [maximum(rows["max_counter"][0], link.counter)]}


def sleep_flags(rows: Operands) -> Rows:
    """Whether the world is asleep, whether it was before, as numbers, and its flags."""
    # sleeps where longest = 0  (ScArticulationSim.cpp, sleepCheck)
    sleeps, frozen = sleep.sleep_flags(rows["max_counter"][0], rows["diverged"][0], rows["asleep"][0])
    return {"resting": [where(sleeps, 1.0, 0.0)], "frozen": [where(frozen, 1.0, 0.0)],
            "asleep": [where(sleeps, 1.0, 0.0)], "wake_request": [sleep.WAKE_REQUEST_NONE]}


def undo(rows: Operands) -> Rows:
    """The old value in a world that was asleep before."""
    return {"x": [where(rows["frozen"][0] > 0.5, rows["saved"][0], rows["x"][0])]}


def stop(rows: Operands) -> Rows:
    """Zero velocity in a sleeping world."""
    return {"v": [where(rows["resting"][0] > 0.5, 0.0, rows["v"][0])]}


def mean_rate(rows: Operands) -> Rows:
    """The mean of a velocity over the step."""
    # v_mean = travel / dt
    return {"mean": [1.0 / rows["dt"][0] * rows["x"][0]]}


def add_bias(rows: Operands) -> Rows:
    """Add dt Jdot v of the step's start, the part of a link's velocity inside the solver besides J v."""
    # v_c = J v_mean + dt Jdot v
    return {"mean_motion": linear_first(central_acceleration(rows) * rows["dt"][0])}


def add_mean(rows: Operands) -> Rows:
    """The mean of a link's velocities inside the solver."""
    return {"mean_motion": linear_first(motion_of(rows["mean_motion"]) + central_velocity(rows))}


def count_down(rows: Operands) -> Rows:
    """A link after the step, and the longest counter so far."""
    # E = (|p|^2 + L^T I L / m) / 2 against the threshold  (ScBodySim.cpp, updateWakeCounter)
    link = sleep.count_down(
        _link(rows), rotation_matrix(rows["R"]), motion_of(rows["mean_motion"]), rows["mass"][0],
        sym(rows["inertia"]), rows["dt"][0], rows["sleep_threshold"][0], rows["joints"][0] if "joints" in rows else 0.0)
    return {**_sleep_rows(link), "max_counter": [maximum(rows["max_counter"][0], link.counter)]}


def apply_island_state(rows: Operands) -> Rows:
    """A link as the next step finds it."""
    # links of one articulation sleep together  (ScArticulationSim.cpp, sleepCheck)
    awake = sleep.stays_awake(rows["max_counter"][0], rows["resting"][0] > 0.5)
    return _sleep_rows(sleep.apply_island_state(_link(rows), awake))


def check_validity(rows: Operands) -> Rows:
    """Whether the world is valid, as a number, and its flag."""
    valid = is_valid(rows["size"][0], rows["diverged"][0])
    return {"valid": [where(valid, 1.0, 0.0)], "diverged": [where(valid, 0.0, 1.0)]}


def keep_if_valid(rows: Operands) -> Rows:
    """The new value in a valid world, the saved one otherwise."""
    return {"x": [where(rows["valid"][0] > 0.5, rows["x"][0], rows["saved"][0])]}
