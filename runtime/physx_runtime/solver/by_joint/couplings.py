"""Couplings of joints in the order in which PhysX solves them: spatial tendons, fixed tendons, mimic joints."""

from __future__ import annotations

from physx_runtime.compiling.schedule import Schedule
from physx_runtime.model.topology import Topology
from physx_runtime.solver.by_joint.fixed_tendon import begin_fixed_tendon, solve_fixed_tendon
from physx_runtime.solver.by_joint.mimic import begin_mimic, solve_mimic
from physx_runtime.solver.by_joint.plan import Plan
from physx_runtime.solver.by_joint.spatial_tendon import begin_spatial_tendon, solve_spatial_tendon


def coupled(t: Topology) -> bool:
    """Whether anything couples joints."""
    return bool(t.fixed_tendons or t.spatial_tendons or t.mimics)


def begin_couplings(p: Plan, s: Schedule) -> None:
    """Rows, columns and responses of tendons and mimic joints."""
    if not coupled(p.t):
        return
    p.scratch("couple_wrench", len(p.tree.nodes), 6)
    p.scratch("couple_force", len(p.t.dofs))
    for name in ("impulse", "limit_impulse", "rate", "length", "share", "limit_share", "axis_response"):
        p.scratch(f"couple_{name}", 1)
    for i in range(len(p.t.spatial_tendons)):
        begin_spatial_tendon(p, s, i)
    for i in range(len(p.t.fixed_tendons)):
        begin_fixed_tendon(p, s, i)
    for i in range(len(p.t.mimics)):
        begin_mimic(p, s, i)


def solve_couplings(p: Plan, s: Schedule, final: bool) -> None:
    """Impulses of spatial tendons, fixed tendons and mimic joints on `dv`, one after another."""
    for i in range(len(p.t.spatial_tendons)):
        solve_spatial_tendon(p, s, i)
    for i in range(len(p.t.fixed_tendons)):
        solve_fixed_tendon(p, s, i)
    for i in range(len(p.t.mimics)):
        solve_mimic(p, s, i, final)
