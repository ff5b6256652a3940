"""The experiment on break force and torque: loads of many sizes, and which of them the joint does not survive."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from physx_runtime.model.island import AXES
from physx_runtime.verification.outside.bench import JointBench, stepped
from physx_runtime.verification.outside.isolation import Isolated
from physx_runtime.verification.outside.limits import Bound, bounds_of, pressed, unpressed
from physx_runtime.verification.outside.motion import Array, Direction
from physx_runtime.verification.quantity import Findings, Key, Measured, UnsteadyError

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
