"""Parts of authored stages for the comparison of the reader with PhysX, on top of `robots`.

Forces on links as a stage authors them.

Stages of a single prim, made through USD's own calls.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Sdf, Usd

from support.stages.robots import base, joint, link, placed, prim, robot

Attributes = dict[str, object]

TILT = (0.9238795, 0.0, 0.3826834, 0.0)         # quaternions (w, x, y, z)
TURN = (0.7071068, 0.7071068, 0.0, 0.0)
SKEW = (0.8, 0.4, -0.4, 0.2)
ROOT_API = "PhysicsArticulationRootAPI"
ANGULAR = ("PhysicsDriveAPI:angular", "PhysxJointAxisAPI:angular", "PhysicsJointStateAPI:angular")
LINEAR = ("PhysicsDriveAPI:linear", "PhysxJointAxisAPI:linear", "PhysicsJointStateAPI:linear")


def scene(gravity: float = 0.0, **more: Any) -> str:
    """A scene that is solved on the CPU."""
    values: Attributes = {"bool physxScene:enableGPUDynamics": False,
                          "uniform token physxScene:broadphaseType": "MBP", **more}
    if gravity >= 0.0:
        values["float physics:gravityMagnitude"] = gravity
    return prim("PhysicsScene", "scene", ("PhysxSceneAPI",), values)


def stage(*parts: str, outside: str = "", gravity: float = 0.0, **options: Any) -> str:
    """A robot of parts with a scene; a negative gravity is left unauthored."""
    return robot(*parts, outside=scene(gravity) + outside, **options)


def frames(pos0: Any = (0, 0, 0), pos1: Any = (0, 0, 0), rot0: Any = (1, 0, 0, 0), rot1: Any = (1, 0, 0, 0),
           axis: str = "X", **values: float) -> Attributes:
    """Joint frames, axis and further floats in the physics namespace."""
    own = {f"float physics:{name}": value for name, value in values.items()}
    return {"point3f physics:localPos0": pos0, "point3f physics:localPos1": pos1, "quatf physics:localRot0": rot0,
            "quatf physics:localRot1": rot1, "uniform token physics:axis": axis, **own}


def drive(name: str, kind: str = "force", **values: float) -> Attributes:
    """Properties of a drive."""
    return {f"uniform token drive:{name}:physics:type": kind,
            **{f"float drive:{name}:physics:{key}": value for key, value in values.items()}}


def axis_values(name: str, **values: float) -> Attributes:
    """Properties of a joint axis."""
    return {f"float physxJointAxis:{name}:{key}": value for key, value in values.items()}


def state(name: str, position: float, velocity: float = 0.0) -> Attributes:
    """A joint state."""
    return {f"float state:{name}:physics:position": position, f"float state:{name}:physics:velocity": velocity}


def limit(name: str, low: float, high: float) -> Attributes:
    """Limits of one axis of a generic joint."""
    return {f"float limit:{name}:physics:low": low, f"float limit:{name}:physics:high": high}


def envelope(name: str, **values: float) -> Attributes:
    """A performance envelope."""
    return {f"float physxDrivePerformanceEnvelope:{name}:{key}": value for key, value in values.items()}


def chain(count: int, kind: str = "Revolute", **schemas: tuple[str, ...]) -> list[str]:
    """Links a, b, c ... in a row along x, each joined to the next."""
    names = "abcdefghijklmnopqrstuvwxyz"[:count]
    parts = [link(name, (i, 0, 0), schemas.get(name, ())) for i, name in enumerate(names)]
    return parts + [joint(kind, f"j{first}{second}", first, second, (), frames((1, 0, 0), axis="Z"))
                    for first, second in pairwise(names)]


def body(name: str, position: tuple[float, ...] = (0, 0, 0), children: str = "", schemas: tuple[str, ...] = (),
         **attributes: Any) -> str:
    """A rigid body without mass properties of its own; further attributes under keyword `more`."""
    return prim("Xform", name, ("PhysicsRigidBodyAPI", *schemas),
                {**placed(position), **attributes.pop("more", {})}, children)


def collider(kind: str, name: str, attributes: Attributes | None = None, schemas: tuple[str, ...] = (),
             children: str = "") -> str:
    """A collider of a shape."""
    return prim(kind, name, ("PhysicsCollisionAPI", *schemas), attributes, children)


def hinged(*bodies: str) -> str:
    """The stage of a base and bodies l0, l1 ..., each on a hinge of the base."""
    hinges = [joint("Revolute", f"j{i}", "base", f"l{i}", (), frames((i, 0, 0), axis="Y")) for i in range(len(bodies))]
    return stage(base(), *bodies, *hinges)


# --- forces ----------------------------------------------------------------------------------------------------------


def author(prim: Usd.Prim, wrench: NDArray[np.float64], world: bool, mode: str) -> None:
    """Put a force and a torque on a link, in the world's axes or its own."""
    prim.AddAppliedSchema("PhysxForceAPI")
    types = Sdf.ValueTypeNames
    for name, kind, value in (
            ("force", types.Vector3f, Gf.Vec3f(*wrench[:3])), ("torque", types.Vector3f, Gf.Vec3f(*wrench[3:])),
            ("worldFrameEnabled", types.Bool, world), ("mode", types.Token, mode)):
        prim.CreateAttribute(f"physxForce:{name}", kind, custom=False).Set(value)


# --- lone prims ------------------------------------------------------------------------------------------------------


def lone_prim(type_name: str, *schemas: str, **values: tuple[Sdf.ValueTypeName, object]) -> Usd.Stage:
    """A stage with one prim /prim; names of attributes have __ for the colon where they are no strings."""
    stage = Usd.Stage.CreateInMemory()
    made = stage.DefinePrim("/prim", type_name)
    for schema in schemas:
        made.AddAppliedSchema(schema)
    for name, (kind, value) in values.items():
        made.CreateAttribute(name.replace("__", ":"), kind).Set(value)
    return stage
