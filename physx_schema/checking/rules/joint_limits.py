"""Limits of joints, and positions and targets beside them."""

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
NO_BOUND = 1e38         # what PhysX takes for no limit where it refuses infinity beside a number
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
    """The missing bound as the number that PhysX takes for none; the authored one stays."""
    value = -NO_BOUND if problem.property.endswith(("lowerLimit", "low")) else NO_BOUND
    return safe(SetValue(problem.path, problem.property, value, "float"))


ONE_SIDED_LIMIT = ReaderRule("joint/one-sided-limit", "error", """
    Joint limit on one side only

    PhysX refuses limits with one infinite bound and holds the joint at 0. Author both bounds; 1e38 and above stands for
    no bound and is accepted. Outside articulations a refused slider slides freely, and a swing of a generic joint turns
    by 90 degrees to either side, or freely where both swings have limits; hinges and twists take one bound.

    Measured: Limits [-inf, 0.5] hold a slider of speed 1 at 0, and PhysX logs invalid limit parameters.
    (`experiments/measure_joint_rules.py`) Outside it gets to 1.5 in 1.5 s, a swing with [-inf, 20] to 90 degrees, a
    hinge to 20. (`experiments/measure_outside_joints.py`)
    """,
    example=usda.joint("j2", {"float physics:lowerLimit": "-45"}),
    remedy=usda.joint("j2", usda.LIMITS),
    repair=_other_bound,
)


def _swapped(problem: Problem, values: Values) -> Repair | None:
    """The two bounds exchanged."""
    lower = problem.property
    upper = lower.removesuffix("lowerLimit") + "upperLimit" if lower.endswith("lowerLimit") else (
        lower.removesuffix("low") + "high")
    low, high = values.get((problem.path, lower)), values.get((problem.path, upper))
    if not isinstance(low, float) or not isinstance(high, float) or not low > high:
        return None
    return unsafe(SetValue(problem.path, lower, high), SetValue(problem.path, upper, low))


LIMIT_ORDER = ReaderRule("joint/limit-order", "error", """
    Lower limit above the upper one

    PhysX refuses limits with the lower bound above the upper, or that are no numbers, and holds the joint at 0. Outside
    articulations it limits a hinge to 90 degrees to either side, lets a slider slide freely, locks a generic joint's
    axis, and takes NaN for no bound of a hinge. A hinge's bounds are cut to 180 degrees first.

    Measured: Limits [0.5, -0.5] and [NaN, 0.5] hold a slider of speed 1 at 0, and PhysX logs invalid limit parameters.
    (`experiments/measure_joint_rules.py`) Outside a hinge with [20, -10] or [200, 250] stops at 90 degrees, with
    [NaN, 20] at 20; a slider passes both. (`experiments/measure_outside_joints.py`)
    """,
    profiles=PROFILES,
    example=usda.joint("j2", {"float physics:lowerLimit": "45", "float physics:upperLimit": "-45"}),
    remedy=usda.joint("j2", usda.LIMITS),
    repair=_swapped,
)

LOCKED = Rule("joint/locked", "info", """
    Joint with one position

    Both limits of the joint are the same, 0 and 0 included, so it has one position.

    Measured: Under gravity a hinge with limits of 10 and 10 stays at 10.000 degrees, one of 0 and 0 at 0.
    (`experiments/measure_joint_bodies.py`)
    """,
    why="the joint is held there",
    fix="use a fixed joint, or author lower < upper",
    profiles=PROFILES,
    example=usda.joint("j2", {"float physics:lowerLimit": "0", "float physics:upperLimit": "0"}),
    remedy=usda.joint("j2", usda.LIMITS),
)


