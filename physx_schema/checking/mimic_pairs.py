"""Mimic joints seen together: cycles, chains, articulations, drives, initial states and other engines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from physx_schema.checking.edits import Repair
from physx_schema.checking.finding import Finding, judged
from physx_schema.checking.mimic_repairs import opened, without_gains, without_newton
from physx_schema.description import Articulation, Description, Dof, Mimic, MimicDeclaration

_TOLERANCE = 1e-4       # rad or length, relative to the terms of the equation, at least of 1


def pairs(description: Description) -> Iterator[Finding]:
    """Everything about mimic joints that takes more than one declaration to see."""
    leaders: dict[str, str] = {}
    for item in description.mimic_declarations:
        if len(item.references) == 1:
            leaders.setdefault(item.path, item.references[0])
    newton = {item.dofs[mimic.follower].path: item.dofs[mimic.reference].path
              for item in description.articulations for mimic in item.mimics if not mimic.instance}
    leaders = {**newton, **leaders}
    rings = _rings(leaders)
    for ring in rings:
        yield _cycle(ring, opened(ring, description.mimic_declarations, newton))
    cyclic = {path for ring in rings for path in ring}
    accepted = {item.path for item in description.mimic_declarations if not item.refusal}.union(newton)
    for item in description.mimic_declarations:
        if len(item.references) == 1 and item.references[0] in accepted - cyclic - {item.path}:
            yield from _chain(item)
        yield from _portability(item, leaders)
        yield from _double(item)
    yield from _strangers(description)
    states = {item.path for item in description.authored if item.schema == "PhysicsJointStateAPI"}
    for articulation in description.articulations:
        for mimic in articulation.mimics:
            yield from _drive_fight(articulation, mimic)
            yield from _initial_violation(articulation, mimic, states)


def _finding(item: MimicDeclaration, code: str, message: str, why: str, fix: str, severity: str = "error") -> Finding:
    return Finding(
        f"DJ.007/{code}", severity, item.path, f"physxMimicJoint:{item.instance}:referenceJoint", message, why, fix,
    )


def _rings(leaders: Mapping[str, str]) -> list[list[str]]:
    """Rings of joints that follow one another, each from its first path; a joint that follows itself is none."""
    visit: dict[str, int] = {}
    rings = []
    for number, start in enumerate(sorted(leaders)):
        way: list[str] = []
        current = start
        while current in leaders and current not in visit:
            visit[current] = number
            way.append(current)
            current = leaders[current]
        if visit.get(current) == number and leaders[current] != current:
            ring = way[way.index(current):]
            first = ring.index(min(ring))
            rings.append(ring[first:] + ring[:first])
    return rings


def _cycle(ring: list[str], repair: Repair) -> Finding:
    return Finding(
        "DJ.007/cycle", "error", ring[0], "apiSchemas", "mimic joints in a ring: " + " -> ".join((*ring, ring[0])),
        "unless the gearings agree exactly, PhysX settles somewhere between them without a message",
        "let one of the joints follow none of the others", repair=repair,
    )


def _chain(item: MimicDeclaration) -> Iterator[Finding]:
    finding = _finding(
        item, "chain", f"its reference {item.references[0]} is itself a mimic joint",
        "PhysX follows the chain; the published rule and other engines do not allow it",
        "refer to the joint at the head of the chain, with the product of the gearings",
    )
    yield from judged(finding, "warning", "error", "error")


def _double(item: MimicDeclaration) -> Iterator[Finding]:
    """Newton's mimic joint q = c0 + c1 q_reference says the same as PhysX's where c1 = -gearing and c0 = -offset."""
    gearing, offset = item.value("gearing"), item.value("offset")
    if item.newton is None or not isinstance(gearing, int | float) or not isinstance(offset, int | float):
        return
    same = math.isclose(item.newton[1], -gearing, rel_tol=_TOLERANCE) and math.isclose(
        item.newton[0], -offset, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    yield Finding(
        "DJ.007/double-mimic", "warning" if same else "error", item.path, "apiSchemas",
        f"NewtonMimicAPI on the same joint says q = {item.newton[0]:g} + {item.newton[1]:g} q_reference, "
        f"PhysxMimicJointAPI says q = {-offset + 0.0:g} + {-gearing:g} q_reference",
        "PhysX obeys both" if same else "PhysX obeys both, and the joints stay near their start",
        "remove one of the two APIs, or keep them equal" if same else "make newton:mimicCoef1 = -gearing and "
        "newton:mimicCoef0 = -offset, or remove one of the two APIs", repair=None if same else without_newton(item),
    )


def _portability(item: MimicDeclaration, leaders: Mapping[str, str]) -> Iterator[Finding]:
    reasons = []
    if item.reference_kind is not None and item.joint_kind is not None and item.reference_kind != item.joint_kind:
        reasons.append(f"it couples a {item.joint_kind} with a {item.reference_kind} joint")
    if len(item.references) == 1 and item.references[0] in leaders:
        reasons.append("its reference follows another joint")
    if item.joint_kind == "revolute" and item.value("offset") not in (0, 0.0):
        reasons.append("its offset is in degrees")
    if reasons:
        finding = _finding(
            item, "newton-portability", "; ".join(reasons), "Newton reads such mimic joints differently or not at all",
            "check the joint there before relying on it", "info",
        )
        yield from judged(finding, "info", "info", "warning")


def _strangers(description: Description) -> Iterator[Finding]:
    """Declarations PhysX parses and then cannot make, because the joints are not in one articulation."""
    made = {(mimic.path, mimic.instance) for item in description.articulations for mimic in item.mimics}
    for item in description.mimic_declarations:
        if not item.refusal and (item.path, item.instance) not in made:
            yield _finding(
                item, "same-articulation",
                f"{item.path} and {item.references[0]} are not joints inside one articulation",
                "PhysX makes no mimic joint of them", "put both joints between links of one articulation",
            )


def _drive_fight(articulation: Articulation, mimic: Mimic) -> Iterator[Finding]:
    drive = articulation.dofs[mimic.follower].drive
    if drive is not None and (drive.stiffness != 0.0 or drive.damping != 0.0):
        yield Finding(
            "DJ.007/drive-fight", "warning", mimic.path, drive.prefix + "stiffness",
            f"a drive with {_gains(articulation.dofs[mimic.follower])} on a joint that follows another, which has "
            f"{_gains(articulation.dofs[mimic.reference])}",
            "the drive pulls the reference joint too; opposed targets leave both near their start",
            "set the drive's stiffness and damping to 0, and drive the reference joint",
            repair=without_gains(drive),
        )


def _gains(dof: Dof) -> str:
    """The gains of a degree of freedom as authored: per degree or per length."""
    if dof.drive is None:
        return "no drive"
    unit = math.radians(1.0) if dof.angular else 1.0
    return f"stiffness {dof.drive.stiffness * unit:g} and damping {dof.drive.damping * unit:g}"


def _initial_violation(articulation: Articulation, mimic: Mimic, states: set[str]) -> Iterator[Finding]:
    follower, reference = articulation.dofs[mimic.follower], articulation.dofs[mimic.reference]
    if follower.path not in states and reference.path not in states:
        return
    terms = (follower.position, mimic.gearing * reference.position, mimic.offset)
    if abs(sum(terms)) > _TOLERANCE * max(1.0, *map(abs, terms)):
        unit = "rad" if follower.angular else "length units"
        name = mimic.prefix + ("gearing" if mimic.instance else "mimicCoef1")
        yield Finding(
            "DJ.007/initial-violation", "warning", mimic.path, name,
            f"the authored joint states miss the equation by {sum(terms):g} {unit}",
            "the first steps jerk both joints together",
            "author joint states with q + gearing * q_reference + offset = 0",
        )
