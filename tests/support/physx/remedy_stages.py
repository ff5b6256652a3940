"""Stages for remedies that the examples of the rules do not show: what falls on colliders, robots with other roots.

Prims are added under /Robot, as the examples of the rules are.
"""

from __future__ import annotations

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
