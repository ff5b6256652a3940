"""Joint friction, drives, velocity limits, and values of Newton."""

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

    PhysX refuses a dynamicFrictionEffort above staticFrictionEffort. With refused friction values the joint has no
    friction at all, not even viscous friction.

    Measured: A prismatic joint with static friction 2 and dynamic friction 5 keeps its speed of 1.
    (`experiments/measure_joint_rules.py`)
    """,
    example=_friction_joint(dynamic="5"),
    remedy=_friction_joint(dynamic="5", static="5"),
    repair=_raised_static_friction,
)

NO_DYNAMIC_FRICTION = Rule("joint/no-dynamic-friction", "warning", """
    Static friction without dynamic friction

    staticFrictionEffort holds a joint at rest, and dynamicFrictionEffort brakes a moving joint. The default of
    dynamicFrictionEffort is 0; a moving joint then has no dynamic friction.

    Measured: With only a static friction of 5, a moving prismatic joint keeps its speed of 1.
    (`experiments/measure_joint_rules.py`)
    """,
    why="no friction brakes the joint while it moves",
    fix="author a dynamicFrictionEffort; author 0 if the joint should move without friction",
    example=_friction_joint(static="5"),
    remedy=_friction_joint(static="5", dynamic="4"),
)


def _slippery(description: Description, dofs: Sequence[Dof]) -> Iterator[Finding]:
    """Find static friction alone; an authored dynamic friction of 0 is intended."""
    paths = {dof.path for dof in dofs}
    authored = {(item.path, item.property) for item in description.authored
                if item.path in paths and item.base == "dynamicFrictionEffort"}
    for dof in dofs:
        prefix = dof.axis_prefix or ""
        if (dof.path, prefix + "dynamicFrictionEffort") not in authored:
            yield NO_DYNAMIC_FRICTION.at(
                dof.path, prefix + "staticFrictionEffort",
                f"staticFrictionEffort is {dof.static_friction:g}, and dynamicFrictionEffort is not authored",
            )


DRIVE_REFUSED = ReaderRule("joint/drive-refused", "error", """
    Drive with values that PhysX refuses

    PhysX refuses a drive with a negative maxForce. Outside articulations PhysX also refuses drive gains that are
    negative or not finite. If one drive target is not finite, PhysX ignores the targets of all axes of the joint.

    Measured: With maxForce -5 a prismatic joint with target 1 stays at 0. (`experiments/measure_joint_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.driven_joint({"float drive:angular:physics:maxForce": "-5"}),
    remedy=usda.driven_joint(),
)

DRIVE_POWERLESS = Rule("joint/drive-powerless", "error", """
    Drive with a maxForce of 0

    maxForce limits the sum of the drive's effort and the joint effort. A maxForce of 0 removes the drive and its
    performance envelope. With maxForce 0 the joint effort has no limit.

    Measured: With maxForce 0 a prismatic joint with target 1 stays at 0. (`experiments/measure_joint_rules.py`)
    """,
    why="PhysX removes the drive",
    fix="author a maxForce above 0, or inf for no limit",
    example=usda.driven_joint({"float drive:angular:physics:maxForce": "0"}),
    remedy=usda.driven_joint(),
)


def _drive(dof: Dof | JointAxis) -> Iterator[Finding]:
    drive = dof.drive
    if drive is not None and drive.max_force == 0.0 and (drive.stiffness or drive.damping):
        yield DRIVE_POWERLESS.at(drive.path, drive.prefix + "maxForce",
                                 "maxForce is 0 on a drive with stiffness or damping")


NO_VELOCITY = Rule("joint/no-velocity", "error", """
    Joint with a maxJointVelocity of 0

    PhysX limits joint speeds to maxJointVelocity, and a maxJointVelocity of 0 stops the joint. To keep a joint within
    its limit, PhysX scales all velocities of the articulation. With maxJointVelocity 0 on one joint, all joints of the
    articulation start every step at rest.

    Measured: If one of two falling joints has maxJointVelocity 0, the other joint turns by only 14.7 degrees in 2 s,
    instead of 90 degrees. (`experiments/measure_loaded_limits.py`)
    """,
    why="the joint does not move, and PhysX also slows all other joints of the articulation",
    fix="author a maxJointVelocity above 0, or use a fixed joint",
    example=usda.driven_joint({"float physxJointAxis:angular:maxJointVelocity": "0"}),
    remedy=usda.driven_joint(),
)


def _speed(dof: Dof) -> Iterator[Finding]:
    if dof.max_velocity == 0.0 and dof.axis_prefix is not None:
        yield NO_VELOCITY.at(dof.path, dof.axis_prefix + "maxJointVelocity", "maxJointVelocity is 0")


VELOCITY_CLAMP = Rule("joint/velocity-clamp", "warning", """
    Prismatic joint faster than PhysX allows

    At the start of each step PhysX slows an articulation until no prismatic joint exceeds 100 length units per second.
    A larger maxJointVelocity does not raise the limit of 100. On a stage in centimetres the limit of 100 length units
    per second is 1 m/s.

    Measured: A prismatic joint with speed 250 moves at 100, even if maxJointVelocity is 300.
    (`experiments/measure_joint_rules.py`)
    """,
    fix="use a stage in metres, or author a lower velocity",
    example=usda.driven_joint({"float physxJointAxis:linear:maxJointVelocity": "300"}, kind="Prismatic"),
    remedy=usda.driven_joint(kind="Prismatic"),
)


def _clamped(articulation: Articulation, meters: float, states: set[str]) -> Iterator[Finding]:
    """Find prismatic joints above the speed that PhysX allows at the start of a step, in length units."""
    sliders = [dof for dof in articulation.dofs if not dof.angular]
    if not sliders:
        return
    limit = f"{MAX_SPEED:g} length units per second ({MAX_SPEED * meters:g} m/s)"
    why = f"at the start of each step PhysX slows the whole articulation until no prismatic joint exceeds {limit}"
    for dof in sliders:
        if dof.max_velocity > MAX_SPEED and not unlimited(dof.max_velocity) and dof.axis_prefix is not None:
            yield VELOCITY_CLAMP.at(
                dof.path, dof.axis_prefix + "maxJointVelocity", f"maxJointVelocity is {dof.max_velocity:g}", why=why,
            )
        if abs(dof.velocity) > MAX_SPEED and dof.path in states:
            yield VELOCITY_CLAMP.at(
                dof.path, "state:linear:physics:velocity", f"the start velocity is {dof.velocity:g}", why=why,
            )
    if MAX_SPEED * meters <= _SLOW:
        yield VELOCITY_CLAMP.at(
            articulation.path, "",
            f"the stage has metersPerUnit {meters:g}, and the articulation has {len(sliders)} prismatic "
            f"joint{'s' * (len(sliders) > 1)}", why=why,
            fix="use a stage in metres if the joints must be faster", severity="info",
        )


@finder("degrees-of-freedom", NO_DYNAMIC_FRICTION, DRIVE_POWERLESS, NO_VELOCITY, VELOCITY_CLAMP)
def degrees_of_freedom(description: Description) -> Iterator[Finding]:
    """Judge each degree of freedom separately."""
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

    PhysX also reads the schema NewtonMimicAPI. The equation of NewtonMimicAPI is q = mimicCoef0 + mimicCoef1 *
    q_reference; newton:mimicJoint names the reference joint. For NewtonMimicAPI PhysX requires joints with one axis,
    finite limits on revolute joints, and mimicCoef1 other than 0.

    Measured: With mimicCoef1 0 the follower joint stays at 0, and PhysX logs an error.
    (`experiments/measure_mimics.py`)
    """,
    example=usda.joint("j2", _NEWTON, "NewtonMimicAPI"),
    remedy=usda.joint("j2", {**_NEWTON, **usda.LIMITS}, "NewtonMimicAPI"),
)

NEWTON_WINS = ReaderRule("joint/newton-wins", "warning", """
    Newton value that replaces a PhysX value

    PhysX uses newton:armature, newton:friction or newton:damping if the same quantity of PhysxJointAxisAPI is 0 or
    negative, even if this PhysX value is authored. PhysX uses newton:velocityLimit if the PhysX property
    maxJointVelocity is infinite.

    Measured: A prismatic joint has newton:friction 2 and a PhysX static friction of 0. This joint slows from speed 1 to
    0.967. (`experiments/measure_unused.py`)
    """,
    example=usda.joint("j2", {"float newton:armature": "1", "float physxJointAxis:angular:armature": "0"},
                       "NewtonJointAPI", "PhysxJointAxisAPI:angular"),
    remedy=usda.joint("j2", {"float newton:armature": "1"}, "NewtonJointAPI"),
)
