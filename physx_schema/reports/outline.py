"""A description as an outline: scenes, robots, and joints outside articulations.

Articulations are trees of links, with their joints, tendons and mimic joints.

Joints outside articulations: why they are, what they hold, what acts in them, and which may stay open.
"""

from __future__ import annotations

import math
import os
from collections.abc import Container, Iterator, Sequence

from physx_schema.checking.engine.finding import rank
from physx_schema.description import (
    Articulation,
    Attachment,
    Description,
    Dof,
    FixedTendon,
    Joint,
    Link,
    MaximalJoint,
    Mimic,
    Opinion,
    Scene,
    SpatialTendon,
)
from physx_schema.description.bodies import joints_to_world, looped_joints, why_not_in_articulation
from physx_schema.description.model import Collider, PhysicsMaterial
from physx_schema.description.model.joint import AXES
from physx_schema.description.opinions.schemas import SINGLE_AXIS
from physx_schema.description.scenes import SolverBatches, SolverCounts
from physx_schema.errors import printable
from physx_schema.reports.quantities import AXIS_NAMES, Units, drive_text, joint_name, number, units_of
from physx_schema.text import plural

_DEEPEST = 12           # levels of indentation; deeper links name the link they hang on


def header(articulation: Articulation, counts: SolverCounts, fixture: Sequence[str] = ()) -> str:
    """One line about the whole, and under which counts PhysX solves it where others raise its own.

    `held`: the joints outside it that hold it to the world.
    """
    base = "fixed base" if articulation.fixed_base else "floating base"
    if fixture and not articulation.fixed_base:
        base = f"joined to the world by {', '.join(fixture)} (outside the articulation)"
    dofs = plural(len(articulation.dofs), "degree of freedom", "degrees of freedom")
    iterations = f"{articulation.position_iterations}/{articulation.velocity_iterations} iterations"
    text = f"{base}, {plural(len(articulation.links), 'link')}, {dofs}, {iterations}"
    if not articulation.enabled:
        return f"{text}, disabled: the links are separate bodies, and the joints are outside articulations"
    return f"{text}; {counts.raised}" if counts.raised else text


def home_of(articulation: Articulation) -> str:
    """The deepest prim that holds every link and joint, as a prefix of paths."""
    paths = [link.path for link in articulation.links]
    paths += [link.joint.path for link in articulation.links if link.joint]
    common = os.path.commonpath([path.rpartition("/")[0] or "/" for path in paths])
    return common if common == "/" else f"{common}/"


def articulation_lines(articulation: Articulation, units: Units) -> Iterator[str]:
    """Links, tendons, mimic joints and colliders; paths are below the articulation's home."""
    home = home_of(articulation)
    yield from _links(articulation, units, home)
    for tendon in articulation.fixed_tendons:
        yield from _fixed_tendon(articulation, tendon, units, home)
    for spatial in articulation.spatial_tendons:
        yield from _spatial_tendon(spatial, units, home)
    for mimic in articulation.mimics:
        yield f"mimic joint {_mimic(articulation, mimic, units, home)}"
    for link in articulation.links:
        yield from (collider_line(collider, units, home) for collider in link.colliders)


def collider_line(collider: Collider, units: Units, home: str) -> str:
    """A collider's shape, size and material."""
    text = f"collider {_below(home, collider.path)}: {_shape(collider, units)}"
    if collider.material:
        text += f", material {_below(home, collider.material)}"
    if collider.group:
        text += f", group {collider.group}"
    if collider.trigger:
        text += ", trigger"
    return text if collider.enabled else f"{text}, disabled"


def _shape(collider: Collider, units: Units) -> str:
    if collider.kind == "box":
        return f"box of {' x '.join(number(2 * half) for half in collider.half_extents)} {units.length}"
    if collider.kind == "sphere":
        return f"sphere of radius {number(collider.radius)} {units.length}"
    if collider.kind in ("capsule", "cylinder", "cone"):
        return (f"{collider.kind} along {AXIS_NAMES[collider.axis]}, radius {number(collider.radius)} {units.length}, "
                f"height {number(2 * collider.half_height)} {units.length}")
    return f"plane across {AXIS_NAMES[collider.axis]}" if collider.kind == "plane" else collider.kind.replace("-", " ")


def _links(articulation: Articulation, units: Units, home: str) -> Iterator[str]:
    """Depth first, siblings in PhysX's order."""
    children: dict[int, list[int]] = {}
    for index, link in enumerate(articulation.links):
        children.setdefault(link.parent, []).append(index)
    stack = [(index, 0) for index in reversed(children.get(-1, []))]
    while stack:
        index, depth = stack.pop()
        link = articulation.links[index]
        above = f", on {_below(home, articulation.links[link.parent].path)}" if depth > _DEEPEST else ""
        indent = "  " * min(depth, _DEEPEST)
        base = articulation.base_joint if depth == 0 else None
        yield f"{indent}{_below(home, link.path)}: {_link(link, base, units, home)}{above}"
        for line in _details(link.joint, units) if link.joint else ():
            yield f"{indent}    {line}"
        stack += [(child, depth + 1) for child in reversed(children.get(index, []))]


