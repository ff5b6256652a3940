"""A description as an outline: scenes, robots, and joints outside articulations.

Joints outside articulations: why they are, what they hold, what acts in them, and which may stay open.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Sequence

from physx_schema.cli.outline_tree import articulation_lines, collider_line, header, home_of
from physx_schema.cli.text import Units, drive_text, joint_name, number, units_of
from physx_schema.description import Articulation, Description, Link, MaximalJoint, Opinion, Scene
from physx_schema.description.bodies import looped_joints, why_not_in_articulation
from physx_schema.description.model import PhysicsMaterial
from physx_schema.description.model.joint import AXES
from physx_schema.description.opinions.schemas import SINGLE_AXIS
from physx_schema.description.scenes import SolverBatches
from physx_schema.errors import printable
from physx_schema.text import plural


def maximal_joint_lines(description: Description, units: Units) -> Iterator[str]:
    """Every joint with what it joins, its limits and drives below it."""
    looped = looped_joints(description)
    kinematic_by_path = {body.path: body.kinematic for body in description.separate_bodies}
    kinematic_by_path |= dict.fromkeys((link.path for item in description.articulations for link in item.links), False)
    for joint in description.joints:
        ends = [_end(body, kinematic_by_path) for body in (joint.body0, joint.body1)]
        parts = [f"{joint_name(joint.kind, joint.path, joint.axis)}, from {ends[0]} to {ends[1]}"]
        if joint.kind in SINGLE_AXIS:
            parts += [units.limits(axis.lower, axis.upper, axis.angular) for axis in joint.axes]
        yield ", ".join(parts)
        yield f"    outside articulations: {why_not_in_articulation(description, joint)}"
        yield from (f"    {line}" for line in _joint_details(joint, units))
        if joint.path in looped:
            yield "    in a loop, which may stay open while it moves: physx-schema verify says how far"


def _end(body: str, kinematic_by_path: dict[str, bool]) -> str:
    """What a joint holds at one end."""
    if not body:
        return "the world"
    if body not in kinematic_by_path:
        return f"{body} (not simulated: the world)"
    return f"{body} (kinematic)" if kinematic_by_path[body] else body


def _joint_details(joint: MaximalJoint, units: Units) -> Iterator[str]:
    """What a joint authors beyond its bodies and the limits of its only axis."""
    if joint.distance is not None:
        distance = joint.distance
        soft = _soft(distance.stiffness, distance.damping, units, False)
        yield ", ".join((f"distance {units.limits(distance.minimum, distance.maximum, False)}", *soft))
    if joint.coupling is not None:
        coupling = joint.coupling
        yield f"couples {coupling.first} and {coupling.second}, ratio {number(coupling.ratio)}"
    if joint.cone is not None:
        cone = joint.cone
        yield ", ".join((f"swings by {units.coordinate(cone.angle0, True)} and {units.coordinate(cone.angle1, True)}",
                         *_soft(cone.stiffness, cone.damping, units, True)))
    if joint.kind == "d6":
        yield f"locks {_locked({axis.axis for axis in joint.axes})}"
    for axis in joint.axes:
        parts = _soft(axis.limit_stiffness, axis.limit_damping, units, axis.angular)
        if axis.drive is not None:
            parts.append(drive_text(axis.drive, units, axis.angular))
        if joint.kind not in SINGLE_AXIS:
            parts.insert(0, f"{axis.axis}: {units.limits(axis.lower, axis.upper, axis.angular)}")
        if parts:
            yield ", ".join(parts)
    if math.isfinite(joint.break_force) or math.isfinite(joint.break_torque):
        yield f"breaks at {units.effort(joint.break_force, False)}, {units.effort(joint.break_torque, True)}"


def _locked(free: Container[str]) -> str:
    """The axes that a generic joint leaves no freedom."""
    return ", ".join(axis for axis in AXES if axis not in free) or "nothing"


def _soft(stiffness: float, damping: float, units: Units, angular: bool) -> list[str]:
    """What makes a limit soft; nothing of a hard one."""
    if not (stiffness or damping):
        return []
    return [f"soft: stiffness {units.stiffness(stiffness, angular)}, damping {units.damping(damping, angular)}"]


_MAX_LISTED = 3             # places of one kind that are listed; --json has every one


def outline(name: str, description: Description) -> Iterator[str]:
    """The stage's scenes, articulations, bodies and materials, then problems and what of its physics is unused."""
    yield from map(printable, _lines(name, description))


