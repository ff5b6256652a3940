"""Degrees of freedom as rows: limits, friction, drives and their envelopes."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from physx_runtime.model.rows import DOF, PARAMETER, Row, rows_of
from physx_runtime.packing.facts import Rows, fact_value
from physx_schema.description.model import Articulation, Dof, Joint, unlimited

# Start-of-step maximum where PhysX looks at an axis that the joint does not have, rad/s or stage units/s, whatever is
# authored (physx_semantics.md, joint axis).
OTHER_AXIS_MAX_VELOCITY = 100.0


def joint_rows(articulation: Articulation) -> Rows:
    """Rows of every degree of freedom."""
    dofs, joints = articulation.dofs, [link.joint for link in articulation.links if link.joint]
    rows = {row.name: [fact_value(row, _holder(row, dof)) for dof in dofs] for row in rows_of(DOF, PARAMETER)}
    return rows | {"joint_effort": [0.0] * len(dofs),
                   "velocity_clamp": [clamp for joint in joints for clamp in _start_clamps(joint)]}


def _holder(row: Row, dof: Dof) -> object:
    """Whose fact a parameter of a dof is: its own, its drive's or that one's envelope's; None where there is none."""
    if row.feature == "envelope":
        return dof.drive and dof.drive.envelope
    return dof.drive if row.feature == "drive" else dof


def axis_of(joint: Joint, dof: int) -> int:
    """The axis of F a dof turns about or slides along."""
    if joint.kind == "d6":
        return int(np.argmax(np.abs(joint.dofs[dof].axis)))
    return dof


def _start_clamps(joint: Joint) -> Iterator[float]:
    """Start-of-step maximum of a joint's dofs: PhysX gives the n-th dof the maximum of the joint's n-th axis."""
    own = {axis_of(joint, n): math.inf if unlimited(dof.max_velocity) else dof.max_velocity
           for n, dof in enumerate(joint.dofs)}
    for n in range(len(joint.dofs)):
        yield OTHER_AXIS_MAX_VELOCITY if joint.kind == "prismatic" else own.get(n, OTHER_AXIS_MAX_VELOCITY)
