"""The joint's maximum velocity."""

from __future__ import annotations

from physx_runtime.language.ops import Rows, clamp
from physx_runtime.solver.constraints.solved_dof import SolvedDof


def solve_max_velocity(rows: Rows, dof: int, joint: SolvedDof) -> None:
    """Take away what exceeds the joint's maximum velocity, softened."""
    most = rows["max_velocity"][dof]
    joint.push(-((joint.v - clamp(joint.v, -most, most)) * joint.soft))