def _link(link: Link, base: Joint | None, units: Units, home: str) -> str:
    parts = [f"{number(link.mass)} {units.mass}"]
    joint = link.joint
    if joint is not None:
        parts.append(_joint(joint, home))
        parts += _single_axis_limits(joint, units)
    elif base is not None:
        parts.append(f"joined to the world by {_below(home, base.path)}")
    if not link.gravity_enabled:
        parts.append("without gravity")
    return ", ".join(parts)


def _single_axis_limits(joint: Joint, units: Units) -> list[str]:
    """The limits of a joint with one coordinate; others name them axis by axis."""
    if joint.kind not in SINGLE_AXIS:
        return []
    return [units.limits(dof.lower, dof.upper, dof.angular) for dof in joint.dofs]


def _joint(joint: Joint, home: str) -> str:
    """The joint's kind and path, with its axis where it has one."""
    swapped = " (body0 is the child)" if joint.reversed else ""
    return joint_name(joint.kind, _below(home, joint.path), joint.axis) + swapped


def _details(joint: Joint, units: Units) -> Iterator[str]:
    """What a joint's degrees of freedom author beyond their limits."""
    for dof in joint.dofs:
        parts = list(_dof(dof, units))
        if joint.kind in SINGLE_AXIS:
            yield from parts
        else:
            limits = units.limits(dof.lower, dof.upper, dof.angular)
            yield ", ".join((f"{_axis_name(dof)}: {limits}", *parts))


def _axis_name(dof: Dof) -> str:
    """The axis of a joint with several, or that may have several."""
    named = dof.name.removeprefix(dof.path).lstrip(":")
    return named or f"about {AXIS_NAMES[max(range(3), key=lambda i: abs(dof.axis[i]))]}"


def _dof(dof: Dof, units: Units) -> Iterator[str]:
    turning = dof.angular
    if dof.position or dof.velocity:
        speed = f", {units.rate(dof.velocity, turning)}" if dof.velocity else ""
        yield f"starts at {units.coordinate(dof.position, turning)}{speed}"
    if dof.drive is not None:
        yield drive_text(dof.drive, units, turning)
    if dof.armature:
        yield f"armature {units.armature(dof.armature, turning)}"
    if dof.static_friction or dof.viscous_friction:
        yield (f"friction: static {units.effort(dof.static_friction, turning)}, dynamic "
               f"{units.effort(dof.dynamic_friction, turning)}, viscous {units.damping(dof.viscous_friction, turning)}")
    if math.isfinite(dof.max_velocity):
        yield f"at most {units.rate(dof.max_velocity, turning)}"
    if dof.sources:
        yield "from other engines: " + ", ".join(f"{name} ({source})" for name, source in dof.sources)


def _fixed_tendon(articulation: Articulation, tendon: FixedTendon, units: Units, home: str) -> Iterator[str]:
    """The tendon's root axis, and below it the axes on the joints that hang on it."""
    parts = [f"stiffness {units.stiffness(tendon.stiffness, False)}", f"damping {units.damping(tendon.damping, False)}",
             f"rest length {number(tendon.rest_length)} {units.length}"]
    if tendon.offset:
        parts.append(f"offset {number(tendon.offset)} {units.length}")
    if tendon.limit_stiffness:
        limits = units.limits(tendon.lower_limit, tendon.upper_limit, False)
        parts.append(f"length {limits} by stiffness {units.stiffness(tendon.limit_stiffness, False)}")
    state = "" if tendon.enabled else " (disabled)"
    yield f"fixed tendon {tendon.name}{state}: {', '.join(parts)}"
    dofs = articulation.dofs
    for depth, index in _nested(_axis_parents(articulation, tendon)):
        axis = tendon.axes[index]
        dof = dofs[axis.dof]
        yield (f"{'  ' * (min(depth, _DEEPEST) + 1)}{_below(home, dof.name)}: gearing "
               f"{units.gearing(axis.gearing, dof.angular)}, force coefficient {number(axis.force_coefficient)}")


def _axis_parents(articulation: Articulation, tendon: FixedTendon) -> list[int]:
    """For every axis the axis on the nearest joint towards the root, -1 for none."""
    owner = {axis.path: index for index, axis in enumerate(tendon.axes)}
    child = {link.joint.path: index for index, link in enumerate(articulation.links) if link.joint}
    parents = []
    for axis in tendon.axes:
        link_index = articulation.links[child[axis.path]].parent
        while link_index > 0 and (joint := articulation.links[link_index].joint) and joint.path not in owner:
            link_index = articulation.links[link_index].parent
        above = articulation.links[link_index].joint if link_index > 0 else None
        parents.append(owner[above.path] if above else -1)
    return parents


