"""Rows of a contact patch: prepared once, solved in every iteration.

Constants of a patch's rows, once a step at the poses of its start (DyTGSContactPrep.cpp; PGS: DyContactPrep.cpp).

One solve of a patch in an iteration (solveContact and solveExtContactStep in DyTGSContactPrep.cpp; PGS:
DySolverConstraints.cpp).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import ZERO3, Force, Vec3, triple
from physx_runtime.language.ops import Rows, Scalar, Scalars, clamp, inverted, maximum, minimum, sqrt, where
from physx_runtime.language.symbols import Graph
from physx_runtime.model.contact_rows import ContactTopology, patch_rows
from physx_runtime.model.island import KINEMATIC
from physx_runtime.solver.contact.solver_bodies import (
    AT_START,
    Sides,
    State,
    forces_at,
    keep_row,
    kinematic_velocities,
    positions,
    responses,
    softness,
    velocities,
)
from physx_runtime.solver.maximal_joint.couplings import (
    Forces,
    Motions,
    Responses,
    answer_along,
    answers_to,
    speed_along,
)
from physx_runtime.solver.maximal_joint.preparation import Made, RowReader, put

# Share of an error that an iteration takes back at most: of depth, and of all friction.
MOST_BACK = 0.8
# Share of the way along a surface that friction of links takes back in SAPIEN 3.0.
SAPIEN_BACK = 0.8
# The square of a sliding speed [m^2/s^2] beyond which friction acts along it.
SLIDING = 1e-4
# A normal's part along x beyond which another axis makes the tangent.
STEEP = 0.70710678
# Rows of links whose sides answer them with less give no friction.
LEAST_ANSWER = 1.1920929e-07
# Share of the impulse that would stop a link at once, below which its friction does not sink.
LEAST_SHARE = 0.25


@functools.lru_cache(maxsize=256)
def prepared_rows(t: ContactTopology) -> Mapping[str, int]:
    """Size of every row group of scratch that `prepare` makes."""
    graph = Graph()
    rows = {name: [graph.input(f"{name}_{i}") for i in range(size)] for name, size in prepared_from(t).items()}
    return MappingProxyType({name: len(values) for name, values in prepare(t, rows).items()})


def prepared_from(t: ContactTopology) -> dict[str, int]:
    """What preparing a patch reads, and how many numbers each is."""
    sides = {f"side{k}_{name}": size for k, side in enumerate(t.sides) for name, size in AT_START[side.kind].items()}
    return {**patch_rows(t), "dt": 1, "h": 1, **sides}


def prepare(t: ContactTopology, rows: Rows) -> Made:
    """What solving a patch needs, its impulses 0. rows: as `prepared_from` says."""
    return prepare_by(Step(t, rows))


def prepare_by(step: Step) -> Made:
    """As `prepare` of what moves as `step` has it."""
    made: Made = {}
    _put_points(made, step)
    _put_friction(made, step)
    if step.t.torsional:
        _put_torsion(made, step)
    made["slipped"] = [0.0]
    return made


class Step:
    """What all rows of a patch are made of, and how they are kept: for `Sides.row`."""

    def __init__(self, t: ContactTopology, rows: Rows) -> None:
        self.t, self.rows = t, rows
        self.dt, self.h = rows["dt"][0], rows["h"][0]
        self.normal = triple(rows, "normal", 0)
        self.places = positions(t, rows)
        self.carried = kinematic_velocities(t, rows)
        moving = self.velocities()
        self.speeds: Motions = (moving[0] + self.carried[0], moving[1] + self.carried[1])
        self.cfm = softness(t, rows)
        self.back = minimum(MOST_BACK, 2.0 * sqrt(self.h / self.dt))

    def velocities(self) -> Motions:
        """Of what forces move, at the step's start."""
        return velocities(self.t, self.rows)

    def put_row(self, made: Made, group: str, forces: Forces) -> Scalar:
        """Put a row for the solution to read back; how far it feels what the sides answer to it."""
        answers = answers_to(forces, self._responses)
        keep_row(made, self.t, group, forces, answers)
        return answer_along(forces, answers)

    @functools.cached_property
    def _responses(self) -> Responses:
        return responses(self.t, self.rows)

    def number(self, name: str) -> Scalar:
        """One number of a row group that has no more."""
        return self.rows[name][0]

    def aim(self, forces: Forces) -> Scalar:
        """How fast what is moved from outside leads along a row."""
        return -speed_along(forces, self.carried)

    @property
    def driven(self) -> bool:
        """Whether a side is moved from outside."""
        return any(side.kind == KINEMATIC for side in self.t.sides)


