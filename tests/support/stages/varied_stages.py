"""A stage again with other numbers: same prims, same schemas, every physical value changed a little."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Usd

# Base names of the properties to vary; limits widen, so that what was inside stays inside.
SCALED = {"mass", "diagonalInertia", "linearDamping", "angularDamping", "armature", "staticFrictionEffort",
          "dynamicFrictionEffort", "viscousFrictionCoefficient", "maxJointVelocity", "stiffness", "damping",
          "targetPosition", "targetVelocity", "maxForce", "gearing", "forceCoefficient", "restLength", "offset",
          "naturalFrequency", "dampingRatio", "localPos", "centerOfMass"}
WIDENED = {"lowerLimit", "upperLimit"}


def varied(source: Path, target: Path, seed: int) -> Path:
    """Write the stage at `source` with other numbers."""
    stage, random = Usd.Stage.Open(str(source)), np.random.default_rng(seed)
    for prim in stage.Traverse():
        factors: dict[str, float] = {}
        for attribute in prim.GetAuthoredAttributes():
            name = attribute.GetName().rpartition(":")[2]
            # friction efforts keep their order
            factor = factors.setdefault("friction" if "FrictionEffort" in name else attribute.GetName(),
                                        float(random.uniform(0.8, 1.2)))
            if name == "principalAxes":
                attribute.Set(_turned(attribute.Get(), random))
            elif name in SCALED or name in WIDENED:
                grown = 1.0 + abs(factor - 1.0) if name in WIDENED else factor
                attribute.Set(_scaled(attribute.Get(), grown))
    stage.Export(str(target))
    return target


def _scaled(value: Any, factor: float) -> Any:
    return value * factor if isinstance(value, float | Gf.Vec3f) else [x * factor for x in value]


def _turned(axes: Any, random: np.random.Generator) -> Any:
    x, y, z = random.uniform(-0.3, 0.3, 3)
    return Gf.Quatf((Gf.Quatd(axes) * Gf.Quatd(1.0, float(x), float(y), float(z))).GetNormalized())


def bits(values: NDArray[Any]) -> bytes:
    """The bytes of an array, for comparing to the last bit (and NaN with NaN)."""
    return np.ascontiguousarray(values).tobytes()
