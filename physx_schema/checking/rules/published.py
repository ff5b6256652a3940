"""Requirements of SimReady's published rules about bodies, colliders, roots and units that no other rule checks.

PhysX does not need them. Their profile is published, which simready alone includes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PUBLISHED, Finding
from physx_schema.checking.engine.rule import Rule, finder, flatten
from physx_schema.description import Description

_REASON = "SimReady's published rule requires this; PhysX does not"
_BODY, _COLLIDER, _MESH, _MERGED = (
    "PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "PhysxMeshMergeCollisionAPI")
_MASS = "physics:mass"

NO_BODY = Rule("stage/no-body", "error", """
    Stage without a rigid body

    SimReady's published rule RB.001 requires at least one rigid body.
    """,
    why=_REASON,
    fix="apply PhysicsRigidBodyAPI to the prims that should move",
    profiles=(PUBLISHED,),
)

ONE_BODY = Rule("stage/one-body", "warning", """
    Stage with a single rigid body

    SimReady's published rule RB.MB.001 requires at least two rigid bodies in an asset with moving parts.
    """,
    why=_REASON,
    fix="apply PhysicsRigidBodyAPI to the other moving parts, or do not claim the multi-body feature",
    profiles=(PUBLISHED,),
)

ROOT_COUNT = Rule("articulation/root-count", "warning", """
    No articulation root, or several roots

    SimReady's published rule BA.001 requires exactly one articulation root on a stage with joints. PhysX simulates any
    number of articulations, and also joints outside articulations.
    """,
    why=_REASON,
    profiles=(PUBLISHED,),
)

NOT_XFORMABLE = Rule("body/not-xformable", "error", """
    Rigid body on a prim without a transform

    SimReady's published rule RB.003 requires PhysicsRigidBodyAPI on Xformable prims. PhysX simulates a body on any
    prim, but a Scope or an untyped prim cannot store the body's pose.

    Measured: A body on a Scope falls by 5.005 in one second, like a body on an Xform.
    (`experiments/measure_body_rules.py`)
    """,
    why="the prim cannot store the pose that PhysX computes; SimReady requires an Xformable prim",
    fix="make the prim an Xform",
    profiles=(PUBLISHED,),
    example=usda.body().replace("def Xform", "def Scope"),
    remedy=usda.body(),
)

NESTED = Rule("body/nested-in-body", "warning", """
    Nested rigid body without !resetXformStack!

    SimReady's published rule RB.006 requires !resetXformStack! on a body inside another body.

    Measured: An inner body 2 length units above the outer body falls by 5.005 in one second, with and without
    !resetXformStack!. (`experiments/measure_body_rules.py`)
    """,
    why="PhysX steps the two bodies separately; SimReady requires !resetXformStack! on the inner body",
    fix="author !resetXformStack!, or move the inner body out of the outer body",
    profiles=(PUBLISHED,),
    example=usda.body(children=usda.body(name="inner")),
    remedy=usda.body() + usda.body(name="inner"),
)

UNJOINED = Rule("body/nested-unjoined", "error", """
    Nested rigid body without a joint

    SimReady's published rule RB.012 requires a joint between a body and the body that contains it.

    Measured: A body inside another body falls separately, with and without a joint.
    (`experiments/measure_body_rules.py`)
    """,
    why="PhysX steps the two bodies separately; SimReady requires a joint between the two bodies",
    fix="connect the two bodies by a joint, or move the inner body out of the outer body",
    profiles=(PUBLISHED,),
    example=usda.body(children=usda.body(name="inner")),
    remedy=usda.body() + usda.body(name="inner"),
)

NO_MASS = Rule("body/mass-unauthored", "error", """
    Body without an authored mass

    SimReady's published rules RB.007 and RB.011 require a physics:mass above 0 on a body or on its colliders. Without
    an authored mass PhysX computes the mass from the volume and density of the colliders.
    """,
    why="PhysX computes the mass from volume and density; SimReady requires an authored mass",
    fix="author physics:mass of PhysicsMassAPI on the body",
    profiles=(PUBLISHED,),
    example=usda.body({"float physics:mass": None, "float3 physics:diagonalInertia": None}, children=usda.cube()),
    remedy=usda.body(children=usda.cube()),
)

MASS_PARTIAL = Rule("body/mass-partial", "warning", """
    Body with a mass on some colliders only

    SimReady's published rule RB.007 requires physics:mass on a body or on all of its colliders.
    """,
    why="PhysX computes the missing masses from volume and density; SimReady requires a mass on every collider",
    fix="author physics:mass on the body, or on each collider",
    profiles=(PUBLISHED,),
    example=usda.body({"float physics:mass": None, "float3 physics:diagonalInertia": None}, children=usda.cube(
        {"float physics:mass": "1"}, "PhysicsMassAPI", name="heavy") + usda.cube()),
    remedy=usda.body({"float physics:mass": None, "float3 physics:diagonalInertia": None}, children=usda.cube(
        {"float physics:mass": "1"}, "PhysicsMassAPI", name="heavy") + usda.cube(
            {"float physics:mass": "1"}, "PhysicsMassAPI")),
)

NOT_GEOMETRY = Rule("collider/not-geometry", "error", """
    Collider on a prim without geometry

    SimReady's published rules RB.COL.001 and PHYSX.COL.001 require PhysicsCollisionAPI on geometry, or on an Xform with
    PhysxMeshMergeCollisionAPI. PhysX creates shapes from the geometry directly below the prim.
    """,
    why="PhysX uses the geometry directly below the prim; SimReady requires the schema on the geometry",
    fix="apply PhysicsCollisionAPI to the geometry below the prim",
    profiles=(PUBLISHED,),
    example=usda.prim("Xform", "shapes", {}, _COLLIDER, children=usda.prim("Cube", "shape", {"double size": "1"})),
    remedy=usda.prim("Xform", "shapes", {}, children=usda.cube()),
)

MESH_SCHEMA = Rule("collider/mesh-schema", "error", """
    Mesh collision schema without a mesh collider

    SimReady's published rules RB.COL.002 and PHYSX.COL.002 allow PhysicsMeshCollisionAPI only on meshes with
    PhysicsCollisionAPI. PHYSX.COL.002 also allows PhysicsMeshCollisionAPI on a prim with PhysxMeshMergeCollisionAPI.
    """,
    why="the schema sets the collision shape of a mesh, and this prim is not a mesh collider",
    profiles=(PUBLISHED,),
    example=usda.cube({}, _MESH),
    remedy=usda.cube(),
)

NOT_Z_UP = Rule("stage/not-z-up", "error", """
    Up axis other than Z

    SimReady's published rule UN.006 requires upAxis Z.
    """,
    why=_REASON,
    fix='rotate the asset and author upAxis = "Z"',
    profiles=(PUBLISHED,),
)

NOT_METRES = Rule("stage/not-metres", "error", """
    Length unit other than metres

    SimReady's published rule UN.007 requires metersPerUnit 1.
    """,
    why=_REASON,
    fix="scale all lengths and values that depend on lengths, and author metersPerUnit = 1",
    profiles=(PUBLISHED,),
)


@finder("published-stage", NO_BODY, ONE_BODY, NOT_Z_UP, NOT_METRES)
def stage_rules(description: Description) -> Iterator[Finding]:
    """Judge the stage as a whole."""
    bodies, scene = description.body_paths, description.scene
    if not bodies:
        yield NO_BODY.at("/", "", "no prim is a rigid body")
    elif len(bodies) == 1:
        yield ONE_BODY.at(bodies[0], "", "this is the only rigid body of the stage")
    if scene.up_axis != "Z":
        yield NOT_Z_UP.at("/", "upAxis", f"upAxis is {scene.up_axis}; only Z is allowed")
    if scene.meters_per_unit != 1.0:
        yield NOT_METRES.at("/", "metersPerUnit", f"metersPerUnit is {scene.meters_per_unit:g}; only 1 is allowed")


@finder("published-roots", ROOT_COUNT)
def root_count(description: Description) -> Iterator[Finding]:
    """Find several roots, or none on a stage with joints. Other rules report faults of a root."""
    roots = list(dict.fromkeys(item.path for item in description.articulations))
    for root in roots[1:]:
        yield ROOT_COUNT.at(root, "apiSchemas", f"the stage has {len(roots)} articulation roots; 1 is allowed",
                            fix="keep one robot in each file, and combine files by references")
    faulty = any(problem.code.startswith("articulation/") for problem in description.problems)
    if not roots and not faulty and description.joints:
        yield ROOT_COUNT.at(description.joints[0].path, "", "the stage has joints but no articulation root",
                            fix="apply PhysicsArticulationRootAPI to the prim above the robot")


@finder("published-hosts", NOT_XFORMABLE, NOT_GEOMETRY, MESH_SCHEMA)
def hosts(description: Description) -> Iterator[Finding]:
    """Find schemas of bodies and colliders on prims of wrong types."""
    for item in description.applied:
        merged = _MERGED in item.host
        if item.schema == _BODY and "Xformable" not in item.host:
            yield NOT_XFORMABLE.at(item.path, "apiSchemas", f"{_BODY} is on a prim that is not Xformable")
        elif item.schema == _COLLIDER and "Gprim" not in item.host and not merged:
            yield NOT_GEOMETRY.at(item.path, "apiSchemas", f"{_COLLIDER} is on a prim without geometry")
        elif item.schema == _MESH and "Mesh" not in item.host and not merged:
            yield MESH_SCHEMA.at(item.path, "apiSchemas", f"{_MESH} is on a prim that is not a Mesh",
                                 fix=f"remove {_MESH}")
        elif item.schema == _MESH and _COLLIDER not in item.host:
            yield MESH_SCHEMA.at(item.path, "apiSchemas", f"{_MESH} is applied without {_COLLIDER}",
                                 fix=f"apply {_COLLIDER} too")


@finder("published-nesting", NESTED, UNJOINED)
def nesting(description: Description) -> Iterator[Finding]:
    """Find bodies inside other bodies."""
    for problem in description.problems:
        if problem.code == "body/nested":
            yield NESTED.at(problem.path, problem.property, problem.message)
    paths, pairs = set(description.body_paths), _joined(description)
    for path in description.body_paths:
        outer = next((above for above in _above(path) if above in paths), "")
        if outer and frozenset((outer, path)) not in pairs:
            yield UNJOINED.at(path, "", f"the body is inside {outer}, and no joint connects the two")


def _above(path: str) -> Iterator[str]:
    """The paths of the prims above one, the nearest first."""
    while path := path.rpartition("/")[0]:
        yield path


def _joined(description: Description) -> set[frozenset[str]]:
    """Pairs of bodies with a joint between them."""
    pairs = {frozenset((item.links[link.parent].path, link.path))
             for item in description.articulations for link in item.links if link.parent >= 0}
    return pairs | {frozenset((joint.body0, joint.body1)) for joint in description.joints}


@finder("published-masses", NO_MASS, MASS_PARTIAL)
def masses(description: Description) -> Iterator[Finding]:
    """Find bodies with a mass that PhysX computes, wholly or in part."""
    authored = {item.path: flatten(item.value) for item in description.authored if item.property == _MASS}
    heavy = {path for path, numbers in authored.items() if numbers and numbers[0] > 0.0}
    for body in chain(description.bodies, *(item.links for item in description.articulations)):
        shapes = {collider.path for collider in body.colliders}
        if body.path in heavy or (shapes and shapes <= heavy):
            continue
        if shapes & heavy:
            missing = ", ".join(sorted(shapes - heavy))
            yield MASS_PARTIAL.at(body.path, _MASS, f"no mass is authored on {missing}")
        else:
            yield NO_MASS.at(body.path, _MASS, "no mass is authored on the body or on its colliders")
