"""What real PhysX answers to rays, sweeps and overlaps among colliders of many shapes in a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from support.physx.engine import serve

KINDS = ("ball", "box", "capsule", "cylinder", "cone", "hull", "mesh")
APART, EACH, FAR = 3.0, 12, 6.0
RADIUS, HALF = 0.2, (0.1, 0.2, 0.15)
Query = tuple[list[float], list[float], list[float]]


def queries() -> list[Query]:
    """Origins, directions and quaternions: towards every shape from all around, above the ground."""
    random, found = np.random.default_rng(7), []
    for i in range(len(KINDS)):
        for _ in range(EACH):
            away = random.normal(size=3)
            away[2] = abs(away[2]) + 0.2
            away *= 1.4 / np.linalg.norm(away)
            aim = random.uniform(-0.25, 0.25, 3) - away
            turn = random.normal(size=4)
            start = away + np.array([APART * i, 0.0, 1.0])
            found.append((start.tolist(), (aim / np.linalg.norm(aim)).tolist(),
                          (turn / np.linalg.norm(turn)).tolist()))
    return found


def answered(physx: Any, _stage: Any) -> dict[str, list[Any]]:
    """The first hit of each ray and sweep, and all colliders in each place."""
    from ovphysx import SceneQueryGeometryType, SceneQueryMode

    ball, block = SceneQueryGeometryType.SPHERE, SceneQueryGeometryType.BOX
    found: dict[str, list[Any]] = {name: [] for name in ("ray", "ball", "block", "in ball", "in block")}

    def path(hit: dict[str, Any]) -> str:
        return str(physx.get_scene_query_paths_from_ids([hit["collision"]])[0])

    def first(hits: Sequence[dict[str, Any]]) -> Any:
        return [(path(hit), hit["distance"], hit["position"], hit["normal"]) for hit in hits[:1]]

    physx.step_sync(1 / 60)
    for origin, along, turn in queries():
        box = {"half_extent": HALF, "position": origin, "rotation": turn}
        round_ = {"radius": RADIUS, "position": origin}
        near = [float(x) for x in np.add(origin, np.multiply(along, 0.9))]
        found["ray"].append(first(physx.raycast(origin, along, FAR)))
        found["ball"].append(first(physx.sweep(ball, along, FAR, **round_)))
        found["block"].append(first(physx.sweep(block, along, FAR, **box)))
        for name, kind, sizes in (("in ball", ball, round_), ("in block", block, box)):
            hits = physx.overlap(kind, SceneQueryMode.ALL, **{**sizes, "position": near})
            found[name].append(sorted(map(path, hits)))
    return found


if __name__ == "__main__":
    serve(answered)
