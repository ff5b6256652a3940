"""The step of a maximal joint: prepared once, solved in every iteration, concluded at the end."""

from __future__ import annotations

from physx_runtime.solver.maximal_joint.preparation import prepare, prepared_rows
from physx_runtime.solver.maximal_joint.solution import conclude, solve

__all__ = ["conclude", "prepare", "prepared_rows", "solve"]
