"""Attributes authored a second, by route, all in one run: `python benchmarks/authoring_speed.py [PRIMS]`.

Ten float attributes a prim, once as two instances of a schema with five each, once as one schema with ten. Every route
starts from joints that exist and is timed until the stage is composed; then every value is read back.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "generated")]

from pxr import Sdf, Usd, UsdPhysics  # noqa: E402 - the package registers its schemas first, found through the path above

import physx_schema as PhysxSchema  # noqa: E402 - found through the path above

REPEATS = 3
Values = dict[str, np.ndarray[Any, Any]]
INSTANCES = ("linear", "angular")
DRIVE = ("stiffness", "damping", "maxForce", "targetPosition", "targetVelocity")
AXIS = ("armature", "staticFrictionEffort", "dynamicFrictionEffort", "viscousFrictionCoefficient", "maxJointVelocity")
BODY = (
    "linearDamping", "angularDamping", "maxLinearVelocity", "maxAngularVelocity", "maxDepenetrationVelocity",
    "maxContactImpulse", "sleepThreshold", "stabilizationThreshold", "cfmScale", "contactSlopCoefficient",
)


def joints(count: int) -> tuple[Usd.Stage, list[Usd.Prim]]:
    """A stage with joints and nothing authored on them."""
    layer = Sdf.Layer.CreateAnonymous()
    with Sdf.ChangeBlock():
        for index in range(count):
            spec = Sdf.CreatePrimInLayer(layer, f"/World/joint{index}")
            spec.specifier, spec.typeName = Sdf.SpecifierDef, "PhysicsRevoluteJoint"
    stage = Usd.Stage.Open(layer)
    return stage, [stage.GetPrimAtPath(f"/World/joint{index}") for index in range(count)]


def compiled(stage: Usd.Stage, prims: Sequence[Usd.Prim], values: Values) -> None:
    """UsdPhysics: two drives of five attributes, a call for each attribute."""
    columns = [values[name].tolist() for name in DRIVE]
    for prim, row in zip(prims, zip(*columns, strict=True), strict=True):
        for instance in INSTANCES:
            api = UsdPhysics.DriveAPI.Apply(prim, instance)
            api.CreateStiffnessAttr(row[0])
            api.CreateDampingAttr(row[1])
            api.CreateMaxForceAttr(row[2])
            api.CreateTargetPositionAttr(row[3])
            api.CreateTargetVelocityAttr(row[4])


def methods(stage: Usd.Stage, prims: Sequence[Usd.Prim], values: Values) -> None:
    """The same calls of a generated class."""
    columns = [values[name].tolist() for name in AXIS]
    for prim, row in zip(prims, zip(*columns, strict=True), strict=True):
        for instance in INSTANCES:
            api = PhysxSchema.PhysxJointAxisAPI.Apply(prim, instance)
            api.CreateArmatureAttr(row[0])
            api.CreateStaticFrictionEffortAttr(row[1])
            api.CreateDynamicFrictionEffortAttr(row[2])
            api.CreateViscousFrictionCoefficientAttr(row[3])
            api.CreateMaxJointVelocityAttr(row[4])


def apply_axes(stage: Usd.Stage, prims: Sequence[Usd.Prim], values: Values) -> None:
    """Apply with keywords, prim by prim."""
    for prim, row in zip(prims, rows(values), strict=True):
        for instance in INSTANCES:
            PhysxSchema.PhysxJointAxisAPI.Apply(prim, instance, **row)


def apply_body(stage: Usd.Stage, prims: Sequence[Usd.Prim], values: Values) -> None:
    """Apply with keywords, prim by prim."""
    for prim, row in zip(prims, rows(values), strict=True):
        PhysxSchema.PhysxRigidBodyAPI.Apply(prim, **row)


def author_axes(stage: Usd.Stage, prims: Sequence[Usd.Prim], values: Values) -> None:
    """author, a call for each instance."""
    for instance in INSTANCES:
        PhysxSchema.author(stage, prims, PhysxSchema.PhysxJointAxisAPI, instance, **values)


def author_body(stage: Usd.Stage, prims: Sequence[Usd.Prim], values: Values) -> None:
    """author, one call."""
    PhysxSchema.author(stage, prims, PhysxSchema.PhysxRigidBodyAPI, **values)


def specs(stage: Usd.Stage, prims: Sequence[Usd.Prim], values: Values) -> None:
    """Nothing but attribute specs in one change block: no schema applied, nothing checked."""
    layer, kind = stage.GetEditTarget().GetLayer(), Sdf.ValueTypeNames.Float
    with Sdf.ChangeBlock():
        for prim, row in zip(prims, rows(values), strict=True):
            owner = layer.GetPrimAtPath(prim.GetPath())
            for name, value in row.items():
                Sdf.AttributeSpec(owner, "physxRigidBody:" + name, kind).default = value


def rows(values: Values) -> list[dict[str, float]]:
    """The keyword values of each prim."""
    return [dict(zip(values, row, strict=True)) for row in zip(*(v.tolist() for v in values.values()), strict=True)]


ROUTES: tuple[tuple[str, Callable[..., None], tuple[str, ...], tuple[str, ...]], ...] = (
    ("UsdPhysics Create...Attr, 2 x 5", compiled, DRIVE, tuple(f"drive:{name}:physics:" for name in INSTANCES)),
    ("generated Create...Attr, 2 x 5", methods, AXIS, tuple(f"physxJointAxis:{name}:" for name in INSTANCES)),
    ("Apply with keywords, 2 x 5", apply_axes, AXIS, tuple(f"physxJointAxis:{name}:" for name in INSTANCES)),
    ("Apply with keywords, 10", apply_body, BODY, ("physxRigidBody:",)),
    ("author, 2 x 5", author_axes, AXIS, tuple(f"physxJointAxis:{name}:" for name in INSTANCES)),
    ("author, 10", author_body, BODY, ("physxRigidBody:",)),
    ("bare Sdf attribute specs, 10", specs, BODY, ("physxRigidBody:",)),
)


def values_for(names: Sequence[str], count: int) -> Values:
    """A different value in (0, 1) for every prim and attribute; each attribute's lie above those of the next."""
    size = len(names)
    return {name: np.linspace((size - index) / (size + 1), (size - index + 0.5) / (size + 1), count, dtype=np.float32)
            for index, name in enumerate(names)}


