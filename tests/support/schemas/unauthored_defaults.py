"""Whether what nobody authors is read as the schema's default, and as nothing else.

Run as a program where `physx_generated` has other defaults than before, with the former ones as JSON, "Schema.base" to
value. Prints as JSON what became of each property: "followed", "not followed", or "no fact" where no value changes any.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from physx_generated import Attribute
from pxr import Sdf, Usd

from physx_schema.definitions import attribute, definitions
from physx_schema.description import Description, describe
from physx_schema.description.opinions.schemas import SCHEMAS
from support.stages.robots import HEAD, base, joint, link, opened, prim

FACTS = ("scene", "scenes", "articulations", "bodies", "joints", "static_colliders", "materials", "contact_reports")
TETRAHEDRON = {
    "int[] faceVertexCounts": [3, 3, 3, 3], "int[] faceVertexIndices": [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2],
    "point3f[] points": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
    "token physics:approximation": "convexHull",
}
# What has to be said for other properties to count, by prim.
SAID: dict[str, dict[str, object]] = {
    "/Robot/j1": {"physxJointAxis:angular:staticFrictionEffort": 2.0},
    "/Free/spring": {"physxPhysicsDistanceJoint:springEnabled": True},
    "/Free/limit": {"physxPhysicsDistanceJoint:springEnabled": False},
    "/Free/ball": {"physxForce:force": (1.0, 2.0, 3.0), "physxForce:torque": (1.0, 2.0, 3.0)},
}


def stage() -> Usd.Stage:
    """A stage on which every schema of PhysX that facts are made of is applied to something that has facts."""
    body, axis = ("PhysxRigidBodyAPI",), ("PhysxJointAxisAPI:angular", "PhysicsJointStateAPI:angular",
                                          "PhysicsDriveAPI:angular", "PhysxDrivePerformanceEnvelopeAPI:angular")
    limits = {"float physics:lowerLimit": -90.0, "float physics:upperLimit": 90.0}
    hull = prim("Mesh", "hull", ("PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "PhysxCollisionAPI",
                                 "PhysxConvexHullCollisionAPI"), TETRAHEDRON)
    via, leaf = ({f"rel physxTendon:{name}:parentLink": f"</Robot/{link}>",
                  f"token physxTendon:{name}:parentAttachment": parent}
                 for name, link, parent in (("via", "l0", "s"), ("leaf", "l1", "via")))
    robot = prim("Xform", "Robot", ("PhysicsArticulationRootAPI", "PhysxArticulationAPI"), {}, "".join((
        base(), link("l0", schemas=("PhysxTendonAttachmentRootAPI:s",)),
        link("l1", schemas=("PhysxTendonAttachmentAPI:via",), more=via),
        link("l2", schemas=("PhysxTendonAttachmentLeafAPI:leaf",), more=leaf),
        joint("Revolute", "j0", "base", "l0", ("PhysxTendonAxisRootAPI:t",), limits),
        joint("Revolute", "j1", "l0", "l1", ("PhysxTendonAxisAPI:t", *axis), limits),
        joint("Revolute", "j2", "l1", "l2", ("PhysxMimicJointAPI:rotX",),
              {**limits, "rel physxMimicJoint:rotX:referenceJoint": "</Robot/j1>"}),
    )))
    free = prim("Xform", "Free", (), {}, "".join((
        link("ball", schemas=(*body, "PhysxForceAPI", "PhysxContactReportAPI"), children=hull),
        link("other", schemas=body, children=prim("Sphere", "automatic", ("PhysicsCollisionAPI",))),
        *(_between("PhysicsDistanceJoint", name, ("PhysxPhysicsDistanceJointAPI",),
                   {"float physics:maxDistance": 1.0}) for name in ("spring", "limit")),
        *(_between("PhysicsRevoluteJoint", name, ("PhysxLimitAPI:angular",), limits) for name in ("h0", "h1")),
        _between("PhysicsPrismaticJoint", "p0", (), {}),
        _between("PhysxPhysicsGearJoint", "gear", (),
                 {"rel physics:hinge0": "</Free/h0>", "rel physics:hinge1": "</Free/h1>"}),
        _between("PhysxPhysicsRackAndPinionJoint", "rack", (),
                 {"rel physics:hinge": "</Free/h0>", "rel physics:prismatic": "</Free/p0>"}),
    )))
    material = prim("Material", "Rubber", ("PhysicsMaterialAPI", "PhysxMaterialAPI"))
    scene = prim("PhysicsScene", "Scene", ("PhysxSceneAPI",))
    return opened(HEAD.format(meters=1.0, kilograms=1.0) + robot + free + material + scene)


def _between(kind: str, name: str, schemas: tuple[str, ...], attributes: dict[str, object]) -> str:
    bodies = {"rel physics:body0": "</Free/ball>", "rel physics:body1": "</Free/other>"}
    return prim(kind, name, schemas, {**bodies, **attributes})


class Place(NamedTuple):
    """A property on a prim of the stage."""

    prim: Usd.Prim
    key: str                # schema and base name
    name: str               # full name
    attribute: Attribute

    def author(self, value: Any) -> None:
        """Author a value, with lists for tuples."""
        kind = Sdf.ValueTypeNames.Find(self.attribute.type)
        if isinstance(value, list | tuple):
            value = list(value) if kind.isArray else tuple(value)
        self.prim.CreateAttribute(self.name, kind, False).Set(value)


def places(live: Usd.Stage) -> Iterator[Place]:
    """Every property with a default that a schema on the stage has."""
    for item in live.Traverse():
        for applied in (str(item.GetTypeName()), *item.GetPrimTypeInfo().GetAppliedAPISchemas()):
            schema, _, instance = applied.partition(":")
            for name in SCHEMAS[schema].ranges if schema in SCHEMAS and schema in definitions() else ():
                found = attribute(schema, name)
                if found.default is not None:
                    yield Place(item, f"{schema}.{name}", SCHEMAS[schema].name(name, instance), found)


def facts(live: Usd.Stage) -> tuple[object, ...]:
    """What a description says, but for what is authored."""
    found: Description = describe(live)
    mimics = tuple(replace(item, authored=frozenset()) for item in found.mimic_declarations)
    return *(getattr(found, name) for name in FACTS), mimics


def walk(former: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Every property with what became of its default, while all others are authored."""
    live = stage()
    said = {place: SAID.get(str(place.prim.GetPath()), {}).get(place.name, former[place.key]) for place in places(live)
            if place.key in former}     # else the edit added it
    for place, value in said.items():
        place.author(value)
    for place, value in said.items():
        place.prim.RemoveProperty(place.name)
        unauthored = facts(live)
        place.author(place.attribute.default)
        now = facts(live)
        place.author(former[place.key])
        then = facts(live)
        place.author(value)
        followed = "followed" if unauthored == now else "not followed"
        yield place.key, "no fact" if unauthored == now == then else followed


if __name__ == "__main__":
    fates: dict[str, set[str]] = {}
    for key, fate in walk(json.loads(sys.argv[1])):
        fates.setdefault(key, set()).add(fate)
    order = ("not followed", "followed", "no fact")     # one place at which it shows is enough
    print(json.dumps({key: min(found, key=order.index) for key, found in fates.items()}))
