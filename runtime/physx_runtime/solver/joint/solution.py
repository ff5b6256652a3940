"""One solve of a joint in an iteration (solve1DStep and solveExt1D in DyTGSContactPrep.cpp)."""

from __future__ import annotations

from physx_runtime.dynamics.spatial import NO_FORCE, ZERO3, Force, Motion, dot, linear_first
from physx_runtime.language.ops import Rows, Scalar, clamp, maximum, minimum
from physx_runtime.model.island import BODY, LINK, JointTopology
from physx_runtime.solver.joint.acting import Held, MovedSide, Sides, clear_of, forces_now, moved_sides
from physx_runtime.solver.joint.kinds import RowKind, aims, lasting, row_kinds, stays
from physx_runtime.solver.joint.orthogonalisation import Forces, answer_along, answers_to, speed_along
from physx_runtime.solver.joint.preparation import impulse_group
from physx_runtime.solver.joint.row import ROTATION
from physx_runtime.solver.joint.scratch import Made, Reading, put


def solve(t: JointTopology, rows: Rows, final: bool) -> Made:
    """A joint's impulses so far, and what those of this iteration do.

    rows: what `prepare` made, `elapsed`, and per moving side `sideK_v`, `sideK_travel`, `sideK_turn` and
    `sideK_turned_by`; of a body `sideK_inverse_mass` and `sideK_inverse_inertia`. Makes `impulse`, `spring_impulse`,
    `sideK_v` of bodies and `sideK_impulse` of links. final: an iteration for velocities alone, in which nothing has a
    bias but limits that are not reached yet.
    """
    made: Made = {}
    reading = Reading(rows)
    sides = moved_sides(t, rows, reading)
    if lasting(t):
        _as_begun(made, t, rows, sides, reading, final)
    else:
        _between_bodies(made, t, rows, sides, reading, final)
    rests = final and not (t.pgs or t.sapien)       # else springs act in every iteration
    return {name: values for name, values in made.items() if not (rests and name == "spring_impulse")}


def _between_bodies(made: Made, t: JointTopology, rows: Rows, sides: Sides, reading: Reading, final: bool) -> None:
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


def _spun(t: JointTopology, k: int, reading: Reading) -> Motion:
    return Motion(reading.vector("spins") if t.sides[k].kind == BODY else ZERO3, ZERO3)


def _as_begun(made: Made, t: JointTopology, rows: Rows, sides: Sides, reading: Reading, final: bool) -> None:
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


def _error(kind: RowKind, forces: Forces, sides: Sides, reading: Reading) -> Scalar:
    """How far off a row is now; of a spring, how much farther than at the start."""
    gone = _gone(kind, forces[0], sides[0]) - _gone(kind, forces[1], sides[1])
    return gone if kind.spring else reading.scalar("error") + gone


def _gone(kind: RowKind, force: Force, side: MovedSide) -> Scalar:
    way = dot(force.linear, side.way)
    return way + dot(force.angular, side.turn) if kind.angular else way


def _change(made: Made, t: JointTopology, rows: Rows, kind: RowKind, reading: Reading,
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


def _spring(t: JointTopology, rows: Rows, reading: Reading, now: tuple[Scalar, Scalar, Scalar], final: bool) -> Scalar:
    speed, way, _ = now
    for_velocity, for_way, at_once = reading.vector("spring")
    if t.sapien:
        aim, target, kept = reading.vector("spring_aim")
        back = for_way * (way - target * rows["elapsed"][0]) + at_once
        return for_velocity * speed + aim + (kept * back if final else back)
    return 0.0 if final and not t.pgs else for_velocity * speed + for_way * way + at_once


def _hard(t: JointTopology, rows: Rows, kind: RowKind, reading: Reading, now: tuple[Scalar, Scalar, Scalar],
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


def _bounded(kind: RowKind, reading: Reading, impulse: Scalar) -> Scalar:
    if kind.drive:
        largest = reading.scalar("largest_impulse")
        return clamp(impulse, -largest, largest)
    return maximum(impulse, 0.0) if kind.pushes else minimum(impulse, 0.0)
