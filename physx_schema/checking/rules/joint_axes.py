"""What moves and brakes a joint: friction, drives, velocity limits, and values of Newton."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PROFILES, Finding, Repair, SetValue, unsafe
from physx_schema.checking.engine.rule import ReaderRule, Rule, Values, every_axis, every_dof, finder, joints_with_state
from physx_schema.description import Articulation, Description, Dof, JointAxis, Problem, unlimited

MAX_SPEED = 100.0   # length units per second, of prismatic joints at the start of a step
_SLOW = 2.0             # m/s: a clamp that ordinary machines reach
_NEWTON = {"rel newton:mimicJoint": "</Robot/j1>"}


def _friction_joint(**efforts: str) -> str:
    """A joint with friction, static or dynamic."""
    return usda.joint("j2", {f"float physxJointAxis:angular:{name}FrictionEffort": effort
                             for name, effort in efforts.items()}, "PhysxJointAxisAPI:angular")


def _raised_static_friction(problem: Problem, values: Values) -> Repair | None:
    dynamic = values.get((problem.path, problem.property))
    static = problem.property.replace("dynamicFrictionEffort", "staticFrictionEffort")
    if not isinstance(dynamic, float) or static == problem.property or not dynamic > 0.0:
        return None
    return unsafe(SetValue(problem.path, static, dynamic, "float"))


FRICTION_ORDER = ReaderRule("joint/friction-order", "error", """
    Dynamic friction above static friction

    dynamicFrictionEffort above staticFrictionEffort is an error in PhysX, and the joint then has no friction at all,
    viscous friction included.

    Measured: Static 2 and dynamic 5, with viscous 10 or without, and dynamic 5 alone leave a slider at speed 1; static
    5 and dynamic 2 slow it to 0.967 in a step. (`experiments/measure_joint_rules.py`)
    """,
    example=_friction_joint(dynamic="5"),
    remedy=_friction_joint(dynamic="5", static="5"),
    repair=_raised_static_friction,
)

NO_DYNAMIC_FRICTION = Rule("joint/no-dynamic-friction", "warning", """
    Static friction without dynamic friction

    staticFrictionEffort holds a joint at rest, and dynamicFrictionEffort, 0 unless authored, brakes it once it moves.

    Measured: Static and dynamic 5 stop a slider of speed 1 within 0.0997; static 5 alone leaves it at speed 1, and
    stops one of speed 0.05. (`experiments/measure_joint_rules.py`)
    """,
    why="it holds the joint at rest; once the joint moves nothing brakes it",
    fix="author dynamicFrictionEffort, 0 if none is meant",
    example=_friction_joint(static="5"),
    remedy=_friction_joint(static="5", dynamic="4"),
)


def _slippery(description: Description, dofs: Sequence[Dof]) -> Iterator[Finding]:
    """Static friction alone; a dynamic friction of 0 that is authored is meant."""
    paths = {dof.path for dof in dofs}
    authored = {(item.path, item.property) for item in description.authored
                if item.path in paths and item.base == "dynamicFrictionEffort"}
    for dof in dofs:
        prefix = dof.axis_prefix or ""
        if (dof.path, prefix + "dynamicFrictionEffort") not in authored:
            yield NO_DYNAMIC_FRICTION.at(
                dof.path, prefix + "staticFrictionEffort",
                f"a static friction of {dof.static_friction:g} without dynamic friction",
            )


DRIVE_REFUSED = ReaderRule("joint/drive-refused", "error", """
    Drive that PhysX refuses

    A negative maxForce makes PhysX refuse the whole drive, outside articulations gains that are negative or not finite
    as well. A target that is not finite makes it refuse the targets of all axes there.

    Measured: maxForce -5 leaves a slider at 0 that is driven to 1, and PhysX logs that envelope parameters must be
    non-negative. (`experiments/measure_joint_rules.py`) Outside, a stiffness of -20 or NaN and a damping of -2 leave a
    hinge at 0. (`experiments/measure_outside_joints.py`)
    """,
    profiles=PROFILES,
    example=usda.driven_joint({"float drive:angular:physics:maxForce": "-5"}),
    remedy=usda.driven_joint(),
)

DRIVE_POWERLESS = Rule("joint/drive-powerless", "error", """
    Drive without force

    maxForce bounds what a drive and the effort beside it may exert; 0 takes the drive away, its envelope too, and
    leaves the effort unbounded.

    Measured: maxForce 0 leaves a slider at 0 that is driven to 1. An effort of 3 brings it to speed 1.5 in half a
    second, with an envelope of velocity 0.2 as well; with maxForce 2 it gets to 1.0.
    (`experiments/measure_joint_rules.py`)
    """,
    why="the drive exerts nothing",
    fix="author a force above 0, or inf for no bound",
    example=usda.driven_joint({"float drive:angular:physics:maxForce": "0"}),
    remedy=usda.driven_joint(),
)


def _drive(dof: Dof | JointAxis) -> Iterator[Finding]:
    drive = dof.drive
    if drive is not None and drive.max_force == 0.0 and (drive.stiffness or drive.damping):
        yield DRIVE_POWERLESS.at(drive.path, drive.prefix + "maxForce", "maxForce is 0 on a drive with gains")


NO_VELOCITY = Rule("joint/no-velocity", "error", """
    Joint that may not move

    PhysX clamps the speed of a joint to maxJointVelocity; 0 holds it where it is. At each step's start PhysX scales the
    velocities of all joints of the articulation by one ratio, so that no joint is above its maximum. The held joint
    creeps, which makes this ratio 0: every joint of the articulation starts every step at rest.

    Measured: maxJointVelocity 0, and -1 as well, stop a slider of speed 1 in one step. Of two hinges on one base that
    fall, 0 on the first one lets the second one turn by 14.7 degrees in 2 s; it turns by 90 without.
    (`experiments/measure_joint_rules.py`, `experiments/measure_loaded_limits.py`)
    """,
    why="the joint does not move, and PhysX slows all joints of the articulation with it",
    fix="author a velocity above 0, or a fixed joint",
    example=usda.driven_joint({"float physxJointAxis:angular:maxJointVelocity": "0"}),
    remedy=usda.driven_joint(),
)


def _speed(dof: Dof) -> Iterator[Finding]:
    if dof.max_velocity == 0.0 and dof.axis_prefix is not None:
        yield NO_VELOCITY.at(dof.path, dof.axis_prefix + "maxJointVelocity", "the joint's greatest velocity is 0")


VELOCITY_CLAMP = Rule("joint/velocity-clamp", "warning", """
    Velocity above the clamp of prismatic joints

    At each step's start PhysX scales the velocities of an articulation down until no prismatic joint is faster than 100
    length units per second: 100 m/s in a stage in metres, 1 m/s in one in centimetres. A larger maxJointVelocity
    changes nothing. In stages where the clamp is 2 m/s or less, articulations with prismatic joints get an info.

    Measured: A slider of speed 250 moves with 100, also with maxJointVelocity 300. A drive with a damping of 1e4 brings
    it back to 300 within the step. (`experiments/measure_joint_rules.py`)
    """,
    fix="author stages in metres, or a lower velocity",
    example=usda.driven_joint({"float physxJointAxis:linear:maxJointVelocity": "300"}, kind="Prismatic"),
    remedy=usda.driven_joint(kind="Prismatic"),
)


def _clamped(articulation: Articulation, meters: float, states: set[str]) -> Iterator[Finding]:
    """Prismatic joints that are meant to be faster than PhysX lets any start a step, whatever the length unit."""
    sliders = [dof for dof in articulation.dofs if not dof.angular]
    if not sliders:
        return
    limit = f"{MAX_SPEED:g} length units per second, here {MAX_SPEED * meters:g} m/s"
    why = f"PhysX slows prismatic joints to {limit}, at each step's start, and all joints of the articulation with them"
    for dof in sliders:
        if dof.max_velocity > MAX_SPEED and not unlimited(dof.max_velocity) and dof.axis_prefix is not None:
            yield VELOCITY_CLAMP.at(
                dof.path, dof.axis_prefix + "maxJointVelocity", f"a greatest velocity of {dof.max_velocity:g}", why=why,
            )
        if abs(dof.velocity) > MAX_SPEED and dof.path in states:
            yield VELOCITY_CLAMP.at(
                dof.path, "state:linear:physics:velocity", f"a velocity of {dof.velocity:g}", why=why,
            )
    if MAX_SPEED * meters <= _SLOW:
        yield VELOCITY_CLAMP.at(
            articulation.path, "", f"{len(sliders)} prismatic joints in a stage with metersPerUnit {meters:g}", why=why,
            fix="author stages in metres where joints have to be faster", severity="info",
        )


@finder("degrees-of-freedom", NO_DYNAMIC_FRICTION, DRIVE_POWERLESS, NO_VELOCITY, VELOCITY_CLAMP)
def degrees_of_freedom(description: Description) -> Iterator[Finding]:
    """What each degree of freedom shows by itself."""
    states, dofs = joints_with_state(description), every_dof(description)
    for dof in dofs:
        yield from _speed(dof)
    for axis in every_axis(description):
        yield from _drive(axis)
    yield from _slippery(description, [dof for dof in dofs if dof.static_friction > 0.0 == dof.dynamic_friction])
    for articulation in description.articulations:
        yield from _clamped(articulation, description.scene_of(articulation).meters_per_unit, states)


NEWTON_MIMIC = ReaderRule("joint/newton-mimic", "error", """
    Newton mimic joint that PhysX refuses

    PhysX makes mimic joints of NewtonMimicAPI too: q = mimicCoef0 + mimicCoef1 * q of the joint that newton:mimicJoint
    names, in degrees and lengths. Both joints have one axis, revolute ones finite limits, and mimicCoef1 is not 0.

    Measured: mimicCoef0 10 leads the follower to 29.99 degrees behind 19.99. It stays at 0 with mimicCoef1 0, a target
    that is missing, itself or one of two, without limits, and on a spherical joint; each is logged. Infinity or NaN
    makes both joints NaN. (`experiments/measure_mimics.py`)
    """,
    example=usda.joint("j2", _NEWTON, "NewtonMimicAPI"),
    remedy=usda.joint("j2", {**_NEWTON, **usda.LIMITS}, "NewtonMimicAPI"),
)

NEWTON_WINS = ReaderRule("joint/newton-wins", "warning", """
    Newton value that PhysX takes instead of its own

    PhysX takes newton:armature, friction, damping or velocityLimit where its own property is not above 0, or for the
    velocity not below infinity, even where that is authored.

    Measured: newton:friction 2 beside a static friction of 0 slows a slider to 0.967, beside 5 it leaves the 0.917 of
    PhysX's own. newton:velocityLimit 0.5 counts beside infinity, not beside 0.8 or 1e38; newton:armature 1 beside 0,
    not beside 3. (`experiments/measure_unused.py`)
    """,
    example=usda.joint("j2", {"float newton:armature": "1", "float physxJointAxis:angular:armature": "0"},
                       "NewtonJointAPI", "PhysxJointAxisAPI:angular"),
    remedy=usda.joint("j2", {"float newton:armature": "1"}, "NewtonJointAPI"),
)
