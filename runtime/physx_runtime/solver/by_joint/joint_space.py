"""An iteration with M^-1 at hand: an impulse changes all velocities at once, and no sweep passes it on.

Costs O(n^2) an iteration and O(n^2) sweeps' parts once a step: less than sweeps where n is small, or where much acts
on single links.
"""

from __future__ import annotations

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.solver.by_joint.fragments import joint, rows
from physx_runtime.solver.by_joint.iteration import (
    Sweep,
    solved_operands,
    write_behind,
    write_forces,
    write_seen,
)
from physx_runtime.solver.by_joint.plan import Plan
from physx_runtime.solver.by_joint.sweeps import answer_forces, clear

# What a position iteration moves, and by what.
MOVED = ("q", "travel", "root_rotation", "root_travel", "root_turn", "axes_rotation", "root_axes", "single_turn",
         "iteration", "h")


def add_inverse(p: Plan) -> None:
    """Rows for M^-1, and for what it is made with."""
    p.scratch("minv", p.t.nv * p.t.nv)
    p.scratch("unit_wrench", len(p.tree.nodes), 6)
    p.scratch("unit_force", len(p.t.dofs))


def write_inverse(p: Plan, s: Schedule) -> None:
    """M^-1, the answers to unit forces one after another."""
    for column in range(p.t.nv):
        clear(s, p.row("unit_wrench"))
        clear(s, p.row("unit_force"))
        if column < p.t.root_size:
            s.do(rows.one, ones=p.at("unit_wrench").part(column))
            pressed = []
        else:
            s.do(rows.one, ones=p.at("unit_force", column - p.t.root_size))
            pressed = _way_to(p, column - p.t.root_size)
        answer_forces(p, s, "unit_wrench", p.row("unit_force"), column_of(p, column), pressed)


def _way_to(p: Plan, dof: int) -> list[int]:
    """The nodes from the root to that of a dof, without the root."""
    way = [next(i for i, node in enumerate(p.tree.nodes) if node.dof == dof)]
    while p.tree.nodes[way[0]].parent:
        way.insert(0, p.tree.nodes[way[0]].parent)
    return way


def column_of(p: Plan, velocity: int) -> Span:
    """A column, or row, of M^-1."""
    return p.row("minv").part(velocity, p.t.nv)


def write_joint_space_iteration(p: Plan, s: Schedule, final: bool) -> None:
    """As `iteration.write_iteration`; what is behind nodes changes `dv`."""
    dv = p.row("dv")
    write_forces(p, s, final, apart=True)
    turning = write_seen(p, s, Sweep(final))
    write_behind(p, s, 0, final)
    for i, node in enumerate(p.tree.nodes[1:], 1):
        if node.dof is not None:
            own = p.t.root_size + node.dof
            s.do(joint.solve_dof, p.joints[node.link], node.dof - p.dofs[node.link][0], p.constants[node.link], final,
                 **solved_operands(p, i, node.dof, turning), column=column_of(p, own), own=dv.part(own), dv=dv)
        write_behind(p, s, i, final)
    moved = {name: p.row(name) for name in MOVED if name in p.layout.groups} if not final else {}
    s.do(joint.settle, p.t, final, v=p.row("v"), dv=dv, **moved)
