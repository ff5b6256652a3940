"""An actor of a scene: it is stepped with the others, under the iteration counts that they share in each world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.model.rows import lasting_rows
from physx_runtime.packing.actor import pack_actor
from physx_runtime.simulation.actor import Actor, Indices
from physx_runtime.simulation.answers import Answers
from physx_runtime.simulation.parameter_values import chosen_worlds
from physx_runtime.simulation.recording import spatial_velocities, velocities_after_step
from physx_runtime.simulation.standing import Standing
from physx_runtime.solver.batches import Counts
from physx_runtime.worlds.path import AUTO
from physx_schema.description.model import ActorDescription, Description
from physx_schema.description.solver_batches import SolverCounts

Array = NDArray[Any]


class LastStep:
    """What an actor's worlds were like before their last step, and whether they were put elsewhere since."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor
        self.before: dict[str, Array] = {}      # empty where no step was taken
        self.placed = np.ones(actor.worlds, dtype=np.bool_)

    def state_written(self, worlds: Indices) -> None:
        """Somebody set the state of the worlds with these indices."""
        self.placed[worlds] = True

    def about_to_step(self) -> None:
        """A step is to begin."""
        self.before = {name: self._actor.store.rows(name) for name in self._actor.model.state}

    def stepped(self) -> None:
        """A step was taken."""
        self.placed[:] = False


class SceneActor(Answers):
    """One articulation or free body of a `Scene`, in all its worlds: a `Simulation` that only the scene steps.

    iterations: under which counts it is solved in the first world, and whose they are. Raises UnsupportedError where
    the step does not handle it, ValueError for an argument out of range.
    """

    def __init__(self, description: Description, actor: ActorDescription, worlds: int = 1, *, dt: float = 1 / 60,
                 device: str = "cpu", dtype: str = "float32", solver: str = "physx", path: str = AUTO,
                 sleeping: bool = True) -> None:
        scene = description.scene_of(actor)
        model = pack_actor(actor, scene, solver)
        super().__init__(model, worlds, dt=dt, device=device, dtype=dtype, solver=solver, path=path, sleeping=sleeping)
        own = actor.position_iterations, actor.velocity_iterations
        self.iterations = SolverCounts(actor.path, *own, actor.path, actor.path, own)
        self._counts: Counts = [(self.iterations, np.arange(self.worlds))]
        rests = sleeping and solver != "ideal" and scene.sleeping and not self.topology.moving_links
        self._standing = Standing(self.worlds) if rests else None
        self._last = LastStep(self)
        self.watch(self._last)

    def step(self, count: int = 1) -> None:
        """Raises RuntimeError: an actor moves with its scene."""
        raise RuntimeError(f"{self.model.actor.path} is an actor of a scene; step the scene")

    # --- what its scene does -----------------------------------------------------------------------------------------

    def take(self, counts: Counts) -> None:
        """Be solved under these counts from now on, each world under those that it is listed with."""
        self._counts = counts
        if counts[-1][0] != self.iterations:
            self._solve_under(counts[-1][0])

    def solve(self, steps: int) -> None:
        """Advance all worlds by so many steps."""
        super().step(steps)
        if self._standing is not None:
            self._standing.step(self.dt, steps)

    def _solve_under(self, counts: SolverCounts) -> None:
        self.iterations = counts
        self.set_iterations(counts.position, counts.velocity)

    def _step_worlds(self, count: int) -> None:
        if len(self._counts) == 1:
            super()._step_worlds(count)
            return
        for _ in range(count):
            self._step_apart(self._counts)

    def _step_apart(self, counts: Sequence[tuple[SolverCounts, Indices]]) -> None:
        """A step under counts that differ: all worlds take one under each of them, and keep that under their own."""
        before = {name: self.store.rows(name) for name in lasting_rows(self.topology)}
        after = {name: rows.copy() for name, rows in before.items()}
        for own, worlds in counts:
            for name, rows in before.items():
                self.store.write(name, rows)
            self._solve_under(own)
            super()._step_worlds(1)
            for name, rows in after.items():
                rows[worlds] = self.store.rows(name)[worlds]
        for name, rows in after.items():
            self.store.write(name, rows)

    # --- as of a simulation ------------------------------------------------------------------------------------------

    @property
    def before(self) -> dict[str, Array]:
        """The state of every world before the last step, that now where none was taken; row name -> (n_world, n)."""
        return self._last.before or self.state()

    @property
    def link_velocity(self) -> Array:
        """World velocities of the links, (n_world, n_link, 6), linear at the centre of mass, then angular.

        Those of a fixed base are as PhysX holds them after a step, until the state is set.
        """
        model, now = self._values.model_of_worlds(), self.state()
        velocity = spatial_velocities(model, now)
        if self.topology.fixed_base and not self._last.placed.all():
            held = velocities_after_step(model, self._last.before, now["v"], self.dt)
            velocity = np.where(self._last.placed[:, None, None], velocity, held)
        return velocity.astype(self.dtype)

    @property
    def asleep(self) -> NDArray[np.bool_]:
        """(n_world,) which worlds rest until something wakes them, and give their counts to nobody."""
        return super().asleep if self._standing is None else self._standing.asleep

    def wake(self, worlds: ArrayLike | None = None) -> None:
        """As `Simulation.wake`."""
        super().wake(worlds)
        if self._standing is not None:
            self._standing.wake(chosen_worlds(worlds, self.worlds))

    def reset(self, worlds: ArrayLike | None = None, **start: Any) -> None:
        """As `Simulation.reset`."""
        super().reset(worlds, **start)
        if self._standing is not None:
            self._standing.wake(chosen_worlds(worlds, self.worlds))
