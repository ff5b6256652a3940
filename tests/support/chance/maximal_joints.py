"""Joints outside articulations by chance, and two bodies on one of them.

Joints outside articulations by chance: their structure, and rows that say where their sides and frames are.

Two random rigid bodies on one joint, as rows of numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from physx_runtime.model.body_kind import BODY, KINEMATIC, LINK, STATIC
from physx_runtime.model.island import (
    D6,
    FREE,
    GEAR,
    LIMITED,
    LOCKED,
    RACK,
    AxisTopology,
    HingeTopology,
    IslandTopology,
    JointTopology,
    SolverBody,
)
from physx_runtime.model.island_rows import (
    INPUT_MAKERS,
    JOINT_GROUP,
    KINEMATIC_GROUP,
    OUTPUT_MAKERS,
    joint_rows,
)
from physx_runtime.model.row_specs import ACTOR_GROUP, DERIVED, PARAMETER
from physx_runtime.model.topology import BodyTopology

from support.chance.packed_models import Rows
from support.mechanics.rigid_motion import Array, about, quaternion, rotation

BODIES = (SolverBody(BODY), SolverBody(BODY))
LOCKED_AXIS, FREE_AXIS = AxisTopology(LOCKED), AxisTopology(FREE)


def d6(axes: Sequence[AxisTopology], cone: str | None = None,
       sides: tuple[SolverBody, SolverBody] = BODIES) -> JointTopology:
    """A D6 joint whose twist is limited exactly."""
    return JointTopology(D6, sides, tuple(axes), cone, exact=True)


def locking(*axes: int) -> JointTopology:
    """A D6 joint of which some axes are locked and the others free."""
    return d6([LOCKED_AXIS if i in axes else FREE_AXIS for i in range(6)])


def random_axis(random: Generator) -> AxisTopology:
    """Any motion, a hard or a soft limit, with or without a drive."""
    motion = str(random.choice([FREE, LIMITED, LOCKED]))
    return AxisTopology(motion, motion == LIMITED and bool(random.random() < 0.5),
                        random.choice([None, "force", "acceleration"]))


def random_d6(random: Generator) -> JointTopology:
    """Any D6 joint; of ten three with a cone, whose swings are free but for it."""
    axes = [random_axis(random) for _ in range(6)]
    cone = None
    if random.random() < 0.3:
        cone = str(random.choice(["hard", "soft"]))
        axes[4:] = [AxisTopology(FREE, drive=axis.drive) for axis in axes[4:]]
    sides = (SolverBody(STATIC), SolverBody(BODY)) if random.random() < 0.2 else BODIES
    return d6(axes, cone, sides)


def coupled_hinges(kind: str, first: bool, second: bool) -> JointTopology:
    """A gear or a rack between bodies that their hinges hold with these sides."""
    hinges = (HingeTopology(0, holds_first=first), HingeTopology(1, holds_first=second))
    return JointTopology(kind, BODIES, hinges=hinges)


def random_rotation(random: Generator, largest: float = 3.0) -> Array:
    """A rotation matrix of an angle up to `largest`."""
    axis = random.normal(size=3)
    return about(random.uniform(0.05, largest) * axis / np.linalg.norm(axis))


def random_rows(t: JointTopology, random: Generator, apart: float = 0.5, turned: float = 1.5) -> Rows:
    """Rows of a joint at sides anywhere; B is `apart` from A at most on each axis, and turned by at most `turned`."""
    R, p = random_rotation(random), random.uniform(-1, 1, 3)
    return placed(t, random, R.T @ (random_rotation(random, turned) @ R), random.uniform(-apart, apart, 3), (R, p))


def placed(t: JointTopology, random: Generator, turn: Array, offset: Array,
           frame: tuple[Array, Array] | None = None) -> Rows:
    """Rows of a joint with B turned and offset as said, seen from A; A is at `frame`, by chance where none is given."""
    R, p = frame or (random_rotation(random), random.uniform(-1, 1, 3))
    rows = parameters(t, random)
    for side, (own, anchor) in enumerate(((R, p), (R @ turn, p + R @ offset))):
        kind = t.solver_bodies[side].kind
        body, center, origin = np.eye(3), np.zeros(3), np.zeros(3)
        if kind != STATIC:
            body, center = random_rotation(random), anchor + random.uniform(-1, 1, 3)
            origin = center + random.uniform(-1, 1, 3) if kind == LINK else center
            rows |= {f"body{side}_rotation": quaternion(body), f"body{side}_position": center}
        if kind == LINK:
            rows[f"body{side}_origin"] = origin
        rows |= {f"frame{side}_rotation": quaternion(body.T @ own), f"frame{side}_position": body.T @ (anchor - origin)}
    return rows


def parameters(t: JointTopology, random: Generator) -> Rows:
    """Rows of a joint's parameters, of any size that they may have."""
    rows = {name: random.uniform(0.1, 2.0, size) for name, size in joint_rows(t, PARAMETER, DERIVED).items()}
    rows["length_scale"] = np.ones(1)
    if "lower_limit" in rows:
        rows["lower_limit"] = -random.uniform(0.05, 0.8, 6)
        rows["upper_limit"] = random.uniform(0.05, 0.8, 6)
    if "target_position" in rows:
        rows["target_position"], rows["target_velocity"] = random.uniform(-1, 1, (2, 6))
    if t.kind in (GEAR, RACK):
        rows |= {"turns": random.uniform(-9, 9, 2), "last_angle": random.uniform(-3, 3, 2)}
        rows |= {f"hinge{i}_coordinate": random.uniform(-3, 3, 1) for i in range(len(t.hinges))}
    return rows


