"""Actors of one structure, stepped by one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from physx_runtime.model.owners import owners
from physx_runtime.model.rows import input_rows, lasting_rows
from physx_runtime.model.topology import ActorTopology, BodyTopology
from physx_runtime.packing.model import PackedModel
from physx_runtime.simulation.arguments import required_count, required_time
from physx_runtime.simulation.divergence import DivergenceReport
from physx_runtime.simulation.row_values import checked_row, sound
from physx_runtime.simulation.watcher import StepWatcher
from physx_runtime.solver.divergence import DIVERGED
from physx_runtime.solver.settings import SOFTENING, SolverSettings, solver_settings
from physx_runtime.worlds.device import make_worlds
from physx_runtime.worlds.path import AUTO
from physx_runtime.worlds.share import Share
from physx_runtime.worlds.sleep import Waking
from physx_runtime.worlds.store import Worlds, copy_worlds

Array = NDArray[Any]
Indices = NDArray[np.int64]


class Member(Protocol):
    """What is stepped with its like, and told what happens to its worlds."""

    place: int
    divergence: DivergenceReport

    def work_on(self, store: Worlds | Share) -> None:
        """Have rows in this store from now on."""

    def reset_with_others(self, worlds: Indices) -> None:
        """Heed that everything that is stepped with it was put back to the authored state in these worlds."""

    def model_of_worlds(self) -> PackedModel:
        """The model, with the worlds' own parameters where they were set, (n, n_world)."""


