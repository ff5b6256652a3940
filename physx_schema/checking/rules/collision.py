"""Colliders, materials and collision filters."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PROFILES, Repair, SetValue, safe
from physx_schema.checking.engine.rule import ReaderRule, Values
from physx_schema.description import Problem
from physx_schema.description.collision.materials import COMBINE_MODES

_STRETCHED = {"float3 xformOp:scale": "(1, 1, 2)", "uniform token[] xformOpOrder": '["xformOp:scale"]'}
_PAIRS = "PhysicsFilteredPairsAPI"


def _mesh(indices: str, *schemas: str) -> str:
    """A tetrahedron."""
    return usda.prim("Mesh", "shape", {
        "point3f[] points": "[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]", "int[] faceVertexCounts": "[3, 3, 3, 3]",
        "int[] faceVertexIndices": indices}, "PhysicsCollisionAPI", *schemas)


def _offsets(contact: str, rest: str) -> dict[str, str]:
    """Contact and rest offset."""
    return {"float physxCollision:contactOffset": contact, "float physxCollision:restOffset": rest}


def _material(values: Mapping[str, str]) -> str:
    """A physics material."""
    return usda.prim("Material", "rubber", values, "PhysicsMaterialAPI", "PhysxMaterialAPI")


def _group(name: str, member: str, filtered: str = "") -> str:
    """A collision group of one prim."""
    more = {"rel physics:filteredGroups": filtered} if filtered else {}
    return usda.prim("PhysicsCollisionGroup", name, {"rel collection:colliders:includes": f"</Robot/{member}>", **more},
                     "CollectionAPI:colliders")


NO_SHAPE = ReaderRule("collider/no-shape", "error", """
    Collider without a shape

    PhysX makes collision shapes of Cube, Sphere, Capsule, Cylinder, Cone, Plane and Mesh prims with
    PhysicsCollisionAPI, and of such children of an Xform or Scope with it. A plane on a body that moves by forces is
    refused, and so is a shape of size or scale 0.

    Measured: A body whose collider is on an Xform without geometry falls through the ground, to -2.5.
    (`experiments/measure_body_rules.py`) Cubes of size 0 and NaN and a sphere of radius 0 weigh nothing, a cube of size
    -1 and a capsule of height 0 what they should. (`experiments/measure_mass_rules.py`)
    """,
    example=usda.prim("Xform", "shape", {}, "PhysicsCollisionAPI"),
    remedy=usda.prim("Cube", "shape", {}, "PhysicsCollisionAPI"),
)

MESH = ReaderRule("collider/mesh", "error", """
    Mesh whose faces or points are none

    The faces of a mesh collider name points that it does not have, have another number of corners than there are
    indices, or its points are no numbers.

    Measured: An index of -1 or 1000000 on a body that moves and a face of -3 corners anywhere end PhysX with a
    segmentation fault. Index 4 of 4 points and a face too many are taken. With a point of NaN a tetrahedron weighs
    nothing, and a ball falls through a static pit. (`experiments/measure_mesh_rules.py`)
    """,
    profiles=PROFILES,
    example=_mesh("[0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 4]"),
    remedy=_mesh("[0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]"),
)

COLLIDER_NO_SCENE = ReaderRule("collider/no-scene", "error", """
    Collider owned by no scene

    physics:simulationOwner names no PhysicsScene, and PhysX makes no shape of the collider: nothing collides with it,
    and it adds no mass to its body.

    Measured: A cube falls through ground of a scene that does not exist, and rests on it without an owner. Ground
    without an owner is of the first scene, and a body of the second falls through it.
    (`experiments/measure_scene_rules.py`)
    """,
    example=usda.cube({"rel physics:simulationOwner": "</Robot/scene>"}),
    remedy=usda.cube({"rel physics:simulationOwner": "</Robot/scene>"}) + usda.prim("PhysicsScene", "scene", {}),
)

MERGED = ReaderRule("collider/merged", "warning", """
    Merged mesh collider

    PhysxMeshMergeCollisionAPI asks for one shape of several meshes. ovphysx makes one of each mesh right below instead,
    as without the schema; programs that merge them have other masses and contacts.

    Measured: Two meshes right below weigh 7000 as two hulls with the schema and without it, and one further below
    weighs nothing. (`experiments/measure_mass_rules.py`)
    """,
    example=usda.prim("Xform", "shape", {}, "PhysicsCollisionAPI", "PhysxMeshMergeCollisionAPI", children=usda.cube()),
    remedy=usda.prim("Xform", "shape", {}, "PhysicsCollisionAPI", children=usda.cube()),
)

TRIGGER_MESH = ReaderRule("collider/trigger-mesh", "error", """
    Trigger that collides

    PhysX makes no trigger of a triangle mesh, as meshes of static and kinematic bodies are without an approximation: it
    makes a collider of it, as without PhysxTriggerAPI.

    Measured: A cube comes to rest on a mesh with PhysxTriggerAPI, and falls through its convex hull and a box with it;
    PhysX warns. (`experiments/measure_contact_settings.py`)
    """,
    example=_mesh("[0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]", "PhysxTriggerAPI"),
    remedy=usda.cube({}, "PhysxTriggerAPI"),
)

OFFSETS = ReaderRule("collider/offsets", "error", """
    Rest offset not below the contact offset

    restOffset must be below contactOffset; PhysX otherwise takes a rest offset of 0, and works out a contact offset in
    place of one below restOffset.

    Measured: With a contact offset of 0.05 a cube rests 0.02 above the ground for a rest offset of 0.02, and on it for
    0.05 and 0.1. A negative contact offset counts as none. (`experiments/measure_contact_rules.py`)
    """,
    example=usda.cube(_offsets("0.05", "0.1"), "PhysxCollisionAPI"),
    remedy=usda.cube(_offsets("0.05", "0.02"), "PhysxCollisionAPI"),
)


def _nearest_mode(problem: Problem, values: Values) -> Repair | None:
    """The combine mode that was probably meant."""
    close = get_close_matches(str(values.get((problem.path, problem.property))).lower(), COMBINE_MODES, 1, 0.5)
    return safe(SetValue(problem.path, problem.property, close[0])) if close else None


COMBINE_MODE = ReaderRule("material/combine-mode", "error", """
    Combine mode that does not exist

    Combine modes are average, min, multiply and max; PhysX takes average for anything else.

    Measured: Of frictions 0.1 and 0.3, maximum and Max leave 2.40 m/s of 3, as average does; max leaves 2.10.
    (`experiments/measure_contact_rules.py`)
    """,
    example=_material({"token physxMaterial:frictionCombineMode": '"maximum"'}),
    remedy=_material({"token physxMaterial:frictionCombineMode": '"max"'}),
    repair=_nearest_mode,
)

REFUSED = ReaderRule("material/refused", "error", """
    Material that PhysX refuses

    A friction below 0, a restitution above 1 or a value that is no number makes PhysX work with its default material:
    friction 0.5, no restitution.

    Measured: A friction of -1 or NaN and a restitution of 1.5 leave 1.50 m/s of 3, as no material does, where friction
    0.1 leaves 2.10. Infinite friction is taken: it leaves 0.05. (`experiments/measure_contact_rules.py`)
    """,
    example=_material({"float physics:dynamicFriction": "-1"}),
    remedy=_material({"float physics:dynamicFriction": "1"}),
)

SOFT = ReaderRule("material/soft", "warning", """
    Restitution below 0

    PhysX takes a restitution below 0 as the stiffness of a spring at the contact, and bodies sink in.

    Measured: A cube let go 1 m above the ground sinks 6.6 m into it with a restitution of -0.5, and comes back.
    (`experiments/measure_contact_rules.py`)
    """,
    example=_material({"float physics:restitution": "-0.5"}),
    remedy=_material({"float physics:restitution": "0.5"}),
)

GROUP_SEVERAL = ReaderRule("group/several", "warning", """
    Collider in several collision groups

    PhysX keeps a collider in one collision group, the first by path.

    Measured: A cube in A and C rests on ground that only C filters and falls through ground that A filters, in
    whichever order they are authored; PhysX warns. (`experiments/measure_contact_rules.py`)
    """,
    example=usda.cube() + _group("g1", "shape") + _group("g2", "shape"),
    remedy=usda.cube() + _group("g1", "shape") + _group("g2", "a"),
)

MISSING_GROUP = ReaderRule("group/missing-group", "error", """
    Filtered group that does not exist

    physics:filteredGroups points at something that is no PhysicsCollisionGroup.

    Measured: A group that filters a prim that does not exist, or the collider itself, lets its members rest on it. The
    other groups that it filters count. (`experiments/measure_contact_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.cube() + _group("g1", "shape", "</Robot/g2>"),
    remedy=usda.cube() + _group("g1", "shape", "</Robot/g2>") + _group("g2", "a"),
)

MISSING_MEMBER = ReaderRule("group/missing-member", "error", """
    Member of a collision group that does not exist

    The colliders collection of a collision group names a path without a prim.

    Measured: A group of a prim that does not exist filters nothing, without a message.
    (`experiments/measure_contact_rules.py`)
    """,
    profiles=PROFILES,
    example=_group("g1", "shape"),
    remedy=_group("g1", "shape") + usda.cube(),
)

MISSING_TARGET = ReaderRule("pair/missing-target", "error", """
    Filtered pair with a prim that does not exist

    physics:filteredPairs names a path without a prim.

    Measured: A cube paired with a prim that does not exist rests on the ground; paired with that and the ground it
    falls through. (`experiments/measure_contact_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.cube({"rel physics:filteredPairs": "</Robot/thing>"}, _PAIRS),
    remedy=usda.cube({"rel physics:filteredPairs": "</Robot/a>"}, _PAIRS),
)

