"""Fragments of one joint outside articulations (`solver.joint`)."""

from __future__ import annotations

from physx_runtime.language.ops import Rows, where
from physx_runtime.model.island import JointTopology
from physx_runtime.solver import sleep
from physx_runtime.solver.maximal_joint import couplings, step
from physx_runtime.solver.scheduled.fragments.kinematics import Operands


def prepare(rows: Operands, t: JointTopology) -> Rows:
    """What all iterations of a step need of a joint."""
    return step.prepare(t, rows)


def solve(rows: Operands, t: JointTopology, final: bool) -> Rows:
    """One solution of a joint."""
    return step.solve(t, rows, final)


def conclude(rows: Operands, t: JointTopology) -> Rows:
    """What a joint gave, and whether it has broken."""
    return step.conclude(t, rows)


def hinge(rows: Operands, t: JointTopology) -> Rows:
    """The angle of a hinge that a gear or a rack couples."""
    return couplings.hinge(t, rows)


def slide(rows: Operands, t: JointTopology) -> Rows:
    """How far the slider of a rack is out."""
    return couplings.slide(t, rows)


def undo(rows: Operands) -> Rows:
    """The kept value in an island that rested before."""
    _, slept_before = sleep.sleep_flags(rows["max_counter"][0], rows["diverged"][0], rows["asleep"][0])
    return {"x": [where(slept_before, rows["saved"][0], rows["x"][0])]}


def count(rows: Operands) -> Rows:
    """How many joints hold a link, with one more unless it is broken."""
    # unbroken joints count as interactions  (ScBodySim.h, registerCountedInteraction)
    return {"joints": [rows["joints"][0] + 1.0 - (rows["broken"][0] if "broken" in rows else 0.0)]}
