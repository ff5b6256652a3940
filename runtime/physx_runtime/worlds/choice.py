"""The choice of the path that steps a topology.

Straight-line code steps about twice as fast as the by-joint path and is compiled once for a topology and a machine. Its
length grows with n^3 in long chains, and so does its compilation, while the by-joint path costs O(n) and compiles
nothing for a topology. So a robot takes the first where that is ready in a few seconds, humanoids and hands among them.
The choice depends on the topology alone, so the same stage always takes the same path.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass

from physx_runtime.model.island import IslandTopology
from physx_runtime.model.topology import ActorTopology, BodyTopology, Topology
from physx_runtime.worlds.path import AUTO, BY_JOINT, HANDOVER, PATHS, SPECIALISED
from physx_schema.errors import UnsupportedError

# Budget of straight-line code: expected operations of its largest function. A humanoid of 27 velocities has 37 000.
MOST_OPERATIONS = 40_000
# The same on a GPU: half a minute to compile.
MOST_CUDA_OPERATIONS = 50_000
# s of processor time to compile it cold, which two cores share (benchmarks/compile_speed.py).
SECONDS_PER_OPERATION = 1.1e-4

logger = logging.getLogger("physx_runtime")


@dataclass(frozen=True, slots=True)
class Choice:
    """The path taken, and why."""

    path: str
    reason: str


def expected_operations(t: Topology) -> int:
    """About how many operations the largest function of straight-line code has; nothing is traced.

    Every link has its kinematics and forces, every pair of velocities its place in M^-1; the factors of M have zeros
    where branches do not meet, and cost the square of a dof's depth. The weights are a fit to 27 traced chains, trees
    and robots of 2 to 38 velocities, which holds within a factor of 1.6 (tests/runtime/worlds/test_choice.py).
    """
    own = Counter(dof.link for dof in t.dofs)
    depth: list[int] = []       # of each link: the velocities that move it
    for i, link in enumerate(t.links):
        depth.append(t.root_size if link.parent < 0 else depth[link.parent] + own[i])
    factors = sum(depth[dof.link]**2 for dof in t.dofs)
    return int(260 * len(t.links) + 33 * t.nv**2 + 3.5 * factors)


def choose_path(t: ActorTopology | IslandTopology, device: str, asked: str) -> Choice:
    """The path for a topology on a device; said in one line of the log "physx_runtime" at level INFO.

    Raises ValueError for an unknown path, UnsupportedError where the device does not have the one asked for.
    """
    if asked not in PATHS:
        raise ValueError(f"path is {asked!r}; allowed are {', '.join(map(repr, PATHS))}")
    if isinstance(t, IslandTopology):
        return _of_island(t, device)
    choice = _choose(t, device, asked)
    logger.info("%d links, %d dofs on %s: %s path, %s", len(t.tree.links), len(t.tree.dofs), device, choice.path,
                choice.reason)
    return choice


def _of_island(t: IslandTopology, device: str) -> Choice:
    """Islands have but one path, which compiles nothing for them."""
    choice = Choice(BY_JOINT, "an island of joints outside articulations")
    logger.info("%d actors held by %d joints on %s: %s path, %s", len(t.actors), len(t.joints), device, choice.path,
                choice.reason)
    return choice


def _choose(t: ActorTopology, device: str, asked: str) -> Choice:
    if isinstance(t, BodyTopology):
        return Choice(SPECIALISED, "a body without joints")
    operations = expected_operations(t)
    size = f"about {operations}, {operations * SECONDS_PER_OPERATION:.0f} s of processor time to compile"
    most = MOST_CUDA_OPERATIONS if device == "cuda" else MOST_OPERATIONS
    over = operations > most
    budget = f"{'over' if over else 'within'} the budget of {most} operations ({size})"
    if device == "cuda" and asked == HANDOVER:
        raise UnsupportedError(f"path {asked!r} runs on the CPU only; use device='cpu' or another path")
    if asked == AUTO:
        return Choice(BY_JOINT if over else SPECIALISED, budget)
    if asked == HANDOVER and over:
        return Choice(BY_JOINT, f"{budget}: nothing to hand over to")
    return Choice(asked, "as asked")
