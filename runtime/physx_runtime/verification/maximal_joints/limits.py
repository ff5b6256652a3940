"""Experiments on limits, cones and distance limits of joints outside articulations, hard and soft: `measure_bounds`.
`bounds_of` lists the bounds of a joint, as `Bound`, with their property keys.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from physx_runtime.dynamics.spatial import conjugate, rotate, scale, sub
from physx_runtime.packing.frames import IDENTITY_ROTATION, Frame, compose
from physx_runtime.verification.maximal_joints.bench import (
    IDENTITY_FRAME,
    TEST_ACCELERATION,
    Direction,
    IsolatedJoint,
    JointBench,
    free_axis,
    relative_frame_at,
)
from physx_runtime.verification.quantity import Findings, Key, Measurement, UnsteadyError
from physx_schema.description.model import Cone, DistanceRange, JointAxis, MaximalJoint, unlimited
from physx_schema.description.model.joint import ROTATIONS

SWINGS = ROTATIONS[1:]
# How far beyond soft bounds the joint is held: of rotations and translations, and of distances, rad or m.
OVERSHOOT, OVERSHOOT_DISTANCE = 1e-3, 0.1
# Of a bound that is smaller, the part that is left then.
REMAINING_FRACTION = 0.25
NOTHING_STOPS = "nothing stops the joint at this limit"


@dataclass(frozen=True, slots=True)
class SoftLimit:
    """Spring and damper of a soft bound."""

    rows: str                   # of the parameters: "limit_" stiffness and damping, "cone_", "spring_"
    stiffness: float
    damping: float
    keys: tuple[Key, Key]
    element: str = ""           # of the rows, where they have several


@dataclass(frozen=True, slots=True)
class Bounce:
    """Restitution of a hard bound."""

    threshold: float            # rad/s or length/s
    restitution: float
    keys: tuple[Key, Key]       # of restitution and threshold


@dataclass(frozen=True, slots=True)
class Bound:
    """One bound of a joint's motion."""

    key: Key
    value: float                # rad or length
    outward: float              # 1.0 or -1.0
    direction: Direction
    axis: str                   # a D6 joint's, "" of a distance joint
    soft: SoftLimit | None = None
    bounce: Bounce | None = None

    def relative_frame(self, joint: MaximalJoint, overshoot: float) -> Frame:
        """The second frame in the first, at an overshoot beyond the bound."""
        position = self.value + self.outward * overshoot
        return relative_frame_at(joint, self.axis, position) if self.axis else (scale(position, self.direction.axis),
                                                                                IDENTITY_ROTATION)


def bounds_of(isolated: IsolatedJoint) -> Iterator[Bound]:
    """The bounds that a joint has."""
    joint = isolated.joint
    for axis in joint.axes:
        yield from _of_axis(joint, axis)
    if joint.cone is not None:
        yield from _of_cone(joint, joint.cone)
    if joint.distance is not None and joint.kind == "distance":
        yield from _of_distance(isolated, joint.distance)
    elif joint.distance is not None:
        yield from _of_distance_limit(joint, joint.distance)


def bound_keys(joint: MaximalJoint, axis: JointAxis) -> tuple[Key, Key]:
    """The properties of the lower and the upper limit of an axis."""
    names = (("physics:lowerLimit", "physics:upperLimit") if axis.instance in ("angular", "linear") else
             (f"limit:{axis.instance}:physics:low", f"limit:{axis.instance}:physics:high"))
    return Key(joint.path, names[0]), Key(joint.path, names[1])


def spring_keys(joint: MaximalJoint, instance: str) -> tuple[Key, Key]:
    """The properties of a soft limit."""
    return Key(joint.path, f"physxLimit:{instance}:stiffness"), Key(joint.path, f"physxLimit:{instance}:damping")


def bounce_keys(joint: MaximalJoint, instance: str) -> tuple[Key, Key]:
    """The properties of a hard limit with restitution."""
    return (Key(joint.path, f"physxLimit:{instance}:restitution"),
            Key(joint.path, f"physxLimit:{instance}:bounceThreshold"))


def distance_keys(joint: MaximalJoint) -> tuple[Key, Key, Key, Key]:
    """The properties of a distance joint: least and greatest distance, spring and damper."""
    prefix = "physxPhysicsDistanceJoint:spring"
    return (Key(joint.path, "physics:minDistance"), Key(joint.path, "physics:maxDistance"),
            Key(joint.path, f"{prefix}Stiffness"), Key(joint.path, f"{prefix}Damping"))


