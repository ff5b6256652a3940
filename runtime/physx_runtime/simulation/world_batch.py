"""`WorldBatch` steps worlds of several actors or islands with equal structure, stored one after another in one buffer.
`ImmobileActors` counts down the wake counter of articulations that cannot move, as PhysX does. `StepChunks` splits many
steps into calls of about 0.1 s, so that Ctrl-C is handled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import Indices
from physx_runtime.collision.pair_table import ContactTable
from physx_runtime.model.island import IslandTopology
from physx_runtime.model.island_rows import INPUT_MAKERS, OUTPUT_MAKERS, island_rows
from physx_runtime.model.row_specs import PERSISTENT, STATE, TIME, RowKey, rows_by_maker
from physx_runtime.model.topology import ActorTopology
from physx_runtime.simulation.arguments import required_count, required_time
from physx_runtime.simulation.divergence import DivergenceReport
from physx_runtime.simulation.reset import StepWatcher
from physx_runtime.solver.divergence import DIVERGED
from physx_runtime.solver.settings import SolverSettings
from physx_runtime.solver.sleep import WAKE_TIME
from physx_runtime.targets.command_table import CommandTable, RowRecords
from physx_runtime.worlds.buffer import BufferView
from physx_runtime.worlds.choice import make_worlds
from physx_runtime.worlds.contact.worlds import ContactStore, ContactWorlds
from physx_runtime.worlds.gpu.worlds import CudaWorlds, step_by_counts
from physx_runtime.worlds.static_contact.worlds import StaticContactWorlds
from physx_runtime.worlds.store import AUTO, FollowingWorlds, Worlds, copy_rows
from physx_schema.errors import UnsupportedError


class ImmobileActors:
    """Wake counters of an articulation without movable links. It is not stepped, but contributes iteration counts to
    its island or scene until it sleeps."""

    def __init__(self, worlds: int) -> None:
        self.asleep = np.zeros(worlds, dtype=np.bool_)
        self._counter = np.full(worlds, WAKE_TIME, dtype=np.float32)    # s, of float32 as in PhysX

    def wake(self, worlds: NDArray[np.int64]) -> None:
        """Set the wake counter in worlds with these indices."""
        self.asleep[worlds], self._counter[worlds] = False, WAKE_TIME

    def put_to_sleep(self, worlds: NDArray[np.int64]) -> None:
        """Put worlds with these indices to sleep."""
        self.asleep[worlds], self._counter[worlds] = True, 0.0

    def step(self, dt: float, count: int) -> None:
        """Count down by `count` steps of dt [s]."""
        for _ in range(count):
            if self.asleep.all():
                return
            self.asleep = ~(self._counter > 0.0)
            self._counter = np.maximum(self._counter - np.float32(dt), np.float32(0.0))


CALL_TIME = 0.1         # s that a call should take; its own cost is some microseconds
FIRST_CHUNK = 16              # steps, before anything is known of their time
MAX_GROWTH = 8              # times the steps of one call that the next may have


class StepChunks:
    """Number of steps per call, from the time of the calls before; at most `size`."""

    def __init__(self) -> None:
        self.size = FIRST_CHUNK

    def of(self, count: int) -> Iterator[int]:
        """Chunks of a count of steps; each is taken before the next is drawn."""
        while count > 0:
            chunk = min(count, self.size)
            start = perf_counter()
            yield chunk
            elapsed = perf_counter() - start
            if chunk == self.size or elapsed > CALL_TIME:
                self.size = max(1, int(chunk * min(MAX_GROWTH, CALL_TIME / max(elapsed, 1e-9))))
            count -= chunk




class BatchClient(Protocol):
    """A user of rows of a batch."""

    def report_diverged(self) -> None:
        """Warn about worlds that diverged since the last call."""

    def store_replaced(self) -> None:
        """Called after the rows moved to another buffer."""

    def can_sleep(self, index: int) -> NDArray[np.bool_]:
        """Mask (n_world,) of worlds in which the actor at `index` is below its sleep threshold."""

    def put_to_sleep(self, index: int, worlds: Indices) -> None:
        """Put the actor at `index` to sleep in these worlds."""


class WorldBatch:
    """Worlds of several actors or islands with equal structure, stored one after another in one buffer.

    Args:
        topology: their structure.
        settings: solver settings of each of them.
        worlds, dt, device, dtype, path: as of `Simulation`.
        contacts: what can touch, of an island with contacts.

    Raises:
        ValueError: an argument out of range.
    """

    def __init__(self, topology: ActorTopology | IslandTopology, settings: Sequence[SolverSettings], worlds: int = 1, *,
                 dt: float = 1 / 60, device: str = "cpu", dtype: str = "float32", path: str = AUTO,
                 contacts: ContactTable | None = None) -> None:
        self.worlds, self.dt = required_count("worlds", worlds, 1), required_time(dt)
        self.topology, self.dtype, self._device, self._path = topology, dtype, device, path
        self.settings = list(settings)      # of the first world, where they differ
        self.count = len(self.settings) * self.worlds
        self.reports: list[list[DivergenceReport]] = [[] for _ in self.settings]    # of all that is at each place
        self._iterations = np.repeat([_counts(item) for item in self.settings], self.worlds, axis=0)      # (n_lane, 2)
        self._contacts, self._chunks = contacts, StepChunks()
        self.store: Worlds = make_worlds(topology, self.count, device, dtype, path, contacts)
        self.steps_taken = 0
        self._watchers: list[StepWatcher] = []
        self._watchers_of_next: list[StepWatcher] = []      # of the next step alone
        self._clients: list[BatchClient] = []
        self._immobile: list[ImmobileActors] = []
        self.diverged = False               # whether something in the lanes has, as far as is seen without being asked
        # A layout, and its rows that hold the divergence flags.
        self._diverged_rows: tuple[Mapping[str, int], Indices] = {}, np.zeros(0, np.int64)
        self._time_outdated = True
        self.write_time()

    def slice_of(self, index: int) -> slice:
        """The slice of the buffer that holds the actor or island at `index`."""
        return slice(index * self.worlds, (index + 1) * self.worlds)

    def indices_of(self, worlds: Indices) -> Indices:
        """Indices in the buffer of these worlds, of every actor or island."""
        return np.asarray((np.arange(len(self.settings))[:, None] * self.worlds + worlds).ravel())

    # --- rows --------------------------------------------------------------------------------------------------------

    def add_client(self, client: BatchClient) -> None:
        """Notify a client of changes to the batch from now on."""
        self._clients.append(client)

    def add_immobile(self, immobile: ImmobileActors) -> None:
        """Count down the wake counters of immobile actors from now on."""
        self._immobile.append(immobile)

    def view(self, index: int, prefix: str = "") -> Worlds | BufferView:
        """The rows that begin with a prefix, of the worlds at `index`."""
        is_whole_store = len(self.settings) == 1 and not prefix
        return self.store if is_whole_store else BufferView(self.store, index * self.worlds, self.worlds, prefix)

    def view_all(self, prefix: str) -> Worlds | BufferView:
        """The rows that begin with a prefix, of all worlds in the buffer."""
        return BufferView(self.store, 0, self.count, prefix) if prefix else self.store

    def replace_topology(self, topology: ActorTopology | IslandTopology) -> None:
        """Step by the code of another structure from now on, which has at least the same rows; all of them stay."""
        before, self.topology = (self.store, self.topology), topology
        self.store = make_worlds(topology, self.count, self._device, self.dtype, self._path, self._contacts)
        if isinstance(self.store, CudaWorlds) and isinstance(before[0], CudaWorlds):
            self.store.stream = before[0].stream
            self.store.copy_from(before[0], rows_by(before[1]))
        else:
            copy_rows(before[0], rows_by(before[1]), self.store)
        for kind in (ContactWorlds, StaticContactWorlds):
            if isinstance(self.store, kind) and isinstance(before[0], kind):
                self.store.continue_from(before[0])     # type: ignore[arg-type]
        for client in self._clients:
            client.store_replaced()

    # --- the time step and the iterations ----------------------------------------------------------------------------

    def set_time_step(self, dt: float) -> None:
        """Step by another time [s] from now on. Raises ValueError for one that is not positive and finite."""
        self.dt, self._time_outdated = required_time(dt), True
        self.write_time()

    def set_settings(self, index: int, settings: SolverSettings, worlds: Indices | None = None) -> None:
        """Set solver settings of these worlds at `index`, all where None; used from the next `write_time` on."""
        indices = np.arange(self.count)[self.slice_of(index)][slice(None) if worlds is None else worlds]
        self.settings[index], self._iterations[indices], self._time_outdated = settings, _counts(settings), True

    @property
    def iterations(self) -> Indices:
        """Position and velocity iteration counts, (n_lane, 2)."""
        return self._iterations

    def write_time(self) -> None:
        """Write the rows that follow from the time step and the iteration counts, where one of them changed."""
        if not self._time_outdated:
            return
        self._time_outdated = False
        counts, which = np.unique(self._iterations, axis=0, return_inverse=True)
        self._by_counts = [(int(n), int(v), np.flatnonzero(which.ravel() == i)) for i, (n, v) in enumerate(counts)]
        rows = [replace(self.settings[0], position_iterations=n, velocity_iterations=v).rows(self.dt)
                for n, v, _ in self._by_counts]
        for name in rows_by(self.topology, TIME):
            field = RowKey.parse(name).field
            values = np.array([row_values[field] for row_values in rows], dtype=self.dtype)
            self.store.write(name, values[which.ravel()][:, None])

    # --- stepping ----------------------------------------------------------------------------------------------------

    def watch(self, watcher: StepWatcher) -> None:
        """Notify a watcher of every step from now on."""
        self._watchers.append(watcher)

    def watch_next(self, watcher: StepWatcher) -> None:
        """Notify a watcher of the next step only, before all other watchers."""
        if watcher not in self._watchers_of_next:
            self._watchers_of_next.append(watcher)

    def put_to_sleep(self, index: int, worlds: Indices) -> None:
        """Put all at `index` to sleep in those of these worlds where all its clients can sleep.

        With contacts each actor below its threshold sleeps by itself and then follows its island.
        """
        if self._contacts is not None:
            for client in self._clients:
                client.put_to_sleep(index, worlds[client.can_sleep(index)[worlds]])
            return
        can_sleep = np.all([client.can_sleep(index) for client in self._clients], axis=0)
        for client in self._clients:
            client.put_to_sleep(index, worlds[can_sleep[worlds]])

    def step(self, count: int) -> None:
        """Advance every world by `count` steps of dt."""
        self._advance_watched(count, self._step)

    def follow(self, table: CommandTable, records: RowRecords, count: int) -> None:
        """Advance every world by `count` steps along a table of commands.

        Raises UnsupportedError for worlds that cannot follow one, ValueError for different iteration counts.
        """
        store = self.store
        if not isinstance(store, FollowingWorlds):
            raise UnsupportedError(f"device {self._device!r} cannot follow a table of commands; create the Simulation "
                                   "with device='cpu', or set the commands step by step")
        if len(self._by_counts) > 1:
            raise ValueError("the worlds have different iteration counts; follow needs equal counts in all worlds")
        n, v, _ = self._by_counts[0]
        first = 0

        def follow_steps(steps: int) -> None:
            nonlocal first
            for chunk in (steps,) if steps <= self._chunks.size else self._chunks.of(steps):
                store.follow(table, records, first, chunk, n, v)
                self.steps_taken += chunk
                first += chunk

        self._advance_watched(count, follow_steps)

    def _advance_watched(self, count: int, take_steps: Callable[[int], None]) -> None:
        """Advance by steps, and let watchers see the first and the last one by themselves."""
        is_watched = bool(self._watchers or self._watchers_of_next)
        for chunk in [1, count - 2, 1] if is_watched and count > 2 else [1] * count if is_watched else [count]:
            if chunk:
                self._advance(chunk, take_steps)
        self.diverged = self.store.is_host_memory and self._any_diverged()
        for client in self._clients if self.diverged else ():
            client.report_diverged()
        for immobile in self._immobile:
            immobile.step(self.dt, count)

    def _any_diverged(self) -> bool:
        """Whether one of the actors has; thousands of them ask for themselves only then."""
        blocks, layout = self.store.blocks()
        if layout is not self._diverged_rows[0]:
            rows = [row for name, row in layout.items() if name.endswith(f"{DIVERGED}_0")]
            self._diverged_rows = layout, np.array(rows, np.int64)
        return bool(blocks[:, self._diverged_rows[1]].max(initial=0.0) > 0.5)

    def _advance(self, count: int, take_steps: Callable[[int], None]) -> None:
        watchers, self._watchers_of_next = [*self._watchers_of_next, *self._watchers], []
        for watcher in watchers:
            watcher.about_to_step()
        take_steps(count)
        for watcher in watchers:
            watcher.stepped()

    def _step(self, count: int) -> None:
        if len(self._by_counts) == 1:
            n, v, _ = self._by_counts[0]
            unchunked = count <= self._chunks.size or not self.store.is_host_memory  # a GPU's steps are calls already
            for chunk in (count,) if unchunked else self._chunks.of(count):
                self.store.step(chunk, n, v)
                self.steps_taken += chunk
            return
        for _ in range(count):
            if isinstance(self.store, ContactStore):      # else contacts would be generated for each of the counts
                self.store.step_under(self._iterations)
            else:
                self._step_separately()
            self.steps_taken += 1

    def _step_separately(self) -> None:
        """A step under counts that differ: all lanes take one under each of them, and keep that under their own."""
        if isinstance(self.store, CudaWorlds):
            step_by_counts(self.store, [*rows_by(self.topology, STATE, PERSISTENT)], self._by_counts)
            return
        before = {name: self.store.rows(name) for name in rows_by(self.topology, STATE, PERSISTENT)}
        after = {name: rows.copy() for name, rows in before.items()}
        for n, v, indices in self._by_counts:
            for name, rows in before.items():
                self.store.write(name, rows)
            self.store.step(1, n, v)
            for name, rows in after.items():
                rows[indices] = self.store.rows(name)[indices]
        for name, rows in after.items():
            self.store.write(name, rows)


def rows_by(t: ActorTopology | IslandTopology, *makers: str) -> dict[str, int]:
    """Size of every row of an actor or island by its makers; without makers, of all persistent and input rows."""
    makers = makers or (*OUTPUT_MAKERS, *INPUT_MAKERS)
    return island_rows(t, *makers) if isinstance(t, IslandTopology) else rows_by_maker(t, *makers)


def _counts(settings: SolverSettings) -> tuple[int, int]:
    return settings.position_iterations, settings.velocity_iterations