def seconds(route: Callable[..., None], names: Sequence[str], prefixes: Sequence[str], count: int) -> float:
    """How long a route takes. Raises RuntimeError where a value is not on the stage afterwards."""
    stage, prims = joints(count)
    values = values_for(names, count)
    start = time.perf_counter()
    route(stage, prims, values)
    took = time.perf_counter() - start
    for prefix in prefixes:
        for name in names:
            found = np.array([prim.GetAttribute(prefix + name).Get() for prim in prims], dtype=np.float32)
            if not np.array_equal(found, values[name]):
                raise RuntimeError(f"{route.__name__} did not write every {prefix}{name}")
    return took


def main() -> None:
    """Print a table: attributes per second of the best of several runs, and its ratio to UsdPhysics."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    best = dict.fromkeys((route[0] for route in ROUTES), float("inf"))
    for _ in range(REPEATS):
        for title, *route in ROUTES:
            best[title] = min(best[title], seconds(*route, count))
    reference = best[ROUTES[0][0]]
    print(f"{count} prims x 10 float attributes, best of {REPEATS} interleaved runs, every value read back")
    print(f"{'route':34}{'attributes/s':>14}{'of UsdPhysics':>15}")
    for title, took in best.items():
        print(f"{title:34}{count * 10 / took:14,.0f}{reference / took:14.2f}x")


if __name__ == "__main__":
    main()
