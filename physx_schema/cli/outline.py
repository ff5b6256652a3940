"""A description as an outline for people."""

from __future__ import annotations

import math
from collections.abc import Iterator

from physx_schema.cli.text import not_evaluated_lines, plural, printable
from physx_schema.description import Articulation, Attachment, Description, Dof, Drive, Link, Mimic, SpatialTendon


def outline(name: str, description: Description) -> Iterator[str]:
    """The stage's scene and articulations, and what of its physics is unused or not evaluated."""
    scene = description.scene
    gravity = ", ".join(f"{component:g}" for component in scene.gravity)
    yield printable(name)
    yield printable(f"  scene {scene.path or '(none authored)'}: gravity ({gravity}), {scene.solver_type}, "
                    f"{scene.meters_per_unit:g} m and {scene.kilograms_per_unit:g} kg per unit, {scene.up_axis} up")
    for articulation in description.articulations:
        yield from map(printable, _articulation(articulation))
    for body in description.bodies:
        yield printable(f"  body {body.path}: mass {body.mass:g}")
    for joint in description.joints:
        yield printable(f"  joint {joint.path}: {joint.kind}, outside articulations")
    for problem in description.problems:
        yield printable(f"  {problem.severity} {problem.code}: {problem.path}: {problem.message}")
    for opinion in description.unused:
        place = f"{opinion.path}.{opinion.property}" if opinion.property else opinion.path
        yield printable(f"  unused: {place}: {opinion.reason}")
    for line in not_evaluated_lines(" ", description.not_evaluated):
        yield f"  {line.removeprefix(' : ')}"


def _articulation(articulation: Articulation) -> Iterator[str]:
    base = "fixed base" if articulation.fixed_base else "floating base"
    dofs = plural(len(articulation.dofs), "degree of freedom", "degrees of freedom")
    yield (f"  articulation {articulation.path}: {base}, {plural(len(articulation.links), 'link')}, {dofs}, "
           f"{articulation.position_iterations}/{articulation.velocity_iterations} iterations"
           + ("" if articulation.enabled else ", disabled"))
    for link in articulation.links:
        yield from _link(articulation, link)
    for tendon in articulation.fixed_tendons:
        yield (f"    fixed tendon {tendon.path}:{tendon.name}: {plural(len(tendon.axes), 'axis', 'axes')}, "
               f"stiffness {tendon.stiffness:g}, damping {tendon.damping:g}, rest length {tendon.rest_length:g}")
        for axis in tendon.axes:
            yield f"      {axis.path}: gearing {axis.gearing:g}, force coefficient {axis.force_coefficient:g}"
    for spatial in articulation.spatial_tendons:
        yield from _spatial(spatial)
    for mimic in articulation.mimics:
        yield f"    mimic joint {_mimic(articulation, mimic)}"


def _link(articulation: Articulation, link: Link) -> Iterator[str]:
    joint = link.joint
    if joint is None:
        yield f"    link {link.path}: mass {link.mass:g}"
        return
    yield (f"    link {link.path}: mass {link.mass:g}, {joint.kind} joint {joint.path} "
           f"to {articulation.links[link.parent].path}" + (" (body0 is the child)" if joint.reversed else ""))
    for dof in joint.dofs:
        yield f"      {_dof(dof)}"


def _dof(dof: Dof) -> str:
    unit = "rad" if dof.angular else "length"
    parts = [f"{dof.name} [{unit}]", f"limits [{dof.lower:g}, {dof.upper:g}]"]
    if dof.position or dof.velocity:
        parts.append(f"starts at {dof.position:g} with {dof.velocity:g} per s")
    if dof.armature:
        parts.append(f"armature {dof.armature:g}")
    if dof.static_friction or dof.viscous_friction:
        parts.append(f"friction {dof.static_friction:g}/{dof.dynamic_friction:g}/{dof.viscous_friction:g}")
    if math.isfinite(dof.max_velocity):
        parts.append(f"at most {dof.max_velocity:g} per s")
    if dof.drive is not None:
        parts.append(_drive(dof.drive))
    return ", ".join(parts)


def _drive(drive: Drive) -> str:
    kind = "acceleration" if drive.acceleration else "force"
    return (f"{kind} drive stiffness {drive.stiffness:g} damping {drive.damping:g} "
            f"target {drive.target_position:g} / {drive.target_velocity:g} max force {drive.max_force:g}"
            + (" within an envelope" if drive.envelope else ""))


def _spatial(tendon: SpatialTendon) -> Iterator[str]:
    count = plural(len(tendon.attachments), "attachment")
    leaves = plural(sum(item.leaf for item in tendon.attachments), "leaf", "leaves")
    yield (f"    spatial tendon {tendon.path}:{tendon.name}: {count}, {leaves}, "
           f"stiffness {tendon.stiffness:g}, damping {tendon.damping:g}")
    for item in tendon.attachments:
        yield f"      {_attachment(tendon, item)}"


def _attachment(tendon: SpatialTendon, item: Attachment) -> str:
    text = f"{item.path}:{item.name}"
    if item.parent >= 0:
        parent = tendon.attachments[item.parent]
        text += f" from {parent.path}:{parent.name}, gearing {item.gearing:g}"
    if item.leaf:
        text += ", rest length " + (f"{item.rest_length:g}" if item.rest_length >= 0 else "as at the start")
    return text


def _mimic(articulation: Articulation, mimic: Mimic) -> str:
    dofs = articulation.dofs
    hard = mimic.natural_frequency <= 0 or mimic.damping_ratio <= 0
    return (f"{dofs[mimic.follower].name} = {-mimic.gearing:g} * {dofs[mimic.reference].name} - {mimic.offset:g}, "
            + ("hard" if hard else f"{mimic.natural_frequency:g} rad/s, damping ratio {mimic.damping_ratio:g}"))
