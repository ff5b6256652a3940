"""Mimic joints together with others: cycles, chains, articulations, drives, initial states and other engines."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import (
    PROFILES,
    Finding,
    RemoveSchema,
    Repair,
    SetValue,
    per_profile,
    safe,
    unsafe,
)
from physx_schema.checking.engine.rule import Rule, finder, joints_with_state
from physx_schema.checking.rules.mimic import REFERENCE, SCRIPT, VALID, property_name, removal_edits
from physx_schema.description import Articulation, Description, Dof, Drive, Mimic, MimicDeclaration

_TOLERANCE = 1e-4       # rad or length, relative to the terms of the equation, at least of 1
_RING = {"float physics:lowerLimit": "-45", "float physics:upperLimit": "45", REFERENCE: "</Robot/j2>",
         "float physxMimicJoint:rotX:gearing": "-2", "float physxMimicJoint:rotX:naturalFrequency": "20",
         "float physxMimicJoint:rotX:dampingRatio": "1"}
_LIMITED_LINK = usda.prim("Xform", "c", {"float physics:mass": "1", "float3 physics:diagonalInertia": "(1, 1, 1)"},
                          "PhysicsRigidBodyAPI", "PhysicsMassAPI")
_THIRD = usda.follower({"referenceJoint": "</Robot/j2>"}, name="j3", parent="b", child="c")

MIMIC_CYCLE = Rule("DJ.007/cycle", "error", f"""
    Cycle of mimic joints

    PhysX solves each mimic joint of a cycle as a two-way constraint. If the gearings in a cycle of mimic joints
    contradict each other, all its joints settle away from their targets, without a message.

    Measured: In a cycle with the gearings -1 and -2, the joints settle at 8.70 and 7.45 degrees. {SCRIPT}
    """,
    why="if the gearings of the cycle contradict each other, its joints settle away from their targets, without a "
        "message",
    fix="remove the mimic joint from one joint of the cycle",
    example=usda.joint("j1", _RING, "PhysxMimicJointAPI:rotX") + VALID,
    remedy=usda.joint("j1", usda.LIMITS) + VALID,
)


def _cycle(ring: list[str], repair: Repair) -> Finding:
    message = "cycle of mimic joints: " + " -> ".join((*ring, ring[0]))
    return MIMIC_CYCLE.at(ring[0], "apiSchemas", message, repair=repair)


def _rings(leaders: Mapping[str, str]) -> list[list[str]]:
    """Cycles of joints, each from its first path, without joints that follow themselves."""
    visit: dict[str, int] = {}
    rings = []
    for index, start in enumerate(sorted(leaders)):
        path: list[str] = []
        current = start
        while current in leaders and current not in visit:
            visit[current] = index
            path.append(current)
            current = leaders[current]
        if visit.get(current) == index and leaders[current] != current:
            ring = path[path.index(current):]
            first = ring.index(min(ring))
            rings.append(ring[first:] + ring[:first])
    return rings


def _open_ring(ring: Sequence[str], declarations: Sequence[MimicDeclaration], newton: Collection[str]) -> Repair:
    """Remove the mimic joint of the cycle's first joint; `newton` holds the joints that follow by Newton's schema."""
    edits = [edit for item in declarations if item.path == ring[0] for edit in removal_edits(item)]
    return unsafe(*edits, *([RemoveSchema(ring[0], "NewtonMimicAPI")] if ring[0] in newton else []))


CHAIN = Rule("DJ.007/chain", "error", """
    Reference joint that is a mimic joint

    The reference joint is itself a mimic joint and follows another joint. PhysX simulates a chain of mimic joints
    correctly, but SimReady DJ.007 forbids such a chain, and Newton rejects it.

    Measured: In a chain of three joints, a third joint follows the follower joint. All three joints reach 19.99 degrees
    and differ by at most 0.0004. (`experiments/measure_mimics.py`)
    """,
    why="PhysX simulates a chain of mimic joints, but SimReady DJ.007 forbids it and Newton rejects it",
    fix="use the first joint of the chain as reference joint, with gearing = -(product of both gearings)",
    profiles=PROFILES,
    example=_LIMITED_LINK + VALID + _THIRD,
    remedy=_LIMITED_LINK + VALID + usda.follower(name="j3", parent="b", child="c"),
)


def _chain(item: MimicDeclaration) -> Iterator[Finding]:
    message = f"the reference joint {item.references[0]} is a mimic joint"
    finding = CHAIN.at(item.path, property_name(item, "referenceJoint"), message)
    yield from per_profile(finding, "warning", "error", "error")


SAME_ARTICULATION = Rule("DJ.007/same-articulation", "error", f"""
    Mimic joint across articulations

    A follower joint and its reference joint must connect links of the same articulation. PhysX logs an error if one of
    the two joints connects to the world or is outside the articulation's tree. PhysX then creates no mimic joint.

    Measured: A follower joint between the world and a link does not follow its reference joint. {SCRIPT}
    """,
    why="PhysX creates no mimic joint",
    fix="connect both joints to links of the same articulation",
    example=usda.follower(parent=""),
    remedy=VALID,
)


def _separate_articulations(description: Description) -> Iterator[Finding]:
    """Declarations that PhysX accepts but cannot create, because the joints are not in one articulation."""
    created = {(mimic.path, mimic.instance) for item in description.articulations for mimic in item.mimics}
    for item in description.mimic_declarations:
        if not item.refusal and (item.path, item.instance) not in created:
            message = f"{item.path} and {item.references[0]} are not joints of one articulation"
            yield SAME_ARTICULATION.at(item.path, property_name(item, "referenceJoint"), message)


DRIVE_FIGHT = Rule("DJ.007/drive-fight", "warning", f"""
    Drive on a mimic joint

    A drive on the follower joint works against the mimic joint and also moves the reference joint. If two coupled
    joints have equal drive gains and opposite targets, both joints stay near the middle between the targets.

    Measured: Two coupled joints with equal drive gains and targets of 20 and -20 degrees end at 1.98 and -1.98 degrees.
    {SCRIPT}
    """,
    why="the drive also pulls the reference joint; if the two joints have opposite targets, both stay near their start",
    fix="set the drive's stiffness and damping to 0, and drive the reference joint",
    example=usda.follower({"float drive:angular:physics:stiffness": "100"}, "PhysicsDriveAPI:angular"),
    remedy=usda.follower({"float drive:angular:physics:stiffness": "0"}, "PhysicsDriveAPI:angular"),
)


def _drive_fight(articulation: Articulation, mimic: Mimic) -> Iterator[Finding]:
    drive = articulation.dofs[mimic.follower].drive
    if drive is not None and (drive.stiffness != 0.0 or drive.damping != 0.0):
        yield DRIVE_FIGHT.at(
            mimic.path, drive.prefix + "stiffness",
            f"the follower joint has {_gains(articulation.dofs[mimic.follower])}, and its reference joint has "
            f"{_gains(articulation.dofs[mimic.reference])}", repair=_without_gains(drive),
        )


def _without_gains(drive: Drive) -> Repair:
    """Set the gains of the follower's drive to 0: the coupling moves the joint."""
    gains = (("stiffness", drive.stiffness), ("damping", drive.damping))
    return safe(*(SetValue(drive.path, drive.prefix + name, 0.0, "float") for name, value in gains if value))


