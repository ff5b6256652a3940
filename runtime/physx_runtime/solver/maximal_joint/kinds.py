"""Rows of a maximal joint: which it has, in solving order, and their geometry at the step's start.

`rows_of` is the geometry of any kind of joint: D6, distance, gear or rack. `row_kinds` evaluates it once on symbols.
Values that stay literals there are constant for all islands and decide which code each row needs. `solving_order`
sorts rows by hint (DyConstraintSetup.cpp, preprocessRows), and `preparation_inputs` lists the operands of
`preparation.prepare`.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace

from physx_runtime.dynamics.spatial import Vec3
from physx_runtime.language.ops import Rows, Scalar
from physx_runtime.language.symbols import Graph, Symbol
from physx_runtime.model.body_kind import KINEMATIC, LINK, STATIC
from physx_runtime.model.island import D6, DISTANCE, GEAR, RACK, JointTopology
from physx_runtime.model.island_rows import INPUT_MAKERS, OUTPUT_MAKERS, joint_rows
from physx_runtime.solver.maximal_joint.couplings import count_turns, coupling_row
from physx_runtime.solver.maximal_joint.drives import drive_rows, locked_arm, locked_rows
from physx_runtime.solver.maximal_joint.limits import distance_rows, limit_rows
from physx_runtime.solver.maximal_joint.rows import (
    ROTATION,
    ROTATION_LIMIT,
    TRANSLATION,
    TRANSLATION_LIMIT,
    JointRow,
    joint_frames,
)


@dataclass(frozen=True, slots=True)
class JointGeometry:
    """Rows and arms of a joint at the step's start, world axes."""

    rows: list[JointRow]            # in the order that PhysX writes them, unsorted
    arm0: Vec3                      # r_A: from side 0's centre of mass to the point of all linear rows
    arm1: Vec3                      # r_B: from side 1's
    lever: Vec3                     # from side 0's centre of mass to B's anchor, the reference point of its torque
    persistent: dict[str, list[Scalar]] = field(default_factory=dict)     # row groups that it keeps for the next step


def rows_of(t: JointTopology, rows: Rows) -> JointGeometry:
    """The geometry of a joint.

    rows: its row groups without prefix, `length_scale`, and per side that is not the world `bodyK_rotation`,
    `bodyK_position` and, of a link, `bodyK_origin`. A gear or a rack with hinges also has `hingeK_coordinate`: their
    angles, and the displacement of a rack's slider.
    """
    # drives, limits, locked axes  (ExtD6Joint.cpp, D6JointSolverPrep)
    frames = joint_frames(t, rows)
    if t.kind == D6:
        result = [*drive_rows(t, rows, frames), *limit_rows(t, rows, frames), *locked_rows(t, frames)]
        return JointGeometry(result, locked_arm(t, frames), frames.arm1, frames.arm0)
    if t.kind == DISTANCE:
        return JointGeometry(distance_rows(t, rows, frames), frames.arm0, frames.arm1, frames.arm0)
    persistent = count_turns(t, rows) if t.hinges else {}
    row = coupling_row(t, rows, frames, persistent.get("turns", ()))
    return JointGeometry([row], frames.arm0, frames.arm1, frames.arm0, persistent)


# TGS has a separate group of angular rows, PGS one group of all.
TGS_HINTS = {TRANSLATION: ROTATION, TRANSLATION_LIMIT: ROTATION_LIMIT}
PGS_HINTS = {ROTATION: TRANSLATION, ROTATION_LIMIT: TRANSLATION_LIMIT}


