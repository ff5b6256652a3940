"""What stages of touching bodies are put together from, as USDA text; lengths in the stage's units, turns w x y z."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from support.stages.parts import ROOT_API, Attributes, collider
from support.stages.robots import prim

Vector = tuple[float, float, float]
Turn = tuple[float, float, float, float]
ORIGIN: Vector = (0.0, 0.0, 0.0)
LEVEL: Turn = (1.0, 0.0, 0.0, 0.0)
ASKEW: Turn = (0.9659258, 0.1830127, 0.1294095, 0.1294095)      # 30 degrees about nothing in particular
HEAD = ('#usda 1.0\n(\n    defaultPrim = "World"\n    metersPerUnit = {meters}\n    kilogramsPerUnit = 1.0\n'
        '    upAxis = "{up}"\n)\n')


@dataclass(frozen=True, slots=True)
class ContactScene:
    """A stage, for how many steps it runs, and where kinematic bodies are sent."""

    text: str
    steps: int = 240
    dt: float = 1 / 60
    targets: Mapping[str, NDArray[Any]] = field(default_factory=dict)      # path: (steps, 7) position, x y z w


def turn(axis: Sequence[float], degrees: float) -> Turn:
    """About an axis."""
    half, length = math.radians(degrees) / 2, math.hypot(*axis)
    x, y, z = (v / length * math.sin(half) for v in axis)
    return (math.cos(half), x, y, z)


def at(place: Vector, way: Turn = LEVEL) -> Attributes:
    """A pose."""
    return {"double3 xformOp:translate": tuple(map(float, place)), "quatd xformOp:orient": tuple(map(float, way)),
            "uniform token[] xformOpOrder": ["xformOp:translate", "xformOp:orient"]}


def scaled(scale: Vector, place: Vector = ORIGIN) -> Attributes:
    """A place and a scale."""
    return {"double3 xformOp:translate": place, "float3 xformOp:scale": scale,
            "uniform token[] xformOpOrder": ["xformOp:translate", "xformOp:scale"]}


# --- colliders -------------------------------------------------------------------------------------------------------

def box(size: Vector, place: Vector = ORIGIN, name: str = "shape", more: Attributes | None = None) -> str:
    """With these sides."""
    return collider("Cube", name, {"double size": 1.0, **scaled(size, place), **_bound(more)}, _schemas(more))


def ball(radius: float, place: Vector = ORIGIN, name: str = "shape", more: Attributes | None = None) -> str:
    return collider("Sphere", name, {"double radius": radius, **at(place), **_bound(more)}, _schemas(more))


def rod(kind: str, radius: float, height: float, axis: str = "X", place: Vector = ORIGIN, name: str = "shape",
        more: Attributes | None = None) -> str:
    """A Capsule, Cylinder or Cone."""
    return collider(kind, name, {"double radius": radius, "double height": height, "uniform token axis": axis,
                                 **at(place), **_bound(more)}, _schemas(more))


def capsule(radius: float, height: float, axis: str = "X", place: Vector = ORIGIN, name: str = "shape",
            more: Attributes | None = None) -> str:
    return rod("Capsule", radius, height, axis, place, name, more)


STONE = ((-.2, -.1, -.15), (.25, -.1, -.1), (.2, .15, -.12), (-.15, .2, -.1), (-.1, -.15, .1), (.15, -.05, .2),
         (.1, .15, .15), (-.12, .1, .12))


def hull(points: Sequence[Vector] = STONE, scale: Vector = (1.0, 1.0, 1.0), name: str = "shape",
         approximation: str = "convexHull", more: Attributes | None = None) -> str:
    """The hull of points, or another simple shape around them."""
    corners = [i for k in range(1, len(points) - 1) for i in (0, k, k + 1)]
    own: Attributes = {"point3f[] points": [tuple(map(float, p)) for p in points],
                       "int[] faceVertexCounts": [3] * (len(corners) // 3), "int[] faceVertexIndices": corners,
                       "uniform token physics:approximation": approximation, **scaled(scale), **_bound(more)}
    return collider("Mesh", name, own, ("PhysicsMeshCollisionAPI", *_schemas(more)))


def mesh(points: Sequence[Vector], triangles: Sequence[tuple[int, int, int]], name: str = "shape") -> str:
    """Triangles."""
    return collider("Mesh", name, {
        "point3f[] points": [tuple(map(float, p)) for p in points], "int[] faceVertexCounts": [3] * len(triangles),
        "int[] faceVertexIndices": [i for corners in triangles for i in corners],
        "uniform token physics:approximation": "none"}, ("PhysicsMeshCollisionAPI",))


def _bound(more: Attributes | None) -> Attributes:
    """With the name of a material as the relationship that binds it."""
    own = dict(more or {})
    if "material" in own:
        own["rel material:binding"] = f"</World/{own.pop('material')}>"
    return own


def _schemas(more: Attributes | None) -> tuple[str, ...]:
    names = " ".join(more or ())
    return (*(("MaterialBindingAPI",) if "material" in (more or {}) else ()),
            *(("PhysxCollisionAPI",) if "physxCollision" in names else ()))


# --- bodies ----------------------------------------------------------------------------------------------------------

def body(name: str, shape: str, place: Vector, way: Turn = LEVEL, velocity: Vector = ORIGIN, spin: Vector = ORIGIN,
         **more: Any) -> str:
    """A rigid body that does not sleep; spin in degrees a second, further attributes under keyword `more`."""
    own: Attributes = {"float physxRigidBody:sleepThreshold": 0.0, **more.get("more", {})}
    schemas = ["PhysicsRigidBodyAPI", "PhysxRigidBodyAPI"]
    if any("physics:mass" in key or "Inertia" in key or "density" in key for key in own):
        schemas.append("PhysicsMassAPI")
    for key, value in (("velocity", velocity), ("angularVelocity", spin)):
        if any(value):
            own[f"vector3f physics:{key}"] = tuple(map(float, value))
    return prim("Xform", name, schemas, {**at(place, way), **own}, shape)


def sleeper(name: str, shape: str, place: Vector, way: Turn = LEVEL, velocity: Vector = ORIGIN) -> str:
    """A rigid body that falls asleep as it is unauthored."""
    return body(name, shape, place, way, velocity, more={"float physxRigidBody:sleepThreshold": 5e-5})


def kinematic(name: str, shape: str, place: Vector, way: Turn = LEVEL) -> str:
    """A kinematic body."""
    return body(name, shape, place, way, more={"bool physics:kinematicEnabled": True})


def still(name: str, shape: str, place: Vector, way: Turn = LEVEL) -> str:
    """What stands still."""
    return prim("Xform", name, (), at(place, way), shape)


def ground(more: Attributes | None = None, axis: str = "Z") -> str:
    """A plane."""
    return collider("Plane", "ground", {"uniform token axis": axis, **_bound(more)}, _schemas(more))


def material(name: str, static: float = 0.5, dynamic: float = 0.5, restitution: float = 0.0, **physx: Any) -> str:
    """A material; further attributes of PhysxMaterialAPI by name: numbers are floats, words tokens."""
    own: Attributes = {"float physics:staticFriction": static, "float physics:dynamicFriction": dynamic,
                       "float physics:restitution": restitution}
    for key, value in physx.items():
        kind = "uniform token" if isinstance(value, str) else "bool" if isinstance(value, bool) else "float"
        own[f"{kind} physxMaterial:{key}"] = value
    return prim("Material", name, ("PhysicsMaterialAPI", *(("PhysxMaterialAPI",) if physx else ())), own)


def world(*prims: str, gravity: float = 9.81, meters: float = 1.0, up: str = "Z", scene: Attributes | None = None,
          ) -> str:
    """The stage; gravity in the stage's units."""
    down = (0.0, -1.0, 0.0) if up == "Y" else (0.0, 0.0, -1.0)
    values: Attributes = {"vector3f physics:gravityDirection": down, "float physics:gravityMagnitude": gravity,
                          "bool physxScene:enableGPUDynamics": False, "uniform token physxScene:broadphaseType": "MBP",
                          **(scene or {})}
    return HEAD.format(meters=meters, up=up) + prim(
        "Xform", "World", (), {}, prim("PhysicsScene", "scene", ("PhysxSceneAPI",), values) + "".join(prims))


