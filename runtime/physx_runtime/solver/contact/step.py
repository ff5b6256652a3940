"""The step of a patch: prepared once, solved in every iteration."""

from physx_runtime.solver.contact.preparation import prepare, prepared_rows
from physx_runtime.solver.contact.solution import press, solve

__all__ = ["prepare", "prepared_rows", "press", "solve"]
