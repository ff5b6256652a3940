"""Text for people: findings in a few lines each, errors first, and what was not evaluated.

Numbers with their units, for people: lengths and masses in the stage's units, angles in degrees.

Joints and drives in words, as they are named in an articulation and outside.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from physx_schema.checking import Finding, Report
from physx_schema.checking.engine.finding import location, rank
from physx_schema.cli.formats.places import line_of
from physx_schema.description import Drive, Envelope, Opinion, Scene
from physx_schema.errors import printable
from physx_schema.text import plural, styled

_FOREIGN, _HIDDEN, _IDLE = "unused/other-engine", "scene/hidden", "unused/idle"
_PRIM = "<prim>"    # stands for each of several prims in a text
_NAMED = 5          # prims named of a finding that is no error


def finding_lines(source: str, findings: Sequence[Finding], folding: bool = True) -> Iterator[str]:
    """Where and what, why it matters, what to do; errors first, and once what several prims have in common.

    source: the file of the root layer; the line is told of what stands in layers of text.
    folding: many opinions of other engines are one line, and what a hidden scene has in vain is counted with it, as
    files have them that converters wrote.
    """
    if folding:
        findings = tuple(_counted_with_scenes(findings))
        foreign = [finding for finding in findings if finding.code == _FOREIGN]
        if len(foreign) > _NAMED:
            prims = plural(len({finding.path for finding in foreign}), "prim")
            findings = [finding for finding in findings if finding.code != _FOREIGN]
            yield from finding_lines(source, findings, False)
            yield (f"{printable(source)}: {prims}: info {_FOREIGN}: {len(foreign)} opinions of other engines that "
                   f"PhysX does not read; list them with --select {_FOREIGN}")
            return
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in sorted(findings, key=lambda item: -rank(item.severity)):
        groups.setdefault(_in_common(finding), []).append(finding)
    for (severity, code, name, layer, *texts), group in groups.items():
        message, why, fix = texts if len(group) > 1 else (group[0].message, group[0].why, group[0].fix)
        line = line_of(layer or source, group[0].path, name) if len(group) == 1 else None
        number = f":{line}" if line else ""
        yield (printable(f"{source}{'' if layer else number}: {_location(group, name)}: ") + styled(severity, severity)
               + printable(f" {code}: {message}" + (f" [{layer}{number}]" if layer else "")))
        if len(group) > 1:
            yield printable(f"    at: {_prims(group, layer or source)}")
        yield printable(f"    why: {why}")
        yield printable(f"    fix: {fix}")


def _counted_with_scenes(findings: Sequence[Finding]) -> Iterator[Finding]:
    """The findings, those that follow from a hidden scene as a count in its own."""
    hidden = {finding.path for finding in findings if finding.code == _HIDDEN}
    for finding in findings:
        follow = sum(item.code == _IDLE and item.path == finding.path for item in findings)
        if finding.code == _HIDDEN and follow:
            message = f"{finding.message}; {plural(follow, 'opinion')} on it without effect for that reason"
            yield replace(finding, message=message)
        elif finding.code != _IDLE or finding.path not in hidden:
            yield finding


def _in_common(finding: Finding) -> tuple[str, ...]:
    """All that a finding says but its prim."""
    path_pattern = re.compile(re.escape(finding.path) + r"(?![\w/])")
    texts = (path_pattern.sub(_PRIM, text) for text in (finding.message, finding.why, finding.fix))
    return (finding.severity, finding.code, finding.property, finding.layer, *texts)


def _location(group: Sequence[Finding], name: str) -> str:
    if len(group) == 1:
        return location(group[0].path, name)
    prims = f"{len(group)} prims"
    return f"{name} of {prims}" if name and name != "apiSchemas" else prims


def _prims(group: Sequence[Finding], file: str) -> str:
    """The prims of a group with their lines: of errors all, of others the first few."""
    visible = group if group[0].severity == "error" else group[:_NAMED]
    lines = [line_of(file, finding.path, finding.property) for finding in visible]
    entries = (f"{finding.path} (line {line})" if line else finding.path
               for finding, line in zip(visible, lines, strict=True))
    return ", ".join(entries) + (f" and {len(group) - len(visible)} more" if len(group) > len(visible) else "")


def not_evaluated_lines(source: str, opinions: Sequence[Opinion]) -> Iterator[str]:
    """One line per reason, with how often it occurs and where first."""
    by_reason: dict[str, list[Opinion]] = {}
    for opinion in opinions:
        by_reason.setdefault(opinion.reason, []).append(opinion)
    for reason, group in by_reason.items():
        more = f" (and {len(group) - 1} more)" if len(group) > 1 else ""
        yield printable(f"{source}: {location(group[0].path, group[0].property)}: not evaluated: {reason}{more}")


def summary(report: Report) -> str:
    """The counts of a report."""
    counts = [plural(report.count(severity), severity) for severity in ("error", "warning")]
    counts += [f"{report.count('info')} info", f"{len(report.not_evaluated)} not evaluated"]
    omitted = [f"{len(items)} {what}" for items, what in ((report.waived, "waived"), (report.known, "known")) if items]
    return ", ".join((*counts, *omitted))


_DEGREE = 180.0 / math.pi
_LENGTHS = ((1.0, "m"), (0.01, "cm"), (0.001, "mm"), (0.0254, "in"), (0.3048, "ft"), (1000.0, "km"))
_MASSES = ((1.0, "kg"), (0.001, "g"), (1000.0, "t"), (0.45359237, "lb"))


@dataclass(frozen=True, slots=True)
class Units:
    """Names of the stage's units; quantities come in the description's units, radians for angles."""

    length: str
    mass: str
    force: str
    torque: str
    spring: str                 # of a stiffness along a length
    damper: str                 # of a damping along a length

    def accelerations(self) -> Units:
        """With acceleration for effort, as the gains of an acceleration drive have it."""
        return replace(self, force=f"{self.length}/s2", torque="rad/s2", spring="/s2", damper="/s")

    def limits(self, lower: float, upper: float, angular: bool) -> str:
        """A range of coordinates."""
        unit = "deg" if angular else self.length
        if math.isinf(lower) and math.isinf(upper):
            return "no limits"
        first, second = (value * _DEGREE if angular else value for value in (lower, upper))
        if lower == upper:
            return f"held at {number(first)} {unit}"
        if math.isinf(lower):
            return f"up to {number(second)} {unit}"
        if math.isinf(upper):
            return f"from {number(first)} {unit}"
        return f"{number(first)} to {number(second)} {unit}"

    def coordinate(self, value: float, angular: bool) -> str:
        """A joint position."""
        return f"{number(value * _DEGREE)} deg" if angular else f"{number(value)} {self.length}"

    def rate(self, value: float, angular: bool) -> str:
        """A joint velocity."""
        return f"{number(value * _DEGREE)} deg/s" if angular else f"{number(value)} {self.length}/s"

    def effort(self, value: float, angular: bool) -> str:
        """A force or torque."""
        return f"{number(value)} {self.torque if angular else self.force}"

    def stiffness(self, value: float, angular: bool) -> str:
        """Effort per coordinate, per degree where that is an angle."""
        if angular:
            return f"{number(value / _DEGREE)} {self.torque}/deg"
        return f"{number(value)} {self.spring}"

    def damping(self, value: float, angular: bool) -> str:
        """Effort per velocity."""
        if angular:
            return f"{number(value / _DEGREE)} {self.torque} s/deg"
        return f"{number(value)} {self.damper}"

    def gearing(self, value: float, angular: bool) -> str:
        """Length of a tendon per coordinate of a joint."""
        return f"{number(value / _DEGREE)} {self.length}/deg" if angular else number(value)

    def armature(self, value: float, angular: bool) -> str:
        """Inertia added to a joint."""
        return f"{number(value)} {self.mass} {self.length}2" if angular else f"{number(value)} {self.mass}"

    def position(self, value: Sequence[float]) -> str:
        """A point."""
        return f"({', '.join(map(number, value))}) {self.length}"


def units_of(scene: Scene) -> Units:
    """The names of a stage's units; those without a name of their own are called by what they are."""
    length = _name(scene.meters_per_unit, _LENGTHS, "unit")
    mass = _name(scene.kilograms_per_unit, _MASSES, "mass")
    if (length, mass) == ("m", "kg"):
        return Units(length, mass, "N", "N m", "N/m", "N s/m")
    return Units(length, mass, f"{mass} {length}/s2", f"{mass} {length}2/s2", f"{mass}/s2", f"{mass}/s")


