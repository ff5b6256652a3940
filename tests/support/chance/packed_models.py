"""Packed models that need no stage: robots of the speed benchmarks, random trees and islands.

The robots of the speed benchmarks as packed models that need no stage: their structure, random numbers.

Small packed models for tests that need no stage: random trees, as structure and parameter rows.

Small packed islands for tests that need no stage: random bodies and trees, and joints that fit where they are.
"""

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
from physx_runtime.model.topology import (
    FIXED,
    PGS,
    PRISMATIC,
    REVOLUTE,
    ROOT,
    SPHERICAL,
    TGS,
    BodyTopology,
    DofTopology,
    ExternalForceTopology,
    FixedTendonTopology,
    LinkTopology,
    SpatialTendonTopology,
    Topology,
)
from physx_runtime.worlds.cpu import IslandWorlds

from support.places import DATA

Rows = dict[str, NDArray[np.float64]]


def random_tree(seed: int, links: int = 5, floating: bool = False, kinds: str = "rrrp") -> tuple[Topology, Rows]:
    """A branching tree with random geometry, masses and state; drives, limits and friction on every dof.

    kinds: revolute, prismatic, fixed, spherical; b: spherical with coordinates counted backwards; u: with two of them.
    """
    random = np.random.default_rng(seed)
    letters = random.choice(list(kinds), links)
    chosen = [{"r": REVOLUTE, "p": PRISMATIC, "f": FIXED}.get(k, SPHERICAL) for k in letters]
    parents = [max(0, int(i - random.integers(0, 2))) for i in range(links)]
    topology = Topology(
        not floating, True,
        (LinkTopology(-1, ROOT), *(LinkTopology(p, k, letter == "b")
                                   for p, k, letter in zip(parents, chosen, letters, strict=True))),
        tuple(DofTopology(i + 1, "force", friction=True, limit=True, axis=axis) for i, k in enumerate(letters)
              for axis in {"f": (), "s": (0, 1, 2), "b": (0, 1, 2), "u": (0, 2)}.get(k, (0,))))
    return topology, random_rows(random, topology)


def random_rows(random: np.random.Generator, topology: Topology) -> Rows:
    """Random geometry, masses and state of a tree; tendons and mimics stay 0."""
    rows = {name: np.zeros(n) for name, n in (state_rows(topology) | input_rows(topology)).items()}
    count, dofs = len(topology.links), len(topology.dofs)

    def rotations(n: int) -> NDArray[np.float64]:
        q = random.normal(size=(n, 4))
        return (q / np.linalg.norm(q, axis=1, keepdims=True)).ravel()

    mass = random.uniform(0.5, 2.0, count)
    moments = random.uniform(0.05, 0.08, (count, 3)) * mass[:, None]
    rows |= {
        "dt": np.array([1 / 60]), "h": np.array([1 / 60 / 4]), "erp": np.array([0.9]), "length_scale": np.ones(1),
        "gravity": np.array([0.0, 0.0, -9.81]), "mass": mass, "com": random.uniform(-0.2, 0.2, 3 * count),
        "inertia": np.concatenate([moments, np.zeros((count, 3))], axis=1).ravel(),
        "tree_position": random.uniform(-0.5, 0.5, 3 * count), "tree_rotation": rotations(count),
        "gravity_enabled": np.ones(count), "max_linear_velocity": np.full(count, np.inf),
        "max_angular_velocity": np.full(count, np.inf), "cfm_scale": np.full(count, 0.025),
        "armature": random.uniform(0.0, 0.1, dofs), "velocity_clamp": np.full(dofs, np.inf),
        "max_velocity": np.full(dofs, np.inf), "lower_limit": np.full(dofs, -1.0), "upper_limit": np.full(dofs, 1.0),
        "static_friction": random.uniform(0, 0.5, dofs), "dynamic_friction": random.uniform(0, 0.3, dofs),
        "stiffness": random.uniform(0, 20, dofs), "damping": random.uniform(0, 2, dofs),
        "max_force": np.full(dofs, 50.0), "q": random.uniform(-0.8, 0.8, dofs),
        "v": random.uniform(-1, 1, topology.nv), "root_rotation": rotations(1),
    }
    if not topology.fixed_base:
        rows["com"][:3] = 0.0       # a floating root's frame is at its centre of mass
        rows["root_axes"] = rotations(1)
    return rows


def double_pendulum(m: tuple[float, float], length: float, reach: tuple[float, float],
                    moment: tuple[float, float]) -> tuple[Topology, Rows]:
    """Two links turning about z, hanging along x at q = 0: the planar arm of the textbooks."""
    t = Topology(True, True, (LinkTopology(-1, "root"), LinkTopology(0, "revolute"), LinkTopology(1, "revolute")),
                 (DofTopology(1), DofTopology(2)))
    rows = {name: np.zeros(n) for name, n in (state_rows(t) | input_rows(t)).items()}
    half = np.sqrt(0.5)
    onto_z = [0.0, -half, 0.0, half]           # x of the internal frame onto the world's z
    identity = [0.0, 0.0, 0.0, 1.0]
    rows |= {
        "root_rotation": np.array(identity), "tree_rotation": np.array(identity + onto_z + identity),
        "tree_position": np.array([0.0] * 6 + [0.0, 0.0, -length]),
        "com": np.array([0.0] * 3 + [0.0, 0.0, -reach[0]] + [0.0, 0.0, -reach[1]]),
        "mass": np.array([0.0, *m]), "gravity": np.array([0.0, -9.81, 0.0]), "gravity_enabled": np.ones(3),
        "inertia": np.array([0.0] * 6 + [moment[0]] + [0.0] * 5 + [moment[1]] + [0.0] * 5),
    }
    return t, rows


