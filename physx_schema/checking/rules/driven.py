"""The published rules for driven joints, DJ.001 to DJ.006, judged in the joint's own units and without a simulator.

What the published text asks for beyond PhysX's needs has the profile driven, which only who names it gets.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import DRIVEN, ApplySchema, Finding, safe
from physx_schema.checking.engine.rule import Rule, coord, finder, instance_names, joints_with_state
from physx_schema.description import Description, Dof, Drive, unlimited

TARGET_TOLERANCE = 1e-2        # rad or metres: how far a drive's target may be from the joint state at the start
MAX_STIFFNESS = 1e6     # as authored, of the published text: per degree or per length unit
_LIMIT_TOLERANCE = 1e-4           # rad or length, relative to the limit, at least of 1: degrees and lengths are float32
ONLY_PUBLISHED = "PhysX does not need it, so only the profiles driven and simready (by itself) ask for it."
_STIFF = "float drive:angular:physics:stiffness"
_TARGET = "float drive:angular:physics:targetPosition"

MAX_FORCE = Rule("DJ.001/max-force", "error", f"""
    Drive without a finite force limit

    The published rule wants maxForce authored, finite and above 0 on every driven joint; mimic joints with zero gains
    are left out. {ONLY_PUBLISHED} A negative maxForce is joint/drive-refused, 0 is joint/drive-powerless, NaN is
    value/not-finite.

    Measured: maxForce inf and NaN drive without bound; 0 and -5 leave the joint where it is.
    (`experiments/measure_joint_rules.py`)
    """,
    why="PhysX applies whatever force the gains ask for; the published rule wants a finite maxForce",
    fix="author the greatest force or torque of the actuator",
    profiles=(DRIVEN,),
    example=usda.driven_joint({"float drive:angular:physics:maxForce": "inf"}),
    remedy=usda.driven_joint(),
)


def _strength(dof: Dof, drive: Drive, follows: bool) -> Iterator[Finding]:
    """DJ.001: a finite force above 0. What PhysX refuses or cannot move is an error of another code."""
    idle = follows and not (drive.stiffness or drive.damping)
    if math.isinf(drive.max_force) and not idle:
        yield MAX_FORCE.at(drive.path, drive.prefix + "maxForce", f"no bound on the drive of {dof.name}")


TARGET_STATE = Rule("DJ.001/target-state", "error", f"""
    Drive target away from the joint state

    The published rule wants the drive's target and the joint state to agree at the start, here within 0.01 rad or 10 mm
    whatever the stage's unit. {ONLY_PUBLISHED}

    Measured: A slider at 0 with a drive to 1, stiffness 100, has a velocity of 1.66 after one step of 1/60 s.
    (`experiments/measure_joint_rules.py`)
    """,
    why="the drive moves the joint from the first step on; the published rule wants the two to agree",
    fix="author a joint state and a target that agree",
    profiles=(DRIVEN,),
    example=usda.driven_joint({_TARGET: "20"}),
    remedy=usda.driven_joint({_TARGET: "0.2"}),
)

JOINT_STATE = Rule("DJ.002/joint-state", "error", f"""
    Driven joint without a joint state

    The published rule wants PhysicsJointStateAPI on every driven joint, spherical and generic ones included, whose
    instances are rotX and so on. {ONLY_PUBLISHED}

    Measured: Without a joint state PhysX starts a joint at 0, not where its links are posed: a hinge posed at 30
    degrees starts at 0, with a state of 10 at 10. (`experiments/measure_joint_rules.py`)
    """,
    why="PhysX starts it at 0, wherever its links are posed; the published rule wants PhysicsJointStateAPI",
    profiles=(DRIVEN,),
    example=usda.driven_joint({"float state:angular:physics:position": None}),
    remedy=usda.driven_joint(),
)


def _state(dof: Dof, drive: Drive, instance: str, has_state: bool, meters: float) -> Iterator[Finding]:
    """DJ.001 and DJ.002: a joint state that starts where the drive wants the joint."""
    if not has_state:
        yield JOINT_STATE.at(
            dof.path, "apiSchemas", f"{dof.name} is driven and has no joint state",
            fix=f"apply PhysicsJointStateAPI:{instance}",
            repair=safe(ApplySchema(dof.path, f"PhysicsJointStateAPI:{instance}")),
        )
        return
    error = abs(drive.target_position - dof.position)
    if drive.stiffness > 0.0 and error * (1.0 if dof.angular else meters) > TARGET_TOLERANCE:
        yield TARGET_STATE.at(
            dof.path, f"state:{instance}:physics:position",
            f"the joint starts at {coord(dof, dof.position)} and its drive wants {coord(dof, drive.target_position)}",
        )


UNDRIVEN = Rule("DJ.004/undriven", "error", f"""
    Joint with neither a drive nor a mimic joint

    The published rule wants every joint of an articulation driven or following. {ONLY_PUBLISHED} Passive joints are
    legal. What the published rule says of prismatic mimic joints, that PhysX does not enforce them and they need
    stiffness, is not so: under rotX they follow exactly, and gains fight the coupling (DJ.007/drive-fight).

    Measured: A slider without a drive keeps its speed of 1. A prismatic mimic joint under rotX follows to 0.200 without
    gains; gains of its reference's size leave both at 0.100. (`experiments/measure_joint_rules.py`,
    `experiments/measure_mimics.py`)
    """,
    why="PhysX lets it swing freely, as a passive joint should; the published rule wants every joint driven",
    profiles=(DRIVEN,),
    example=usda.joint("j1", usda.LIMITS),
    remedy=usda.driven_joint(name="j1"),
)


def _undriven(dof: Dof, instance: str) -> Finding:
    return UNDRIVEN.at(
        dof.path, "apiSchemas", f"{dof.name} has neither a drive nor a mimic joint",
        fix=f"apply PhysicsDriveAPI:{instance}, or leave the joint passive",
    )


MAX_VELOCITY = Rule("DJ.005/max-velocity", "error", f"""
    Driven joint without a velocity limit

    The published rule wants maxJointVelocity authored and above 0. It looks in PhysxJointAPI, which PhysX no longer
    has; here PhysxJointAxisAPI and newton:velocityLimit count. {ONLY_PUBLISHED} 0 is joint/no-velocity.

    Measured: physxJoint:maxJointVelocity 0.5 leaves a slider at speed 1; physxJointAxis:linear:maxJointVelocity 0.5
    slows it to 0.5; 0 and -1 hold it; NaN does nothing. (`experiments/measure_joint_rules.py`)
    """,
    why="PhysX does not limit it; the published rule wants a velocity above 0, in PhysxJointAxisAPI since "
        "PhysxJointAPI is gone",
    profiles=(DRIVEN,),
    example=usda.driven_joint({"float physxJointAxis:angular:maxJointVelocity": None}),
    remedy=usda.driven_joint(),
)


def _velocity(dof: Dof, instance: str, authored: set[tuple[str, str]]) -> Iterator[Finding]:
    """DJ.005: a greatest velocity, where PhysX reads one."""
    if unlimited(dof.max_velocity) or (
            dof.axis_prefix is None and not any(name == "max_velocity" for name, _ in dof.sources)):
        name = f"physxJointAxis:{instance}:maxJointVelocity"
        bound = "no bound" if (dof.path, name) in authored else "no authored bound"
        yield MAX_VELOCITY.at(
            dof.path, name, f"{bound} on the velocity of {dof.name}",
            fix=f"author maxJointVelocity of PhysxJointAxisAPI:{instance}",
        )


STIFFNESS = Rule("DJ.006/stiffness", "error", f"""
    Drive with an unlikely stiffness

    The published rule allows a stiffness of 0 to 1e6, per degree on angular axes. {ONLY_PUBLISHED} Negative and
    infinite ones are value/range and value/not-finite.

    Measured: 1e8 holds a slider on its target of 1; -100 throws it to -5.1 in half a second; infinity and NaN make the
    articulation NaN. (`experiments/measure_joint_rules.py`)
    """,
    fix="check the unit of the gain, or use a limit",
    profiles=(DRIVEN,),
    example=usda.driven_joint({_STIFF: "2000000"}),
    remedy=usda.driven_joint(),
)


def _stiffness(dof: Dof, drive: Drive) -> Iterator[Finding]:
    """DJ.006: a gain of a size that an actuator can have."""
    stiffness = math.radians(drive.stiffness) if dof.angular else drive.stiffness
    if stiffness > MAX_STIFFNESS:
        unit = "degree" if dof.angular else "length unit"
        yield STIFFNESS.at(
            drive.path, drive.prefix + "stiffness", f"a stiffness of {stiffness:g} per {unit}",
            why=f"the published rule allows {MAX_STIFFNESS:g}; PhysX "
            "solves drives implicitly and holds the joint like a clamp",
        )


@finder("driven-joints", MAX_FORCE, TARGET_STATE, JOINT_STATE, UNDRIVEN, MAX_VELOCITY, STIFFNESS)
def driven_joints(description: Description) -> Iterator[Finding]:
    """What the published rules ask of the joints of articulations that turn or slide."""
    authored = {(item.path, item.property) for item in description.authored}
    states, instances = joints_with_state(description), instance_names(description)
    states.update(item.path for item in description.applied if item.schema == "PhysicsJointStateAPI")
    for articulation in description.articulations:
        meters = description.scene_of(articulation).meters_per_unit
        following = {articulation.dofs[mimic.follower].name for mimic in articulation.mimics}
        for dof in articulation.dofs:
            follows = dof.name in following
            if dof.drive is None:
                if not follows:
                    yield _undriven(dof, instances[dof.name])
                continue
            yield from _strength(dof, dof.drive, follows)
            yield from _stiffness(dof, dof.drive)
            if follows and not (dof.drive.stiffness or dof.drive.damping):
                continue
            yield from _state(dof, dof.drive, instances[dof.name], dof.path in states, meters)
            yield from _velocity(dof, instances[dof.name], authored)


TARGET_WITHOUT_GAIN = Rule("DJ.006/target-without-gain", "warning", """
    Drive target without the gain that pulls to it

    targetPosition needs a stiffness, targetVelocity a damping. Without, the target does nothing; but beside a stiffness
    a targetVelocity without damping still shifts the position that the drive aims at within a step.

    Measured: Target 1 with stiffness and damping 0, and target velocity 1 with both 0, leave a slider at 0. Target
    velocity 1 with stiffness 100 and damping 0 brings it to -0.000154 in one step.
    (`experiments/measure_joint_rules.py`)
    """,
    why="the drive does not pull towards it",
    example=usda.driven_joint({_STIFF: "0", _TARGET: "20"}),
    remedy=usda.driven_joint({_TARGET: "20"}),
)


def _powerless(dof: Dof, drive: Drive, instance: str) -> Iterator[Finding]:
    """A target that has no gain behind it."""
    for target, gain, base, needed in (
        (drive.target_position, drive.stiffness, "targetPosition", "stiffness"),
        # beside a stiffness PhysX moves the target position along with it within a step
        (drive.target_velocity, max(drive.damping, drive.stiffness), "targetVelocity", "damping"),
    ):
        if target and gain == 0.0:
            yield TARGET_WITHOUT_GAIN.at(
                drive.path, drive.prefix + base, f"{base} {coord(dof, target)} with a {needed} of 0",
                fix=f"author drive:{instance}:physics:{needed}",
            )


TARGET_OUTSIDE_LIMITS = Rule("DJ.006/target-outside-limits", "warning", """
    Drive target outside the joint's limits

    The drive presses the joint against its limit for as long as the target stands.

    Measured: Target 1 with limits of 0.5 ends at 0.500001. (`experiments/measure_joint_rules.py`)
    """,
    why="the drive presses the joint against its limit and never arrives",
    fix="author a target within the limits, or widen them",
    example=usda.driven_joint({_TARGET: "60"}),
    remedy=usda.driven_joint({_TARGET: "40"}),
)


def _unreachable(dof: Dof, drive: Drive) -> Iterator[Finding]:
    """A target that the joint cannot reach."""
    target, tolerance = drive.target_position, _LIMIT_TOLERANCE * max(1.0, abs(drive.target_position))
    if dof.lower <= dof.upper and not dof.lower - tolerance <= target <= dof.upper + tolerance:
        yield TARGET_OUTSIDE_LIMITS.at(
            drive.path, drive.prefix + "targetPosition",
            f"{coord(dof, target)} is outside the limits [{coord(dof, dof.lower)}, {coord(dof, dof.upper)}]",
        )


@finder("drive-targets", TARGET_WITHOUT_GAIN, TARGET_OUTSIDE_LIMITS)
def drive_targets(description: Description) -> Iterator[Finding]:
    """DJ.006: targets that a drive pulls to and that the joint can reach, which PhysX needs as well."""
    instances = instance_names(description)
    for articulation in description.articulations:
        for dof in articulation.dofs:
            drive = dof.drive
            if drive is not None and (drive.target_position or drive.target_velocity):
                yield from _powerless(dof, drive, instances[dof.name])
            if drive is not None and drive.stiffness > 0.0:
                yield from _unreachable(dof, drive)
