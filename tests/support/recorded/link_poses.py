"""Robots with every kind of joint away from 0, and where their links are in real PhysX before the first step."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf, UsdGeom, UsdPhysics

from support.chance.articulations import random_articulation
from support.chance.features import Features
from support.places import DATA
from support.stages.robots import opened

RECORDED = DATA / "link_poses.npz"      # by seed: (n_link, 7) float32, position and quaternion x y z w of the prims
SEEDS = range(9000, 9012)
FEATURES = Features(links=(4, 8), spherical=0.3, generic=0.5, swapped=0.4, fixed_tendon=0.0, spatial_tendon=0.0,
                    mimic=0.0)
TOKENS = {"PhysicsRevoluteJoint": "angular", "PhysicsPrismaticJoint": "linear"}


def text(seed: int) -> str:
    """The stage of a seed: a robot whose links have a small ball each, every other one on a floating base."""
    robot = random_articulation(seed, replace(FEATURES, floating=bool(seed % 2)))
    stage = opened(robot.text)
    for name, position in robot.positions.items():
        leaf, _, axis = name.partition(":")
        joint = stage.GetPrimAtPath(f"/World/art/{leaf}")
        token = TOKENS.get(joint.GetTypeName()) or f"rot{'XYZ'[int(axis)]}"
        joint.AddAppliedSchema(f"PhysicsJointStateAPI:{token}")
        value = position if token == "linear" else math.degrees(position)
        joint.CreateAttribute(f"state:{token}:physics:position", Sdf.ValueTypeNames.Float).Set(value)
    for prim in [prim for prim in stage.Traverse() if prim.HasAPI(UsdPhysics.RigidBodyAPI)]:
        ball = UsdGeom.Sphere.Define(stage, prim.GetPath().AppendChild("ball"))
        ball.CreateRadiusAttr(0.01)
        UsdPhysics.CollisionAPI.Apply(ball.GetPrim())
    return str(stage.GetRootLayer().ExportToString())


def recorded(seed: int) -> NDArray[np.float32]:
    """Where the links of a seed's robot are, in the order of their names."""
    with np.load(RECORDED) as found:
        return np.asarray(found[str(seed)])
