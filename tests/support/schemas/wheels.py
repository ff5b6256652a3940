"""Wheels with schemas by others, where the extra 'oracle' has brought them: NVIDIA's physx-usd-schemas and Newton's."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

PHYSX = "physx_usd_schemas"
needs_wheel = pytest.mark.skipif(
    importlib.util.find_spec(PHYSX) is None, reason=f"{PHYSX} is not installed (extra 'oracle')")


def wheel_folder(package: str = PHYSX) -> Path:
    """The folder of an installed wheel's package; skips the test where it is not installed."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"{package} is not installed (extra 'oracle')")
    return Path(spec.origin).parent
