"""What a joint gave on average over a step, and whether that breaks it (DyTGSContactPrep.cpp, writeBack1DStep)."""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import NO_FORCE, Force, Motion, linear_first, triple
from physx_runtime.language.ops import Rows, Scalar, maximum, where
from physx_runtime.model.island import BODY, JointTopology
from physx_runtime.solver.joint.acting import Held, clear_of, forces_now, sides_at_start
from physx_runtime.solver.joint.kinds import lasting, row_kinds, stays
from physx_runtime.solver.joint.preparation import impulse_group
from physx_runtime.solver.joint.row import ROTATION
from physx_runtime.solver.joint.scratch import Made, Reading


def concluded(t: JointTopology, rows: Rows) -> Made:
    """What a joint leaves at a step's end: `force`(6) where it keeps that; `broken`, 1 for good, where it may break.

    rows: what `prepare` made with the impulses of the last iteration, `dt`, and of a joint that breaks `break_force`,
    `break_torque` and `broken`.
    """
    force, made = force_given(t, rows), dict[str, list[Scalar]]()
    if t.keeps_force:
        made["force"] = linear_first(force)
    if t.breaks:
        beyond = (sp.norm(force.linear) > rows["break_force"][0]) | (sp.norm(force.angular) > rows["break_torque"][0])
        made["broken"] = [maximum(rows["broken"][0], where(beyond, 1.0, 0.0))]
    return made


def force_given(t: JointTopology, rows: Rows) -> Force:
    """What a joint gave side 0 on average over the step, in world axes, its torque about B's anchor.

    Drives do not count; impulses act at the arms of the step's start, as measured of PhysX.
    """
    reading, given, held = Reading(rows), NO_FORCE, list[Held]()
    sides = sides_at_start(t, reading)
    for kind in row_kinds(t):
        forces = forces_now(t, kind, sides, reading)
        impulse = reading.scalar(impulse_group(kind))
        if not lasting(t):
            if kind.projected:
                forces, _ = clear_of(held, forces)
            r = reading.scalar("reciprocal") if stays(t, kind) and not kind.spring else 0.0
            answers = [Motion(reading.vector("spins") if stays(t, kind) and side.kind == BODY else sp.ZERO3, sp.ZERO3)
                       for side in t.sides]
            if kind.hint == ROTATION:
                held.append(Held(forces, (answers[0], answers[1]), r, 0.0))
        if kind.holds:
            given = given + forces[0] * impulse
    mean: Force = given.at(triple(rows, "lever", 0)) * (1.0 / rows["dt"][0])
    return mean