def _gains(dof: Dof) -> str:
    """The gains of a degree of freedom as authored: per degree or per length."""
    if dof.drive is None:
        return "no drive"
    unit = math.radians(1.0) if dof.angular else 1.0
    return f"a drive with stiffness {dof.drive.stiffness * unit:g} and damping {dof.drive.damping * unit:g}"


INITIAL_VIOLATION = Rule("DJ.007/initial-violation", "warning", f"""
    Initial joint states that violate the mimic equation

    The authored joint states do not satisfy the mimic equation q + gearing * q_reference + offset = 0. In the first
    steps PhysX moves both joints until they satisfy the mimic equation.

    Measured: The reference joint starts at 10 degrees, and the follower joint starts at 0 with gearing -1. After one
    step both joints are at 10.4 degrees. {SCRIPT}
    """,
    why="the first steps move both joints abruptly until they satisfy the mimic equation",
    fix="author joint states with q + gearing * q_reference + offset = 0",
    example=usda.follower({"float state:angular:physics:position": "10"}, "PhysicsJointStateAPI:angular"),
    remedy=usda.follower({"float state:angular:physics:position": "0"}, "PhysicsJointStateAPI:angular"),
)


def _initial_violation(articulation: Articulation, mimic: Mimic, states: set[str]) -> Iterator[Finding]:
    follower, reference = articulation.dofs[mimic.follower], articulation.dofs[mimic.reference]
    if follower.path not in states and reference.path not in states:
        return
    terms = (follower.position, mimic.gearing * reference.position, mimic.offset)
    if abs(sum(terms)) > _TOLERANCE * max(1.0, *map(abs, terms)):
        unit = "rad" if follower.angular else "length units"
        name = mimic.prefix + ("gearing" if mimic.instance else "mimicCoef1")
        message = f"the joint states violate the mimic equation by {sum(terms):g} {unit}"
        yield INITIAL_VIOLATION.at(mimic.path, name, message)