def _put_points(made: Made, s: Step) -> None:
    """Normal rows; of links also how little their friction may count on."""
    stopping: Scalar = 0.0
    for i, used in enumerate(s.rows["point_used"]):
        point = triple(s.rows, "point", i)
        forces = forces_at((sp.sub(point, s.places[0]), sp.sub(point, s.places[1])), s.normal)
        unit = s.put_row(made, "point", forces)
        some = (unit > 0.0) & (used > 0.0)
        r = where(some, 1.0 / where(some, unit + s.cfm, 1.0), 0.0)
        depth, speed = s.rows["separation"][i], speed_along(forces, s.speeds)
        comes = -speed > depth / s.dt
        bounces = (s.number("restitution") > 0.0) & (-s.number("bounce_threshold") > speed)
        bounces = bounces if s.t.sapien else bounces & comes
        bounces = bounces & inverted(s.number("stiffness") > 0.0)
        back = where(bounces, -s.number("restitution") * speed, 0.0)
        left = 0.0 if s.t.pgs else depth + back * (s.dt + depth / where(bounces, speed, 1.0))
        put(made, "error", where(bounces, left, depth))
        put(made, "target", back + s.aim(forces))
        coefficient, multiplier = _stiffness(made, s, unit, r, depth, comes)
        put(made, "coefficient", coefficient)
        put(made, "reciprocal", r)
        put(made, "multiplier", where(some, multiplier, 0.0))
        put(made, "impulse", 0.0)
        apart = maximum(depth, 0.0) if s.t.pgs else depth
        stopping = stopping + maximum((back - apart / s.dt - speed) * multiplier * used, 0.0)
    stiff = s.number("stiffness") > 0.0
    # between bodies compliant surfaces part as fast as they may, at links they do not but with PGS
    put(made, "fastest", s.number("max_depenetration") if s.t.linked and not s.t.pgs
        else where(stiff, math.inf, s.number("max_depenetration")))
    if s.t.linked:
        put(made, "least", LEAST_SHARE * stopping / maximum(_sum(s.rows["point_used"]), 1.0))


def _stiffness(made: Made, s: Step, unit: Scalar, r: Scalar, depth: Scalar, comes: Scalar) -> tuple[Scalar, Scalar]:
    """What a row makes of its depth as a velocity, and of a velocity as an impulse; with PGS also what it keeps of the
    impulse so far."""
    k, free = s.number("stiffness"), s.number("acceleration_spring") > 0.0
    stiff, apart = k > 0.0, depth > 0.0
    a = s.h * (where(apart & inverted(comes), 0.0, s.number("damping")) + s.h * k)
    x = 1.0 / (1.0 + a * where(free, 1.0, unit))
    if s.t.pgs:
        put(made, "kept", where(stiff, 1.0 - x, 1.0))
    coefficient = -s.h * k * x * where(free, 1.0, unit + s.cfm if s.t.pgs else unit)
    rigid = where(apart, 1.0, s.back) / s.h
    return where(stiff, coefficient, -rigid), where(stiff, x * a * where(free, r, 1.0), r)


def _put_friction(made: Made, s: Step) -> None:
    """Two rows for each anchor."""
    first = _tangent(s)
    across = sp.cross(s.normal, first)
    second = across if s.t.linked else _unit(across)
    put(made, "tangents", *first, *second)
    used = s.rows["anchor_used"]
    put(made, "share", 1.0 / maximum(_sum(used), 1.0))
    put(made, "rate", (SAPIEN_BACK if s.t.linked else s.back) / s.h if s.t.sapien else 1.0 / s.h)
    apart = sp.sub(*s.places)
    for j, filled in enumerate(used):
        arms = (triple(s.rows, "anchor0", j), triple(s.rows, "anchor1", j))
        error = sp.add(sp.sub(*arms), apart)
        for axis in (first, second):
            forces = forces_at(arms, axis)
            unit = s.put_row(made, "friction", forces)
            put(made, "friction_error", sp.dot(error, axis))
            put(made, "friction_multiplier", _friction_multiplier(s, unit, filled))
            if s.driven:
                put(made, "friction_target", s.aim(forces))
            put(made, "friction_impulse", 0.0)


def _friction_multiplier(s: Step, unit: Scalar, filled: Scalar) -> Scalar:
    some = (unit > (LEAST_ANSWER if s.t.linked else 0.0)) & (filled > 0.0)
    return where(some, s.back / where(some, unit + s.cfm, 1.0), 0.0)


def _tangent(s: Step) -> Vec3:
    """Along which the sides slide, or any axis in the surface where they hardly do."""
    n = s.normal
    relative = sp.sub(s.speeds[0].linear, s.speeds[1].linear)
    sliding = sp.sub(relative, sp.scale(sp.dot(n, relative), n))
    slides, flat = sp.dot(sliding, sliding) > SLIDING, abs(n[0]) < STEEP
    other = (where(flat, 0.0, -n[1]), where(flat, -n[2], n[0]), where(flat, n[1], 0.0))
    x, y, z = (where(slides, a, b) for a, b in zip(sliding, other, strict=True))
    return _unit((x, y, z))


def _sum(values: Scalars) -> Scalar:
    return functools.reduce(lambda a, b: a + b, values)


def _unit(a: Vec3) -> Vec3:
    return sp.scale(1.0 / sp.norm(a), a)


def _put_torsion(made: Made, s: Step) -> None:
    """One row about the normal, where the patch has one anchor."""
    forces = Force(s.normal, ZERO3), Force(s.normal, ZERO3)
    unit = s.put_row(made, "torsion", forces)
    depth: Scalar = 0.0
    for separation, used in zip(s.rows["separation"], s.rows["point_used"], strict=True):
        depth = maximum(depth, -separation * used)
    anchors = _sum(s.rows["anchor_used"])
    alone = where(anchors < 1.5, anchors, 0.0)
    put(made, "torsion_reach", maximum(s.number("min_torsion_radius"), sqrt(depth * s.number("torsion_radius"))))
    put(made, "torsion_multiplier", _friction_multiplier(s, unit, alone))
    if s.driven:
        put(made, "torsion_target", s.aim(forces))
    put(made, "torsion_impulse", 0.0)


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
