"""Colliders and masses against real PhysX: the recorded numbers, and meshes by chance (run by `make sweep`)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.physx.bodies import Measured, measured_bodies
from support.physx.recorded_bodies import RECORDED, agrees
from support.stages.collision_stages import STAGES, stage
from support.stages.meshes import Mesh, mesh_prim, single
from support.stages.robots import opened

from physx_schema.description import describe

pytestmark = pytest.mark.sweep

COUNT = 120


@pytest.fixture(scope="module")
def measured(oracle_folder: Path) -> dict[str, Measured]:
    """What PhysX reports now about the recorded stages."""
    return dict(zip(STAGES, measured_bodies(list(STAGES.values())), strict=True))


@pytest.mark.parametrize("name", STAGES)
def test_recorded_numbers_are_what_physx_reports(measured: dict[str, Measured], name: str) -> None:
    assert measured[name].keys() == RECORDED[name].keys()
    for path, columns in RECORDED[name].items():
        for column, values in columns.items():
            now = measured[name][path][column][:len(values)]         # padded to the body with most shapes
            np.testing.assert_allclose(now, values, 1e-6, 1e-6, err_msg=f"{path} {column}")


def by_chance(seed: int) -> Mesh:
    """Points in a box, on a sphere or around a point, of any size and place, with faces that mean nothing."""
    random = np.random.default_rng(seed)
    count = int(random.integers(5, 300))
    points = random.uniform(-1, 1, (count, 3)) if seed % 3 == 0 else random.normal(size=(count, 3))
    if seed % 3 == 1:
        points /= np.linalg.norm(points, axis=1, keepdims=True)
    size = 10.0 ** random.uniform(-1, 1.5)
    points = points * size * random.uniform(0.1, 1, 3) + size * random.uniform(-1, 1, 3)
    return single(points), [(0, i, i + 1) for i in range(1, count - 1)]


def test_hulls_of_points_by_chance_weigh_as_in_physx(oracle_folder: Path) -> None:
    text = stage({f"mesh{seed}": mesh_prim(by_chance(seed)) for seed in range(COUNT)})
    found = measured_bodies([text])[0]
    bodies = {body.path: body for body in describe(opened(text)).bodies}
    assert bodies.keys() == found.keys()
    for path, columns in found.items():
        agrees(bodies[path], columns, 1e-6)