# --- packed robots ---------------------------------------------------------------------------------------------------

KINDS = {"r": REVOLUTE, "p": PRISMATIC, "f": FIXED, "s": SPHERICAL, "u": SPHERICAL}
AXES = {"r": (0,), "p": (0,), "f": (), "s": (0, 1, 2), "u": (0, 2)}
# Parent and kind of each link's joint; u: a ball joint of two axes.
HUMANOID = ((0, "f"), (0, "u"), (0, "s"), (0, "s"), (2, "r"), (3, "r"), (4, "r"), (5, "f"), (6, "u"), (6, "u"),
            (7, "f"), (9, "r"), (10, "r"), (12, "u"), (13, "u"))
FINGER = 4      # joints
# What their kernels took on GPUs when that was last written: robot, architecture, kernel, as `cubin.Resources`.
CEILINGS = DATA / "cuda" / "resources.json"
SMALL, LARGE = ("cart-pole", "arm", "ant"), ("hand", "humanoid")
# Small trees on which all acts that can act on an articulation: those to compile, not to step.
EVERYTHING = {"all constraints": TGS, "all constraints, PGS": PGS}


def packed_robot(name: str) -> tuple[Topology, Rows]:
    """A robot by name, one of SMALL, LARGE or EVERYTHING: its structure, and rows of one world."""
    if name in EVERYTHING:
        topology = constrained_tree(EVERYTHING[name])
        return topology, random_rows(np.random.default_rng(3), topology)
    topology = {"cart-pole": _cart_pole, "arm": _arm, "ant": _ant, "hand": _hand, "humanoid": _humanoid}[name]()
    rows = random_rows(np.random.default_rng(3), topology)
    for i, tendon in enumerate(topology.fixed_tendons):
        count = len(tendon.dofs)
        values = {"stiffness": [20.0], "damping": [0.5], "limit_stiffness": [10.0], "rest_length": [0.01],
                  "lower_limit": [-0.02], "upper_limit": [0.03], "gearing": [1e-2] * count,
                  "force_coefficient": [1.0] * count}
        rows |= {row: np.array(value) for key, value in values.items() if (row := f"fixed_tendon{i}_{key}") in rows}
    return topology, rows


def constrained_tree(solver: str) -> Topology:
    """A free root, two hinges, a slider and a ball joint, with every kind of constraint, load and switch."""
    links = (LinkTopology(-1, ROOT), LinkTopology(0, REVOLUTE), LinkTopology(1, REVOLUTE), LinkTopology(2, PRISMATIC),
             LinkTopology(0, SPHERICAL, flipped=True))
    hinge = DofTopology(1, "force", envelope=True, friction=True, limit=True, max_velocity=True)
    ball = tuple(DofTopology(4, "acceleration", friction=True, limit=True, max_velocity=True, axis=i) for i in range(3))
    return Topology(
        False, True, links, (hinge, DofTopology(2, "acceleration", limit=True), DofTopology(3, "force"), *ball),
        (FixedTendonTopology((0, 1), (False, True)),), (SpatialTendonTopology((0, 1, 3)),), ((2, 1),), solver,
        link_forces=True, tendon_impulses=True, sleeping=True,
        external_forces=tuple(ExternalForceTopology(1, world, acceleration, central)
                              for world in (True, False) for acceleration in (True, False)
                              for central in (True, False)))


def _tree(fixed: bool, joints: tuple[tuple[int, str], ...], tendons: tuple[FixedTendonTopology, ...] = (),
          drive: str | None = None, friction: bool = False) -> Topology:
    """Links in the order of their joints; limits on every dof, and sleep."""
    links = (LinkTopology(-1, ROOT), *(LinkTopology(parent, KINDS[kind]) for parent, kind in joints))
    dofs = tuple(DofTopology(i, drive, friction=friction, limit=True, max_velocity=friction, axis=axis)
                 for i, (_, kind) in enumerate(joints, 1) for axis in AXES[kind])
    return Topology(fixed, True, links, dofs, tendons, sleeping=True)


def _cart_pole() -> Topology:
    return _tree(True, ((0, "p"), (1, "r")))


def _arm() -> Topology:
    return _tree(True, tuple((i, "r") for i in range(7)), drive="force", friction=True)


def _ant() -> Topology:
    return _tree(False, (*((0, "r"),) * 4, *((i, "r") for i in range(1, 5))))


def _hand() -> Topology:
    """A wrist of two joints, five fingers of a knuckle and three bones that one tendon closes."""
    first = range(3, 3 + 5 * FINGER, FINGER)
    joints = [(0, "r"), (1, "r")]
    for knuckle in first:
        joints += [(2, "r"), *((knuckle + i, "r") for i in range(FINGER - 1))]
    tendons = tuple(FixedTendonTopology(tuple(range(knuckle, knuckle + FINGER - 1))) for knuckle in first)
    return _tree(True, tuple(joints), tendons, drive="force", friction=True)


def _humanoid() -> Topology:
    return _tree(False, HUMANOID, drive="force")


# --- packed islands --------------------------------------------------------------------------------------------------

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
