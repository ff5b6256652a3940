"""Joints outside articulations.

One joint outside articulations, from body0 to body1: its frames, and what it holds.

What a joint outside articulations leaves free of PhysX's generic joint, of which it makes all kinds with axes.

Limits of joints outside articulations as PhysX sets them up, and what it takes in place of those it refuses.

Joints outside articulations, as PhysX makes them: between any two bodies of which one moves.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from physx_schema.description.articulation.axes import FREE, accepts_drive, build_drive, cone
from physx_schema.description.articulation.joints import COUPLINGS, AuthoredJoint, JointEnd
from physx_schema.description.articulation.tree import Tree, nested_roots
from physx_schema.description.body_registry import BodyRegistry
from physx_schema.description.frames import composed
from physx_schema.description.model import Cone, Coupling, DistanceRange, Drive, JointAxis, MaximalJoint, unlimited
from physx_schema.description.model.joint import AXES, ROTATIONS, TRANSLATIONS, JointAxisName
from physx_schema.description.opinions.inactive import is_axis_free, is_bound
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import ReadContext
from physx_schema.description.opinions.schemas import SINGLE_AXIS
from physx_schema.description.opinions.view import SchemaView
from physx_schema.description.records import Pose, Vec3
from physx_schema.description.units import LARGEST_SINGLE, coordinate, radians

_HALF_REVOLUTION, _QUARTER_REVOLUTION = 180.0, 90.0      # degrees
_SWINGS = ROTATIONS[1:]
_TO_EITHER_SIDE = "refuses both limits and limits the axis to 90 degrees to either side"
_SLIDES = "refuses both limits and leaves the axis free"


class Limits(NamedTuple):
    """Bounds of an axis in degrees or lengths, infinite where there is none; refused ones are never soft."""

    lower: float
    upper: float
    accepted: bool = True

    @property
    def limited(self) -> bool:
        """Whether there is any bound."""
        return (self.lower, self.upper) != FREE


_NONE = Limits(*FREE)
# What of PhysxLimitAPI loses a limit, of soft ones and of translations too, where it is NaN or above its range.
_BOUNCES, _GAINS = ("restitution", "bounceThreshold"), ("stiffness", "damping")
# What PhysX works with where it refuses limits.
REFUSED_ANGLE, REFUSED_SLIDE = Limits(-_QUARTER_REVOLUTION, _QUARTER_REVOLUTION, False), Limits(*FREE, accepted=False)


def refusable_numbers(instance: str) -> tuple[str, ...]:
    """The numbers of PhysxLimitAPI that lose a limit where they are NaN or above their range."""
    return _GAINS if instance == "distance" else _BOUNCES


def refuses_limits(opinions: PrimOpinions, instance: str) -> bool:
    """Whether PhysX refuses limits for a number of their PhysxLimitAPI."""
    view = opinions.view("PhysxLimitAPI", instance)
    return any(view.refused(base) for base in refusable_numbers(instance))


def hinge_limits(context: ReadContext, view: SchemaView) -> Limits:
    """Of a revolute joint, cut to half a turn; one bound suffices."""
    lower, upper = _angles(context, view, "lowerLimit", "upperLimit")
    if (lower, upper) == FREE:
        return _NONE
    cut = max(lower, -_HALF_REVOLUTION), min(upper, _HALF_REVOLUTION)
    if cut[0] > cut[1]:
        _report_limits(context, view, "lowerLimit", "upperLimit", _TO_EITHER_SIDE,
                       "author bounds within 180 degrees, with lower <= upper")
        return REFUSED_ANGLE
    return Limits(*cut)


def slider_limits(context: ReadContext, view: SchemaView, low: str = "lowerLimit", high: str = "upperLimit") -> Limits:
    """Of a translation; PhysX takes two finite bounds alone."""
    lower, upper = view.number(low), view.number(high)
    if not (is_bound(lower) or is_bound(upper)):
        return _NONE
    if not (math.isfinite(lower) and math.isfinite(upper) and lower <= upper):
        _report_limits(context, view, low, high, _SLIDES,
                       "author two finite bounds with lower <= upper; a bound of 1e38 or -1e38 means no bound")
        return REFUSED_SLIDE
    return Limits(-math.inf if unlimited(lower) else lower, math.inf if unlimited(upper) else upper)


def generic_limits(context: ReadContext, opinions: PrimOpinions, free: tuple[str, ...]) -> Mapping[str, Limits]:
    """Of the axes that a generic joint does not lock; PhysX takes those of both swings together or neither."""
    axes: dict[str, Limits] = {
        axis: slider_limits(context, opinions.view("PhysicsLimitAPI", axis), "low", "high")
        for axis in free if axis in TRANSLATIONS}
    axes |= {axis: REFUSED_SLIDE for axis, limits in axes.items() if limits.limited and refuses_limits(opinions, axis)}
    if "rotX" in free:
        twist = Limits(*_angles(context, opinions.view("PhysicsLimitAPI", "rotX"), "low", "high"))
        axes["rotX"] = REFUSED_ANGLE if twist.limited and refuses_limits(opinions, "rotX") else twist
    swings = {axis: _swing(context, opinions.view("PhysicsLimitAPI", axis)) for axis in free if axis in _SWINGS}
    acting = [axis for axis, limits in swings.items() if limits.limited]
    # the last one's bounce is that of both
    if (acting and refuses_limits(opinions, acting[-1])) or not all(limits.accepted for limits in swings.values()):
        swings |= dict.fromkeys(acting, REFUSED_ANGLE if len(acting) == 1 else _NONE)
    return axes | swings


def _swing(context: ReadContext, view: SchemaView) -> Limits:
    """Of one swing by itself."""
    lower, upper = view.number("low"), view.number("high")
    if not (is_bound(lower) or is_bound(upper)):
        return _NONE
    if not -_HALF_REVOLUTION < lower <= upper < _HALF_REVOLUTION:
        why = ("refuses the limits of both swings; if the other swing has no limits, this swing is limited to 90 "
               "degrees to either side; otherwise both swings are free")
        _report_limits(context, view, "low", "high", why,
                       "author two bounds between -180 and 180 degrees, with low <= high")
        return REFUSED_ANGLE
    return Limits(lower, upper)


def cone_angles(context: ReadContext, opinions: PrimOpinions) -> tuple[float, float] | None:
    """The half angles of a spherical joint's cone in rad; None where PhysX makes none."""
    (name, first), (_, second) = cone(context, opinions)
    if math.isinf(first) or refuses_limits(opinions, "cone"):
        return None
    if not (0.0 < first < _HALF_REVOLUTION and 0.0 < second < _HALF_REVOLUTION):
        view = opinions.joint_view()
        context.problem(
            "joint/limit-range", view.path, view.name(name), f"the cone angles are {first:g} and {second:g}",
            "outside articulations PhysX refuses the cone and leaves both swings free",
            "author two angles above 0 and below 180 degrees",
        )
        return None
    return radians(first), radians(second)


