"""Degrees of freedom as they are authored: all of a stage, their instance names, coordinates and joint states."""

from __future__ import annotations

import math
from collections.abc import Mapping

from physx_schema.description import Description, Dof
from physx_schema.description.articulation.dofs import instance_of


def every_dof(description: Description) -> list[Dof]:
    """The degrees of freedom of articulations, then those of joints outside."""
    inside = [dof for articulation in description.articulations for dof in articulation.dofs]
    return inside + [dof for joint in description.joints for dof in joint.dofs]


def stated_joints(description: Description) -> set[str]:
    """The joints with an authored joint state."""
    return {item.path for item in description.authored if item.schema == "PhysicsJointStateAPI"}


def instance_names(description: Description) -> Mapping[str, str]:
    """By name of a degree of freedom, the instance name under which its schemas are applied."""
    inside = [link.joint for articulation in description.articulations for link in articulation.links if link.joint]
    return {dof.name: instance_of(joint, dof) for joint in (*inside, *description.joints) for dof in joint.dofs}


def spelt(dof: Dof, value: float) -> str:
    """A coordinate as authored: in degrees or lengths."""
    return f"{math.degrees(value):g}" if dof.angular else f"{value:g}"
