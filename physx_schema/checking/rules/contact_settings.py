"""Rules on contact settings of materials, bodies and contact reports."""

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
    Static friction below the dynamic friction

    If the combined static friction of two materials is below their combined dynamic friction, PhysX uses the dynamic
    friction for both. Between bodies of such a material the authored static friction has no effect.

    Measured: A force of 2 N does not move a cube of 1 kg with static friction 0.1 and dynamic friction 0.3.
    (`experiments/measure_contact_settings.py`)
    """,
    why="PhysX raises the static friction to the dynamic friction",
    fix="author a static friction at or above the dynamic friction",
    example=_material_cube({_STATIC: "0.1", "float physics:dynamicFriction": "0.3"}),
    remedy=_material_cube({_STATIC: "0.3", "float physics:dynamicFriction": "0.3"}),
)

IDLE_DAMPING = Rule("material/idle-damping", "warning", """
    Compliant damping without a stiffness

    Without a compliantContactStiffness the contact is rigid, and a compliantContactDamping has no effect.

    Measured: On rigid ground, a compliantContactDamping of 100 does not change the motion of a cube.
    (`experiments/measure_contact_settings.py`)
    """,
    why="the contact is rigid, and the damping has no effect",
    fix="author physxMaterial:compliantContactStiffness, or remove the damping",
    example=_material_cube({"float physxMaterial:compliantContactDamping": "100"}),
    remedy=_material_cube({"float physxMaterial:compliantContactDamping": "100", _STIFFNESS: "1000"}),
)

IDLE_RESTITUTION = Rule("material/idle-restitution", "warning", """
    Restitution of a compliant material

    With a compliantContactStiffness, contacts are springs, and the restitution has no effect.

    Measured: On ground with compliantContactStiffness 1000, a cube rebounds at 3.755 m/s, with restitution 0.9 and with
    restitution 0. (`experiments/measure_contact_settings.py`)
    """,
    why="contacts are springs; only stiffness and damping act",
    fix="remove the restitution, or the stiffness",
    example=_material_cube({_STIFFNESS: "1000", "float physics:restitution": "0.5"}),
    remedy=_material_cube({_STIFFNESS: "1000"}),
)

UNBOUND = Rule("material/unbound", "info", """
    Unused physics material

    The stage has a physics material that no active collider is bound to. Colliders without a material have friction 0.5
    and no restitution.

    Measured: An unbound material with friction 0 does not change the motion of a cube.
    (`experiments/measure_contact_settings.py`)
    """,
    why="the friction and restitution of the material have no effect",
    fix="bind the material to colliders with material:binding:physics, or remove its physics schemas",
    example=usda.cube() + usda.prim("Material", "rubber", {_STATIC: "1"}, "PhysicsMaterialAPI"),
    remedy=_material_cube({_STATIC: "1"}),
)

ON_COLLIDER = Rule("material/on-collider", "warning", """
    Material on a collider or a body

    PhysicsMaterialAPI is applied to a collider or a body instead of a Material prim. PhysX reads only the material that
    the relationship material:binding:physics targets.

    Measured: A cube with friction 0 authored on its collider slows from 3 to 1.501 m/s, as without a material.
    (`experiments/measure_plausibility.py`)
    """,
    why="the values of PhysicsMaterialAPI have no effect here; the collider has friction 0.5 and no restitution",
    fix="author the values on a Material, and bind the colliders to this Material with material:binding:physics",
    example=usda.cube({_STATIC: "1"}, "PhysicsMaterialAPI"),
    remedy=_material_cube({_STATIC: "1"}),
)

THRESHOLD = Rule("scene/bounce-threshold", "warning", """
    Bounce threshold too high for the restitution

    Impacts slower than physxScene:bounceThreshold do not bounce. If the threshold is too high, a body dropped from a
    low height onto a material with restitution does not bounce.

    Measured: With a threshold of 2 m/s, a ball with restitution 0.5 bounces if dropped from 0.3 m, but not from 0.2
    m.
    (`experiments/measure_contact_settings.py`)
    """,
    why="impacts slower than the threshold ignore the restitution",
    fix="lower physxScene:bounceThreshold, or remove the restitution",
    example=_threshold("3") + _material_cube({"float physics:restitution": "0.5"}),
    remedy=_threshold("0.2") + _material_cube({"float physics:restitution": "0.5"}),
)

GROUPS = Rule("group/meets-nothing", "warning", """
    Collider that collides with nothing

    Collision groups filter the contacts of this collider with all other colliders. The collider's body falls through
    everything.

    Measured: If a cube's collision group filters the group of the ground, the cube falls through the ground.
    (`experiments/measure_contact_rules.py`)
    """,
    why="the collider's body falls through everything",
    fix="allow contact with another group, or remove the collider from the group",
    example=_grouped("[</Robot/solid>, </Robot/still>]"),
    remedy=_grouped("</Robot/solid>"),
)

TUNNELLING = Rule("body/tunnelling", "warning", """
    Fast body that tunnels through walls

    In one step the body moves further than its thickness, and PhysX checks contacts only at the start of a step.
    Continuous collision detection needs enableCCD on the body and on the scene.

    Measured: A ball of diameter 0.1 m at 8 m/s passes through a wall of 0.01 m. With enableCCD on body and scene the
    ball stops.
    (`experiments/measure_contact_settings.py`)
    """,
    why="the body can pass through thin walls",
    fix="enable physxRigidBody:enableCCD and the scene's physxScene:enableCCD, raise the contact offset to the "
        "distance per step, or shorten the step",
    example=_flying_ball("10"),
    remedy=_flying_ball("1"),
)

NO_IMPULSE = Rule("body/contact-impulse", "error", """
    Contact impulse limit of 0

    maxContactImpulse limits the impulse of each contact point per step. With a maxContactImpulse of 0, no contact holds
    the body up.

    Measured: With maxContactImpulse 0 a cube falls through the ground to -4.3 m in one second. With maxContactImpulse
    0.1 the cube rests on the ground. (`experiments/measure_contact_settings.py`)
    """,
    why="the body falls through everything",
    fix="remove maxContactImpulse, or author a positive limit",
    example=usda.body({_LIMIT: "0"}, "PhysxRigidBodyAPI", children=usda.cube()),
    remedy=usda.body({_LIMIT: "inf"}, "PhysxRigidBodyAPI", children=usda.cube()),
)

REPORT_PARTNER = ReaderRule("report/partner", "error", """
    Contact report without a valid partner

    physxContactReport:reportPairs accepts bodies, links and static colliders as targets. PhysX ignores targets that are
    colliders of bodies, missing prims, or articulation roots that are not links. If reportPairs has no valid target,
    PhysX reports no contacts.

    Measured: PhysX reports no contacts of a cube if reportPairs targets another body's collider. If reportPairs targets
    this other body itself, PhysX reports the contacts of the cube. (`experiments/record_contact_answers.py`)
    """,
    example=_reporting({_PARTNERS: "</Robot/nothing>"}),
    remedy=_reporting({_PARTNERS: "</Robot/a>"}),
)

REPORT_THRESHOLD = ReaderRule("report/threshold", "warning", """
    Contact report threshold of 1

    PhysX treats a physxContactReport:threshold of exactly 1 as unauthored. The default threshold is 1 on a stage in
    metres, and 100 on a stage in centimetres.

    Measured: On a stage in centimetres with threshold 1, PhysX reports no contact of a cube of weight 50.
    (`experiments/record_contact_answers.py`)
    """,
)


@finder("materials-in-contact", LOW_STATIC_FRICTION, IDLE_DAMPING, IDLE_RESTITUTION, UNBOUND, ON_COLLIDER)
def materials(description: Description) -> Iterator[Finding]:
    """Find material values without effect."""
    authored = {(item.path, item.property) for item in description.authored}
    colliders = tuple(_colliders(description))
    bound = {collider.material for collider in colliders}
    used = {collider.material for collider in colliders if collider.enabled and not collider.trigger}
    bodies_and_colliders = {*description.body_paths, *(collider.path for collider in colliders)}
    for material in description.materials:
        path = material.path
        if material.static_friction < material.dynamic_friction and (path, "physics:staticFriction") in authored:
            yield LOW_STATIC_FRICTION.at(path, "physics:staticFriction",
                                         f"static friction {material.static_friction:g} is below the dynamic friction "
                                         f"{material.dynamic_friction:g}")
        if material.compliant_damping > 0.0 and not material.compliant_stiffness > 0.0:
            yield IDLE_DAMPING.at(path, "physxMaterial:compliantContactDamping",
                                  f"damping {material.compliant_damping:g} without a stiffness")
        if material.restitution > 0.0 and material.compliant_stiffness > 0.0:
            yield IDLE_RESTITUTION.at(path, "physics:restitution", f"restitution {material.restitution:g} with a "
                                      f"contact stiffness of {material.compliant_stiffness:g}")
        if path in bodies_and_colliders and path not in used:
            yield ON_COLLIDER.at(path, "", "PhysicsMaterialAPI is on a prim that no collider is bound to")
        elif colliders and path not in used:
            yield UNBOUND.at(path, "", "only triggers and disabled colliders use the material" if path in bound
                             else "no collider is bound to the material")


@finder("bodies-in-contact", NO_IMPULSE)
def bodies(description: Description) -> Iterator[Finding]:
    """Find bodies with a contact impulse limit of 0."""
    for link in _links(description):
        if link.contact.max_impulse == 0.0 and link.colliders and not link.kinematic:
            yield NO_IMPULSE.at(link.path, "physxRigidBody:maxContactImpulse", "maxContactImpulse is 0")


@finder("bounce-threshold", THRESHOLD)
def thresholds(description: Description) -> Iterator[Finding]:
    """Find bounce thresholds above the impact speed of low drops, if a material has a restitution."""
    used = {collider.material for collider in _colliders(description)}
    bouncing = [item.path for item in description.materials
                if item.restitution > 0.0 and not item.compliant_stiffness > 0.0 and item.path in used]
    for scene in description.scenes:
        speed = scene.contact.bounce_threshold * scene.meters_per_unit
        height = speed * speed / (2.0 * _EARTH_GRAVITY)
        if bouncing and height > _LOW_DROP:
            yield THRESHOLD.at(scene.path, "physxScene:bounceThreshold",
                               f"a body dropped from less than {height:.2g} m onto {bouncing[0]} does not bounce")


@finder("groups-that-meet-nothing", GROUPS)
def groups(description: Description) -> Iterator[Finding]:
    """Find colliders of moving bodies that only groups keep from all contact."""
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
            yield GROUPS.at(side.collider.path, "",
                            f"{side.collider.group} collides with no other collider of the stage")


def _unfiltered(scene: Scene) -> Scene:
    return replace(scene, contact=replace(scene.contact, groups_inverted=False))


@finder("tunnelling", TUNNELLING)
def tunnelling(description: Description) -> Iterator[Finding]:
    """Find bodies that move further in a step than their thickness and contact offset."""
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
            yield TUNNELLING.at(body.path, "physics:velocity",
                                f"the body moves {distance:.3g} in one step, but is only {thick:.3g} thick")


def _links(description: Description) -> Iterator[Link]:
    return chain(description.separate_bodies, *(item.links for item in description.articulations if item.enabled))


def _colliders(description: Description) -> Iterator[Collider]:
    return chain(description.static_colliders, *(link.colliders for link in _links(description)))
