"""How long it takes to find where shapes touch: pairs of each kind, and steps of falling boxes.

PYTHONPATH=runtime:. python benchmarks/collision_speed.py

Boxes lie in a pile of as many a side as fit, a little apart, and move by half a millimetre a step. Each line
says what a step takes a box: n log n grows by the logarithm alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
from physx_runtime.collision.pair_table import PairTable, every_pair, generate, generate_contacts
from physx_runtime.collision.shapes import (
    BOX,
    CAPSULE,
    CONTACT,
    FREE,
    MANIFOLD_SIZE,
    NO_OWNER,
    PLANE,
    SHAPE,
    SHAPE_KINDS,
    SPHERE,
)

SIN_45 = np.float32(0.70710683)
KINDS = ((SPHERE, SPHERE), (SPHERE, PLANE), (SPHERE, CAPSULE), (SPHERE, BOX), (PLANE, CAPSULE), (PLANE, BOX),
         (CAPSULE, CAPSULE), (BOX, BOX))
SIZES = {SPHERE: (0.1, 0, 0), PLANE: (0, 0, 0), CAPSULE: (0.1, 0.1, 0), BOX: (0.1, 0.1, 0.1)}
COUNTS = (100, 1000, 10_000)
STEPS = 10


def shapes_of(kinds: list[int]) -> np.ndarray:
    shapes = np.zeros(len(kinds), SHAPE)
    shapes["kind"], shapes["body"], shapes["owner"] = kinds, np.arange(len(kinds)), NO_OWNER
    shapes["precedence"], shapes["rotation"][:, 3], shapes["contact_offset"] = np.arange(len(kinds)), 1, 0.01
    shapes["size"] = [SIZES[kind] for kind in kinds]
    shapes["rotation"][shapes["kind"] == PLANE] = (SIN_45, 0, SIN_45, 0)
    return shapes


def poses_at(places: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    turns = rng.normal(scale=0.02, size=(len(places), 4)) + np.eye(4)[3]
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    return np.hstack((places, turns)).astype(np.float32)


def fastest(call: Callable[[], object]) -> float:
    """Seconds of the fastest of several calls."""
    times = []
    for _ in range(STEPS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def time_pairs(kind0: int, kind1: int, count: int = 1000) -> tuple[float, float]:
    """Nanoseconds a pair: of shapes at rest, and of shapes whose points are made anew."""
    rng = np.random.default_rng(0)
    places = np.repeat(np.arange(count) * 2.0, 2)[:, None] * np.eye(3)[0]
    places[1::2, 2] = 0.195
    table = PairTable(shapes_of([kind for _ in range(count) for kind in (kind1, kind0)]), 2 * count)
    table.shapes["owner"] = NO_OWNER
    table.shapes["world"] = np.repeat(np.arange(count), 2)      # planes are endless
    poses = poses_at(places, rng)
    for row in np.flatnonzero(table.shapes["kind"] == PLANE):
        poses[row, :3], poses[row, 2] = 0, 0.095
    generate(table, poses)
    contacts = np.empty(MANIFOLD_SIZE * len(table.rows), CONTACT)
    alive = int((table.rows["shape0"] != FREE).sum())
    rest = fastest(lambda: generate_contacts(table, every_pair(table), contacts))

    def anew() -> None:
        table.rows["known"] = 0
        generate_contacts(table, every_pair(table), contacts)

    return rest / alive * 1e9, fastest(anew) / alive * 1e9


def time_pile(count: int) -> tuple[float, float, int, int]:
    """Seconds of a step's broad phase and of its contacts; pairs and contacts."""
    rng = np.random.default_rng(1)
    turns = poses_at(np.zeros((count, 3)), rng)[:, 3:]
    side = math.ceil(count ** (1 / 3))
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)[:count]
    table, places = PairTable(shapes_of([BOX] * count), count), 0.205 * grid
    broad, narrow, count_of_contacts = [], [], 0
    for _ in range(STEPS):
        places = places + rng.normal(scale=0.0005, size=places.shape)
        poses = np.hstack((places, turns)).astype(np.float32)
        start = time.perf_counter()
        table.update_overlaps(poses)
        middle = time.perf_counter()
        contacts = np.empty(MANIFOLD_SIZE * len(table.rows), CONTACT)
        made = time.perf_counter()
        count_of_contacts = generate_contacts(table, every_pair(table), contacts)
        broad.append(middle - start)
        narrow.append(time.perf_counter() - made)
    return min(broad), min(narrow), int((table.rows["shape0"] != FREE).sum()), count_of_contacts


def main() -> None:
    print(f"{'pair':20}{'at rest, ns':>14}{'anew, ns':>12}")
    for kinds in KINDS:
        rest, anew = time_pairs(*kinds)
        print(f"{' and '.join(SHAPE_KINDS[kind].name for kind in kinds):20}{rest:14.0f}{anew:12.0f}")
    print(f"{'boxes':>8}{'pairs':>10}{'contacts':>10}{'broad phase, ms':>18}{'ns a box':>10}{'contacts, ms':>15}"
          f"{'ns a box':>10}")
    for count in COUNTS:
        broad, narrow, pairs, contacts = time_pile(count)
        print(f"{count:8}{pairs:10}{contacts:10}{broad * 1e3:18.3f}{broad / count * 1e9:10.0f}{narrow * 1e3:15.3f}"
              f"{narrow / count * 1e9:10.0f}")


if __name__ == "__main__":
    main()
