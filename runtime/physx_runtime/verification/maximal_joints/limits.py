"""Experiments on what bounds a joint outside articulations: limits, cones and distances, hard and soft."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from physx_runtime.dynamics.spatial import conjugate, rotate, scale, sub
from physx_runtime.packing.frames import IDENTITY_ROTATION, Frame, compose
from physx_runtime.verification.maximal_joints.bench import (
    HERE,
    PRESSING,
    Direction,
    Isolated,
    JointBench,
    free_axis,
    resting,
)
from physx_runtime.verification.quantity import Findings, Key, Measured, UnsteadyError
from physx_schema.description.model import Cone, DistanceRange, JointAxis, OutsideJoint, unlimited
from physx_schema.description.opinions.schemas import ROTATIONS

SWINGS = ROTATIONS[1:]
# How far beyond soft bounds the joint is held: of rotations and translations, and of distances, rad or m.
BEYOND, BEYOND_DISTANCE = 1e-3, 0.1
# Of a bound that is smaller, the part that is left then.
LEFT = 0.25
NOTHING_STOPS = "nothing stops the joint there"


@dataclass(frozen=True, slots=True)
class Softness:
    """Spring and damper of a soft bound."""

    rows: str                   # of the parameters: "limit_" stiffness and damping, "cone_", "spring_"
    stiffness: float
    damping: float
    keys: tuple[Key, Key]
    element: str = ""           # of the rows, where they have several


@dataclass(frozen=True, slots=True)
class Bouncing:
    """How a hard bound sends back."""

    threshold: float            # rad/s or length/s
    restitution: float
    keys: tuple[Key, Key]       # of restitution and threshold


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of what a joint may do."""

    key: Key
    value: float                # rad or length
    outward: float              # 1.0 or -1.0
    direction: Direction
    axis: str                   # a D6 joint's, "" of a distance joint
    soft: Softness | None = None
    bounce: Bouncing | None = None

    def stand(self, joint: OutsideJoint, beyond: float) -> Frame:
        """The second frame in the first, so far beyond the bound."""
        at = self.value + self.outward * beyond
        return resting(joint, self.axis, at) if self.axis else (scale(at, self.direction.axis), IDENTITY_ROTATION)


def bounds_of(held: Isolated) -> Iterator[Bound]:
    """The bounds of a joint that there are."""
    joint = held.joint
    for axis in joint.axes:
        yield from _of_axis(joint, axis)
    if joint.cone is not None:
        yield from _of_cone(joint, joint.cone)
    if joint.distance is not None and joint.kind == "distance":
        yield from _of_distance(held, joint.distance)
    elif joint.distance is not None:
        yield from _of_way(joint, joint.distance)


def bound_keys(joint: OutsideJoint, axis: JointAxis) -> tuple[Key, Key]:
    """The properties of the lower and the upper limit of an axis."""
    names = (("physics:lowerLimit", "physics:upperLimit") if axis.instance in ("angular", "linear") else
             (f"limit:{axis.instance}:physics:low", f"limit:{axis.instance}:physics:high"))
    return Key(joint.path, names[0]), Key(joint.path, names[1])


def spring_keys(joint: OutsideJoint, instance: str) -> tuple[Key, Key]:
    """The properties of a soft limit."""
    return Key(joint.path, f"physxLimit:{instance}:stiffness"), Key(joint.path, f"physxLimit:{instance}:damping")


def bounce_keys(joint: OutsideJoint, instance: str) -> tuple[Key, Key]:
    """The properties of a hard limit that sends back."""
    return (Key(joint.path, f"physxLimit:{instance}:restitution"),
            Key(joint.path, f"physxLimit:{instance}:bounceThreshold"))


def distance_keys(joint: OutsideJoint) -> tuple[Key, Key, Key, Key]:
    """The properties of a distance joint: least and greatest distance, spring and damper."""
    own = "physxPhysicsDistanceJoint:spring"
    return (Key(joint.path, "physics:minDistance"), Key(joint.path, "physics:maxDistance"),
            Key(joint.path, f"{own}Stiffness"), Key(joint.path, f"{own}Damping"))


