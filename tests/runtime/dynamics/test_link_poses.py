"""Links are where PhysX has them when collision detection is asked for the first time, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime.dynamics import rounded
from physx_runtime.dynamics import spatial as sp
from physx_runtime.model.body_kind import LINK
from physx_runtime.packing.island import PackedIsland
from physx_runtime.packing.mass_frames import mass_frame
from physx_runtime.packing.scene import pack_scene
from physx_runtime.solver.settings import solver_settings
from physx_runtime.solver.sleep import WAKE_REQUEST_WAKE
from physx_runtime.worlds.contact.worlds import ContactWorlds
from support.recorded.link_poses import SEEDS, recorded, text
from support.stages.robots import described

from physx_schema.description.model import Articulation

Array = NDArray[Any]


def packed(seed: int) -> PackedIsland:
    return pack_scene(described(text(seed)), "physx").islands[0]


def robot_of(island: PackedIsland) -> Articulation:
    (model,) = island.actors.values()
    assert isinstance(model.actor, Articulation)
    return model.actor


def worlds_of(island: PackedIsland, dtype: str, worlds: int = 1) -> ContactWorlds:
    """Worlds of an island at their start."""
    assert island.contacts is not None
    made = ContactWorlds(island.topology, worlds, dtype, island.contacts.of_worlds(worlds))
    (model,) = island.actors.values()
    times = {f"actor0_{name}": value for name, value in solver_settings("physx", model).rows(1 / 60).items()}
    for name, values in {**island.parameters, **island.state, **times}.items():
        if f"{name}_0" in made.layout:
            made.write(name, np.repeat(np.atleast_1d(np.asarray(values, dtype))[None], worlds, axis=0))
    return made


def mass_frames_at_start(island: PackedIsland, dtype: str, worlds: int = 1) -> Array:
    """(n_world, n_link, 7) float32, as collision detection is handed them in the first step."""
    made = worlds_of(island, dtype, worlds)
    made.step(1, 4, 1)
    return mass_frames_of_step(made)


def mass_frames_of_step(made: ContactWorlds) -> Array:
    """(n_world, n_link, 7) float32, as the last step began with them."""
    places = made.table.bodies
    links = np.flatnonzero(places["kind"] == LINK)
    return made.poses[links[np.lexsort((places["link"][links], places["world"][links]))]].reshape(made.count, -1, 7)


def cosines_at_balls(robot: Articulation, poses: Array) -> Array:
    """By link with a spherical joint: the cosine of half its turn from its parent, as their quaternions have it."""
    return np.array([poses[i, 3:] @ poses[link.parent, 3:] for i, link in enumerate(robot.links)
                     if link.joint is not None and (link.joint.kind == "spherical" or len(link.joint.dofs) > 1)])


def prims_of(robot: Articulation, poses: Array) -> Array:
    """Poses of prims by links' names, from those of mass frames (PxTransform, getInverse and operator *)."""
    found = {}
    for link, pose in zip(robot.links, poses, strict=True):
        place, axes = mass_frame(link)
        back = sp.conjugate(axes)
        inverse = rounded.rotate_generic(back, [-x for x in place])
        found[link.path] = [*sp.add(rounded.rotate_generic(pose[3:], inverse), tuple(pose[:3])),
                            *rounded.multiply_generic(pose[3:], back)]
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


def test_a_step_leaves_the_shorter_turn_between_links_at_spherical_joints() -> None:
    turned = 0
    for seed in SEEDS:
        island = packed(seed)
        robot, made = robot_of(island), worlds_of(island, "float32")
        made.step(1, 4, 1)
        start = cosines_at_balls(robot, mass_frames_of_step(made)[0])
        made.step(1, 4, 1)
        assert (cosines_at_balls(robot, mass_frames_of_step(made)[0]) >= 0.0).all()
        turned += int((start < 0.0).sum())
    assert turned, "no link starts with the longer turn"


def test_links_that_are_put_somewhere_have_the_turn_that_they_start_with() -> None:
    island = next(island for island in map(packed, SEEDS) if (
        cosines_at_balls(robot_of(island), mass_frames_at_start(island, "float32")[0]) < 0.0).any())
    robot, made = robot_of(island), worlds_of(island, "float32", 2)
    q = made.rows("actor0_q")
    made.step(2, 4, 1)
    q[0] = made.rows("actor0_q")[0]     # the second world is put back to its start
    made.write("actor0_q", q)
    made.write("actor0_wake_request", np.full((2, 1), WAKE_REQUEST_WAKE))
    made.step(1, 4, 1)
    stepped, put = mass_frames_of_step(made)
    assert (cosines_at_balls(robot, stepped) >= 0.0).all()
    assert (cosines_at_balls(robot, put) < 0.0).any()
    made.forget(np.array([0]))
    made.write("actor0_wake_request", np.full((2, 1), WAKE_REQUEST_WAKE))
    made.step(1, 4, 1)
    assert (cosines_at_balls(robot, mass_frames_of_step(made)[0]) < 0.0).any()
