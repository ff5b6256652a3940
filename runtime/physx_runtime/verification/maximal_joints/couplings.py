"""The experiment on gears and racks: one hinge is loaded, and both are looked at."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from physx_runtime.dynamics.spatial import cross, dot, rotate, sub
from physx_runtime.packing.frames import Frame, compose
from physx_runtime.packing.maximal_joint import own_frames
from physx_runtime.verification.bench import PROBE_SPEED
from physx_runtime.verification.maximal_joints.bench import HERE, Direction, Isolated, RelativeMotion, scene_of, stepped
from physx_runtime.verification.quantity import Findings, Key, Measured, UnsteadyError
from physx_schema.description.model import Coupling, OutsideJoint

# Steps in which the coupling takes the second hinge along, and of the pinion's turn what is no motion of the rack.
STEPS, NO_MOTION = 30, 1e-9


def ratio_key(joint: OutsideJoint) -> Key:
    """The property of a gear's or a rack's ratio."""
    return Key(joint.path, "physics:gearRatio" if joint.kind == "gear" else "physics:ratio")


def measure_coupling(held: Isolated) -> Findings:
    """How far a gear's second body turns back per angle of its first, or the pinion of a rack per distance."""
    found = Findings()
    if held.joint.coupling is not None:
        with found.attempt(ratio_key(held.joint)):
            found.put(ratio_key(held.joint), _ratio(held, held.joint.coupling))
    return found


def _ratio(held: Isolated, coupling: Coupling) -> Measured:
    """The motion of the one over the other's; it may be off by what it was otherwise halfway."""
    joint, hinges = held.joint, {hinge.path: _turned(hinge) for hinge in (*held.hinges, *_inside(held))}
    if not {coupling.first, coupling.second} <= hinges.keys():
        raise UnsteadyError("without two hinges to look at, PhysX couples the bodies themselves")
    scene = scene_of(held, (replace(joint, break_force=math.inf, break_torque=math.inf), *held.hinges), 1)
    first, second = hinges[coupling.first], hinges[coupling.second]
    turning = RelativeMotion(scene, held.description, first, held.poses, Direction.of("rotX"))
    following = RelativeMotion(scene, held.description, second, held.poses,
                               Direction.of("rotX" if joint.kind == "gear" else "transX"))
    turning.load(np.array([turning.inertia() * PROBE_SPEED / held.dt]))
    ratios = []
    for _ in range(2):
        stepped(scene, STEPS // 2)
        turned = _sense(first, joint.body0) * float(turning.coordinate()[0])
        followed = _sense(second, joint.body1) * float(following.coordinate()[0])
        if joint.kind == "gear":
            ratios.append(-followed / turned)
            continue
        if not math.isfinite(turned + followed) or abs(followed) <= NO_MOTION * abs(turned):
            raise UnsteadyError("a load on the hinge does not move the rack")
        ratios.append(_rolling(held, first, second) * turned / followed)
    return Measured(ratios[1], abs(ratios[1] - ratios[0]))


def _sense(hinge: OutsideJoint, body: str) -> float:
    """What turns a hinge's coordinate into the motion of one of its bodies."""
    return -1.0 if hinge.body0 == body else 1.0


def _rolling(held: Isolated, hinge: OutsideJoint, slider: OutsideJoint) -> float:
    """Which way the pinion rolls the rack, by the side on which that lies."""
    frames = [compose(held.poses.get(path, HERE), own) for path, own in (
        _end(hinge, held.joint.body0), _end(slider, held.joint.body1))]
    axis, along = (rotate(turn, (1.0, 0.0, 0.0)) for _, turn in frames)
    return -1.0 if float(dot(cross(axis, sub(frames[1][0], frames[0][0])), along)) < 0.0 else 1.0


def _end(hinge: OutsideJoint, body: str) -> tuple[str, Frame]:
    return (body, hinge.frame0 if hinge.body0 == body else hinge.frame1)


def _inside(held: Isolated) -> Iterator[OutsideJoint]:
    """The joints of articulations as joints between two bodies."""
    for articulation in held.description.articulations:
        for link in articulation.links:
            joint = link.joint
            if joint is None:
                continue
            ends = [(articulation.links[joint.parent].path, joint.parent_frame), (link.path, joint.child_frame)]
            (body0, frame0), (body1, frame1) = reversed(ends) if joint.reversed else ends
            yield OutsideJoint(joint.path, joint.kind, joint.axis, body0, body1, frame0, frame1)


def _turned(joint: OutsideJoint) -> OutsideJoint:
    """With frames whose x is the joint's axis."""
    frame0, frame1 = own_frames(joint)
    return replace(joint, frame0=frame0, frame1=frame1)
