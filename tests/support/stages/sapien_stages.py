"""Scenes of SAPIEN 3.0 as stages: its defaults are authored where PhysX's are others."""

from __future__ import annotations

import math
from collections.abc import Mapping

from support.stages.contact_scenes.parts import ball, body, box, ground, material, world
from support.stages.parts import Attributes
from support.stages.robots import prim

_OFFSETS: Attributes = {"material": "surface", "float physxCollision:contactOffset": 0.01,
                        "float physxCollision:restOffset": 0.0}
_SCENE: Attributes = {
    "float physxScene:bounceThreshold": 2.0, "bool physxScene:enableExternalForcesEveryIteration": False,
    "float physxScene:frictionOffsetThreshold": 0.004, "float physxScene:frictionCorrelationDistance": 0.0025}
_COUNTS: Attributes = {"int physxRigidBody:solverPositionIterationCount": 10,
                       "int physxRigidBody:solverVelocityIterationCount": 1}
_LINK_COUNTS: Attributes = {"int physxArticulation:solverPositionIterationCount": 10,
                            "int physxArticulation:solverVelocityIterationCount": 1,
                            "float physxArticulation:sleepThreshold": 0.0}
_UNDAMPED: Attributes = {"float physxRigidBody:linearDamping": 0.0, "float physxRigidBody:angularDamping": 0.0}


def _thrown(shape: str, height: float, **more: float) -> str:
    fastest = {"float physxRigidBody:maxDepenetrationVelocity": more.get("fastest", 1e32)}
    return world(material("surface", restitution=more.get("restitution", 0.0)), ground(_OFFSETS),
                 body("thrown", shape, (0.0, 0.0, height), more={**_COUNTS, **fastest}), scene=_SCENE)


def _link(name: str, place: tuple[float, float, float], mass: float, center: float, side: float, along: float) -> str:
    return prim("Xform", name, ("PhysicsRigidBodyAPI", "PhysxRigidBodyAPI", "PhysicsMassAPI"), {
        "double3 xformOp:translate": place, "uniform token[] xformOpOrder": ["xformOp:translate"],
        "float physics:mass": mass, "point3f physics:centerOfMass": (center, 0.0, 0.0),
        "float3 physics:diagonalInertia": (along, side, side), "quatf physics:principalAxes": (1.0, 0.0, 0.0, 0.0),
        **_UNDAMPED})


def _hinge(name: str, first: str, second: str, arm: float, target: float, stiffness: float = 100.0,
           damping: float = 20.0, kind: str = "acceleration", start: float = 0.0) -> str:
    return prim("PhysicsRevoluteJoint", name, ("PhysicsDriveAPI:angular", "PhysicsJointStateAPI:angular"), {
        "rel physics:body0": f"</World/{first}>", "rel physics:body1": f"</World/{second}>",
        "point3f physics:localPos0": (arm, 0.0, 0.0), "uniform token physics:axis": "Y",
        "uniform token drive:angular:physics:type": kind,
        "float drive:angular:physics:stiffness": math.radians(stiffness),
        "float drive:angular:physics:damping": math.radians(damping),
        "float drive:angular:physics:targetPosition": math.degrees(target),
        "float state:angular:physics:position": math.degrees(start)})


def _on_base(*parts: str) -> str:
    """Links behind a fixed base, and their joints."""
    root = prim("PhysicsFixedJoint", "root", ("PhysicsArticulationRootAPI", "PhysxArticulationAPI"),
                {"rel physics:body1": "</World/base>", **_LINK_COUNTS})
    return world(_link("base", (0.0, 0.0, 0.0), 1.0, 0.0, 0.1, 0.1), root, *parts, scene=_SCENE)


def _arm(mass: float) -> str:
    """Two links, driven in acceleration mode."""
    return _on_base(_link("upper", (0.0, 0.0, 0.0), 1.0, 0.25, 0.02, 0.002),
                    _link("lower", (0.5, 0.0, 0.0), mass, 0.2, 0.012 * mass, 0.001 * mass),
                    _hinge("shoulder", "base", "upper", 0.0, 0.8), _hinge("elbow", "upper", "lower", 0.5, -0.5))


def rubbing_arm(count: int, driven: bool) -> str:
    """Links behind each other as `experiments/record_sapien_friction.py` has them."""
    names = ["base", *(f"link{i}" for i in range(count))]
    links = [_link(name, (0.5 * i, 0.0, 0.0), 1.0, 0.25, 0.02, 0.002) for i, name in enumerate(names[1:])]
    hinges = [_hinge(f"hinge{i}", names[i], names[i + 1], 0.5 * (i > 0), 0.2, 20.0 * driven, 2.0 * driven, "force", q)
              for i, q in enumerate((0.3, 0.6, -0.4)[:count])]
    return _on_base(*links, *hinges)


# name of the recording -> stage, dt
BODIES: Mapping[str, tuple[str, float]] = {
    "sphere_bounce_h1.0_e0.8": (_thrown(ball(0.1, more=_OFFSETS), 1.1, restitution=0.8), 0.005),
    "sphere_bounce_h1.0_e0.0": (_thrown(ball(0.1, more=_OFFSETS), 1.1), 0.005),
    "depenetration_1e+32": (_thrown(box((0.2, 0.2, 0.2), more=_OFFSETS), 0.05), 0.01),
    "depenetration_0.5": (_thrown(box((0.2, 0.2, 0.2), more=_OFFSETS), 0.05, fastest=0.5), 0.01),
}
ARMS: Mapping[str, tuple[str, float]] = {
    "arm2_acceleration_m0.5_g1": (_arm(0.5), 0.01), "arm2_acceleration_m5.0_g1": (_arm(5.0), 0.01)}
