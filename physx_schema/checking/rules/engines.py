"""Schemas and values of other engines, retired ones, and schemas applied where they do not belong.

One quantity authored for two engines with different values: each engine simulates another robot.

Schemas and properties that PhysX no longer has.

Applied schemas on prims, or under instance names, that their definitions do not foresee.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from difflib import get_close_matches
from functools import cache

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PROFILES, Finding, RenameProperty, Repair, safe
from physx_schema.checking.engine.rule import Explains, ReaderRule, Rule, every_axis, finder, flatten
from physx_schema.definitions import definitions, every_definition
from physx_schema.description import Description, Dof, JointAxis, Opinion
from physx_schema.description.opinions.schemas import OTHER_SCHEMAS
from physx_schema.migration.changes import MOVES
from physx_schema.migration.rules import Rules, rules

_TOLERANCE = 1e-3       # relative: authored single floats, some of them converted between degrees and radians

# What it is, and the properties that say it with the power of degrees per radian in their unit on an angular axis.
# {axis} is angular or linear. Newton's and PhysX's values are per degree, MuJoCo's per radian.
_JOINT: Sequence[tuple[str, Mapping[str, int]]] = (
    ("armature", {"physxJointAxis:{axis}:armature": 0, "newton:armature": 0, "mjc:armature": 0}),
    ("friction", {"physxJointAxis:{axis}:staticFrictionEffort": 0, "newton:friction": 0, "mjc:frictionloss": 0}),
    ("damping", {"physxJointAxis:{axis}:viscousFrictionCoefficient": 1, "newton:damping": 1, "mjc:damping": 0}),
    ("velocity limit", {"physxJointAxis:{axis}:maxJointVelocity": 0, "newton:velocityLimit": 0}),
)

# The same of any prim, in units that need no conversion; negative and infinite values stand for an engine's default.
_PRIM: Sequence[tuple[str, tuple[str, ...]]] = (
    ("rest offset", ("physxCollision:restOffset", "newton:contactMargin")),
    ("corners of a convex hull", ("physxConvexHullCollision:hullVertexLimit", "newton:maxHullVertices",
                                  "mjc:maxhullvert")),
    ("collisions of a robot with itself", ("physxArticulation:enabledSelfCollisions", "newton:selfCollisionEnabled")),
)

_OTHER_PREFIXES = ("newton:", "mjc:")
_RATES = ("physxScene:timeStepsPerSecond", "newton:timeStepsPerSecond")
_TIMESTEP = "mjc:option:timestep"
_Values = Mapping[str, float]        # property name to its number

DISAGREE = Rule("engine/disagree", "warning", """
    Two engines told different things

    Properties of PhysX, Newton and MuJoCo that say the same thing have different values, after conversion of their
    units: PhysX and Newton count per degree, MuJoCo per radian. Each engine simulates another robot.

    Measured: PhysX takes its own armature 3 beside newton:armature 1 and does not read mjc:armature: a driven slider
    gets 0.416 in a step, 1.658 beside mjc:armature 5 alone. Where its own is 0 it takes Newton's, and the two agree.
    (`experiments/measure_unused.py`)
    """,
    why="each engine simulates another robot",
    fix="make the values agree, in the unit of each engine, or remove one",
    profiles=PROFILES,
    example=usda.driven_joint({"float physxJointAxis:angular:armature": "0.1", "float mjc:armature": "0.2"}),
    remedy=usda.driven_joint({"float physxJointAxis:angular:armature": "0.1", "float mjc:armature": "0.1"}),
)


@finder("other-engines", DISAGREE)
def disagreements(description: Description) -> Iterator[Finding]:
    """Prims on which physx, newton and mjc properties of one meaning differ."""
    paths = {item.path for item in description.authored if item.property.startswith(_OTHER_PREFIXES)}
    if not paths:
        return
    authored: dict[str, dict[str, float]] = {}
    for item in description.authored:
        if item.path not in paths:
            continue
        numbers = (float(item.value),) if isinstance(item.value, bool) else flatten(item.value)
        if len(numbers) == 1:
            authored.setdefault(item.path, {})[item.property] = numbers[0]
    for dof in every_axis(description):
        if dof.name == dof.path and dof.path in authored:
            yield from _joint(dof, authored.get(dof.path, {}))
    for scene in description.scenes:
        yield from _scene(scene.path, authored.get(scene.path, {}))
    for path, values in authored.items():
        for meaning, names in _PRIM:
            scaled = {name: values[name] for name in names if 0.0 <= values.get(name, -1.0) < math.inf}
            yield from _differing(path, meaning, scaled, values)


def _joint(dof: Dof | JointAxis, values: _Values) -> Iterator[Finding]:
    axis = "angular" if dof.angular else "linear"
    # of Newton, which PhysX takes in place of its own
    newton_names = {name for _, name in dof.sources} if isinstance(dof, Dof) else set[str]()
    for meaning, names in _JOINT:
        scaled = {}
        for pattern, power in names.items():
            name = pattern.format(axis=axis)
            if name in values and not (name.startswith("physx") and newton_names.intersection(names)):
                scaled[name] = values[name] * (math.degrees(1.0) ** power if dof.angular else 1.0)
        yield from _differing(dof.path, meaning, scaled, values)


def _scene(path: str, values: _Values) -> Iterator[Finding]:
    scaled = {name: values[name] for name in _RATES if name in values}
    if values.get(_TIMESTEP, 0.0) > 0.0:
        scaled[_TIMESTEP] = 1.0 / values[_TIMESTEP]
    yield from _differing(path, "time step", scaled, values)


def _differing(path: str, meaning: str, scaled: _Values, values: _Values) -> Iterator[Finding]:
    """One finding where the properties that say one thing do not all say the same."""
    if len(scaled) < 2 or max(scaled.values()) - min(scaled.values()) <= _TOLERANCE * max(map(abs, scaled.values())):
        return
    text = ", ".join(f"{name} {values[name]:g}" for name in scaled)
    message = f"two engines are told different things about the {meaning}: {text}"
    yield DISAGREE.at(path, next(iter(scaled)), message)


RETIRED = "retired"         # code of such opinions in a description

GONE = Rule("unused/retired", "error", """
    Class or property that PhysX dropped

    A release of PhysX dropped this class or property, and what is authored has no effect. Where it has a successor one
    to one, `physx-schema migrate` rewrites the stage.

    Measured: physxJoint:maxJointVelocity 0.5, armature 9 and jointFriction 5 leave a slider at speed 1.
    (`experiments/measure_joint_rules.py`)
    """,
    why="it has no effect on the simulation",
    example=usda.joint("j2", {"float physxJoint:maxJointVelocity": "90"}, "PhysxJointAPI"),
    remedy=usda.driven_joint(),
    explains=(Explains("schema", ("unused/retired", "unused/unknown-property")),),
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
    return f"run `physx-schema migrate`: {instead}"


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
