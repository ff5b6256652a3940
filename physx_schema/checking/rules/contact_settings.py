"""Settings of contact that do nothing, or something else than they say: of materials, bodies and contact reports."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.rule import ReaderRule, Rule, finder
from physx_schema.description import Description
from physx_schema.description.filter import CollisionFilter
from physx_schema.description.model import Collider, Link, Scene
from physx_schema.description.units import STEPS_PER_SECOND, as_number

# By kind, the least that a collider measures, length.
_THICKNESS: Mapping[str, Callable[[Collider], float]] = {
    "sphere": lambda shape: 2.0 * shape.radius, "capsule": lambda shape: 2.0 * shape.radius,
    "box": lambda shape: 2.0 * min(shape.half_extents),
}
_BINDING = "rel material:binding:physics"
_STATIC, _STIFFNESS = "float physics:staticFriction", "float physxMaterial:compliantContactStiffness"
_LIMIT = "float physxRigidBody:maxContactImpulse"
_THRESHOLD = "float physxScene:bounceThreshold"
# Drops from less than this do not deserve to bounce, m; under the gravity of the earth, m/s^2.
_LOW_DROP, _EARTH_GRAVITY = 0.05, 9.81
# PhysX sweeps a body only where its scene sweeps as well.
_SWEPT, _SWEEPS = "physxRigidBody:enableCCD", "physxScene:enableCCD"
_PARTNERS = "rel physxContactReport:reportPairs"


def _material_cube(values: Mapping[str, str]) -> str:
    """A physics material, and a cube that is made of it."""
    return usda.prim("Material", "rubber", values, "PhysicsMaterialAPI", "PhysxMaterialAPI") + usda.cube(
        {_BINDING: "</Robot/rubber>"}, "MaterialBindingAPI")


def _reporting(values: Mapping[str, str]) -> str:
    """A body that reports its contacts."""
    return usda.prim("Xform", "thing", values, "PhysicsRigidBodyAPI", "PhysxContactReportAPI", children=usda.cube())


def _threshold(value: str) -> str:
    """A scene with a bounce threshold."""
    return usda.prim("PhysicsScene", "scene", {_THRESHOLD: value}, "PhysxSceneAPI")


def _grouped(filtered: str) -> str:
    """A falling ball of a group that filters others, on a static cube of such a group."""
    groups = (usda.prim("PhysicsCollisionGroup", name, {"rel collection:colliders:includes": f"</Robot/{member}>", **(
        {"rel physics:filteredGroups": filtered} if member == "ball" else {})}, "CollectionAPI:colliders")
        for name, member in (("loose", "ball"), ("still", "shape"), ("solid", "post")))
    ball = usda.prim("Sphere", "ball", {}, "PhysicsRigidBodyAPI", "PhysicsCollisionAPI")
    return "".join(groups) + ball + usda.cube() + usda.cube(name="post")


def _flying_ball(speed: str) -> str:
    """A ball that flies."""
    return usda.prim("Sphere", "ball", {"double radius": "0.05", "vector3f physics:velocity": f"({speed}, 0, 0)"},
                     "PhysicsRigidBodyAPI", "PhysicsCollisionAPI")


LOW_STATIC_FRICTION = Rule("material/static-friction", "warning", """
    Static friction below the dynamic one

    Of two materials that meet PhysX raises a static friction below the dynamic one to it, so between bodies of this
    material it is never heeded.

    Measured: Pushed by 2 N, a cube of 1 kg stays on ground of the same frictions 0.1 and 0.3, as with 0.3 and 0.3; with
    0.1 and 0.1 it is at 0.50 m/s after half a second. (`experiments/measure_contact_settings.py`)
    """,
    why="PhysX raises the static friction to the dynamic one",
    fix="author a static friction that is not below the dynamic one",
    example=_material_cube({_STATIC: "0.1", "float physics:dynamicFriction": "0.3"}),
    remedy=_material_cube({_STATIC: "0.3", "float physics:dynamicFriction": "0.3"}),
)

IDLE_DAMPING = Rule("material/idle-damping", "warning", """
    Compliant damping without a stiffness

    compliantContactDamping damps the spring of compliantContactStiffness; without a stiffness the contact is rigid and
    nothing is damped.

    Measured: A cube dropped on rigid ground moves alike with a damping of 0 and 100, with a restitution of 0.9 as well.
    With a stiffness of 1000 it comes to rest for a damping of 100 and swings for 0.
    (`experiments/measure_contact_settings.py`)
    """,
    why="contact is rigid without a stiffness, and nothing is damped",
    fix="author physxMaterial:compliantContactStiffness, or remove the damping",
    example=_material_cube({"float physxMaterial:compliantContactDamping": "100"}),
    remedy=_material_cube({"float physxMaterial:compliantContactDamping": "100", _STIFFNESS: "1000"}),
)

IDLE_RESTITUTION = Rule("material/idle-restitution", "warning", """
    Restitution of a compliant material

    Where a material has a compliantContactStiffness its contacts are springs, and its restitution is not heeded.

    Measured: A cube dropped on ground of stiffness 1000 leaves it at 3.755 m/s with a restitution of 0.9 and of 0.
    (`experiments/measure_contact_settings.py`)
    """,
    why="its contacts are springs, which heed stiffness and damping alone",
    fix="remove the restitution, or the stiffness",
    example=_material_cube({_STIFFNESS: "1000", "float physics:restitution": "0.5"}),
    remedy=_material_cube({_STIFFNESS: "1000"}),
)

UNBOUND = Rule("material/unbound", "info", """
    Physics material that no collider has

    Nothing that collides is bound to the material, for physics or for all purposes, nor is the scene: no collider, or
    only triggers and such as are switched off. Colliders without a material have friction 0.5 and no restitution.

    Measured: A cube slows down from 3 m/s to 1.50 in 18 steps beside a material of friction 0 that is bound to nothing,
    and without any material. (`experiments/measure_contact_settings.py`)
    """,
    why="its friction and restitution act nowhere on this stage",
    fix="bind it to colliders by material:binding:physics, or remove its physics",
    example=usda.cube() + usda.prim("Material", "rubber", {_STATIC: "1"}, "PhysicsMaterialAPI"),
    remedy=_material_cube({_STATIC: "1"}),
)

ON_COLLIDER = Rule("material/on-collider", "warning", """
    Material on a collider or a body

    PhysicsMaterialAPI is applied to a collider or a body. PhysX takes a material from where material:binding:physics of
    the collider leads, and not from the collider itself.

    Measured: A cube slows down on the ground from 3 to 1.501 m/s in 18 steps with friction 0 and PhysicsMaterialAPI on
    its collider or its body, as without a material. Bound to a Material of friction 0 it keeps 2.250, and also bound to
    itself. (`experiments/measure_plausibility.py`)
    """,
    why="its friction and restitution do nothing: the collider has a friction of 0.5 and no restitution",
    fix="author them on a Material, and bind the colliders to that by material:binding:physics",
    example=usda.cube({_STATIC: "1"}, "PhysicsMaterialAPI"),
    remedy=_material_cube({_STATIC: "1"}),
)

THRESHOLD = Rule("scene/bounce-threshold", "warning", """
    Restitution that only hard impacts have

    physxScene:bounceThreshold is the slowest impact that bounces. On the stage a material has a restitution, and what
    drops on it from a hand's height does not come back.

    Measured: With a threshold of 2 m/s a ball of restitution 0.5 stays down that is dropped from 0.2 m, and rises at
    1.23 m/s from 0.3 m; with 3 m/s it stays down from 0.3 m and rises at 1.55 m/s from 0.5 m.
    (`experiments/measure_contact_settings.py`)
    """,
    why="slower impacts do not bounce, whatever the restitution",
    fix="author a lower physxScene:bounceThreshold, or remove the restitution",
    example=_threshold("3") + _material_cube({"float physics:restitution": "0.5"}),
    remedy=_threshold("0.2") + _material_cube({"float physics:restitution": "0.5"}),
)

GROUPS = Rule("group/meets-nothing", "warning", """
    Collider that collision groups keep from everything

    The filters of collision groups leave a moving collider nothing that it may meet, so it falls through everything.

    Measured: A cube of a group that filters the group of the ground falls through it.
    (`experiments/measure_contact_rules.py`)
    """,
    why="its body falls through everything",
    fix="let its group meet another one, or take the collider out of the group",
    example=_grouped("[</Robot/solid>, </Robot/still>]"),
    remedy=_grouped("</Robot/solid>"),
)

TUNNELLING = Rule("body/tunnelling", "warning", """
    Body that passes through walls

    In the step of 1/60 s that the scene asks for, or another, the body goes further than it is thick, and contacts are
    looked for at the start of a step only: it may be before a thin wall in one step and behind it in the next. PhysX
    sweeps a body for which both physxRigidBody:enableCCD and its scene's physxScene:enableCCD are on; one alone does
    nothing.

    Measured: A ball of diameter 0.1 shot at a wall of 0.01 at 8 m/s, 0.13 in a step, or at 33 m/s ends behind it, at x
    6.987 and 31.987 after a second; at 3, 5 and 6 m/s it stops, at 10 and more it depends on where its steps fall. With
    enableCCD of the body alone or of the scene alone it ends at the same places, with both it stops at -0.055 at 8 and
    33 m/s; with a contact offset of 0.5 it stops at 8 m/s. (`experiments/measure_contact_settings.py`)
    """,
    why="it may pass through what is thin",
    fix="author both physxRigidBody:enableCCD and its scene's physxScene:enableCCD, a contact offset as long as its "
        "way in a step, or a shorter step",
    example=_flying_ball("10"),
    remedy=_flying_ball("1"),
)

NO_IMPULSE = Rule("body/contact-impulse", "error", """
    Body that contacts may not push

    maxContactImpulse is the most that a contact point gives the body in a step; with 0 nothing holds it up.

    Measured: Let go above the ground with a maxContactImpulse of 0, a cube is at -4.3 m a second later, with 0.1 or 1
    it rests. (`experiments/measure_contact_settings.py`)
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
    prim that has the root API above. (`experiments/record_contact_answers.py`)
    """,
    example=_reporting({_PARTNERS: "</Robot/nothing>"}),
    remedy=_reporting({_PARTNERS: "</Robot/a>"}),
)

REPORT_THRESHOLD = ReaderRule("report/threshold", "warning", """
    Threshold of 1 that counts as none

    A physxContactReport:threshold of exactly 1 is to PhysX as if it were not authored: 1 in metres, 100 on a stage in
    centimetres.

    Measured: On a stage in centimetres contacts of a cube that weighs 50 are not reported with a threshold of 1, nor
    without one; one that weighs 1000 reports without one. (`experiments/record_contact_answers.py`)
    """,
)


@finder("materials-in-contact", LOW_STATIC_FRICTION, IDLE_DAMPING, IDLE_RESTITUTION, UNBOUND, ON_COLLIDER)
def materials(description: Description) -> Iterator[Finding]:
    """What of materials nothing heeds."""
    authored = {(item.path, item.property) for item in description.authored}
    colliders = tuple(_colliders(description))
    bound = {collider.material for collider in colliders}
    used = {collider.material for collider in colliders if collider.enabled and not collider.trigger}
    bodies_and_colliders = {*description.body_paths, *(collider.path for collider in colliders)}
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
        if path in bodies_and_colliders and path not in used:
            yield ON_COLLIDER.at(path, "", "PhysicsMaterialAPI on a prim that no collider is bound to")
        elif colliders and path not in used:
            yield UNBOUND.at(path, "", "only triggers and colliders that are switched off have it" if path in bound
                             else "no collider is bound to it")


@finder("bodies-in-contact", NO_IMPULSE)
def bodies(description: Description) -> Iterator[Finding]:
    """Bodies that nothing can hold up."""
    for link in _links(description):
        if link.contact.max_impulse == 0.0 and link.colliders and not link.kinematic:
            yield NO_IMPULSE.at(link.path, "physxRigidBody:maxContactImpulse", "maxContactImpulse is 0")


@finder("bounce-threshold", THRESHOLD)
def thresholds(description: Description) -> Iterator[Finding]:
    """Thresholds that drops do not reach, where something has a restitution."""
    used = {collider.material for collider in _colliders(description)}
    bouncing = [item.path for item in description.materials
                if item.restitution > 0.0 and not item.compliant_stiffness > 0.0 and item.path in used]
    for scene in description.scenes:
        speed = scene.contact.bounce_threshold * scene.meters_per_unit
        height = speed * speed / (2.0 * _EARTH_GRAVITY)
        if bouncing and height > _LOW_DROP:
            yield THRESHOLD.at(scene.path, "physxScene:bounceThreshold",
                               f"what drops from less than {height:.2g} m on {bouncing[0]} does not bounce")


@finder("groups-that-meet-nothing", GROUPS)
def groups(description: Description) -> Iterator[Finding]:
    """Colliders of moving bodies whose groups leave them nothing to meet, though there is something."""
    if not description.collision_groups:
        return
    filtered = CollisionFilter(description)
    unfiltered = CollisionFilter(replace(description, collision_groups=(), scene=_unfiltered(description.scene),
                                         scenes=tuple(map(_unfiltered, description.scenes))))
    bodies: dict[int, set[str]] = {}
    for kind, side in zip(filtered.classes.tolist(), filtered.shapes, strict=True):
        bodies.setdefault(kind, set()).add(side.body)
    reported: set[int] = set()
    for kind, side in zip(filtered.classes.tolist(), filtered.shapes, strict=True):
        if not side.moves or not side.collider.group or kind in reported:
            continue
        if any(filtered.collides[kind, other] and members - {side.body} for other, members in bodies.items()):
            continue
        reported.add(kind)
        if unfiltered.colliding_pair([side.body]):
            yield GROUPS.at(side.collider.path, "", f"{side.collider.group} meets no other collider of the stage")


def _unfiltered(scene: Scene) -> Scene:
    return replace(scene, contact=replace(scene.contact, groups_inverted=False))


@finder("tunnelling", TUNNELLING)
def tunnelling(description: Description) -> Iterator[Finding]:
    """Bodies whose authored velocity takes them further in a step than they and their contact offset are thick."""
    authored = {(item.path, item.property): item.value for item in description.authored}
    for body in description.separate_bodies:
        solid = [item for item in body.colliders if item.enabled and not item.trigger and item.kind in _THICKNESS]
        swept = authored.get((body.path, _SWEPT)) and authored.get((body.scene, _SWEEPS))
        if len(solid) != 1 or body.kinematic or swept:
            continue
        rate = as_number(authored.get((body.scene, "physxScene:timeStepsPerSecond"))) or STEPS_PER_SECOND
        distance = min(math.hypot(*body.linear_velocity), body.max_linear_velocity) / rate
        thick = _THICKNESS[solid[0].kind](solid[0])
        if distance > thick + (solid[0].contact_offset or 0.0):
            yield TUNNELLING.at(body.path, "physics:velocity", f"{distance:.3g} in a step, and it is {thick:.3g} thick")


def _links(description: Description) -> Iterator[Link]:
    return chain(description.separate_bodies, *(item.links for item in description.articulations if item.enabled))


def _colliders(description: Description) -> Iterator[Collider]:
    return chain(description.static_colliders, *(link.colliders for link in _links(description)))