def _angles(context: ReadContext, view: SchemaView, low: str, high: str) -> tuple[float, float]:
    """Two bounds of an angle, infinite where PhysX takes one for none."""
    lower, upper = view.number(low), view.number(high)
    if math.isnan(lower) or math.isnan(upper):
        _report_limits(context, view, low, high, "treats NaN as no bound", "author numbers")
    return (-math.inf if not is_bound(lower) else lower), (math.inf if not is_bound(upper) else upper)


def _report_limits(context: ReadContext, view: SchemaView, low: str, high: str, why: str, fix: str) -> None:
    lower, upper = view.number(low), view.number(high)
    infinite = math.isinf(lower) or math.isinf(upper)
    context.problem(
        "joint/one-sided-limit" if infinite else "joint/limit-order", view.path,
        view.name(high if math.isinf(upper) or math.isnan(upper) else low), f"limits [{lower:g}, {upper:g}]",
        f"outside articulations PhysX {why}", fix,
    )


_CONE = "cone"          # instance of PhysxLimitAPI
_D6_AXIS: Mapping[str, JointAxisName] = {"revolute": "rotX", "prismatic": "transX"}
_NO_LIMITS = Limits(-math.inf, math.inf)


def read_axes(context: ReadContext, opinions: PrimOpinions, kind: str) -> tuple[JointAxis, ...]:
    """The axes that a joint does not lock, translations first."""
    if kind in SINGLE_AXIS:
        view = opinions.joint_view()
        limits = hinge_limits(context, view) if kind == "revolute" else slider_limits(context, view)
        if limits.limited and refuses_limits(opinions, SINGLE_AXIS[kind]):
            limits = REFUSED_ANGLE if kind == "revolute" else REFUSED_SLIDE
        return (_read(context, opinions, _D6_AXIS[kind], SINGLE_AXIS[kind], limits, opinions.path),)
    if kind == "spherical":
        return tuple(_read(context, opinions, axis, axis, _NO_LIMITS, f"{opinions.path}:{axis}") for axis in ROTATIONS)
    if kind != "d6":
        return ()
    free = tuple(axis for axis in AXES if is_axis_free(opinions, axis))
    bounds = _softened(opinions, generic_limits(context, opinions, free))
    names = {axis: f"{opinions.path}:{axis}" if len(free) > 1 else opinions.path for axis in free}
    return tuple(_read(context, opinions, axis, axis, bounds[axis][0], names[axis], bounds[axis][1]) for axis in free)


