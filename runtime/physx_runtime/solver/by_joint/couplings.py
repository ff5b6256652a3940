"""Couplings of joints in the order in which PhysX solves them: spatial tendons, fixed tendons, mimic joints."""

from __future__ import annotations

from physx_runtime.compiling.schedule import Schedule
from physx_runtime.model.topology import Topology
from physx_runtime.solver.by_joint.fixed_tendon import write_fixed_tendon_iteration, write_fixed_tendon_start
from physx_runtime.solver.by_joint.mimic import write_mimic_iteration, write_mimic_start
from physx_runtime.solver.by_joint.plan import Plan
from physx_runtime.solver.by_joint.spatial_tendon import write_spatial_tendon_iteration, write_spatial_tendon_start


def coupled(t: Topology) -> bool:
    """Whether anything couples joints."""
    return bool(t.fixed_tendons or t.spatial_tendons or t.mimics)


def write_couplings_start(p: Plan, s: Schedule) -> None:
    """Rows, columns and responses of tendons and mimic joints."""
    if not coupled(p.t):
        return
    p.scratch("couple_wrench", len(p.tree.nodes), 6)
    p.scratch("couple_force", len(p.t.dofs))
    for name in ("impulse", "limit_impulse", "rate", "length", "share", "limit_share", "axis_response"):
        p.scratch(f"couple_{name}", 1)
    for i in range(len(p.t.spatial_tendons)):
        write_spatial_tendon_start(p, s, i)
    for i in range(len(p.t.fixed_tendons)):
        write_fixed_tendon_start(p, s, i)
    for i in range(len(p.t.mimics)):
        write_mimic_start(p, s, i)


def write_couplings_iteration(p: Plan, s: Schedule, final: bool) -> None:
    """Impulses of spatial tendons, fixed tendons and mimic joints on `dv`, one after another."""
    for i in range(len(p.t.spatial_tendons)):
        write_spatial_tendon_iteration(p, s, i)
    for i in range(len(p.t.fixed_tendons)):
        write_fixed_tendon_iteration(p, s, i)
    for i in range(len(p.t.mimics)):
        write_mimic_iteration(p, s, i, final)
