"""Random joints of every kind that hold bodies outside articulations: what they author, and where they start.

A joint starts inside its limits, away from them; lengths are in metres until they are written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from support.chance.usda_text import Vector
from support.stages.parts import Attributes, drive, limit

Random = np.random.Generator
STILL = np.array([1.0, 0.0, 0.0, 0.0])      # the rotation that turns nothing, (w, x, y, z)
LINEAR, ANGULAR = ("transX", "transY", "transZ"), ("rotX", "rotY", "rotZ")


@dataclass(frozen=True, slots=True)
class Joint:
    """What is authored of a joint but its bodies and frames, and how body1's frame starts in body0's."""

    kind: str                                   # of the prim: Physics{kind}Joint
    schemas: tuple[str, ...] = ()
    values: Attributes = field(default_factory=dict)
    axis: str = ""
    shift: Vector = field(default_factory=lambda: np.zeros(3))
    turn: Vector = field(default_factory=STILL.copy)


def about(axis: Vector, angle: float) -> Vector:
    """The rotation by an angle [rad] about a unit vector, (w, x, y, z)."""
    return np.array([math.cos(angle / 2.0), *(math.sin(angle / 2.0) * axis)])


def _axis(token: str) -> Vector:
    return np.eye(3)["XYZ".index(token[-1])]


def _some(random: Random, reach: float) -> float:
    return round(float(random.uniform(-reach, reach)), 4)


def _between(random: Random, low: float, high: float) -> float:
    return round(float(random.uniform(low, high)), 4)


def _drive(random: Random, token: str, length: float, target: float) -> tuple[tuple[str, ...], Attributes]:
    """A drive of an axis, towards a target in degrees or metres; one in three accelerates, one in three is bounded."""
    angular = token not in ("linear", *LINEAR)
    accelerates = bool(random.random() < 0.35)
    force = length if not angular else length**2        # stage units a newton or a newton metre
    gain = force / (1.0 if angular else length) if not accelerates else 1.0
    own = (0.3, 0.03) if angular else (40.0, 3.0)
    values = {"stiffness": _between(random, 0.3, 1.0) * own[0] * gain,
              "damping": _between(random, 0.3, 1.0) * own[1] * gain,
              "targetPosition": target * (1.0 if angular else length)}
    if random.random() < 0.4:
        values["targetVelocity"] = _some(random, 10.0) if angular else _some(random, 0.2) * length
    if random.random() < 0.3:
        values["maxForce"] = _between(random, 4.0, 12.0) * force
    return (f"PhysicsDriveAPI:{token}",), drive(token, "acceleration" if accelerates else "force", **values)


def _softened(random: Random, token: str, length: float) -> tuple[tuple[str, ...], Attributes]:
    """A limit that is a spring; its gains count per radian."""
    angular = token not in ("linear", *LINEAR)
    gain = length**2 if angular else 1.0
    own = (20.0, 1.0) if angular else (200.0, 5.0)
    return (f"PhysxLimitAPI:{token}",), {
        f"float physxLimit:{token}:{name}": _between(random, 0.5, 1.5) * value * gain
        for name, value in zip(("stiffness", "damping"), own, strict=True)}


def _single(random: Random, kind: str, length: float) -> Joint:
    """A hinge or a slider: free, limited hard or softly, driven or both."""
    angular, axis = kind == "Revolute", str(random.choice(list("XYZ")))
    token, reach = ("angular", 30.0) if angular else ("linear", 0.2)
    start, unit = _some(random, 0.5 * reach), 1.0 if angular else length
    schemas: tuple[str, ...] = ()
    values: Attributes = {}
    limited = random.random()
    if limited < 0.5:
        low, high = -reach * _between(random, 1.0, 2.0), reach * _between(random, 1.0, 2.0)
        values |= {"float physics:lowerLimit": low * unit, "float physics:upperLimit": high * unit}
        if limited < 0.25:
            schemas, own = _softened(random, token, length)
            values |= own
    if random.random() < 0.5:
        more, own = _drive(random, token, length, _some(random, reach))
        schemas, values = schemas + more, values | own
    return Joint(kind, schemas, values, axis, np.zeros(3) if angular else start * _axis(axis),
                 about(_axis(axis), math.radians(start)) if angular else STILL)


def revolute(random: Random, length: float) -> Joint:
    """A hinge."""
    return _single(random, "Revolute", length)


def prismatic(random: Random, length: float) -> Joint:
    """A slider."""
    return _single(random, "Prismatic", length)


def fixed(random: Random, length: float) -> Joint:
    """Nothing free."""
    return Joint("Fixed")


def spherical(random: Random, length: float) -> Joint:
    """A ball: free, or in a cone that may be wider one way than the other, hard or soft."""
    axis, cone = str(random.choice(list("XYZ"))), random.random()
    direction = random.normal(size=3)
    turn = about(direction / np.linalg.norm(direction), _between(random, 0.05, 0.3))
    if cone < 0.4:
        return Joint("Spherical", (), {}, axis, turn=turn)
    angles = {"float physics:coneAngle0Limit": _between(random, 25.0, 60.0),
              "float physics:coneAngle1Limit": _between(random, 25.0, 60.0)}
    schemas, soft = _softened(random, "cone", length) if cone > 0.75 else ((), {})
    return Joint("Spherical", schemas, {**angles, **soft}, axis, turn=turn)


def distance(random: Random, length: float) -> Joint:
    """Two anchors that start apart, held at least, at most or exactly so far, or by a spring."""
    apart, kind = _between(random, 0.3, 0.6), str(random.choice(["both", "min", "max", "equal"]))
    direction = random.normal(size=3)
    least = {"both": 0.8 * apart, "min": 0.9 * apart, "equal": apart}.get(kind, -1.0)
    most = {"both": 1.2 * apart, "max": 1.1 * apart, "equal": apart}.get(kind, -1.0)
    values: Attributes = {"float physics:minDistance": least * length, "float physics:maxDistance": most * length}
    schemas: tuple[str, ...] = ()
    if random.random() < 0.3:
        schemas = ("PhysxPhysicsDistanceJointAPI",)
        values |= {"bool physxPhysicsDistanceJoint:springEnabled": True,
                   "float physxPhysicsDistanceJoint:springStiffness": _between(random, 50.0, 200.0),
                   "float physxPhysicsDistanceJoint:springDamping": _between(random, 1.0, 5.0)}
    return Joint("Distance", schemas, values, shift=apart * direction / np.linalg.norm(direction))


# What a generic joint leaves its axes: others are locked. "f" free, "h" limited hard, "s" softly, "d" free and driven.
PATTERNS: tuple[Mapping[str, str], ...] = (
    {"rotX": "h", "rotY": "h", "rotZ": "h"}, {"rotX": "f", "rotY": "f"}, {"rotX": "d", "rotZ": "f"},
    {"rotX": "s", "rotY": "s", "rotZ": "f"}, {"transX": "h", "rotX": "f"}, {"transY": "d", "rotY": "f", "rotZ": "f"},
    {"transX": "f", "transZ": "s", "rotX": "d", "rotY": "d", "rotZ": "d"}, {"transY": "h", "transZ": "d", "rotX": "h"},
    {"rotY": "h"}, {"rotZ": "d"},
)


def generic(random: Random, length: float) -> Joint:
    """Axes of each kind, after one of the patterns."""
    pattern = PATTERNS[int(random.integers(len(PATTERNS)))]
    schemas: list[str] = []
    values: Attributes = {}
    shift, turn = np.zeros(3), STILL
    turned = str(random.choice([axis for axis in ANGULAR if axis in pattern] or [""]))
    for axis in (*LINEAR, *ANGULAR):
        motion, unit, reach = pattern.get(axis, ""), length if axis in LINEAR else 1.0, 0.2 if axis in LINEAR else 30.0
        bounds = {"": (1.0, -1.0), "f": None, "d": None}.get(motion, (-reach * _between(random, 1.0, 2.0),
                                                                     reach * _between(random, 1.0, 2.0)))
        if bounds:
            schemas.append(f"PhysicsLimitAPI:{axis}")
            values |= limit(axis, *(x * unit for x in bounds))
        if motion in ("s", "d"):
            applied, own = (_softened(random, axis, length) if motion == "s" else
                            _drive(random, axis, length, _some(random, reach)))
            schemas.extend(applied)
            values |= own
        if motion and axis in LINEAR:
            shift = shift + _some(random, 0.5 * reach) * _axis(axis)
        if motion and axis == turned:
            turn = about(_axis(axis), math.radians(_some(random, 0.5 * reach)))
    return Joint("", tuple(schemas), values, shift=shift, turn=turn)


KINDS: Mapping[str, Callable[[Random, float], Joint]] = {
    "Fixed": fixed, "Revolute": revolute, "Prismatic": prismatic, "Spherical": spherical, "Distance": distance,
    "D6": generic}


def random_joint(random: Random, length: float, kinds: tuple[str, ...] = tuple(KINDS)) -> Joint:
    """A joint of one of the kinds, on a stage that has so many units a metre."""
    return KINDS[str(random.choice(kinds))](random, length)
