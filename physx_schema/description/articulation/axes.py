"""The axes of a joint: drives, limits and friction.

Degrees of freedom of articulations: limits, initial state, axis properties and drives.

Drives of joint axes and their envelopes.

Limits of joint axes as PhysX sets them up.

Armature, friction and the velocity bound of a joint axis: PhysX's own values, or Newton's where PhysX falls back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from physx_schema.description.model import Dof, Drive, Envelope, Joint, Link, unlimited
from physx_schema.description.model.joint import AXES, ROTATIONS, SINGLE_AXIS_KINDS, TRANSLATIONS
from physx_schema.description.opinions.inactive import is_axis_free, is_bound
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import ReadContext
from physx_schema.description.opinions.schemas import SINGLE_AXIS
from physx_schema.description.opinions.view import SchemaView, unauthored
from physx_schema.description.records import Vec3
from physx_schema.description.units import DEGREES_PER_REVOLUTION, LARGEST_SINGLE, coordinate, gain, radians


def accepts_drive(context: ReadContext, view: SchemaView) -> bool:
    """Whether PhysX makes the drive that a view of PhysicsDriveAPI says."""
    if not view.applied:
        return False
    max_force = view.number("maxForce")
    if max_force < 0.0:
        context.problem(
            "joint/drive-refused", view.path, view.name("maxForce"), f"maxForce {max_force:g} is negative",
            "PhysX refuses the whole drive, including stiffness and damping",
            "author a force of at least 0, or inf for no bound",
        )
        return False
    return True


def build_drive(view: SchemaView, angular: bool, target: float, envelope: Envelope | None = None) -> Drive:
    """The drive of one axis; its target in degrees or lengths."""
    max_force = view.number("maxForce")
    return Drive(
        view.path, view.prefix,
        stiffness=gain(view.number("stiffness"), angular), damping=gain(view.number("damping"), angular),
        target_position=coordinate(target, angular),
        target_velocity=coordinate(view.number("targetVelocity"), angular),
        max_force=math.inf if math.isnan(max_force) else max_force, acceleration=view.token("type") == "acceleration",
        envelope=envelope,
    )


def read_envelope(opinions: PrimOpinions, instance: str, angular: bool) -> Envelope | None:
    """The performance envelope of a drive, which counts in articulations."""
    view = opinions.view("PhysxDrivePerformanceEnvelopeAPI", instance)
    if not view.applied:
        return None
    gradient = view.clamped("speedEffortGradient")
    return Envelope(
        path=opinions.path, prefix=view.prefix,
        max_actuator_velocity=coordinate(view.clamped("maxActuatorVelocity"), angular),
        velocity_dependent_resistance=gain(view.clamped("velocityDependentResistance"), angular),
        speed_effort_gradient=radians(gradient) if angular else gradient,
    )


FREE = (-math.inf, math.inf)
_MAX_CONE_ANGLE = 180.0       # degrees


def bounds(
    context: ReadContext, view: SchemaView, names: tuple[str, str], angular: bool, within: float = math.inf,
) -> tuple[float, float]:
    """Limits as PhysX sets them up: FREE where both bounds are unlimited, held at 0 where it refuses the pair.

    `within` is the magnitude from which PhysX refuses a bound.
    """
    lower, upper = view.number(names[0]), view.number(names[1])
    if not (is_bound(lower) or is_bound(upper)):
        return FREE
    if not (math.isfinite(lower) and math.isfinite(upper) and lower <= upper):
        _report_refused(context, view, names, lower, upper)
        return 0.0, 0.0
    if max(abs(lower), abs(upper)) > within:
        context.problem(
            "joint/limit-range", view.path, view.name(names[0] if abs(lower) > within else names[1]),
            f"limits [{lower:g}, {upper:g}] are outside the range of this axis, from -{within:g} to {within:g} degrees",
            "PhysX refuses both limits and holds the axis at 0",
            f"author bounds from -{within:g} to {within:g}, or no bounds for a free axis",
        )
        return 0.0, 0.0
    return (
        -math.inf if unlimited(lower) else coordinate(lower, angular),
        math.inf if unlimited(upper) else coordinate(upper, angular),
    )


def _report_refused(context: ReadContext, view: SchemaView, names: tuple[str, str], lower: float, upper: float) -> None:
    open_end = math.isinf(lower) or math.isinf(upper)
    infinite = names[0] if math.isinf(lower) else names[1]
    context.problem(
        "joint/one-sided-limit" if open_end else "joint/limit-order", view.path,
        view.name(infinite if open_end else names[0]),
        f"limits [{lower:g}, {upper:g}]", "PhysX refuses both limits and holds the joint at 0",
        "author both bounds; a bound of 1e38 or -1e38 means no bound" if open_end else "author lower <= upper",
    )


def cone(context: ReadContext, opinions: PrimOpinions) -> tuple[tuple[str, float], tuple[str, float]]:
    """The two half angles of a spherical joint's cone by property, in degrees; infinite where there is no cone.

    PhysX makes one of two angles of at least 0, and none of a single one.
    """
    view = opinions.joint_view()
    names = ("coneAngle0Limit", "coneAngle1Limit")
    angles = [view.number(name) for name in names]
    valid = [math.isfinite(angle) and angle >= 0.0 for angle in angles]
    if all(valid):
        return (names[0], angles[0]), (names[1], angles[1])
    if any(valid):
        missing = names[valid.index(False)]
        context.problem(
            "joint/half-cone", opinions.path, view.name(missing),
            f"{missing} is {angles[valid.index(False)]:g} and the other cone angle is {angles[valid.index(True)]:g}",
            "PhysX limits the swings only if both cone angles are at least 0",
            "author both cone angles; an angle of 180 degrees leaves the swing free", "warning",
        )
    return (names[0], math.inf), (names[1], math.inf)


def swing(context: ReadContext, opinions: PrimOpinions, name: str, angle: float) -> tuple[float, float]:
    """The bounds of one swing of a spherical joint from its half angle in degrees."""
    if angle > _MAX_CONE_ANGLE and math.isfinite(angle):
        context.problem(
            "joint/limit-range", opinions.path, opinions.joint_view().name(name), f"{name} is {angle:g}",
            "PhysX refuses an angle above 180 degrees and holds the swing at 0",
            "author an angle of at most 180 degrees",
        )
        return 0.0, 0.0
    return -radians(angle), radians(angle)


class Resistance(NamedTuple):
    """What resists motion along an axis, nothing at first; `sources` names properties of another engine it is from."""

    armature: float = 0.0
    static_friction: float = 0.0
    dynamic_friction: float = 0.0
    viscous_friction: float = 0.0
    max_velocity: float = math.inf
    sources: tuple[tuple[str, str], ...] = ()


class _Choice:
    """PhysX's value where it is one, else the value that Newton's joint schema gives to every axis."""

    def __init__(self, context: ReadContext, properties: SchemaView, newton: SchemaView) -> None:
        self._reading = context
        self._properties = properties
        self._newton = newton
        self.sources: list[tuple[str, str]] = []

    def positive(self, base: str, newton: str, *fields: str) -> float:
        """A value that counts where it is above 0."""
        value = self._properties.number(base)
        return value if value > 0.0 else self.fallback(base, newton, 0.0, *fields)

    def fallback(self, base: str, newton: str, none: float, *fields: str) -> float:
        """Newton's value where it is authored, and a word on PhysX's authored one that it replaces."""
        if not self._newton.authored(newton):
            return none
        value = max(self._newton.number(newton), 0.0)
        self.sources += [(name, self._newton.name(newton)) for name in fields]
        if self._properties.authored(base):
            physx_value = self._properties.number(base)
            self._reading.problem(
                "joint/newton-wins", self._properties.path, self._properties.name(base),
                f"{base} is {physx_value:g} and {self._newton.name(newton)} is {value:g}",
                "PhysX uses Newton's value because the PhysX property has its default value",
                f"remove {self._newton.name(newton)}", "warning",
            )
        return value


def read_resistance(context: ReadContext, opinions: PrimOpinions, properties: SchemaView, angular: bool) -> Resistance:
    """The resistance of one axis."""
    newton = opinions.view("NewtonJointAPI")
    if properties.silent and newton.silent:
        return _unauthored(angular)
    choice = _Choice(context, properties, newton)
    armature = choice.positive("armature", "armature", "armature")
    static, dynamic = (properties.clamped(base) for base in ("staticFrictionEffort", "dynamicFrictionEffort"))
    static, dynamic = (0.0 if math.isnan(value) else value for value in (static, dynamic))
    if not static > 0.0 and not dynamic > 0.0:
        static = dynamic = choice.fallback(
            "staticFrictionEffort", "friction", 0.0, "static_friction", "dynamic_friction")
    viscous = choice.positive("viscousFrictionCoefficient", "damping", "viscous_friction")
    velocity = properties.clamped("maxJointVelocity")
    if not velocity < LARGEST_SINGLE:       # which PhysX takes, with all above, for no bound
        velocity = choice.fallback("maxJointVelocity", "velocityLimit", math.inf, "max_velocity")
    if not dynamic <= static:
        context.problem(
            "joint/friction-order", opinions.path, properties.name("dynamicFrictionEffort"),
            f"dynamic friction {dynamic:g} is above static friction {static:g}",
            "PhysX refuses both values; the joint has no friction",
            "author staticFrictionEffort >= dynamicFrictionEffort",
        )
        static = dynamic = viscous = 0.0
    return Resistance(
        armature, static, dynamic, gain(viscous, angular), coordinate(velocity, angular), tuple(choice.sources))


@cache
def _unauthored(angular: bool) -> Resistance:
    """The resistance of an axis about which nothing is authored."""
    view = unauthored("PhysxJointAxisAPI")
    return Resistance(
        view.number("armature"), view.number("staticFrictionEffort"), view.number("dynamicFrictionEffort"),
        gain(view.number("viscousFrictionCoefficient"), angular), coordinate(view.number("maxJointVelocity"), angular))


_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_UNITS: tuple[Vec3, ...] = (_X, _Y, _Z)
_TWIST_AND_SWINGS: tuple[tuple[Vec3, ...], ...] = (    # of a spherical joint with the axis x, y, z
    (_X, _Y, _Z), (_Y, _Z, _X), (_Z, (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)),
)


class _Axis(NamedTuple):
    """Where the properties of one degree of freedom are authored, and what PhysX does with them there."""

    instance: str           # of drives, axis properties, joint state
    name: str               # of the degree of freedom
    angular: bool
    direction: Vec3         # in the joint frame
    lower: float
    upper: float
    max_angle: float = math.inf  # degrees to either side within which PhysX takes a drive's target and a joint state
    wraps: bool = False     # PhysX takes whole turns off a target
    driven: bool = True     # PhysX reads a drive and a joint state


def read_dofs(context: ReadContext, opinions: PrimOpinions, kind: str, axis: int) -> tuple[Dof, ...]:
    """The free axes of an articulation's joint, in PhysX's order; generic joints only turn there."""
    if kind in SINGLE_AXIS_KINDS:
        return (_read(context, opinions, _single(context, opinions, kind, axis)),)
    if kind == "spherical":
        axes = _spherical(context, opinions, axis)
    elif kind == "d6":
        axes = _generic(context, opinions)
    else:
        axes = []
    return tuple(_read(context, opinions, item) for item in axes)


def instance_of(joint: Joint, dof: Dof) -> str:
    """The instance name under which schemas of a degree of freedom are applied to its joint."""
    if joint.kind in SINGLE_AXIS:
        return SINGLE_AXIS[joint.kind]
    if ":" in dof.name:
        return dof.name.rpartition(":")[2]
    return (ROTATIONS if dof.angular else TRANSLATIONS)[max(range(3), key=lambda i: abs(dof.axis[i]))]


def first_dofs(links: Sequence[Link]) -> dict[str, int]:
    """Index of the first degree of freedom of each joint of an articulation, by joint path."""
    index: dict[str, int] = {}
    count = 0
    for link in links:
        if link.joint is not None:
            index[link.joint.path] = count
            count += len(link.joint.dofs)
    return index


def _single(context: ReadContext, opinions: PrimOpinions, kind: str, axis: int) -> _Axis:
    angular = kind == "revolute"
    view = opinions.joint_view()
    limits = bounds(context, view, ("lowerLimit", "upperLimit"), angular)
    wraps = angular and limits == FREE
    max_angle = DEGREES_PER_REVOLUTION if wraps else math.inf
    return _Axis(SINGLE_AXIS[kind], opinions.path, angular, _UNITS[axis], *limits, max_angle, wraps)


def _spherical(context: ReadContext, opinions: PrimOpinions, axis: int) -> list[_Axis]:
    """Twist about the joint's axis and two swings, bounded by the cone."""
    limits = ((-math.inf, math.inf), *(swing(context, opinions, *half) for half in cone(context, opinions)))
    return [
        _Axis(instance, f"{opinions.path}:{instance}", True, direction, *limit, DEGREES_PER_REVOLUTION / 2,
              driven=False)
        for instance, direction, limit in zip(ROTATIONS, _TWIST_AND_SWINGS[axis], limits, strict=True)
    ]