# --- robots ----------------------------------------------------------------------------------------------------------

def robot(name: str, *parts: str, place: Vector = ORIGIN, more: Attributes | None = None,
          schemas: Sequence[str] = ()) -> str:
    """An articulation that does not sleep."""
    return prim("Xform", name, (ROOT_API, "PhysxArticulationAPI", *schemas),
                {"float physxArticulation:sleepThreshold": 0.0, **at(place), **(more or {})}, "".join(parts))


def link(name: str, shape: str, place: Vector, mass: float | None = None) -> str:
    """A link of a robot, without a mass as heavy as its shape."""
    weighed: Attributes = {} if mass is None else {"float physics:mass": mass}
    return prim("Xform", name, ("PhysicsRigidBodyAPI", *(("PhysicsMassAPI",) if weighed else ())),
                {**at(place), **weighed}, shape)


def hinge(name: str, first: str, second: str, arm0: Vector, arm1: Vector, axis: str = "Y", kind: str = "Revolute",
          schemas: Sequence[str] = (), more: Attributes | None = None) -> str:
    """A joint of two bodies, at paths below /World; an empty path is the world."""
    ends: Attributes = {f"rel physics:body{i}": f"</World/{path}>" for i, path in enumerate((first, second)) if path}
    own: Attributes = {} if kind in ("Fixed", "Distance") else {"uniform token physics:axis": axis}
    return prim(f"Physics{kind}Joint", name, schemas, {
        **ends, "point3f physics:localPos0": arm0, "point3f physics:localPos1": arm1, **own, **(more or {})})