def measure_bounds(held: Isolated) -> Findings:
    """Where a joint stops, and the springs of its soft bounds, per rad or length.

    A hard bound is where a load like the joint's own weight keeps it. A soft one is held beyond it at rest, in two
    places: the loads tell its stiffness and where it begins. Damping is the load that keeps up a speed outward.
    """
    found = Findings()
    for bound in bounds_of(held):
        if bound.soft is not None:
            with found.attempt(bound.key, *(key for key in bound.soft.keys if key not in found.values)):
                _pull(held, bound, bound.soft, found)
            continue
        with found.attempt(bound.key):
            moved = pressed(held, bound)
            if moved is None:
                found.notes[bound.key] = NOTHING_STOPS
            else:
                found.put(bound.key, Measured(bound.value + bound.outward * moved.value, moved.error))
    return found


def unpressed(joint: OutsideJoint) -> OutsideJoint:
    """The joint without drives, unbreakable."""
    return replace(joint, axes=tuple(replace(axis, drive=None) for axis in joint.axes), aim=(0.0, 0.0, 0.0),
                   break_force=math.inf, break_torque=math.inf)


def unbounded(joint: OutsideJoint, axis: str) -> OutsideJoint:
    """The same with one axis without limits, a swing without the cone, and no bounds of distance."""
    bare = unpressed(joint)
    axes = tuple(free_axis(other) if other.axis == axis else other for other in bare.axes)
    return replace(bare, axes=axes, cone=None if axis in SWINGS else joint.cone,
                   distance=DistanceRange(-math.inf, math.inf, 0.0, 0.0, False) if joint.kind == "distance" else None)


def response_at(held: Isolated, bound: Bound) -> float:
    """Velocity gained per impulse in the direction of a bound that is taken away."""
    joint = unbounded(held.joint, bound.axis)
    return JointBench(held, joint, bound.direction, bound.stand(joint, 0.0)).response()


def pressed(held: Isolated, bound: Bound) -> Measured | None:
    """How far beyond a hard bound a load keeps the joint; None where nothing stops it."""
    joint = unpressed(held.joint)
    bench = JointBench(held, joint, bound.direction, bound.stand(joint, 0.0))
    try:
        response = bench.response(-bound.outward)
    except UnsteadyError:       # it is held from the other side too
        response = response_at(held, bound)
    bench.restart()
    bench.load(bound.outward * PRESSING * bench.unit / response)
    moved = bench.rested()
    return None if moved is None else moved.times(bound.outward)


def _pull(held: Isolated, bound: Bound, soft: Softness, found: Findings) -> None:
    unit = 1.0 if bound.direction.angular else 1.0 / held.description.scene.meters_per_unit
    beyond = BEYOND * unit if bound.axis else min(BEYOND_DISTANCE * unit, LEFT * bound.value or math.inf)
    joint = unpressed(held.joint)
    # a bound that only damps is given a spring to find it by
    stiffness = soft.stiffness or 0.01 / (response_at(held, bound) * held.dt ** 2)
    loads = []
    for share in (1.0, 2.0):
        bench = JointBench(held, joint, bound.direction, bound.stand(joint, share * beyond))
        bench.set(f"{soft.rows}stiffness", stiffness, soft.element)
        loads.append(bench.balance(bench.restart)[0].times(bound.outward))
    near, far = loads
    held_by = Measured(far.value - near.value, far.error + near.error).times(1.0 / beyond)
    if near.value <= 0.0 or held_by.value <= 0.0:
        found.notes[bound.key] = NOTHING_STOPS
        return
    inside = near.over(held_by)
    found.put(bound.key, Measured(bound.value + bound.outward * (beyond - inside.value), inside.error))
    if soft.keys[0] not in found.values:
        found.put(soft.keys[0], held_by if soft.stiffness else Measured(0.0, 0.0))
    if soft.keys[1] not in found.values:
        found.put(soft.keys[1], _drag(bench, bound.outward, soft))


