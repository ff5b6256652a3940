"""The step of a joint outside articulations: prepared once, solved in every iteration, broken perhaps at the end."""

from physx_runtime.solver.joint.breaking import broken
from physx_runtime.solver.joint.preparation import prepare, prepared_rows
from physx_runtime.solver.joint.solution import solve

__all__ = ["broken", "prepare", "prepared_rows", "solve"]
