"""Mass properties and object counts of a stage, as PhysX has them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from physx_schema.description.frames import rotation_matrix
from physx_schema.description.model import Description, Link
from physx_schema.description.poses import Quat, Vec3


@dataclass(frozen=True, slots=True)
class MassProperties:
    """Mass properties of one body, in the stage's mass and length units."""

    mass: float
    center_of_mass: Vec3                # in the body's frame, lengths scaled
    inertia: tuple[Vec3, Vec3, Vec3]    # about the centre of mass, in the body's axes
    principal_moments: Vec3
    principal_axes: Quat                # x y z w, in the body's axes


@dataclass(frozen=True, slots=True)
class ObjectCounts:
    """How many objects PhysX makes of a stage."""

    articulations: int
    links: int
    dofs: int
    fixed_tendons: int
    spatial_tendons: int
    mimics: int
    bodies: int                         # rigid bodies outside articulations
    joints: int                         # joints of articulations and outside, base joints included

    @property
    def tendons(self) -> int:
        """Fixed and spatial tendons."""
        return self.fixed_tendons + self.spatial_tendons


def mass_properties(description: Description) -> dict[str, MassProperties]:
    """Mass properties of every link and body, by prim path."""
    links = [link for articulation in description.articulations for link in articulation.links]
    return {link.path: _of(link) for link in (*links, *description.bodies)}


def _of(link: Link) -> MassProperties:
    axes = np.array(rotation_matrix(link.principal_axes))
    moments = np.diag(axes.T @ np.array(link.inertia) @ axes).tolist()
    return MassProperties(link.mass, link.center_of_mass, link.inertia, (moments[0], moments[1], moments[2]),
                          link.principal_axes)


def object_counts(description: Description) -> ObjectCounts:
    """The counts of a description."""
    found = description.articulations
    inner = [link for articulation in found for link in articulation.links if link.joint is not None]
    return ObjectCounts(
        articulations=len(found), links=sum(len(a.links) for a in found), dofs=sum(len(a.dofs) for a in found),
        fixed_tendons=sum(len(a.fixed_tendons) for a in found),
        spatial_tendons=sum(len(a.spatial_tendons) for a in found), mimics=sum(len(a.mimics) for a in found),
        bodies=len(description.bodies),
        joints=len(inner) + sum(a.base_joint is not None for a in found) + len(description.joints))
