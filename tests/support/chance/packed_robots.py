"""The robots of the speed benchmarks as packed models that need no stage: their structure, random numbers."""

from __future__ import annotations

import numpy as np
from physx_runtime.model.topology import (
    FIXED,
    PGS,
    PRISMATIC,
    REVOLUTE,
    ROOT,
    SPHERICAL,
    TGS,
    DofTopology,
    ExternalForceTopology,
    FixedTendonTopology,
    LinkTopology,
    SpatialTendonTopology,
    Topology,
)

from support.chance.packed_trees import Rows, random_rows
from support.places import DATA

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