def moved(rows: Rows, side: int, linear: Array, angular: Array, time: float) -> Rows:
    """The rows after one side has moved: the velocity of its centre of mass, its angular velocity in world axes."""
    turn = about(time * angular)
    center = rows[f"body{side}_position"] + time * linear
    out = {f"body{side}_position": center,
           f"body{side}_rotation": quaternion(turn @ rotation(rows[f"body{side}_rotation"]))}
    if f"body{side}_origin" in rows:
        out[f"body{side}_origin"] = center + turn @ (rows[f"body{side}_origin"] - rows[f"body{side}_position"])
    return rows | out


def frames(rows: Rows) -> list[tuple[Array, Array]]:
    """World rotation and anchor of A and of B, from the definition."""
    found = []
    for side in (0, 1):
        body = rotation(rows[f"body{side}_rotation"]) if f"body{side}_rotation" in rows else np.eye(3)
        center = rows.get(f"body{side}_position", np.zeros(3))
        origin = rows.get(f"body{side}_origin", center)
        found.append((body @ rotation(rows[f"frame{side}_rotation"]),
                      origin + body @ rows[f"frame{side}_position"]))
    return found


# --- held bodies -----------------------------------------------------------------------------------------------------

Frame = tuple[tuple[float, float, float], tuple[float, float, float, float]]
DT, POSITION_ITERATIONS = 0.01, 4
UPRIGHT = [0.0, 0.0, 0.0, 1.0]
TWO_BODIES = (SolverBody(BODY, 0), SolverBody(BODY, 1))


def turned(rng: np.random.Generator, most: float = math.pi) -> Array:
    """A random rotation, at most so far."""
    axis = rng.normal(size=3)
    angle = rng.uniform(0.0, most)
    return np.array([*np.sin(angle / 2) * axis / np.linalg.norm(axis), np.cos(angle / 2)])


def product(a: Array, b: Array) -> Array:
    """The rotation b, then a."""
    return np.array([*(a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])), a[3] * b[3] - a[:3] @ b[:3]])


