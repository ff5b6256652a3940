"""Solving the rows of a joint, and the force it gave.

One solve of a joint in an iteration (solve1DStep and solveExt1D in DyTGSContactPrep.cpp).

What a joint gave on average over a step, and whether that breaks it (DyTGSContactPrep.cpp, writeBack1DStep).

What the rows of a joint act on within an iteration: both sides where they are now, and the forces of each row.
"""

from __future__ import annotations

from dataclasses import dataclass

from physx_runtime.dynamics import rounded
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.aba import NO_LINK_RESPONSE, LinkResponse
from physx_runtime.dynamics.spatial import (
    NO_FORCE,
    NO_MOTION,
    ZERO3,
    Force,
    Motion,
    Vec3,
    dot,
    linear_first,
    motion_of,
    quaternion,
    triple,
)
from physx_runtime.language.ops import Rows, Scalar, clamp, maximum, minimum, where
from physx_runtime.model.island import BODY, GEAR, LINK, RACK, JointTopology
from physx_runtime.solver.maximal_joint.couplings import Forces, Motions, answer_along, answers_to, speed_along
from physx_runtime.solver.maximal_joint.kinds import RowKind, aims, has_arm, lasting, row_kinds, stays
from physx_runtime.solver.maximal_joint.preparation import Made, RowReader, body_response, impulse_group, put
from physx_runtime.solver.maximal_joint.rows import ROTATION


@dataclass(frozen=True, slots=True)
class MovedSide:
    """What a joint holds at one side."""

    velocity: Motion                # before the joint acts
    response: LinkResponse          # of a rigid body, none of others
    arm: Vec3                       # to where linear rows act, turned with it
    way: Vec3                       # how far that point has come since the step's start
    turn: Vec3                      # time integral of its angular velocity


Sides = tuple[MovedSide, MovedSide]


def moved_sides(t: JointTopology, rows: Rows, reading: RowReader) -> Sides:
    """Both sides of a joint."""
    return _moved(t, rows, 0, reading), _moved(t, rows, 1, reading)


def _moved(t: JointTopology, rows: Rows, k: int, reading: RowReader) -> MovedSide:
    side = t.sides[k]
    arm = reading.vector("arms") if has_arm(t, k) else ZERO3
    if not side.moves:
        return MovedSide(NO_MOTION, NO_LINK_RESPONSE, arm, ZERO3, ZERO3)
    turned = (rounded.turned if side.turns_itself else sp.rotate)(quaternion(rows, f"side{k}_turned_by", 0), arm)
    way = sp.sub(sp.add(turned, triple(rows, f"side{k}_travel", 0)), arm)
    response = body_response(rows, k) if side.kind == BODY else NO_LINK_RESPONSE
    return MovedSide(motion_of(rows[f"side{k}_v"]), response, turned, way, triple(rows, f"side{k}_turn", 0))


def sides_at_start(t: JointTopology, reading: RowReader) -> Sides:
    """Both sides of a joint before anything has moved, as far as forces ask for them."""
    first, second = (reading.vector("arms") if has_arm(t, k) else ZERO3 for k in (0, 1))
    return (MovedSide(NO_MOTION, NO_LINK_RESPONSE, first, ZERO3, ZERO3),
            MovedSide(NO_MOTION, NO_LINK_RESPONSE, second, ZERO3, ZERO3))


def forces_now(t: JointTopology, kind: RowKind, sides: Sides, reading: RowReader) -> Forces:
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


def _lever(t: JointTopology, k: int, side: MovedSide, axis: Vec3, reading: RowReader) -> Vec3:
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


def solve(t: JointTopology, rows: Rows, final: bool) -> Made:
    """A joint's impulses so far, and what those of this iteration do.

    rows: what `prepare` made, `elapsed`, and per moving side `sideK_v`, `sideK_travel`, `sideK_turn` and
    `sideK_turned_by`; of a body `sideK_inverse_mass` and `sideK_inverse_inertia`. Makes `impulse`, `spring_impulse`,
    `sideK_v` of bodies and `sideK_impulse` of links. final: an iteration for velocities alone, in which nothing has a
    bias but limits that are not reached yet.
    """
    made: Made = {}
    reading = RowReader(rows)
    sides = moved_sides(t, rows, reading)
    if lasting(t):
        _as_begun(made, t, rows, sides, reading, final)
    else:
        _between_bodies(made, t, rows, sides, reading, final)
    rests = final and not (t.pgs or t.sapien)       # else springs act in every iteration
    return {name: values for name, values in made.items() if not (rests and name == "spring_impulse")}


