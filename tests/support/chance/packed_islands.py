"""Small packed islands for tests that need no stage: random bodies and trees, and joints that fit where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from physx_runtime.dynamics.kinematics import forward_kinematics
from physx_runtime.dynamics.spatial import Quat, Vec3, add, conjugate, mul_quat, quaternion, rotate, sub, triple
from physx_runtime.model.body_kind import BODY, KINEMATIC, LINK
from physx_runtime.model.island import D6, FREE, LOCKED, AxisTopology, IslandTopology, JointTopology, SolverBody
from physx_runtime.model.island_rows import island_input_rows, island_output_rows
from physx_runtime.model.row_specs import input_rows, state_rows
from physx_runtime.model.topology import BodyTopology, Topology
from physx_runtime.worlds.cpu import IslandWorlds

Rows = dict[str, NDArray[np.float64]]
DT, N = 1 / 60, 4
BALL, HINGE, WELD = "lllfff", "lllfll", "llllll"


def random_body(seed: int) -> tuple[BodyTopology, Rows]:
    """A rigid body with a state of its own and no damping."""
    random, t = np.random.default_rng(seed), BodyTopology(True)
    rows = {name: np.zeros(n) for name, n in (state_rows(t) | input_rows(t)).items()}
    q = random.normal(size=4)
    return t, rows | {
        "dt": np.array([DT]), "h": np.array([DT / N]), "gravity": np.array([0.0, 0.0, -9.81]),
        "mass": random.uniform(0.5, 2.0, 1), "inertia": np.array([*random.uniform(0.05, 0.08, 3), 0.0, 0.0, 0.0]),
        "gravity_enabled": np.ones(1), "gyroscopic": np.ones(1), "max_linear_velocity": np.full(1, np.inf),
        "max_angular_velocity": np.full(1, np.inf), "root_position": random.uniform(-1, 1, 3),
        "root_rotation": q / np.linalg.norm(q), "v": random.uniform(-1, 1, 6)}


def frame_of(t: BodyTopology | Topology, rows: Mapping[str, NDArray[np.float64]], link: int) -> tuple[Vec3, Quat]:
    """Where F of a link is in the world."""
    if isinstance(t, BodyTopology):
        return triple(rows, "root_position", 0), quaternion(rows, "root_rotation", 0)
    k = forward_kinematics(t, rows, rows["q"], quaternion(rows, "root_rotation", 0))
    return add(triple(rows, "root_position", 0), k.position[link]), k.rotation[link]


def joint(axes: str, *sides: SolverBody) -> JointTopology:
    """A D6 joint with an axis locked for every l, free for every f."""
    return JointTopology(D6, (sides[0], sides[1]), tuple(AxisTopology(LOCKED if x == "l" else FREE) for x in axes))


def random_island(seed: int, actors: Sequence[tuple[BodyTopology | Topology, Rows]],
                  joints: Sequence[JointTopology]) -> tuple[IslandTopology, Rows]:
    """These actors with joints whose frames coincide at the start, each somewhere at its second side.

    Kinematic bodies are at the origin and at rest.
    """
    random = np.random.default_rng(seed)
    count = 1 + max((side.owner for one in joints for side in one.solver_bodies if side.kind == KINEMATIC), default=-1)
    t = IslandTopology(tuple(actor for actor, _ in actors), tuple(joints), count)
    rows = {name: np.zeros(n) for name, n in (island_output_rows(t) | island_input_rows(t)).items()}
    for i, (_, own) in enumerate(actors):
        rows |= {f"actor{i}_{name}": values for name, values in own.items()}
    for i in range(count):
        rows[f"kinematic{i}_rotation"] = np.array([0.0, 0.0, 0.0, 1.0])
    for j, one in enumerate(joints):
        poses = [frame_of(*actors[side.owner], side.link) if side.kind in (BODY, LINK)
                 else ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)) for side in one.solver_bodies]
        anchor, turn = add(poses[1][0], tuple(random.uniform(-0.3, 0.3, 3))), random.normal(size=4)
        turn /= np.linalg.norm(turn)
        for k, (position, rotation) in enumerate(poses):
            back = conjugate(rotation)
            rows[f"joint{j}_frame{k}_position"] = np.array(rotate(back, sub(anchor, position)))
            rows[f"joint{j}_frame{k}_rotation"] = np.array(mul_quat(back, tuple(turn)))
        rows[f"joint{j}_length_scale"] = np.ones(1)
    return t, rows


def stepped(t: IslandTopology, rows: Rows, steps: int, dtype: str = "float64", v: int = 1) -> Rows:
    """All lasting rows after steps."""
    worlds = IslandWorlds(t, 1, dtype)
    for name, values in rows.items():
        worlds.write(name, values.astype(dtype)[None])
    worlds.step(steps, N, v)
    return {name: worlds.rows(name)[0] for name in island_output_rows(t)}
