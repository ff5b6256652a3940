"""Poses, and records that are built up and then frozen.

Positions and rotations as plain numbers: quaternions are (x, y, z, w), poses (position, quaternion).

Frozen dataclasses that are made by the hundred thousand.
"""

from __future__ import annotations

import math
from dataclasses import MISSING, fields
from typing import Any, TypeVar

Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]
Pose = tuple[Vec3, Quat]

IDENTITY_POSE: Pose = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


def interpolate(start: Pose, end: Pose, t: float) -> Pose:
    """The pose at a share of the way from one pose to another: straight on, turning evenly the shorter way round."""
    (px, py, pz), a = start
    (qx, qy, qz), b = end
    cosine = sum(x * y for x, y in zip(a, b, strict=True))
    sign = -1.0 if cosine < 0.0 else 1.0
    angle = math.acos(min(1.0, abs(cosine)))
    sine = math.sin(angle)
    first, second = ((math.sin((1.0 - t) * angle) / sine, sign * math.sin(t * angle) / sine) if sine > 1e-9 else
                     (1.0 - t, sign * t))
    x, y, z, w = (first * u + second * v for u, v in zip(a, b, strict=True))
    return (px + t * (qx - px), py + t * (qy - py), pz + t * (qz - pz)), (x, y, z, w)


T = TypeVar("T")


def record(cls: type[T]) -> type[T]:
    """Give a frozen dataclass with slots an ``__init__`` that is about ten times as fast.

    That of dataclasses gets round the class's own ``__setattr__`` for one field after another. This one lends the new
    object a class with the same slots that may be written, and gives it its own back when all fields are set. Raises
    TypeError for a class whose fields need more than a value or a constant default.
    """
    items = fields(cls)     # type: ignore[arg-type]
    if any(item.default_factory is not MISSING or not item.init for item in items) or hasattr(cls, "__post_init__"):
        raise TypeError(f"{cls.__name__}: fields with a factory, without init or with __post_init__ are not supported")
    names = [item.name for item in items]
    draft = type(f"{cls.__name__}Draft", (), {"__slots__": tuple(names)})
    defaults = {f"default_{item.name}": item.default for item in items if item.default is not MISSING}
    arguments = ", ".join(name if f"default_{name}" not in defaults else f"{name}=default_{name}" for name in names)
    body = "\n".join(f"    self.{name} = {name}" for name in names)
    namespace: dict[str, Any] = {"_set": object.__setattr__, "_draft": draft, "_own": cls, **defaults}
    exec(f"def __init__(self, {arguments}):\n"
         f'    _set(self, "__class__", _draft)\n{body}\n    self.__class__ = _own\n', namespace)
    namespace["__init__"].__qualname__ = f"{cls.__qualname__}.__init__"
    setattr(cls, "__init__", namespace["__init__"])     # noqa: B010 - not to be taken for an override
    return cls
