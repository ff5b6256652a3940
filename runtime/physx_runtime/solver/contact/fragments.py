"""Fragments of one patch (`solver.contact.patch`)."""

from __future__ import annotations

from physx_runtime.language.ops import Rows
from physx_runtime.model.contact_rows import ContactTopology
from physx_runtime.solver.contact import patch
from physx_runtime.solver.scheduled.fragments.kinematics import Operands


def prepare(rows: Operands, t: ContactTopology) -> Rows:
    """What all iterations of a step need of a patch."""
    return patch.prepare(t, rows)


def solve_normal(rows: Operands, t: ContactTopology) -> Rows:
    """One solution of a patch without its friction."""
    return patch.solve_normal(t, rows)


def solve(rows: Operands, t: ContactTopology, final: bool) -> Rows:
    """One solution of a patch."""
    return patch.solve(t, rows, final)
