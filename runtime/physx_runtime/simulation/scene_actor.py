"""`SceneActor` is an articulation or a free body that a `Scene` steps, with the interface of `Simulation` except
`step`. In each world it is solved under the iteration counts of its island or scene. It also gives the state before the
last step, and link velocities as PhysX holds them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.arrays import Array, Indices
from physx_runtime.packing.body import pack_actor
from physx_runtime.simulation.actor_group import as_stepped
from physx_runtime.simulation.answers import ActorView
from physx_runtime.simulation.parameters import world_indices
from physx_runtime.simulation.scene_actor_group import SceneActorGroup, link_velocities
from physx_runtime.simulation.world_batch import WorldBatch
from physx_runtime.solver.settings import solver_settings
from physx_schema.description.model import ActorDescription, Description
from physx_schema.description.scenes import SolverCounts


class SceneActor(ActorView):
    """One articulation or free body of a `Scene`, in all its worlds: a `Simulation` that only the scene steps."""

    def __init__(self, group: SceneActorGroup, index: int = 0) -> None:
        self._scene_group = group
        super().__init__(group, index)

    @classmethod
    def standalone(cls, description: Description, actor: ActorDescription, **settings: Any) -> SceneActor:
        """An actor in a buffer of its own, outside a scene; settings as of `Simulation`.

        Raises UnsupportedError where the step does not handle it, ValueError for an argument out of range.
        """
        solver, sleeping = settings.pop("solver", "physx"), settings.pop("sleeping", True)
        packed = pack_actor(actor, description.scene_of(actor), solver)
        model = as_stepped(packed, sleeping and solver != "ideal")
        batch = WorldBatch(model.topology, [solver_settings(solver, model)], **settings)
        return cls(SceneActorGroup([model], batch, solver, sleeping))

    def step(self, count: int = 1) -> None:
        """Raise RuntimeError; the scene steps its actors."""
        raise RuntimeError(f"{self.model.actor.path} is part of a scene and cannot be stepped alone; step the scene")

    @property
    def group(self) -> SceneActorGroup:
        """The group of actors that it is stepped with."""
        return self._scene_group

    @property
    def iterations(self) -> SolverCounts:
        """Its iteration counts in the first world, and the actor that raises them."""
        return self.group.iterations[self.index]

    def _state_changed(self, worlds: Indices) -> None:
        self.group.last.state_was_set[self.batch_indices(worlds)] = True
        super()._state_changed(worlds)

    # --- as of a simulation ------------------------------------------------------------------------------------------

    @property
    def before(self) -> dict[str, Array]:
        """The state of every world before the last step, or the current one before any; row name -> (n_world, n)."""
        span = self.group.batch_slice(self.index)
        return {name: rows[span] for name, rows in self.group.last.before.items()} or self.state()

    @property
    def link_velocity(self) -> Array:
        """World velocities of the links, (n_world, n_link, 6), linear at the centre of mass, then angular.

        Velocities of a fixed base are PhysX's cached ones of the last step, until the state is set.
        """
        span = self.group.batch_slice(self.index)
        return link_velocities(self.model_of_worlds(), self.state(), self.group.last, span, self.dt).astype(self.dtype)

    @property
    def asleep(self) -> NDArray[np.bool_]:
        """Mask (n_world,) of sleeping worlds. They contribute no iteration counts."""
        immobile = self.group.immobile
        return super().asleep if immobile is None else immobile.asleep[self.group.batch_slice(self.index)]

    def wake(self, worlds: ArrayLike | None = None) -> None:
        """As `Simulation.wake`."""
        super().wake(worlds)
        self._wake_immobile(worlds)

    def reset(self, worlds: ArrayLike | None = None, *, joint_position: ArrayLike | None = None,
              joint_velocity: ArrayLike | None = None, root_pose: ArrayLike | None = None,
              root_velocity: ArrayLike | None = None) -> None:
        """As `Simulation.reset`."""
        super().reset(worlds, joint_position=joint_position, joint_velocity=joint_velocity, root_pose=root_pose,
                      root_velocity=root_velocity)
        self._wake_immobile(worlds)

    def _wake_immobile(self, worlds: ArrayLike | None) -> None:
        if self.group.immobile is not None:
            self.group.immobile.wake(self.batch_indices(world_indices(worlds, self.worlds)))
