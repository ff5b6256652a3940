"""What tests ask of the USD that is installed, which may be as old as the oldest that is supported."""

from __future__ import annotations

import pytest
from pxr import Sdf, Usd, UsdPhysics

VALIDATORS_IN_PYTHON = (0, 26, 5)
takes_validators = Usd.GetVersion() >= VALIDATORS_IN_PYTHON
needs_physics_reading = pytest.mark.skipif(
    not hasattr(UsdPhysics, "UsdPhysicsLoadStageFromPrimRange"), reason="this USD's own reader has another name")
needs_own_words = pytest.mark.skipif(
    not takes_validators, reason="USD of before 26.5 says less of why it cannot read a file")


def needs_type(name: str) -> None:
    """Skip where USD has no such type of values."""
    if not Sdf.ValueTypeNames.Find(name):
        pytest.skip(f"this USD has no type {name}")