def _generic(context: ReadContext, opinions: PrimOpinions) -> list[_Axis]:
    names = [axis for axis in AXES if is_axis_free(opinions, axis)]
    if names[:1] and names[0] in TRANSLATIONS:
        _report_translations(context, opinions, [name for name in names if name in TRANSLATIONS])
    names = [name for name in names if name in ROTATIONS]
    axes = []
    within = DEGREES_PER_REVOLUTION / 2
    for name in names:
        limits = bounds(context, opinions.view("PhysicsLimitAPI", name), ("low", "high"), True, within)
        path = f"{opinions.path}:{name}" if len(names) > 1 else opinions.path
        axes.append(_Axis(name, path, True, _UNITS[ROTATIONS.index(name)], *limits, within))
    return axes


def _report_translations(context: ReadContext, opinions: PrimOpinions, names: list[str]) -> None:
    context.problem(
        "joint/free-translation", opinions.path, f"limit:{names[0]}:physics:low",
        f"a generic joint of an articulation leaves {', '.join(names)} free",
        "PhysX locks all translations of a generic joint in an articulation",
        f"author a low limit above the high one for {', '.join(names)}, or use a prismatic joint", "warning",
    )


def _read(context: ReadContext, opinions: PrimOpinions, axis: _Axis) -> Dof:
    properties = opinions.view("PhysxJointAxisAPI", axis.instance)
    resistance = read_resistance(context, opinions, properties, axis.angular)
    position, velocity = _state(context, opinions, axis)
    axis_prefix = properties.prefix if properties.applied else None
    drive = _drive(context, opinions, axis) if axis.driven else None
    return Dof(     # by position, which takes half the time
        axis.name, opinions.path, axis.angular, axis.lower, axis.upper, position, velocity, resistance.armature,
        resistance.static_friction, resistance.dynamic_friction, resistance.viscous_friction, resistance.max_velocity,
        axis_prefix, drive, axis.direction, resistance.sources,
    )


