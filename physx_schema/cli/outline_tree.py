"""An articulation as a tree of links, its tendons as trees, its mimic joints as equations."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence

from physx_schema.cli.text import AXIS_NAMES, Units, drive_text, joint_name, number
from physx_schema.description import (
    Articulation,
    Attachment,
    Dof,
    FixedTendon,
    Joint,
    Link,
    Mimic,
    SpatialTendon,
)
from physx_schema.description.model import Collider
from physx_schema.description.opinions.schemas import SINGLE_AXIS
from physx_schema.description.scenes import SolverCounts
from physx_schema.text import plural

_DEEPEST = 12           # levels of indentation; deeper links name the link they hang on


def header(articulation: Articulation, counts: SolverCounts) -> str:
    """One line about the whole, and under which counts PhysX solves it where others raise its own."""
    base = "fixed base" if articulation.fixed_base else "floating base"
    dofs = plural(len(articulation.dofs), "degree of freedom", "degrees of freedom")
    iterations = f"{articulation.position_iterations}/{articulation.velocity_iterations} iterations"
    text = f"{base}, {plural(len(articulation.links), 'link')}, {dofs}, {iterations}"
    if not articulation.enabled:
        return f"{text}, disabled: its links are separate bodies, its joints outside articulations"
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
        parts.append(f"held to the world by {_below(home, base.path)}")
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
    return f"{text}, spring of {number(mimic.natural_frequency)} rad/s, damping ratio {number(mimic.damping_ratio)}"


def _below(home: str, path: str) -> str:
    """A path without the articulation's home."""
    return path.removeprefix(home)
