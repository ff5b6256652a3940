"""One solve of a patch in an iteration (solveContact and solveExtContactStep in DyTGSContactPrep.cpp; PGS:
DySolverConstraints.cpp)."""

from __future__ import annotations

from dataclasses import dataclass

from physx_runtime.dynamics.spatial import NO_FORCE, ZERO3, Force, Motion, linear_first, triple
from physx_runtime.language.ops import Rows, Scalar, clamp, maximum, minimum, sqrt, where
from physx_runtime.model.contact import ContactTopology
from physx_runtime.model.island import BODY, KINEMATIC, LINK
from physx_runtime.solver.contact.sides import kept_row, velocities, ways
from physx_runtime.solver.joint.orthogonalisation import Forces, Motions, speed_along
from physx_runtime.solver.joint.scratch import Made, Reading, put


def solve(t: ContactTopology, rows: Rows, final: bool) -> Made:
    """A patch's impulses so far, and what those of this iteration do.

    rows: what the patch is given and what `prepare` made of it, `elapsed`, and per moving side `sideK_v`,
    `sideK_travel` and `sideK_turn`; of a body `sideK_inverse_mass`. Makes `impulse`, `friction_impulse`,
    `torsion_impulse`, `slipped`, `sideK_v` of bodies and `sideK_impulse` of links. final: an iteration for velocities
    alone, in which no depth is taken back.
    """
    state, reading, made = _State(velocities(t, rows), ways(t, rows)), Reading(rows), Made()
    pressed = _press(made, t, rows, reading, state, final)
    slipped = _rub(made, t, rows, reading, state, pressed, final)
    if t.torsional:
        slipped = _twist(made, t, rows, reading, state, pressed, slipped)
    return {**made, "slipped": [slipped], **_moved(t, state)}


def press(t: ContactTopology, rows: Rows) -> Made:
    """As `solve`, but for friction: the early position iterations of PGS."""
    state, made = _State(velocities(t, rows), ways(t, rows)), Made()
    _press(made, t, rows, Reading(rows), state, final=False)
    return {**made, **_moved(t, state)}


@dataclass(slots=True)
class _State:
    """Both sides between two rows."""

    velocities: Motions
    ways: Motions
    given: tuple[Force, Force] = (NO_FORCE, NO_FORCE)

    def push(self, forces: Forces, answers: tuple[Motion, Motion], impulse: Scalar) -> None:
        """An impulse of one row, which side 0 gets and side 1 loses."""
        (v0, v1), (g0, g1) = self.velocities, self.given
        self.velocities = v0 + answers[0] * impulse, v1 - answers[1] * impulse
        self.given = g0 + forces[0] * impulse, g1 - forces[1] * impulse


def _moved(t: ContactTopology, state: _State) -> Made:
    """What a patch does to its sides."""
    made = Made()
    for k, side in enumerate(t.sides):
        if side.kind == BODY:
            made[f"side{k}_v"] = linear_first(state.velocities[k])
        elif side.kind == LINK:
            made[f"side{k}_impulse"] = linear_first(state.given[k])
    return made


def _press(made: Made, t: ContactTopology, rows: Rows, reading: Reading, state: _State, final: bool) -> Scalar:
    """Normal rows, point after point; the sum of their impulses."""
    normal, pressed = triple(rows, "normal", 0), 0.0
    fastest, most, elapsed = rows["fastest"][0], rows["max_impulse"][0], rows["elapsed"][0]
    springs = rows["stiffness"][0] > 0.0 if t.pgs else False      # with PGS they act in every iteration
    for _ in range(t.points):
        forces, answers = kept_row(t, rows, reading, "point", normal)
        target, before = reading.scalar("target"), reading.scalar("impulse")
        depth = reading.scalar("error") + speed_along(forces, state.ways) - target * elapsed
        if final:
            depth = where(springs, depth, maximum(depth, 0.0))
        bias = minimum(fastest, reading.scalar("coefficient") * depth)
        speed = speed_along(forces, state.velocities) - target
        change = maximum(bias * reading.scalar("reciprocal") - speed * reading.scalar("multiplier"), -before)
        kept = reading.scalar("kept") * before if t.pgs else before
        after = minimum(kept + change, most)
        put(made, "impulse", after)
        state.push(forces, answers, after - before)
        pressed = pressed + after
    return maximum(pressed, rows["least"][0]) if t.linked else pressed