def _drag(bench: JointBench, outward: float, soft: Softness) -> Measured:
    """Load over an outward speed, the spring off."""
    speed = math.nan
    bench.set(f"{soft.rows}stiffness", 0.0, soft.element)

    def kick() -> None:
        nonlocal speed
        bench.set(f"{soft.rows}damping", 0.0, soft.element)
        bench.restart()
        speed = float(bench.gained(outward * bench.least)[0])
        bench.set(f"{soft.rows}damping", soft.damping, soft.element)

    load = bench.balance(kick)[0]       # which sets the speed
    return load.times(1.0 / speed)


def _of_axis(joint: OutsideJoint, axis: JointAxis) -> Iterator[Bound]:
    swings = [other.axis for other in joint.axes if other.axis in SWINGS and not unlimited(other.upper)]
    # both swings are as soft as the last one
    instance = swings[-1] if axis.axis in swings else axis.instance
    soft = Softness("limit_", axis.limit_stiffness, axis.limit_damping, spring_keys(joint, instance), axis.axis)
    bounce = Bouncing(axis.bounce_threshold, axis.restitution, bounce_keys(joint, instance))
    for key, value, outward in zip(bound_keys(joint, axis), (axis.lower, axis.upper), (-1.0, 1.0), strict=True):
        if not unlimited(value):
            yield Bound(key, value, outward, Direction.of(axis.axis), axis.axis, _if_soft(soft), _if_bouncing(bounce))


def _of_cone(joint: OutsideJoint, cone: Cone) -> Iterator[Bound]:
    soft = Softness("cone_", cone.stiffness, cone.damping, spring_keys(joint, "cone"))
    bounce = Bouncing(cone.bounce_threshold, cone.restitution, bounce_keys(joint, "cone"))
    for name, angle, axis in (("physics:coneAngle0Limit", cone.angle0, "rotY"),
                              ("physics:coneAngle1Limit", cone.angle1, "rotZ")):
        yield Bound(Key(joint.path, name), angle, 1.0, Direction.of(axis), axis, _if_soft(soft), _if_bouncing(bounce))


def _of_distance(held: Isolated, distance: DistanceRange) -> Iterator[Bound]:
    """Along the line between the anchors as authored."""
    joint, poses = held.joint, held.poses
    first, second = (compose(poses.get(body, HERE), frame) for body, frame in (
        (joint.body0, joint.frame0), (joint.body1, joint.frame1)))
    between = rotate(conjugate(first[1]), sub(second[0], first[0]))
    size = math.hypot(*between)
    direction = Direction(False, scale(1.0 / size, between) if size > 0.0 else (1.0, 0.0, 0.0))
    least, most, *springs = distance_keys(joint)
    soft = Softness("spring_", distance.stiffness, distance.damping, (springs[0], springs[1]))
    for key, value, outward in ((least, distance.minimum, -1.0), (most, distance.maximum, 1.0)):
        if math.isfinite(value):
            yield Bound(key, value, outward, direction, "", soft if distance.spring else None)


def _of_way(joint: OutsideJoint, distance: DistanceRange) -> Iterator[Bound]:
    """The distance limit of a generic joint, along a translation that has no limits if there is one."""
    free = sorted((axis for axis in joint.axes if not axis.angular), key=lambda axis: math.isfinite(axis.upper))
    soft = Softness("distance_limit_", distance.stiffness, distance.damping, spring_keys(joint, "distance"))
    for axis in free[:1] if math.isfinite(distance.maximum) else ():
        yield Bound(Key(joint.path, "limit:distance:physics:high"), distance.maximum, 1.0, Direction.of(axis.axis),
                    axis.axis, _if_soft(soft))


def _if_bouncing(bounce: Bouncing) -> Bouncing | None:
    return bounce if bounce.restitution > 0.0 else None


def _if_soft(soft: Softness) -> Softness | None:
    return soft if soft.stiffness > 0.0 or soft.damping > 0.0 else None
