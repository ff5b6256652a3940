"""The rows of what bodies and links author of their mass, dampings and speeds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from physx_runtime.packing.links import principal_moments
from physx_runtime.verification.authored import Authored
from physx_runtime.verification.bodies.bench import Array, Throw, alone, throw
from physx_runtime.verification.bodies.experiments import EXPERIMENTS, Subject, measurable
from physx_runtime.verification.quantity import uncertainty
from physx_runtime.verification.report import ALTERED, AS_AUTHORED, AS_AUTHORED_TOLERANCE, Row, Value, deviation
from physx_schema.description.model import ActorDescription, Articulation, Description, Link
from physx_schema.description.units import DEGREES_PER_RADIAN
from physx_schema.errors import UnsupportedError

PRINCIPAL_AXES, CENTER, DENSITY = "physics:principalAxes", "physics:centerOfMass", "physics:density"
UNITS: Mapping[str, str] = {
    "physics:mass": "mass", DENSITY: "mass/length^3", "physics:diagonalInertia": "mass length^2", CENTER: "length",
    "physxRigidBody:linearDamping": "1/s", "physxRigidBody:angularDamping": "1/s", "physics:velocity": "length/s",
    "physxRigidBody:maxLinearVelocity": "length/s", "physics:angularVelocity": "deg/s",
    "physxRigidBody:maxAngularVelocity": "deg/s",
}
SOLVERS = ("physx", "ideal")
# Error of a component that counts as none where 0 is authored, of the largest one, or in the stage's unit.
NOISE = 1e-6


class Asked(NamedTuple):
    """A body, what it is stepped as, and which of its numbers are measured."""

    link: Link
    actor: ActorDescription
    properties: Sequence[str]
    articulation: str


def body_rows(description: Description, authored: Authored, dt: float) -> Iterator[Row]:
    """A row for every number of a body or link that has an experiment; the others are left to the account."""
    groups: dict[tuple[str, bool], list[Asked]] = {}
    for item in _asked(description, authored):
        groups.setdefault((item.link.scene, isinstance(item.actor, Articulation)), []).append(item)
    for group in groups.values():
        try:
            yield from _group_rows(description, authored, group, dt)
        except UnsupportedError:        # which the rows of its joints say, or the account
            continue


def _asked(description: Description, authored: Authored) -> Iterator[Asked]:
    owners: list[tuple[Articulation | None, Link]] = [
        (a, link) for a in description.articulations if a.enabled for link in a.links]
    owners += [(None, body) for body in description.separate_bodies if not body.kinematic]
    for owner, link in owners:
        named = {name for name in EXPERIMENTS if f"{link.path}.{name}" in description.consumed
                 and _says(authored.get((link.path, name)), name, link)}
        if named and all(map(math.isfinite, (link.mass, *link.center_of_mass, *principal_moments(link)))):
            yield Asked(link, alone(link, owner), measurable(named), owner.path if owner else link.path)


def _says(value: Value | None, name: str, link: Link) -> bool:
    """Whether a number is one to measure: finite, and not the one that leaves the choice to PhysX."""
    values = value if isinstance(value, tuple) else (value,)
    if any(x is None or not math.isfinite(x) for x in values):
        return False
    if name in ("physics:mass", DENSITY, "physics:diagonalInertia", PRINCIPAL_AXES):
        return any(values)
    return math.isfinite(_greatest(link, name))


def _group_rows(description: Description, authored: Authored, group: Sequence[Asked], dt: float) -> Iterator[Row]:
    """The rows of bodies in one scene, all thrown at once."""
    meter = 1.0 / description.scene.meters_per_unit
    subjects = [Subject(item.link, meter, dt) for item in group]
    throws = [[list(EXPERIMENTS[name].throws(subject)) for name in item.properties]
              for item, subject in zip(group, subjects, strict=True)]
    flat: list[list[Throw]] = [[one for some in own for one in some] for own in throws]
    found = [throw(description, [item.actor for item in group], flat, dt, solver) for solver in SOLVERS]
    for i, (item, subject) in enumerate(zip(group, subjects, strict=True)):
        at = 0
        for name, own in zip(item.properties, throws[i], strict=True):
            answers = [EXPERIMENTS[name].answer(subject, some[i][at:at + len(own)]) for some in found]
            at += len(own)
            yield _row(description, item, name, authored[item.link.path, name], answers)


def _row(description: Description, item: Asked, name: str, authored: Value, answers: Sequence[Array]) -> Row:
    effective, ideal = (_on_stage(name, authored, item.link, answer) for answer in answers)
    verdict, reason = AS_AUTHORED, ""
    size = math.hypot(*effective) if isinstance(effective, tuple) else effective
    error = uncertainty(size, NOISE * max(abs(size), NOISE))
    if not _agrees(authored, effective):
        verdict = ALTERED
        said = [f"{problem.message}: {problem.why}" for problem in description.problems
                if (problem.path, problem.property) == (item.link.path, name)]
        reason = "; ".join(said) or "the step takes another number than the stage has"
    return Row(item.link.path, name, authored, effective, ideal, verdict, reason, UNITS.get(name, ""),
               item.articulation, uncertainty=error)


def _agrees(authored: Value, effective: Value) -> bool:
    if isinstance(effective, float) and authored == 0.0:
        return abs(effective) <= NOISE
    return deviation(authored, effective) <= AS_AUTHORED_TOLERANCE


def _on_stage(name: str, authored: Value, link: Link, answer: Array) -> Value:
    """In the property's own unit: degrees, and lengths of the prim, which may be scaled."""
    values = answer * (DEGREES_PER_RADIAN if UNITS.get(name) == "deg/s" else 1.0)
    if name == DENSITY:     # the mass is in proportion, whatever the volume is
        values = values * np.array(authored)
    if name == CENTER:
        own, described = np.array(authored), np.array(link.center_of_mass)
        values = values * np.divide(own, described, out=np.ones(3), where=described * own != 0.0)
    if name == PRINCIPAL_AXES and values @ np.array(authored) < 0.0:      # the same axes
        values = -values
    largest = float(np.max(np.abs(values)))
    shown = tuple(0.0 if abs(x) <= NOISE * max(largest, NOISE) else float(f"{x:.7g}") for x in values)
    return shown if isinstance(authored, tuple) else shown[0]


def _greatest(link: Link, name: str) -> float:
    """A greatest speed as the step takes it; anything finite for other numbers."""
    return {"physxRigidBody:maxLinearVelocity": link.max_linear_velocity,
            "physxRigidBody:maxAngularVelocity": link.max_angular_velocity}.get(name, 0.0)