class Alike:
    """All worlds of actors of one structure, lanes of one buffer: the worlds of the first, then those of the second.

    Args:
        models: what is stepped, of one topology.
        worlds, dt, device, dtype, solver, path, sleeping: as of `Simulation`.

    Raises:
        ValueError: an argument out of range, or an authored number that the step does not hold.
    """

    def __init__(self, models: Sequence[PackedModel], worlds: int = 1, *, dt: float = 1 / 60, device: str = "cpu",
                 dtype: str = "float32", solver: str = "physx", path: str = AUTO, sleeping: bool = True) -> None:
        self.worlds, self.dt = required_count("worlds", worlds, 1), required_time(dt)
        self.dtype, self.solver, self._device, self._path = dtype, solver, device, path
        self._sleepless = not sleeping or solver == "ideal"
        self._link_forces = self._tendon_impulses = False
        self.models = [self.adapted(model) for model in models]
        self.settings = [solver_settings(solver, model) for model in self.models]
        self.lanes = len(self.models) * self.worlds
        self._iterations = np.repeat([_counts(own) for own in self.settings], self.worlds, axis=0)      # (n_lane, 2)
        self.store: Worlds = make_worlds(self.topology, self.lanes, device, dtype, path)
        self.steps_taken = 0
        self.reported = np.zeros(self.lanes, dtype=np.bool_)        # worlds of which was said that they diverged
        self._actors: list[Member] = []
        self._model_of_lanes: PackedModel | None = None
        self._watchers: list[StepWatcher] = []
        self._take_models()
        self._time_outdated = True
        self.write_time()

    @property
    def topology(self) -> ActorTopology:
        """The structure that is stepped."""
        return self.models[0].topology

    def lanes_of(self, place: int) -> slice:
        """The lanes of the actor at a place."""
        return slice(place * self.worlds, (place + 1) * self.worlds)

    def adapted(self, model: PackedModel) -> PackedModel:
        """A model with the features that were switched on or off here."""
        sleeping = model.topology.sleeping and not self._sleepless
        topology = self._with_features(replace(model.topology, sleeping=sleeping))
        rows = input_rows(topology)
        return replace(model, topology=topology,
                       parameters={name: values for name, values in model.parameters.items() if name in rows})

    # --- rows --------------------------------------------------------------------------------------------------------

    def _take_models(self) -> None:
        """Write what the models author, in every world, awake but for bodies that are authored asleep."""
        for name in (*self.models[0].parameters, *self.models[0].state):
            values = np.stack([{**model.parameters, **model.state}[name] for model in self.models])
            if name in SOFTENING and not self.settings[0].softened:
                values = np.zeros_like(values)
            self.store.write(name, np.repeat(self._held(name, values), self.worlds, axis=0))
        self.start(np.arange(self.lanes))

    def _held(self, name: str, values: Array) -> Array:
        """Authored values of a row, (n_actor, n), as the step holds them; raises ValueError where it cannot."""
        array, right = sound(self.models[0], name, values, self.dtype)
        for i in np.flatnonzero(~right.all(axis=1)):
            model = self.models[i]
            found = owners(model.topology.tree, model.actor, model.scene)
            checked_row(model, found, name, values[i], np.arange(self.worlds), self.dtype)
        return array

    def start(self, lanes: Indices) -> None:
        """Begin lanes anew: awake, but for bodies that are authored asleep."""
        bodies = [model.actor.links[0].body for model in self.models]
        asleep = np.repeat([body is not None and body.starts_asleep for body in bodies], self.worlds)[lanes]
        waking = Waking(self.store, self.topology)
        waking.start(lanes[~asleep], False)
        waking.start(lanes[asleep], True)

    def reset(self, worlds: Indices) -> Indices:
        """Put worlds of every actor back to the authored state, and revive those that diverged; their lanes."""
        lanes = (np.arange(len(self.models))[:, None] * self.worlds + worlds).ravel()
        waking = Waking(self.store, self.topology)
        for name in self.models[0].state:
            authored = np.stack([model.state[name] for model in self.models])
            waking.write(name, np.repeat(self._held(name, authored), len(worlds), axis=0), lanes)
        flags, self.reported[lanes] = self.store.rows(DIVERGED), False
        flags[lanes] = 0.0
        self.store.write(DIVERGED, flags)
        self.start(lanes)
        for actor in self._actors:
            actor.reset_with_others(worlds)
        return lanes

    def parameters_written(self) -> None:
        """Heed that parameters of some actor are others now."""
        self._model_of_lanes = None

    def model_of_lanes(self) -> PackedModel:
        """The model of the first actor, with every lane's own parameters, (n, n_lane)."""
        if len(self._actors) == 1:
            return self._actors[0].model_of_worlds()
        if self._model_of_lanes is None:
            self._model_of_lanes = side_by_side([actor.model_of_worlds() for actor in self._actors], self.worlds)
        return self._model_of_lanes

    def heed_link_forces(self) -> None:
        """Step from now on by code that reads link forces, all rows staying as they are."""
        self._link_forces = True
        self._step_anew()

    def keep_tendon_impulses(self) -> None:
        """Leave what tendons give in a step for reports from now on, all rows staying as they are."""
        self._tendon_impulses = True
        self._step_anew()

    def _with_features(self, t: ActorTopology) -> ActorTopology:
        """A structure with the features that were switched on here."""
        if isinstance(t, BodyTopology):
            return replace(t, link_forces=self._link_forces)
        kept = self._tendon_impulses and bool(t.fixed_tendons or t.spatial_tendons)
        return replace(t, link_forces=self._link_forces, tendon_impulses=kept)

    def _step_anew(self) -> None:
        before, topology = self.store, self.topology
        if self._with_features(topology) == topology:
            return
        self.models = [replace(model, topology=self._with_features(topology)) for model in self.models]
        self.store = make_worlds(self.topology, self.lanes, self._device, self.dtype, self._path)
        copy_worlds(before, topology, self.store)
        for actor in self._actors:
            actor.work_on(self._share(actor.place))

    def join(self, actor: Member) -> Worlds | Share:
        """Tell an actor from now on of what happens to its worlds; what it works on."""
        self._actors.append(actor)
        return self._share(actor.place)

    def _share(self, place: int) -> Worlds | Share:
        return self.store if len(self.models) == 1 else Share(self.store, place * self.worlds, self.worlds)

    # --- the time step and the iterations ----------------------------------------------------------------------------

    def set_time_step(self, dt: float) -> None:
        """Step by another time [s] from now on. Raises ValueError for one that is not positive and finite."""
        self.dt, self._time_outdated = required_time(dt), True
        self.write_time()

    def solve_under(self, place: int, settings: SolverSettings, worlds: Indices | None = None) -> None:
        """Step these worlds of an actor under other settings, from the next `write_time` on; all where None."""
        lanes = np.arange(self.lanes)[self.lanes_of(place)][slice(None) if worlds is None else worlds]
        self.settings[place], self._iterations[lanes], self._time_outdated = settings, _counts(settings), True

    def write_time(self) -> None:
        """Write the rows that follow from the time step and the iteration counts, where one of them changed."""
        if not self._time_outdated:
            return
        self._time_outdated = False
        found, which = np.unique(self._iterations, axis=0, return_inverse=True)
        self._solved = [(int(n), int(v), np.flatnonzero(which.ravel() == i)) for i, (n, v) in enumerate(found)]
        rows = [replace(self.settings[0], position_iterations=n, velocity_iterations=v).rows(self.dt)
                for n, v, _ in self._solved]
        inputs = input_rows(self.topology)
        for name in rows[0].keys() & inputs.keys():
            values = np.array([own[name] for own in rows], dtype=self.dtype)
            self.store.write(name, values[which.ravel()][:, None])

    # --- stepping ----------------------------------------------------------------------------------------------------

    def watch(self, watcher: StepWatcher) -> None:
        """Tell somebody of every step that is taken from now on."""
        self._watchers.append(watcher)

    def step(self, count: int) -> None:
        """Advance every world by `count` steps of dt."""
        if self._watchers:              # who see the first and the last step by themselves
            for part in ([1, count - 2, 1] if count > 2 else [1] * count):
                self._advance(part)
        elif count:
            self._advance(count)
        if self.store.near:
            self.told_diverged()

    def _advance(self, count: int) -> None:
        for watcher in self._watchers:
            watcher.about_to_step()
        self._step_lanes(count)
        self.steps_taken += count
        for watcher in self._watchers:
            watcher.stepped()

    def _step_lanes(self, count: int) -> None:
        if len(self._solved) == 1:
            n, v, _ = self._solved[0]
            self.store.step(count, n, v)
            return
        for _ in range(count):
            self._step_apart()

    def _step_apart(self) -> None:
        """A step under counts that differ: all lanes take one under each of them, and keep that under their own."""
        before = {name: self.store.rows(name) for name in lasting_rows(self.topology)}
        after = {name: rows.copy() for name, rows in before.items()}
        for n, v, lanes in self._solved:
            for name, rows in before.items():
                self.store.write(name, rows)
            self.store.step(1, n, v)
            for name, rows in after.items():
                rows[lanes] = self.store.rows(name)[lanes]
        for name, rows in after.items():
            self.store.write(name, rows)

    def told_diverged(self) -> NDArray[np.bool_]:
        """(n_lane,) which worlds have diverged; warns about those not reported yet."""
        diverged = np.asarray(self.store.rows(DIVERGED)[:, 0] > 0.5)
        new = diverged & ~self.reported
        for place in np.unique(np.flatnonzero(new) // self.worlds) if new.any() else ():
            self._actors[place].divergence.flags()
        return diverged

    @property
    def asleep(self) -> NDArray[np.bool_]:
        """(n_lane,) which worlds rest until something wakes them."""
        return Waking(self.store, self.topology).asleep

    def state(self) -> dict[str, Array]:
        """The state of every lane, row name -> (n_lane, n), as model.rows."""
        if not self.store.near:       # else the step has told
            self.told_diverged()
        return {name: self.store.rows(name) for name in self.models[0].state}


def side_by_side(models: Sequence[PackedModel], worlds: int) -> PackedModel:
    """The first of models of one structure, with the parameters and link frames of all, (n, n_model x n_world)."""

    def lanes(values: Sequence[Any]) -> Array:
        """(n,) of all worlds of a model alike, or (n, n_world), side by side."""
        return np.concatenate([np.broadcast_to(np.reshape(x, (len(x), -1)), (len(x), worlds)) for x in values], axis=1)

    frames = [[lanes([m.link_frames[i][part] for m in models]) for part in (0, 1)]
              for i in range(len(models[0].link_frames))]
    return replace(models[0], parameters={name: lanes([m.parameters[name] for m in models])
                                          for name in models[0].parameters},
                   link_frames=tuple(((x[0], x[1], x[2]), (r[0], r[1], r[2], r[3])) for x, r in frames))


def _counts(settings: SolverSettings) -> tuple[int, int]:
    return settings.position_iterations, settings.velocity_iterations
