"""Measure in real PhysX what forces, contacts and joints of free bodies do: units, combine modes, springs, triggers.

Needs the environment that `oracle.py` describes. One body of mass 2 and inertia 1 about every axis starts at
rest 5 above the origin, or half a unit above the top of a static ground; steps of 0.01 s. Prints where it ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from oracle import STEP, load_oracle
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade, Vt

Values = dict[str, Any]
MODES = ("average", "min", "multiply", "max")
FRICTION = (0.4, 0.1)                                       # of the body and of the ground
TYPES = {bool: "bool", int: "int", float: "float", str: "token", tuple: "vector3f"}


def author(prim: Usd.Prim, schemas: list[str], values: Values) -> None:
    """Apply schemas by name, known to USD or not, and author attributes by full name."""
    for schema in schemas:
        prim.AddAppliedSchema(schema)
    for name, value in values.items():
        if isinstance(value, Sdf.Path):
            prim.CreateRelationship(name).SetTargets([value])
        else:
            kind = Sdf.ValueTypeNames.Find(TYPES[type(value)])
            prim.CreateAttribute(name, kind, custom=False).Set(Gf.Vec3f(*value) if isinstance(value, tuple) else value)


def world(gravity: float, schemas: list[str] | None = None) -> Usd.Stage:
    """A stage in metres and kilograms with a scene that is solved on the CPU."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, "Z")
    scene = UsdPhysics.Scene.Define(stage, "/scene")
    scene.CreateGravityDirectionAttr((0, 0, -1))
    scene.CreateGravityMagnitudeAttr(gravity)
    author(scene.GetPrim(), ["PhysxSceneAPI", *(schemas or [])],
           {"physxScene:enableGPUDynamics": False, "physxScene:broadphaseType": "MBP"})
    return stage


def body(stage: Usd.Stage, name: str, position: tuple[float, float, float], schemas: list[str] | None = None,
         values: Values | None = None) -> Usd.Prim:
    """A cube of size 1 without damping."""
    cube = UsdGeom.Cube.Define(stage, f"/{name}")
    cube.CreateSizeAttr(1.0)
    cube.AddTranslateOp().Set(position)
    for api in (UsdPhysics.RigidBodyAPI, UsdPhysics.CollisionAPI):
        api.Apply(cube.GetPrim())
    mass = UsdPhysics.MassAPI.Apply(cube.GetPrim())
    mass.CreateMassAttr(2.0)
    mass.CreateDiagonalInertiaAttr((1, 1, 1))
    author(cube.GetPrim(), ["PhysxRigidBodyAPI", *(schemas or [])],
           {"physxRigidBody:angularDamping": 0.0, **(values or {})})
    return cube.GetPrim()


def ground(stage: Usd.Stage) -> Usd.Prim:
    """A static cube whose top is at height 0."""
    cube = UsdGeom.Cube.Define(stage, "/ground")
    cube.CreateSizeAttr(10.0)
    cube.AddTranslateOp().Set((0, 0, -5))
    UsdPhysics.CollisionAPI.Apply(cube.GetPrim())
    return cube.GetPrim()


def bind(stage: Usd.Stage, prim: Usd.Prim, values: Values) -> None:
    """A physics material of its own for a collider."""
    material = UsdShade.Material.Define(stage, f"/material_{prim.GetName()}")
    author(material.GetPrim(), ["PhysicsMaterialAPI", "PhysxMaterialAPI"], values)
    UsdShade.MaterialBindingAPI.Apply(prim).Bind(material, materialPurpose="physics")


def joint(stage: Usd.Stage, kind: str, name: str, second: str, first: str = "", schemas: list[str] | None = None,
          values: Values | None = None) -> None:
    """A joint about or along Z between two bodies, or from the world to one, where the second body is."""
    prim = stage.DefinePrim(f"/{name}", kind)
    typed = UsdPhysics.Joint(prim)
    typed.CreateBody1Rel().SetTargets([f"/{second}"])
    if first:
        typed.CreateBody0Rel().SetTargets([f"/{first}"])
    else:
        place = UsdGeom.XformCache().GetLocalToWorldTransform(stage.GetPrimAtPath(f"/{second}")).ExtractTranslation()
        typed.CreateLocalPos0Attr(Gf.Vec3f(place))
    if kind in {"PhysicsRevoluteJoint", "PhysicsPrismaticJoint"}:
        prim.GetAttribute("physics:axis").Set("Z")
    author(prim, schemas or [], values or {})


