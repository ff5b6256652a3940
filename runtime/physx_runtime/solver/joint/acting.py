"""What the rows of a joint act on within an iteration: both sides where they are now, and the forces of each row."""

from __future__ import annotations

from dataclasses import dataclass

from physx_runtime.dynamics import rounded
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.articulated import NO_LINK_RESPONSE, LinkResponse
from physx_runtime.dynamics.spatial import (
    NO_MOTION,
    ZERO3,
    Force,
    Motion,
    Vec3,
    motion_of,
    quaternion,
    triple,
)
from physx_runtime.language.ops import Rows, Scalar
from physx_runtime.model.island import BODY, GEAR, RACK, JointTopology
from physx_runtime.solver.joint.kinds import RowKind, has_arm, lasting
from physx_runtime.solver.joint.orthogonalisation import Forces, Motions, answer_along
from physx_runtime.solver.joint.preparation import body_response
from physx_runtime.solver.joint.scratch import Reading


@dataclass(frozen=True, slots=True)
class MovedSide:
    """What a joint holds at one side."""

    velocity: Motion                # before the joint acts
    response: LinkResponse          # of a rigid body, none of others
    arm: Vec3                       # to where linear rows act, turned with it
    way: Vec3                       # how far that point has come since the step's start
    turn: Vec3                      # time integral of its angular velocity


Sides = tuple[MovedSide, MovedSide]


def moved_sides(t: JointTopology, rows: Rows, reading: Reading) -> Sides:
    """Both sides of a joint."""
    return _moved(t, rows, 0, reading), _moved(t, rows, 1, reading)


def _moved(t: JointTopology, rows: Rows, k: int, reading: Reading) -> MovedSide:
    side = t.sides[k]
    arm = reading.vector("arms") if has_arm(t, k) else ZERO3
    if not side.moves:
        return MovedSide(NO_MOTION, NO_LINK_RESPONSE, arm, ZERO3, ZERO3)
    turned = (rounded.turned if side.turns_itself else sp.rotate)(quaternion(rows, f"side{k}_turned_by", 0), arm)
    way = sp.sub(sp.add(turned, triple(rows, f"side{k}_travel", 0)), arm)
    response = body_response(rows, k) if side.kind == BODY else NO_LINK_RESPONSE
    return MovedSide(motion_of(rows[f"side{k}_v"]), response, turned, way, triple(rows, f"side{k}_turn", 0))


def sides_at_start(t: JointTopology, reading: Reading) -> Sides:
    """Both sides of a joint before anything has moved, as far as forces ask for them."""
    first, second = (reading.vector("arms") if has_arm(t, k) else ZERO3 for k in (0, 1))
    return (MovedSide(NO_MOTION, NO_LINK_RESPONSE, first, ZERO3, ZERO3),
            MovedSide(NO_MOTION, NO_LINK_RESPONSE, second, ZERO3, ZERO3))


def forces_now(t: JointTopology, kind: RowKind, sides: Sides, reading: Reading) -> Forces:
    """The forces of the next row: of bodies linear ones at the arms as they are, of links those of the step's start."""
    if t.pgs:
        first, second = (Force(reading.vector("forces"), reading.vector("forces")) for _ in (0, 1))
        return first, second
    axis = reading.vector("axes")
    if t.kind == GEAR:
        return Force(axis, ZERO3), Force(reading.vector("axes"), ZERO3)
    if t.kind == RACK:
        slider = reading.vector("axes")
        return Force(axis, ZERO3), Force(ZERO3 if lasting(t) else sp.cross(sides[1].arm, slider), slider)
    if kind.angular:
        return Force(axis, ZERO3), Force(axis, ZERO3)
    levers = [_lever(t, k, sides[k], axis, reading) for k in (0, 1)]
    return Force(levers[0], axis), Force(levers[1], axis)


def _lever(t: JointTopology, k: int, side: MovedSide, axis: Vec3, reading: Reading) -> Vec3:
    if not (t.weighed or t.sides[k].moves):
        return ZERO3
    return reading.vector("levers") if lasting(t) else sp.cross(side.arm, axis)


@dataclass(frozen=True, slots=True)
class Held:
    """A rotational equality row between bodies: what linear rows leave alone."""

    forces: Forces
    answers: Motions
    reciprocal: Scalar
    error: Scalar                   # now


def clear_of(held: list[Held], forces: Forces) -> tuple[Forces, Scalar]:
    """Forces that turn nothing against rotational equality rows, and the part of those rows' errors left with them."""
    first, second = forces
    taken: Scalar = 0.0
    for row in held:
        share = row.reciprocal * answer_along(forces, row.answers)
        first, second = first - row.forces[0] * share, second - row.forces[1] * share
        taken = taken + share * row.error
    return (first, second), taken
