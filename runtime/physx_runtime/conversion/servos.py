"""The actuators of an MJCF as drives of its joints: position and velocity servos, and the greatest effort of motors.

MuJoCo's force on a joint is g (G u + b0 - b1 g q - b2 g v), bounded by g times the force range, for a gear g, a gain G,
a control u and biases b (MuJoCo documentation, Computation, Actuation model). With b0 = 0 this is a drive of stiffness
g^2 b1, damping g^2 b2 and target G u / (g b1). A positive third number of the file is a damping ratio z instead, and
b2 = 2 z sqrt(b1 m) for the inertia m that the actuator moves while all other joints are free.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pxr import Usd

from physx_schema.description.model import Articulation, Description

_TYPE = "MjcActuator"
# What an actuator has where the stage authors nothing: its schema is not a part of USD.
_DEFAULTS: dict[str, Any] = {
    "mjc:gear": (1.0,), "mjc:gainType": "fixed", "mjc:gainPrm": (1.0,), "mjc:biasType": "none",
    "mjc:biasPrm": (0.0, 0.0, 0.0), "mjc:dynType": "none", "mjc:forceLimited": "auto", "mjc:forceRange:min": 0.0,
    "mjc:forceRange:max": 0.0, "mjc:ctrlLimited": "auto", "mjc:ctrlRange:min": 0.0, "mjc:ctrlRange:max": 0.0}


@dataclass(frozen=True, slots=True)
class Servo:
    """What the actuators of one joint do, as a drive does it; gains per rad or length."""

    stiffness: float = 0.0
    damping: float = 0.0
    damping_ratio: float = 0.0      # in place of the damping, 0 for none
    max_effort: float = math.inf
    reason: str = ""                # why a drive cannot do the same, "" if it can

    @property
    def has_gains(self) -> bool:
        """Whether it is a servo, not a motor alone, that a drive can stand for."""
        return not self.reason and (self.stiffness > 0.0 or self.damping > 0.0)


def servos_of(stage: Usd.Stage) -> dict[str, Servo]:
    """The actuated joints of a converted MJCF by path, none of a URDF; actuators of one joint add up."""
    servos = dict[str, Servo]()
    for prim in stage.Traverse():
        if prim.GetTypeName() == _TYPE:
            for target in map(str, prim.GetRelationship("mjc:target").GetTargets()):
                servo = _servo(prim)
                servos[target] = _sum(servos[target], servo) if target in servos else servo
    return servos


def damping_of(servos: Mapping[str, Servo], description: Description, robot: Articulation) -> dict[str, float]:
    """The damping of each joint with a servo, by path; of damping ratios for the inertia at the start."""
    values = {path: servo.damping for path, servo in servos.items()}
    if not any(servos[dof.path].damping_ratio > 0.0 for dof in robot.dofs if dof.path in servos):
        return values
    for dof, inertia in zip(robot.dofs, _free_inertia(description, robot), strict=True):
        servo = servos.get(dof.path, Servo())
        if servo.damping_ratio > 0.0:
            values[dof.path] += 2.0 * servo.damping_ratio * math.sqrt(servo.stiffness * inertia)
    return values


def _free_inertia(description: Description, robot: Articulation) -> list[float]:
    """The inertia of each joint axis while all others are free, 1 / (M^-1)_ii, (n_dof,)."""
    from physx_runtime.quantities.computation import compute  # loads the simulation, which few robots need

    start = np.array([[dof.position for dof in robot.dofs]])
    matrix = np.array(compute(description, start, np.zeros_like(start), "mass_matrix", articulation=robot.path)[0])
    first = len(matrix) - len(robot.dofs)
    matrix[range(first, len(matrix)), range(first, len(matrix))] += [dof.armature for dof in robot.dofs]
    return [1.0 / value for value in np.diag(np.linalg.inv(matrix))[first:]]


def _servo(prim: Usd.Prim) -> Servo:
    """One actuator."""
    gear, gain, bias = float(_value(prim, "mjc:gear")[0]), _value(prim, "mjc:gainPrm"), _value(prim, "mjc:biasPrm")
    reason = next(_differences(prim, bias), "")
    if reason:
        return Servo(max_effort=_bound(prim, "force") * abs(gear), reason=reason)
    is_servo = _value(prim, "mjc:biasType") == "affine"
    stiffness, third = (abs(bias[1]), bias[2]) if is_servo else (0.0, 0.0)
    effort = _bound(prim, "force") if is_servo else min(_bound(prim, "force"), abs(gain[0]) * _bound(prim, "ctrl"))
    return Servo(stiffness * gear * gear, max(-third, 0.0) * gear * gear, max(third, 0.0), effort * abs(gear))


def _differences(prim: Usd.Prim, bias: Sequence[float]) -> Iterator[str]:
    """What of an actuator no drive does."""
    for name, allowed in (("dynType", ("none",)), ("gainType", ("fixed",)), ("biasType", ("none", "affine"))):
        value = _value(prim, f"mjc:{name}")
        if value not in allowed:
            yield f"its {name.lower()} is {value}"
    if _value(prim, "mjc:biasType") == "affine" and (bias[0] != 0.0 or bias[1] > 0.0):
        yield f"its biasprm starts with {bias[0]:g} {bias[1]:g}"


def _bound(prim: Usd.Prim, name: str) -> float:
    """The greatest size of a force or control, inf without one; "auto" means a bound where the range is not empty."""
    low, high = (float(_value(prim, f"mjc:{name}Range:{end}")) for end in ("min", "max"))
    limited = _value(prim, f"mjc:{name}Limited")
    return max(-low, high) if limited == "true" or (limited == "auto" and low < high) else math.inf


def _value(prim: Usd.Prim, name: str) -> Any:
    return prim.GetAttribute(name).Get() if prim.HasAttribute(name) else _DEFAULTS[name]


def _sum(first: Servo, second: Servo) -> Servo:
    """Two actuators of one joint."""
    return Servo(first.stiffness + second.stiffness, first.damping + second.damping,
                 max(first.damping_ratio, second.damping_ratio), first.max_effort + second.max_effort,
                 first.reason or second.reason)
