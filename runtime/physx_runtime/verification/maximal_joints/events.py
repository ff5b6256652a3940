"""Experiments on restitution of hard limits, on break force and torque, and on refused limits of joints outside
articulations. `measure_bounces` starts the joint beyond its limit at many speeds. `measure_breaking` applies loads of
many sizes. `refused_limits` lists the numbers of limits that PhysX ignores as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import DoubleArray
from physx_runtime.model.island import AXES
from physx_runtime.verification.authored import Authored
from physx_runtime.verification.maximal_joints.bench import Direction, IsolatedJoint, JointBench, step_quietly
from physx_runtime.verification.maximal_joints.limits import (
    OVERSHOOT,
    SWINGS,
    Bounce,
    Bound,
    bounds_of,
    overshoot_under_load,
    without_bounds,
    without_drives,
)
from physx_runtime.verification.quantity import Findings, Key, Measurement, UnsteadyError
from physx_schema.definitions import attribute_range
from physx_schema.description.articulation.maximal_joints import refusable_numbers
from physx_schema.description.model import Description, MaximalJoint, unlimited

# Speeds at once, the least and the largest first tried, of the threshold; where that is 0, rad/s or length/s.
SPEEDS, MIN_BOUNCE, MAX_BOUNCE, ANY_SPEED = 33, 0.1, 10.0, 1.0
# How far the fastest comes within the step, rad or length.
MAX_DISTANCE = 1e-3
# How often the gap between speeds that bounce and do not is divided.
BOUNCE_ROUNDS = 2
# Of what restitution gives back, by how much a bounce may differ.
BOUNCE_TOLERANCE = 0.05


def measure_bounces(isolated: IsolatedJoint) -> Findings:
    """Restitution and bounce threshold of a limit, from one step that starts beyond it."""
    findings = Findings()
    for bound in bounds_of(isolated):
        if bound.bounce is not None and bound.bounce.keys[0] not in findings.values:
            with findings.attempt(*bound.bounce.keys):
                _measure(isolated, bound, bound.bounce, findings)
    return findings


def _measure(isolated: IsolatedJoint, bound: Bound, bounce: Bounce, findings: Findings) -> None:
    speeds = (bounce.threshold or ANY_SPEED) * np.geomspace(MIN_BOUNCE, MAX_BOUNCE, SPEEDS)
    # in a step in which it hardly turns
    bench = _BounceBench(replace(isolated, dt=min(isolated.dt, MAX_DISTANCE / float(speeds[-1]))), bound)
    incoming, outgoing = bench.bounce(speeds)
    restitution = float(outgoing[-1] / incoming[-1])
    if not 0.0 < restitution < np.inf:
        raise UnsteadyError("the joint does not bounce off its limit")
    findings.values[bounce.keys[0]] = restitution
    if bounce.threshold == 0.0:
        findings.values[bounce.keys[1]] = 0.0 if _bounces(incoming, outgoing, restitution)[0] else float(incoming[0])
        return
    for _ in range(BOUNCE_ROUNDS):
        first = int(np.argmax(_bounces(incoming, outgoing, restitution)))
        speeds = np.linspace(incoming[first - 1] if first else 0.0, incoming[first], SPEEDS)
        incoming, outgoing = bench.bounce(speeds)
    first = int(np.argmax(_bounces(incoming, outgoing, restitution)))
    low, high = float(incoming[max(first - 1, 0)]), float(incoming[first])
    findings.set_value(bounce.keys[1], Measurement(0.5 * (low + high), 0.5 * (high - low)))


def _bounces(incoming: DoubleArray, outgoing: DoubleArray, restitution: float) -> NDArray[np.bool_]:
    return np.abs(outgoing - restitution * incoming) <= BOUNCE_TOLERANCE * restitution * incoming


class _BounceBench:
    """A joint just beyond its limit, and the same joint without the limit, which is accelerated."""

    def __init__(self, isolated: IsolatedJoint, bound: Bound) -> None:
        joint = without_drives(isolated.joint)
        free = without_bounds(isolated.joint, bound.axis)
        relative_frame = bound.relative_frame(joint, OVERSHOOT)
        self._bench = JointBench(isolated, joint, bound.direction, relative_frame, SPEEDS)
        self._free = JointBench(isolated, replace(free, path=joint.path), bound.direction, relative_frame, SPEEDS)
        self._response, self._outward = self._free.response(), bound.outward

    def bounce(self, speeds: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
        """Speeds outward before the step and inward after it."""
        self._free.restart()
        incoming = self._outward * self._free.step_velocity(self._outward * speeds / (self._response * self._free.dt))
        self._bench.restart()
        for name in self._bench.scene.actors:
            self._bench.scene[name].set_row("v", self._free.scene[name].state()["v"])
        step_quietly(self._bench.scene, 1)
        return incoming, -self._outward * self._bench.motion.velocity()


# Loads at once, the least and the largest first tried, of what is authored; how often the gap between them is divided.
LOADS, MIN_BREAKING, MAX_BREAKING, BREAKING_ROUNDS = 33, 0.1, 10.0, 2
# A joint breaks at the end of the step in which it gives too much.
STEPS = 3
LOAD_NAMES = {False: "force", True: "torque"}


def break_keys(path: str) -> tuple[Key, Key]:
    """The properties of break force and torque."""
    return Key(path, "physics:breakForce"), Key(path, "physics:breakTorque")


def measure_breaking(isolated: IsolatedJoint) -> Findings:
    """The force and the torque that break the joint, by loads along or about an axis that it locks or limits."""
    findings, joint = Findings(), isolated.joint
    for key, value, angular in zip(break_keys(joint.path), (joint.break_force, joint.break_torque), (False, True),
                                   strict=True):
        if math.isfinite(value):
            with findings.attempt(key):
                findings.set_value(key, _breaking_load(isolated, value, angular))
    return findings


def _breaking_load(isolated: IsolatedJoint, value: float, angular: bool) -> Measurement:
    """The mean of the largest load that the joint bears and the least that breaks it."""
    bound = _loaded_bound(isolated, angular)
    bare = without_drives(isolated.joint)
    joint = replace(bare, break_torque=value) if angular else replace(bare, break_force=value)
    overshoot = None if bound.axis not in {axis.axis
                                           for axis in joint.axes} and bound.axis else overshoot_under_load(isolated,
                                                                                                            bound)
    bench = JointBench(isolated, joint, bound.direction,
                       bound.relative_frame(joint, overshoot.value if overshoot else 0.0), LOADS)
    size = value if value > 0.0 else bench.min_load
    loads = size * np.geomspace(MIN_BREAKING, MAX_BREAKING, LOADS)
    for _ in range(BREAKING_ROUNDS):
        low, high = _bracket(bench, bound.outward * loads)
        loads = np.linspace(low, high, LOADS)
    low, high = _bracket(bench, bound.outward * loads)
    return Measurement(0.5 * (low + high), 0.5 * (high - low))


def _bracket(bench: JointBench, loads: DoubleArray) -> tuple[float, float]:
    """The largest load that the joint bears, 0 where none, and the next."""
    bench.restart()
    bench.load(loads)
    step_quietly(bench.scene, STEPS)
    broken = np.flatnonzero(bench.joint.broken)
    if not len(broken):
        raise UnsteadyError(f"the joint does not break under {abs(loads[-1]):.4g}")
    first = int(broken[0])
    return abs(float(loads[first - 1])) if first else 0.0, abs(float(loads[first]))


def _loaded_bound(isolated: IsolatedJoint, angular: bool) -> Bound:
    """The bound to load: a locked axis, else a hard bound. Raises UnsteadyError where there is none."""
    joint, key = isolated.joint, Key(isolated.joint.path, "")
    free = {axis.axis for axis in joint.axes}
    for axis in AXES[3:] if angular else AXES[:3]:
        if joint.kind == "d6" and axis not in free:
            return Bound(key, 0.0, 1.0, Direction.of(axis), axis)
    for bound in bounds_of(isolated):
        if bound.direction.angular == angular and bound.soft is None:
            return bound
    if joint.coupling is not None:
        raise UnsteadyError("the coupling does not resist a load on its hinges")
    raise UnsteadyError(f"the joint has no locked axis and no hard limit that a {LOAD_NAMES[angular]} could load")


QUARTERS = "the joint turns by 90 degrees to each side"
# Properties of bounds that have no instance in their name.
_BOUNDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("angular", "linear"), ("physics:lowerLimit", "physics:upperLimit")),
    "cone": ("physics:coneAngle0Limit", "physics:coneAngle1Limit"),
}


def refused_limits(description: Description, authored: Authored) -> dict[tuple[str, str], str]:
    """By prim and property the numbers of limits that PhysX refuses whole, and why."""
    joints = {joint.path: joint for joint in description.separate_joints}
    refused: dict[str, list[tuple[set[str], str]]] = {}
    for (path, name), value in authored.items():
        if path in joints and f"{path}.{name}" in description.consumed and (cause := _refusal(name, value)):
            instances = _refused_with(joints[path], name.split(":")[1])
            reason = f"PhysX refuses the whole limit: {cause}{_consequence(joints[path], instances)}"
            refused.setdefault(path, []).append((instances, reason))
    return {(path, name): reason for path, name in authored for instances, reason in refused.get(path, ())
            if _belongs(name, instances)}


def _refusal(name: str, value: object) -> str:
    """The reason why a number makes PhysX refuse its limit; empty where it does not."""
    namespace, _, base = name.rpartition(":")
    kind, _, instance = namespace.partition(":")
    if kind != "physxLimit" or base not in refusable_numbers(instance) or not isinstance(value, float):
        return ""
    maximum = attribute_range("PhysxLimitAPI", base)[1]
    if math.isnan(value):
        return f"{base} is NaN"
    return f"{base} {value:g} is above {maximum:g}" if value > maximum else ""


def _refused_with(joint: MaximalJoint, instance: str) -> set[str]:
    """The limits that are refused together with one: both swings."""
    return {axis.instance for axis in joint.axes} & set(SWINGS) if instance in SWINGS else {instance}


def _consequence(joint: MaximalJoint, instances: set[str]) -> str:
    bounded = any(axis.instance in instances and not unlimited(axis.upper) for axis in joint.axes)
    return f"; {QUARTERS}" if bounded else ""


def _belongs(name: str, instances: set[str]) -> bool:
    """Whether a property is one of these limits."""
    kind, instance, *_ = f"{name}:".split(":")
    return (kind in ("limit", "physxLimit") and instance in instances) or any(
        name in _BOUNDS.get(instance, ()) for instance in instances)
