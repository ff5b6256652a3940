"""A description as an outline for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from physx_schema.cli.outline_joints import outside_lines
from physx_schema.cli.outline_tree import articulation_lines, collider_line, header, home_of
from physx_schema.cli.text import plural
from physx_schema.cli.unit_names import Units, number, units_of
from physx_schema.description import Articulation, Description, Link, Opinion, Scene
from physx_schema.description.model import PhysicsMaterial
from physx_schema.description.solver_batches import SolverBatches
from physx_schema.errors import printable

_LISTED = 3             # places of one kind that are listed; --json has every one


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
    yield from (f"  {line}" for line in outside_lines(description, units))
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
        place = f"{problem.path}.{problem.property}" if problem.property else problem.path
        yield f"  {problem.severity} {problem.code}: {place}: {problem.message}; {problem.why}"
    yield from _grouped("not evaluated", description.not_evaluated)
    yield from _grouped("unused", description.unused)


def _articulations(description: Description, units: Units) -> Iterator[str]:
    """Each articulation; those that read alike are shown once."""
    alike: dict[tuple[str, ...], list[Articulation]] = {}
    batches = SolverBatches(description)
    for articulation in description.articulations:
        lines = (header(articulation, batches.counts(articulation)), *articulation_lines(articulation, units))
        alike.setdefault(lines, []).append(articulation)
    for lines, (first, *others) in alike.items():
        home = home_of(first).rstrip("/")
        place = first.path if home in ("", first.path) else f"{first.path}, links below {home}"
        yield f"  articulation {place}: {lines[0]}"
        yield from (f"    {line}" for line in lines[1:])
        if others:
            yield f"    {len(others)} more like it: {_some([other.path for other in others])}"


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
        place = f"{opinion.path}.{opinion.property}" if opinion.property else opinion.path
        groups.setdefault((opinion.reason, opinion.suggestion), []).append(place)
    if groups:
        yield f"  {title}: {plural(len(opinions), 'opinion')}"
    for (reason, suggestion), places in groups.items():
        yield f"    {reason}" + (f" -> {suggestion}" if suggestion else "")
        yield f"      {_some(places)}"


def _some(places: Sequence[str]) -> str:
    """The first few of many."""
    more = f" and {len(places) - _LISTED} more" if len(places) > _LISTED else ""
    return ", ".join(places[:_LISTED]) + more
