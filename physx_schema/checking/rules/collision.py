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

    PhysX creates shapes for Cube, Sphere, Capsule, Cylinder, Cone, Plane and Mesh prims. If PhysicsCollisionAPI is on
    an Xform or Scope, PhysX creates shapes for the geometry prims directly below it. PhysX rejects a size or scale of
    0, and planes on dynamic bodies.

    Measured: A body with a collider on an empty Xform falls through the ground to a height of -2.5.
    (`experiments/measure_body_rules.py`, `experiments/measure_mass_rules.py`)
    """,
    example=usda.prim("Xform", "shape", {}, "PhysicsCollisionAPI"),
    remedy=usda.prim("Cube", "shape", {}, "PhysicsCollisionAPI"),
)

MESH = ReaderRule("collider/mesh", "error", """
    Mesh with invalid faces or points

    Faces of the mesh refer to missing points, faceVertexCounts do not match faceVertexIndices, or points are not
    finite. PhysX can crash on such a mesh.

    Measured: If a face of a moving body's mesh has point index -1 or 1000000, PhysX crashes with a segmentation fault.
    (`experiments/measure_mesh_rules.py`)
    """,
    profiles=PROFILES,
    example=_mesh("[0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 4]"),
    remedy=_mesh("[0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]"),
)

COLLIDER_NO_SCENE = ReaderRule("collider/no-scene", "error", """
    Collider without a physics scene

    physics:simulationOwner of the collider names no PhysicsScene, so PhysX creates no shape. A collider without a
    physics scene has no contacts and adds no mass to its body.

    Measured: If physics:simulationOwner of the ground targets a missing scene, a cube falls through the ground. The
    cube rests on ground that has no simulationOwner. (`experiments/measure_scene_rules.py`)
    """,
    example=usda.cube({"rel physics:simulationOwner": "</Robot/scene>"}),
    remedy=usda.cube({"rel physics:simulationOwner": "</Robot/scene>"}) + usda.prim("PhysicsScene", "scene", {}),
)

MERGED = ReaderRule("collider/merged", "warning", """
    Merged mesh collider

    PhysxMeshMergeCollisionAPI requests one shape for several meshes. ovphysx creates one shape for each mesh directly
    below the prim. Programs that merge the meshes compute another mass and other contacts.

    Measured: A body with two meshes has mass 7000, the mass of two convex hulls, with PhysxMeshMergeCollisionAPI and
    without it. (`experiments/measure_mass_rules.py`)
    """,
    example=usda.prim("Xform", "shape", {}, "PhysicsCollisionAPI", "PhysxMeshMergeCollisionAPI", children=usda.cube()),
    remedy=usda.prim("Xform", "shape", {}, "PhysicsCollisionAPI", children=usda.cube()),
)

TRIGGER_MESH = ReaderRule("collider/trigger-mesh", "error", """
    Triangle mesh as a trigger

    PhysX cannot use a triangle mesh as a trigger and creates a solid collider instead. Static and kinematic meshes
    without an approximation are triangle meshes.

    Measured: A cube rests on a triangle mesh with PhysxTriggerAPI. The cube falls through a convex hull with
    PhysxTriggerAPI.
    (`experiments/measure_contact_settings.py`)
    """,
    example=_mesh("[0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]", "PhysxTriggerAPI"),
    remedy=usda.cube({}, "PhysxTriggerAPI"),
)

OFFSETS = ReaderRule("collider/offsets", "error", """
    Rest offset not below the contact offset

    restOffset must be below contactOffset. If restOffset is not below contactOffset, PhysX uses a rest offset of 0. If
    contactOffset is below restOffset, PhysX also computes another contact offset.

    Measured: With contactOffset 0.05 and restOffset 0.02, a cube rests 0.02 above the ground. With contactOffset 0.05
    and restOffset 0.1 the cube rests directly on the ground. (`experiments/measure_contact_rules.py`)
    """,
    example=usda.cube(_offsets("0.05", "0.1"), "PhysxCollisionAPI"),
    remedy=usda.cube(_offsets("0.05", "0.02"), "PhysxCollisionAPI"),
)


def _nearest_mode(problem: Problem, values: Values) -> Repair | None:
    """The combine mode that was probably meant."""
    close = get_close_matches(str(values.get((problem.path, problem.property))).lower(), COMBINE_MODES, 1, 0.5)
    return safe(SetValue(problem.path, problem.property, close[0])) if close else None


COMBINE_MODE = ReaderRule("material/combine-mode", "error", """
    Unknown combine mode

    The combine modes of a material are average, min, multiply and max. For any other combine mode PhysX uses average.

    Measured: A cube of friction 0.1 slides on ground of friction 0.3. With the unknown combine mode "maximum" the cube
    slows to 2.40 m/s, as with average. With the combine mode max the cube slows to 2.10 m/s.
    (`experiments/measure_contact_rules.py`)
    """,
    example=_material({"token physxMaterial:frictionCombineMode": '"maximum"'}),
    remedy=_material({"token physxMaterial:frictionCombineMode": '"max"'}),
    repair=_nearest_mode,
)

REFUSED = ReaderRule("material/refused", "error", """
    Material that PhysX rejects

    If a material has a friction below 0, a restitution above 1, or NaN, PhysX uses its default material: friction 0.5,
    no restitution.

    Measured: With friction -1 a cube slows to 1.50 m/s, as without a material. With friction 0.1 the same cube slows to
    2.10 m/s. (`experiments/measure_contact_rules.py`)
    """,
    example=_material({"float physics:dynamicFriction": "-1"}),
    remedy=_material({"float physics:dynamicFriction": "1"}),
)

SOFT = ReaderRule("material/soft", "warning", """
    Negative restitution

    PhysX uses a negative restitution as the stiffness of a contact spring. Bodies sink into colliders with a negative
    restitution.

    Measured: A cube dropped from 1 m sinks 6.6 m into ground with a restitution of -0.5, and then comes back up.
    (`experiments/measure_contact_rules.py`)
    """,
    example=_material({"float physics:restitution": "-0.5"}),
    remedy=_material({"float physics:restitution": "0.5"}),
)

GROUP_SEVERAL = ReaderRule("group/several", "warning", """
    Collider in several collision groups

    PhysX uses one collision group for each collider, the group with the alphabetically first path.

    Measured: A cube belongs to the groups A and C, and only C filters contacts with the ground. PhysX uses group A, so
    the cube rests on the ground. (`experiments/measure_contact_rules.py`)
    """,
    example=usda.cube() + _group("g1", "shape") + _group("g2", "shape"),
    remedy=usda.cube() + _group("g1", "shape") + _group("g2", "a"),
)

MISSING_GROUP = ReaderRule("group/missing-group", "error", """
    Missing filtered group

    physics:filteredGroups names a prim that is not a PhysicsCollisionGroup. PhysX ignores this target.

    Measured: If a group filters only a missing prim, the members of the group rest on the ground. Other targets of
    physics:filteredGroups still have an effect. (`experiments/measure_contact_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.cube() + _group("g1", "shape", "</Robot/g2>"),
    remedy=usda.cube() + _group("g1", "shape", "</Robot/g2>") + _group("g2", "a"),
)

MISSING_MEMBER = ReaderRule("group/missing-member", "error", """
    Missing member of a collision group

    The colliders collection of the group names a path without a prim. PhysX ignores this member.

    Measured: If the only member of a collision group is missing, the group filters no contacts. PhysX logs no message.
    (`experiments/measure_contact_rules.py`)
    """,
    profiles=PROFILES,
    example=_group("g1", "shape"),
    remedy=_group("g1", "shape") + usda.cube(),
)

MISSING_TARGET = ReaderRule("pair/missing-target", "error", """
    Filtered pair with a missing prim

    physics:filteredPairs names a path without a prim. PhysX ignores this target.

    Measured: If physics:filteredPairs of a cube names a missing prim, the cube rests on the ground.
    (`experiments/measure_contact_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.cube({"rel physics:filteredPairs": "</Robot/thing>"}, _PAIRS),
    remedy=usda.cube({"rel physics:filteredPairs": "</Robot/a>"}, _PAIRS),
)