def forces() -> Iterator[tuple[str, Usd.Stage]]:
    """PhysxForceAPI with 1 as force or torque."""
    for mode in ("force", "acceleration"):
        for name in ("force", "torque"):
            stage = world(0.0)
            body(stage, "a", (0, 0, 5), ["PhysxForceAPI"],
                 {f"physxForce:{name}": (0.0, 0.0, 1.0), "physxForce:mode": mode})
            yield f"{name} 1 in mode {mode}", stage
        stage = world(0.0)
        scaled = body(stage, "a", (0, 0, 5), ["PhysxForceAPI"],
                      {"physxForce:force": (0.0, 0.0, 1.0), "physxForce:mode": mode})
        UsdGeom.Xformable(scaled).AddScaleOp().Set((2, 2, 2))
        yield f"force 1 in mode {mode}, scale 2", stage


def contacts() -> Iterator[tuple[str, Usd.Stage]]:
    """Rest offsets, combine modes, compliance and triggers against the ground."""
    for schema, name in (("PhysxCollisionAPI", "physxCollision:restOffset"),
                         ("NewtonCollisionAPI", "newton:contactMargin")):
        stage = world(10.0)
        ground(stage)
        body(stage, "a", (0, 0, 0.55), [schema], {name: 0.01})
        yield f"{name} 0.01", stage
    for index, one in enumerate(MODES):
        for other in MODES[index:]:
            stage = world(10.0)
            cube = body(stage, "a", (0, 0, 0.5), values={"physics:velocity": (3.0, 0.0, 0.0)})
            for prim, friction, mode in ((cube, FRICTION[0], one), (ground(stage), FRICTION[1], other)):
                bind(stage, prim, {"physics:staticFriction": friction, "physics:dynamicFriction": friction,
                                   "physxMaterial:frictionCombineMode": mode})
            yield f"friction 0.4 {one}, 0.1 {other}", stage
    stage = world(10.0)
    ground(stage)
    bind(stage, body(stage, "a", (0, 0, 0.5)), {"physxMaterial:compliantContactStiffness": 1000.0,
                                                "physxMaterial:compliantContactDamping": 100.0})
    yield "compliantContactStiffness 1000 on four points", stage
    for approximation in ("convexHull", "none", "sdf"):
        stage = world(10.0)
        body(stage, "a", (0, 0, 2))
        trigger(stage, approximation)
        yield f"trigger of approximation {approximation}", stage


def trigger(stage: Usd.Stage, approximation: str) -> None:
    """A tetrahedron of height 1 as a trigger."""
    mesh = UsdGeom.Mesh.Define(stage, "/trigger")
    mesh.CreatePointsAttr(Vt.Vec3fArray([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]))
    mesh.CreateFaceVertexCountsAttr([3, 3, 3, 3])
    mesh.CreateFaceVertexIndicesAttr([0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2])
    UsdPhysics.MeshCollisionAPI.Apply(mesh.GetPrim()).CreateApproximationAttr(approximation)
    author(mesh.GetPrim(), ["PhysicsCollisionAPI", "PhysxTriggerAPI"], {})


