"""The device that worlds are on."""

from __future__ import annotations

import logging

from physx_runtime.collision.contact_table import ContactTable
from physx_runtime.collision.fixed_pairs import fixed_pairs
from physx_runtime.model.island import IslandTopology
from physx_runtime.model.topology import ActorTopology, BodyTopology
from physx_runtime.targets.cuda import BACK_END, NUMBA, back_end, find_gpu
from physx_runtime.targets.cuda_driver import DeviceError
from physx_runtime.worlds.by_joint import ByJointWorlds
from physx_runtime.worlds.choice import choose_path
from physx_runtime.worlds.contact import ContactWorlds
from physx_runtime.worlds.cuda import CudaWorlds
from physx_runtime.worlds.grounded import GroundedWorlds
from physx_runtime.worlds.handover import HandoverWorlds
from physx_runtime.worlds.island import IslandWorlds
from physx_runtime.worlds.numba_cuda import NumbaCudaWorlds
from physx_runtime.worlds.path import AUTO, BY_JOINT, SPECIALISED
from physx_runtime.worlds.specialised import SpecialisedWorlds
from physx_runtime.worlds.store import Worlds
from physx_schema.errors import UnsupportedError

DTYPES = ("float32", "float64")
AUTO_DEVICE = "auto"        # a GPU where there is one that steps this, else the CPU
DEVICES = ("cpu", "cuda", AUTO_DEVICE)

logger = logging.getLogger("physx_runtime")


def make_worlds(t: ActorTopology | IslandTopology, count: int, device: str, dtype: str, path: str = AUTO,
                contacts: ContactTable | None = None) -> Worlds:
    """Worlds on a device, stepped along a path; with contacts where an island has colliders that can touch.

    "auto" is "cuda", or "cpu" where that cannot be, which the log "physx_runtime" says with the reason.

    Raises ValueError for another device, dtype or path, UnsupportedError where CUDA is not installed or finds no GPU,
    and where the device does not have the path.
    """
    if dtype not in DTYPES:
        raise ValueError(f"dtype is {dtype!r}; allowed are {', '.join(DTYPES)}")
    if device not in DEVICES:
        raise ValueError(f"device is {device!r}; allowed are {', '.join(map(repr, DEVICES))}")
    if device == AUTO_DEVICE:
        try:
            return make_worlds(t, count, "cuda", dtype, path, contacts)
        except UnsupportedError as error:
            logger.warning("device 'auto' takes the CPU: %s", error)
            return make_worlds(t, count, "cpu", dtype, path, contacts)
    chosen = choose_path(t, device, path).path
    if isinstance(t, IslandTopology) and contacts is not None:
        alone = not t.pgs and not t.sapien and not t.links_held_last and _rests_by_itself(t)
        fixed = fixed_pairs(contacts, count) if alone else None
        return ContactWorlds(t, count, dtype, contacts) if fixed is None else GroundedWorlds(t, count, dtype, fixed)
    if device == "cuda":
        return _on_gpu(t, count, dtype, chosen)
    if isinstance(t, IslandTopology):
        return IslandWorlds(t, count, dtype)
    if chosen == SPECIALISED or isinstance(t, BodyTopology):
        return SpecialisedWorlds(t, count, dtype)
    return ByJointWorlds(t, count, dtype) if chosen == BY_JOINT else HandoverWorlds(t, count, dtype)


def _on_gpu(t: ActorTopology | IslandTopology, count: int, dtype: str, path: str) -> Worlds:
    if back_end() == NUMBA:
        if path == BY_JOINT or isinstance(t, IslandTopology):
            raise UnsupportedError(f"numba-cuda, which {BACK_END} names, has no {path!r} path; leave that unset")
        return NumbaCudaWorlds(t, count, dtype)
    try:
        return CudaWorlds(find_gpu(), t, count, dtype, path)
    except DeviceError as error:
        raise UnsupportedError(str(error)) from error


def _rests_by_itself(t: IslandTopology) -> bool:
    """Whether nothing that moves can keep an actor awake or wake it but itself."""
    return not any(actor.sleeping for actor in t.actors) or (len(t.actors) == 1 and not t.kinematic)
