"""SimReady's rules for driven joints, DJ.001 to DJ.006, judged in the units of the joint and without a simulator.

Requirements beyond PhysX's needs have the profile driven, which is not part of the default.
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
_STIFF = "float drive:angular:physics:stiffness"
_TARGET = "float drive:angular:physics:targetPosition"

MAX_FORCE = Rule("DJ.001/max-force", "error", """
    Drive without a finite force limit

    SimReady DJ.001, unlike PhysX, requires a finite maxForce above 0 on every driven joint, except mimic joints without
    gains.

    Measured: A drive with maxForce inf has no force limit. A driven joint with maxForce 0 or -5 does not move.
    (`experiments/measure_joint_rules.py`)
    """,
    why="PhysX applies any force that the gains require; SimReady DJ.001 requires a finite maxForce",
    fix="author the actuator's maximum force or torque",
    profiles=(DRIVEN,),
    example=usda.driven_joint({"float drive:angular:physics:maxForce": "inf"}),
    remedy=usda.driven_joint(),
)


def _strength(dof: Dof, drive: Drive, follows: bool) -> Iterator[Finding]:
    """DJ.001: a finite force limit. Other codes judge limits of 0 and below."""
    idle = follows and not (drive.stiffness or drive.damping)
    if math.isinf(drive.max_force) and not idle:
        yield MAX_FORCE.at(drive.path, drive.prefix + "maxForce", f"the drive of {dof.name} has no force limit")


TARGET_STATE = Rule("DJ.001/target-state", "error", """
    Drive target away from the joint state

    SimReady DJ.001, unlike PhysX, requires that the drive target of a joint equals the position of its joint state. The
    rule allows a difference of 0.01 rad or 10 mm between target and joint state.

    Measured: A slider starts at position 0 with drive target 1 and stiffness 100. After one step the slider's velocity
    is 1.66. (`experiments/measure_joint_rules.py`)
    """,
    why="the drive moves the joint from the first step; SimReady DJ.001 requires that joint state and target agree",
    fix="author a joint state and a target that agree",
    profiles=(DRIVEN,),
    example=usda.driven_joint({_TARGET: "20"}),
    remedy=usda.driven_joint({_TARGET: "0.2"}),
)

JOINT_STATE = Rule("DJ.002/joint-state", "error", """
    Driven joint without a joint state

    SimReady DJ.002, unlike PhysX, requires PhysicsJointStateAPI on every driven joint.

    Measured: A hinge with links posed at 30 degrees starts at 0 degrees if it has no joint state. If its joint state is
    10 degrees, the hinge starts at 10 degrees. (`experiments/measure_joint_rules.py`)
    """,
    why="PhysX starts the joint at 0 and ignores the poses of its links; SimReady DJ.002 requires PhysicsJointStateAPI",
    profiles=(DRIVEN,),
    example=usda.driven_joint({"float state:angular:physics:position": None}),
    remedy=usda.driven_joint(),
)


def _state(dof: Dof, drive: Drive, instance: str, has_state: bool, meters: float) -> Iterator[Finding]:
    """DJ.001 and DJ.002: a joint state that agrees with the drive target."""
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
            f"the joint starts at {coord(dof, dof.position)}, but its drive target is "
            f"{coord(dof, drive.target_position)}",
        )


UNDRIVEN = Rule("DJ.004/undriven", "error", """
    Joint without a drive or mimic joint

    SimReady DJ.004, unlike PhysX, requires a drive or a mimic joint on every joint of an articulation. PhysX accepts
    joints without a drive, and prismatic mimic joints without drive gains.

    Measured: A slider without a drive keeps its speed of 1. A prismatic mimic joint without drive gains follows its
    reference joint to position 0.200. (`experiments/measure_joint_rules.py`, `experiments/measure_mimics.py`)
    """,
    why="PhysX simulates the joint as a passive joint; SimReady DJ.004 requires a drive or a mimic joint",
    profiles=(DRIVEN,),
    example=usda.joint("j1", usda.LIMITS),
    remedy=usda.driven_joint(name="j1"),
)


def _undriven(dof: Dof, instance: str) -> Finding:
    return UNDRIVEN.at(
        dof.path, "apiSchemas", f"{dof.name} has neither a drive nor a mimic joint",
        fix=f"apply PhysicsDriveAPI:{instance}, or leave the joint passive",
    )


MAX_VELOCITY = Rule("DJ.005/max-velocity", "error", """
    Driven joint without a velocity limit

    SimReady DJ.005, unlike PhysX, requires a maxJointVelocity above 0 in PhysxJointAPI, a schema that PhysX removed.
    This rule instead accepts a velocity limit from PhysxJointAxisAPI or newton:velocityLimit.

    Measured: With physxJoint:maxJointVelocity 0.5 a slider keeps its speed of 1. With
    physxJointAxis:linear:maxJointVelocity 0.5 the slider's speed is 0.5.
    (`experiments/measure_joint_rules.py`)
    """,
    why="PhysX does not limit the velocity; SimReady DJ.005 requires a limit above 0",
    profiles=(DRIVEN,),
    example=usda.driven_joint({"float physxJointAxis:angular:maxJointVelocity": None}),
    remedy=usda.driven_joint(),
)


def _velocity(dof: Dof, instance: str, authored: set[tuple[str, str]]) -> Iterator[Finding]:
    """DJ.005: a velocity limit that PhysX reads."""
    if unlimited(dof.max_velocity) or (
            dof.axis_prefix is None and not any(name == "max_velocity" for name, _ in dof.sources)):
        name = f"physxJointAxis:{instance}:maxJointVelocity"
        limit = "no velocity limit" if (dof.path, name) in authored else "no authored velocity limit"
        yield MAX_VELOCITY.at(
            dof.path, name, f"{dof.name} has {limit}",
            fix=f"author maxJointVelocity of PhysxJointAxisAPI:{instance}",
        )


STIFFNESS = Rule("DJ.006/stiffness", "error", """
    Unlikely drive stiffness

    SimReady DJ.006, unlike PhysX, allows only a drive stiffness from 0 to 1e6. On angular axes the stiffness is per
    degree.

    Measured: A drive with stiffness 1e8 holds a slider at its target of 1. (`experiments/measure_joint_rules.py`)
    """,
    fix="check the unit of the stiffness, or lock the joint with limits",
    profiles=(DRIVEN,),
    example=usda.driven_joint({_STIFF: "2000000"}),
    remedy=usda.driven_joint(),
)


def _stiffness(dof: Dof, drive: Drive) -> Iterator[Finding]:
    """DJ.006: a stiffness that an actuator can have."""
    stiffness = math.radians(drive.stiffness) if dof.angular else drive.stiffness
    if stiffness > MAX_STIFFNESS:
        unit = "degree" if dof.angular else "length unit"
        yield STIFFNESS.at(
            drive.path, drive.prefix + "stiffness", f"stiffness {stiffness:g} per {unit}",
            why=f"SimReady DJ.006 allows at most {MAX_STIFFNESS:g}; PhysX holds the joint rigidly",
        )


@finder("driven-joints", MAX_FORCE, TARGET_STATE, JOINT_STATE, UNDRIVEN, MAX_VELOCITY, STIFFNESS)
def driven_joints(description: Description) -> Iterator[Finding]:
    """Judge the joints of articulations by SimReady's rules for driven joints."""
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
    Drive target without a gain

    A drive's targetPosition needs a stiffness, and a drive's targetVelocity needs a damping. A drive target without the
    matching gain has no effect. With a stiffness but no damping, a targetVelocity still shifts the position target
    within each step.

    Measured: A slider with targetPosition 1 and targetVelocity 1, but no gains, stays at 0.
    (`experiments/measure_joint_rules.py`)
    """,
    why="the drive does not pull towards the target",
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
                drive.path, drive.prefix + base, f"{base} is {coord(dof, target)}, but the {needed} is 0",
                fix=f"author drive:{instance}:physics:{needed}",
            )


TARGET_OUTSIDE_LIMITS = Rule("DJ.006/target-outside-limits", "warning", """
    Drive target outside the joint's limits

    If a drive target is outside the limits, the drive presses the joint against a limit.

    Measured: A joint with drive target 1 and an upper limit of 0.5 stops at 0.500001.
    (`experiments/measure_joint_rules.py`)
    """,
    why="the drive presses the joint against its limit",
    fix="author a target within the limits, or widen the limits",
    example=usda.driven_joint({_TARGET: "60"}),
    remedy=usda.driven_joint({_TARGET: "40"}),
)


def _unreachable(dof: Dof, drive: Drive) -> Iterator[Finding]:
    """A target that the joint cannot reach."""
    target, tolerance = drive.target_position, _LIMIT_TOLERANCE * max(1.0, abs(drive.target_position))
    if dof.lower <= dof.upper and not dof.lower - tolerance <= target <= dof.upper + tolerance:
        yield TARGET_OUTSIDE_LIMITS.at(
            drive.path, drive.prefix + "targetPosition",
            f"target {coord(dof, target)} is outside the limits [{coord(dof, dof.lower)}, {coord(dof, dof.upper)}]",
        )


@finder("drive-targets", TARGET_WITHOUT_GAIN, TARGET_OUTSIDE_LIMITS)
def drive_targets(description: Description) -> Iterator[Finding]:
    """Find drive targets without a gain, and targets outside the limits (DJ.006)."""
    instances = instance_names(description)
    for articulation in description.articulations:
        for dof in articulation.dofs:
            drive = dof.drive
            if drive is not None and (drive.target_position or drive.target_velocity):
                yield from _powerless(dof, drive, instances[dof.name])
            if drive is not None and drive.stiffness > 0.0:
                yield from _unreachable(dof, drive)