def joints() -> Iterator[tuple[str, Usd.Stage]]:
    """Soft limits, distance springs, gears and racks outside articulations."""
    for name, value in (("stiffness", 4.0), ("damping", 5.0)):
        stage = world(0.0)
        body(stage, "a", (0, 0, 5), ["PhysxForceAPI"],
             {"physxForce:torque": (0.0, 0.0, 1.0), "physxForce:mode": "force"})
        soft = {"physxLimit:angular:stiffness": 1e-4, "physxLimit:angular:damping": 3.0}
        joint(stage, "PhysicsRevoluteJoint", "hinge", "a", schemas=["PhysxLimitAPI:angular"], values={
            "physics:lowerLimit": -10.0, "physics:upperLimit": 10.0, **soft, f"physxLimit:angular:{name}": value})
        yield f"torque 1 at 10 degrees, PhysxLimitAPI {name} {value:g}", stage
    stage = world(0.0)
    body(stage, "a", (0, 0, 5), values={"physics:angularVelocity": (0.0, 0.0, 60.0)})
    joint(stage, "PhysicsRevoluteJoint", "hinge", "a", schemas=["PhysxLimitAPI:angular"], values={
        "physics:lowerLimit": -10.0, "physics:upperLimit": 10.0, "physxLimit:angular:restitution": 0.5})
    yield "limit at 10 degrees, PhysxLimitAPI restitution 0.5", stage
    for label, spring in (("hard", {}), ("spring of 200", {"springEnabled": True, "springStiffness": 200.0,
                                                           "springDamping": 40.0}),
                          ("spring of 0", {"springEnabled": True})):
        stage = world(10.0)
        body(stage, "a", (0, 0, 4))
        joint(stage, "PhysicsDistanceJoint", "rope", "a", schemas=["PhysxPhysicsDistanceJointAPI"], values={
            "physics:maxDistance": 1.0,
            **{f"physxPhysicsDistanceJoint:{name}": value for name, value in spring.items()}})
        stage.GetPrimAtPath("/rope").GetAttribute("physics:localPos0").Set(Gf.Vec3f(0, 0, 5))
        yield f"distance joint of 1 from height 5, {label}", stage
    yield from coupled()


def coupled() -> Iterator[tuple[str, Usd.Stage]]:
    """A body that turns by 90 degrees per second on a hinge and drives a second one."""
    for kind, other, first, second, ratio in (
        ("PhysxPhysicsGearJoint", "PhysicsRevoluteJoint", "hinge0", "hinge1", {"physics:gearRatio": 2.0}),
        ("PhysxPhysicsRackAndPinionJoint", "PhysicsPrismaticJoint", "hinge", "prismatic", {"physics:ratio": 90.0}),
    ):
        stage = world(0.0)
        body(stage, "a", (0, 0, 5), values={"physics:angularVelocity": (0.0, 0.0, 90.0)})
        body(stage, "b", (3, 0, 5))
        joint(stage, "PhysicsRevoluteJoint", "one", "a")
        joint(stage, other, "two", "b")
        joint(stage, kind, "coupling", "b", "a", values={
            f"physics:{first}": Sdf.Path("/one"), f"physics:{second}": Sdf.Path("/two"), **ratio})
        yield f"{kind} of {next(iter(ratio.values())):g}", stage


def scenes() -> Iterator[tuple[str, Usd.Stage]]:
    """A quasistatic scene."""
    stage = world(10.0, ["PhysxSceneQuasistaticAPI"])
    body(stage, "a", (0, 0, 5))
    yield "quasistatic fall", stage


def main() -> None:
    """Run every stage in one engine process; print each body's height, turn and velocities at the end."""
    oracle = load_oracle()
    stages = dict([*forces(), *contacts(), *joints(), *scenes()])
    texts = [stage.GetRootLayer().ExportToString() for stage in stages.values()]
    steps = [25 if label.startswith("friction") else 1000 if "torque 1 at" in label else 100 for label in stages]
    jobs = [oracle.engine.sim_job(text, STEP, count) for text, count in zip(texts, steps, strict=True)]
    for label, result in zip(stages, oracle.engine.run_jobs(jobs), strict=True):
        for index, path in enumerate(result["rigid_paths"]):
            pose, velocity = result["rigid_pose"][-1, index], result["rigid_vel"][-1, index]
            turn = np.degrees(2 * np.arctan2(pose[5], pose[6]))
            shown = " ".join(f"{value:8.4f}" for value in velocity)
            print(f"{label:52} {path}  height {pose[2]:8.4f}  turn {turn:8.3f}  velocity {shown}")


if __name__ == "__main__":
    main()
