"""Joint friction: static, dynamic and viscous; in SAPIEN also by what the joint carries."""

from __future__ import annotations

from physx_runtime.language.ops import Rows, Scalar, clamp, minimum, where
from physx_runtime.model.topology import Topology
from physx_runtime.solver.constraints.solved_dof import SolvedDof


def solve_friction(t: Topology, rows: Rows, dof: int, joint: SolvedDof, final: bool) -> Scalar:
    """Stop the joint or brake it; returns the friction's impulse since the step began.

    F = -v / (r + cfm); above static * time it is limited to (dynamic + viscous |v|) * time.
    """
    total = rows["friction_total"][dof]
    each = t.forces_every_iteration and not final
    period, before = (rows["h"][0], 0.0) if each else (rows["dt"][0], total)
    F = before - joint.v * joint.soft
    most = rows["dynamic_friction"][dof] * period + rows["viscous_friction"][dof] * period * abs(joint.v)
    # by sizes, as few operations after another: whether it slips and how much it then gives are known at a time
    size = abs(F)
    size = where(size > rows["static_friction"][dof] * period, minimum(size, most), size)
    change = where(F < 0.0, -size, size) - before
    joint.push(change)
    return total + change


def solve_load_friction(rows: Rows, dof: int, joint: SolvedDof) -> None:
    """Stop the joint or brake it by what its load allows in an iteration, whatever it gave in those before."""
    most = rows["load_brake"][dof]
    joint.push(clamp(-(joint.v * joint.soft), -most, most))
