"""What a patch touches at its two sides, and the forces of its rows."""

from __future__ import annotations

import functools
from typing import Any, Protocol

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.aba import NO_LINK_RESPONSE, LinkResponse, response_of
from physx_runtime.dynamics.spatial import (
    NO_FORCE,
    NO_MOTION,
    ZERO3,
    Force,
    Motion,
    Vec3,
    linear_first,
    motion_of,
    triple,
)
from physx_runtime.language.ops import Rows, Scalar, maximum
from physx_runtime.model.contact_rows import ContactTopology
from physx_runtime.model.island import BODY, KINEMATIC, LINK, WORLD
from physx_runtime.solver.maximal_joint.couplings import Forces, Motions, Responses, speed_along
from physx_runtime.solver.maximal_joint.preparation import Made, RowReader, body_response, put

# What a patch reads of each kind of side once a step, and how many numbers each is.
AT_START: dict[str, dict[str, int]] = {
    WORLD: {}, KINEMATIC: {"position": 3, "velocity": 6}, LINK: {"position": 3, "v": 6, "response": 21, "cfm": 1},
    BODY: {"position": 3, "v": 6, "inverse_mass": 1, "inverse_inertia": 6}}
# What it reads or makes besides in every iteration.
IN_ITERATIONS: dict[str, dict[str, int]] = {
    WORLD: {}, KINEMATIC: {}, LINK: {"travel": 3, "turn": 3, "impulse": 6}, BODY: {"travel": 3, "turn": 3}}


def positions(t: ContactTopology, rows: Rows) -> tuple[Vec3, Vec3]:
    """Centres of mass at the step's start; the world's origin of what does not move."""
    first, second = (ZERO3 if side.kind == WORLD else triple(rows, f"side{k}_position", 0)
                     for k, side in enumerate(t.sides))
    return first, second


def responses(t: ContactTopology, rows: Rows) -> Responses:
    """How both sides answer impulses at their centres of mass."""
    first, second = (_response(side.kind, rows, k) for k, side in enumerate(t.sides))
    return first, second


def _response(kind: str, rows: Rows, k: int) -> LinkResponse:
    if kind == LINK:
        return response_of(rows[f"side{k}_response"])
    return body_response(rows, k) if kind == BODY else NO_LINK_RESPONSE


def velocities(t: ContactTopology, rows: Rows) -> Motions:
    """Of what forces move, now."""
    first, second = (motion_of(rows[f"side{k}_v"]) if side.moves else NO_MOTION for k, side in enumerate(t.sides))
    return first, second


def kinematic_velocities(t: ContactTopology, rows: Rows) -> Motions:
    """Of what is moved from outside."""
    first, second = (motion_of(rows[f"side{k}_velocity"]) if side.kind == KINEMATIC else NO_MOTION
                     for k, side in enumerate(t.sides))
    return first, second


def ways(t: ContactTopology, rows: Rows) -> Motions:
    """How both sides have moved since the step's start: time integrals of their velocities."""
    first, second = (Motion(triple(rows, f"side{k}_turn", 0), triple(rows, f"side{k}_travel", 0)) if side.moves
                     else NO_MOTION for k, side in enumerate(t.sides))
    return first, second


def forces_at(arms: tuple[Vec3, Vec3], axis: Vec3) -> Forces:
    """Of a row that pushes along an axis at these arms."""
    return Force(sp.cross(arms[0], axis), axis), Force(sp.cross(arms[1], axis), axis)


def softness(t: ContactTopology, rows: Rows) -> Scalar:
    """The cfm of the softer link, 0 between bodies."""
    return functools.reduce(maximum, (rows[f"side{k}_cfm"][0] for k, side in enumerate(t.sides) if side.kind == LINK),
                            0.0)


def keep_row(made: Made, t: ContactTopology, group: str, forces: Forces, answers: Motions) -> None:
    """Put what a row does to the sides that move, for `Sides.row` to read back."""
    for k, side in enumerate(t.sides):
        if side.moves:
            put(made, f"{group}_levers", *forces[k].angular)
            put(made, f"{group}_answers", *answers[k].angular, *(answers[k].linear if side.kind == LINK else ()))


class State(Protocol):
    """What moves while a patch is solved, between two of its rows."""

    def row(self, reading: RowReader, group: str, axis: Vec3) -> Any:
        """The next row of a group, which pushes along an axis."""

    def way(self, row: Any) -> Scalar:
        """How far the sides have moved along a row since the step's start."""

    def speed(self, row: Any) -> Scalar:
        """How fast side 0 moves against side 1 along a row."""

    def push(self, row: Any, impulse: Scalar) -> None:
        """Give an impulse of a row to side 0, and take it from side 1."""

    def made(self) -> Made:
        """What all impulses do."""


class Sides:
    """Both sides as they move in space: a row is its forces and what the sides answer."""

    def __init__(self, t: ContactTopology, rows: Rows) -> None:
        self.t, self.rows = t, rows
        self._velocities, self._ways = velocities(t, rows), ways(t, rows)
        self._given = NO_FORCE, NO_FORCE

    def row(self, reading: RowReader, group: str, axis: Vec3) -> tuple[Forces, Motions]:
        forces, answers = [NO_FORCE, NO_FORCE], [NO_MOTION, NO_MOTION]
        for k, side in enumerate(self.t.sides):
            if side.moves:
                forces[k] = Force(reading.vector(f"{group}_levers"), axis)
                angular = reading.vector(f"{group}_answers")
                linear = (reading.vector(f"{group}_answers") if side.kind == LINK
                          else sp.scale(self.rows[f"side{k}_inverse_mass"][0], axis))
                answers[k] = Motion(angular, linear)
        return (forces[0], forces[1]), (answers[0], answers[1])

    def way(self, row: tuple[Forces, Motions]) -> Scalar:
        return speed_along(row[0], self._ways)

    def speed(self, row: tuple[Forces, Motions]) -> Scalar:
        return speed_along(row[0], self._velocities)

    def push(self, row: tuple[Forces, Motions], impulse: Scalar) -> None:
        forces, answers = row
        (v0, v1), (g0, g1) = self._velocities, self._given
        self._velocities = v0 + answers[0] * impulse, v1 - answers[1] * impulse
        self._given = g0 + forces[0] * impulse, g1 - forces[1] * impulse

    def made(self) -> Made:
        made = Made()
        for k, side in enumerate(self.t.sides):
            if side.kind == BODY:
                made[f"side{k}_v"] = linear_first(self._velocities[k])
            elif side.kind == LINK:
                made[f"side{k}_impulse"] = linear_first(self._given[k])
        return made