def _nested(parents: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(depth, index) of every item, parents before children, given the index of each item's parent."""
    children: dict[int, list[int]] = {}
    for index, parent in enumerate(parents):
        children.setdefault(parent, []).append(index)
    stack = [(0, index) for index in reversed(children.get(-1, []))]
    while stack:
        depth, index = stack.pop()
        yield depth, index
        stack += [(depth + 1, child) for child in reversed(children.get(index, []))]


def _spatial_tendon(tendon: SpatialTendon, units: Units, home: str) -> Iterator[str]:
    parts = [f"stiffness {units.stiffness(tendon.stiffness, False)}", f"damping {units.damping(tendon.damping, False)}"]
    if tendon.offset:
        parts.append(f"offset {number(tendon.offset)} {units.length}")
    if tendon.limit_stiffness:
        parts.append(f"limit stiffness {units.stiffness(tendon.limit_stiffness, False)}")
    state = "" if tendon.enabled else " (disabled)"
    yield f"spatial tendon {tendon.name}{state}: {', '.join(parts)}"
    for depth, index in _nested([item.parent for item in tendon.attachments]):
        item = tendon.attachments[index]
        yield f"{'  ' * (min(depth, _DEEPEST) + 1)}{_attachment(tendon, item, units, home)}"


def _attachment(tendon: SpatialTendon, item: Attachment, units: Units, home: str) -> str:
    kind = "leaf" if item.leaf else "root" if item.parent < 0 else "attachment"
    parts = [f"{item.name} on {_below(home, item.path)}: {kind} at {units.position(item.local_position)}"]
    if item.parent >= 0:
        parts.append(f"gearing {number(item.gearing)}")
    if item.leaf:
        parts.append(f"rest length {number(item.rest_length)} {units.length}" + (
            " (as posed)" if item.rest_from_poses else ""))
        if tendon.limit_stiffness and (math.isfinite(item.lower_limit) or math.isfinite(item.upper_limit)):
            parts.append(f"length {units.limits(item.lower_limit, item.upper_limit, False)}")
    return ", ".join(parts)


def _mimic(articulation: Articulation, mimic: Mimic, units: Units, home: str) -> str:
    """The equation q = -gearing * reference - offset."""
    follower, reference = (articulation.dofs[index] for index in (mimic.follower, mimic.reference))
    gearing = -mimic.gearing
    if follower.angular != reference.angular:
        gearing *= 180.0 / math.pi if follower.angular else math.pi / 180.0
    unit = "" if follower.angular == reference.angular else (
        f" deg/{units.length}" if follower.angular else f" {units.length}/deg")
    text = f"{_below(home, follower.name)} = {number(gearing)}{unit} * {_below(home, reference.name)}"
    if mimic.offset:
        text += f" {'-' if mimic.offset > 0 else '+'} {units.coordinate(abs(mimic.offset), follower.angular)}"
    if mimic.natural_frequency <= 0 or mimic.damping_ratio <= 0:
        return f"{text}, hard"
    return (f"{text}, spring with natural frequency {number(mimic.natural_frequency)} rad/s and damping ratio "
            f"{number(mimic.damping_ratio)}")


def _below(home: str, path: str) -> str:
    """A path without the articulation's home."""
    return path.removeprefix(home)


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
            yield "    the loop of this joint can come apart in simulation; physx-schema verify measures the gap"


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
        yield f"  reports contacts: {report.path} with {partners}, force threshold {report.threshold:g} {units.force}"
    for problem in sorted(description.problems, key=lambda problem: -rank(problem.severity)):
        location = f"{problem.path}.{problem.property}" if problem.property else problem.path
        yield f"  {problem.severity} {problem.code}: {location}: {problem.message}; {problem.why}"
    yield from _grouped("not evaluated", description.not_evaluated)
    yield from _grouped("unused", description.unused)


def _articulations(description: Description, units: Units) -> Iterator[str]:
    """Each articulation; those that read alike are shown once."""
    groups: dict[tuple[str, ...], list[Articulation]] = {}
    batches, fixed_by = SolverBatches(description), joints_to_world(description)
    for articulation in description.articulations:
        fixture = [_below(home_of(articulation), path) for path in fixed_by.get(articulation.links[0].path, ())]
        lines = (header(articulation, batches.counts(articulation), fixture), *articulation_lines(articulation, units))
        groups.setdefault(lines, []).append(articulation)
    for lines, (first, *others) in groups.items():
        home = home_of(first).rstrip("/")
        location = first.path if home in ("", first.path) else f"{first.path}, links below {home}"
        yield f"  articulation {location}: {lines[0]}"
        yield from (f"    {line}" for line in lines[1:])
        if others:
            yield f"    {len(others)} equal articulations: {_first_few([other.path for other in others])}"


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