def _softened(opinions: PrimOpinions, limits: Mapping[str, Limits]) -> dict[str, tuple[Limits, str]]:
    """By axis its limits and the axis whose softness they have: that of the last one for both swings."""
    last = [axis for axis in ROTATIONS[1:] if axis in limits and limits[axis].limited][-1:]
    return {axis: (bounds, last[0] if last and axis in ROTATIONS[1:] else axis) for axis, bounds in limits.items()}


def _read(context: ReadContext, opinions: PrimOpinions, axis: JointAxisName, instance: str, limits: Limits, name: str,
          soft: str = "") -> JointAxis:
    angular = axis in ROTATIONS
    is_limited = limits.limited and limits.accepted
    stiffness, damping = softness(opinions, soft or instance) if is_limited else (0.0, 0.0)
    restitution, threshold = bounce(opinions, soft or instance) if is_limited else (0.0, 0.0)
    driven = opinions.joint_kind != "spherical"         # PhysX reads no drive of it
    return JointAxis(
        name=name, path=opinions.path, axis=axis, instance=instance,
        lower=coordinate(limits.lower, angular), upper=coordinate(limits.upper, angular),
        limit_stiffness=stiffness, limit_damping=damping, restitution=restitution, bounce_threshold=threshold,
        drive=_drive(context, opinions, instance, angular) if driven else None,
    )


def _drive(context: ReadContext, opinions: PrimOpinions, instance: str, angular: bool) -> Drive | None:
    view = opinions.view("PhysicsDriveAPI", instance)
    if not accepts_drive(context, view):
        return None
    for base in ("stiffness", "damping"):
        if not 0.0 <= view.number(base) < math.inf:
            context.problem(
                "joint/drive-refused", view.path, view.name(base), f"{base} {view.number(base):g} is negative or not "
                "finite", "outside articulations PhysX refuses the whole drive, including stiffness and damping",
                f"author a finite {base} of at least 0",
            )
            return None
    for base in ("targetPosition", "targetVelocity"):
        _report_target(context, view, base)
    drive = build_drive(view, angular, view.number("targetPosition") if _accepts(opinions, "targetPosition") else 0.0)
    return drive if _accepts(opinions, "targetVelocity") else replace(drive, target_velocity=0.0)


def _report_target(context: ReadContext, view: SchemaView, base: str) -> None:
    """Say that a target is not finite, where it is not."""
    target = view.number(base)
    if not math.isfinite(target):
        context.problem(
            "joint/drive-refused", view.path, view.name(base), f"{base} is {target:g}",
            "outside articulations PhysX refuses the targets of all axes and uses 0", "author a finite target",
        )


def read_drive_rotation(opinions: PrimOpinions, kind: str) -> Vec3:
    """What the drives of a joint's rotations turn to, in rad: PhysX makes one rotation of all that are authored, of
    locked axes and refused ones too."""
    instances = ROTATIONS if kind == "d6" else (SINGLE_AXIS[kind],) if kind == "revolute" else ()
    if not instances:
        return (0.0, 0.0, 0.0)
    angles = [opinions.view("PhysicsDriveAPI", instance).number("targetPosition") for instance in instances]
    x, y, z = (*angles, 0.0, 0.0, 0.0)[:3]
    return (radians(x), radians(y), radians(z)) if _accepts(opinions, "targetPosition") else (0.0, 0.0, 0.0)


def _accepts(opinions: PrimOpinions, base: str) -> bool:
    """Whether all targets of a joint's drives are finite: PhysX takes all of them or none."""
    kind = opinions.joint_kind or ""
    read = opinions.instances("PhysicsDriveAPI") if kind == "d6" else (SINGLE_AXIS[kind],)
    return all(math.isfinite(opinions.view("PhysicsDriveAPI", instance).number(base)) for instance in read)


