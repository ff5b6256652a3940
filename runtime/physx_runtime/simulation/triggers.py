"""What is in the triggers of a scene, and what enters and leaves them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.generation import generate
from physx_runtime.model.scene import SceneModel
from physx_runtime.packing.contact import PackedContacts
from physx_runtime.packing.triggers import pack_triggers
from physx_schema.description.model import Description

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, order=True)
class Overlap:
    """A collider in a trigger."""

    world: int
    pair: tuple[str, str]               # prims of the trigger and of the collider
    bodies: tuple[str, str]             # the bodies that these are of; a static collider itself


@dataclass(frozen=True, slots=True)
class TriggerEvent:
    """A collider that entered or left a trigger in a step; pair and bodies as of `Overlap`."""

    kind: Literal["enter", "leave"]
    world: int
    pair: tuple[str, str]
    bodies: tuple[str, str]


class Triggers:
    """The triggers of worlds with these bodies, and what was in them when it was looked last."""

    def __init__(self, description: Description, model: SceneModel, bodies: Sequence[str], worlds: int,
                 solver: str) -> None:
        self.overlaps: tuple[Overlap, ...] = ()
        self.events: tuple[TriggerEvent, ...] = ()
        packed = pack_triggers(description, model, bodies, solver)
        self._table = _TriggerTable(*packed, len(bodies), worlds) if packed else None

    def __bool__(self) -> bool:
        return self._table is not None

    def look(self, pose: Array) -> None:
        """Find what is in them where bodies are, (n_world, n_body, 7), and what has entered and left since."""
        now = tuple(sorted(self._table.found(pose))) if self._table else ()
        entered, left = set(now).difference(self.overlaps), set(self.overlaps).difference(now)
        self.events = (*(TriggerEvent("enter", item.world, item.pair, item.bodies) for item in sorted(entered)),
                       *(TriggerEvent("leave", item.world, item.pair, item.bodies) for item in sorted(left)))
        self.overlaps = now

    def forget(self, worlds: Array) -> None:
        """Heed that worlds were set anew: nothing was in their triggers."""
        gone = set(worlds.tolist())
        self.overlaps = tuple(item for item in self.overlaps if item.world not in gone)
        self.events = tuple(item for item in self.events if item.world not in gone)

    def go_on(self, before: Triggers) -> None:
        """Take over what was in triggers, of which the next look tells who left."""
        self.overlaps, self.events = before.overlaps, before.events


class _TriggerTable:
    """Triggers and what can be in them, as pairs of shapes."""

    def __init__(self, packed: PackedContacts, triggers: frozenset[str], bodies: int, worlds: int) -> None:
        self._pairs, self._every = packed.of_worlds(worlds).pairs, np.arange(worlds)
        shapes = packed.copies_of_shapes(worlds)
        self._names = [packed.colliders[i] for i in shapes]
        self._owners = [packed.bodies[place] or name
                        for place, name in zip(packed.shapes["body"][shapes].tolist(), self._names, strict=True)]
        self._triggers = np.array([name in triggers for name in self._names])
        self._static = np.c_[packed.places["position"], packed.places["rotation"]][bodies:]

    def found(self, pose: Array) -> set[Overlap]:
        """What is in triggers where bodies are, (n_world, n_body, 7)."""
        pairs, moved = self._pairs, pose.swapaxes(0, 1).reshape(-1, 7)
        pairs.forget(self._every)           # manifolds keep points that a fresh look would not make
        contacts = generate(pairs, np.concatenate([moved, self._static]).astype(np.float32))
        sides = pairs.sides(np.unique(contacts["pair"][contacts["separation"] <= 0.0]))
        sides = np.where(self._triggers[sides[:, 1]][:, None], sides[:, ::-1], sides)
        worlds = pairs.shapes["world"][sides].max(axis=1, initial=-1)
        return {Overlap(world, (self._names[i], self._names[j]), (self._owners[i], self._owners[j]))
                for world, (i, j) in zip(worlds.tolist(), sides.tolist(), strict=True)}
