"""Where the joints or links of many actors stand, actor by actor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.simulation.actor import Actor
from physx_runtime.simulation.alike import Alike

Array = NDArray[Any]


def alikes_of(actors: Sequence[Actor]) -> list[Alike]:
    """Where actors are stepped, each once."""
    return list(dict.fromkeys(actor.alike for actor in actors))


class Columns:
    """The places of what each actor has `count` of, in the actors' order; every actor of an `Alike` is among them."""

    def __init__(self, actors: Sequence[Actor], count: Callable[[Actor], int]) -> None:
        ends = np.cumsum([0, *map(count, actors)])
        self.count = int(ends[-1])
        self._places: dict[Alike, list[NDArray[np.int64]]] = {}     # (n_actor, n)
        for actor, first, end in zip(actors, ends, ends[1:], strict=False):
            self._places.setdefault(actor.alike, []).append(np.arange(first, end))

    def arranged(self, values: Sequence[Array], axis: int = 0) -> Array:
        """(..., n_world, n of all, ...) of what there is of each `Alike`, (..., n_lane, n, ...), lanes along `axis`."""
        alike, lead = next(iter(self._places)), values[0].shape[:axis]
        out = np.empty((*lead, alike.lanes.worlds, self.count, *values[0].shape[axis + 2:]), values[0].dtype)
        for places, own in zip(self._places.values(), values, strict=True):
            parted = own.reshape(*lead, len(places), alike.lanes.worlds, *own.shape[axis + 1:])
            np.moveaxis(out, axis + 1, 0)[np.stack(places)] = np.moveaxis(parted, (axis, axis + 2), (0, 1))
        return out
