"""Velocities of a link and its ancestor, held together by a joint, as PhysX reads them.

It loses what happened to the ancestor's own joint since velocities were last integrated: that link's change is taken
for its parent's, and the changes of the links below it follow from there (pxcFsGetVelocities stops before the last
common link; measured, see docs/physx_semantics.md, joints between free bodies). A joint to the root reads right.
"""

from __future__ import annotations

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.solver.by_joint.sweeps import copy_rows
from physx_runtime.solver.island.fragments import ancestor as fragments
from physx_runtime.solver.island.links import answer_root, change_of, nodes_to, sweep_motions
from physx_runtime.solver.island.plan import TreePlan


def keep_integrated(a: TreePlan, s: Schedule) -> None:
    """v as it is integrated, and the motions of links by it."""
    if a.misread:
        copy_rows(s, a.p.row("v"), a.p.row("v_integrated"))
        sweep_motions(a.p, s, [link for _, link in a.misread], "integrated", a.p.row("v"), None)


def read_pair(a: TreePlan, s: Schedule, ancestor: int, link: int, out: dict[int, Span]) -> None:
    """The velocities read of both links after all changes so far; out: by link."""
    p, own, dv = a.p, a.p.tree.last, a.p.row("dv")
    above = set(nodes_to(p, [ancestor]))
    answer_root(a, s)
    if not p.t.fixed_base:
        s.do(fragments.root_since, v=p.v_root, v_integrated=Span(p.row("v_integrated").row, 6), dv=Span(dv.row, 6),
             twist=p.at("twist"), since=p.at("since"))
    for i in nodes_to(p, [link]):
        _write_since(a, s, i, dv, mistaken=i not in above)
        if i == own[ancestor]:
            parent = p.parent(ancestor)
            s.do(fragments.mistake, p.t.fixed_base and parent == 0, parent_since=p.at("since", own[parent]),
                 parent_center=p.at("center", parent), center=p.at("center", ancestor), mistaken=p.at("mistaken", i))
    for one, span in out.items():
        s.do(fragments.read, integrated=p.at("integrated", own[one]), mistaken=p.at("mistaken", own[one]),
             dt=p.row("dt"), side_v=span, **{name: p.at(name, one) for name in ("motion", "a_com", "center")})


def _write_since(a: TreePlan, s: Schedule, i: int, dv: Span, mistaken: bool) -> None:
    p, node = a.p, a.p.tree.nodes[i]
    names = ("twist", "since", *(("mistaken",) if mistaken else ()))
    given = p.shift(i) | {f"parent_{name}": p.at(name, node.parent) for name in names}
    given |= {name: p.at(name, i) for name in names}
    if node.dof is not None:
        given |= {name: p.at(name, i) for name in ("K", "u", "inverse_d")} | {"axis": p.at("axes", node.dof)}
        given |= {name: change_of(p, span, node.dof) for name, span in (
            ("v", p.row("v")), ("v_integrated", p.row("v_integrated")), ("dv", dv))}
    s.do(fragments.since, node.kind, p.grounded(i), **given)