def _state(context: ReadContext, opinions: PrimOpinions, axis: _Axis) -> tuple[float, float]:
    """Initial position and velocity; 0 where PhysX refuses or does not read them."""
    if not axis.driven:
        return 0.0, 0.0
    view = opinions.view("PhysicsJointStateAPI", axis.instance)
    if not view.applied:
        return 0.0, 0.0
    state = []
    for base, maximum in (("position", axis.max_angle), ("velocity", math.inf)):
        value = view.number(base)
        if not abs(value) <= maximum:
            why = f"PhysX refuses a position beyond {maximum:g} degrees on this joint" if math.isfinite(value) else \
                f"PhysX refuses {value:g}"
            context.problem("joint/state-refused", opinions.path, view.name(base), f"{base} is {value:g}",
                            f"{why} and starts the joint at 0", f"author a {base} within the range of the joint")
            value = 0.0
        elif math.isinf(value):
            context.problem("joint/state-refused", opinions.path, view.name(base), f"{base} is {value:g}",
                            "PhysX accepts the value; the motion becomes NaN, or reaches the joint's maximum "
                            "velocity",
                            f"author a finite {base}")
            value = 0.0     # nothing is left to predict
        state.append(coordinate(value, axis.angular))
    return state[0], state[1]


def _drive(context: ReadContext, opinions: PrimOpinions, axis: _Axis) -> Drive | None:
    view = opinions.view("PhysicsDriveAPI", axis.instance)
    if not accepts_drive(context, view):
        return None
    return build_drive(view, axis.angular, _target(context, view, axis),
                       read_envelope(opinions, axis.instance, axis.angular))


def _target(context: ReadContext, view: SchemaView, axis: _Axis) -> float:
    """The target position as PhysX sets it, in degrees or lengths."""
    target = view.number("targetPosition")
    if math.isinf(axis.max_angle) or abs(target) < axis.max_angle or (abs(target) == axis.max_angle and not axis.wraps):
        return target
    if axis.wraps and math.isfinite(target):
        effective = math.fmod(target, DEGREES_PER_REVOLUTION)
        why = ("PhysX removes whole turns from the target of a joint without limits; the joint moves to "
               f"{effective:g} degrees")
        fix = "author finite lowerLimit and upperLimit around the target; the joint then reaches the target"
    else:
        effective = 0.0
        why, fix = "PhysX refuses the target and drives to 0", "author a finite target within the range of the joint"
    if effective != target:
        context.problem("joint/target-changed", view.path, view.name("targetPosition"), f"targetPosition is {target:g}",
                        why, fix, "warning")
    return effective
