"""Limits of joints, and positions and targets that contradict them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PROFILES, Finding, Repair, SetValue, safe, unsafe
from physx_schema.checking.engine.rule import (
    ReaderRule,
    Rule,
    Values,
    coord,
    every_axis,
    every_dof,
    finder,
    instance_names,
    joints_with_state,
)
from physx_schema.description import Description, Dof, JointAxis, Problem

_BOUNDS = frozenset({"lowerLimit", "upperLimit", "low", "high"})
_TOLERANCE = 1e-4       # rad or length, relative to the limit, at least of 1: degrees and lengths are float32
NO_BOUND = 1e38         # what PhysX accepts as no limit; it refuses infinity together with a number
_FREE = dict.fromkeys(usda.LIMITS)       # limits taken away
_TRANSLATIONS = ("transX", "transY", "transZ")
_LOCKED = [f"PhysicsLimitAPI:{name}" for name in _TRANSLATIONS]
_BALL = {f"float limit:{name}:physics:{bound}": value for name in _TRANSLATIONS
         for bound, value in (("low", "1"), ("high", "-1"))}


def _ball(first: str, second: str) -> str:
    """A spherical joint with the two angles of its cone; -1 stands for none."""
    cone = {"float physics:coneAngle0Limit": first, "float physics:coneAngle1Limit": second}
    return usda.joint("j2", cone, kind="Spherical")


def _soft_cone(stiffness: str) -> str:
    """A spherical joint outside articulations whose cone has a stiffness."""
    return usda.joint("j2", {"float physics:coneAngle0Limit": "30", "float physics:coneAngle1Limit": "30",
                             "bool physics:excludeFromArticulation": "true",
                             "float physxLimit:cone:stiffness": stiffness}, "PhysxLimitAPI:cone", kind="Spherical")


def _other_bound(problem: Problem, values: Values) -> Repair | None:
    """Author the missing bound as the number that PhysX accepts as none; the authored one stays."""
    value = -NO_BOUND if problem.property.endswith(("lowerLimit", "low")) else NO_BOUND
    return safe(SetValue(problem.path, problem.property, value, "float"))


ONE_SIDED_LIMIT = ReaderRule("joint/one-sided-limit", "error", """
    Joint limit with one infinite bound

    PhysX refuses limits with one infinite bound and holds the joint at 0. For a joint without an upper or lower bound,
    author 1e38 or -1e38 as this bound. Outside articulations revolute joints accept one infinite bound; other axes with
    one infinite bound move freely or up to 90 degrees.

    Measured: With limits [-inf, 0.5], a prismatic joint with speed 1 stays at 0. (`experiments/measure_joint_rules.py`)
    """,
    example=usda.joint("j2", {"float physics:lowerLimit": "-45"}),
    remedy=usda.joint("j2", usda.LIMITS),
    repair=_other_bound,
)


def _swapped(problem: Problem, values: Values) -> Repair | None:
    """Exchange the two bounds."""
    lower = problem.property
    upper = lower.removesuffix("lowerLimit") + "upperLimit" if lower.endswith("lowerLimit") else (
        lower.removesuffix("low") + "high")
    low, high = values.get((problem.path, lower)), values.get((problem.path, upper))
    if not isinstance(low, float) or not isinstance(high, float) or not low > high:
        return None
    return unsafe(SetValue(problem.path, lower, high), SetValue(problem.path, upper, low))


LIMIT_ORDER = ReaderRule("joint/limit-order", "error", """
    Lower limit above the upper limit

    PhysX refuses joint limits of NaN, and a lower limit above the upper limit. PhysX holds a joint with such limits at
    0. Outside articulations a joint with such limits is free, locked or limited to 90 degrees, depending on its type.

    Measured: With limits [0.5, -0.5], a prismatic joint with speed 1 stays at 0. (`experiments/measure_joint_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.joint("j2", {"float physics:lowerLimit": "45", "float physics:upperLimit": "-45"}),
    remedy=usda.joint("j2", usda.LIMITS),
    repair=_swapped,
)

LOCKED = Rule("joint/locked", "info", """
    Joint limits that allow one position

    If both limits are equal, PhysX holds the joint at that position.

    Measured: A revolute joint with both limits at 10 degrees stays at 10.000 degrees under gravity.
    (`experiments/measure_joint_bodies.py`)
    """,
    why="PhysX holds the joint at this position",
    fix="use a fixed joint, or author a lower limit below the upper limit",
    profiles=PROFILES,
    example=usda.joint("j2", {"float physics:lowerLimit": "0", "float physics:upperLimit": "0"}),
    remedy=usda.joint("j2", usda.LIMITS),
)


def _locked(
    description: Description, dofs: Sequence[Dof | JointAxis], instances: Mapping[str, str],
) -> Iterator[Finding]:
    """Find degrees of freedom with one intended position: refused limits leave them at 0 too."""
    paths = {dof.path for dof in dofs}
    bounds = [item for item in description.authored if item.path in paths and item.base in _BOUNDS]
    generic = {item.path for item in bounds if item.schema == "PhysicsLimitAPI"}
    zero = {(item.path, item.property) for item in bounds if item.value == 0.0}
    for dof in dofs:
        prefix = f"limit:{instances[dof.name]}:" if dof.path in generic else ""
        names = ("low", "high") if prefix else ("lowerLimit", "upperLimit")
        if dof.lower != 0.0 or all((dof.path, f"{prefix}physics:{name}") in zero for name in names):
            yield LOCKED.at(
                dof.path, f"{prefix}physics:{names[0]}", f"both limits of {dof.name} are {coord(dof, dof.lower)}",
            )


STATE_OUTSIDE_LIMITS = Rule("joint/state-outside-limits", "warning", """
    Joint state outside the limits

    If the authored joint position is outside the limits, the first steps push the joint back with great force.

    Measured: If a prismatic joint with an upper limit of 0.5 starts at 1, it is at 0.5 after one step.
    (`experiments/measure_joint_rules.py`)
    """,
    why="the first steps push the joint back with great force",
    fix="author a position within the limits",
    profiles=PROFILES,
    example=usda.driven_joint({"float state:angular:physics:position": "60"}),
    remedy=usda.driven_joint(),
)


def _state(dof: Dof, instance: str) -> Iterator[Finding]:
    tolerance = _TOLERANCE * max(1.0, abs(dof.position))
    if math.isnan(dof.position) or dof.lower - tolerance <= dof.position <= dof.upper + tolerance:
        return
    yield STATE_OUTSIDE_LIMITS.at(
        dof.path, f"state:{instance}:physics:position",
        f"position {coord(dof, dof.position)} is outside the limits [{coord(dof, dof.lower)}, {coord(dof, dof.upper)}]",
    )


@finder("joint-positions", LOCKED, STATE_OUTSIDE_LIMITS)
def positions(description: Description) -> Iterator[Finding]:
    """Judge the range and the start of each degree of freedom."""
    states, instances = joints_with_state(description), instance_names(description)
    for dof in every_dof(description):
        if dof.path in states:
            yield from _state(dof, instances[dof.name])
    yield from _locked(description, [axis for axis in every_axis(description) if axis.lower == axis.upper], instances)


LIMIT_RANGE = ReaderRule("joint/limit-range", "error", """
    Joint limits beyond 180 degrees

    In articulations PhysX refuses limits of generic and spherical joints beyond 180 degrees, and holds such an axis at
    0. Outside articulations PhysX refuses swing limits and cones of 180 degrees or more, and cones of 0. The axes with
    refused limits turn freely or up to 90 degrees.

    Measured: The axis rotX of a generic joint turns if its limits are 180 degrees. With limits [-200, 100] degrees the
    axis rotX stays at 0. (`experiments/measure_joint_limits.py`)
    """,
    example=_ball("200", "30"),
    remedy=_ball("180", "30"),
)

HALF_CONE = ReaderRule("joint/half-cone", "warning", """
    Cone limit with only one angle

    A cone limit needs two angles of at least 0. If only one angle is authored, PhysX ignores it, and both swing axes
    are free.

    Measured: If only one cone angle of 20 degrees is authored, both swing axes turn to 57.3 degrees in one second at 1
    rad/s. (`experiments/measure_joint_limits.py`)
    """,
    example=_ball("20", "-1"),
    remedy=_ball("20", "180"),
)

SOFT_CONE = Rule("joint/soft-cone", "warning", """
    Soft cone limit outside articulations

    PhysX applies a soft cone limit as a spring that pulls the joint to the rim of the cone. The spring also pulls the
    joint out to the rim if the joint is inside the cone. Other soft limits act only beyond their bounds.

    Measured: A body starts at rest inside a cone limit of 30 degrees with stiffness 50. After half a second the body is
    at 57.6 degrees. (`experiments/measure_outside_limits.py`)
    """,
    why="PhysX pulls the joint to the rim of the cone, even from inside",
    fix="remove stiffness and damping for a hard cone, or use a drive as a spring",
    example=_soft_cone("50"),
    remedy=_soft_cone("0"),
)


@finder("soft-cones", SOFT_CONE)
def soft_cones(description: Description) -> Iterator[Finding]:
    """Find soft cones of joints outside articulations."""
    for joint in description.joints:
        if joint.cone is not None and (joint.cone.stiffness or joint.cone.damping):
            name = "stiffness" if joint.cone.stiffness else "damping"
            yield SOFT_CONE.at(joint.path, f"physxLimit:cone:{name}",
                               f"{name} {getattr(joint.cone, name):g} makes the cone limit soft")


FREE_TRANSLATION = ReaderRule("joint/free-translation", "warning", """
    Free translation of a generic joint

    In articulations PhysX locks all translations of a generic joint and allows only rotations.

    Measured: If transX is free or limited to [-1, 1], a generic joint only rotates. PhysX logs the lock.
    (`experiments/measure_joint_limits.py`)
    """,
    example=usda.joint("j2", kind=""),
    remedy=usda.joint("j2", _BALL, *_LOCKED, kind=""),
)

STATE_REFUSED = ReaderRule("joint/state-refused", "error", """
    Joint state that PhysX refuses

    PhysX refuses joint positions of NaN, beyond 360 degrees on revolute joints without limits, and beyond 180 degrees
    on generic joints. If PhysX refuses the joint state, the joint starts at 0. Infinite values that PhysX does not
    refuse make the motion NaN or very fast.

    Measured: A revolute joint without limits starts at 360 degrees if its joint state is 360 degrees. If its joint
    state is 361 degrees, the joint starts at 0. (`experiments/measure_joint_limits.py`)
    """,
    example=usda.driven_joint({"float state:angular:physics:position": "nan"}),
    remedy=usda.driven_joint(),
)

TARGET_CHANGED = ReaderRule("joint/target-changed", "warning", """
    Drive target that PhysX changes

    On a revolute joint without limits, PhysX removes whole turns from the drive target. On a generic joint, PhysX
    refuses drive targets beyond 180 degrees.

    Measured: A revolute joint without limits and with target 500 degrees ends at 140 degrees.
    (`experiments/measure_joint_limits.py`)
    """,
    example=usda.driven_joint({**_FREE, "float drive:angular:physics:targetPosition": "500"}),
    remedy=usda.driven_joint({**_FREE, "float drive:angular:physics:targetPosition": "140"}),
)

INFINITE_DISTANCE = ReaderRule("joint/infinite-distance", "error", """
    Distance joint with an infinite bound

    PhysX refuses an infinite maxDistance and uses 0, which holds the two joint frames together. A negative maxDistance
    means that the distance has no upper bound.

    Measured: With maxDistance inf, a body with speed 1 stops at distance 0.025. With maxDistance 0.5 the body stops at
    distance 0.517.
    (`experiments/measure_outside_joints.py`)
    """,
    profiles=PROFILES,
    example=usda.joint("j2", {"float physics:maxDistance": "inf"}, kind="Distance"),
    remedy=usda.joint("j2", {"float physics:maxDistance": "2"}, kind="Distance"),
)
