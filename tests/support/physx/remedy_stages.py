"""Stages for remedies that the examples of the rules do not show: what falls on colliders, robots with other roots.

Prims are added under /Robot, as the examples of the rules are.
"""

from __future__ import annotations

from support.places import DATA
from support.stages.faulty_robots import stage
from support.stages.robots import joint, link, placed, prim, robot

COLLIDER, ROOT = "PhysicsCollisionAPI", "PhysicsArticulationRootAPI"
KINEMATIC = {"bool physics:kinematicEnabled": True}


def box(name: str, size: float, position: tuple[float, float, float], **more: object) -> str:
    """A box that moves by forces, sideways at first."""
    shape = prim("Cube", "box", (COLLIDER,), {"double size": size})
    return link(name, position, more={"vector3f physics:velocity": (0.5, 0.0, 0.0), **more}, children=shape)


def boxed(name: str, size: float, position: tuple[float, float, float], *schemas: str, **more: object) -> str:
    """A static box."""
    return prim("Cube", name, (COLLIDER, *schemas), {"double size": size, **placed(position), **more})


# --- beside an example ------------------------------------------------------------------------------------------------

DROP = box("drop", 0.5, (0.1, 0.1, 1.3))
SMALL_DROP = box("drop", 0.05, (0.2, 0.2, 1.0))
LOW_DROP = box("drop", 0.5, (0.0, 0.0, 0.85))       # arrives at 1.4 m/s
FLOOR = boxed("floor", 1.0, (0.0, 0.0, -1.5))
BOUND = boxed("floor", 1.0, (0.0, 0.0, 0.0), "MaterialBindingAPI", **{
    "rel material:binding:physics": "</Robot/rubber>"}) + DROP
JOINED = prim("PhysicsFixedJoint", "hook", (), {
    "rel physics:body1": "</Robot/thing>", "point3f physics:localPos1": (0.0, 0.0, 1.0),
    "bool physics:excludeFromArticulation": True})
THIN_WALL = boxed("wall", 1.0, (0.5, 0.0, 0.0), **{"float3 xformOp:scale": (0.001, 1.0, 1.0)})

PULLED = prim("PhysicsScene", "scene", (), {"vector3f physics:gravityDirection": (1.0, 0.0, 0.0)})
CCD_SCENE = prim("PhysicsScene", "scene", ("PhysxSceneAPI",), {"bool physxScene:enableCCD": True})

# --- without and with a remedy ----------------------------------------------------------------------------------------

BASE, B = link("base"), link("b", (1, 0, 0))
ANCHOR, ROOT_ANCHOR = (joint("Fixed", "anchor", "", "base", schemas) for schemas in ((), (ROOT,)))
HINGE, ROOT_HINGE = (joint("Revolute", "j2", "base", "b", schemas, {"point3f physics:localPos0": (1, 0, 0)})
                     for schemas in ((), (ROOT,)))
LOOSE, ROOTED = (robot(BASE, B, ANCHOR, HINGE, schemas=schemas) for schemas in ((), (ROOT,)))
ROOTED_JOINT = robot(BASE, B, ROOT_ANCHOR, HINGE, schemas=())

ROOTLESS = LOOSE, ROOTED
NO_BODIES = robot(BASE, B, ANCHOR, HINGE, prim("Xform", "empty", (ROOT,)), schemas=()), ROOTED
STATIC_ROOT = robot(link("base", schemas=(ROOT,), more=KINEMATIC), B, HINGE, schemas=()), ROOTED_JOINT
ROOT_JOINT = robot(BASE, B, ANCHOR, ROOT_HINGE, schemas=()), ROOTED_JOINT
WORLD_JOINT = robot(link("base", schemas=(ROOT,)), B, ANCHOR, HINGE, schemas=()), ROOTED_JOINT

# on a stand that is kinematic, and one that is held to the world
ON_STAND = joint("Fixed", "anchor", "stand", "base")
KINEMATIC_BASE = (robot(link("stand", more=KINEMATIC), BASE, B, ON_STAND, HINGE),
                  robot(link("stand"), joint("Fixed", "hold", "", "stand"), BASE, B, ON_STAND, HINGE))

# two roots: above the bodies, and on a joint whose path comes last
SHARED = tuple(robot(BASE, B, HINGE, outside=prim("PhysicsFixedJoint", "z", schemas, {
    "rel physics:body1": "</Robot/base>"})) for schemas in ((ROOT,), ()))

HEAD = '#usda 1.0\n(\n    metersPerUnit = {}\n    upAxis = "{}"\n)\n'
FALLING = prim("Xform", "Robot", (), {}, link("b"))
UNITS = HEAD.format(0, "Z") + FALLING, HEAD.format(1, "Z") + FALLING
UP_AXIS = HEAD.format(1, "X") + FALLING, HEAD.format(1, "Z") + FALLING

