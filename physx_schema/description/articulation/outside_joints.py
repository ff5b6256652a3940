"""One joint outside articulations, from body0 to body1: its frames, and what it holds."""

from __future__ import annotations

import math
from collections.abc import Mapping

from physx_schema.description.articulation.joints import COUPLINGS, AuthoredJoint, JointEnd
from physx_schema.description.articulation.outside_axes import read_aim, read_axes, read_cone, softness, spring_gain
from physx_schema.description.articulation.outside_limits import refuses_limits
from physx_schema.description.frames import composed
from physx_schema.description.model import Coupling, DistanceRange, OutsideJoint
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.poses import Pose
from physx_schema.description.roster import Roster

_COUPLED: Mapping[str, tuple[str, str]] = {"gear": ("revolute", "revolute"), "rack": ("revolute", "prismatic")}


def read_outside(reading: Reading, roster: Roster, joint: AuthoredJoint) -> OutsideJoint:
    """A joint that PhysX makes outside articulations."""
    view = joint.opinions.joint_view()
    force, torque = (view.number(base) for base in ("breakForce", "breakTorque"))
    return OutsideJoint(
        path=joint.path, kind=joint.kind, axis=joint.axis, body0=joint.ends[0].body, body1=joint.ends[1].body,
        frame0=_frame(reading, roster, joint.ends[0]), frame1=_frame(reading, roster, joint.ends[1]),
        axes=read_axes(reading, joint.opinions, joint.kind), cone=read_cone(reading, joint.opinions, joint.kind),
        aim=read_aim(joint.opinions, joint.kind), distance=_distance(reading, joint.opinions, joint.kind),
        coupling=_coupling(reading, joint) if joint.kind in COUPLINGS else None,
        break_force=force if math.isfinite(force) else math.inf,
        break_torque=torque if math.isfinite(torque) else math.inf,
        collision_enabled=view.flag("collisionEnabled"),
        collider=next((view.targets(f"body{i}")[0] for i, end in enumerate(joint.ends) if end.static), ""),
    )


def _frame(reading: Reading, roster: Roster, end: JointEnd) -> Pose:
    """The joint frame at one side; in the world where PhysX makes the body a static one."""
    if not end.body or end.body in roster.scenes:
        return end.frame
    return composed(reading.frames.pose(reading.prims[end.body].prim, end.body), end.frame)


def _distance(reading: Reading, opinions: PrimOpinions, kind: str) -> DistanceRange | None:
    """The range of a distance joint, where a negative bound is none, or of a generic joint's distance limit."""
    if kind == "d6" and opinions.has("PhysicsLimitAPI", "distance"):
        return _distance_limit(reading, opinions)
    if kind != "distance":
        return None
    view = opinions.joint_view()
    low, high = view.number("minDistance"), view.number("maxDistance")
    if math.inf in (low, high):
        base = "maxDistance" if high == math.inf else "minDistance"
        reading.problem(
            "joint/infinite-distance", opinions.path, view.name(base), f"{base} is infinite",
            "PhysX refuses the number and works with a distance of 0", "author -1 for no bound",
        )
        low, high = (0.0 if bound == math.inf else bound for bound in (low, high))
    spring = opinions.view("PhysxPhysicsDistanceJointAPI")
    enabled = spring.flag("springEnabled")
    return DistanceRange(
        minimum=low if low >= 0.0 else -math.inf, maximum=high if high >= 0.0 else math.inf,
        stiffness=spring_gain(spring, "springStiffness") if enabled else 0.0,
        damping=spring_gain(spring, "springDamping") if enabled else 0.0, spring=enabled,
    )


def _distance_limit(reading: Reading, opinions: PrimOpinions) -> DistanceRange | None:
    """Of a generic joint: the upper bound alone, which PhysX takes above 0."""
    view = opinions.view("PhysicsLimitAPI", "distance")
    high = view.number("high")
    if 0.0 < high < math.inf and not refuses_limits(opinions, "distance"):
        return DistanceRange(-math.inf, high, *softness(opinions, "distance"), False)
    if high <= 0.0 or math.isnan(high):
        reading.problem(
            "joint/limit-range", opinions.path, view.name("high"), f"high is {high:g}",
            "PhysX refuses the limit and the distance is free", "author a distance above 0, or lock the translations",
        )
    return None


def _coupling(reading: Reading, joint: AuthoredJoint) -> Coupling:
    view = joint.opinions.joint_view()
    hinges = []
    for base, wanted in zip(COUPLINGS[joint.kind], _COUPLED[joint.kind], strict=True):
        targets = view.targets(base)
        hinges.append(targets[0] if targets else "")
        found = reading.prims.get(hinges[-1])
        if found is None or found.joint_kind != wanted:
            reading.problem(
                "joint/no-hinge", joint.path, view.name(base), f"{hinges[-1] or 'nothing'} is no {wanted} joint",
                "PhysX couples the body about the x axis of the joint's own frame"
                if found is None or found.joint_kind is None else
                "PhysX takes its position for a hinge's, and the bodies turn at other speeds",
                f"point {base} at a {wanted} joint",
            )
    return Coupling(hinges[0], hinges[1], view.number("gearRatio" if joint.kind == "gear" else "ratio"))
