"""Constants of a patch's rows, once a step at the poses of its start (DyTGSContactPrep.cpp; PGS: DyContactPrep.cpp)."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from types import MappingProxyType

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import ZERO3, Force, Vec3, triple
from physx_runtime.language.ops import Rows, Scalar, Scalars, inverted, maximum, minimum, sqrt, where
from physx_runtime.language.symbols import Graph
from physx_runtime.model.contact_rows import ContactTopology, patch_rows
from physx_runtime.model.island import KINEMATIC
from physx_runtime.solver.contact.sides import (
    AT_START,
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
from physx_runtime.solver.maximal_joint.preparation import Made, put

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
