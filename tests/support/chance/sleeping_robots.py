"""Random robots with colliders that come to rest, and edits of their values while they sleep.

A stage is a function of its seed. It has one or two robots of hinged boxes, on the ground or weightless, and perhaps a
box beside them. Edits begin once everything sleeps, so that a wake-up is seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from pxr import Sdf, Usd

from support.stages.iteration_stages import prim as resting_prim
from support.stages.iteration_stages import stage
from support.stages.resting_stages import GROUND, body
from support.stages.resting_stages import placed as resting_placed

DT = 1 / 60
RESTED, APART, LAST = 200, 40, 330      # steps: the first edit, between edits at most, the last step
TURNED = 3e-7                           # rad: three float32 ulps
DRIVE = "drive:angular:physics:"
AXIS = "physxJointAxis:angular:"
TENDON = "physxTendon:t:"
JOINT_SCHEMAS = "PhysicsDriveAPI:angular PhysicsLimitAPI:angular PhysxJointAPI PhysxJointAxisAPI:angular"
Edit = tuple[int, str, str, float]      # step, prim, property, value


@dataclass(frozen=True, slots=True)
class SleepingRobots:
    """A stage, the same with its robots turned a little both ways, what is edited before which step, and who moves."""

    text: str
    turned: tuple[str, str]
    edits: tuple[Edit, ...]
    actors: tuple[str, ...]
    links: tuple[str, ...]


def sleeping_robots(seed: int) -> SleepingRobots:
    """The stage of a seed."""
    texts = []
    for turn in (0.0, TURNED, -TURNED):
        random = np.random.default_rng([seed, 7])       # the same robots in all three
        weightless, tendon, boxed = (bool(random.integers(2)) for _ in range(3))
        sizes = [int(random.integers(2, 5)) for _ in range(random.integers(1, 3))]
        robots = [_robot(random, f"R{i}", 3.0 * i, size, tendon and size > 2, turn) for i, size in enumerate(sizes)]
        boxes = [body("B", (-4.0, 0, 0.5), float__physxRigidBody_linearDamping="0.1")] if boxed else []
        texts.append(stage(*([] if weightless else [GROUND]), *robots, *boxes,
                           scene={"float physics:gravityMagnitude": "0"} if weightless else {}))
    chosen = random.integers(len(sizes))
    edits = tuple(_edits(random, f"/R{chosen}", sizes[chosen], tendon and sizes[chosen] > 2))
    links = [f"/R{i}/l{k}" for i, size in enumerate(sizes) for k in range(size)]
    actors, box = [f"/R{i}" for i in range(len(sizes))], ["/B"] if boxed else []
    return SleepingRobots(texts[0], (texts[1], texts[2]), edits, (*actors, *box), (*links, *box))


def author(stage: Usd.Stage, path: str, name: str, value: float) -> None:
    """Make an edit."""
    prim = stage.GetPrimAtPath(path)
    prim.CreateAttribute(name, Sdf.ValueTypeNames.Float, False).Set(value)


def _robot(random: Generator, name: str, y: float, size: int, tendon: bool, turn: float) -> str:
    """A chain of boxes along x that hinges about y join, 0.5 mm above the ground."""
    half = 0.2 + 0.1 * float(random.random())
    links, joints = "", ""
    for k in range(size):
        gap = (2 * half + 0.1) * k
        shape = resting_prim("Cube", "shape", "PhysicsCollisionAPI PhysxCollisionAPI", {
            "double size": f"{2 * half:.4f}", "float physxCollision:contactOffset": "0.02"})
        links += resting_prim("Xform", f"l{k}", "PhysicsRigidBodyAPI PhysicsMassAPI PhysxRigidBodyAPI", {
            "float physics:mass": f"{0.5 + float(random.random()):.4f}", "float physxRigidBody:angularDamping": "0.05",
            "float physxRigidBody:linearDamping": "0", **resting_placed((gap, 0, 0))}, shape)
    for k in range(size - 1):
        coupled = {f"float[] {TENDON}gearing": f"[{1 if k % 2 else -1}]"} if tendon else {}
        if tendon and k == 0:
            coupled |= {f"float {TENDON}stiffness": "5", f"float {TENDON}damping": "1",
                        f"float {TENDON}offset": "0", f"float {TENDON}restLength": "0"}
        schemas = f"{JOINT_SCHEMAS} PhysxTendonAxis{'Root' if k == 0 else ''}API:t" if tendon else JOINT_SCHEMAS
        values = {"stiffness": f"{5 + 20 * float(random.random()):.3f}", "damping": "2", "maxForce": "500",
                  "targetPosition": "0"}
        if random.integers(2):          # the edit of an unauthored value adds it
            values["targetVelocity"] = "0"
        joints += resting_prim("PhysicsRevoluteJoint", f"j{k}", schemas, {
            "rel physics:body0": f"</{name}/l{k}>", "rel physics:body1": f"</{name}/l{k + 1}>",
            "uniform token physics:axis": '"Y"', "point3f physics:localPos0": f"({half + 0.05:.5f}, 0, 0)",
            "point3f physics:localPos1": f"({-half - 0.05:.5f}, 0, 0)", "float physics:lowerLimit": "-60",
            "float physics:upperLimit": "60", **{f"float {DRIVE}{key}": value for key, value in values.items()},
            f"float {AXIS}armature": "0.01", f"float {AXIS}maxJointVelocity": "1000", **coupled})
    turned = f"({float(np.cos(turn / 2))!r}, 0, 0, {float(np.sin(turn / 2))!r})"
    return resting_prim("Xform", name, "PhysicsArticulationRootAPI PhysxArticulationAPI", {
        "float physxArticulation:sleepThreshold": "0.0002",
        **resting_placed((0, y, half + 0.0005), turned)}, links + joints)


def _edits(random: Generator, robot: str, size: int, tendon: bool) -> list[Edit]:
    """Three to five edits of values of a robot, of those that wake and of those that do not."""
    step, edits = RESTED, []
    for _ in range(random.integers(3, 6)):
        joint, link = (f"{robot}/{kind}{random.integers(count)}" for kind, count in (("j", size - 1), ("l", size)))
        kinds: list[tuple[str, str, float]] = [
            (joint, f"{DRIVE}stiffness", float(random.uniform(0, 30))),
            (joint, f"{DRIVE}damping", float(random.uniform(1, 5))),
            (joint, f"{DRIVE}maxForce", float(random.uniform(50, 500))),
            (joint, f"{DRIVE}targetPosition", float(random.uniform(-30, 30))),
            (joint, f"{DRIVE}targetVelocity", float(random.uniform(-30, 30))),
            (joint, "physics:lowerLimit", float(random.uniform(-80, -40))),
            (joint, "physics:upperLimit", float(random.uniform(40, 80))),
            (joint, f"{AXIS}armature", float(random.uniform(0.01, 0.1))),
            (joint, f"{AXIS}maxJointVelocity", float(random.uniform(300, 900))),
            (link, "physics:mass", float(random.uniform(0.5, 2))),
            (link, "physxRigidBody:linearDamping", float(random.uniform(0, 1))),
            (f"{link}/shape", "physxCollision:contactOffset", float(random.uniform(0.02, 0.03)))]
        if tendon:
            kinds += [(f"{robot}/j0", f"{TENDON}{name}", float(random.uniform(0.1, 2)))
                      for name in ("stiffness", "damping", "offset")]
        prim_path, name, value = kinds[random.integers(len(kinds))]
        edits.append((step, prim_path, name, float(np.float32(value))))
        step += int(random.integers(1, APART))
    return edits
