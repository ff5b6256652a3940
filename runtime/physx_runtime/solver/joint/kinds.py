"""What is known of a joint's rows before any value: which there are, in solving order, and what each of them needs.

It follows from the geometry itself, evaluated once on symbols: what stays a literal there is so in every island.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

from physx_runtime.language.symbols import Graph, Symbol
from physx_runtime.model.island import GEAR, KINEMATIC, LINK, RACK, WORLD, JointTopology
from physx_runtime.model.island_rows import LASTING, READ, joint_rows
from physx_runtime.solver.joint.geometry import rows_of
from physx_runtime.solver.joint.row import (
    ROTATION,
    ROTATION_LIMIT,
    TRANSLATION,
    TRANSLATION_LIMIT,
    JointRow,
)

# TGS makes rows that turn a group of their own, PGS has one group of all.
APART = {TRANSLATION: ROTATION, TRANSLATION_LIMIT: ROTATION_LIMIT}
TOGETHER = {ROTATION: TRANSLATION, ROTATION_LIMIT: TRANSLATION_LIMIT}


@dataclass(frozen=True, slots=True)
class RowKind:
    """One row without its values."""

    hint: int
    angular: bool
    spring: bool
    drive: bool
    pushes: bool            # its impulse is not below 0
    pulls: bool             # it is not above 0
    keeps_bias: bool        # it may keep its bias in velocity iterations
    bounces: bool           # off its limit, to a speed of its own
    holds: bool

    @staticmethod
    def of(row: JointRow) -> RowKind:
        """Of a row of symbols."""
        return RowKind(row.hint, row.angular, row.spring is not None, row.drive, not row.drive and row.lower == 0.0,
                       not row.drive and row.upper == 0.0, row.keeps_bias is not False, row.bounce is not None,
                       row.holds)

    @property
    def limit(self) -> bool:
        """Whether a hard limit: its bias has no lower bound."""
        return bool(self.hint & 1)

    @property
    def projected(self) -> bool:
        """Whether it is kept from turning what the joint's rotational equality rows hold."""
        return self.hint in (TRANSLATION, TRANSLATION_LIMIT)


def solving_order(t: JointTopology, rows: list[JointRow]) -> list[JointRow]:
    """Rows sorted by hint; but with PGS the rotational ones before the others."""
    groups = TOGETHER if t.pgs else APART
    marked = [replace(row, hint=groups.get(row.hint, row.hint)) if row.angular else row for row in rows]
    return sorted(marked, key=lambda row: row.hint)


def prepared_from(t: JointTopology) -> dict[str, int]:
    """What preparing a joint reads, and how many numbers each is."""
    sizes = {**joint_rows(t, *LASTING, *READ), "dt": 1, "h": 1, "length_scale": 1}
    if t.kind in (GEAR, RACK):
        sizes |= {"hinge0_coordinate": 1, "hinge1_coordinate": 1}
    for k, side in enumerate(t.sides):
        if side.kind == WORLD:
            continue
        own = {KINEMATIC: {"velocity": 6}, LINK: {"origin": 3, "response": 21, "cfm": 1}}
        parts = {"rotation": 4, "position": 3,
                 **own.get(side.kind, {"inverse_mass": 1, "inverse_inertia": 6})}
        if t.bounces and side.moves:
            parts["v"] = 6
        sizes |= {f"side{k}_{name}": size for name, size in parts.items()}
    return sizes


def symbols_for(t: JointTopology) -> dict[str, list[Symbol]]:
    """Symbols for all that preparing a joint reads."""
    graph = Graph()
    return {name: [graph.input(f"{name}_{i}") for i in range(size)] for name, size in prepared_from(t).items()}


@functools.lru_cache(maxsize=256)
def row_kinds(t: JointTopology) -> tuple[RowKind, ...]:
    """A joint's rows in solving order."""
    return tuple(RowKind.of(row) for row in solving_order(t, rows_of(t, symbols_for(t)).rows))


def linked(t: JointTopology) -> bool:
    """Whether a side is a link."""
    return any(side.kind == LINK for side in t.sides)


def lasting(t: JointTopology) -> bool:
    """Whether all rows stay as at the step's start: at links, and with PGS, where nothing moves within a step."""
    return linked(t) or t.pgs


def driven(t: JointTopology) -> bool:
    """Whether a side is moved by its speed, whatever forces say."""
    return any(side.kind == KINEMATIC for side in t.sides)


def aims(t: JointTopology, kind: RowKind) -> bool:
    """Whether a hard row may want another speed than 0."""
    return kind.bounces or driven(t)


def stays(t: JointTopology, kind: RowKind) -> bool:
    """Whether a row acts about axes that stay as at the step's start; others end at arms that turn with their sides."""
    return kind.angular and t.kind != RACK


def has_arm(t: JointTopology, k: int) -> bool:
    """Whether a row asks for the arm at a side: of what moves, and of both for the joint's force."""
    return (t.weighed or t.sides[k].moves) and not all(stays(t, kind) for kind in row_kinds(t))
