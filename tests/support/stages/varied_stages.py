"""Stages again: in other units, and with other numbers.

Stages in other units of length: the same things, with every length, speed and moment in the other unit.

A stage again with other numbers: same prims, same schemas, every physical value changed a little.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Sdf, Usd, UsdGeom, Vt

CENTIMETRE, MILLIMETRE, INCH = 0.01, 0.001, 0.0254      # metres
UNITS = (CENTIMETRE, MILLIMETRE, INCH)
# The power of length in what a stage says, by attribute.
POWERS = {
    "extent": 1, "height": 1, "newton:contactGap": 1, "newton:contactMargin": 1, "physics:centerOfMass": 1,
    "physics:density": -3, "physics:diagonalInertia": 2, "physics:gravityMagnitude": 1, "physics:velocity": 1,
    "physxCollision:contactOffset": 1, "physxCollision:minTorsionalPatchRadius": 1, "physxCollision:restOffset": 1,
    "physxCollision:torsionalPatchRadius": 1, "physxRigidBody:maxDepenetrationVelocity": 1,
    "physxRigidBody:sleepThreshold": 2, "points": 1, "radius": 1, "size": 1, "xformOp:translate": 1,
}
# Those of numbers without a length.
NO_LENGTH = {
    "faceVertexCounts", "faceVertexIndices", "holeIndices", "physics:angularVelocity", "physics:dynamicFriction",
    "physics:gravityDirection", "physics:mass", "physics:principalAxes", "physics:restitution",
    "physics:staticFriction", "xformOp:orient", "xformOp:scale",
}


def in_unit(text: str, metres: float) -> str:
    """A stage written in metres, in a unit of so many of them; raises ValueError for numbers that it does not know."""
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(text)
    if UsdGeom.GetStageMetersPerUnit(stage) != 1.0:
        raise ValueError(f"the stage has {UsdGeom.GetStageMetersPerUnit(stage)} metres a unit, not 1")
    UsdGeom.SetStageMetersPerUnit(stage, metres)
    for prim in Usd.PrimRange.AllPrims(stage.GetPseudoRoot()):
        for attribute in prim.GetAuthoredAttributes():
            _rewrite(attribute, metres)
    return str(stage.GetRootLayer().ExportToString())


def _rewrite(attribute: Usd.Attribute, metres: float) -> None:
    name, value = attribute.GetName(), attribute.Get()
    if name in NO_LENGTH or isinstance(value, (str, bool, int, Vt.TokenArray, Sdf.AssetPath)):
        return
    if name not in POWERS:
        raise ValueError(f"{attribute.GetPath()}: whether this is a length is not known")
    attribute.Set(_times(value, metres ** -POWERS[name]))


def _times(value: Any, factor: float) -> Any:
    """A number, a vector or an array of them, so many times; rounded once."""
    if isinstance(value, float):
        return value * factor
    scaled = np.asarray(value, np.float64) * factor
    if isinstance(value, Vt.Vec3fArray):
        return Vt.Vec3fArray([Gf.Vec3f(*map(float, row)) for row in scaled])
    return type(value)(*map(float, scaled))


# --- varied stages ---------------------------------------------------------------------------------------------------

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