# --- borders of articulations, masses ---------------------------------------------------------------------------------

SWITCH = "bool physxArticulation:articulationEnabled"
SWITCHED_OFF = tuple(HEAD.format(1, "Z") + prim(
    "Xform", "Robot", (ROOT, "PhysxArticulationAPI"), {SWITCH: on}, BASE + B + ANCHOR + HINGE) for on in (False, True))

# a chain that floats, with the root above it and on the first of its links
LINKS = "".join(link(name) for name in "def")
JOINTS = "".join(joint("Revolute", f"k{child}", parent, child) for parent, child in ("cd", "de", "ef"))
CHAIN = (robot(link("c"), LINKS, JOINTS), robot(link("c", schemas=(ROOT,)), LINKS, JOINTS, schemas=()))

# two balls that hang in a row, the lower one 2000 times as heavy
HANGING = tuple(robot(
    link("b0", (1, 0, 0)), link("b1", (2, 0, 0), mass=2000.0), joint("Spherical", "k0", "", "b0", (), {
        "point3f physics:localPos1": (-1, 0, 0)}),
    joint("Spherical", "k1", "b0", "b1", (), {"point3f physics:localPos0": (1, 0, 0)}),
    prim("PhysicsScene", "scene", (), {"vector3f physics:gravityDirection": (1.0, 0.0, 0.0)}), schemas=schemas)
    for schemas in ((), (ROOT,)))

HELD_THING = prim("PhysicsFixedJoint", "hook", (), {
    "rel physics:body1": "</Robot/thing>", "bool physics:excludeFromArticulation": True})

# in place of two hinges about x and y that lock each other
FREE_TURNS = {f"float limit:{axis}:physics:{name}": value for axis in ("transX", "transY", "transZ", "rotZ")
              for name, value in (("low", 1.0), ("high", -1.0))}
GENERIC_JOINT = joint("", "k", "base", "b", [f"PhysicsLimitAPI:{axis}" for axis in (
    "transX", "transY", "transZ", "rotZ")], FREE_TURNS)
GENERIC = stage(GENERIC_JOINT)
BETWEEN = stage(link("ring") + joint("Revolute", "j2", "base", "ring") + joint("Revolute", "k", "ring", "b", (), {
    "uniform token physics:axis": "Y"}))

WITH_SHAPE = tuple(robot(link("b", children=shape), boxed("floor", 1.0, (0, 0, -1.1)), schemas=()) for shape in (
    prim("Xform", "frame"), prim("Cube", "shape", (COLLIDER,), {"double size": 1.0})))

# --- the letter of published rules ------------------------------------------------------------------------------------

SHOWN = {"double size": 1.0}
STILL, LONELY = ((robot(first, schemas=()), robot(second, schemas=())) for first, second in (
    (prim("Cube", "crate", (COLLIDER,), SHOWN), prim("Cube", "crate", (COLLIDER, "PhysicsRigidBodyAPI"), SHOWN)),
    (link("b") + prim("Cube", "lid", (), SHOWN), link("b") + prim("Cube", "lid", ("PhysicsRigidBodyAPI",), SHOWN))))
VISUAL = tuple(robot(prim("Cube", "crate", added, SHOWN), schemas=()) for added in ((), ("PhysicsRigidBodyAPI",)))
WITHOUT_KILOGRAMS = tuple(head + FALLING for head in (
    HEAD.format(1, "Z"), HEAD.format(1, "Z").replace("(\n", "(\n    kilogramsPerUnit = 1\n")))
Y_UP, IN_CENTIMETRES = (tuple(HEAD.format(*units) + prim("Xform", "Robot", (), {}, link("b", place))
                              for units, place in both) for both in (
    (((1, "Y"), (0, 1, 0)), ((1, "Z"), (0, 0, 1))), (((0.01, "Z"), (0, 0, 100)), ((1, "Z"), (0, 0, 1)))))

# --- layers that are brought in ---------------------------------------------------------------------------------------

LAYERS = DATA / "remedies"
OTHER_UNITS = tuple(HEAD.format(unit, "Z") + 'def Xform "Robot"\n{\n' + (
    f'def "thing" (references = @{LAYERS / "metres.usda"}@)\n{{\n}}\n}}\n') for unit in (0.01, 1))
OUTSIDE = tuple(HEAD.format(1, "Z") + prim("Xform", "Robot", (), {}, link("crate") + (
    f'def "thing" (references = @{LAYERS / "welded.usda"}@)\n{{\nover "weld"\n{{\n{ends}}}\n}}\n'))
    for ends in ("", "rel physics:body0 = </Robot/crate>\n"))
