"""Schemas and properties that PhysX no longer has."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import cache

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.repair import RenameProperty, Repair, safe
from physx_schema.checking.engine.rule import Rule, finder
from physx_schema.definitions import every_definition
from physx_schema.description import Description, Opinion
from physx_schema.migration.moves import MOVES
from physx_schema.migration.rules import Rules, rules

RETIRED = "retired"         # code of such opinions in a description

GONE = Rule("unused/retired", "error", """
    Class or property that PhysX dropped

    A release of PhysX dropped this class or property, and what is authored has no effect. Where it has a successor one
    to one, `physx-schema migrate` rewrites the stage.

    Measured: physxJoint:maxJointVelocity 0.5, armature 9 and jointFriction 5 leave a slider at speed 1.
    (`benchmarks/measure_joint_rules.py`)
    """,
    why="it has no effect on the simulation",
    example=usda.joint("j2", {"float physxJoint:maxJointVelocity": "90"}, "PhysxJointAPI"),
    remedy=usda.driven(),
)


@finder("retired", GONE)
def retired_things(description: Description) -> Iterator[Finding]:
    """One error for each, with what replaces it; `physx-schema migrate` where it can rewrite the stage."""
    schemas = {(item.path, item.reason.partition(":")[0]) for item in description.unused
               if item.code == RETIRED and item.property == "apiSchemas"}
    for opinion in description.unused:
        if opinion.code == RETIRED:
            fix = _fix(opinion, schemas)
            yield GONE.at(opinion.path, opinion.property, opinion.reason, fix=fix, repair=_repair(opinion))


def _fix(opinion: Opinion, schemas: AbstractSet[tuple[str, str]]) -> str:
    """What to do; a value without its schema had no effect before either, and `migrate` leaves it."""
    instead = opinion.suggestion or "remove it"
    found = _rules().find(opinion.property)
    former = found[0].former if found and found[0].former in _rules().moved else ""
    if not _can_migrate(opinion) or (former and (opinion.path, former) not in schemas):
        return instead
    return f"run `physx-schema migrate`: {instead}"


def _repair(opinion: Opinion) -> Repair | None:
    """The present name, for a property that only its name has changed of; `migrate` does the rest."""
    found = _rules().find(opinion.property)
    if found is None or not found[0].schema or found[0].per_axis or found[0].schema != found[0].former:
        return None
    return safe(RenameProperty(opinion.path, opinion.property, found[0].full_name(found[1])))


def _can_migrate(opinion: Opinion) -> bool:
    """Whether a migration knows where the schema or property went."""
    if opinion.property in ("", "apiSchemas"):
        schema = opinion.reason.partition(":")[0]
        return schema in _rules().moved or schema in _rules().classes
    found = _rules().find(opinion.property)
    return found is not None and bool(found[0].schema)


@cache
def _rules() -> Rules:
    return rules(every_definition(), MOVES)
