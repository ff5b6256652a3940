"""Preparing the rows of a joint.

Constants of a joint's rows, once a step at the poses of its start (DyTGSContactPrep.cpp, DyConstraintSetup.cpp).

Between rigid bodies the rows are orthogonalised first, and linear ones are built anew in every iteration; at links, and
with PGS, they stay what they are, and how they answer each other is all that an iteration needs of the responses.

What preparing a joint leaves for its solution: row groups filled row by row, and read back in the same order.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from physx_runtime.dynamics.aba import NO_LINK_RESPONSE, LinkResponse, response_of
from physx_runtime.dynamics.linear import inner
from physx_runtime.dynamics.spatial import NO_MOTION, Vec3, linear_first, motion_of
from physx_runtime.language.ops import Rows, Scalar, maximum, sqrt, where
from physx_runtime.model.island import BODY, GEAR, KINEMATIC, LINK, RACK, JointTopology
from physx_runtime.model.island_rows import joint_rows
from physx_runtime.model.row_specs import KEPT
from physx_runtime.solver.maximal_joint.couplings import (
    Forces,
    Motions,
    Responses,
    answer_along,
    answers_to,
    forces_of,
    orthogonalised,
    reciprocal,
    speed_along,
)
from physx_runtime.solver.maximal_joint.kinds import (
    JointGeometry,
    RowKind,
    aims,
    has_arm,
    lasting,
    linked,
    row_kinds,
    rows_of,
    solving_order,
    stays,
    symbols_for,
)
from physx_runtime.solver.maximal_joint.rows import Bounce, JointRow, Spring

Made = dict[str, list[Scalar]]


def put(made: Made, name: str, *values: Scalar) -> None:
    """Append to a row group."""
    made.setdefault(name, []).extend(values)


@dataclass(slots=True)
class RowReader:
    """Row groups being read, each from its start."""

    rows: Rows
    _places: dict[str, int] = field(default_factory=dict, init=False)

    def scalar(self, name: str) -> Scalar:
        """The next number of a group."""
        place = self._places.get(name, 0)
        self._places[name] = place + 1
        return self.rows[name][place]

    def vector(self, name: str) -> Vec3:
        """The next three numbers of a group."""
        return (self.scalar(name), self.scalar(name), self.scalar(name))

    def several(self, name: str, count: int) -> list[Scalar]:
        """The next numbers of a group."""
        return [self.scalar(name) for _ in range(count)]


# The fastest that hard rows take their error back: angles over the step, and metres.
FASTEST_TURN, FASTEST_WAY, FASTEST_WAY_AT_LINKS = 0.75, 15.0, 1.5
# Rows that the sides answer with less have none to push.
LEAST_ANSWER = 1e-12


@functools.lru_cache(maxsize=256)
def prepared_rows(t: JointTopology) -> Mapping[str, int]:
    """Size of every row group of scratch that `prepare` makes."""
    kept = joint_rows(t, KEPT)
    made = prepare(t, symbols_for(t))
    return MappingProxyType({name: len(values) for name, values in made.items() if name not in kept})


def prepare(t: JointTopology, rows: Rows) -> Made:
    """What solving a joint needs, its impulses 0.

    rows: as `kinds.prepared_from` says; `cross_response`(36) where two links of one articulation answer together.
    """
    geometry, kinds, made = rows_of(t, rows), row_kinds(t), dict[str, list[Scalar]]()
    _put_joint(made, t, rows, geometry, kinds)
    ordered, responses = solving_order(t, geometry.rows), (_response(t, rows, 0), _response(t, rows, 1))
    if not linked(t):
        ordered = orthogonalised(ordered, responses)
    if lasting(t):
        units, answers = _as_begun(made, t, rows, ordered, responses)
    else:
        units = _between_bodies(made, t, ordered, kinds, responses)
        answers = [reciprocal(unit) for unit in units]
    for row, kind, unit, r in zip(ordered, kinds, units, answers, strict=True):
        _put_constants(made, t, rows, row, kind, unit, r)
    return {**made, **geometry.kept}


def _put_joint(made: Made, t: JointTopology, rows: Rows, geometry: JointGeometry, kinds: Sequence[RowKind]) -> None:
    """What all rows share: where they act, and how hard ones take their error back."""
    dt, h = rows["dt"][0], rows["h"][0]
    for k, arm in enumerate((geometry.arm0, geometry.arm1)):
        if has_arm(t, k):
            put(made, "arms", *arm)
    if t.weighed:
        put(made, "lever", *geometry.lever)
    if t.breaks:
        put(made, "acts", 1.0 - rows["broken"][0])
    fastest = FASTEST_WAY_AT_LINKS if linked(t) else FASTEST_WAY
    fastest_turn, fastest_way = (math.inf, math.inf) if t.pgs else (
        FASTEST_TURN / dt, fastest * rows["length_scale"][0] / dt)
    if not all(kind.spring for kind in kinds):
        put(made, "bias", -1.0 / sqrt(h * dt), fastest_turn, fastest_way)
    for kind in kinds:
        put(made, impulse_group(kind), 0.0)


def impulse_group(kind: RowKind) -> str:
    """Where a row's impulse so far is kept; springs rest in velocity iterations."""
    return "spring_impulse" if kind.spring else "impulse"


