"""Worlds that change from the by-joint path to the specialised one."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from numpy.typing import NDArray

from physx_runtime.model.topology import Topology
from physx_runtime.worlds.by_joint import ByJointWorlds
from physx_runtime.worlds.specialised import SpecialisedWorlds
from physx_runtime.worlds.store import EVERY_WORLD, copy_worlds

Array = NDArray[Any]


class HandoverWorlds:
    """Worlds that step along the by-joint path at once, and along the specialised one as soon as it is compiled.

    A thread compiles meanwhile; the worlds change over between two steps, whenever that is.
    """

    near = True

    def __init__(self, t: Topology, count: int, dtype: str) -> None:
        self._worlds: ByJointWorlds | SpecialisedWorlds = ByJointWorlds(t, count, dtype)
        self._coming: Future[SpecialisedWorlds] | None = Future()
        threading.Thread(target=self._compile, args=(self._coming, t, count, dtype), daemon=True).start()

    @staticmethod
    def _compile(coming: Future[SpecialisedWorlds], t: Topology, count: int, dtype: str) -> None:
        try:
            coming.set_result(SpecialisedWorlds(t, count, dtype))
        except BaseException as error:      # the next step raises it
            coming.set_exception(error)

    @property
    def path(self) -> str:
        return self._worlds.path

    @property
    def count(self) -> int:
        return self._worlds.count

    def rows(self, name: str, window: slice = EVERY_WORLD) -> Array:
        return self._worlds.rows(name, window)

    def write(self, name: str, values: Array, window: slice = EVERY_WORLD) -> None:
        self._worlds.write(name, values, window)

    def write_at(self, name: str, values: Array, worlds: Array, columns: Sequence[int] | None = None) -> None:
        self._worlds.write_at(name, values, worlds, columns)

    def at_least(self, name: str, value: float) -> None:
        self._worlds.at_least(name, value)

    def blocks(self) -> tuple[Array, Mapping[str, int]]:
        return self._worlds.blocks()

    def alike(self, names: Collection[str]) -> bool:
        return self._worlds.alike(names)

    def step(self, steps: int, n: int, v: int) -> None:
        if self._coming is not None and self._coming.done():
            self.hand_over()
        self._worlds.step(steps, n, v)

    def hand_over(self) -> None:
        """Take the specialised path from now on, once it is compiled."""
        if self._coming is None:
            return
        after = self._coming.result()
        copy_worlds(self._worlds, self._worlds.topology, after)
        self._worlds, self._coming = after, None
