"""Forces on links as a stage authors them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Sdf, Usd


def author(prim: Usd.Prim, wrench: NDArray[np.float64], world: bool, mode: str) -> None:
    """Put a force and a torque on a link, in the world's axes or its own."""
    prim.AddAppliedSchema("PhysxForceAPI")
    types = Sdf.ValueTypeNames
    for name, kind, value in (
            ("force", types.Vector3f, Gf.Vec3f(*wrench[:3])), ("torque", types.Vector3f, Gf.Vec3f(*wrench[3:])),
            ("worldFrameEnabled", types.Bool, world), ("mode", types.Token, mode)):
        prim.CreateAttribute(f"physxForce:{name}", kind, custom=False).Set(value)
