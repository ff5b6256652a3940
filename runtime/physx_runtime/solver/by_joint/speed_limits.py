"""Limits of joint speeds behind all else of an iteration, where what holds links comes behind their other constraints.

A joint's velocity counts all impulses so far: those on its link rise through its nodes, its parent answers, and what
comes of it goes down again.
"""

from __future__ import annotations

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.solver.by_joint.fragments import joint, response
from physx_runtime.solver.by_joint.plan import Plan
from physx_runtime.solver.by_joint.sweeps import copy_rows

# Of the joint that is being slowed: the wrench on its parent, how that answers, and the change of a dof's velocity.
SLOWED_SCRATCH = {"slowed_P": 6, "slowed_twist": 6, "slowed_rate": 1}


def write_speed_limits(p: Plan, s: Schedule, last: int, dv: Span | None, below: bool) -> None:
    """The limits of a joint's dofs one after another; last: its last node. below: other nodes ask how that moves."""
    own = p.dofs[p.tree.nodes[last].link]
    limited = [dof for dof in own if p.t.dofs[dof].max_velocity]
    nodes = dict(zip(own, range(last - len(own) + 1, last + 1), strict=True))
    for dof in limited:
        _respond(p, s, nodes, dof)
        _limit(p, s, nodes[dof], dof, dv)
    if limited and below:
        _respond(p, s, nodes, own[-1])


def _limit(p: Plan, s: Schedule, node: int, dof: int, dv: Span | None) -> None:
    literal = tuple(item for item in p.constants[p.tree.nodes[node].link] if item[0] in ("bias", "soft"))
    names = {"bias", "soft", "F", "max_velocity"}.difference(name for name, _ in literal)
    given = {name: p.at(name, dof) for name in sorted(names)}
    if dv is not None:
        given["dv"] = Span(dv.row + p.t.root_size + dof, 1)
    s.do(joint.limit_speed, literal, **given, v=p.v_at(dof), rate=p.row("slowed_rate"), r=p.at("r", node))


def _respond(p: Plan, s: Schedule, nodes: dict[int, int], until: int) -> None:
    """Impulses up a joint's nodes (by dof) to its parent, and what they do down to the node of one of its dofs."""
    first, last = min(nodes.values()), max(nodes.values())
    parent = p.tree.nodes[first].parent
    for dof, i in reversed(nodes.items()):
        above = p.row("slowed_P") if i == first else p.at("P", i - 1)
        given = p.shift(i) | {name: p.at(name, i) for name in ("K", "u", "P")}
        if i == first and not p.grounded(i):
            copy_rows(s, p.at("twist", parent), p.row("slowed_twist"))
            given |= {"parent_response": p.at("response", parent), "parent_twist": p.row("slowed_twist")}
        s.do(response.pass_up, p.tree.nodes[i].kind, i == last and i not in p.behind, True, p.grounded(i), **given,
             axis=p.at("axes", dof), F=p.at("F", dof), parent_P=above)
    for dof, i in nodes.items():
        given = p.shift(i) | {name: p.at(name, i) for name in ("K", "u", "inverse_d", "twist")}
        s.do(response.pass_down, p.tree.nodes[i].kind, p.grounded(i), **given, axis=p.at("axes", dof),
             parent_twist=p.row("slowed_twist") if i == first else p.at("twist", i - 1), rate=p.row("slowed_rate"))
        if dof == until:
            return
