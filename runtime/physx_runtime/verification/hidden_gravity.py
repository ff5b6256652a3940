"""Gravity of scenes that PhysX does not see, where it makes one of its own with the same gravity."""

from __future__ import annotations

import math
from collections.abc import Iterator

from physx_runtime.verification.authored import Authored
from physx_runtime.verification.report import AS_AUTHORED, AS_AUTHORED_TOLERANCE, Row
from physx_runtime.verification.settling import DIRECTION_PROPERTY, MAGNITUDE_PROPERTY
from physx_schema.description.model import Description
from physx_schema.description.records import Vec3


def hidden_gravity_rows(description: Description, authored: Authored) -> Iterator[Row]:
    """Rows of gravity properties that PhysX does not read and whose effect comes about all the same."""
    hidden = [problem.path for problem in description.problems if problem.code == "scene/hidden"]
    for path in hidden:
        gravity = _authored_gravity(description, authored, path)
        if math.dist(gravity, description.scene.gravity) > AS_AUTHORED_TOLERANCE * math.hypot(*gravity):
            continue
        for name in (DIRECTION_PROPERTY, MAGNITUDE_PROPERTY):
            if (path, name) in authored:
                value = authored[path, name]
                yield Row(path, name, value, value, value, AS_AUTHORED, "")


def _authored_gravity(description: Description, authored: Authored, path: str) -> Vec3:
    """Gravity as a scene authors it; PhysX's own stands in for what it leaves out."""
    own = description.scene.gravity
    size = math.hypot(*own)
    magnitude = authored.get((path, MAGNITUDE_PROPERTY))
    direction = authored.get((path, DIRECTION_PROPERTY))
    length = magnitude if isinstance(magnitude, float) and magnitude >= 0.0 else size
    x, y, z = direction if isinstance(direction, tuple) and any(direction) else (part / size for part in own)
    return x * length, y * length, z * length
