"""Fragments of one rigid body of an island: the functions of `solver.body.step` and `solver.sleep`.

A body in an island moves in every iteration, also where forces act once a step.
"""

from __future__ import annotations

from dataclasses import replace

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import quaternion
from physx_runtime.language.ops import Rows, maximum, where
from physx_runtime.model.topology import BodyTopology
from physx_runtime.solver import sleep
from physx_runtime.solver.body import step
from physx_runtime.solver.scheduled.fragments.kinematics import Operands


def begin(rows: Operands, t: BodyTopology) -> Rows:
    """Rows of the step's start, and the response to joints throughout the step."""
    # I^-1 = R I_body^-1 R^T  (CmUtils.h, transformInertiaTensor)
    out = step.begin(t, rows)
    inertia = step.world_inertia(rows, sp.matrix(quaternion(out, "root_rotation", 0)))
    return {**out, "inverse_mass": [1.0 / rows["mass"][0]], "inverse_inertia": sp.inverse_sym(inertia)}


def solve(rows: Operands, t: BodyTopology) -> Rows:
    """The velocity after the forces of one position iteration."""
    return step.solve(t, rows, final=False)


def move(rows: Operands, t: BodyTopology) -> Rows:
    """The motion of one position iteration; with PGS the velocity for the motion at the end."""
    return step.move(t if t.pgs else _moving_every_iteration(t), rows, rows["v"])


def finish(rows: Operands, t: BodyTopology) -> Rows:
    """The pose after the step."""
    return step.finish(t if t.pgs else _moving_every_iteration(t), rows)


def _moving_every_iteration(t: BodyTopology) -> BodyTopology:
    return replace(t, forces_every_iteration=True)


def wake(rows: Operands, t: BodyTopology) -> Rows:
    """The longest wake counter of the island so far, the body's included."""
    # an island sleeps once all its bodies are ready  (PxsIslandSim.cpp)
    return {"max_counter": [maximum(rows["max_counter"][0], sleep.longest_counter(t, rows))]}


def fall_asleep(rows: Operands, t: BodyTopology) -> Rows:
    """The body at the step's end, asleep if the whole island is, and its wake counter."""
    # sleeping is decided on the motion of the step  (DySleep.cpp, sleepCheck)
    start = {**rows, "root_rotation": rows["saved_root_rotation"]}
    return sleep.fall_asleep_in_island(_moving_every_iteration(t), start, rows, rows["max_counter"][0], rows["joints"])


def keep_awake(rows: Operands) -> Rows:
    """A wake counter that keeps the island awake, where a kinematic body at its joints is active."""
    # an active kinematic keeps its island awake
    max_counter = rows["max_counter"][0]
    return {"max_counter": [where(rows["active"][0] > 0.5, maximum(max_counter, sleep.MIN_COUNTER), max_counter)]}