NO_OBJECT = ReaderRule("pair/no-object", "error", """
    Filtered pair without a collider

    PhysicsFilteredPairsAPI works only on colliders, rigid bodies and articulation roots. Valid targets of
    physics:filteredPairs are colliders, rigid bodies, articulation roots, and prims above them. PhysicsFilteredPairsAPI
    on a prim of another kind has no effect.

    Measured: A cube rests on the ground if its filtered pair is an empty Xform, the scene or a collision group.
    (`experiments/measure_contact_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.prim("Scope", "tools", {"rel physics:filteredPairs": "</Robot/a>"}, _PAIRS, children=usda.cube()),
    remedy=usda.prim("Scope", "tools", {}, children=usda.cube({"rel physics:filteredPairs": "</Robot/a>"}, _PAIRS)),
)

_INSTANCE = {"rel prototypes": "</Robot/many/shape>", "int[] protoIndices": "[0]", "point3f[] positions": "[(0, 0, 0)]"}

IN_INSTANCER = ReaderRule("collider/in-instancer", "info", """
    Colliders repeated by a point instancer

    A prototype has colliders. PhysX creates one collider for each instance of the point instancer. The runtime of this
    project creates only the prototype's collider and reports this restriction.

    Measured: Balls dropped over two instances of a cube rest on both instances.
    (`experiments/measure_contact_starts.py`)
    """,
    example=usda.prim("PointInstancer", "many", _INSTANCE, children=usda.cube()),
    remedy=usda.prim("Xform", "many", {}, children=usda.cube()),
)

STRETCHED = ReaderRule("collider/stretched", "warning", """
    Round collider with an uneven scale

    PhysX keeps spheres, capsules, cylinders and cones round and scales them by the largest of the three scale factors.
    The rendered shape is stretched, but the collider is not.

    Measured: A sphere of radius 0.5 with scale (1, 1, 2) rests with its center at height 1.0.
    (`experiments/measure_body_rules.py`)
    """,
    example=usda.prim("Sphere", "ball", _STRETCHED, "PhysicsCollisionAPI"),
    remedy=usda.prim("Sphere", "ball", {**_STRETCHED, "float3 xformOp:scale": "(2, 2, 2)"}, "PhysicsCollisionAPI"),
)
