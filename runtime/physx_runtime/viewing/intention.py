"""Whether the authored values of an articulation intend a motion: a drive, a tendon or a mimic joint.

The ideal motion of a robot without any is the fall of its parts, which nobody intends.
"""

from __future__ import annotations

from physx_schema.description.model import Articulation, Description, Dof


def intends_motion(articulation: Articulation) -> bool:
    """Whether a drive, a tendon or a mimic joint of an articulation acts."""
    return articulation.enabled and bool(
        articulation.mimics or any(map(_is_driven, articulation.dofs))
        or any(tendon.enabled for tendon in (*articulation.fixed_tendons, *articulation.spatial_tendons)))


def _is_driven(dof: Dof) -> bool:
    """Whether a drive holds a position, or a velocity other than 0."""
    drive = dof.drive
    return drive is not None and drive.max_force > 0.0 and (
        drive.stiffness > 0.0 or (drive.damping > 0.0 and drive.target_velocity != 0.0))


def intended_bodies(description: Description) -> frozenset[str]:
    """The links of all articulations that intend a motion."""
    return frozenset(link.path for articulation in description.articulations if intends_motion(articulation)
                     for link in articulation.links)
