"""`measure_coupling` measures the ratio of gears and racks (PxGearJoint, PxRackAndPinionJoint): one hinge is loaded,
both motions are read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from physx_runtime.dynamics.spatial import cross, dot, rotate, sub
from physx_runtime.packing.frames import Frame, compose
from physx_runtime.packing.maximal_joint import joint_frames
from physx_runtime.verification.bench import PROBE_SPEED
from physx_runtime.verification.maximal_joints.bench import (
    IDENTITY_FRAME,
    Direction,
    IsolatedJoint,
    RelativeMotion,
    scene_of,
    step_quietly,
)
from physx_runtime.verification.quantity import Findings, Key, Measurement, UnsteadyError
from physx_schema.description.model import Coupling, MaximalJoint

# Steps in which the coupling takes the second hinge along, and of the pinion's turn what is no motion of the rack.
STEPS, NO_MOTION = 30, 1e-9


def ratio_key(joint: MaximalJoint) -> Key:
    """The property of a gear's or a rack's ratio."""
    return Key(joint.path, "physics:gearRatio" if joint.kind == "gear" else "physics:ratio")


def measure_coupling(isolated: IsolatedJoint) -> Findings:
    """The reversed rotation of a gear's second body per angle of its first, or of a pinion per rack distance."""
    findings = Findings()
    if isolated.joint.coupling is not None:
        with findings.attempt(ratio_key(isolated.joint)):
            findings.set_value(ratio_key(isolated.joint), _ratio(isolated, isolated.joint.coupling))
    return findings


def _ratio(isolated: IsolatedJoint, coupling: Coupling) -> Measurement:
    """The ratio of both motions; its uncertainty is the difference to that at half the time."""
    joint, hinges = isolated.joint, {hinge.path: _axis_aligned(hinge)
                                     for hinge in (*isolated.hinges, *_articulation_joints(isolated))}
    if not {coupling.first, coupling.second} <= hinges.keys():
        raise UnsteadyError("the coupling names fewer than two hinges, and PhysX couples the bodies directly")
    scene = scene_of(isolated, (replace(joint, break_force=math.inf, break_torque=math.inf), *isolated.hinges), 1)
    first, second = hinges[coupling.first], hinges[coupling.second]
    turning = RelativeMotion(scene, isolated.description, first, isolated.poses, Direction.of("rotX"))
    following = RelativeMotion(scene, isolated.description, second, isolated.poses,
                               Direction.of("rotX" if joint.kind == "gear" else "transX"))
    turning.load(np.array([turning.inertia() * PROBE_SPEED / isolated.dt]))
    ratios = []
    for _ in range(2):
        step_quietly(scene, STEPS // 2)
        driver_motion = _sense(first, joint.body0) * float(turning.coordinate()[0])
        follower_motion = _sense(second, joint.body1) * float(following.coordinate()[0])
        if joint.kind == "gear":
            ratios.append(-follower_motion / driver_motion)
            continue
        if not math.isfinite(driver_motion + follower_motion) or abs(follower_motion) <= NO_MOTION * abs(driver_motion):
            raise UnsteadyError("a load on the hinge does not move the rack")
        ratios.append(_rolling(isolated, first, second) * driver_motion / follower_motion)
    return Measurement(ratios[1], abs(ratios[1] - ratios[0]))


def _sense(hinge: MaximalJoint, body: str) -> float:
    """The sign from a hinge's coordinate to the motion of one of its bodies."""
    return -1.0 if hinge.body0 == body else 1.0


def _rolling(isolated: IsolatedJoint, hinge: MaximalJoint, slider: MaximalJoint) -> float:
    """The sign of the rack's motion, from the side of the pinion on which the rack is."""
    frames = [compose(isolated.poses.get(path, IDENTITY_FRAME), frame) for path, frame in (
        _end(hinge, isolated.joint.body0), _end(slider, isolated.joint.body1))]
    axis, slide = (rotate(rotation, (1.0, 0.0, 0.0)) for _, rotation in frames)
    return -1.0 if float(dot(cross(axis, sub(frames[1][0], frames[0][0])), slide)) < 0.0 else 1.0


def _end(hinge: MaximalJoint, body: str) -> tuple[str, Frame]:
    return (body, hinge.frame0 if hinge.body0 == body else hinge.frame1)


def _articulation_joints(isolated: IsolatedJoint) -> Iterator[MaximalJoint]:
    """The joints of articulations as joints between two bodies."""
    for articulation in isolated.description.articulations:
        for link in articulation.links:
            joint = link.joint
            if joint is None:
                continue
            ends = [(articulation.links[joint.parent].path, joint.parent_frame), (link.path, joint.child_frame)]
            (body0, frame0), (body1, frame1) = reversed(ends) if joint.reversed else ends
            yield MaximalJoint(joint.path, joint.kind, joint.axis, body0, body1, frame0, frame1)


def _axis_aligned(joint: MaximalJoint) -> MaximalJoint:
    """The joint with frames whose x is its axis."""
    frame0, frame1 = joint_frames(joint)
    return replace(joint, frame0=frame0, frame1=frame1)
