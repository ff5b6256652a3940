"""Rules on values of several engines, on schemas and properties that PhysX removed, and on misplaced schemas."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from difflib import get_close_matches
from functools import cache

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PROFILES, Finding, RenameProperty, Repair, safe
from physx_schema.checking.engine.rule import Explains, ReaderRule, Rule, finder
from physx_schema.definitions import definitions, every_definition
from physx_schema.description import Description, Opinion
from physx_schema.description.engine_values import engine_differences
from physx_schema.description.opinions.schemas import OTHER_SCHEMAS
from physx_schema.description.releases import RETIRED
from physx_schema.migration.changes import MOVES
from physx_schema.migration.rules import Rules, rules

_AUTHOR = "author "

DISAGREE = Rule("engine/disagree", "warning", """
    Engines with different values

    The stage authors one quantity for several engines (PhysX, Newton, MuJoCo or URDF), and the values differ after unit
    conversion. If no PhysX value is authored, the rule compares PhysX's default with the other values. With different
    values the engines simulate different robots.

    Measured: With a PhysX armature of 3, a driven slider reaches speed 0.416 in one step. With only mjc:armature 5 the
    slider reaches 1.658.
    (`experiments/measure_unused.py`)
    """,
    why="the engines simulate different robots",
    fix="author the same value for every engine, in the unit of each engine",
    profiles=PROFILES,
    example=usda.driven_joint({"float physxJointAxis:angular:armature": "0.1", "float mjc:armature": "0.2"}),
    remedy=usda.driven_joint({"float physxJointAxis:angular:armature": "0.1", "float mjc:armature": "0.1"}),
    explains=(Explains("remedy", ("engine/disagree",), fix=_AUTHOR),),      # what a converter left out everywhere
)


@finder("other-engines", DISAGREE)
def disagreements(description: Description) -> Iterator[Finding]:
    """Find quantities with different values for several engines."""
    counterparts = {(item.path, item.property): item.suggestion for item in description.unused
                    if item.code == "other-engine"}
    for item in engine_differences(description):
        instead = counterparts.get((item.path, item.name), "")
        fix = f"{_AUTHOR}{instead} too, in PhysX's unit" if item.in_physx is not None and instead else ""
        yield DISAGREE.at(item.path, item.name,
                          f"the engines have different values for the {item.quantity}: {item.text}", fix=fix)


_MIGRATE = "run `physx-schema migrate`"     # which takes a class and its properties together

GONE = Rule("unused/retired", "error", """
    Class or property that PhysX removed

    The stage uses a class or property that a PhysX release removed. If PhysX has a successor for it, `physx-schema
    migrate` replaces the class or property. The option `--engine-release` selects the PhysX release.

    Measured: physxJoint:armature 9 slows a slider from 1.658 to 0.167 in ovphysx 0.6.4, but not in 0.7.0.
    (`experiments/measure_releases.py`)
    """,
    why="the removed class or property has no effect on the simulation",
    example=usda.joint("j2", {"float physxJoint:maxJointVelocity": "90"}, "PhysxJointAPI"),
    remedy=usda.driven_joint(),
    explains=(Explains("schema", ("unused/retired",), fix=_MIGRATE),),
)


@finder("retired", GONE)
def retired_things(description: Description) -> Iterator[Finding]:
    """Report each with its successor, and with `physx-schema migrate` if that rewrites it."""
    schemas = {(item.path, item.reason.partition(":")[0]) for item in description.unused
               if item.code == RETIRED and item.property == "apiSchemas"}
    for opinion in description.unused:
        if opinion.code == RETIRED:
            fix = _fix(opinion, schemas)
            yield GONE.at(opinion.path, opinion.property, opinion.reason, fix=fix, repair=_repair(opinion))


def _fix(opinion: Opinion, schemas: AbstractSet[tuple[str, str]]) -> str:
    """What to do; a value without its schema had no effect before either, and `migrate` leaves it."""
    instead = opinion.suggestion or "remove it"
    match = _rules().find(opinion.property)
    former = match[0].former if match and match[0].former in _rules().moved else ""
    if not _can_migrate(opinion) or (former and (opinion.path, former) not in schemas):
        return instead
    return f"{_MIGRATE}: {instead}"


def _repair(opinion: Opinion) -> Repair | None:
    """The present name, for a property that only its name has changed of; `migrate` does the rest."""
    match = _rules().find(opinion.property)
    if match is None or not match[0].schema or match[0].per_axis or match[0].schema != match[0].former:
        return None
    return safe(RenameProperty(opinion.path, opinion.property, match[0].full_name(match[1])))


def _can_migrate(opinion: Opinion) -> bool:
    """Whether a migration knows where the schema or property went."""
    if opinion.property in ("", "apiSchemas"):
        schema = opinion.reason.partition(":")[0]
        return schema in _rules().moved or schema in _rules().classes
    match = _rules().find(opinion.property)
    return match is not None and bool(match[0].schema)


@cache
def _rules() -> Rules:
    return rules(every_definition(), MOVES)


SCHEMA_HOST = Rule("schema/host", "warning", """
    Schema on an unsuitable prim

    A schema is applied to a prim of a type that the schema's definition does not list. USD accepts the schema on such a
    prim, but in most cases PhysX ignores it there.

    Measured: PhysxTriggerAPI on a prim above a collider has no effect. PhysxSurfaceVelocityAPI on static ground also
    has no effect. (`experiments/measure_contact_rules.py`)
    """,
    why="PhysX does not read the schema on this prim",
    example=usda.prim("Xform", "up", {}, "PhysxTriggerAPI", children=usda.cube()),
    remedy=usda.prim("Xform", "up", {}, children=usda.cube({}, "PhysxTriggerAPI")),
)

SCHEMA_INSTANCE = Rule("schema/instance", "error", """
    Schema instance name that PhysX ignores

    For some multiple-apply schemas PhysX accepts only certain instance names.
    """,
    why="PhysX does not read the schema under this instance name",
    example=usda.prim("Xform", "car", {}, "PhysxVehicleBrakesAPI:brake0"),
    remedy=usda.prim("Xform", "car", {}, "PhysxVehicleBrakesAPI:brakes0"),
)


@finder("schemas", SCHEMA_HOST, SCHEMA_INSTANCE)
def misplaced_schemas(description: Description) -> Iterator[Finding]:
    """Find schemas on unsuitable prims or under unknown instance names."""
    for applied in description.applied:
        if applied.schema not in OTHER_SCHEMAS:
            continue
        definition = definitions()[applied.schema]
        if definition.applies_to and not applied.host.intersection(definition.applies_to):
            hosts = " or ".join(definition.applies_to)
            yield SCHEMA_HOST.at(
                applied.path, "apiSchemas", f"{applied.schema} works only on {hosts} prims",
                fix=f"apply {definition.applies_to[0]} too, or move the schema to such a prim",
            )
        if definition.instances and applied.instance not in definition.instances:
            close = get_close_matches(applied.instance, definition.instances, 1)
            yield SCHEMA_INSTANCE.at(
                applied.path, "apiSchemas",
                f"{applied.schema} instance {applied.instance!r} is not one of {', '.join(definition.instances)}",
                fix=f"did you mean {close[0]!r}?" if close else f"use one of {', '.join(definition.instances)}",
            )


INSTANCE_NAME = ReaderRule("schema/instance-name", "error", """
    Invalid schema instance name

    PhysX finds the properties of a multiple-apply schema by the instance name. Valid names start with a letter and have
    only letters, digits and underscores. With an invalid instance name PhysX ignores the schema or uses the defaults of
    its properties.

    Measured: A tendon with the instance name a:b and stiffness 10 does not pull. PhysX creates no drive with the
    instance name linear:x. (`experiments/measure_value_rules.py`)
    """,
    example=usda.driven_joint({"float drive:linear:x:physics:stiffness": "5"}, "PhysicsDriveAPI:linear:x"),
    remedy=usda.driven_joint(),
)
