"""What PhysX makes of rigid bodies and their colliders: mass properties and shape properties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from support.physx.engine import answers, serve

COLUMNS = (
    "mass", "inertia", "centerOfMassPosition", "centerOfMassOrientation", "shapeCount", "staticFriction",
    "dynamicFriction", "restitution", "contactOffset", "restOffset", "position", "orientation",
)
Measured = dict[str, dict[str, list[float]]]


def measured_bodies(stages: Sequence[str], timeout: float = 300.0) -> list[Measured]:
    """For each stage, as USDA text or a path: every body's columns by prim path."""
    found: list[Measured] = answers(__name__, stages, timeout)
    refused = [f"{stages[i]}: {measured['refused']}" for i, measured in enumerate(found) if "refused" in measured]
    if refused:
        raise RuntimeError("\n".join(refused))
    return found


def _measured(physx: Any, stage: Any) -> Measured:
    import ovstage
    from ovphysx.types import ObjectScope, SimObjectType

    rows: Measured = {}
    for kind in (SimObjectType.RIGID_BODY, SimObjectType.ARTICULATION_LINK):
        for column in COLUMNS:
            with physx.read_sync(kind, [column], scope=ObjectScope.ALL) as result:
                with ovstage.PathDictionary(stage) as book:
                    for group in result.groups:
                        names = list(book.get_path_strings(group.prim_list))
                        data = group.tensors[0].numpy().reshape(len(names), -1)
                        for name, row in zip(names, data, strict=True):
                            rows.setdefault(str(name), {})[column] = [float(value) for value in row]
                result.groups.clear()
    return rows


if __name__ == "__main__":
    serve(_measured)