def _between_bodies(made: Made, t: JointTopology, rows: Rows, sides: Sides, reading: RowReader, final: bool) -> None:
    """Row by row, each on the velocities that the ones before it left."""
    first, second = sides[0].velocity, sides[1].velocity
    held: list[Held] = []
    for kind in row_kinds(t):
        forces, taken = forces_now(t, kind, sides, reading), 0.0
        if stays(t, kind):
            answers = (_spun(t, 0, reading), _spun(t, 1, reading))
            r = 0.0 if kind.spring else reading.scalar("reciprocal")
        else:
            if kind.projected:
                forces, taken = clear_of(held, forces)
            answers = answers_to(forces, (sides[0].response, sides[1].response))
            r = 0.0 if kind.spring else 1.0 / answer_along(forces, answers)
        error = _error(kind, forces, sides, reading)
        if kind.hint == ROTATION:
            held.append(Held(forces, answers, r, error))
        speed = speed_along(forces, (first, second))
        change = _change(made, t, rows, kind, reading, (speed, error - taken, r), final)
        first, second = first + answers[0] * change, second - answers[1] * change
    for k, velocity in enumerate((first, second)):
        if t.sides[k].kind == BODY:
            made[f"side{k}_v"] = linear_first(velocity)


def _spun(t: JointTopology, k: int, reading: RowReader) -> Motion:
    return Motion(reading.vector("spins") if t.sides[k].kind == BODY else ZERO3, ZERO3)


def _as_begun(made: Made, t: JointTopology, rows: Rows, sides: Sides, reading: RowReader, final: bool) -> None:
    """Row by row, all as they were prepared, on velocities that are read once; how they answer each other is known."""
    velocities = (sides[0].velocity, sides[1].velocity)
    given, taken = NO_FORCE, NO_FORCE
    changes: list[Scalar] = []
    for kind in row_kinds(t):
        forces = forces_now(t, kind, sides, reading)
        r = 0.0 if kind.spring else reading.scalar("reciprocal")
        speed = speed_along(forces, velocities)
        for change in changes:
            speed = speed + reading.scalar("delassus") * change
        error = _error(kind, forces, sides, reading)
        changes.append(_change(made, t, rows, kind, reading, (speed, error, r), final))
        given, taken = given + forces[0] * changes[-1], taken + forces[1] * changes[-1]
    for k, impulse in enumerate((given, NO_FORCE - taken)):
        if t.sides[k].kind == LINK:
            made[f"side{k}_impulse"] = linear_first(impulse)
        elif t.sides[k].kind == BODY:
            made[f"side{k}_v"] = linear_first(velocities[k] + sides[k].response.motion(impulse))


def _error(kind: RowKind, forces: Forces, sides: Sides, reading: RowReader) -> Scalar:
    """How far off a row is now; of a spring, how much farther than at the start."""
    gone = _gone(kind, forces[0], sides[0]) - _gone(kind, forces[1], sides[1])
    return gone if kind.spring else reading.scalar("error") + gone


def _gone(kind: RowKind, force: Force, side: MovedSide) -> Scalar:
    way = dot(force.linear, side.way)
    return way + dot(force.angular, side.turn) if kind.angular else way


def _change(made: Made, t: JointTopology, rows: Rows, kind: RowKind, reading: RowReader,
            now: tuple[Scalar, Scalar, Scalar], final: bool) -> Scalar:
    """The impulse that a row adds; now: the velocity along it, its error, and one over how the sides answer it."""
    before = reading.scalar(impulse_group(kind))
    change = _spring(t, rows, reading, now, final) if kind.spring else _hard(t, rows, kind, reading, now, final)
    if kind.spring and t.pgs:
        change = change - reading.scalar("again") * before
    bounded = kind.drive or kind.pushes or kind.pulls
    after = _bounded(kind, reading, before + change) if bounded else before + change
    if t.breaks:
        after = rows["acts"][0] * after
    put(made, impulse_group(kind), after)
    return after - before if bounded or t.breaks else change


def _spring(t: JointTopology, rows: Rows, reading: RowReader, now: tuple[Scalar, Scalar, Scalar],
            final: bool) -> Scalar:
    speed, way, _ = now
    for_velocity, for_way, at_once = reading.vector("spring")
    if t.sapien:
        aim, target, kept = reading.vector("spring_aim")
        back = for_way * (way - target * rows["elapsed"][0]) + at_once
        return for_velocity * speed + aim + (kept * back if final else back)
    return 0.0 if final and not t.pgs else for_velocity * speed + for_way * way + at_once


def _hard(t: JointTopology, rows: Rows, kind: RowKind, reading: RowReader, now: tuple[Scalar, Scalar, Scalar],
          final: bool) -> Scalar:
    speed, error, r = now
    bias, fastest_turn, fastest_way = rows["bias"]
    target = reading.scalar("target") if aims(t, kind) else 0.0
    own = reading.scalar("own_bias") if kind.bounces else bias
    kept = reading.scalar("kept_bias") if kind.keeps_bias else 0.0
    fastest = fastest_turn if kind.angular else fastest_way
    back = minimum((kept if final else own) * (error - target * rows["elapsed"][0]), fastest)
    if not kind.limit:
        back = maximum(back, -fastest)
    return r * ((back if kind.keeps_bias or not final else 0.0) + target - speed)


def _bounded(kind: RowKind, reading: RowReader, impulse: Scalar) -> Scalar:
    if kind.drive:
        largest = reading.scalar("largest_impulse")
        return clamp(impulse, -largest, largest)
    return maximum(impulse, 0.0) if kind.pushes else minimum(impulse, 0.0)


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
    reading, given, held = RowReader(rows), NO_FORCE, list[Held]()
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