DOUBLE_MIMIC = Rule("DJ.007/double-mimic", "error", f"""
    PhysX and Newton mimic APIs on one joint

    If a joint has NewtonMimicAPI and PhysxMimicJointAPI, PhysX applies both. If the two mimic schemas contradict each
    other, neither joint can move. The two mimic schemas agree if mimicCoef1 = -gearing and mimicCoef0 = -offset.

    Measured: With gearing 1 and mimicCoef1 1, the reference joint stays at 1.98 degrees, and the follower joint stays
    at 0. {SCRIPT}
    """,
    why="PhysX applies both mimic schemas, and the joints stay near their start",
    fix="set newton:mimicCoef1 = -gearing and newton:mimicCoef0 = -offset, or remove one of the two schemas",
    profiles=PROFILES,
    example=usda.follower({"gearing": "1", "float newton:mimicCoef1": "1", "rel newton:mimicJoint": "</Robot/j1>"},
                          "NewtonMimicAPI"),
    remedy=VALID,
)


def _double(item: MimicDeclaration) -> Iterator[Finding]:
    """Newton's q = c0 + c1 q_reference equals PhysX's mimic joint if c1 = -gearing and c0 = -offset."""
    gearing, offset = item.value("gearing"), item.value("offset")
    if item.newton is None or not isinstance(gearing, int | float) or not isinstance(offset, int | float):
        return
    same = math.isclose(item.newton[1], -gearing, rel_tol=_TOLERANCE) and math.isclose(
        item.newton[0], -offset, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    yield DOUBLE_MIMIC.at(
        item.path, "apiSchemas",
        f"NewtonMimicAPI gives q = {item.newton[0]:g} + {item.newton[1]:g} q_reference, "
        f"PhysxMimicJointAPI gives q = {-offset + 0.0:g} + {-gearing:g} q_reference",
        why="PhysX applies both mimic schemas" if same else "",
        fix="remove one of the two schemas, or keep their values equal" if same else "",
        severity="warning" if same else "error", repair=None if same else _without_newton(item),
    )


def _without_newton(item: MimicDeclaration) -> Repair:
    """Remove Newton's mimic joint, which contradicts PhysX's."""
    return unsafe(RemoveSchema(item.path, "NewtonMimicAPI"))


NEWTON_PORTABILITY = Rule("DJ.007/newton-portability", "warning", """
    Mimic joint that Newton reads differently

    Newton's mimic joints couple only two joints of the same type, cannot form chains, and use other units for offsets.

    Measured: A slider follows a hinge with gearing -0.01 per degree. When the hinge is at 20 degrees, the slider is at
    0.200. (`experiments/measure_mimics.py`)
    """,
    why="Newton reads such a mimic joint differently or not at all",
    fix="test the joint in Newton before you rely on it",
    profiles=PROFILES,
    example=usda.follower({"offset": "5", "float physics:lowerLimit": "-60"}),
    remedy=VALID,
)


def _portability(item: MimicDeclaration, leaders: Mapping[str, str]) -> Iterator[Finding]:
    reasons = []
    if item.reference_kind is not None and item.joint_kind is not None and item.reference_kind != item.joint_kind:
        reasons.append(f"the mimic joint couples a {item.joint_kind} with a {item.reference_kind} joint")
    if len(item.references) == 1 and item.references[0] in leaders:
        reasons.append("the reference joint is itself a mimic joint")
    if item.joint_kind == "revolute" and item.value("offset") not in (0, 0.0):
        reasons.append("the offset is in degrees")
    if reasons:
        finding = NEWTON_PORTABILITY.at(item.path, property_name(item, "referenceJoint"), "; ".join(reasons))
        yield from per_profile(finding, "info", "info", "warning")


@finder(
    "mimic-pairs", MIMIC_CYCLE, CHAIN, SAME_ARTICULATION, DRIVE_FIGHT, INITIAL_VIOLATION, DOUBLE_MIMIC,
    NEWTON_PORTABILITY,
)
def pairs(description: Description) -> Iterator[Finding]:
    """Faults of mimic joints that only several declarations together show."""
    leaders: dict[str, str] = {}
    for item in description.mimic_declarations:
        if len(item.references) == 1:
            leaders.setdefault(item.path, item.references[0])
    newton = {item.dofs[mimic.follower].path: item.dofs[mimic.reference].path
              for item in description.articulations for mimic in item.mimics if not mimic.instance}
    leaders = {**newton, **leaders}
    rings = _rings(leaders)
    for ring in rings:
        yield _cycle(ring, _open_ring(ring, description.mimic_declarations, newton))
    cyclic = {path for ring in rings for path in ring}
    accepted = {item.path for item in description.mimic_declarations if not item.refusal}.union(newton)
    for item in description.mimic_declarations:
        if len(item.references) == 1 and item.references[0] in accepted - cyclic - {item.path}:
            yield from _chain(item)
        yield from _portability(item, leaders)
        yield from _double(item)
    yield from _separate_articulations(description)
    states = joints_with_state(description)
    for articulation in description.articulations:
        for mimic in articulation.mimics:
            yield from _drive_fight(articulation, mimic)
            yield from _initial_violation(articulation, mimic, states)