def number(value: float) -> str:
    """Six digits, without the minus of a zero."""
    text = f"{value:.6g}"
    return "0" if text == "-0" else text


def _name(size: float, names: Sequence[tuple[float, str]], other: str) -> str:
    return next((name for known, name in names if math.isclose(size, known, rel_tol=1e-6)), other)


AXIS_NAMES = "XYZ"


def joint_name(kind: str, path: str, axis: int) -> str:
    """The kind and the path, with the axis where there is one."""
    preposition = {"revolute": "about", "prismatic": "along", "spherical": "about"}.get(kind)
    axis_text = f" {preposition} {AXIS_NAMES[axis]}" if preposition else ""
    return f"{'generic' if kind == 'd6' else kind} joint {path}{axis_text}"


def drive_text(drive: Drive, units: Units, turning: bool) -> str:
    """A drive with its gains, target and bounds."""
    of = units.accelerations() if drive.acceleration else units
    parts = [f"{'acceleration' if drive.acceleration else 'force'} drive: stiffness "
             f"{of.stiffness(drive.stiffness, turning)}", f"damping {of.damping(drive.damping, turning)}",
             f"target {units.coordinate(drive.target_position, turning)}"]
    if drive.target_velocity:
        parts.append(f"target velocity {units.rate(drive.target_velocity, turning)}")
    if math.isfinite(drive.max_force):
        parts.append(f"at most {units.effort(drive.max_force, turning)}")
    if drive.envelope is not None:
        parts.append(_envelope(drive.envelope, units, turning))
    return ", ".join(parts)


def _envelope(envelope: Envelope, units: Units, turning: bool) -> str:
    parts = []
    if math.isfinite(envelope.max_actuator_velocity):
        parts.append(f"to {units.rate(envelope.max_actuator_velocity, turning)}")
    if envelope.velocity_dependent_resistance:
        parts.append(f"resistance {units.damping(envelope.velocity_dependent_resistance, turning)}")
    if envelope.speed_effort_gradient:
        unit = units.torque if turning else units.force
        parts.append(f"gradient {units.rate(envelope.speed_effort_gradient, turning)} per {unit}")
    return f"within an envelope: {', '.join(parts) or 'without bounds'}"
