"""The masses and colliders that PhysX reported, recorded in tests/data/collision."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np

from physx_schema.description import Link
from support.physx.bodies import Measured
from support.places import DATA

RECORDED: dict[str, Measured] = json.loads(
    (DATA / "collision" / "recorded.json").read_text(encoding="utf-8"))
INERTIA = 5e-6


def agrees(body: Link, found: Mapping[str, list[float]], tolerance: float) -> None:
    """Fail where mass properties differ by more than the tolerance."""
    center, inertia = np.array(found["centerOfMassPosition"]), np.reshape(found["inertia"], (3, 3))
    mass = found["mass"][0]
    size = max(1.0, float(np.abs(center).max()))
    np.testing.assert_allclose(body.mass, mass, tolerance)
    np.testing.assert_allclose(body.center_of_mass, center, 0, max(tolerance, 2e-6) * size)
    scale = max(float(np.abs(inertia).max()), 0.1 * mass * float(center @ center))
    np.testing.assert_allclose(body.inertia, inertia, 0, max(tolerance, INERTIA) * scale)
