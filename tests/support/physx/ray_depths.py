"""How far rays from three sides go in real PhysX before they meet what stands at the origin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.physx.engine import serve

AWAY, ACROSS, COUNT = 4.0, 2.2, 24      # where rays begin and how wide they are spread, m; in a row


def rays() -> tuple[NDArray[Any], NDArray[Any]]:
    """Origins and directions, (n, 3) each: a square of rays against each axis."""
    places = (np.arange(COUNT) + 0.5) / COUNT * 2 * ACROSS - ACROSS + 0.0137
    origins, directions = [], []
    for axis in range(3):
        for a in places:
            for b in places:
                origins.append(np.roll([AWAY, a, b], axis))
                directions.append(np.roll([-1.0, 0.0, 0.0], axis))
    return np.array(origins), np.array(directions)


def answered(physx: Any, _stage: Any) -> list[float]:
    """The distance of the first hit of each ray, -1 where there is none."""
    physx.step_sync(1 / 60)
    found = []
    for origin, direction in zip(*rays(), strict=True):
        hits = physx.raycast(origin.tolist(), direction.tolist(), 2 * AWAY)
        found.append(float(hits[0]["distance"]) if hits else -1.0)
    return found


if __name__ == "__main__":
    serve(answered)
