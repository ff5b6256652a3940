"""A trunk on a stand with legs of three joints, as USDA text, from numbers for each joint.

`draw_truth` and `draw_guess` draw a robot's parameters and those that its stage authors instead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from support.stages.robots import HEAD, prim

Array = NDArray[np.float64]
Parameters = Mapping[str, Array]        # name -> one number for each joint, in rad and N m

DEGREES = math.pi / 180.0
# Of abduction, hip and knee.
NOMINAL: Mapping[str, tuple[float, float, float]] = {
    "armature": (0.02, 0.02, 0.03), "dynamic_friction": (0.35, 0.35, 0.45), "viscous_friction": (0.12, 0.12, 0.15),
    "stiffness": (60.0, 60.0, 80.0), "damping": (1.5, 1.5, 2.0), "static_excess": (0.3, 0.3, 0.3)}
TRUTH_SPREAD, GUESS_SPREAD = 0.45, 0.2      # of logarithms, from the nominal values
ITERATIONS = 8, 0


def joint_names(legs: int) -> list[str]:
    """Names of the joints, leg by leg."""
    return [f"{name}_{leg}" for leg in range(legs) for name in ("abduction", "hip", "knee")]


def draw_truth(legs: int, seed: int) -> dict[str, Array]:
    """Parameters of a robot."""
    return _draw(legs, np.random.default_rng((seed, 1)), TRUTH_SPREAD)


def draw_guess(legs: int, seed: int) -> dict[str, Array]:
    """Parameters that a stage authors for the robot of any seed, wrong besides."""
    return _draw(legs, np.random.default_rng((seed, 2)), GUESS_SPREAD)


def _draw(legs: int, rng: np.random.Generator, spread: float) -> dict[str, Array]:
    values = {name: np.tile(numbers, legs) * np.exp(rng.uniform(-spread, spread, 3 * legs))
              for name, numbers in NOMINAL.items()}
    values["static_friction"] = values["dynamic_friction"] * (1.0 + values.pop("static_excess"))
    return values


def legs_stage(legs: int, parameters: Parameters) -> str:
    """The USDA text of a robot with these parameters."""
    head = HEAD.format(meters=1, kilograms=1)
    scene = prim("PhysicsScene", "scene", ("PhysxSceneAPI",), {
        "vector3f physics:gravityDirection": (0, 0, -1), "float physics:gravityMagnitude": 9.81,
        "bool physxScene:enableGPUDynamics": False, "uniform token physxScene:broadphaseType": "MBP"})
    parts = [_link("trunk", (0, 0, 1), 6.0, (0.1, 0.3, 0.3)),
             prim("PhysicsFixedJoint", "stand", (), {
                 "rel physics:body1": "</Robot/trunk>", "point3f physics:localPos0": (0, 0, 1)})]
    for leg in range(legs):
        parts += _leg(leg, parameters)
    robot = prim("Xform", "Robot", ("PhysicsArticulationRootAPI", "PhysxArticulationAPI"), {
        "int physxArticulation:solverPositionIterationCount": ITERATIONS[0],
        "int physxArticulation:solverVelocityIterationCount": ITERATIONS[1]}, "".join(parts))
    return head + robot + scene


def _leg(leg: int, parameters: Parameters) -> list[str]:
    """Hip, thigh and shank of one leg with their joints."""
    x, y = (0.2 if leg % 2 == 0 else -0.2), (0.1 if leg < 2 else -0.1)
    side = math.copysign(0.08, y)
    names = [f"{name}_{leg}" for name in ("hip_link", "thigh", "shank")]
    positions = (x, y, 1.0), (x, y + side, 0.9), (x, y + side, 0.7)
    centers = (0.0, side / 2, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    masses = 0.7, 1.0, 0.3
    inertias = (0.001, 0.001, 0.001), (0.008, 0.008, 0.0015), (0.003, 0.003, 0.0002)
    anchors = (((x, y, 0.0), (0, 0, 0)), ((0, side, 0.0), (0, 0, 0.1)), ((0, 0, -0.1), (0, 0, 0.1)))
    bodies = ["trunk", *names]
    parts = []
    for i, name in enumerate(("abduction", "hip", "knee")):
        parts.append(_link(names[i], positions[i], masses[i], inertias[i], centers[i]))
        parts.append(_joint(f"{name}_{leg}", bodies[i], names[i], "X" if i == 0 else "Y", anchors[i],
                            {key: float(values[3 * leg + i]) for key, values in parameters.items()}))
    return parts


def _link(name: str, position: tuple[float, float, float], mass: float, inertia: tuple[float, float, float],
          center: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> str:
    return prim("Xform", name, ("PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI"), {
        "float physics:mass": mass, "float3 physics:diagonalInertia": inertia, "point3f physics:centerOfMass": center,
        "quatf physics:principalAxes": (1, 0, 0, 0), "float physxRigidBody:linearDamping": 0.0,
        "float physxRigidBody:angularDamping": 0.0,
        "double3 xformOp:translate": position, "uniform token[] xformOpOrder": ["xformOp:translate"]})


def _joint(name: str, parent: str, child: str, axis: str, anchors: tuple[tuple[float, ...], tuple[float, ...]],
           values: Mapping[str, float]) -> str:
    """A revolute joint with a force drive and joint friction; USD's angles are degrees."""
    return prim("PhysicsRevoluteJoint", name, ("PhysicsDriveAPI:angular", "PhysxJointAxisAPI:angular"), {
        "rel physics:body0": f"</Robot/{parent}>", "rel physics:body1": f"</Robot/{child}>",
        "point3f physics:localPos0": anchors[0], "point3f physics:localPos1": anchors[1],
        "uniform token physics:axis": axis, "uniform token drive:angular:physics:type": "force",
        "float drive:angular:physics:stiffness": values["stiffness"] * DEGREES,
        "float drive:angular:physics:damping": values["damping"] * DEGREES,
        "float drive:angular:physics:targetPosition": 0.0, "float drive:angular:physics:targetVelocity": 0.0,
        "float physxJointAxis:angular:armature": values["armature"],
        "float physxJointAxis:angular:staticFrictionEffort": values["static_friction"],
        "float physxJointAxis:angular:dynamicFrictionEffort": values["dynamic_friction"],
        "float physxJointAxis:angular:viscousFrictionCoefficient": values["viscous_friction"] * DEGREES})
