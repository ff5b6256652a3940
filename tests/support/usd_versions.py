"""What tests ask of the USD that is installed, which may be as old as the oldest that is supported."""

from __future__ import annotations

import pytest
from pxr import Sdf, Usd, UsdPhysics

takes_validators = Usd.GetVersion() >= (0, 26, 5)       # from Python
needs_physics_reading = pytest.mark.skipif(
    not hasattr(UsdPhysics, "UsdPhysicsLoadStageFromPrimRange"), reason="this USD's own reader has another name")
needs_own_words = pytest.mark.skipif(
    Usd.GetVersion() < (0, 26, 11), reason="USD of before 26.11 says less of why it cannot read a file")


def needs_type(name: str) -> None:
    """Skip where USD has no such type of values."""
    if not Sdf.ValueTypeNames.Find(name):
        pytest.skip(f"this USD has no type {name}")