def _lines(name: str, description: Description) -> Iterator[str]:
    units = units_of(description.scene)
    yield name
    for scene in description.scenes or (description.scene,):
        yield f"  scene {scene.path or '(none authored)'}: {_scene(scene, units)}"
    yield from _articulations(description, units)
    for body in description.bodies:
        yield f"  body {body.path}: {_body(body, units)}"
        yield from (f"    {collider_line(collider, units, body.path + '/')}" for collider in body.colliders)
    yield from (f"  {line}" for line in maximal_joint_lines(description, units))
    yield from (f"  static {collider_line(collider, units, '')}" for collider in description.static_colliders)
    yield from (f"  material {material.path}: {_material(material, units)}" for material in description.materials)
    for group in description.collision_groups:
        others = ", ".join(group.filtered_groups) or "none"
        yield f"  collision group {group.path}: {plural(len(group.colliders), 'collider')}, filters {others}"
    yield from (f"  filtered pair: {pair.first} and {pair.second}" for pair in description.filtered_pairs)
    for report in description.contact_reports:
        partners = "everything" if report.partners is None else ", ".join(report.partners) or "nothing"
        yield f"  reports contacts: {report.path} with {partners} from {report.threshold:g} {units.force} on"
    for problem in description.problems:
        location = f"{problem.path}.{problem.property}" if problem.property else problem.path
        yield f"  {problem.severity} {problem.code}: {location}: {problem.message}; {problem.why}"
    yield from _grouped("not evaluated", description.not_evaluated)
    yield from _grouped("unused", description.unused)


def _articulations(description: Description, units: Units) -> Iterator[str]:
    """Each articulation; those that read alike are shown once."""
    groups: dict[tuple[str, ...], list[Articulation]] = {}
    batches = SolverBatches(description)
    for articulation in description.articulations:
        lines = (header(articulation, batches.counts(articulation)), *articulation_lines(articulation, units))
        groups.setdefault(lines, []).append(articulation)
    for lines, (first, *others) in groups.items():
        home = home_of(first).rstrip("/")
        location = first.path if home in ("", first.path) else f"{first.path}, links below {home}"
        yield f"  articulation {location}: {lines[0]}"
        yield from (f"    {line}" for line in lines[1:])
        if others:
            yield f"    {len(others)} more like it: {_first_few([other.path for other in others])}"


def _scene(scene: Scene, units: Units) -> str:
    gravity = ", ".join(map(number, scene.gravity))
    source = f" from {scene.gravity_source}" if scene.gravity_source else ""
    return (f"gravity ({gravity}) {units.length}/s2{source}, {scene.up_axis} up, {number(scene.meters_per_unit)} m and "
            f"{number(scene.kilograms_per_unit)} kg per unit, {scene.solver_type}")


def _body(body: Link, units: Units) -> str:
    return f"{number(body.mass)} {units.mass}" + (", kinematic" if body.kinematic else "")


def _material(material: PhysicsMaterial, units: Units) -> str:
    parts = [f"friction {number(material.static_friction)} static, {number(material.dynamic_friction)} dynamic "
             f"({material.friction_combine})",
             f"restitution {number(material.restitution)} ({material.restitution_combine})"]
    if material.density:
        parts.append(f"density {number(material.density)} {units.mass}/{units.length}3")
    if material.compliant_stiffness:
        parts.append("compliant contact")
    return ", ".join(parts)


def _grouped(title: str, opinions: Sequence[Opinion]) -> Iterator[str]:
    """Every reason once, with the first places."""
    groups: dict[tuple[str, str], list[str]] = {}
    for opinion in opinions:
        location = f"{opinion.path}.{opinion.property}" if opinion.property else opinion.path
        groups.setdefault((opinion.reason, opinion.suggestion), []).append(location)
    if groups:
        yield f"  {title}: {plural(len(opinions), 'opinion')}"
    for (reason, suggestion), locations in groups.items():
        yield f"    {reason}" + (f" -> {suggestion}" if suggestion else "")
        yield f"      {_first_few(locations)}"


def _first_few(locations: Sequence[str]) -> str:
    """The first few of many."""
    more = f" and {len(locations) - _MAX_LISTED} more" if len(locations) > _MAX_LISTED else ""
    return ", ".join(locations[:_MAX_LISTED]) + more
