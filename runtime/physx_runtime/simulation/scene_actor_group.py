"""Actors of one structure in a scene: solved under counts that differ, and known as they were before the last step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.packing.frames import Frame, compose, inverse_frame
from physx_runtime.packing.frames import root_place as authored_place
from physx_runtime.packing.model import PackedModel
from physx_runtime.simulation.actor_group import ActorGroup
from physx_runtime.simulation.island_group import IslandGroup
from physx_runtime.simulation.recording import spatial_velocities, velocities_after_step, world_link_poses
from physx_runtime.simulation.world_batch import ImmobileActors, WorldBatch
from physx_runtime.solver.batches import Counts
from physx_schema.description.scenes import SolverCounts

Array = NDArray[Any]
Indices = NDArray[np.int64]
Membership = tuple[IslandGroup, int]


class LastStep:
    """What lanes were like before their last step, and whether they were put elsewhere since."""

    def __init__(self, alike: ActorGroup) -> None:
        self._alike = alike
        self.before: dict[str, Array] = {}      # of fixed bases, empty where no step was taken
        self.placed = np.ones(alike.lanes.count, dtype=np.bool_)

    def about_to_step(self) -> None:
        """A step is to begin."""
        self.before = {name: self._alike.store.rows(name) for name in self._alike.models[0].state}

    def stepped(self) -> None:
        """A step was taken."""
        self.placed[:] = False


class SceneActorGroup(ActorGroup):
    """Actors of one structure in the places of lanes that only a scene steps.

    Arguments as of `ActorGroup`; membership: the islands that they are in, and which of the actors there they are.
    """

    def __init__(self, models: Sequence[PackedModel], lanes: WorldBatch, solver: str, sleeping: bool = True,
                 prefix: str = "", membership: Membership | None = None) -> None:
        self._membership = membership
        super().__init__(models, lanes, solver, sleeping, prefix)
        self.iterations = [_own_counts(model) for model in self.models]     # of the first world, and whose they are
        self.last = LastStep(self)
        if self.topology.tree.fixed_base:       # of others velocities are those of the state
            lanes.watch(self.last)
        rests = self._sleeping and models[0].scene.sleeping and not self.topology.tree.moving_links
        self.standing = ImmobileActors(lanes.count) if rests else None
        if self.standing is not None:
            lanes.stand(self.standing)

    @property
    def asleep(self) -> NDArray[np.bool_]:
        """(n_lane,) which worlds rest until something wakes them, and give their counts to nobody."""
        return super().asleep if self.standing is None else self.standing.asleep

    def root_moved(self, place: int, root_place: Frame) -> None:
        """As `ActorGroup.root_moved`: the joints that hold the root link stay where they are in it."""
        if self._membership is not None:
            islands, actor = self._membership
            islands.place_frames(place, actor, compose(
                inverse_frame(root_place), authored_place(self.models[place].actor)))

    def contact_impulses(self) -> Array | None:
        """As `ActorGroup.contact_impulses`; what touches shares its lanes with no other scene."""
        if self._membership is None:
            return None
        islands, actor = self._membership
        return islands.contact_impulses(actor, len(self.topology.tree.links))

    def acting_on(self, place: int) -> Iterable[str]:
        """What acts on the actor at a place beside its own dynamics, a line each."""
        if self._membership is None:
            return ()
        islands, actor = self._membership
        return islands.acting_on(place, actor)

    @property
    def resting(self) -> NDArray[np.bool_]:
        """`asleep` by actor and world, (n_actor, n_world)."""
        return self.asleep.reshape(-1, self.lanes.worlds)

    @property
    def sleepless(self) -> str:
        """Why its worlds never fall asleep; "" where they do, or stand until they count as asleep."""
        return super().sleepless if self.standing is None else ""

    def rest(self, place: int, worlds: Indices) -> None:
        """As `ActorGroup.rest`."""
        super().rest(place, worlds)
        if self.standing is not None:
            self.standing.rest(place * self.lanes.worlds + worlds)

    def take(self, counts: Sequence[Counts]) -> None:
        """Solve every actor under these counts from now on, each world under those that it is listed with.

        Whoever rests leaves its lanes to those that are awake in them.
        """
        for place, found in enumerate(counts):
            resting = self.resting[place]
            for own, worlds in found:
                self.lanes.solve_under(place, self.settings[place].under(own.position, own.velocity),
                                       worlds[~resting[worlds]])
                self.iterations[place] = own

    def reset(self, worlds: Indices) -> Indices:
        """As `ActorGroup.reset`."""
        lanes = super().reset(worlds)
        if self.standing is not None:
            self.standing.wake(lanes)
        return lanes

    def link_pose(self) -> Array:
        """World poses of the links, (n_lane, n_link, 7): position, quaternion x y z w."""
        return world_link_poses(self.model_of_lanes(), self.state()).astype(self.lanes.dtype)

    def link_velocity(self) -> Array:
        """World velocities of the links, (n_lane, n_link, 6), linear at the centre of mass, then angular."""
        found = link_velocities(self.model_of_lanes(), self.state(), self.last, slice(None), self.lanes.dt)
        return found.astype(self.lanes.dtype)


def link_velocities(model: PackedModel, now: dict[str, Array], last: LastStep, lanes: slice, dt: float) -> Array:
    """World velocities of the links of some lanes, (n, n_link, 6), whose states these are.

    Those of a fixed base are as PhysX holds them after a step, until the state is set.
    """
    velocity, placed = spatial_velocities(model, now), last.placed[lanes]
    if model.topology.tree.fixed_base and not placed.all():
        before = {name: rows[lanes] for name, rows in last.before.items()}
        held = velocities_after_step(model, before, now["v"], dt)
        velocity = np.where(placed[:, None, None], velocity, held)
    return velocity


def _own_counts(model: PackedModel) -> SolverCounts:
    own = model.position_iterations, model.velocity_iterations
    return SolverCounts(model.actor.path, *own, model.actor.path, model.actor.path, own)
