"""The accessors by index that NVIDIA's bindings add by hand to PhysxPhysicsAttachment: ``GetPointsAttr(0)``."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from physx_generated.legacy import PhysxPhysicsAttachment

SUFFIXES = {"Points": "Attr", "FilterType": "Attr", "CollisionFilterIndices": "Attr", "Actor": "Rel"}


def getter(name: str, suffix: str) -> Callable[[Any, int], Any]:
    """The method that finds the property of one of the two actors."""
    def get(self: Any, index: int) -> Any:
        actor = operator.index(index)
        if actor not in (0, 1):
            raise IndexError(f"Get{name}{suffix}({index!r}): the index of an attachment's actor must be 0 or 1")
        return getattr(self, f"Get{name}{actor}{suffix}")()

    get.__name__ = f"Get{name}{suffix}"
    get.__qualname__ = f"{PhysxPhysicsAttachment.__name__}.{get.__name__}"
    get.__doc__ = (f"Return the result of ``Get{name}0{suffix}`` or ``Get{name}1{suffix}`` for the actor with this "
                   "index.")
    return get


def add() -> None:
    """Give the class its accessors by index."""
    for name, suffix in SUFFIXES.items():
        setattr(PhysxPhysicsAttachment, f"Get{name}{suffix}", getter(name, suffix))
