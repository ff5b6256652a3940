"""Experiments on drives outside articulations: the loads that hold against them, and where they take the joint."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from physx_runtime.model.island import AXES
from physx_runtime.verification.bench import PROBE_LENGTH
from physx_runtime.verification.laws.drives import OVERLOAD
from physx_runtime.verification.maximal_joints.bench import Direction, Isolated, JointBench, free_axis, resting, within
from physx_runtime.verification.quantity import Findings, Key, Measured, shown
from physx_schema.description.model import Drive, JointAxis, OutsideJoint, unlimited


def measure_outside_drives(held: Isolated) -> Findings:
    """What every number of the drives of a joint comes to, one drive at a time, per rad or length.

    Stiffness: the load that holds the joint away from the target. Damping: the load that keeps up a speed, the spring
    off. targetVelocity: the load that keeps the joint from it, over the damping. An acceleration drive's loads count
    times the joint's response. maxForce: what the first step gives under a demand far beyond it. targetPosition: where
    a stiff, critically damped drive keeps the joint, the limits in place.
    """
    found = Findings()
    for axis in held.joint.axes:
        if axis.drive is None:
            continue
        keys = {name: Key(axis.drive.path, axis.drive.prefix + name) for name in (
            "stiffness", "damping", "maxForce", "targetPosition", "targetVelocity")}
        with found.attempt(*keys.values()):
            bench = _DriveBench(held, axis, axis.drive)
            with found.attempt(keys["stiffness"]):
                found.put(keys["stiffness"], bench.stiffness())
            with found.attempt(keys["damping"], keys["targetVelocity"]):
                drag = bench.drag()
                found.put(keys["damping"], drag.times(bench.scale))
                if drag.value != 0.0:
                    found.put(keys["targetVelocity"], bench.wanted_velocity(drag))
            if not unlimited(axis.drive.max_force):
                found.values[keys["maxForce"]] = bench.saturation()
            if axis.drive.stiffness > 0.0:
                with found.attempt(keys["targetPosition"]):
                    found.put(keys["targetPosition"], _target(held, axis, axis.drive, bench.response))
                if within(axis, axis.drive.target_position) != axis.drive.target_position:
                    limits = shown(axis, axis.lower, axis.upper)
                    found.notes[keys["targetPosition"]] = f"the limits {limits} hold it back"
    return found


class _DriveBench:
    """One drive on the joint, which stands at 0 without limits."""

    def __init__(self, held: Isolated, axis: JointAxis, drive: Drive) -> None:
        free = replace(drive, target_position=0.0, target_velocity=0.0, max_force=math.inf)
        axes = tuple(replace(free_axis(other), drive=free if other == axis else None) for other in held.joint.axes)
        joint = replace(held.joint, axes=axes, cone=None, distance=None, aim=(0.0, 0.0, 0.0), break_force=math.inf,
                        break_torque=math.inf)
        self._drive, self._bench = drive, JointBench(held, joint, Direction.of(axis.axis), worlds=4)
        self._gains(0.0, 0.0)
        self.response = self._bench.response()
        # what turns loads into what the gains are of
        self.scale = self.response if drive.acceleration else 1.0

    def stiffness(self) -> Measured:
        """Over a small displacement either way."""
        away = PROBE_LENGTH * self._bench.unit
        self._gains(self._drive.stiffness, self._drive.damping)
        self._bench.set("target_position", away * np.array([-1.0, -1.0, 1.0, 1.0]))
        loads = self._bench.balance(self._bench.restart)
        self._bench.set("target_position", 0.0)
        change = Measured(loads[0].value - loads[1].value, loads[0].error + loads[1].error)
        return change.times(0.5 * self.scale / away)

    def drag(self) -> Measured:
        """Load over speed."""
        speed = 0.0

        def kick() -> None:
            nonlocal speed
            self._gains(0.0, 0.0)
            self._bench.restart()
            speed = float(self._bench.gained(self._bench.least)[0])
            self._gains(0.0, self._drive.damping)

        load = self._bench.balance(kick)[0]     # which sets the speed
        return load.times(1.0 / speed)

    def wanted_velocity(self, drag: Measured) -> Measured:
        """At which the drive does not pull."""
        self._gains(0.0, self._drive.damping)
        self._bench.set("target_velocity", self._drive.target_velocity)
        load = self._bench.balance(self._bench.restart)[0]
        self._bench.set("target_velocity", 0.0)
        return load.over(drag).times(-1.0)

    def saturation(self) -> float:
        """The largest load of the drive."""
        limit, rate = self._drive.max_force, 1.0 / self._bench.dt
        self._gains(0.0, rate * self.scale / self.response)
        self._bench.set("max_force", limit)
        self._bench.set("target_velocity", OVERLOAD * limit * self.response / rate)
        self._bench.restart()
        velocity = float(self._bench.gained(0.0)[0])
        self._bench.set("max_force", math.inf)
        self._bench.set("target_velocity", 0.0)
        return velocity * rate / self.response

    def _gains(self, stiffness: float, damping: float) -> None:
        self._bench.set("stiffness", stiffness)
        self._bench.set("damping", damping)


def _target(held: Isolated, axis: JointAxis, drive: Drive, response: float) -> Measured:
    """Where a stiff drive keeps the joint that starts at its target, or at the limit before it."""
    scale = response if drive.acceleration else 1.0
    rate = 0.25 / held.dt
    stiff = replace(drive, stiffness=rate * rate * scale / response, damping=2.0 * rate * scale / response,
                    max_force=math.inf, target_velocity=0.0)
    joint = _with_drive(held.joint, axis, stiff)
    start = within(axis, drive.target_position)
    bench = JointBench(held, joint, Direction.of(axis.axis), resting(held.joint, axis.axis, start))
    moved = bench.rested()
    return Measured(math.nan, 0.0) if moved is None else Measured(start + moved.value, moved.error)


def _with_drive(joint: OutsideJoint, axis: JointAxis, drive: Drive) -> OutsideJoint:
    """The joint with one drive and its limits."""
    axes = tuple(replace(other, drive=drive if other == axis else None) for other in joint.axes)
    x, y, z = (drive.target_position if axis.axis == name else 0.0 for name in AXES[3:])
    return replace(joint, axes=axes, aim=(x, y, z), break_force=math.inf, break_torque=math.inf)
