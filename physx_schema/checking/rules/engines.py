"""Schemas and values of other engines, retired ones, and schemas applied where they do not belong.

One quantity authored for two engines with different values: each engine simulates another robot.

Schemas and properties that PhysX no longer has.

Applied schemas on prims, or under instance names, that their definitions do not foresee.
"""

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
    Two engines with different values

    Properties of PhysX, Newton, MuJoCo and URDF that say the same thing have different values, after conversion of
    their units: PhysX and Newton count per degree, MuJoCo and URDF per radian. Where PhysX has no value of its own
    authored it works with its default, which counts here. Each engine simulates another robot.

    Measured: PhysX takes its own armature 3 beside newton:armature 1 and does not read mjc:armature: a driven slider
    gets 0.416 in a step, 1.658 beside mjc:armature 5 alone. Where its own is 0 it takes Newton's, and the two agree.
    (`experiments/measure_unused.py`)
    """,
    why="each engine simulates another robot",
    fix="make the values agree, in the unit of each engine",
    profiles=PROFILES,
    example=usda.driven_joint({"float physxJointAxis:angular:armature": "0.1", "float mjc:armature": "0.2"}),
    remedy=usda.driven_joint({"float physxJointAxis:angular:armature": "0.1", "float mjc:armature": "0.1"}),
    explains=(Explains("remedy", ("engine/disagree",), fix=_AUTHOR),),      # what a converter left out everywhere
)


@finder("other-engines", DISAGREE)
def disagreements(description: Description) -> Iterator[Finding]:
    """Prims on which values of engines differ that say one thing."""
    counterparts = {(item.path, item.property): item.suggestion for item in description.unused
                    if item.code == "other-engine"}
    for item in engine_differences(description):
        instead = counterparts.get((item.path, item.name), "")
        fix = f"{_AUTHOR}{instead} too, in PhysX's unit" if item.in_physx is not None and instead else ""
        yield DISAGREE.at(item.path, item.name,
                          f"the engines have different values of the {item.quantity}: {item.text}", fix=fix)


_MIGRATE = "run `physx-schema migrate`"     # which takes a class and its properties together

GONE = Rule("unused/retired", "error", """
    Class or property that PhysX dropped

    A release of PhysX dropped this class or property, and what is authored has no effect. Where it has a successor one
    to one, `physx-schema migrate` rewrites the stage. `--engine-release` says which release the stage is for.

    Measured: In ovphysx 0.5.11 and 0.6.4 a driven slider gets to 0.167 in a step under physxJoint:armature 9 and to 0.5
    under maxJointVelocity 0.5, in 0.7.0 to 1.658 under both, as without. (`experiments/measure_releases.py`)
    """,
    why="it has no effect on the simulation",
    example=usda.joint("j2", {"float physxJoint:maxJointVelocity": "90"}, "PhysxJointAPI"),
    remedy=usda.driven_joint(),
    explains=(Explains("schema", ("unused/retired",), fix=_MIGRATE),),
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
    Schema on a prim it does not belong on

    The definition of an applied schema says which prims it belongs on, and this is none of them. USD itself does not
    mind; PhysX mostly passes over it.

    Measured: PhysxTriggerAPI above a collider, PhysxSurfaceVelocityAPI on static ground, PhysxSceneQuasistaticAPI on an
    Xform and PhysxPhysicsDistanceJointAPI on a fixed joint do nothing, without a message.
    (`experiments/measure_contact_rules.py`)
    """,
    why="PhysX does not look for it there",
    example=usda.prim("Xform", "up", {}, "PhysxTriggerAPI", children=usda.cube()),
    remedy=usda.prim("Xform", "up", {}, children=usda.cube({}, "PhysxTriggerAPI")),
)

SCHEMA_INSTANCE = Rule("schema/instance", "error", """
    Schema under an instance name that is not read

    PhysX reads this schema under certain instance names alone.
    """,
    why="PhysX does not read it under this name",
    example=usda.prim("Xform", "car", {}, "PhysxVehicleBrakesAPI:brake0"),
    remedy=usda.prim("Xform", "car", {}, "PhysxVehicleBrakesAPI:brakes0"),
)


@finder("schemas", SCHEMA_HOST, SCHEMA_INSTANCE)
def misplaced_schemas(description: Description) -> Iterator[Finding]:
    """Schemas where they do not belong; those that the description reads are judged by what became of them."""
    for applied in description.applied:
        if applied.schema not in OTHER_SCHEMAS:
            continue
        definition = definitions()[applied.schema]
        if definition.applies_to and not applied.host.intersection(definition.applies_to):
            hosts = " or ".join(definition.applies_to)
            yield SCHEMA_HOST.at(
                applied.path, "apiSchemas", f"{applied.schema} is on a prim that is no {hosts}",
                fix=f"apply {definition.applies_to[0]} too, or move it to a prim that has it",
            )
        if definition.instances and applied.instance not in definition.instances:
            close = get_close_matches(applied.instance, definition.instances, 1)
            yield SCHEMA_INSTANCE.at(
                applied.path, "apiSchemas",
                f"{applied.schema} instance {applied.instance!r} is not one of {', '.join(definition.instances)}",
                fix=f"did you mean {close[0]!r}?" if close else f"use one of {', '.join(definition.instances)}",
            )


INSTANCE_NAME = ReaderRule("schema/instance-name", "error", """
    Instance name that is no plain name

    PhysX finds the properties of an applied schema by its instance name, which therefore must be a plain name; under
    any other it makes nothing of the schema, or works with its defaults.

    Measured: A tendon a:b of stiffness 10 is made and does not pull; a mimic joint rotX:a and a drive linear:x are not
    made. (`experiments/measure_value_rules.py`)
    """,
    example=usda.driven_joint({"float drive:linear:x:physics:stiffness": "5"}, "PhysicsDriveAPI:linear:x"),
    remedy=usda.driven_joint(),
)