def measure_bounds(isolated: IsolatedJoint) -> Findings:
    """Effective positions of a joint's bounds, and the springs of soft ones, per rad or length.

    A hard bound is where a load like the joint's own weight keeps it. A soft one is held beyond it at rest, in two
    places: the loads give its stiffness and position. Damping is the load that keeps an outward speed.
    """
    findings = Findings()
    for bound in bounds_of(isolated):
        if bound.soft is not None:
            with findings.attempt(bound.key, *(key for key in bound.soft.keys if key not in findings.values)):
                _measure_soft(isolated, bound, bound.soft, findings)
            continue
        with findings.attempt(bound.key):
            overshoot = overshoot_under_load(isolated, bound)
            if overshoot is None:
                findings.notes[bound.key] = NOTHING_STOPS
            else:
                findings.set_value(bound.key,
                                   Measurement(bound.value + bound.outward * overshoot.value, overshoot.error))
    return findings


def without_drives(joint: MaximalJoint) -> MaximalJoint:
    """The joint without drives, unbreakable."""
    return replace(joint, axes=tuple(replace(axis, drive=None) for axis in joint.axes), drive_rotation=(0.0, 0.0, 0.0),
                   break_force=math.inf, break_torque=math.inf)


def without_bounds(joint: MaximalJoint, axis: str) -> MaximalJoint:
    """The same with one axis without limits, a swing without the cone, and no bounds of distance."""
    bare = without_drives(joint)
    axes = tuple(free_axis(other) if other.axis == axis else other for other in bare.axes)
    return replace(bare, axes=axes, cone=None if axis in SWINGS else joint.cone,
                   distance=DistanceRange(-math.inf, math.inf, 0.0, 0.0, False) if joint.kind == "distance" else None)


def response_without_bound(isolated: IsolatedJoint, bound: Bound) -> float:
    """Velocity gained per impulse in the direction of a bound, without this bound."""
    joint = without_bounds(isolated.joint, bound.axis)
    return JointBench(isolated, joint, bound.direction, bound.relative_frame(joint, 0.0)).response()


def overshoot_under_load(isolated: IsolatedJoint, bound: Bound) -> Measurement | None:
    """Displacement of the joint beyond a hard bound under a load; None where nothing stops it."""
    joint = without_drives(isolated.joint)
    bench = JointBench(isolated, joint, bound.direction, bound.relative_frame(joint, 0.0))
    try:
        response = bench.response(-bound.outward)
    except UnsteadyError:       # it is held from the other side too
        response = response_without_bound(isolated, bound)
    bench.restart()
    bench.load(bound.outward * TEST_ACCELERATION * bench.unit / response)
    overshoot = bench.settled_displacement()
    return None if overshoot is None else overshoot.scaled(bound.outward)


def _measure_soft(isolated: IsolatedJoint, bound: Bound, soft: SoftLimit, findings: Findings) -> None:
    unit = 1.0 if bound.direction.angular else 1.0 / isolated.description.scene.meters_per_unit
    overshoot = OVERSHOOT * unit if bound.axis else min(OVERSHOOT_DISTANCE * unit,
                                                        REMAINING_FRACTION * bound.value or math.inf)
    joint = without_drives(isolated.joint)
    # a bound that only damps is given a spring to find it by
    stiffness = soft.stiffness or 0.01 / (response_without_bound(isolated, bound) * isolated.dt ** 2)
    loads = []
    for factor in (1.0, 2.0):
        bench = JointBench(isolated, joint, bound.direction, bound.relative_frame(joint, factor * overshoot))
        bench.set(f"{soft.rows}stiffness", stiffness, soft.element)
        loads.append(bench.balance(bench.restart)[0].scaled(bound.outward))
    near, far = loads
    spring = Measurement(far.value - near.value, far.error + near.error).scaled(1.0 / overshoot)
    if near.value <= 0.0 or spring.value <= 0.0:
        findings.notes[bound.key] = NOTHING_STOPS
        return
    penetration = near.divided_by(spring)
    findings.set_value(bound.key,
                       Measurement(bound.value + bound.outward * (overshoot - penetration.value), penetration.error))
    if soft.keys[0] not in findings.values:
        findings.set_value(soft.keys[0], spring if soft.stiffness else Measurement(0.0, 0.0))
    if soft.keys[1] not in findings.values:
        findings.set_value(soft.keys[1], _drag(bench, bound.outward, soft))


