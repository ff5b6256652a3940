"""Text, rotations and draws that random stages are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Random = np.random.Generator
Write = TypeVar("Write")
MOVED = 1e-7        # m or rad: by how much a start is moved

HEADER = """#usda 1.0
(
    defaultPrim = "World"
    metersPerUnit = {meters}
    kilogramsPerUnit = {kilograms}
    upAxis = "{up}"
)
def Xform "World"
{{
    def PhysicsScene "scene" (
        prepend apiSchemas = ["PhysxSceneAPI"]
    )
    {{
{gravity}        bool physxScene:enableGPUDynamics = 0
        uniform token physxScene:broadphaseType = "MBP"
        uniform token physxScene:solverType = "{solver}"
    }}
"""
GRAVITY = """        vector3f physics:gravityDirection = (0, 0, -1)
        float physics:gravityMagnitude = 9.81
"""
ONCE = "        bool physxScene:enableExternalForcesEveryIteration = 0\n"


def prim(kind: str, name: str, schemas: list[str], lines: list[str], close: bool = True) -> str:
    """A prim with applied schemas and property lines; left open it takes children."""
    quoted = ", ".join(f'"{s}"' for s in schemas)
    head = f'def {kind} "{name}"' + (f" (\n    prepend apiSchemas = [{quoted}]\n)" if schemas else "")
    return head + "\n{\n" + "".join(f"    {line}\n" for line in lines) + ("}\n" if close else "")


def floats(prefix: str, values: dict[str, float]) -> list[str]:
    """Lines of float properties."""
    return [f"float {prefix}:{name} = {value:.6f}" for name, value in values.items()]


def tuple_text(values: object, digits: int = 6) -> str:
    """Numbers as a USD tuple."""
    return "(" + ", ".join(f"{float(x):.{digits}f}" for x in values) + ")"      # type: ignore[attr-defined]


def normalized(q: Vector) -> Vector:
    """q / |q|."""
    return q / np.linalg.norm(q)


def product(a: Vector, b: Vector) -> Vector:
    """The rotation b followed by a, quaternions (w, x, y, z)."""
    w = a[0] * b[0] - a[1:] @ b[1:]
    return np.concatenate([[w], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])


def rotate(q: Vector, x: Vector) -> Vector:
    """The vector x turned by q."""
    t = 2.0 * np.cross(q[1:], x)
    return x + q[0] * t + np.cross(q[1:], t)


def to_decimals(values: Vector) -> tuple[float, ...]:
    """Numbers to eight decimals."""
    return tuple(round(float(x), 8) for x in values)


def family_of(seed: int, families: Mapping[str, tuple[int, int, Write]]) -> Write:
    """What writes the stage of a seed: families are by name their first seed, how many, and what they are."""
    return next(write for first, count, write in families.values() if first <= seed < first + count)


@dataclass(slots=True)
class Sampler:
    """Draws of numbers, vectors and rotations; a second generator says how a start is moved."""

    random: Random
    moved: Random | None        # who says where to each part of the start is moved, nobody where it is not

    def chance(self, probability: float) -> bool:
        """True with a probability."""
        return bool(self.random.random() < probability)

    def vector(self, reach: float) -> Vector:
        """Three numbers within a reach."""
        return np.round(self.random.uniform(-reach, reach, 3), 5)

    def rotation(self) -> Vector:
        """A rotation (w, x, y, z)."""
        return normalized(self.random.normal(size=4))

    def offset(self, count: int) -> Vector:
        """By what a start is moved."""
        if self.moved is None:
            return np.zeros(count)
        return MOVED * np.where(self.moved.random(count) < 0.5, -1.0, 1.0)