def read_cone(context: ReadContext, opinions: PrimOpinions, kind: str) -> Cone | None:
    """What bounds both swings of a spherical joint; None where nothing does."""
    angles = cone_angles(context, opinions) if kind == "spherical" else None
    return Cone(*angles, *softness(opinions, _CONE), *bounce(opinions, _CONE)) if angles else None


def softness(opinions: PrimOpinions, instance: str) -> tuple[float, float]:
    """Stiffness and damping of a soft limit, those of an angle per radian; 0 of a hard one."""
    view = opinions.view("PhysxLimitAPI", instance)
    return spring_gain(view, "stiffness"), spring_gain(view, "damping")


def bounce(opinions: PrimOpinions, instance: str) -> tuple[float, float]:
    """Restitution and threshold of a hard limit; 0 of a soft one, and where nothing bounces."""
    view = opinions.view("PhysxLimitAPI", instance)
    if any(softness(opinions, instance)):
        return 0.0, 0.0
    restitution = view.number("restitution")
    return (restitution, spring_gain(view, "bounceThreshold")) if restitution > 0.0 else (0.0, 0.0)


def spring_gain(view: SchemaView, base: str) -> float:
    """A gain of a spring that is no drive: PhysX takes NaN for 0 and infinity for the largest number."""
    gain = view.clamped(base)
    return 0.0 if math.isnan(gain) else min(gain, LARGEST_SINGLE)


_COUPLED: Mapping[str, tuple[str, str]] = {"gear": ("revolute", "revolute"), "rack": ("revolute", "prismatic")}


def read_maximal_joint(context: ReadContext, registry: BodyRegistry, joint: AuthoredJoint) -> MaximalJoint:
    """A joint that PhysX makes outside articulations."""
    view = joint.opinions.joint_view()
    force, torque = (view.number(base) for base in ("breakForce", "breakTorque"))
    return MaximalJoint(
        path=joint.path, kind=joint.kind, axis=joint.axis, body0=joint.ends[0].body, body1=joint.ends[1].body,
        frame0=_frame(context, registry, joint.ends[0]), frame1=_frame(context, registry, joint.ends[1]),
        axes=read_axes(context, joint.opinions, joint.kind), cone=read_cone(context, joint.opinions, joint.kind),
        drive_rotation=read_drive_rotation(joint.opinions, joint.kind),
                        distance=_distance(context, joint.opinions, joint.kind),
        coupling=_coupling(context, joint) if joint.kind in COUPLINGS else None,
        break_force=force if math.isfinite(force) else math.inf,
        break_torque=torque if math.isfinite(torque) else math.inf,
        collision_enabled=view.flag("collisionEnabled"),
        collider=next((view.targets(f"body{i}")[0] for i, end in enumerate(joint.ends) if end.static), ""),
    )


def _frame(context: ReadContext, registry: BodyRegistry, end: JointEnd) -> Pose:
    """The joint frame at one side; in the world where PhysX makes the body a static one."""
    if not end.body or end.body in registry.scenes:
        return end.frame
    return composed(context.frames.pose(context.prims[end.body].prim, end.body), end.frame)


def _distance(context: ReadContext, opinions: PrimOpinions, kind: str) -> DistanceRange | None:
    """The range of a distance joint, where a negative bound is none, or of a generic joint's distance limit."""
    if kind == "d6" and opinions.has("PhysicsLimitAPI", "distance"):
        return _distance_limit(context, opinions)
    if kind != "distance":
        return None
    view = opinions.joint_view()
    low, high = view.number("minDistance"), view.number("maxDistance")
    if math.inf in (low, high):
        base = "maxDistance" if high == math.inf else "minDistance"
        context.problem(
            "joint/infinite-distance", opinions.path, view.name(base), f"{base} is infinite",
            "PhysX refuses the number and uses a distance of 0", "author -1 for no bound",
        )
        low, high = (0.0 if bound == math.inf else bound for bound in (low, high))
    spring = opinions.view("PhysxPhysicsDistanceJointAPI")
    enabled = spring.flag("springEnabled")
    return DistanceRange(
        minimum=low if low >= 0.0 else -math.inf, maximum=high if high >= 0.0 else math.inf,
        stiffness=spring_gain(spring, "springStiffness") if enabled else 0.0,
        damping=spring_gain(spring, "springDamping") if enabled else 0.0, spring=enabled,
    )


