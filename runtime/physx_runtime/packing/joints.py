"""Degrees of freedom as rows: limits, friction, drives and their envelopes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from physx_runtime.model.rows import DOF, PARAMETER, rows_of
from physx_runtime.packing.facts import RowValues, fact_values
from physx_schema.description.model import Articulation, Joint, unlimited

# Start-of-step maximum where PhysX looks at an axis that the joint does not have, rad/s or stage units/s, whatever is
# authored (physx_semantics.md, joint axis).
OTHER_AXIS_MAX_VELOCITY = 100.0


def joint_rows(articulation: Articulation) -> RowValues:
    """Rows of every degree of freedom; a parameter is a fact of it, of its drive or of that one's envelope."""
    dofs, joints = articulation.dofs, [link.joint for link in articulation.links if link.joint]
    drives = [dof.drive for dof in dofs]
    holders: dict[str, Sequence[object]] = {
        "drive": drives, "envelope": [drive.envelope if drive else None for drive in drives],
        "load_friction": [None] * len(dofs)}
    rows = {row.name: fact_values(row, holders.get(row.feature, dofs)) for row in rows_of(DOF, PARAMETER)}
    return rows | {"joint_effort": [0.0] * len(dofs),
                   "velocity_clamp": [clamp for joint in joints for clamp in _start_clamps(joint)]}


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
