"""What real PhysX was asked once: link poses before the first step, contacts, and motions of PGS scenes.

Robots with every kind of joint away from 0, and where their links are in real PhysX before the first step.

What real PhysX answered about contacts; written by experiments/record_contact_answers.py.

How PGS scenes move in real PhysX; written by experiments/record_pgs_scenes.py.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf, Usd, UsdGeom, UsdPhysics

from support.chance.articulations import Features, random_articulation
from support.physx.recorded_scenes import recording
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


# --- contact answers -------------------------------------------------------------------------------------------------

STEP = 1 / 60
CASES: dict[str, Any] = json.loads((DATA / "contact_answers.json").read_text())
# Cases of forces; in the others one asks what is reported.
FORCES = ("slides", "spins", "rolls", "stands on another", "two shapes", "kinematic")
EVENTS = tuple(name for name in CASES if name not in FORCES)


@dataclass(frozen=True, slots=True)
class Told:
    """A stage, and what PhysX told after each step."""

    stage: Usd.Stage
    steps: list[dict[str, Any]]
    pairs: list[tuple[str, list[str]]]


def told(name: str) -> Told:
    """A case by its name."""
    case = CASES[name]
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(case["stage"])
    return Told(stage, case["steps"], case["pairs"])


# --- PGS scenes ------------------------------------------------------------------------------------------------------

RECORDED_PGS = recording(DATA / "pgs_scenes.json")
EVERY = 6       # steps from record to record
# By stage: `paths` of bodies, `values` (a row for each record and body: position, quaternion, velocities), and `bars`,
# to what an error of each of these quantities may come up to each record.
MOTIONS: dict[str, Any] = json.loads(RECORDED_PGS.read_text())