def _response(t: JointTopology, rows: Rows, k: int) -> LinkResponse:
    kind = t.sides[k].kind
    if kind == LINK:
        return response_of(rows[f"side{k}_response"])
    return body_response(rows, k) if kind == BODY else NO_LINK_RESPONSE


def body_response(rows: Rows, k: int) -> LinkResponse:
    """Of a rigid body at its centre of mass."""
    m, x = rows[f"side{k}_inverse_mass"][0], rows[f"side{k}_inverse_inertia"]
    return LinkResponse((x[0], x[1], x[2], x[3], x[4], x[5]), NO_LINK_RESPONSE.cross, (m, m, m, 0.0, 0.0, 0.0))


def _between_bodies(made: Made, t: JointTopology, rows: list[JointRow], kinds: Sequence[RowKind],
                    responses: Responses) -> list[Scalar]:
    """Axes, and how bodies answer the rows that turn with nothing; how they answer each row at the start."""
    units = []
    for row, kind in zip(rows, kinds, strict=True):
        forces = forces_of(row)
        answers = answers_to(forces, responses)
        units.append(answer_along(forces, answers))
        put(made, "axes", *_axes(t, row))
        if stays(t, kind):
            for k in (0, 1):
                if t.sides[k].kind == BODY:
                    put(made, "spins", *answers[k].angular)
    return units


def _axes(t: JointTopology, row: JointRow) -> list[Scalar]:
    """What a row acts along or about: one axis for both sides, but for gears and racks."""
    if t.kind == RACK:
        return [*row.angular0, *row.linear1]
    return [*row.angular0, *row.angular1] if t.kind == GEAR else [*(row.angular0 if row.angular else row.linear0)]


def _as_begun(made: Made, t: JointTopology, rows: Rows, ordered: list[JointRow],
              responses: Responses) -> tuple[list[Scalar], list[Scalar]]:
    """Axes, levers and how rows answer each other; how the sides answer each row, and one over that."""
    cfm = functools.reduce(
        maximum, [rows[f"side{k}_cfm"][0] for k, side in enumerate(t.sides) if side.kind == LINK] or [0.0])
    before: list[Motions] = []
    units, answers = [], []
    for row in ordered:
        forces = forces_of(row)
        _put_forces(made, t, row)
        for other in before:
            put(made, "delassus", answer_along(forces, other))
        before.append(_together(rows, forces, responses))
        alone = answer_along(forces, before[-1])
        some = alone >= LEAST_ANSWER if linked(t) else alone > 0.0
        units.append(alone + cfm)
        answers.append(where(some, 1.0 / where(some, alone + cfm, 1.0), 0.0))
    return units, answers


def _put_forces(made: Made, t: JointTopology, row: JointRow) -> None:
    """What a row acts along and about throughout the step; with PGS any row may do both, made upright to others."""
    if t.pgs:
        put(made, "forces", *row.angular0, *row.linear0, *row.angular1, *row.linear1)
        return
    put(made, "axes", *_axes(t, row))
    for k, lever in enumerate(() if row.angular else (row.angular0, row.angular1)):
        if t.weighed or t.sides[k].moves:
            put(made, "levers", *lever)


def _together(rows: Rows, forces: Forces, responses: Responses) -> Motions:
    """How links answer a row: each for itself, unless they answer together."""
    first, second = answers_to(forces, responses)
    if "cross_response" not in rows:
        return first, second
    C = [rows["cross_response"][6 * i:6 * i + 6] for i in range(6)]
    wrenches = [linear_first(force) for force in forces]
    return (first - motion_of([inner(line, wrenches[1]) for line in C]),
            second - motion_of([inner([line[i] for line in C], wrenches[0]) for i in range(6)]))


