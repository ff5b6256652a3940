"""`SceneActorGroup` is an `ActorGroup` in a scene, solved under iteration counts that can differ between worlds. It
knows the islands of its actors. `LastStep` keeps the state before the last step, from which PhysX's velocities of a
fixed base follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import Array, Indices
from physx_runtime.packing.frames import Frame, compose, inverse_frame
from physx_runtime.packing.frames import root_frame_in_link as authored_place
from physx_runtime.packing.model import PackedModel
from physx_runtime.simulation.actor_group import ActorGroup
from physx_runtime.simulation.island_group import IslandGroup
from physx_runtime.simulation.recording import spatial_velocities, velocities_after_step, world_link_poses
from physx_runtime.simulation.world_batch import ImmobileActors, WorldBatch
from physx_runtime.solver.batches import Counts
from physx_schema.description.scenes import SolverCounts

Membership = tuple[IslandGroup, int]


class LastStep:
    """The state of each world before its last step, and whether the state was set since."""

    def __init__(self, group: ActorGroup) -> None:
        self._group = group
        self.before: dict[str, Array] = {}      # of fixed bases, empty where no step was taken
        self.state_was_set = np.ones(group.batch.count, dtype=np.bool_)

    def about_to_step(self) -> None:
        """Keep the state before a step."""
        self.before = {name: self._group.store.rows(name) for name in self._group.models[0].state}

    def stepped(self) -> None:
        """Mark all states as those of a step."""
        self.state_was_set[:] = False


class SceneActorGroup(ActorGroup):
    """Actors of one structure in a batch that only a scene steps.

    Arguments as of `ActorGroup`; membership: their group of islands, and their index among the actors there.
    """

    def __init__(self, models: Sequence[PackedModel], batch: WorldBatch, solver: str, sleeping: bool = True,
                 prefix: str = "", membership: Membership | None = None) -> None:
        self._membership = membership
        super().__init__(models, batch, solver, sleeping, prefix)
        self.iterations = [_counts_of(model) for model in self.models]     # of the first world, and whose they are
        self.last = LastStep(self)
        if self.topology.tree.fixed_base:       # of others velocities are those of the state
            batch.watch(self.last)
        can_sleep = self._sleeping and models[0].scene.sleeping and not self.topology.tree.moving_links
        self.immobile = ImmobileActors(batch.count) if can_sleep else None
        if self.immobile is not None:
            batch.add_immobile(self.immobile)

    @property
    def asleep(self) -> NDArray[np.bool_]:
        """Mask (n_lane,) of sleeping worlds. They contribute no iteration counts."""
        return super().asleep if self.immobile is None else self.immobile.asleep

    def root_offset_changed(self, index: int, root_offset: Frame) -> None:
        """As `ActorGroup.root_offset_changed`; joints and colliders keep their frames in the root link."""
        if self._membership is not None:
            islands, actor = self._membership
            islands.move_root_frame(index, actor, compose(
                inverse_frame(root_offset), authored_place(self.models[index].actor)))

    def contact_impulses(self) -> Array | None:
        """As `ActorGroup.contact_impulses`, from the islands with contacts."""
        if self._membership is None:
            return None
        islands, actor = self._membership
        return islands.contact_impulses(actor, len(self.topology.tree.links))

    def acting_on(self, index: int) -> Iterable[str]:
        """What acts on the actor at `index` outside its own dynamics, a line each."""
        if self._membership is None:
            return ()
        islands, index_in_island = self._membership
        return islands.acting_on(index, index_in_island)

    @property
    def asleep_by_world(self) -> NDArray[np.bool_]:
        """`asleep` by actor and world, (n_actor, n_world)."""
        return self.asleep.reshape(-1, self.batch.worlds)

    @property
    def sleepless(self) -> str:
        """The reason why its worlds never fall asleep; "" where they do, as immobile actors do."""
        return super().sleepless if self.immobile is None else ""

    def put_to_sleep(self, index: int, worlds: Indices) -> None:
        """As `ActorGroup.put_to_sleep`."""
        super().put_to_sleep(index, worlds)
        if self.immobile is not None:
            self.immobile.put_to_sleep(index * self.batch.worlds + worlds)

    def set_counts(self, counts: Sequence[Counts]) -> None:
        """Set the iteration counts of every actor from now on, world by world.

        Sleeping actors keep their settings.
        """
        for index, actor_counts in enumerate(counts):
            asleep = self.asleep_by_world[index]
            for shared, worlds in actor_counts:
                self.batch.set_settings(index, self.settings[index].with_counts(shared.position, shared.velocity),
                                        worlds[~asleep[worlds]])
                self.iterations[index] = shared

    def reset(self, worlds: Indices) -> Indices:
        """As `ActorGroup.reset`."""
        indices = super().reset(worlds)
        if self.immobile is not None:
            self.immobile.wake(indices)
        return indices

    def link_pose(self) -> Array:
        """World poses of the links, (n_lane, n_link, 7): position, quaternion x y z w."""
        return world_link_poses(self.model_of_batch(), self.state()).astype(self.batch.dtype)

    def link_velocity(self) -> Array:
        """World velocities of the links, (n_lane, n_link, 6), linear at the centre of mass, then angular."""
        velocity = link_velocities(self.model_of_batch(), self.state(), self.last, slice(None), self.batch.dt)
        return velocity.astype(self.batch.dtype)


def link_velocities(model: PackedModel, now: dict[str, Array], last: LastStep, span: slice, dt: float) -> Array:
    """World velocities of the links of some lanes, (n, n_link, 6), whose states these are.

    Velocities of a fixed base are PhysX's cached ones of the last step, until the state is set.
    """
    velocity, was_set = spatial_velocities(model, now), last.state_was_set[span]
    if model.topology.tree.fixed_base and not was_set.all():
        before = {name: rows[span] for name, rows in last.before.items()}
        stepped_velocity = velocities_after_step(model, before, now["v"], dt)
        velocity = np.where(was_set[:, None, None], velocity, stepped_velocity)
    return velocity


def _counts_of(model: PackedModel) -> SolverCounts:
    counts = model.position_iterations, model.velocity_iterations
    return SolverCounts(model.actor.path, *counts, model.actor.path, model.actor.path, counts)