NO_OBJECT = ReaderRule("pair/no-object", "error", """
    Filtered pair of something that does not collide

    PhysicsFilteredPairsAPI counts on colliders, rigid bodies and articulation roots, and its targets are those or prims
    above them. Anything else filters nothing.

    Measured: A cube paired with an empty Xform, the scene or a collision group of the ground rests on it, and so does
    one below an Xform that has the schema. Paired with a prim two above the ground it falls through.
    (`experiments/measure_contact_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.prim("Scope", "tools", {"rel physics:filteredPairs": "</Robot/a>"}, _PAIRS, children=usda.cube()),
    remedy=usda.prim("Scope", "tools", {}, children=usda.cube({"rel physics:filteredPairs": "</Robot/a>"}, _PAIRS)),
)

_INSTANCE = {"rel prototypes": "</Robot/many/shape>", "int[] protoIndices": "[0]", "point3f[] positions": "[(0, 0, 0)]"}

IN_INSTANCER = ReaderRule("collider/in-instancer", "info", """
    Colliders repeated by a point instancer

    The prototypes of a point instancer have colliders; PhysX makes one for each instance. Simulations of this library
    have the prototype alone, where it stands, and say so.

    Measured: Balls over two instances of a cube rest on both; one over the prototype falls through it where that is
    below the instancer, and rests on it where it is not. (`experiments/measure_contact_starts.py`)
    """,
    example=usda.prim("PointInstancer", "many", _INSTANCE, children=usda.cube()),
    remedy=usda.prim("Xform", "many", {}, children=usda.cube()),
)

STRETCHED = ReaderRule("collider/stretched", "warning", """
    Round collider with an uneven scale

    PhysX keeps spheres, capsules, cylinders and cones round: of scales that differ across them it takes the largest,
    where what is seen is stretched.

    Measured: A sphere of radius 0.5 scaled by (1, 1, 2) or (2, 1, 1) rests on the ground with its middle at 1.0.
    (`experiments/measure_body_rules.py`)
    """,
    example=usda.prim("Sphere", "ball", _STRETCHED, "PhysicsCollisionAPI"),
    remedy=usda.prim("Sphere", "ball", {**_STRETCHED, "float3 xformOp:scale": "(2, 2, 2)"}, "PhysicsCollisionAPI"),
)
