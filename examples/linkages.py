"""Rods and joints at places in the world, for the examples with closed chains.

A joint that closes a loop is left out of the articulation's tree (`physics:excludeFromArticulation`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pxr import Gf, Usd, UsdGeom, UsdPhysics

from physx_schema import authoring

Point = Sequence[float]
X_AXIS = Gf.Vec3d(1, 0, 0)


def new_stage(path: Path | str, root: str) -> Usd.Stage:
    """A stage in metres, z up, with a scene and the prim of a robot."""
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdPhysics.Scene.Define(stage, "/Scene")
    stage.SetDefaultPrim(stage.DefinePrim(root, "Xform"))
    return stage


def turned_body(stage: Usd.Stage, path: str, position: Point, turn: Gf.Rotation, *, mass: float, inertia: Point,
                center: Point = (0.0, 0.0, 0.0), axes: Gf.Quatf | None = None) -> Usd.Prim:
    """A rigid body with a rotation of its own, and principal axes of its inertia."""
    body = authoring.rigid_body(stage, path, mass=mass, inertia=tuple(inertia), position=tuple(position),
                                center_of_mass=tuple(center)).GetPrim()
    UsdGeom.Xformable(body).AddOrientOp(UsdGeom.XformOp.PrecisionDouble).Set(turn.GetQuat())
    if axes is not None:
        UsdPhysics.MassAPI(body).GetPrincipalAxesAttr().Set(axes)
    return body


def rod(stage: Usd.Stage, path: str, start: Point, end: Point, *, mass: float, radius: float = 0.01) -> Usd.Prim:
    """A round rod from one point to another, its x axis along it."""
    along = Gf.Vec3d(*end) - Gf.Vec3d(*start)
    thick, thin = mass * (3.0 * radius**2 + along.GetLength()**2) / 12.0, mass * radius**2 / 2.0
    return turned_body(stage, path, (Gf.Vec3d(*start) + Gf.Vec3d(*end)) / 2.0, Gf.Rotation(X_AXIS, along), mass=mass,
                       inertia=(thin, thick, thick))


def joint(schema: type, path: str, parent: Usd.Prim | None, child: Usd.Prim, at: Point,
          axis: Point = (1.0, 0.0, 0.0), closes_loop: bool = False) -> Usd.Prim:
    """A joint at a point of the world, about or along an axis of the world; between a parent, or the world, and a body.

    schema: UsdPhysics.RevoluteJoint, PrismaticJoint, SphericalJoint or FixedJoint.
    """
    found = schema.Define(child.GetStage(), path)
    turn = Gf.Rotation(X_AXIS, Gf.Vec3d(*axis))
    for side, body in (("0", parent), ("1", child)):
        place = Gf.Matrix4d(1.0)
        if body is not None:
            getattr(found, f"CreateBody{side}Rel")().SetTargets([body.GetPath()])
            place = UsdGeom.Xformable(body).ComputeLocalToWorldTransform(Usd.TimeCode.Default())
        own = (turn * place.ExtractRotation().GetInverse()).GetQuat()
        getattr(found, f"CreateLocalPos{side}Attr")(Gf.Vec3f(place.GetInverse().Transform(Gf.Vec3d(*at))))
        getattr(found, f"CreateLocalRot{side}Attr")(Gf.Quatf(own))
    if schema is not UsdPhysics.FixedJoint:
        found.CreateAxisAttr("X")
    if closes_loop:
        found.CreateExcludeFromArticulationAttr(True)
    return found.GetPrim()


def hinge(path: str, parent: Usd.Prim | None, child: Usd.Prim, at: Point, axis: Point = (0.0, 1.0, 0.0),
          closes_loop: bool = False) -> Usd.Prim:
    """A revolute joint."""
    return joint(UsdPhysics.RevoluteJoint, path, parent, child, at, axis, closes_loop)


def ball(path: str, parent: Usd.Prim | None, child: Usd.Prim, at: Point, closes_loop: bool = False) -> Usd.Prim:
    """A spherical joint."""
    return joint(UsdPhysics.SphericalJoint, path, parent, child, at, closes_loop=closes_loop)


def gap(stage: Usd.Stage, names: Sequence[str], poses: Sequence[Sequence[float]], path: str) -> float:
    """How far the anchors of a joint are apart where bodies are at poses (position, quaternion x y z w)."""
    found = UsdPhysics.Joint(stage.GetPrimAtPath(path))
    anchors = []
    for body, local in ((found.GetBody0Rel(), found.GetLocalPos0Attr()), (found.GetBody1Rel(),
                                                                          found.GetLocalPos1Attr())):
        point, held = Gf.Vec3d(local.Get()), body.GetTargets()
        if held:
            x, y, z, *turn = map(float, poses[names.index(str(held[0]))])
            point = Gf.Rotation(Gf.Quatd(turn[3], *turn[:3])).TransformDir(point) + Gf.Vec3d(x, y, z)
        anchors.append(point)
    return float((anchors[0] - anchors[1]).GetLength())
