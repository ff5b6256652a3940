"""Measure in real PhysX what it makes of limits, cones, drives, frames and breaking of joints outside articulations.

Needs `PHYSX_ORACLE` (the folder with scene_recorder.py) and `ORACLE_PYTHON`. Every case is a body of unit mass and
moments of 0.1 on a joint to the world, without gravity, all in one stage and far apart, each with a velocity along or
about one axis. Printed is how far the body gets in 90 steps of 1/60 s: least and greatest, degrees or metres.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

STEPS, STEP, APART = 90, 1 / 60, 20.0
INF, NAN = math.inf, math.nan
ROTATIONS, TRANSLATIONS = ("rotX", "rotY", "rotZ"), ("transX", "transY", "transZ")
Values = Mapping[str, object]
HEAD = '#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\ndef Xform "World"\n{\n' \
       'def PhysicsScene "scene"\n{\n    float physics:gravityMagnitude = 0\n}\n'


@dataclass(frozen=True)
class Case:
    """A joint, and the velocity of its body along (v) or about (w) an axis."""

    kind: str
    values: Values = field(default_factory=dict)
    schemas: tuple[str, ...] = ()
    w: str = ""                 # "+x", "-y", ...
    v: str = ""
    speed: float = 4.0


def usda(value: object) -> str:
    """A value as USDA text."""
    if isinstance(value, str):
        return value if value.startswith("<") else f'"{value}"'
    if isinstance(value, tuple):
        return f"({', '.join(map(usda, value))})"
    return str(int(value)) if isinstance(value, bool) else repr(value)


def prim(kind: str, name: str, schemas: tuple[str, ...], values: Values) -> str:
    """A prim as USDA text."""
    listed = ", ".join(f'"{schema}"' for schema in schemas)
    applied = f" (prepend apiSchemas = [{listed}])" if schemas else ""
    return f'def {kind} "{name}"{applied}\n{{\n' + "".join(f"    {k} = {usda(x)}\n" for k, x in values.items()) + "}\n"


def along(direction: str, speed: float) -> tuple[float, float, float]:
    """A vector along +x, -y, ..."""
    found = [0.0, 0.0, 0.0]
    if direction:
        found["xyz".index(direction[1])] = speed if direction[0] == "+" else -speed
    return found[0], found[1], found[2]


def stage(cases: Mapping[str, Case]) -> str:
    """All cases side by side."""
    text = HEAD
    for i, case in enumerate(cases.values()):
        place = (APART * i, 0.0, 0.0)
        text += prim("Xform", f"b{i:03}", ("PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI"), {
            "float physics:mass": 1.0, "float3 physics:diagonalInertia": (0.1, 0.1, 0.1),
            "vector3f physics:velocity": along(case.v, case.speed),
            "vector3f physics:angularVelocity": along(case.w, math.degrees(case.speed)),
            "float physxRigidBody:angularDamping": 0.0, "float physxRigidBody:sleepThreshold": 0.0,
            "double3 xformOp:translate": place, "uniform token[] xformOpOrder": ["xformOp:translate"]})
        text += prim(f"Physics{case.kind}Joint", f"j{i:03}", case.schemas, {
            "rel physics:body1": f"</World/b{i:03}>", "point3f physics:localPos0": place, **case.values})
    return text.replace("['xformOp:translate']", '["xformOp:translate"]') + "}\n"


def limited(kind: str, low: float, high: float, way: str, **more: object) -> Case:
    """A revolute or prismatic joint with limits."""
    values = {"float physics:lowerLimit": low, "float physics:upperLimit": high, **more}
    return Case(kind, values, w=way) if kind == "Revolute" else Case(kind, values, v=way, speed=1.0)


def generic(limits: Mapping[str, tuple[float, float]], way: str, schemas: tuple[str, ...] = (),
            values: Values | None = None, free: tuple[str, ...] = (), speed: float = 4.0) -> Case:
    """A generic joint that locks all axes but those with limits and some."""
    bounds = {axis: (1.0, -1.0) for axis in (*TRANSLATIONS, *ROTATIONS) if axis not in free} | dict(limits)
    found: dict[str, object] = dict(values or {})
    for axis, (low, high) in bounds.items():
        found |= {f"float limit:{axis}:physics:low": low, f"float limit:{axis}:physics:high": high}
    applied = tuple(f"PhysicsLimitAPI:{axis}" for axis in bounds)
    turning = any(axis in ROTATIONS for axis in (*limits, *free))
    return Case("", found, (*applied, *schemas), w=way if turning else "", v="" if turning else way,
                speed=speed if turning else 1.0)


def ball(first: float, second: float, way: str) -> Case:
    """A spherical joint with a cone."""
    return Case("Spherical", {"float physics:coneAngle0Limit": first, "float physics:coneAngle1Limit": second}, w=way)


def soft(instance: str, stiffness: float) -> tuple[tuple[str, ...], dict[str, object]]:
    """PhysxLimitAPI."""
    return (f"PhysxLimitAPI:{instance}",), {f"float physxLimit:{instance}:stiffness": stiffness}


def driven(axis: str, **values: float) -> tuple[tuple[str, ...], dict[str, object]]:
    """PhysicsDriveAPI."""
    return (f"PhysicsDriveAPI:{axis}",), {f"float drive:{axis}:physics:{name}": x for name, x in values.items()}


def joined(*parts: tuple[tuple[str, ...], dict[str, object]]) -> dict[str, Any]:
    """Schemas and values of several parts."""
    return {"schemas": tuple(s for part in parts for s in part[0]), "values": {
        k: x for part in parts for k, x in part[1].items()}}


def limits() -> dict[str, Case]:
    """Limits of every kind, in the direction in which they would stop."""
    pairs = [((-10.0, 20.0), "+"), ((-INF, 20.0), "+"), ((-INF, 20.0), "-"), ((-10.0, INF), "-"), ((-1e39, 20.0), "+"),
             ((-1e39, 20.0), "-"), ((20.0, -10.0), "+"), ((20.0, -10.0), "-"), ((NAN, 20.0), "+"), ((-10.0, NAN), "-"),
             ((0.0, 0.0), "+"), ((-200.0, 250.0), "+"), ((-400.0, 400.0), "+"), ((-90.0, 250.0), "+"),
             ((200.0, 250.0), "+"), ((-300.0, -200.0), "-"), ((-180.0, 180.0), "+"), ((-179.0, 179.0), "+")]
    found = {f"revolute [{low:g}, {high:g}] {sign}": limited("Revolute", low, high, sign + "x")
             for (low, high), sign in pairs}
    found |= {f"rotX [{low:g}, {high:g}] {sign}": generic({"rotX": (low, high)}, sign + "x")
              for (low, high), sign in pairs}
    found |= {f"rotY [{low:g}, {high:g}] {sign}": generic({"rotY": (low, high)}, sign + "y")
              for (low, high), sign in pairs}
    found |= {f"prismatic [{low / 40:g}, {high / 40:g}] {sign}": limited("Prismatic", low / 40, high / 40, sign + "x")
              for (low, high), sign in pairs[:11]}
    found |= {f"transY [{low / 40:g}, {high / 40:g}] {sign}": generic({"transY": (low / 40, high / 40)}, sign + "y")
              for (low, high), sign in pairs[:11]}
    for y, z in (((-10.0, 20.0), (-30.0, 30.0)), ((-10.0, 20.0), (-INF, 30.0)), ((-200.0, 20.0), (-30.0, 30.0))):
        found |= {f"rotY {y}, rotZ {z} about {way}": generic({"rotY": y, "rotZ": z}, way) for way in ("+y", "+z")}
    for first, second in ((20.0, 30.0), (0.0, 0.0), (0.0, 30.0), (180.0, 30.0), (200.0, 30.0), (20.0, -1.0),
                          (NAN, 30.0), (INF, 30.0), (179.0, 179.0)):
        found |= {f"cone {first:g}, {second:g} about {way}": ball(first, second, way) for way in ("+y", "+z")}
    return found


def springs() -> dict[str, Case]:
    """Soft limits: the amplitude is w sqrt(I / k) beyond 0."""
    return {
        "swings soft with 1 and 4, about y": generic(
            {"rotY": (0, 0), "rotZ": (0, 0)}, "+y", speed=1.0, **joined(soft("rotY", 1.0), soft("rotZ", 4.0))),
        "swings soft with 1 and 4, about z": generic(
            {"rotY": (0, 0), "rotZ": (0, 0)}, "+z", speed=1.0, **joined(soft("rotY", 1.0), soft("rotZ", 4.0))),
        "swings soft with 1 and none, about y": generic({"rotY": (0, 0), "rotZ": (0, 0)}, "+y", speed=1.0,
                                                        **joined(soft("rotY", 1.0))),
        "swings soft with none and 4, about y": generic({"rotY": (0, 0), "rotZ": (0, 0)}, "+y", speed=1.0,
                                                        **joined(soft("rotZ", 4.0))),
        "twist soft with 1": generic({"rotX": (0, 0)}, "+x", speed=1.0, **joined(soft("rotX", 1.0))),
        "rotY alone soft with 1": generic({"rotY": (0, 0)}, "+y", speed=1.0, **joined(soft("rotY", 1.0))),
        "twist soft with -1": generic({"rotX": (0, 0)}, "+x", speed=1.0, **joined(soft("rotX", -1.0))),
        **{f"twist soft with {gain}": generic({"rotX": (0, 0)}, "+x", speed=1.0, **joined(soft("rotX", gain)))
           for gain in (NAN, INF)},
        "hinge soft with 1": Case("Revolute", {"float physics:lowerLimit": 0.0, "float physics:upperLimit": 0.0,
                                               **soft("angular", 1.0)[1]}, soft("angular", 1.0)[0], w="+x", speed=1.0),
    }


def drives() -> dict[str, Case]:
    """Strongly damped drives from rest."""
    gains = {"stiffness": 20.0, "damping": 2.0}

    def hinge(**values: float) -> Case:
        schemas, found = driven("angular", **{**gains, **values})
        return Case("Revolute", found, schemas)

    at = {"rotX": (1.0, -1.0)}
    return {
        **{f"hinge to {target:g}": hinge(targetPosition=target) for target in (30.0, 170.0, 200.0, 400.0, INF, NAN)},
        "hinge to 30, maxForce -5": hinge(targetPosition=30.0, maxForce=-5.0),
        "hinge to 30, maxForce NaN": hinge(targetPosition=30.0, maxForce=NAN),
        "hinge to 30, maxForce 0": hinge(targetPosition=30.0, maxForce=0.0),
        "hinge to 30, stiffness -20": hinge(targetPosition=30.0, stiffness=-20.0),
        "hinge to 30, damping -2": hinge(targetPosition=30.0, damping=-2.0),
        "hinge to 30, stiffness NaN": hinge(targetPosition=30.0, stiffness=NAN),
        "hinge to 30, stiffness inf": hinge(targetPosition=30.0, stiffness=INF),
        "hinge to 30, damping inf": hinge(targetPosition=30.0, damping=INF),
        **{f"hinge to 30 at {speed}": hinge(targetPosition=30.0, targetVelocity=speed) for speed in (NAN, INF)},
        "hinge at 1 rad/s": hinge(stiffness=0.0, targetVelocity=math.degrees(1.0)),
        "rotY and rotZ to 40 and 0, twist locked and driven to 50": generic(
            at, "", free=("rotY", "rotZ"), **joined(driven("rotX", targetPosition=50.0, **gains),
                                                    driven("rotY", targetPosition=40.0, **gains),
                                                    driven("rotZ", targetPosition=0.0, **gains))),
        "rotY and rotZ to 40 and 0, twist locked": generic(
            at, "", free=("rotY", "rotZ"), **joined(driven("rotY", targetPosition=40.0, **gains),
                                                    driven("rotZ", targetPosition=0.0, **gains))),
        "rotY and rotZ to 40 and 0, twist free with an idle drive to 50": generic(
            {}, "", free=ROTATIONS, **joined(driven("rotX", targetPosition=50.0),
                                             driven("rotY", targetPosition=40.0, **gains),
                                             driven("rotZ", targetPosition=0.0, **gains))),
        "rotY to 40 with a negative maxForce, rotZ to 30": generic(
            at, "", free=("rotY", "rotZ"), **joined(driven("rotY", targetPosition=40.0, maxForce=-1.0, **gains),
                                                    driven("rotZ", targetPosition=30.0, **gains))),
        "ball driven about rotX to 30": Case("Spherical", driven("rotX", targetPosition=30.0, **gains)[1],
                                             driven("rotX")[0]),
    }


def frames() -> dict[str, Case]:
    """Frames that are none, on fixed joints of bodies that would fly away."""
    zero, nan = (0.0, 0.0, 0.0, 0.0), (NAN, 0.0, 0.0)
    return {
        "sound frames": Case("Fixed", {}, v="+y", speed=1.0),
        **{f"{name} {value}": Case("Fixed", {name: value}, v="+y", speed=1.0) for name, value in (
            ("quatf physics:localRot0", zero), ("quatf physics:localRot1", zero), ("point3f physics:localPos0", nan),
            ("point3f physics:localPos1", nan), ("quatf physics:localRot1", (NAN, 0.0, 0.0, 0.0)),
            ("quatf physics:localRot1", (2.0, 0.0, 0.0, 0.0)), ("quatf physics:localRot1", (0.001, 0.0, 0.0, 0.0)))},
        # a body that flies round its hinge
        **{f"{name} {value}": Case("Revolute", {
            f"float physics:{name}": value, "point3f physics:localPos1": (0.0, -0.5, 0.0)}, w="+x", v="-z", speed=2.0)
           for name in ("breakForce", "breakTorque") for value in (0.0, -1.0, NAN, INF)},
        "axis W": Case("Revolute", {"uniform token physics:axis": "W"}, w="+x"),
    }


def distances() -> dict[str, Case]:
    """Bodies that fly off along y."""
    def rope(low: float, high: float, schemas: tuple[str, ...] = (), **values: object) -> Case:
        return Case("Distance", {"float physics:minDistance": low, "float physics:maxDistance": high, **values},
                    schemas, v="+y", speed=1.0)

    return {
        "distance from infinity": rope(INF, -1.0), "distance from NaN": rope(NAN, 0.5),
        "distance to 0.5": rope(-1.0, 0.5), "distance to NaN": rope(-1.0, NAN), "distance to infinity": rope(-1.0, INF),
        "distance [0.6, 0.4]": rope(0.6, 0.4), "distance [0, 0]": rope(0.0, 0.0),
        "distance to 0.5 with a soft limit": rope(-1.0, 0.5, *[("PhysxLimitAPI:distance",)], **{
            "float physxLimit:distance:stiffness": 2.0}),
        **{f"distance to 0.5 with a spring of {gain}": rope(-1.0, 0.5, *[("PhysxPhysicsDistanceJointAPI",)], **{
            "bool physxPhysicsDistanceJoint:springEnabled": True,
            "float physxPhysicsDistanceJoint:springStiffness": gain}) for gain in (2.0, NAN, INF)},
        "generic joint to a distance of 0.5": Case("", {"float limit:distance:physics:high": 0.5},
                                                   ("PhysicsLimitAPI:distance",), v="+y", speed=1.0),
        "generic joint to a distance of 0.5, soft": Case(
            "", {"float limit:distance:physics:high": 0.5, "float physxLimit:distance:stiffness": 2.0},
            ("PhysicsLimitAPI:distance", "PhysxLimitAPI:distance"), v="+y", speed=1.0),
    }


def angles(quaternions: np.ndarray) -> np.ndarray:
    """Rotation vectors of (T, 4) quaternions, the turns about each axis added up."""
    q = quaternions.astype(float)
    back = np.concatenate([-q[:-1, :3], q[:-1, 3:]], axis=1)
    x, w = q[1:, :3], q[1:, 3:]
    vector = w * back[:, :3] + back[:, 3:] * x + np.cross(x, back[:, :3])
    real = w[:, 0] * back[:, 3] - np.einsum("ij,ij->i", x, back[:, :3])
    vector *= np.where(real < 0, -1.0, 1.0)[:, None]
    return np.concatenate([np.zeros((1, 3)), np.cumsum(2.0 * vector, axis=0)])


def main() -> None:
    """Run all cases in one stage a group and print how far each got."""
    sys.path.insert(0, os.environ["PHYSX_ORACLE"])
    from scene_recorder import record

    groups = {"Limits": limits(), "Soft limits": springs(), "Drives": drives(), "Frames and breaking": frames(),
              "Distances": distances()}
    wanted = sys.argv[1:] or list(groups)
    jobs = [{"usd": stage(groups[name]), "dt": STEP, "steps": STEPS} for name in wanted]
    for name, found in zip(wanted, record(jobs), strict=True):
        print(f"\n## {name}")
        for i, label in enumerate(groups[name]):
            body = found["paths"].index(f"/World/b{i:03}")
            turned = np.degrees(angles(found["quat"][:, body]))
            moved = found["pos"][:, body] - found["pos"][0, body]
            spans = [f"{axis} {a.min():.4g}..{a.max():.4g} end {a[-1]:.5g}" for axis, a in zip(
                ("rx", "ry", "rz", "x", "y", "z"), [*turned.T, *moved.T], strict=True) if np.abs(a).max() > 1e-3]
            print(f"{label}: {'; '.join(spans) or 'at rest'}" + ("" if np.isfinite(moved).all() else " NOT FINITE"))


if __name__ == "__main__":
    main()