def _rub(made: Made, t: ContactTopology, rows: Rows, reading: Reading, state: _State, pressed: Scalar,
         final: bool) -> Scalar:
    """Friction, anchor after anchor; 1 where one slips."""
    share = rows["share"][0] * pressed
    holds, drags = rows["static_friction"][0] * share, rows["dynamic_friction"][0] * share
    if t.pgs:
        return _rub_axes(made, t, rows, reading, state, (holds, drags), final)
    return _rub_anchors(made, t, rows, reading, state, (holds, drags))


def _rub_anchors(made: Made, t: ContactTopology, rows: Rows, reading: Reading, state: _State,
                 limits: tuple[Scalar, Scalar]) -> Scalar:
    """Both axes of an anchor at once."""
    (holds, drags), slipped, rate = limits, 0.0, rows["rate"][0]
    axes = triple(rows, "tangents", 0), triple(rows, "tangents", 1)
    for _ in range(t.anchors):
        pairs = [kept_row(t, rows, reading, "friction", axis) for axis in axes]
        before = [reading.scalar("friction_impulse") for _ in axes]
        wanted = [_wanted(t, rows, reading, state, forces, old, rate)
                  for (forces, _), old in zip(pairs, before, strict=True)]
        size = sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1])
        some, slips = size > 0.0, size > holds
        kept = where(slips, minimum(drags, size) / where(some, size, 1.0), 1.0)
        slipped = where(slips, 1.0, slipped)
        for (forces, answers), old, impulse in zip(pairs, before, wanted, strict=True):
            put(made, "friction_impulse", kept * impulse)
            state.push(forces, answers, kept * impulse - old)
    return slipped


def _rub_axes(made: Made, t: ContactTopology, rows: Rows, reading: Reading, state: _State,
              limits: tuple[Scalar, Scalar], final: bool) -> Scalar:
    """Axis after axis, each within the limits by itself; in velocity iterations no axis goes back to where it began."""
    slipped, rate = 0.0, 0.0 if final else rows["rate"][0]
    for axis in [triple(rows, "tangents", i) for _ in range(t.anchors) for i in (0, 1)]:
        forces, answers = kept_row(t, rows, reading, "friction", axis)
        before = reading.scalar("friction_impulse")
        after, slips = _held_back(_wanted(t, rows, reading, state, forces, before, rate), limits)
        slipped = where(slips, 1.0, slipped)
        put(made, "friction_impulse", after)
        state.push(forces, answers, after - before)
    return slipped


def _held_back(wanted: Scalar, limits: tuple[Scalar, Scalar]) -> tuple[Scalar, Scalar]:
    """What friction gives along one axis of what it would take to hold, and whether that slips."""
    holds, drags = limits
    slips = abs(wanted) > holds
    return where(slips, clamp(wanted, -drags, drags), wanted), slips


def _wanted(t: ContactTopology, rows: Rows, reading: Reading, state: _State, forces: Forces, before: Scalar,
            rate: Scalar) -> Scalar:
    """The impulse with which a row would stand still where it began."""
    error = reading.scalar("friction_error") + speed_along(forces, state.ways)
    speed = speed_along(forces, state.velocities)
    if any(side.kind == KINEMATIC for side in t.sides):
        target = reading.scalar("friction_target")
        error, speed = error - target * rows["elapsed"][0], speed - target
    return before - reading.scalar("friction_multiplier") * (error * rate + speed)


def _twist(made: Made, t: ContactTopology, rows: Rows, reading: Reading, state: _State, pressed: Scalar,
           slipped: Scalar) -> Scalar:
    """Friction about the normal."""
    forces, answers = kept_row(t, rows, reading, "torsion", ZERO3)
    speed = speed_along(forces, state.velocities)
    if any(side.kind == KINEMATIC for side in t.sides):
        speed = speed - rows["torsion_target"][0]
    before, reach = rows["torsion_impulse"][0], rows["torsion_reach"][0] * pressed
    wanted = before - rows["torsion_multiplier"][0] * speed
    after, slips = _held_back(wanted, (rows["static_friction"][0] * reach, rows["dynamic_friction"][0] * reach))
    put(made, "torsion_impulse", after)
    state.push(forces, answers, after - before)
    return where(slips, 1.0, slipped)
