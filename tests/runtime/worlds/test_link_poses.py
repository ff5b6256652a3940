"""Links are where PhysX has them when collision detection is asked for the first time, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime.collision.patches import LINK
from physx_runtime.dynamics import rounded
from physx_runtime.dynamics import spatial as sp
from physx_runtime.packing.island import PackedIsland
from physx_runtime.packing.mass_frames import mass_frame
from physx_runtime.packing.scene import everything
from physx_runtime.solver.settings import solver_settings
from physx_runtime.worlds.contact.worlds import ContactWorlds
from support.recorded.link_poses import SEEDS, recorded, text
from support.stages.robots import described

from physx_schema.description.model import Articulation

Array = NDArray[Any]


def packed(seed: int) -> PackedIsland:
    return everything(described(text(seed)), "physx").islands[0]


def robot_of(island: PackedIsland) -> Articulation:
    (model,) = island.actors.values()
    assert isinstance(model.actor, Articulation)
    return model.actor


def mass_frames_at_start(island: PackedIsland, dtype: str, worlds: int = 1) -> Array:
    """(n_world, n_link, 7) float32, as collision detection is handed them in the first step."""
    assert island.contacts is not None
    made = ContactWorlds(island.topology, worlds, dtype, island.contacts.of_worlds(worlds))
    (model,) = island.actors.values()
    times = {f"actor0_{name}": value for name, value in solver_settings("physx", model).rows(1 / 60).items()}
    for name, values in {**island.parameters, **island.state, **times}.items():
        if f"{name}_0" in made.layout:
            made.write(name, np.repeat(np.atleast_1d(np.asarray(values, dtype))[None], worlds, axis=0))
    made.step(1, 4, 1)
    places = made.table.places
    links = np.flatnonzero(places["kind"] == LINK)
    return made.poses[links[np.lexsort((places["link"][links], places["world"][links]))]].reshape(worlds, -1, 7)


def prims_of(robot: Articulation, poses: Array) -> Array:
    """Poses of prims by links' names, from those of mass frames (PxTransform, getInverse and operator *)."""
    found = {}
    for link, pose in zip(robot.links, poses, strict=True):
        place, axes = mass_frame(link)
        back = sp.conjugate(axes)
        inverse = rounded.rotated(back, [-x for x in place])
        found[link.path] = [*sp.add(rounded.rotated(pose[3:], inverse), tuple(pose[:3])),
                            *rounded.multiplied(pose[3:], back)]
    return np.array([found[path] for path in sorted(found)])


def same_bits(ours: Array, real: Array) -> Array:
    """(n_link,) whether poses are equal; a rotation is that of the opposite quaternion too."""
    turned = np.array([np.array_equal(a, b) or np.array_equal(a, -b) for a, b in zip(
        ours[:, 3:], real[:, 3:], strict=True)])
    return np.asarray((ours[:, :3] == real[:, :3]).all(axis=1) & turned)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("seed", SEEDS)
def test_links_start_where_physx_has_them_to_the_last_bit(seed: int, dtype: str) -> None:
    island = packed(seed)
    poses = mass_frames_at_start(island, dtype)[0]
    assert same_bits(prims_of(robot_of(island), poses), recorded(seed)).all()


def test_recorded_robots_have_joints_of_every_kind_in_either_direction() -> None:
    joints = [link.joint for seed in SEEDS for link in robot_of(packed(seed)).links if link.joint is not None]
    assert {joint.kind for joint in joints if not joint.reversed} == {
        "revolute", "prismatic", "spherical", "d6", "fixed"}
    assert {joint.kind for joint in joints if joint.reversed} == {"revolute", "prismatic", "spherical", "d6", "fixed"}
    assert all(any(len(joint.dofs) == count for joint in joints if joint.kind == "d6") for count in (1, 2, 3))


def test_every_world_of_a_batch_starts_with_the_bits_of_one() -> None:
    island = packed(SEEDS[0])
    batch = mass_frames_at_start(island, "float32", 3)
    assert (batch == mass_frames_at_start(island, "float32")).all()
