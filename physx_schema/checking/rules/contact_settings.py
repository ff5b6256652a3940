"""Settings of contact that do nothing, or something else than they say: of materials, bodies and contact reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.rule import ReaderRule, Rule, finder
from physx_schema.description import Description
from physx_schema.description.model import Collider, Link

_BINDING = "rel material:binding:physics"
_STATIC, _STIFFNESS = "float physics:staticFriction", "float physxMaterial:compliantContactStiffness"
_LIMIT = "float physxRigidBody:maxContactImpulse"
_PARTNERS = "rel physxContactReport:reportPairs"


def _bound(values: Mapping[str, str]) -> str:
    """A physics material, and a cube that is made of it."""
    return usda.prim("Material", "rubber", values, "PhysicsMaterialAPI", "PhysxMaterialAPI") + usda.cube(
        {_BINDING: "</Robot/rubber>"}, "MaterialBindingAPI")


def _reporting(values: Mapping[str, str]) -> str:
    """A body that reports its contacts."""
    return usda.prim("Xform", "thing", values, "PhysicsRigidBodyAPI", "PhysxContactReportAPI", children=usda.cube())


LOW_STATIC_FRICTION = Rule("material/static-friction", "warning", """
    Static friction below the dynamic one

    Of two materials that meet PhysX raises a static friction below the dynamic one to it, so between bodies of this
    material it is never heeded.

    Measured: Pushed by 2 N, a cube of 1 kg stays on ground of the same frictions 0.1 and 0.3, as with 0.3 and 0.3; with
    0.1 and 0.1 it is at 0.50 m/s after half a second. (`benchmarks/measure_contact_settings.py`)
    """,
    why="PhysX raises the static friction to the dynamic one",
    fix="author a static friction that is not below the dynamic one",
    example=_bound({_STATIC: "0.1", "float physics:dynamicFriction": "0.3"}),
    remedy=_bound({_STATIC: "0.3", "float physics:dynamicFriction": "0.3"}),
)

IDLE_DAMPING = Rule("material/idle-damping", "warning", """
    Compliant damping without a stiffness

    compliantContactDamping damps the spring of compliantContactStiffness; without a stiffness the contact is rigid and
    nothing is damped.

    Measured: A cube dropped on rigid ground moves alike with a damping of 0 and 100, with a restitution of 0.9 as well.
    With a stiffness of 1000 it comes to rest for a damping of 100 and swings for 0.
    (`benchmarks/measure_contact_settings.py`)
    """,
    why="contact is rigid without a stiffness, and nothing is damped",
    fix="author physxMaterial:compliantContactStiffness, or remove the damping",
    example=_bound({"float physxMaterial:compliantContactDamping": "100"}),
    remedy=_bound({"float physxMaterial:compliantContactDamping": "100", _STIFFNESS: "1000"}),
)

IDLE_RESTITUTION = Rule("material/idle-restitution", "warning", """
    Restitution of a compliant material

    Where a material has a compliantContactStiffness its contacts are springs, and its restitution is not heeded.

    Measured: A cube dropped on ground of stiffness 1000 leaves it at 3.755 m/s with a restitution of 0.9 and of 0.
    (`benchmarks/measure_contact_settings.py`)
    """,
    why="its contacts are springs, which heed stiffness and damping alone",
    fix="remove the restitution, or the stiffness",
    example=_bound({_STIFFNESS: "1000", "float physics:restitution": "0.5"}),
    remedy=_bound({_STIFFNESS: "1000"}),
)

UNBOUND = Rule("material/unbound", "info", """
    Physics material that no collider has

    Nothing that collides is bound to the material, for physics or for all purposes, nor is the scene. Colliders without
    a material have friction 0.5 and no restitution.

    Measured: A cube slows down from 3 m/s to 1.50 in 18 steps beside a material of friction 0 that is bound to nothing,
    and without any material. (`benchmarks/measure_contact_settings.py`)
    """,
    why="its friction and restitution act nowhere on this stage",
    fix="bind it to colliders by material:binding:physics, or remove its physics",
    example=usda.cube() + usda.prim("Material", "rubber", {_STATIC: "1"}, "PhysicsMaterialAPI"),
    remedy=_bound({_STATIC: "1"}),
)

NO_IMPULSE = Rule("body/contact-impulse", "error", """
    Body that contacts may not push

    maxContactImpulse is the most that a contact point gives the body in a step; with 0 nothing holds it up.

    Measured: Let go above the ground with a maxContactImpulse of 0, a cube is at -4.3 m a second later, with 0.1 or 1
    it rests. (`benchmarks/measure_contact_settings.py`)
    """,
    why="it falls through everything",
    fix="remove maxContactImpulse, or author how much a contact point may give in a step",
    example=usda.body({_LIMIT: "0"}, "PhysxRigidBodyAPI", children=usda.cube()),
    remedy=usda.body({_LIMIT: "inf"}, "PhysxRigidBodyAPI", children=usda.cube()),
)

REPORT_PARTNER = ReaderRule("report/partner", "error", """
    Contacts reported with nobody

    physxContactReport:reportPairs names the bodies, links and static colliders whose contacts with the prim are
    reported. A collider of a body is none of them, nor is the root of an articulation that is no link, nor a prim that
    does not exist, and where all targets are such nothing is reported.

    Measured: A cube between another and the ground reports nothing with pairs of a prim that does not exist or of the
    other's collider, and its contacts with the other with pairs of the other. A cube on a link reports nothing with the
    prim that has the root API above. (`benchmarks/record_contact_answers.py`)
    """,
    example=_reporting({_PARTNERS: "</Robot/nothing>"}),
    remedy=_reporting({_PARTNERS: "</Robot/a>"}),
)

REPORT_THRESHOLD = ReaderRule("report/threshold", "warning", """
    Threshold of 1 that counts as none

    A physxContactReport:threshold of exactly 1 is to PhysX as if it were not authored: 1 in metres, 100 on a stage in
    centimetres.

    Measured: On a stage in centimetres contacts of a cube that weighs 50 are not reported with a threshold of 1, nor
    without one; one that weighs 1000 reports without one. (`benchmarks/record_contact_answers.py`)
    """,
)


@finder("materials-in-contact", LOW_STATIC_FRICTION, IDLE_DAMPING, IDLE_RESTITUTION, UNBOUND)
def materials(description: Description) -> Iterator[Finding]:
    """What of materials nothing heeds."""
    authored = {(item.path, item.property) for item in description.authored}
    colliders = tuple(_colliders(description))
    used = {collider.material for collider in colliders}
    for material in description.materials:
        path = material.path
        if material.static_friction < material.dynamic_friction and (path, "physics:staticFriction") in authored:
            yield LOW_STATIC_FRICTION.at(path, "physics:staticFriction",
                                         f"{material.static_friction:g}, the dynamic one {material.dynamic_friction:g}")
        if material.compliant_damping > 0.0 and not material.compliant_stiffness > 0.0:
            yield IDLE_DAMPING.at(path, "physxMaterial:compliantContactDamping",
                                  f"a damping of {material.compliant_damping:g} without a stiffness")
        if material.restitution > 0.0 and material.compliant_stiffness > 0.0:
            yield IDLE_RESTITUTION.at(path, "physics:restitution", f"a restitution of {material.restitution:g} with a "
                                      f"stiffness of {material.compliant_stiffness:g}")
        if colliders and path not in used:
            yield UNBOUND.at(path, "", "no collider is bound to it")


@finder("bodies-in-contact", NO_IMPULSE)
def bodies(description: Description) -> Iterator[Finding]:
    """Bodies that nothing can hold up."""
    for link in _links(description):
        if link.contact.max_impulse == 0.0 and link.colliders and not link.kinematic:
            yield NO_IMPULSE.at(link.path, "physxRigidBody:maxContactImpulse", "maxContactImpulse is 0")


def _links(description: Description) -> Iterator[Link]:
    return chain(description.separate_bodies, *(item.links for item in description.articulations if item.enabled))


def _colliders(description: Description) -> Iterator[Collider]:
    return chain(description.static_colliders, *(link.colliders for link in _links(description)))
