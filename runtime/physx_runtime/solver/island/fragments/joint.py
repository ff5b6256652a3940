"""Fragments of one maximal joint of an island: the functions of `solver.maximal_joint`."""

from __future__ import annotations

from physx_runtime.language.ops import Rows, where
from physx_runtime.model.island import JointTopology
from physx_runtime.solver import sleep
from physx_runtime.solver.maximal_joint import couplings, step
from physx_runtime.solver.scheduled.fragments.kinematics import Operands


def prepare(rows: Operands, t: JointTopology) -> Rows:
    """Prepare a joint for the iterations of a step."""
    return step.prepare(t, rows)


def solve(rows: Operands, t: JointTopology, final: bool) -> Rows:
    """Solve a joint once."""
    return step.solve(t, rows, final)


def conclude(rows: Operands, t: JointTopology) -> Rows:
    """The force of a joint, and whether it is broken."""
    return step.conclude(t, rows)


def hinge(rows: Operands, t: JointTopology) -> Rows:
    """The angle of a hinge of a gear or a rack."""
    return couplings.hinge(t, rows)


def slide(rows: Operands, t: JointTopology) -> Rows:
    """The displacement of the slider of a rack."""
    return couplings.slide(t, rows)


def undo(rows: Operands) -> Rows:
    """The old value in an island that was asleep before."""
    _, slept_before = sleep.sleep_flags(rows["max_counter"][0], rows["diverged"][0], rows["asleep"][0])
    return {"x": [where(slept_before, rows["saved"][0], rows["x"][0])]}


def count(rows: Operands) -> Rows:
    """The number of joints of a link, plus one for a joint that is not broken."""
    # unbroken joints count as interactions  (ScBodySim.h, registerCountedInteraction)
    return {"joints": [rows["joints"][0] + 1.0 - (rows["broken"][0] if "broken" in rows else 0.0)]}