def _put_constants(made: Made, t: JointTopology, rows: Rows, row: JointRow, kind: RowKind, unit: Scalar,
                   r: Scalar) -> None:
    """What one row wants; r: one over how the sides answer it, 0 for a row that does not act."""
    approach = _approach(t, rows, row)
    if row.spring:
        _put_spring(made, t, row.spring, row, rows["h"][0], unit, r, approach)
        if t.pgs:
            put(made, "again", _given_again(row.spring, row, rows["h"][0], unit))
    else:
        back = _bounced(row.bounce, row.error, _speed(t, rows, row)) if row.bounce else 0.0
        bias = where(back > 0.0, 0.0, made["bias"][0]) if row.bounce else made["bias"][0]
        put(made, "error", row.error)
        if aims(t, kind):
            put(made, "target", approach + back)
        if kind.bounces:
            put(made, "own_bias", bias)
        if kind.keeps_bias:
            put(made, "kept_bias", where(row.keeps_bias, bias, 0.0))
        if lasting(t) or stays(t, kind):
            put(made, "reciprocal", r)
    if kind.drive:
        put(made, "largest_impulse", rows["dt"][0] * row.upper)


def _put_spring(made: Made, t: JointTopology, spring: Spring, row: JointRow, h: Scalar, unit: Scalar, r: Scalar,
                approach: Scalar) -> None:
    """What an implicit spring gives for its velocity, for the way it has gone, and at once.

    In SAPIEN's PhysX 5.3.1 its damping counts in the way as well, which it measures against its target velocity; in
    velocity iterations it still gives what is for velocities (setSolverConstantsStep and conclude1DStep in
    DyTGSContactPrep.cpp of that version).
    """
    k, d = spring.stiffness, spring.damping
    a = h * (h * k + d)
    x = _softened(t, spring, row, a, unit, r)
    for_velocity, for_way = -x * a, -x * h * k
    aim = x * h * d * spring.target_velocity - for_velocity * approach
    if t.sapien:
        of_damping = _softened(t, spring, row, h * h * (k + d), unit, r)
        put(made, "spring", for_velocity, for_way - of_damping * h * d, for_way * row.error)
        put(made, "spring_aim", aim, aim * unit, where(row.keeps_bias, 1.0, 0.0))
    else:
        put(made, "spring", for_velocity, for_way, aim + for_way * row.error)


def _softened(t: JointTopology, spring: Spring, row: JointRow, a: Scalar, unit: Scalar, r: Scalar) -> Scalar:
    """What is left of a spring's impulse where it answers itself by a; 0 where it does not act."""
    x = 1.0 / (1.0 + a) * r if spring.acceleration else 1.0 / (1.0 + a * unit)
    return where(row.active, where(r > 0.0, x, 0.0) if linked(t) else x, 0.0)


def _given_again(spring: Spring, row: JointRow, h: Scalar, unit: Scalar) -> Scalar:
    """With PGS: the part of its impulse so far that a spring works out anew."""
    a = h * (h * spring.stiffness + spring.damping)
    x = 1.0 / (1.0 + (a if spring.acceleration else a * unit))
    return where(row.active, x, 0.0)


def _bounced(bounce: Bounce, error: Scalar, speed: Scalar) -> Scalar:
    """The speed with which a limit sends its sides back, which come to it with `speed`; 0 where it does not."""
    return where((error <= 0.0) & (-speed > bounce.threshold), -bounce.restitution * speed, 0.0)


def _speed(t: JointTopology, rows: Rows, row: JointRow) -> Scalar:
    """J v at the step's start."""
    names = {KINEMATIC: "velocity", BODY: "v", LINK: "v"}
    first, second = (motion_of(rows[f"side{k}_{names[side.kind]}"]) if side.kind in names else NO_MOTION
                     for k, side in enumerate(t.sides))
    return speed_along(forces_of(row), (first, second))


def _approach(t: JointTopology, rows: Rows, row: JointRow) -> Scalar:
    """How fast what is moved from outside comes along the row."""
    velocities = [motion_of(rows[f"side{k}_velocity"]) if side.kind == KINEMATIC else NO_MOTION
                  for k, side in enumerate(t.sides)]
    return -speed_along(forces_of(row), (velocities[0], velocities[1]))