def _drag(bench: JointBench, outward: float, soft: SoftLimit) -> Measurement:
    """Load over an outward speed, the spring off."""
    speed = math.nan
    bench.set(f"{soft.rows}stiffness", 0.0, soft.element)

    def kick() -> None:
        nonlocal speed
        bench.set(f"{soft.rows}damping", 0.0, soft.element)
        bench.restart()
        speed = float(bench.step_velocity(outward * bench.min_load)[0])
        bench.set(f"{soft.rows}damping", soft.damping, soft.element)

    load = bench.balance(kick)[0]       # which sets the speed
    return load.scaled(1.0 / speed)


def _of_axis(joint: MaximalJoint, axis: JointAxis) -> Iterator[Bound]:
    swings = [other.axis for other in joint.axes if other.axis in SWINGS and not unlimited(other.upper)]
    # both swings are as soft as the last one
    instance = swings[-1] if axis.axis in swings else axis.instance
    soft = SoftLimit("limit_", axis.limit_stiffness, axis.limit_damping, spring_keys(joint, instance), axis.axis)
    bounce = Bounce(axis.bounce_threshold, axis.restitution, bounce_keys(joint, instance))
    for key, value, outward in zip(bound_keys(joint, axis), (axis.lower, axis.upper), (-1.0, 1.0), strict=True):
        if not unlimited(value):
            yield Bound(key, value, outward, Direction.of(axis.axis), axis.axis, _if_soft(soft), _if_bounces(bounce))


def _of_cone(joint: MaximalJoint, cone: Cone) -> Iterator[Bound]:
    soft = SoftLimit("cone_", cone.stiffness, cone.damping, spring_keys(joint, "cone"))
    bounce = Bounce(cone.bounce_threshold, cone.restitution, bounce_keys(joint, "cone"))
    for name, angle, axis in (("physics:coneAngle0Limit", cone.angle0, "rotY"),
                              ("physics:coneAngle1Limit", cone.angle1, "rotZ")):
        yield Bound(Key(joint.path, name), angle, 1.0, Direction.of(axis), axis, _if_soft(soft), _if_bounces(bounce))


def _of_distance(isolated: IsolatedJoint, distance: DistanceRange) -> Iterator[Bound]:
    """Along the line between the anchors as authored."""
    joint, poses = isolated.joint, isolated.poses
    first, second = (compose(poses.get(body, IDENTITY_FRAME), frame) for body, frame in (
        (joint.body0, joint.frame0), (joint.body1, joint.frame1)))
    between = rotate(conjugate(first[1]), sub(second[0], first[0]))
    size = math.hypot(*between)
    direction = Direction(False, scale(1.0 / size, between) if size > 0.0 else (1.0, 0.0, 0.0))
    lower, upper, *springs = distance_keys(joint)
    soft = SoftLimit("spring_", distance.stiffness, distance.damping, (springs[0], springs[1]))
    for key, value, outward in ((lower, distance.minimum, -1.0), (upper, distance.maximum, 1.0)):
        if math.isfinite(value):
            yield Bound(key, value, outward, direction, "", soft if distance.spring else None)


def _of_distance_limit(joint: MaximalJoint, distance: DistanceRange) -> Iterator[Bound]:
    """The distance limit of a generic joint, along a translation that has no limits if there is one."""
    free = sorted((axis for axis in joint.axes if not axis.angular), key=lambda axis: math.isfinite(axis.upper))
    soft = SoftLimit("distance_limit_", distance.stiffness, distance.damping, spring_keys(joint, "distance"))
    for axis in free[:1] if math.isfinite(distance.maximum) else ():
        yield Bound(Key(joint.path, "limit:distance:physics:high"), distance.maximum, 1.0, Direction.of(axis.axis),
                    axis.axis, _if_soft(soft))


def _if_bounces(bounce: Bounce) -> Bounce | None:
    return bounce if bounce.restitution > 0.0 else None


def _if_soft(soft: SoftLimit) -> SoftLimit | None:
    return soft if soft.stiffness > 0.0 or soft.damping > 0.0 else None
