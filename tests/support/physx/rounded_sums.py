"""Recorded cases that float64 misses: the sums of PhysX in a few lines, none of them of our solver.

PhysX adds the same small change of velocity to a growing one in every iteration. In float32 each addition rounds the
same way as the one before, as long as the velocity keeps its power of two, so that the sum drifts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from support.physx.recorded_scenes import Recorded

G, GRAVITY = 10.0, 9.81         # of the falls, and of the pendulum
LINK, FRAME = 0.1, 1.1          # kg m2 about the pendulum's pin: what angular damping brakes, and all that swings
DAMPING = 0.05                  # 1/s, PhysX's default angular damping


@dataclass(frozen=True, slots=True)
class RoundedSum:
    """How a case's motion is summed, and how far PhysX's is from the exact one."""

    iterations: int
    float64: float              # m, how far poses in float64 may be off
    position: Callable[[Recorded], NDArray[np.float64]]         # (T,) the coordinate that is summed, of PhysX
    acceleration: Callable[[float], float] = lambda position: -G
    damping: float = 0.0        # 1/s, of the velocity at the start of a step
    start: float = 0.0          # the velocity that it starts with


def height(*mass: float, body: int = 0) -> Callable[[Recorded], NDArray[np.float64]]:
    """The height of a body, or of the mass centre of several."""
    def found(real: Recorded) -> NDArray[np.float64]:
        return np.average(real.pose[:, :, 2], axis=1, weights=mass) if mass else real.pose[:, body, 2]
    return found


def turn(real: Recorded) -> NDArray[np.float64]:
    """Of the tip of the pendulum, which is its second body."""
    return np.unwrap(np.arctan2(-real.pose[:, 1, 2], real.pose[:, 1, 0]))


# The loop joint of `fourbar` is one that PhysX drops: a rod whose tip, 1 kg at 1 m, does not turn.
ROUNDED = {
    "fourbar": RoundedSum(32, 1.4e-5, turn, lambda angle: GRAVITY * math.cos(angle) / FRAME, DAMPING * LINK / FRAME),
    "iterations_beside_body": RoundedSum(16, 1.1e-5, height(body=2)),
    "iterations_beside_robot": RoundedSum(32, 8.0e-6, height(body=1)),
    "single_link": RoundedSum(32, 2.3e-5, height()),
    # Turns with 40 deg/s about its first body, its mass centre 2/3 m from there.
    "welded_pair": RoundedSum(32, 2.2e-5, height(1.0, 2.0), start=-math.radians(40.0) * 2.0 / 3.0),
}


def summed(case: RoundedSum, dt: float, steps: int, velocity: type, position: type) -> NDArray[np.float64]:
    """The positions after each step, velocity and position rounded to a type after every addition."""
    h, v, x = dt / case.iterations, velocity(case.start), position(0.0)
    found = [0.0]
    for _ in range(steps):
        v = velocity(v - velocity(dt * case.damping * float(v)))
        change = velocity(h * case.acceleration(float(x)))
        for _ in range(case.iterations):
            v = velocity(v + change)
            x = position(x + position(h * float(v)))
        found.append(float(x))
    return np.array(found)
