"""What a report plots: every joint with its limits, every tendon with its rest length, every mimic with its rule."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from physx_runtime.simulation.recording import Recording
from physx_runtime.viewing.plots import Chart
from physx_runtime.viewing.poses import recorded_link_poses, rotated
from physx_runtime.viewing.text import numeral
from physx_schema.description.articulation.spatial_tendons import place_in_link
from physx_schema.description.model import Articulation, Description, Dof, FixedTendon, Mimic, SpatialTendon

Array = NDArray[np.float64]


def joint_charts(articulations: Sequence[Articulation], recording: Recording, world: int, length: str) -> list[Chart]:
    """Position over time of every degree of freedom, with limits and drive target; `length` names the stage's unit."""
    moved = [moved for articulation in articulations
             for moved in zip(articulation.dofs, recorded_positions(articulation, recording, world), strict=True)]
    return [_joint(i, dof, position, length) for i, (dof, position) in enumerate(moved)]


def relation_charts(articulations: Sequence[Articulation], recording: Recording, world: int, length: str,
                    ) -> list[Chart]:
    """Length over time of every tendon, and what every mimic joint asks of its follower."""
    charts: list[Chart] = []
    for articulation in articulations:
        positions = recorded_positions(articulation, recording, world)
        charts += [_mimic(articulation, mimic, positions, length) for mimic in articulation.mimics]
        charts += [_fixed_tendon(tendon, positions, length) for tendon in articulation.fixed_tendons]
        for tendon in articulation.spatial_tendons:
            charts += _spatial_tendon(tendon, recording, articulation, world, length)
    return [_numbered(chart, i) for i, chart in enumerate(charts)]


def recorded_articulations(description: Description, recording: Recording) -> list[Articulation]:
    """The articulations that were recorded with their joints; a disabled one is only separate bodies.

    Raises ValueError where the recording is of another stage, or of none.
    """
    links, joints = set(recording.link_names), set(recording.joint_names)
    found = [articulation for articulation in description.articulations
             if articulation.enabled and links.issuperset(link.path for link in articulation.links)]
    known = {link.path for articulation in found for link in articulation.links}
    known.update(body.path for body in description.separate_bodies)
    axes = {dof.name for articulation in found for dof in articulation.dofs}
    if not (found or links) or not links <= known or joints != axes:
        raise ValueError("the recording is of another stage: no articulation has its links and joints")
    return found


def recorded_positions(articulation: Articulation, recording: Recording, world: int) -> Array:
    """(n_dof, n_record), rad or length, in the articulation's order."""
    order = [recording.joint_names.index(dof.name) for dof in articulation.dofs]
    return recording.joint_position[:, world, order].T.astype(np.float64)


def _numbered(chart: Chart, i: int) -> Chart:
    return Chart(f"r{i}", chart.title, chart.note, chart.unit, chart.value, chart.wanted, chart.bounds)


def _shown(value: float | Array, angular: bool) -> Array:
    return np.asarray(np.degrees(value) if angular else value, dtype=np.float64)


def _unit(angular: bool, length: str) -> str:
    return "deg" if angular else length


def _joint(i: int, dof: Dof, position: Array, length: str) -> Chart:
    bounds = tuple(float(_shown(bound, dof.angular)) for bound in (dof.lower, dof.upper) if math.isfinite(bound))
    unit, notes = _unit(dof.angular, length), []
    target = None
    if dof.drive is not None and dof.drive.stiffness > 0.0:
        target = np.full_like(position, _shown(dof.drive.target_position, dof.angular))
        notes.append(f"drive target {numeral(float(target[0]))} {unit}")
    notes.append(f"limits {numeral(bounds[0])} to {numeral(bounds[1])} {unit}" if len(bounds) == 2 else "no limits")
    return Chart(f"j{i}", dof.name, ", ".join(notes), unit, _shown(position, dof.angular), target, bounds)


def _mimic(articulation: Articulation, mimic: Mimic, positions: Array, length: str) -> Chart:
    follower, reference = articulation.dofs[mimic.follower], articulation.dofs[mimic.reference]
    wanted = -(mimic.gearing * positions[mimic.reference] + mimic.offset)
    return Chart("", f"{mimic.path} follows {reference.name}", "dotted: where the mimic joint asks the follower to be",
                 _unit(follower.angular, length), _shown(positions[mimic.follower], follower.angular),
                 _shown(wanted, follower.angular))


def fixed_tendon_length(tendon: FixedTendon, positions: Array) -> Array:
    """(n_record,) from joint positions (n_dof, n_record)."""
    value = np.full(positions.shape[1], tendon.offset)
    for axis in tendon.axes:
        value += axis.gearing * positions[axis.dof]
    return value


def spatial_tendon_lengths(tendon: SpatialTendon, articulation: Articulation, poses: Array) -> list[Array]:
    """(n_record,) from the root to every attachment, the offset with it; poses: (n_record, n_link, 7)."""
    points = [rotated(poses[:, a.link], place_in_link(articulation.links[a.link], a)) for a in tendon.attachments]
    geared = [np.full(len(poses), tendon.offset)]       # along the path from the root; its own gearing does not count
    for attachment, point in zip(tendon.attachments[1:], points[1:], strict=True):
        distance = np.linalg.norm(point - points[attachment.parent], axis=-1)
        geared.append(geared[attachment.parent] + attachment.gearing * distance)
    return geared


def _fixed_tendon(tendon: FixedTendon, positions: Array, length: str) -> Chart:
    value = fixed_tendon_length(tendon, positions)
    kind = "fixed tendon" if tendon.enabled else "fixed tendon, disabled"
    return _length(f"{tendon.path} {tendon.name}", kind, value, tendon.rest_length,
                   (tendon.lower_limit, tendon.upper_limit), length)


def _spatial_tendon(tendon: SpatialTendon, recording: Recording, articulation: Articulation, world: int,
                    length: str) -> Iterator[Chart]:
    """One chart a leaf: PhysX treats every leaf as a tendon of its own."""
    lengths = spatial_tendon_lengths(tendon, articulation, recorded_link_poses(articulation, recording, world))
    kind = "spatial tendon" if tendon.enabled else "spatial tendon, disabled"
    for attachment, value in zip(tendon.attachments, lengths, strict=True):
        if attachment.leaf:
            yield _length(f"{attachment.path} {attachment.name}", kind, value, attachment.rest_length,
                          (attachment.lower_limit, attachment.upper_limit), length)


def _length(title: str, kind: str, value: Array, rest: float, limits: tuple[float, float], unit: str) -> Chart:
    bounds = tuple(bound for bound in limits if math.isfinite(bound))
    note = f"{kind}, rest length {numeral(rest)} {unit} (dotted)"
    return Chart("", title, note, unit, value, np.full_like(value, rest), bounds)
