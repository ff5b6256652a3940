"""An actor of a scene: it is stepped with the others, under the iteration counts that they share in each world."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.packing.body import pack_actor
from physx_runtime.simulation.actor_group import as_stepped
from physx_runtime.simulation.answers import ActorView
from physx_runtime.simulation.parameters import chosen_worlds
from physx_runtime.simulation.scene_actor_group import Indices, SceneActorGroup, link_velocities
from physx_runtime.simulation.world_batch import WorldBatch
from physx_runtime.solver.settings import solver_settings
from physx_schema.description.model import ActorDescription, Description
from physx_schema.description.scenes import SolverCounts

Array = NDArray[Any]


class SceneActor(ActorView):
    """One articulation or free body of a `Scene`, in all its worlds: a `Simulation` that only the scene steps."""

    def __init__(self, alike: SceneActorGroup, place: int = 0) -> None:
        self._scene_alike = alike
        super().__init__(alike, place)

    @classmethod
    def alone(cls, description: Description, actor: ActorDescription, **settings: Any) -> SceneActor:
        """An actor that shares its buffer with no other; settings as of `Simulation`.

        Raises UnsupportedError where the step does not handle it, ValueError for an argument out of range.
        """
        solver, sleeping = settings.pop("solver", "physx"), settings.pop("sleeping", True)
        packed = pack_actor(actor, description.scene_of(actor), solver)
        model = as_stepped(packed, sleeping and solver != "ideal")
        lanes = WorldBatch(model.topology, [solver_settings(solver, model)], **settings)
        return cls(SceneActorGroup([model], lanes, solver, sleeping))

    def step(self, count: int = 1) -> None:
        """Raises RuntimeError: an actor moves with its scene."""
        raise RuntimeError(f"{self.model.actor.path} is an actor of a scene; step the scene")

    @property
    def alike(self) -> SceneActorGroup:
        """Where it is stepped."""
        return self._scene_alike

    @property
    def iterations(self) -> SolverCounts:
        """Under which counts it is solved in the first world, and whose they are."""
        return self.alike.iterations[self.place]

    def _state_written(self, worlds: Indices) -> None:
        self.alike.last.placed[self.lanes(worlds)] = True
        super()._state_written(worlds)

    # --- as of a simulation ------------------------------------------------------------------------------------------

    @property
    def before(self) -> dict[str, Array]:
        """The state of every world before the last step, that now where none was taken; row name -> (n_world, n)."""
        own = self.alike.lanes_of(self.place)
        return {name: rows[own] for name, rows in self.alike.last.before.items()} or self.state()

    @property
    def link_velocity(self) -> Array:
        """World velocities of the links, (n_world, n_link, 6), linear at the centre of mass, then angular.

        Those of a fixed base are as PhysX holds them after a step, until the state is set.
        """
        own = self.alike.lanes_of(self.place)
        return link_velocities(self.model_of_worlds(), self.state(), self.alike.last, own, self.dt).astype(self.dtype)

    @property
    def asleep(self) -> NDArray[np.bool_]:
        """(n_world,) which worlds rest until something wakes them, and give their counts to nobody."""
        standing = self.alike.standing
        return super().asleep if standing is None else standing.asleep[self.alike.lanes_of(self.place)]

    def wake(self, worlds: ArrayLike | None = None) -> None:
        """As `Simulation.wake`."""
        super().wake(worlds)
        self._stand_up(worlds)

    def reset(self, worlds: ArrayLike | None = None, **start: Any) -> None:
        """As `Simulation.reset`."""
        super().reset(worlds, **start)
        self._stand_up(worlds)

    def _stand_up(self, worlds: ArrayLike | None) -> None:
        if self.alike.standing is not None:
            self.alike.standing.wake(self.lanes(chosen_worlds(worlds, self.worlds)))
