"""Degrees of freedom as they are authored: all of a stage, their instance names, coordinates and joint states."""

from __future__ import annotations

import math

from physx_schema.description import Description, Dof


def every_dof(description: Description) -> list[Dof]:
    """The degrees of freedom of articulations, then those of joints outside."""
    inside = [dof for articulation in description.articulations for dof in articulation.dofs]
    return inside + [dof for joint in description.joints for dof in joint.dofs]


def stated_joints(description: Description) -> set[str]:
    """The joints with an authored joint state."""
    return {item.path for item in description.authored if item.schema == "PhysicsJointStateAPI"}


def instance_name(dof: Dof) -> str:
    """The instance name under which schemas of this degree of freedom are applied."""
    axis = dof.name.rpartition(":")[2] if ":" in dof.name else ""
    return axis or ("angular" if dof.angular else "linear")


def spelt(dof: Dof, value: float) -> str:
    """A coordinate as authored: in degrees or lengths."""
    return f"{math.degrees(value):g}" if dof.angular else f"{value:g}"
