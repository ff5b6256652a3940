"""Real PhysX telling what prims with PhysxContactReportAPI feel, in a process of its own.

Reads one JSON line with the stage's path, the step, the number of steps and the pairs of a sensor and filters, and
answers with one JSON line: for each step what every sensor reported, and the forces of filters.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from engine_physx import attached

EVENT = ("Type", "SensorSide", "Collider", "OtherBody", "OtherCollider", "PointCount", "AnchorCount")
POINT = ("PointPosition", "PointNormal", "PointImpulse", "PointSeparation")
ANCHOR = ("AnchorPosition", "AnchorImpulse")
NAMES = ("Collider", "OtherBody", "OtherCollider")
TYPES = ("found", "lost", "persists")
FORCES = ("netNormalContactForce", "netFrictionContactForce")
MATRICES = ("normalContactForceMatrix", "frictionContactForceMatrix")


def sensors(physx: Any, stage: Any) -> dict[str, dict[str, Any]]:
    """Net forces and events of every sensor, by path."""
    import ovstage
    from ovphysx.types import ObjectScope, SimObjectType

    names = [*FORCES, *(f"contactEvent{name}" for name in (*EVENT, *POINT, *ANCHOR))]
    rows: dict[str, dict[str, Any]] = {}
    with ovstage.PathDictionary(stage) as paths:
        for name in names:      # one at a time: which group is of which attribute is known by this
            with physx.read_sync(SimObjectType.CONTACT_SENSOR, [name], scope=ObjectScope.ALL) as found:
                for group in found.groups:
                    known = list(paths.get_path_strings(group.prim_list))
                    for path, values in zip(known, _by_sensor(group, len(known)), strict=True):
                        if name.removeprefix("contactEvent") in NAMES:
                            values = [paths.path_to_string(int(handle)) for handle in np.ravel(values)]
                        rows.setdefault(path, {})[name] = values
                found.groups.clear()
    return {path: _told(row) for path, row in sorted(rows.items())}


def _by_sensor(group: Any, count: int) -> list[Any]:
    values = [np.array(tensor.numpy()) for tensor in group.tensors]
    return values if group.is_array else list(values[0].reshape(count, -1))


def _told(row: dict[str, Any]) -> dict[str, Any]:
    """Net forces of a sensor, and its events with their points and anchors."""
    columns = {name: row.get(f"contactEvent{name}", []) for name in (*EVENT, *POINT, *ANCHOR)}
    events, point, anchor = [], 0, 0
    for i, kind in enumerate(columns["Type"]):
        points, anchors = int(columns["PointCount"][i]), int(columns["AnchorCount"][i])
        events.append({
            "kind": TYPES[int(kind)], "side": int(columns["SensorSide"][i]),
            **{name: str(columns[name][i]) for name in NAMES},
            **{name: _numbers(columns[name][point:point + points]) for name in POINT},
            **{name: _numbers(columns[name][anchor:anchor + anchors]) for name in ANCHOR}})
        point, anchor = point + points, anchor + anchors
    return {"normal": _numbers(row[FORCES[0]]), "friction": _numbers(row[FORCES[1]]), "events": events}


def matrices(physx: Any, pairs: list[tuple[str, list[str]]]) -> Iterator[list[Any]]:
    """Normal and friction forces that each sensor gets of each of its filters."""
    from ovphysx.types import ContactSelection, ObjectScope, SimObjectType

    for sensor, filters in pairs:
        found = []
        for name in MATRICES:
            with physx.read_sync(SimObjectType.CONTACT_SENSOR, [name], scope=ObjectScope.ALL,
                                 contacts=[ContactSelection(sensor, filters)]) as result:
                found.append(_numbers(np.array(result.groups[0].tensors[0].numpy()).reshape(-1, 3)))
                result.groups.clear()
        yield found


def _numbers(values: Any) -> Any:
    return np.asarray(values, np.float64).tolist()


def main() -> None:
    job = json.loads(sys.stdin.readline())
    physx, stage = attached(job["stage"])
    steps = []
    for _ in range(job["steps"]):
        physx.step_sync(job["dt"])
        steps.append({"sensors": sensors(physx, stage), "matrices": list(matrices(physx, job["pairs"]))})
    print("told", json.dumps(steps), flush=True)


if __name__ == "__main__":
    main()
