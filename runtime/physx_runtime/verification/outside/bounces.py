"""The experiment on hard limits that send back: the joint comes to its limit with many speeds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from physx_runtime.verification.outside.bench import JointBench, stepped
from physx_runtime.verification.outside.isolation import Isolated
from physx_runtime.verification.outside.limits import BEYOND, Bouncing, Bound, bounds_of, unbounded, unpressed
from physx_runtime.verification.outside.motion import Array
from physx_runtime.verification.quantity import Findings, Measured, UnsteadyError

# Speeds at once, the least and the largest first tried, of the threshold; where that is 0, rad/s or length/s.
SPEEDS, LEAST_BOUNCE, LARGEST_BOUNCE, ANY_SPEED = 33, 0.1, 10.0, 1.0
# How far the fastest comes within the step, rad or length.
FARTHEST = 1e-3
# How often the gap between speeds that bounce and do not is divided.
BOUNCE_ROUNDS = 2
# Of what restitution gives back, by how much a bounce may differ.
BOUNCE_TOLERANCE = 0.05


def measure_bounces(held: Isolated) -> Findings:
    """What of its speed a joint has after a step that starts beyond its limit, and the speed from which it has it."""
    found = Findings()
    for bound in bounds_of(held):
        if bound.bounce is not None and bound.bounce.keys[0] not in found.values:
            with found.attempt(*bound.bounce.keys):
                _measure(held, bound, bound.bounce, found)
    return found


def _measure(held: Isolated, bound: Bound, bounce: Bouncing, found: Findings) -> None:
    speeds = (bounce.threshold or ANY_SPEED) * np.geomspace(LEAST_BOUNCE, LARGEST_BOUNCE, SPEEDS)
    # in a step in which it hardly turns
    bench = _Thrown(replace(held, dt=min(held.dt, FARTHEST / float(speeds[-1]))), bound)
    came, left = bench.thrown(speeds)
    restitution = float(left[-1] / came[-1])
    if not 0.0 < restitution < np.inf:
        raise UnsteadyError("the joint does not bounce off its limit")
    found.values[bounce.keys[0]] = restitution
    if bounce.threshold == 0.0:
        found.values[bounce.keys[1]] = 0.0 if _bounces(came, left, restitution)[0] else float(came[0])
        return
    for _ in range(BOUNCE_ROUNDS):
        first = int(np.argmax(_bounces(came, left, restitution)))
        speeds = np.linspace(came[first - 1] if first else 0.0, came[first], SPEEDS)
        came, left = bench.thrown(speeds)
    first = int(np.argmax(_bounces(came, left, restitution)))
    low, high = float(came[max(first - 1, 0)]), float(came[first])
    found.put(bounce.keys[1], Measured(0.5 * (low + high), 0.5 * (high - low)))


def _bounces(came: Array, left: Array, restitution: float) -> NDArray[np.bool_]:
    return np.abs(left - restitution * came) <= BOUNCE_TOLERANCE * restitution * came


class _Thrown:
    """A joint just beyond its limit, and the same without that limit, which is brought to speed."""

    def __init__(self, held: Isolated, bound: Bound) -> None:
        joint = unpressed(held.joint)
        free = unbounded(held.joint, bound.axis)
        stand = bound.stand(joint, BEYOND)
        self._bench = JointBench(held, joint, bound.direction, stand, SPEEDS)
        self._free = JointBench(held, replace(free, path=joint.path), bound.direction, stand, SPEEDS)
        self._response, self._outward = self._free.response(), bound.outward

    def thrown(self, speeds: Array) -> tuple[Array, Array]:
        """Speeds outward before the step and inward after it."""
        self._free.restart()
        came = self._outward * self._free.gained(self._outward * speeds / (self._response * self._free.dt))
        self._bench.restart()
        for name in self._bench.scene.actors:
            self._bench.scene[name].set_row("v", self._free.scene[name].state()["v"])
        stepped(self._bench.scene, 1)
        return came, -self._outward * self._bench.motion.velocity()
