"""The choice of the path and of the device that step a topology.

`choose_path` compares compiled straight-line code with the scheduled path. Straight-line code steps about twice as
fast. It is compiled once for a topology and a machine. Its length grows with n^3 in long chains, and so does its
compilation. The scheduled path costs O(n) and compiles nothing for a topology. A robot is compiled where that takes a
few seconds, as for humanoids and hands. The choice depends on the topology alone, so the same stage always takes the
same path. `make_worlds` builds the worlds on the CPU or the GPU.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass

from physx_runtime.collision.pair_table import ContactTable
from physx_runtime.collision.static_pairs import build_static_pairs
from physx_runtime.model.island import IslandTopology
from physx_runtime.model.topology import ActorTopology, BodyTopology, Topology
from physx_runtime.targets.cuda.driver import DeviceError
from physx_runtime.targets.cuda.kernels import BACK_END, NUMBA, back_end, find_gpu
from physx_runtime.worlds.contact.worlds import ContactWorlds
from physx_runtime.worlds.cpu import CompiledWorlds, IslandWorlds, ScheduledWorlds, SwitchingWorlds
from physx_runtime.worlds.gpu.worlds import CudaWorlds
from physx_runtime.worlds.numba_cuda import NumbaCudaWorlds
from physx_runtime.worlds.static_contact.worlds import StaticContactWorlds
from physx_runtime.worlds.store import AUTO, COMPILED, PATHS, SCHEDULED, SWITCHING, Worlds
from physx_schema.arguments import required_choice
from physx_schema.errors import UnsupportedError

# Budget of straight-line code: expected operations of its largest function. A humanoid of 27 velocities has 37 000.
MAX_OPERATIONS = 40_000
# The same on a GPU: half a minute to compile.
MAX_CUDA_OPERATIONS = 50_000
# s of processor time to compile it cold, which two cores share (benchmarks/compile_speed.py).
SECONDS_PER_OPERATION = 1.1e-4

logger = logging.getLogger("physx_runtime")


@dataclass(frozen=True, slots=True)
class PathChoice:
    """The path taken, and the reason."""

    path: str
    reason: str


def expected_operations(t: Topology) -> int:
    """Estimate of the operations in the largest function of straight-line code; nothing is traced.

    Every link has its kinematics and forces, every pair of velocities its entry of M^-1. The factors of M have zeros
    where branches do not meet, and cost the square of a dof's depth. The weights are a fit to 27 traced chains, trees
    and robots of 2 to 38 velocities. It holds within a factor of 1.6 (tests/runtime/worlds/test_choice.py).
    """
    dof_counts = Counter(dof.link for dof in t.dofs)
    depth: list[int] = []       # of each link: the velocities that move it
    for i, link in enumerate(t.links):
        depth.append(t.root_size if link.parent < 0 else depth[link.parent] + dof_counts[i])
    factors = sum(depth[dof.link]**2 for dof in t.dofs)
    return int(260 * len(t.links) + 33 * t.nv**2 + 3.5 * factors)


def choose_path(t: ActorTopology | IslandTopology, device: str, path: str) -> PathChoice:
    """The path for a topology on a device; logged in one line by the logger "physx_runtime" at level INFO.

    Raises ValueError for an unknown path, UnsupportedError where the device does not have the requested one.
    """
    required_choice("path", path, PATHS)
    if isinstance(t, IslandTopology):
        return _island_path(t, device)
    choice = _actor_path(t, device, path)
    logger.info("%d links, %d dofs on %s: %s path, %s", len(t.tree.links), len(t.tree.dofs), device, choice.path,
                choice.reason)
    return choice


def _island_path(t: IslandTopology, device: str) -> PathChoice:
    """Islands have the scheduled path only; nothing is compiled for them."""
    choice = PathChoice(SCHEDULED, "an island of joints outside articulations")
    logger.info("%d actors connected by %d joints on %s: %s path, %s", len(t.actors), len(t.joints), device,
                choice.path, choice.reason)
    return choice


def _actor_path(t: ActorTopology, device: str, path: str) -> PathChoice:
    if isinstance(t, BodyTopology):
        return PathChoice(COMPILED, "a body without joints")
    operations = expected_operations(t)
    size = f"about {operations}, {operations * SECONDS_PER_OPERATION:.0f} s of processor time to compile"
    max_operations = MAX_CUDA_OPERATIONS if device == "cuda" else MAX_OPERATIONS
    is_over_budget = operations > max_operations
    budget = f"{'over' if is_over_budget else 'within'} the budget of {max_operations} operations ({size})"
    if device == "cuda" and path == SWITCHING:
        raise UnsupportedError(f"path {path!r} runs on the CPU only; use device='cpu' or another path")
    if path == AUTO:
        return PathChoice(SCHEDULED if is_over_budget else COMPILED, budget)
    if path == SWITCHING and is_over_budget:
        return PathChoice(SCHEDULED, f"{budget}; only generic code is possible")
    return PathChoice(path, "as requested")


DTYPES = ("float32", "float64")
AUTO_DEVICE = "auto"        # a GPU where there is one that steps this, else the CPU
DEVICES = ("cpu", "cuda", AUTO_DEVICE)



def make_worlds(t: ActorTopology | IslandTopology, count: int, device: str, dtype: str, path: str = AUTO,
                contacts: ContactTable | None = None) -> Worlds:
    """Worlds on a device, stepped along a path; with contacts where an island has colliders that can touch.

    "auto" is "cuda" where it is available, otherwise "cpu"; the logger "physx_runtime" reports the reason.

    Raises ValueError for another device, dtype or path. Raises UnsupportedError where CUDA is not installed or finds no
    GPU, and where the device does not have the path.
    """
    required_choice("dtype", dtype, DTYPES)
    required_choice("device", device, DEVICES)
    if device == AUTO_DEVICE:
        try:
            return make_worlds(t, count, "cuda", dtype, path, contacts)
        except UnsupportedError as error:
            logger.warning("device 'auto' uses the CPU: %s", error)
            return make_worlds(t, count, "cpu", dtype, path, contacts)
    selected_path = choose_path(t, device, path).path
    if isinstance(t, IslandTopology) and contacts is not None:
        static_contact_only = (not (t.pgs or t.sapien or t.articulation_contact_last)
                               and _sleeps_independently(t))
        pairs = build_static_pairs(contacts, count) if static_contact_only else None
        return ContactWorlds(t, count, dtype, contacts) if pairs is None else StaticContactWorlds(t, count, dtype,
                                                                                                  pairs)
    if device == "cuda":
        return _gpu_worlds(t, count, dtype, selected_path)
    if isinstance(t, IslandTopology):
        return IslandWorlds(t, count, dtype)
    if selected_path == COMPILED or isinstance(t, BodyTopology):
        return CompiledWorlds(t, count, dtype)
    return ScheduledWorlds(t, count, dtype) if selected_path == SCHEDULED else SwitchingWorlds(t, count, dtype)


def _gpu_worlds(t: ActorTopology | IslandTopology, count: int, dtype: str, path: str) -> Worlds:
    if back_end() == NUMBA:
        if path == SCHEDULED or isinstance(t, IslandTopology):
            raise UnsupportedError(f"numba-cuda, selected by {BACK_END}, has no {path!r} path; unset {BACK_END}")
        return NumbaCudaWorlds(t, count, dtype)
    try:
        return CudaWorlds(find_gpu(), t, count, dtype, path)
    except DeviceError as error:
        raise UnsupportedError(str(error)) from error


def _sleeps_independently(t: IslandTopology) -> bool:
    """Whether no other moving actor can keep an actor awake or wake it."""
    return not any(actor.sleeping for actor in t.actors) or (len(t.actors) == 1 and not t.kinematic)
