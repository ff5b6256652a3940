"""Bounces, breaking and refused limits of joints outside articulations.

The experiment on hard limits that send back: the joint comes to its limit with many speeds.

The experiment on break force and torque: loads of many sizes, and which of them the joint does not survive.

Limits of joints outside articulations that PhysX refuses whole: none of their numbers comes to anything.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from physx_runtime.model.island import AXES
from physx_runtime.verification.authored import Authored
from physx_runtime.verification.maximal_joints.bench import Array, Direction, Isolated, JointBench, stepped
from physx_runtime.verification.maximal_joints.limits import (
    BEYOND,
    SWINGS,
    Bouncing,
    Bound,
    bounds_of,
    pressed,
    unbounded,
    unpressed,
)
from physx_runtime.verification.quantity import Findings, Key, Measured, UnsteadyError
from physx_schema.definitions import ends
from physx_schema.description.articulation.maximal_joints import losing
from physx_schema.description.model import Description, OutsideJoint, unlimited

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


# Loads at once, the least and the largest first tried, of what is authored; how often the gap between them is divided.
LOADS, LEAST_BREAKING, LARGEST_BREAKING, BREAKING_ROUNDS = 33, 0.1, 10.0, 2
# A joint breaks at the end of the step in which it gives too much.
STEPS = 3
HOLDS_NO = {False: "force", True: "torque"}


def break_keys(path: str) -> tuple[Key, Key]:
    """The properties of break force and torque."""
    return Key(path, "physics:breakForce"), Key(path, "physics:breakTorque")


def measure_breaking(held: Isolated) -> Findings:
    """The force and the torque at which the joint gives way: loads along or about an axis that it locks or bounds."""
    found, joint = Findings(), held.joint
    for key, value, angular in zip(break_keys(joint.path), (joint.break_force, joint.break_torque), (False, True),
                                   strict=True):
        if math.isfinite(value):
            with found.attempt(key):
                found.put(key, _given_way(held, value, angular))
    return found


def _given_way(held: Isolated, value: float, angular: bool) -> Measured:
    """The mean of the largest load that it bears and the least that it does not."""
    bound = _loaded(held, angular)
    bare = unpressed(held.joint)
    joint = replace(bare, break_torque=value) if angular else replace(bare, break_force=value)
    away = None if bound.axis not in {axis.axis for axis in joint.axes} and bound.axis else pressed(held, bound)
    bench = JointBench(held, joint, bound.direction, bound.stand(joint, away.value if away else 0.0), LOADS)
    size = value if value > 0.0 else bench.least
    loads = size * np.geomspace(LEAST_BREAKING, LARGEST_BREAKING, LOADS)
    for _ in range(BREAKING_ROUNDS):
        low, high = _gap(bench, bound.outward * loads)
        loads = np.linspace(low, high, LOADS)
    low, high = _gap(bench, bound.outward * loads)
    return Measured(0.5 * (low + high), 0.5 * (high - low))


def _gap(bench: JointBench, loads: Array) -> tuple[float, float]:
    """The largest load that the joint bears, 0 where none, and the next."""
    bench.restart()
    bench.load(loads)
    stepped(bench.scene, STEPS)
    broken = np.flatnonzero(bench.joint.broken)
    if not len(broken):
        raise UnsteadyError(f"it does not give way under {abs(loads[-1]):.4g}")
    first = int(broken[0])
    return abs(float(loads[first - 1])) if first else 0.0, abs(float(loads[first]))


def _loaded(held: Isolated, angular: bool) -> Bound:
    """What is loaded: an axis that the joint locks, else a hard bound. Raises UnsteadyError where there is none."""
    joint, key = held.joint, Key(held.joint.path, "")
    free = {axis.axis for axis in joint.axes}
    for axis in AXES[3:] if angular else AXES[:3]:
        if joint.kind == "d6" and axis not in free:
            return Bound(key, 0.0, 1.0, Direction.of(axis), axis)
    for bound in bounds_of(held):
        if bound.direction.angular == angular and bound.soft is None:
            return bound
    if joint.coupling is not None:
        raise UnsteadyError("no load on its hinges is borne by the coupling alone")
    raise UnsteadyError(f"the joint neither locks nor stops hard anything that a {HOLDS_NO[angular]} would load")


QUARTERS = "the joint turns by 90 degrees to either side"
# Properties of bounds that have no instance in their name.
_BOUNDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("angular", "linear"), ("physics:lowerLimit", "physics:upperLimit")),
    "cone": ("physics:coneAngle0Limit", "physics:coneAngle1Limit"),
}


def lost_limits(description: Description, authored: Authored) -> dict[tuple[str, str], str]:
    """By prim and property the numbers of limits that PhysX refuses whole, and why."""
    joints = {joint.path: joint for joint in description.separate_joints}
    refused: dict[str, list[tuple[set[str], str]]] = {}
    for (path, name), value in authored.items():
        if path in joints and f"{path}.{name}" in description.consumed and (why := _refusal(name, value)):
            lost = _lost_with(joints[path], name.split(":")[1])
            reason = f"PhysX refuses the whole limit: {why}{_instead(joints[path], lost)}"
            refused.setdefault(path, []).append((lost, reason))
    return {(path, name): reason for path, name in authored for lost, reason in refused.get(path, ())
            if _belongs(name, lost)}


def _refusal(name: str, value: object) -> str:
    """Why a number that is read loses a limit; empty where it does not."""
    namespace, _, base = name.rpartition(":")
    kind, _, instance = namespace.partition(":")
    if kind != "physxLimit" or base not in losing(instance) or not isinstance(value, float):
        return ""
    most = ends("PhysxLimitAPI", base)[1]
    return f"{base} is NaN" if math.isnan(value) else f"{base} {value:g} is above {most:g}" if value > most else ""


def _lost_with(joint: OutsideJoint, instance: str) -> set[str]:
    """The limits that are lost with one: both swings together."""
    return {axis.instance for axis in joint.axes} & set(SWINGS) if instance in SWINGS else {instance}


def _instead(joint: OutsideJoint, lost: set[str]) -> str:
    bounded = any(axis.instance in lost and not unlimited(axis.upper) for axis in joint.axes)
    return f"; {QUARTERS}" if bounded else ""


def _belongs(name: str, lost: set[str]) -> bool:
    """Whether a property is one of these limits."""
    kind, instance, *_ = f"{name}:".split(":")
    return (kind in ("limit", "physxLimit") and instance in lost) or any(
        name in _BOUNDS.get(instance, ()) for instance in lost)
