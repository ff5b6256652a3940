"""Axes of joints as they are authored: all of a stage, their instance names, coordinates and joint states."""

from __future__ import annotations

import math
from collections.abc import Mapping

from physx_schema.description import Description, Dof, JointAxis
from physx_schema.description.articulation.dofs import instance_of


def every_dof(description: Description) -> list[Dof]:
    """The degrees of freedom of articulations."""
    return [dof for articulation in description.articulations for dof in articulation.dofs]


def every_axis(description: Description) -> list[Dof | JointAxis]:
    """What may have limits and drives: degrees of freedom of articulations, then axes of joints outside."""
    return [*every_dof(description), *(axis for joint in description.joints for axis in joint.axes)]


def stated_joints(description: Description) -> set[str]:
    """The joints with an authored joint state."""
    return {item.path for item in description.authored if item.schema == "PhysicsJointStateAPI"}


def instance_names(description: Description) -> Mapping[str, str]:
    """By name of each of `every_axis`, the instance name under which its schemas are applied."""
    inside = [link.joint for articulation in description.articulations for link in articulation.links if link.joint]
    found = {dof.name: instance_of(joint, dof) for joint in inside for dof in joint.dofs}
    return found | {axis.name: axis.instance for joint in description.joints for axis in joint.axes}


def spelt(dof: Dof | JointAxis, value: float) -> str:
    """A coordinate as authored: in degrees or lengths."""
    return f"{math.degrees(value):g}" if dof.angular else f"{value:g}"