def _distance_limit(context: ReadContext, opinions: PrimOpinions) -> DistanceRange | None:
    """Of a generic joint: the upper bound alone, which PhysX takes above 0."""
    view = opinions.view("PhysicsLimitAPI", "distance")
    high = view.number("high")
    if 0.0 < high < math.inf and not refuses_limits(opinions, "distance"):
        return DistanceRange(-math.inf, high, *softness(opinions, "distance"), False)
    if high <= 0.0 or math.isnan(high):
        context.problem(
            "joint/limit-range", opinions.path, view.name("high"), f"high is {high:g}",
            "PhysX refuses the limit and leaves the distance free",
            "author a distance above 0, or lock the translations",
        )
    return None


def _coupling(context: ReadContext, joint: AuthoredJoint) -> Coupling:
    view = joint.opinions.joint_view()
    hinges = []
    for base, hinge_kind in zip(COUPLINGS[joint.kind], _COUPLED[joint.kind], strict=True):
        targets = view.targets(base)
        hinges.append(targets[0] if targets else "")
        hinge = context.prims.get(hinges[-1])
        if hinge is None or hinge.joint_kind != hinge_kind:
            context.problem(
                "joint/no-hinge", joint.path, view.name(base),
                f"{hinges[-1] or 'no target'} is not a {hinge_kind} joint",
                "PhysX couples the body about the x axis of the gear or rack joint's own frame"
                if hinge is None or hinge.joint_kind is None else
                "PhysX reads the position of this joint as the position of a hinge; the bodies turn at wrong speeds",
                f"target a {hinge_kind} joint with {base}",
            )
    return Coupling(hinges[0], hinges[1], view.number("gearRatio" if joint.kind == "gear" else "ratio"))


def read_maximal_joints(
    context: ReadContext, registry: BodyRegistry, joints: Sequence[AuthoredJoint], trees: Sequence[Tree],
) -> tuple[MaximalJoint, ...]:
    """The joints that PhysX makes beside articulations; those it makes nowhere are reported."""
    used = {joint.path for tree in trees for joint in (tree.base, *(link.joint for link in tree.links)) if joint}
    used |= {joint.path for tree in trees for joint in tree.closing}
    links = {link.body for tree in trees for link in tree.links if tree.enabled}
    nested = nested_roots(context)
    roots = {joint.path for joint in joints if joint.to_world and joint.path not in nested
             and joint.opinions.has("PhysicsArticulationRootAPI")}
    return tuple(
        read_maximal_joint(context, registry, joint) for joint in joints
        if joint.enabled and joint.path not in used and _is_created(context, registry, links, roots, joint)
    )


def read_loose_joints(context: ReadContext, registry: BodyRegistry, tree: Tree) -> tuple[MaximalJoint, ...]:
    """The joints that PhysX makes of those of an articulation that is not enabled."""
    joints = [joint for joint in (tree.base, *(link.joint for link in tree.links)) if joint is not None]
    return tuple(read_maximal_joint(context, registry, joint) for joint in joints
                 if not tree.enabled and _is_created(context, registry, (), (), joint))


def _is_created(context: ReadContext, registry: BodyRegistry, links: Container[str], roots: Container[str],
                joint: AuthoredJoint
                ) -> bool:
    """Whether PhysX makes a joint of the two ends; `roots` are the joints that articulations are rooted at."""
    first, second = joint.ends[0].body, joint.ends[1].body
    if (joint.path in context.copies or joint.path in roots or registry.unplaced & {first, second}
            or not all(end.valid for end in joint.ends)):
        return False    # reported as what they are
    if first == second:
        message = f"the joint connects {first} to itself" if first else "both sides of the joint are the world"
        code = "joint/same-body" if first else "joint/no-bodies"
        _report(context, joint, code, "physics:body1", message, "target two different bodies with body0 and body1")
        return False
    if not any(registry.is_dynamic(body) or body in links for body in (first, second)):
        _report(context, joint, "joint/static", "physics:body0", "neither end of the joint is a dynamic body",
                "connect at least one enabled body that is not kinematic")
        return False
    scenes = {scene for body in (first, second) if (scene := registry.owner(body)) is not None}
    if len(scenes) > 1:
        _report(context, joint, "joint/several-scenes", "physics:body0",
                f"the joint connects {first} and {second}, which belong to different scenes "
                f"({' and '.join(scene or 'no scene' for scene in sorted(scenes))})",
                "set the same physics:simulationOwner on both bodies")
        return False
    return True


def _report(context: ReadContext, joint: AuthoredJoint, code: str, name: str, message: str, fix: str) -> None:
    context.problem(code, joint.path, name, message, "PhysX does not create the joint", fix)