def two_bodies(joint: JointTopology, seed: int, apart: Frame = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)),
               **parameters: list[float]) -> tuple[IslandTopology, Rows]:
    """An island of two bodies that move at random, the joint's second frame so far from its first; rows of the joint
    that are not given are 0."""
    rng = np.random.default_rng(seed)
    rows: Rows = {}
    poses = []
    for i in range(2):
        R = rotation(turned(rng))
        inertia = R @ np.diag(rng.uniform(0.2, 0.35, 3)) @ R.T
        poses.append((rng.normal(size=3), turned(rng)))
        own = {"root_position": poses[i][0], "root_rotation": poses[i][1], "v": rng.normal(size=6),
               "mass": [rng.uniform(0.5, 3.0)], "gravity": [0.0] * 3, "gravity_enabled": [1.0],
               "inertia": [inertia[a] for a in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))],
               "linear_damping": [0.0], "angular_damping": [0.0], "max_linear_velocity": [math.inf],
               "max_angular_velocity": [math.inf], "gyroscopic": [1.0], "dt": [DT], "h": [DT / POSITION_ITERATIONS]}
        rows |= {f"{ACTOR_GROUP}{i}_{name}": [float(x) for x in values] for name, values in own.items()}
    anchor, frame = rng.normal(size=3), turned(rng)
    given: dict[str, Any] = {"length_scale": [1.0], "max_force": [math.inf] * 6, **parameters}
    ends = ((anchor, frame), (anchor + rotation(frame) @ apart[0], product(frame, np.array(apart[1]))))
    for i, ((place, q), (end, axes)) in enumerate(zip(poses, ends, strict=True)):
        given[f"frame{i}_position"] = rotation(q).T @ (end - place)
        given[f"frame{i}_rotation"] = product(np.array([*-q[:3], q[3]]), axes)
    for name, size in {**joint_rows(joint, *OUTPUT_MAKERS, *INPUT_MAKERS), "length_scale": 1}.items():
        rows[f"{JOINT_GROUP}0_{name}"] = [float(x) for x in given.get(name, [0.0] * size)]
    return IslandTopology((BodyTopology(True), BodyTopology(True)), (joint,)), rows


def body_at_origin(joint: JointTopology, v: Sequence[float] = (0.0,) * 6, gravity: Sequence[float] = (0.0,) * 3,
                   iterations: int = POSITION_ITERATIONS, **parameters: list[float]) -> tuple[IslandTopology, Rows]:
    """A body of mass 2 and inertia 0.5 at the origin, side 1 of a joint there to the world or a kinematic body.

    parameters: rows of the joint, the others are those of nothing, and `velocity` of the kinematic body.
    """
    own = {"root_position": [0.0] * 3, "root_rotation": UPRIGHT, "v": v, "mass": [2.0], "gravity": gravity,
           "gravity_enabled": [1.0], "inertia": [0.5] * 3 + [0.0] * 3, "linear_damping": [0.0],
           "angular_damping": [0.0], "max_linear_velocity": [math.inf], "max_angular_velocity": [math.inf],
           "gyroscopic": [1.0], "dt": [DT], "h": [DT / iterations]}
    driven = {"position": [0.0] * 3, "rotation": UPRIGHT, "velocity": parameters.pop("velocity", [0.0] * 6)}
    given: dict[str, list[float]] = {"length_scale": [1.0], "max_force": [math.inf] * 6, "break_force": [math.inf],
                                     "break_torque": [math.inf], "frame0_rotation": UPRIGHT,
                                     "frame1_rotation": UPRIGHT, **parameters}
    sizes = {**joint_rows(joint, *OUTPUT_MAKERS, *INPUT_MAKERS), "length_scale": 1}
    rows: Rows = {f"{ACTOR_GROUP}0_{name}": list(values) for name, values in own.items()}
    rows |= {f"{JOINT_GROUP}0_{name}": given.get(name, [0.0] * size) for name, size in sizes.items()}
    rows |= {f"{KINEMATIC_GROUP}0_{name}": values for name, values in driven.items()}
    return IslandTopology((BodyTopology(True),), (joint,),
                          kinematic=int(joint.solver_bodies[0].kind == KINEMATIC)), rows


def momentum(rows: Rows, velocities: list[Array]) -> Array:
    """Linear momentum of both bodies, and angular momentum about the world's origin."""
    total = np.zeros(6)
    for i, v in enumerate(velocities):
        own = {name: np.array(rows[f"{ACTOR_GROUP}{i}_{name}"]) for name in ("root_position", "root_rotation", "mass",
                                                                           "inertia")}
        xx, yy, zz, xy, xz, yz = own["inertia"]
        R = rotation(own["root_rotation"])
        spin = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T @ v[3:]
        p = own["mass"][0] * v[:3]
        total += np.array([*p, *(spin + np.cross(own["root_position"], p))])
    return total
