"""One solve of a patch in an iteration (solveContact and solveExtContactStep in DyTGSContactPrep.cpp; PGS:
DySolverConstraints.cpp)."""

from __future__ import annotations

from typing import Any

from physx_runtime.dynamics.spatial import ZERO3, triple
from physx_runtime.language.ops import Rows, Scalar, clamp, maximum, minimum, sqrt, where
from physx_runtime.model.contact_rows import ContactTopology
from physx_runtime.model.island import KINEMATIC
from physx_runtime.solver.contact.sides import Sides, State
from physx_runtime.solver.maximal_joint.preparation import Made, RowReader, put


def solve(t: ContactTopology, rows: Rows, final: bool) -> Made:
    """A patch's impulses so far, and what those of this iteration do.

    rows: what the patch is given and what `prepare` made of it, `elapsed`, and per moving side `sideK_v`,
    `sideK_travel` and `sideK_turn`; of a body `sideK_inverse_mass`. Makes `impulse`, `friction_impulse`,
    `torsion_impulse`, `slipped`, `sideK_v` of bodies and `sideK_impulse` of links. final: an iteration for velocities
    alone, in which no depth is taken back.
    """
    return solve_between(Sides(t, rows), t, rows, final)


def solve_between(state: State, t: ContactTopology, rows: Rows, final: bool) -> Made:
    """As `solve` of what moves as `state` has it."""
    reading, made = RowReader(rows), Made()
    pressed = _press(made, t, rows, reading, state, final)
    slipped = _rub(made, t, rows, reading, state, pressed, final)
    if t.torsional:
        slipped = _twist(made, t, rows, reading, state, pressed, slipped)
    return {**made, "slipped": [slipped], **state.made()}


def press(t: ContactTopology, rows: Rows) -> Made:
    """As `solve`, but for friction: the early position iterations of PGS."""
    state, made = Sides(t, rows), Made()
    _press(made, t, rows, RowReader(rows), state, final=False)
    return {**made, **state.made()}


def _press(made: Made, t: ContactTopology, rows: Rows, reading: RowReader, state: State, final: bool) -> Scalar:
    """Normal rows, point after point; the sum of their impulses."""
    normal, pressed = triple(rows, "normal", 0), 0.0
    fastest, most, elapsed = rows["fastest"][0], rows["max_impulse"][0], rows["elapsed"][0]
    springs = rows["stiffness"][0] > 0.0 if t.pgs else False      # with PGS they act in every iteration
    for _ in range(t.points):
        row = state.row(reading, "point", normal)
        target, before = reading.scalar("target"), reading.scalar("impulse")
        depth = reading.scalar("error") + state.way(row) - target * elapsed
        if final:
            depth = where(springs, depth, maximum(depth, 0.0))
        bias = minimum(fastest, reading.scalar("coefficient") * depth)
        speed = state.speed(row) - target
        change = maximum(bias * reading.scalar("reciprocal") - speed * reading.scalar("multiplier"), -before)
        kept = reading.scalar("kept") * before if t.pgs else before
        after = minimum(kept + change, most)
        put(made, "impulse", after)
        state.push(row, after - before)
        pressed = pressed + after
    return maximum(pressed, rows["least"][0]) if t.linked else pressed


def _rub(made: Made, t: ContactTopology, rows: Rows, reading: RowReader, state: State, pressed: Scalar,
         final: bool) -> Scalar:
    """Friction, anchor after anchor; 1 where one slips."""
    share = rows["share"][0] * pressed
    holds, drags = rows["static_friction"][0] * share, rows["dynamic_friction"][0] * share
    if t.pgs:
        return _rub_axes(made, t, rows, reading, state, (holds, drags), final)
    return _rub_anchors(made, t, rows, reading, state, (holds, drags))


def _rub_anchors(made: Made, t: ContactTopology, rows: Rows, reading: RowReader, state: State,
                 limits: tuple[Scalar, Scalar]) -> Scalar:
    """Both axes of an anchor at once."""
    (holds, drags), slipped, rate = limits, 0.0, rows["rate"][0]
    axes = triple(rows, "tangents", 0), triple(rows, "tangents", 1)
    for _ in range(t.anchors):
        kept_rows = [state.row(reading, "friction", axis) for axis in axes]
        before = [reading.scalar("friction_impulse") for _ in axes]
        wanted = [_wanted(t, rows, reading, state, row, old, rate) for row, old in zip(kept_rows, before, strict=True)]
        size = sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1])
        some, slips = size > 0.0, size > holds
        kept = where(slips, minimum(drags, size) / where(some, size, 1.0), 1.0)
        slipped = where(slips, 1.0, slipped)
        for row, old, impulse in zip(kept_rows, before, wanted, strict=True):
            put(made, "friction_impulse", kept * impulse)
            state.push(row, kept * impulse - old)
    return slipped


def _rub_axes(made: Made, t: ContactTopology, rows: Rows, reading: RowReader, state: State,
              limits: tuple[Scalar, Scalar], final: bool) -> Scalar:
    """Axis after axis, each within the limits by itself; in velocity iterations no axis goes back to where it began."""
    slipped, rate = 0.0, 0.0 if final else rows["rate"][0]
    for axis in [triple(rows, "tangents", i) for _ in range(t.anchors) for i in (0, 1)]:
        row = state.row(reading, "friction", axis)
        before = reading.scalar("friction_impulse")
        after, slips = _held_back(_wanted(t, rows, reading, state, row, before, rate), limits)
        slipped = where(slips, 1.0, slipped)
        put(made, "friction_impulse", after)
        state.push(row, after - before)
    return slipped


def _held_back(wanted: Scalar, limits: tuple[Scalar, Scalar]) -> tuple[Scalar, Scalar]:
    """What friction gives along one axis of what it would take to hold, and whether that slips."""
    holds, drags = limits
    slips = abs(wanted) > holds
    return where(slips, clamp(wanted, -drags, drags), wanted), slips


def _wanted(t: ContactTopology, rows: Rows, reading: RowReader, state: State, row: Any, before: Scalar,
            rate: Scalar) -> Scalar:
    """The impulse with which a row would stand still where it began."""
    error = reading.scalar("friction_error") + state.way(row)
    speed = state.speed(row)
    if any(side.kind == KINEMATIC for side in t.sides):
        target = reading.scalar("friction_target")
        error, speed = error - target * rows["elapsed"][0], speed - target
    return before - reading.scalar("friction_multiplier") * (error * rate + speed)


def _twist(made: Made, t: ContactTopology, rows: Rows, reading: RowReader, state: State, pressed: Scalar,
           slipped: Scalar) -> Scalar:
    """Friction about the normal."""
    row = state.row(reading, "torsion", ZERO3)
    speed = state.speed(row)
    if any(side.kind == KINEMATIC for side in t.sides):
        speed = speed - rows["torsion_target"][0]
    before, reach = rows["torsion_impulse"][0], rows["torsion_reach"][0] * pressed
    wanted = before - rows["torsion_multiplier"][0] * speed
    after, slips = _held_back(wanted, (rows["static_friction"][0] * reach, rows["dynamic_friction"][0] * reach))
    put(made, "torsion_impulse", after)
    state.push(row, after - before)
    return where(slips, 1.0, slipped)
