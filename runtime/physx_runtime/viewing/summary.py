"""What a motion came to, in a few lines: where joints ended, which limits they stood at, and the mechanical energy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from physx_runtime.simulation.recording import Recording
from physx_runtime.viewing.charts import recorded_articulations
from physx_runtime.viewing.poses import transform_point
from physx_schema.description.model import Description, Dof, Link
from physx_schema.text import plural

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
MAX_JOINTS = 12            # lines; a file that the motion is written to has all
AT_LIMIT = 1e-3             # rad or length units within which a joint counts as at its limit


def summary_lines(description: Description, recording: Recording, world: int = 0) -> Iterator[str]:
    """How each joint moved, the limits that it was at, and the energy of all that moves, at start and end."""
    dofs = [dof for articulation in recorded_articulations(description, recording) for dof in articulation.dofs]
    columns = [recording.joint_position[:, world, recording.joint_names.index(dof.name)] for dof in dofs]
    yield from (_joint_line(*pair) for pair in list(zip(dofs, columns, strict=True))[:MAX_JOINTS])
    if len(dofs) > MAX_JOINTS:
        yield f"and {plural(len(dofs) - MAX_JOINTS, 'more joint axis', 'more joint axes')}"
    at_limit = sum(bool(_at_limits(*pair)) for pair in zip(dofs, columns, strict=True))
    if dofs:
        yield f"{at_limit} of {plural(len(dofs), 'joint axis', 'joint axes')} reached a limit"
    energy = mechanical_energy(description, recording, world)
    yield (f"kinetic and gravitational energy: {energy[0]:.4g} {_unit(description)} at the start, "
           f"{energy[-1]:.4g} at the end")


def worlds_lines(description: Description, recording: Recording) -> Iterator[str]:
    """Between what positions each joint ended in the worlds, and in how many it came to a limit that is authored."""
    count = recording.joint_position.shape[1]
    dofs = [dof for articulation in recorded_articulations(description, recording) for dof in articulation.dofs]
    for dof in dofs[:MAX_JOINTS]:
        column = recording.joint_position[:, :, recording.joint_names.index(dof.name)]
        scale, unit = _display_unit(dof)
        ends = np.sort(column[-1]) * scale
        limited = sum(bool(_at_limits(dof, column[:, world])) for world in range(count))
        yield (f"{dof.name}: final position {ends[0]:.4g} to {ends[-1]:.4g}{unit} in {count} worlds, "
               f"at an authored limit in {limited} of these worlds")


def _display_unit(dof: Dof) -> tuple[float, str]:
    """What a position is multiplied with, and the unit that it is then in."""
    return (180.0 / np.pi, " degrees") if dof.angular else (1.0, "")


def _joint_line(dof: Dof, position: NDArray[np.floating]) -> str:
    scale, unit = _display_unit(dof)
    range_text = f"from {position[0] * scale:.4g} to {position[-1] * scale:.4g}{unit}"
    return f"{dof.name}: {range_text}{_at_limits(dof, position)}"


def _at_limits(dof: Dof, position: NDArray[np.floating]) -> str:
    """Which limits a joint was at or beyond in any record; "" where at none."""
    limits = [name for name, is_reached in (("lower", (position <= dof.lower + AT_LIMIT).any()),
                                            ("upper", (position >= dof.upper - AT_LIMIT).any())) if is_reached]
    return f", at its {' and '.join(limits)} limit" if limits else ""


@np.errstate(all="ignore")          # of a motion that diverged it is not finite
def mechanical_energy(description: Description, recording: Recording, world: int = 0) -> NDArray[np.float64]:
    """(n_record,) kinetic energy of all links and bodies, and potential energy of gravity above the world's origin.

    In mass * length^2 / s^2. Springs, armatures and contacts are left out; kinematic bodies are, too.
    """
    links = {link.path: link for item in description.articulations for link in item.links}
    links |= {body.path: body for body in description.separate_bodies}
    total = np.zeros(len(recording.time))
    for i, name in enumerate(recording.link_names):
        link = links[name]
        pose = recording.link_pose[:, world, i].astype(np.float64)
        velocity = recording.link_velocity[:, world, i].astype(np.float64)
        total += _kinetic(link, pose, velocity)
        if link.gravity_enabled:
            total -= link.mass * transform_point(pose,
                                                 link.center_of_mass) @ np.array(description.scene_of(link).gravity)
    return total


def _kinetic(link: Link, pose: NDArray[np.float64], velocity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Half of m v^2 + w I w, the inertia seen along the link's axes in the world."""
    rotation = pose * np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0])
    axes = np.stack([transform_point(rotation, axis) for axis in AXES], axis=-1)
    angular_velocity = np.einsum("nij,ni->nj", axes, velocity[:, 3:])        # in the link's frame
    inertia = np.array(link.inertia)
    twice = link.mass * (velocity[:, :3] ** 2).sum(axis=1) + np.einsum("ni,ij,nj->n", angular_velocity, inertia,
                                                                       angular_velocity)
    return np.asarray(0.5 * twice, np.float64)


def _unit(description: Description) -> str:
    scene = description.scene
    return "J" if scene.meters_per_unit == scene.kilograms_per_unit == 1.0 else "energy units"
