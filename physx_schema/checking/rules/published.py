"""The letter of SimReady's published rules about bodies, colliders, roots and units, where no other rule has it.

PhysX does without what they ask for, so that they have the profile published, which simready by itself brings along.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PUBLISHED, Finding
from physx_schema.checking.engine.rule import Rule, finder, flatten
from physx_schema.description import Description

_ONLY_PUBLISHED = "Only the profiles published and simready (by itself) ask for it."
_REASON = "the published rule asks for it; PhysX does without"
_BODY, _COLLIDER, _MESH, _MERGED = (
    "PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "PhysxMeshMergeCollisionAPI")
_MASS = "physics:mass"

NO_BODY = Rule("stage/no-body", "error", f"""
    Stage without a rigid body

    The published rule RB.001 wants at least one rigid body. {_ONLY_PUBLISHED}
    """,
    why=_REASON,
    fix="apply PhysicsRigidBodyAPI to what is to move",
    profiles=(PUBLISHED,),
)

ONE_BODY = Rule("stage/one-body", "warning", f"""
    Stage with a single rigid body

    The published rule RB.MB.001 wants at least two rigid bodies of an asset whose parts move. {_ONLY_PUBLISHED}
    """,
    why=_REASON,
    fix="apply PhysicsRigidBodyAPI to the other parts that move, or do not claim the feature of several bodies",
    profiles=(PUBLISHED,),
)

ROOT_COUNT = Rule("articulation/root-count", "warning", f"""
    No articulation root, or several

    The published rule BA.001 wants exactly one articulation root on a stage with joints. {_ONLY_PUBLISHED} PhysX steps
    as many articulations as there are, and joints outside of them between bodies.
    """,
    why=_REASON,
    profiles=(PUBLISHED,),
)

NOT_XFORMABLE = Rule("body/not-xformable", "error", f"""
    Rigid body on a prim that has no transform

    The published rule RB.003 wants PhysicsRigidBodyAPI on Xformable prims. {_ONLY_PUBLISHED} PhysX steps a body on any
    prim, but its pose has no place on a Scope or a prim without a type.

    Measured: A body on a Scope and one on a prim without a type fall by 5.005 in a second, as one on an Xform does.
    (`experiments/measure_body_rules.py`)
    """,
    why="the pose that PhysX gives it cannot be written to the prim; the published rule wants an Xformable",
    fix="make the prim an Xform",
    profiles=(PUBLISHED,),
    example=usda.body().replace("def Xform", "def Scope"),
    remedy=usda.body(),
)

NESTED = Rule("body/nested-in-body", "warning", f"""
    Rigid body inside another, by the letter

    The published rule RB.006 wants !resetXformStack! on a body inside another one. {_ONLY_PUBLISHED}

    Measured: A body 2 above the one that it is inside of falls by 5.005, as the outer one does, with
    !resetXformStack! and without. (`experiments/measure_body_rules.py`)
    """,
    why="PhysX steps the two apart; the published rule wants the inner transform to begin with !resetXformStack!",
    fix="author !resetXformStack!, or move the body out of the other",
    profiles=(PUBLISHED,),
    example=usda.body(children=usda.body(name="inner")),
    remedy=usda.body() + usda.body(name="inner"),
)

UNJOINED = Rule("body/nested-unjoined", "error", f"""
    Rigid body inside another that no joint holds to it

    The published rule RB.012 wants a joint between a body and the body that it is inside of. {_ONLY_PUBLISHED}

    Measured: A body inside another falls by itself, with a joint and without. (`experiments/measure_body_rules.py`)
    """,
    why="PhysX steps the two apart; the published rule wants a joint between them",
    fix="join the two bodies, or move the body out of the other",
    profiles=(PUBLISHED,),
    example=usda.body(children=usda.body(name="inner")),
    remedy=usda.body() + usda.body(name="inner"),
)

NO_MASS = Rule("body/mass-unauthored", "error", f"""
    Body without an authored mass

    The published rules RB.007 and RB.011 want physics:mass above 0 on a body or on its colliders. {_ONLY_PUBLISHED}
    PhysX takes the mass of the colliders' volume and density.
    """,
    why="PhysX computes a mass of volume and density; the published rule wants one authored",
    fix="author physics:mass of PhysicsMassAPI on the body",
    profiles=(PUBLISHED,),
    example=usda.body({"float physics:mass": None, "float3 physics:diagonalInertia": None}, children=usda.cube()),
    remedy=usda.body(children=usda.cube()),
)

MASS_PARTIAL = Rule("body/mass-partial", "warning", f"""
    Body with a mass on some of its colliders

    The published rule RB.007 wants physics:mass on a body or on all of its colliders. {_ONLY_PUBLISHED}
    """,
    why="PhysX computes the others' mass of volume and density; the published rule wants all of them authored",
    fix="author physics:mass on the body, or on each collider",
    profiles=(PUBLISHED,),
    example=usda.body({"float physics:mass": None, "float3 physics:diagonalInertia": None}, children=usda.cube(
        {"float physics:mass": "1"}, "PhysicsMassAPI", name="heavy") + usda.cube()),
    remedy=usda.body({"float physics:mass": None, "float3 physics:diagonalInertia": None}, children=usda.cube(
        {"float physics:mass": "1"}, "PhysicsMassAPI", name="heavy") + usda.cube(
            {"float physics:mass": "1"}, "PhysicsMassAPI")),
)

NOT_GEOMETRY = Rule("collider/not-geometry", "error", f"""
    Collider on a prim without geometry

    The published rules RB.COL.001 and PHYSX.COL.001 want PhysicsCollisionAPI on geometry itself, or on an Xform with
    PhysxMeshMergeCollisionAPI. {_ONLY_PUBLISHED} PhysX makes shapes of the geometry right below such a prim.
    """,
    why="PhysX looks for geometry right below; the published rule wants the schema on the geometry",
    fix="apply PhysicsCollisionAPI to the geometry below",
    profiles=(PUBLISHED,),
    example=usda.prim("Xform", "shapes", {}, _COLLIDER, children=usda.prim("Cube", "shape", {"double size": "1"})),
    remedy=usda.prim("Xform", "shapes", {}, children=usda.cube()),
)

MESH_SCHEMA = Rule("collider/mesh-schema", "error", f"""
    Mesh collision schema on something else than a mesh collider

    The published rules RB.COL.002 and PHYSX.COL.002 want PhysicsMeshCollisionAPI on meshes that have
    PhysicsCollisionAPI, PHYSX.COL.002 on merged colliders as well. {_ONLY_PUBLISHED}
    """,
    why="the schema says how PhysX makes a shape of a mesh, and here it makes none of one",
    profiles=(PUBLISHED,),
    example=usda.cube({}, _MESH),
    remedy=usda.cube(),
)

NOT_Z_UP = Rule("stage/not-z-up", "error", f"""
    Up axis other than Z

    The published rule UN.006 wants upAxis Z. {_ONLY_PUBLISHED}
    """,
    why=_REASON,
    fix='turn the asset and author upAxis = "Z"',
    profiles=(PUBLISHED,),
)

NOT_METRES = Rule("stage/not-metres", "error", f"""
    Length unit other than a metre

    The published rule UN.007 wants metersPerUnit 1. {_ONLY_PUBLISHED}
    """,
    why=_REASON,
    fix="scale every length and what depends on lengths, and author metersPerUnit = 1",
    profiles=(PUBLISHED,),
)


@finder("published-stage", NO_BODY, ONE_BODY, NOT_Z_UP, NOT_METRES)
def stage_rules(description: Description) -> Iterator[Finding]:
    """What is asked of a stage as a whole."""
    bodies, scene = description.body_paths, description.scene
    if not bodies:
        yield NO_BODY.at("/", "", "no prim is a rigid body")
    elif len(bodies) == 1:
        yield ONE_BODY.at(bodies[0], "", "the only rigid body")
    if scene.up_axis != "Z":
        yield NOT_Z_UP.at("/", "upAxis", f"upAxis is {scene.up_axis}; Z is allowed")
    if scene.meters_per_unit != 1.0:
        yield NOT_METRES.at("/", "metersPerUnit", f"metersPerUnit is {scene.meters_per_unit:g}; 1 is allowed")


@finder("published-roots", ROOT_COUNT)
def root_count(description: Description) -> Iterator[Finding]:
    """More roots than one, or none where there are joints. What is wrong with a root is a finding of another rule."""
    roots = list(dict.fromkeys(item.path for item in description.articulations))
    for root in roots[1:]:
        yield ROOT_COUNT.at(root, "apiSchemas", f"one of {len(roots)} articulation roots; 1 is allowed",
                            fix="keep one robot in a file, and compose scenes of several by references")
    faulty = any(problem.code.startswith("articulation/") for problem in description.problems)
    if not roots and not faulty and description.joints:
        yield ROOT_COUNT.at(description.joints[0].path, "", "joints on a stage without an articulation root",
                            fix="apply PhysicsArticulationRootAPI to the prim above the robot")


@finder("published-hosts", NOT_XFORMABLE, NOT_GEOMETRY, MESH_SCHEMA)
def hosts(description: Description) -> Iterator[Finding]:
    """Schemas of bodies and colliders on prims of other kinds than are asked for."""
    for item in description.applied:
        merged = _MERGED in item.host
        if item.schema == _BODY and "Xformable" not in item.host:
            yield NOT_XFORMABLE.at(item.path, "apiSchemas", f"{_BODY} on a prim that is not Xformable")
        elif item.schema == _COLLIDER and "Gprim" not in item.host and not merged:
            yield NOT_GEOMETRY.at(item.path, "apiSchemas", f"{_COLLIDER} on a prim that is no geometry")
        elif item.schema == _MESH and "Mesh" not in item.host and not merged:
            yield MESH_SCHEMA.at(item.path, "apiSchemas", f"{_MESH} on a prim that is no Mesh", fix=f"remove {_MESH}")
        elif item.schema == _MESH and _COLLIDER not in item.host:
            yield MESH_SCHEMA.at(item.path, "apiSchemas", f"{_MESH} without {_COLLIDER}", fix=f"apply {_COLLIDER} too")


@finder("published-nesting", NESTED, UNJOINED)
def nesting(description: Description) -> Iterator[Finding]:
    """Bodies inside others."""
    for problem in description.problems:
        if problem.code == "body/nested":
            yield NESTED.at(problem.path, problem.property, problem.message)
    paths, pairs = set(description.body_paths), _joined(description)
    for path in description.body_paths:
        outer = next((above for above in _above(path) if above in paths), "")
        if outer and frozenset((outer, path)) not in pairs:
            yield UNJOINED.at(path, "", f"inside the body {outer}, and no joint joins the two")


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
    """Bodies whose mass is left to PhysX, wholly or in part."""
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
            yield NO_MASS.at(body.path, _MASS, "no mass is authored")
