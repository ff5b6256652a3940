"""Real PhysX's scene queries of what overlaps triggers as bodies fall through them."""

from __future__ import annotations

from typing import Any

from support.physx.engine import serve

DT, STEPS = 1 / 60, 55
KINDS = ("ball", "box", "capsule", "cylinder", "cone", "hull")
# all but round cores with hulls, of which no contacts are made here
PAIRS = [(zone, other) for zone in KINDS for other in KINDS
         if {zone, other} not in ({"hull", "cylinder"}, {"hull", "cone"})]
ZONES = [f"/zone_{zone}_{other}" for zone, other in PAIRS]


def inside(physx: Any, _stage: Any) -> list[dict[str, list[str]]]:
    """What is in each trigger before each step, colliders by trigger."""
    from ovphysx import SceneQueryGeometryType, SceneQueryMode

    found = []
    for _ in range(STEPS):
        now = {}
        for zone in ZONES:
            hits = physx.overlap(SceneQueryGeometryType.SHAPE, SceneQueryMode.ALL, prim_path=zone)
            now[zone] = sorted(set(physx.get_scene_query_paths_from_ids([hit["collision"] for hit in hits])) - {zone})
        found.append(now)
        physx.step_sync(DT)
    return found


if __name__ == "__main__":
    serve(inside)