def _locked(
    description: Description, dofs: Sequence[Dof | JointAxis], instances: Mapping[str, str],
) -> Iterator[Finding]:
    """Degrees of freedom that are meant to have one position: limits that PhysX refuses leave them 0 as well."""
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

    The authored joint state is outside the joint's limits, so the first steps push the joint back with great force.

    Measured: A slider that starts at 1 with limits of 0.5 is at 0.5 after one step.
    (`experiments/measure_joint_rules.py`)
    """,
    why="the first steps push the joint back inside",
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
        f"{coord(dof, dof.position)} is outside the limits [{coord(dof, dof.lower)}, {coord(dof, dof.upper)}]",
    )


@finder("joint-positions", LOCKED, STATE_OUTSIDE_LIMITS)
def positions(description: Description) -> Iterator[Finding]:
    """What limits leave of each degree of freedom, and where it starts."""
    states, instances = joints_with_state(description), instance_names(description)
    for dof in every_dof(description):
        if dof.path in states:
            yield from _state(dof, instances[dof.name])
    yield from _locked(description, [axis for axis in every_axis(description) if axis.lower == axis.upper], instances)


LIMIT_RANGE = ReaderRule("joint/limit-range", "error", """
    Limits beyond half a turn

    Generic and spherical joints of an articulation turn by at most 180 degrees to either side. PhysX refuses wider
    limits and holds the axis at 0. Outside articulations it refuses swings and cones from 180 degrees on, and cones of
    0: one swing then turns by 90 degrees to either side, two that have limits, or would have a cone, turn freely.

    Measured: rotX of a generic joint turns with limits of 180 and stays at 0 with [-200, 100]; the swing of a cone of
    200 degrees beside 30 stays at 0.3. PhysX logs the range. A hinge takes [-400, 400].
    (`experiments/measure_joint_limits.py`) Outside, a swing with [-90, 250] stops at 90 degrees, and cones of 0, 180 or
    200 degrees beside 30 stop nothing. (`experiments/measure_outside_joints.py`)
    """,
    example=_ball("200", "30"),
    remedy=_ball("180", "30"),
)

HALF_CONE = ReaderRule("joint/half-cone", "warning", """
    Cone limit with one angle

    PhysX makes a cone of two angles of at least 0, and ignores one alone.

    Measured: Cone angles 20 and 30 stop two swings of 1 rad/s within a second; 20 alone lets both turn on, to 57.3
    degrees, without a message. (`experiments/measure_joint_limits.py`)
    """,
    example=_ball("20", "-1"),
    remedy=_ball("20", "180"),
)

SOFT_CONE = Rule("joint/soft-cone", "warning", """
    Soft cone limit outside articulations

    PhysX takes a soft cone for a spring to its rim from both sides: a joint anywhere inside is pulled out to the rim.
    Soft limits of other joints act only beyond their bounds.

    Measured: A body at rest in the middle of a cone of 30 degrees, which nothing else turns, is at 57.6 degrees after
    half a second with a stiffness of 50, and stays where it is with 0.
    (`experiments/measure_outside_limits.py`)
    """,
    why="PhysX pulls the joint out to the rim of the cone, from inside too",
    fix="take stiffness and damping away for a hard cone, or use a drive for a spring",
    example=_soft_cone("50"),
    remedy=_soft_cone("0"),
)


@finder("soft-cones", SOFT_CONE)
def soft_cones(description: Description) -> Iterator[Finding]:
    """Cones of joints outside articulations that are springs."""
    for joint in description.joints:
        if joint.cone is not None and (joint.cone.stiffness or joint.cone.damping):
            name = "stiffness" if joint.cone.stiffness else "damping"
            yield SOFT_CONE.at(joint.path, f"physxLimit:cone:{name}",
                               f"{name} {getattr(joint.cone, name):g} makes the cone soft")


FREE_TRANSLATION = ReaderRule("joint/free-translation", "warning", """
    Free translation of a generic joint

    PhysX locks the translations of generic joints in articulations.

    Measured: With transX free or limited to [-1, 1] the joint has its rotations alone, and PhysX logs that it locks all
    translations. (`experiments/measure_joint_limits.py`)
    """,
    example=usda.joint("j2", kind=""),
    remedy=usda.joint("j2", _BALL, *_LOCKED, kind=""),
)

STATE_REFUSED = ReaderRule("joint/state-refused", "error", """
    Joint state that PhysX refuses

    PhysX refuses NaN, and a joint position beyond one turn where a revolute joint has no limits, beyond half a turn on
    a generic joint; it starts at 0 then. Other infinite positions and velocities it takes, and the motion becomes NaN
    or as fast as a joint may be.

    Measured: A hinge at 361 degrees and one at NaN start at 0, at 360 and, with limits of 500, at 400 it starts there;
    a generic joint does at 170, not at 200. An infinite velocity makes a hinge NaN and a slider as fast as 100; an
    infinite position makes a slider NaN. (`experiments/measure_joint_limits.py`)
    """,
    example=usda.driven_joint({"float state:angular:physics:position": "nan"}),
    remedy=usda.driven_joint(),
)

TARGET_CHANGED = ReaderRule("joint/target-changed", "warning", """
    Drive target that PhysX changes

    On a revolute joint without limits PhysX takes whole turns off a drive's target; on a generic joint it refuses
    targets beyond 180 degrees.

    Measured: A hinge driven to 350 degrees arrives; to 360 it stays at 0, to 500 it ends at 140, with limits of 600 at
    499.99. A generic joint arrives at 170 and stays at 0 for 200; that alone is logged.
    (`experiments/measure_joint_limits.py`)
    """,
    example=usda.driven_joint({**_FREE, "float drive:angular:physics:targetPosition": "500"}),
    remedy=usda.driven_joint({**_FREE, "float drive:angular:physics:targetPosition": "140"}),
)

INFINITE_DISTANCE = ReaderRule("joint/infinite-distance", "error", """
    Distance joint with an infinite bound

    PhysX refuses an infinite maxDistance and works with 0: the two frames are held together. A negative number stands
    for no bound.

    Measured: A body of speed 1 on a distance joint with maxDistance inf stops at 0.025, where the joint's tolerance
    ends; with 0.5 at 0.517, and with NaN it flies on. PhysX logs an invalid parameter.
    (`experiments/measure_outside_joints.py`)
    """,
    profiles=PROFILES,
    example=usda.joint("j2", {"float physics:maxDistance": "inf"}, kind="Distance"),
    remedy=usda.joint("j2", {"float physics:maxDistance": "2"}, kind="Distance"),
)
