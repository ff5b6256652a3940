"""The step of a joint outside articulations: prepared once, solved in every iteration, concluded at the end."""

from __future__ import annotations

from physx_runtime.solver.maximal_joint.preparation import prepare, prepared_rows
from physx_runtime.solver.maximal_joint.solution import conclude, solve

__all__ = ["conclude", "prepare", "prepared_rows", "solve"]
