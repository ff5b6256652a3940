"""Two random rigid bodies on one joint, as rows of numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from physx_runtime.model.island import BODY, KINEMATIC, IslandTopology, JointTopology, SolverBody
from physx_runtime.model.island_rows import (
    ACTOR_GROUP,
    INPUT_MAKERS,
    JOINT_GROUP,
    KINEMATIC_GROUP,
    OUTPUT_MAKERS,
    joint_rows,
)
from physx_runtime.model.topology import BodyTopology

from support.mechanics.rigid_motion import rotation

Rows = dict[str, Any]
Array = NDArray[np.float64]
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
