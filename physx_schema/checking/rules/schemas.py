"""Applied schemas on prims, or under instance names, that their definitions do not foresee."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.rule import ReaderRule, Rule, finder
from physx_schema.definitions import definitions
from physx_schema.description import Description
from physx_schema.description.opinions.coverage import OTHER_SCHEMAS

SCHEMA_HOST = Rule("schema/host", "warning", """
    Schema on a prim it does not belong on

    The definition of an applied schema says which prims it belongs on, and this is none of them. USD itself does not
    mind; PhysX mostly passes over it.

    Measured: PhysxTriggerAPI above a collider, PhysxSurfaceVelocityAPI on static ground, PhysxSceneQuasistaticAPI on an
    Xform and PhysxPhysicsDistanceJointAPI on a fixed joint do nothing, without a message.
    (`benchmarks/measure_contact_rules.py`)
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
            wanted = " or ".join(definition.applies_to)
            yield SCHEMA_HOST.at(
                applied.path, "apiSchemas", f"{applied.schema} is on a prim that is no {wanted}",
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
    made. (`benchmarks/measure_value_rules.py`)
    """,
    example=usda.driven({"float drive:linear:x:physics:stiffness": "5"}, "PhysicsDriveAPI:linear:x"),
    remedy=usda.driven(),
)
