"""The rows of any joint outside articulations at the poses of the step's start."""

from __future__ import annotations

from dataclasses import dataclass, field

from physx_runtime.dynamics.spatial import Vec3
from physx_runtime.language.ops import Rows, Scalar
from physx_runtime.model.island import D6, DISTANCE, JointTopology
from physx_runtime.solver.joint.coupling import counted, coupling_row
from physx_runtime.solver.joint.distance import distance_rows
from physx_runtime.solver.joint.drives import drive_rows
from physx_runtime.solver.joint.frames import joint_frames
from physx_runtime.solver.joint.limits import limit_rows
from physx_runtime.solver.joint.locks import locked_arm, locked_rows
from physx_runtime.solver.joint.row import JointRow


@dataclass(frozen=True, slots=True)
class JointGeometry:
    """What a joint is at the step's start, world axes."""

    rows: list[JointRow]            # in the order that PhysX writes them, unsorted
    arm0: Vec3                      # r_A: from side 0's centre of mass to where all linear rows act in the iterations
    arm1: Vec3                      # r_B: from side 1's
    lever: Vec3                     # from side 0's centre of mass to B's anchor, about which its torque counts
    kept: dict[str, list[Scalar]] = field(default_factory=dict)     # row groups that it keeps for the next step


def rows_of(t: JointTopology, rows: Rows) -> JointGeometry:
    """The geometry of a joint.

    rows: its row groups without prefix, `length_scale`, and per side that is not the world `sideK_rotation`,
    `sideK_position` and, of a link, `sideK_origin`. Of a gear or a rack with hinges `hingeK_coordinate` too, their
    angles, of a rack's second how far it is out.
    """
    frames = joint_frames(t, rows)
    if t.kind == D6:
        found = [*drive_rows(t, rows, frames), *limit_rows(t, rows, frames), *locked_rows(t, frames)]
        return JointGeometry(found, locked_arm(t, frames), frames.arm1, frames.arm0)
    if t.kind == DISTANCE:
        return JointGeometry(distance_rows(t, rows, frames), frames.arm0, frames.arm1, frames.arm0)
    kept = counted(t, rows) if t.hinges else {}
    row = coupling_row(t, rows, frames, kept.get("turns", ()))
    return JointGeometry([row], frames.arm0, frames.arm1, frames.arm0, kept)
