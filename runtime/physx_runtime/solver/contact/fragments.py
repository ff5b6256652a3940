"""Fragments of one contact patch for schedules: the functions of `solver.contact.patch`."""

from __future__ import annotations

from physx_runtime.language.ops import Rows
from physx_runtime.model.contact_rows import ContactTopology
from physx_runtime.solver.contact import patch
from physx_runtime.solver.scheduled.fragments.kinematics import Operands


def prepare(rows: Operands, t: ContactTopology) -> Rows:
    """Prepare a patch for the iterations of a step."""
    return patch.prepare(t, rows)


def solve_normal(rows: Operands, t: ContactTopology) -> Rows:
    """Solve a patch once, without friction."""
    return patch.solve_normal(t, rows)


def solve(rows: Operands, t: ContactTopology, final: bool) -> Rows:
    """Solve a patch once."""
    return patch.solve(t, rows, final)
