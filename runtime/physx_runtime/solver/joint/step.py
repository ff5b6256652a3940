"""The step of a joint outside articulations: prepared once, solved in every iteration, concluded at the end."""

from physx_runtime.solver.joint.force import concluded
from physx_runtime.solver.joint.preparation import prepare, prepared_rows
from physx_runtime.solver.joint.solution import solve

__all__ = ["concluded", "prepare", "prepared_rows", "solve"]