@dataclass(frozen=True, slots=True)
class RowKind:
    """One row without its values."""

    hint: int
    angular: bool
    spring: bool
    drive: bool
    nonnegative: bool            # its impulse is not below 0
    nonpositive: bool             # it is not above 0
    keeps_bias: bool        # it may keep its bias in velocity iterations
    bounces: bool           # has a target velocity at its limit, by restitution
    holds: bool

    @staticmethod
    def of(row: JointRow) -> RowKind:
        """The kind of a row of symbols."""
        return RowKind(row.hint, row.angular, row.spring is not None, row.drive, not row.drive and row.lower == 0.0,
                       not row.drive and row.upper == 0.0, row.keeps_bias is not False, row.bounce is not None,
                       row.holds)

    @property
    def limit(self) -> bool:
        """Whether a hard limit: its bias has no lower bound."""
        return bool(self.hint & 1)

    @property
    def projected(self) -> bool:
        """Whether the part along the joint's rotational equality rows is projected out."""
        return self.hint in (TRANSLATION, TRANSLATION_LIMIT)


def solving_order(t: JointTopology, rows: list[JointRow]) -> list[JointRow]:
    """Rows sorted by hint; but with PGS the rotational ones before the others."""
    # sort by solveHint  (DyConstraintSetup.cpp, preprocessRows)
    groups = PGS_HINTS if t.pgs else TGS_HINTS
    marked = [replace(row, hint=groups.get(row.hint, row.hint)) if row.angular else row for row in rows]
    return sorted(marked, key=lambda row: row.hint)


def preparation_inputs(t: JointTopology) -> dict[str, int]:
    """Names and sizes of the rows that preparing a joint reads."""
    sizes = {**joint_rows(t, *OUTPUT_MAKERS, *INPUT_MAKERS), "dt": 1, "h": 1, "length_scale": 1}
    if t.kind in (GEAR, RACK):
        sizes |= {"hinge0_coordinate": 1, "hinge1_coordinate": 1}
    for k, body in enumerate(t.solver_bodies):
        if body.kind == STATIC:
            continue
        by_kind = {KINEMATIC: {"velocity": 6}, LINK: {"origin": 3, "response": 21, "cfm": 1}}
        body_sizes = {"rotation": 4, "position": 3,
                      **by_kind.get(body.kind, {"inverse_mass": 1, "inverse_inertia": 6})}
        if t.bounces and body.moves:
            body_sizes["v"] = 6
        sizes |= {f"body{k}_{name}": size for name, size in body_sizes.items()}
    return sizes


def symbols_for(t: JointTopology) -> dict[str, list[Symbol]]:
    """Symbols for all rows that preparing a joint reads."""
    graph = Graph()
    return {name: [graph.input(f"{name}_{i}") for i in range(size)] for name, size in preparation_inputs(t).items()}


@functools.lru_cache(maxsize=256)
def row_kinds(t: JointTopology) -> tuple[RowKind, ...]:
    """The kinds of a joint's rows in solving order."""
    return tuple(RowKind.of(row) for row in solving_order(t, rows_of(t, symbols_for(t)).rows))


def has_link(t: JointTopology) -> bool:
    """Whether a side is a link."""
    return any(body.kind == LINK for body in t.solver_bodies)


def is_constant(t: JointTopology) -> bool:
    """Whether all rows stay as at the step's start: at links, and with PGS, where nothing moves within a step."""
    return has_link(t) or t.pgs


def has_kinematic(t: JointTopology) -> bool:
    """Whether a side is kinematic."""
    return any(body.kind == KINEMATIC for body in t.solver_bodies)


def has_target(t: JointTopology, kind: RowKind) -> bool:
    """Whether a hard row may have a target velocity other than 0."""
    return kind.bounces or has_kinematic(t)


def is_fixed(t: JointTopology, kind: RowKind) -> bool:
    """Whether the axes of a row are those of the step's start; other rows have arms that rotate with their sides."""
    return kind.angular and t.kind != RACK


def has_arm(t: JointTopology, k: int) -> bool:
    """Whether a row uses the arm at a side: of moving sides, and of both for the joint's force."""
    return (t.measures_force or t.solver_bodies[k].moves) and not all(is_fixed(t, kind) for kind in row_kinds(t))
