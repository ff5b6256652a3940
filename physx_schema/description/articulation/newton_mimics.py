"""Mimic joints of Newton's schema, which PhysX makes as well: q = coefficient 0 + coefficient 1 * q of the leader."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from physx_schema.description.articulation.dofs import first_dofs
from physx_schema.description.articulation.joints import joint_order
from physx_schema.description.model import Link, Mimic, unlimited
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.units import coordinate, radians

API = "NewtonMimicAPI"


def read_newton_mimics(reading: Reading, links: Sequence[Link]) -> list[Mimic]:
    """The mimic joints that PhysX makes of Newton's declarations on the joints of an articulation."""
    if not reading.mentions(API):
        return []
    places = first_dofs(links)
    found = []
    for link in sorted((link for link in links if link.joint is not None), key=_order):
        opinions = reading.prims[link.joint.path] if link.joint is not None else None
        if opinions is not None and opinions.has(API) and opinions.view(API).flag("mimicEnabled"):
            found += _read(reading, opinions, places)
    return found


def _order(link: Link) -> tuple[int, tuple[str, ...]]:
    return joint_order(link.joint.kind, link.joint.path) if link.joint is not None else (0, ())


def _read(reading: Reading, opinions: PrimOpinions, places: Mapping[str, int]) -> list[Mimic]:
    view = opinions.view(API)
    leaders = view.targets("mimicJoint")
    refusal = _newton_refusal(reading, opinions, leaders, places)
    gearing, offset = -view.number("mimicCoef1"), -view.number("mimicCoef0")
    if refusal or gearing == 0.0:
        reading.problem(
            "joint/newton-mimic", opinions.path, view.name("mimicJoint" if refusal else "mimicCoef1"),
            refusal or "mimicCoef1 is 0", "PhysX makes no mimic joint of it",
            "point newton:mimicJoint at another revolute or prismatic joint of the articulation, give revolute ones "
            "finite limits, and author a coefficient other than 0",
        )
        return []
    turns, leader_turns = opinions.joint_kind == "revolute", reading.prims[leaders[0]].joint_kind == "revolute"
    factor = (radians(1.0) if turns else 1.0) / (radians(1.0) if leader_turns else 1.0)
    return [Mimic(
        path=opinions.path, instance="", prefix=view.prefix, follower=places[opinions.path],
        reference=places[leaders[0]], gearing=gearing * factor, offset=coordinate(offset, turns),
        natural_frequency=0.0, damping_ratio=0.0,
    )]


def _newton_refusal(
    reading: Reading, opinions: PrimOpinions, leaders: Sequence[str], places: Mapping[str, int],
) -> str:
    """Why PhysX makes no mimic joint of two joints, empty where it does."""
    if len(leaders) != 1:
        return f"mimicJoint has {len(leaders)} targets, not one"
    if leaders[0] == opinions.path:
        return "the joint mimics itself"
    leader = reading.prims.get(leaders[0])
    if leader is None or leader.joint_kind is None:
        return f"{leaders[0]} is not a joint"
    if leaders[0] not in places:
        return f"{leaders[0]} is not a joint of the same articulation"
    for joint, role in ((opinions, "the joint"), (leader, "the joint it mimics")):
        fault = _newton_unfit(joint)
        if fault:
            return f"{role} {fault}"
    return ""


def _newton_unfit(joint: PrimOpinions) -> str:
    """Why a joint cannot take part, empty where it can."""
    if joint.joint_kind not in ("revolute", "prismatic"):
        return f"is {joint.joint_kind}, which PhysX does not support"
    view = joint.joint_view()
    finite = all(math.isfinite(bound) and not unlimited(bound)
                 for bound in (view.number("lowerLimit"), view.number("upperLimit")))
    return "" if finite or joint.joint_kind == "prismatic" else "is revolute without two finite limits"
