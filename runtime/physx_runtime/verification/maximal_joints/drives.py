"""Experiments on drives of joints outside articulations: stiffness, damping, maxForce, target position and target
velocity.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from physx_runtime.model.island import AXES
from physx_runtime.verification.bench import PROBE_LENGTH
from physx_runtime.verification.laws.drives import OVERLOAD
from physx_runtime.verification.maximal_joints.bench import (
    Direction,
    IsolatedJoint,
    JointBench,
    clamped,
    free_axis,
    relative_frame_at,
)
from physx_runtime.verification.quantity import Findings, Key, Measurement, display
from physx_schema.description.model import Drive, JointAxis, MaximalJoint, unlimited


def measure_maximal_joint_drives(isolated: IsolatedJoint) -> Findings:
    """Effective values of all numbers of a joint's drives, one drive at a time, per rad or length.

    Stiffness: the load that holds the joint away from the target. Damping: the load that keeps up a speed, the spring
    off. targetVelocity: the load that keeps the joint from it, over the damping. An acceleration drive's loads count
    times the joint's response. maxForce: what the first step gives under a demand far beyond it. targetPosition: where
    a stiff, critically damped drive keeps the joint, the limits in place.
    """
    findings = Findings()
    for axis in isolated.joint.axes:
        if axis.drive is None:
            continue
        keys = {name: Key(axis.drive.path, axis.drive.prefix + name) for name in (
            "stiffness", "damping", "maxForce", "targetPosition", "targetVelocity")}
        with findings.attempt(*keys.values()):
            bench = _DriveBench(isolated, axis, axis.drive)
            with findings.attempt(keys["stiffness"]):
                findings.set_value(keys["stiffness"], bench.stiffness())
            with findings.attempt(keys["damping"], keys["targetVelocity"]):
                drag = bench.drag()
                findings.set_value(keys["damping"], drag.scaled(bench.scale))
                if drag.value != 0.0:
                    findings.set_value(keys["targetVelocity"], bench.target_velocity(drag))
            if not unlimited(axis.drive.max_force):
                findings.values[keys["maxForce"]] = bench.saturation()
            if axis.drive.stiffness > 0.0:
                with findings.attempt(keys["targetPosition"]):
                    findings.set_value(keys["targetPosition"], _target(isolated, axis, axis.drive, bench.response))
                if clamped(axis, axis.drive.target_position) != axis.drive.target_position:
                    limits = display(axis, axis.lower, axis.upper)
                    findings.notes[keys["targetPosition"]] = f"the joint's limits {limits} stop it before the target"
    return findings


class _DriveBench:
    """One drive on the joint, which is at 0 without limits."""

    def __init__(self, isolated: IsolatedJoint, axis: JointAxis, drive: Drive) -> None:
        free = replace(drive, target_position=0.0, target_velocity=0.0, max_force=math.inf)
        axes = tuple(replace(free_axis(other), drive=free if other == axis else None) for other in isolated.joint.axes)
        joint = replace(isolated.joint, axes=axes, cone=None, distance=None, drive_rotation=(0.0, 0.0, 0.0),
                        break_force=math.inf,
                        break_torque=math.inf)
        self._drive, self._bench = drive, JointBench(isolated, joint, Direction.of(axis.axis), worlds=4)
        self._gains(0.0, 0.0)
        self.response = self._bench.response()
        # what turns loads into what the gains are of
        self.scale = self.response if drive.acceleration else 1.0

    def stiffness(self) -> Measurement:
        """Stiffness from small displacements in both directions."""
        displacement = PROBE_LENGTH * self._bench.unit
        self._gains(self._drive.stiffness, self._drive.damping)
        self._bench.set("target_position", displacement * np.array([-1.0, -1.0, 1.0, 1.0]))
        loads = self._bench.balance(self._bench.restart)
        self._bench.set("target_position", 0.0)
        change = Measurement(loads[0].value - loads[1].value, loads[0].error + loads[1].error)
        return change.scaled(0.5 * self.scale / displacement)

    def drag(self) -> Measurement:
        """Load over speed."""
        speed = 0.0

        def kick() -> None:
            nonlocal speed
            self._gains(0.0, 0.0)
            self._bench.restart()
            speed = float(self._bench.step_velocity(self._bench.min_load)[0])
            self._gains(0.0, self._drive.damping)

        load = self._bench.balance(kick)[0]     # which sets the speed
        return load.scaled(1.0 / speed)

    def target_velocity(self, drag: Measurement) -> Measurement:
        """The velocity at which the drive gives no force."""
        self._gains(0.0, self._drive.damping)
        self._bench.set("target_velocity", self._drive.target_velocity)
        load = self._bench.balance(self._bench.restart)[0]
        self._bench.set("target_velocity", 0.0)
        return load.divided_by(drag).scaled(-1.0)

    def saturation(self) -> float:
        """The largest load of the drive."""
        limit, rate = self._drive.max_force, 1.0 / self._bench.dt
        self._gains(0.0, rate * self.scale / self.response)
        self._bench.set("max_force", limit)
        self._bench.set("target_velocity", OVERLOAD * limit * self.response / rate)
        self._bench.restart()
        velocity = float(self._bench.step_velocity(0.0)[0])
        self._bench.set("max_force", math.inf)
        self._bench.set("target_velocity", 0.0)
        return velocity * rate / self.response

    def _gains(self, stiffness: float, damping: float) -> None:
        self._bench.set("stiffness", stiffness)
        self._bench.set("damping", damping)


def _target(isolated: IsolatedJoint, axis: JointAxis, drive: Drive, response: float) -> Measurement:
    """The position at which a stiff drive holds the joint; it starts at its target or at the limit before it."""
    scale = response if drive.acceleration else 1.0
    rate = 0.25 / isolated.dt
    stiff = replace(drive, stiffness=rate * rate * scale / response, damping=2.0 * rate * scale / response,
                    max_force=math.inf, target_velocity=0.0)
    joint = _with_drive(isolated.joint, axis, stiff)
    start = clamped(axis, drive.target_position)
    bench = JointBench(isolated, joint, Direction.of(axis.axis), relative_frame_at(isolated.joint, axis.axis, start))
    displacement = bench.settled_displacement()
    return Measurement(math.nan, 0.0) if displacement is None else Measurement(start + displacement.value,
                                                                               displacement.error)


def _with_drive(joint: MaximalJoint, axis: JointAxis, drive: Drive) -> MaximalJoint:
    """The joint with one drive and its limits."""
    axes = tuple(replace(other, drive=drive if other == axis else None) for other in joint.axes)
    x, y, z = (drive.target_position if axis.axis == name else 0.0 for name in AXES[3:])
    return replace(joint, axes=axes, drive_rotation=(x, y, z), break_force=math.inf, break_torque=math.inf)
