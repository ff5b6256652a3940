"""Rules on joints that do not reach or hold their drive targets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from physx_runtime.behaviour.wording import DURATION_TEXT, effort, position
from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import BEHAVIOUR, Finding, Repair, SetValue, unsafe
from physx_schema.checking.engine.rule import Rule
from physx_schema.description import Description, Dof, unlimited

if TYPE_CHECKING:
    from physx_runtime.behaviour.behaviour import Behaviour
    from physx_runtime.behaviour.joints import DrivenJoint, FollowerError
    from physx_runtime.behaviour.remedies import Remedy

# s: a joint whose speed limit lets it cross its range only in a longer time is hardly meant so.
LONGEST_CROSSING = 10.0
_SCRIPT = "(`experiments/measure_behaviour.py`)"
_DRIVE, _AXIS = "float drive:angular:physics:", "float physxJointAxis:angular:"
_FIRM = {f"{_DRIVE}stiffness": "100", f"{_DRIVE}damping": "10"}
_LEVER = {"point3f physics:localPos1": "(0, 1, 0)"}         # the link's weight, 9.81 N, one metre from the hinge
_ELSE = ("check what else holds the joint: limits, other drives, tendons, mimic joints, contacts or iteration counts "
         "(`verify` measures their effect)")
_PROPERTIES = {"stiffness": "stiffness", "damping": "damping", "max_force": "maxForce"}

def _arm() -> str:
    """A link with a cube at the end of a lever, driven up to 40 degrees."""
    tip = usda.cube({**usda.transform(translate="(0, 1, 0)"), "double size": "0.2"})
    drive = {**usda.LIMITS, **_FIRM, f"{_DRIVE}maxForce": "50", f"{_DRIVE}targetPosition": "40"}
    return usda.body(name="arm", children=tip) + usda.joint("j3", drive, "PhysicsDriveAPI:angular", child="arm")


TOO_WEAK = Rule("behaviour/too-weak", "error", f"""
    Drive too weak for its load

    The drive exerts its whole maxForce, but the weight or inertia of the load needs more force. The joint falls, or
    does not reach its target.

    Measured: With maxForce 5, a joint under a load of 9.81 N m falls from its target of 0 degrees to 45 degrees.
    {_SCRIPT}
    """,
    why="the joint cannot reach or hold its target",
    profiles=(BEHAVIOUR,),
    example=usda.driven_joint({**_FIRM, **_LEVER, f"{_DRIVE}maxForce": "5"}),
    remedy=usda.driven_joint({**_FIRM, **_LEVER, f"{_DRIVE}maxForce": "20"}),
)

FRICTION = Rule("behaviour/friction", "error", f"""
    Drive that never overcomes static friction

    The joint rests away from its target, because the drive exerts less than the static friction. The static friction is
    larger than maxForce, or larger than stiffness times the distance to the target.

    Measured: With maxForce 1 and static friction 2, a revolute joint with target 20 degrees stays at 0. {_SCRIPT}
    """,
    why="static friction holds the joint in place",
    profiles=(BEHAVIOUR,),
    example=usda.driven_joint({**_FIRM, f"{_DRIVE}targetPosition": "20", f"{_DRIVE}maxForce": "1",
                               f"{_AXIS}staticFrictionEffort": "2", f"{_AXIS}dynamicFrictionEffort": "2"}),
    remedy=usda.driven_joint({**_FIRM, f"{_DRIVE}targetPosition": "20", f"{_DRIVE}maxForce": "20",
                              f"{_AXIS}staticFrictionEffort": "2", f"{_AXIS}dynamicFrictionEffort": "2"}),
)

SAG = Rule("behaviour/sag", "warning", f"""
    Joint that sags under its load

    A drive acts as a spring: a load moves the joint away from its target by the load divided by the stiffness. The rule
    reports joints that are more than 1 degree (1 mm) and more than 1 % of their range away from the target.

    Measured: Under a load of 9.81 N m, a joint with stiffness 1 per degree rests 9.60 degrees below its target.
    {_SCRIPT}
    """,
    why="the drive's spring gives way to the load",
    profiles=(BEHAVIOUR,),
    example=usda.driven_joint({**_LEVER, f"{_DRIVE}stiffness": "1", f"{_DRIVE}damping": "0.5"}),
    remedy=usda.driven_joint({**_LEVER, **_FIRM}),
)

SLOW = Rule("behaviour/slow", "warning", f"""
    Joint too slow to reach its target

    After five seconds the joint still moves towards its target. The joint's damping or inertia is large compared with
    the stiffness.

    Measured: With stiffness 1 and damping 10, a revolute joint with target 20 degrees is at 7.87 degrees after 5 s.
    {_SCRIPT}
    """,
    why="with these gains the joint approaches its target slowly",
    profiles=(BEHAVIOUR,),
    example=usda.driven_joint({f"{_DRIVE}stiffness": "1", f"{_DRIVE}damping": "10", f"{_DRIVE}targetPosition": "20"}),
    remedy=usda.driven_joint({f"{_DRIVE}stiffness": "1", f"{_DRIVE}damping": "0.3", f"{_DRIVE}targetPosition": "20"}),
)

SWINGS = Rule("behaviour/swings", "warning", f"""
    Joint that swings about its target

    After five seconds the joint still swings about its target. The joint's damping is small compared with stiffness and
    inertia.

    Measured: With stiffness 1 and no damping, a revolute joint with target 20 degrees is at 10.5 degrees after 5 s.
    {_SCRIPT}
    """,
    why="the drive has too little damping to stop the swing",
    profiles=(BEHAVIOUR,),
    example=usda.driven_joint({f"{_DRIVE}stiffness": "1", f"{_DRIVE}damping": "0", f"{_DRIVE}targetPosition": "20"}),
    remedy=usda.driven_joint({f"{_DRIVE}stiffness": "1", f"{_DRIVE}damping": "0.3", f"{_DRIVE}targetPosition": "20"}),
)

SPEED_LIMIT = Rule("behaviour/speed-limit", "error", f"""
    Joint held back by its maxJointVelocity

    The joint moves at its speed limit maxJointVelocity. On angular axes maxJointVelocity is in degrees per second; a
    value authored in rad/s is 57 times too small. The rule also warns about a joint that would need over ten seconds to
    cross its range.

    Measured: With maxJointVelocity 2, a revolute joint with target 40 degrees is at 10.0 degrees after 5 s. {_SCRIPT}
    """,
    why="no drive moves the joint faster than maxJointVelocity",
    profiles=(BEHAVIOUR,),
    example=usda.driven_joint({**_FIRM, f"{_DRIVE}targetPosition": "40", f"{_AXIS}maxJointVelocity": "2"}),
    remedy=usda.driven_joint({**_FIRM, f"{_DRIVE}targetPosition": "40"}),
)

BLOCKED = Rule("behaviour/blocked", "info", f"""
    Joint stopped by a contact

    The joint rests away from its target, and its robot touches an obstacle, the ground or another link. For a gripper
    that holds an object, such a contact is normal.

    Measured: An arm with target 40 degrees stops at a block at 17.0 degrees. Without the block the arm reaches 39.9
    degrees. {_SCRIPT}
    """,
    why="an obstacle, the ground or another link holds the joint",
    fix="author a target that the joint can reach, or move the obstacle",
    profiles=(BEHAVIOUR,),
    example=_arm() + usda.cube({**usda.transform(translate="(0, 0.866, 0.5)"), "double size": "0.2"}, name="obstacle"),
    remedy=_arm(),
)

FOLLOWER = Rule("behaviour/follower", "warning", f"""
    Mimic joint that does not follow

    The joint rests away from the position that the mimic equation requires. A mimic joint with a natural frequency
    yields to loads. The rule reports joints that are more than a quarter of their range away from the required
    position. Limits or drives can hold back a hard mimic joint.

    Measured: Under a load of 9.81 N m, a follower joint with naturalFrequency 2 rests 33.0 degrees away from the
    required position. {_SCRIPT}
    """,
    why="the coupling gives way to the load, or limits or a drive hold the joint",
    profiles=(BEHAVIOUR,),
    example=usda.driven_joint(name="j1") + usda.follower({"naturalFrequency": "2", **_LEVER}),
    remedy=usda.driven_joint(name="j1") + usda.follower({"naturalFrequency": "20", **_LEVER}),
)

RULES = (TOO_WEAK, FRICTION, SAG, SLOW, SWINGS, SPEED_LIMIT, BLOCKED, FOLLOWER)
_BY_CAUSE = {"too-weak": TOO_WEAK, "friction": FRICTION, "sag": SAG, "slow": SLOW, "swings": SWINGS,
             "speed-limit": SPEED_LIMIT, "blocked": BLOCKED}
_PROPERTY_OF = {"too-weak": "max_force", "friction": "max_force", "sag": "stiffness", "slow": "damping",
                "swings": "damping", "blocked": ""}


def judge(description: Description, behaviour: Behaviour, instances: Mapping[str, str]) -> Iterator[Finding]:
    """Findings on driven joints, speed limits and mimic joints."""
    creeping: set[str] = set()
    for item in behaviour.joints:
        if item.cause != "arrived":
            creeping.update({item.dof.name} if item.cause == "speed-limit" else ())
            yield _finding(description, item, behaviour.remedies.get(item.dof.name), instances[item.dof.name])
    for articulation in description.articulations:
        for dof in articulation.dofs if articulation.enabled else ():
            if dof.name not in creeping:
                yield from _crossing(description, dof, instances[dof.name])
    for follower in behaviour.followers:
        yield _follower_finding(description, follower, behaviour.remedies.get(follower.dof.name))


def _finding(description: Description, item: DrivenJoint, remedy: Remedy | None, instance: str) -> Finding:
    rule, dof, drive = _BY_CAUSE[item.cause], item.dof, item.drive
    where = (f"after {DURATION_TEXT} {dof.name} is at {position(description, dof, item.end)} instead of its target "
             f"{position(description, dof, drive.target_position)}")
    name = _PROPERTY_OF.get(item.cause, "")
    prop = f"physxJointAxis:{instance}:maxJointVelocity" if item.cause == "speed-limit" else (
        drive.prefix + _PROPERTIES[name] if name else drive.prefix + "targetPosition")
    return rule.at(drive.path, prop, f"{where}: {_reason(description, item)}",
                   fix=_fix(item, remedy, instance), repair=_repair(item, remedy, instance))


def _reason(description: Description, item: DrivenJoint) -> str:
    """Return the reason why the joint misses its target, with numbers."""
    dof, drive = item.dof, item.drive
    exerted = effort(description, dof, abs(item.effort))
    match item.cause:
        case "too-weak":
            maximum = effort(description, dof, drive.max_force)
            if item.greatest_load > drive.max_force:
                return (f"maxForce {maximum} cannot hold the weight; on the way to the target the weight needs up to "
                        f"{effort(description, dof, item.greatest_load)}")
            return f"the joint's drive already exerts its whole maxForce of {maximum}"
        case "friction":
            return (f"the joint's drive exerts {exerted} (maxForce {effort(description, dof, drive.max_force)}), and "
                    f"the joint's static friction is {effort(description, dof, dof.static_friction)}")
        case "speed-limit":
            return f"maxJointVelocity limits the joint to {position(description, dof, dof.max_velocity)} per second"
        case "swings":
            return f"the joint still swings by {position(description, dof, item.swing)} within a second"
        case "slow":
            return "the joint still moves towards its target"
        case "blocked":
            return f"the joint's drive exerts {exerted} against a contact"
        case _:
            far = item.greatest_load > 1.5 * abs(item.effort)       # fallen to a position with less load
            load = effort(description, dof, item.greatest_load)
            weight = f"; on the way to the target the weight needs up to {load}" * far
            return (f"the joint sags by {position(description, dof, abs(item.error))} while its drive exerts {exerted}"
                    f"{weight}")


def _fix(item: DrivenJoint, remedy: Remedy | None, instance: str) -> str:
    """Return the values to author, and whether the joint then arrives."""
    if item.cause == "blocked":
        return BLOCKED.fix
    if remedy is None or not remedy.values:
        return _ELSE
    texts = [f"{_property(item, name, instance).rpartition(':')[2]} {value:g}" for name, value in remedy.values.items()]
    advice = f"author {' and '.join(texts)}"
    if item.cause == "speed-limit" and item.dof.angular and math.isclose(
            remedy.values["max_velocity"], math.degrees(math.degrees(item.dof.max_velocity)), rel_tol=0.01):
        advice += f", which is {math.degrees(item.dof.max_velocity):g} rad/s in degrees"
    if not remedy.proved:
        return f"with {' and '.join(texts)} or more, the joint still misses its target after {DURATION_TEXT}; {_ELSE}"
    result = f"reaches its target within {remedy.arrival:.2g} s" if remedy.arrival else "stays at its target"
    return f"{advice}; in a simulation with all proposed values the joint {result}"


def _property(item: DrivenJoint, name: str, instance: str) -> str:
    """The property of a number."""
    if name == "max_velocity":
        return f"physxJointAxis:{instance}:maxJointVelocity"
    return item.drive.prefix + _PROPERTIES[name]


def _repair(item: DrivenJoint, remedy: Remedy | None, instance: str) -> Repair | None:
    """The edits of a proved remedy."""
    if remedy is None or not remedy.proved or any(name == "max_velocity" for name, _ in item.dof.sources):
        return None
    return unsafe(*(SetValue(item.dof.path if name == "max_velocity" else item.drive.path,
                             _property(item, name, instance), value, "float")
                    for name, value in remedy.values.items()))


def _crossing(description: Description, dof: Dof, instance: str) -> Iterator[Finding]:
    """Find a speed limit with which a joint crosses its range only in a long time."""
    bounded = not (unlimited(dof.lower) or unlimited(dof.upper))
    if not dof.angular and not bounded:
        return
    path = dof.upper - dof.lower if bounded else 2.0 * math.pi
    if path <= 0.0 or not 0.0 < dof.max_velocity < path / LONGEST_CROSSING:
        return
    needed = (f"author at least {math.degrees(path) if dof.angular else path:.3g} to move the joint through "
              f"{'its range' if bounded else 'one turn'} within one second")
    degrees = math.degrees(dof.max_velocity)
    meant = f"author {math.degrees(degrees):.4g} if {degrees:.4g} is meant in rad/s, or " if dof.angular else ""
    yield SPEED_LIMIT.at(
        dof.path, f"physxJointAxis:{instance}:maxJointVelocity",
        f"{dof.name} takes {path / dof.max_velocity:.3g} s for {'its range' if bounded else 'one turn'} at its "
        f"maxJointVelocity of {position(description, dof, dof.max_velocity)} per second", fix=meant + needed,
        severity="warning")


def _follower_finding(description: Description, item: FollowerError, remedy: Remedy | None) -> Finding:
    mimic, dof = item.mimic, item.dof
    soft = mimic.natural_frequency > 0.0
    name = mimic.prefix + ("naturalFrequency" if soft else "gearing")
    repair = None
    fix = "widen the limits of the follower, or remove its drive; only limits and drives hold back a hard mimic joint"
    if soft and remedy is not None and mimic.instance:
        value = remedy.values["natural_frequency"]
        fix = f"author naturalFrequency {value:g}, or 0 for a hard coupling" + (
            "; in a simulation with this value the joint follows" if remedy.proved
            else f"; in a simulation with this value the joint still does not follow; {_ELSE}")
        repair = unsafe(SetValue(mimic.path, name, value, "float")) if remedy.proved else None
    return FOLLOWER.at(mimic.path, name, f"{dof.name} is at {position(description, dof, item.end)} instead of "
                       f"{position(description, dof, item.wanted)}, the position that the mimic equation requires",
                       fix=fix, repair=repair)
