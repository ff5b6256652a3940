"""Sweeps over the tree for several parts of the step: poses, velocities, and the response to forces.

`pose_links` and `move_links` are forward kinematics, `respond_to_forces` is M^-1 J^T f, and `project_forces` is J^T f.
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.model.topology import SPHERICAL
from physx_runtime.solver.scheduled.fragments import joint, kinematics, response
from physx_runtime.solver.scheduled.plan import Plan
from physx_runtime.solver.scheduled.tree import RIGID

POSE_ROWS = ("rotation", "R", "d", "center", "position")


def copy_rows(s: Schedule, source: Span, target: Span) -> None:
    """Copy rows."""
    s.repeat(source.size, joint.copy, moving={"source": source.part(0), "copy": target.part(0)})


def clear(s: Schedule, span: Span) -> None:
    """Set rows to 0."""
    s.repeat(span.size, joint.zero, moving={"zeros": span.part(0)})


def add_product(s: Schedule, total: Span, x: Span, factor: Span | None = None, sign: float = 1.0) -> None:
    """total += sign factor x, row by row."""
    spans = {} if factor is None else {"factor": factor}
    s.repeat(total.size, joint.add_scaled, sign, moving={"total": total.part(0), "x": x.part(0)}, **spans)


def pose_root(p: Plan, s: Schedule, prefix: str = "") -> None:
    """Write the pose of the root; names of pose rows begin with `prefix`."""
    copy_rows(s, p.row("root_rotation"), p.at(f"{prefix}rotation"))
    clear(s, p.at(f"{prefix}position"))
    if not prefix:
        s.do(kinematics.normalize, rotation=p.at("rotation"))
    s.do(kinematics.pose_root, rotation=p.at(f"{prefix}rotation"), com=p.at("com"), R=p.at(f"{prefix}R"),
         center=p.at(f"{prefix}center"))


def pose_links(p: Plan, s: Schedule, links: Sequence[int], solved: bool, prefix: str = "") -> None:
    """Write the poses of the root and of `links`; solved: with the solver's rotations of spherical joints."""
    pose_root(p, s, prefix)
    pose_below(p, s, links, solved, prefix)


def pose_below(p: Plan, s: Schedule, links: Sequence[int], solved: bool, prefix: str = "") -> None:
    """As `pose_links`, for descendants of links that have their poses."""
    # R_i, d_i, c_i link by link  (DyFeatherstoneForwardDynamic.cpp, propagateLinksDown)
    for link in links:
        coordinates = p.of_link("q", link) if p.dofs[link] else None
        spans = {"q": coordinates} if coordinates else {}
        if coordinates and not prefix:
            spans["axes"] = p.of_link("axes", link)
        if solved and p.t.links[link].kind == SPHERICAL:
            spans["ball"] = p.at("spherical_rotation", p.spherical_links.index(link))
        s.do(kinematics.pose, p.joints[link], **spans, **p.locked_of(link),
             parent_rotation=p.at(f"{prefix}rotation", p.parent(link)),
             parent_position=p.at(f"{prefix}position", p.parent(link)),
             **{name: p.at(name, link) for name in ("tree_rotation", "tree_position", "com")},
             **{name: p.at(f"{prefix}{name}", link) for name in POSE_ROWS})


def read_coordinates(p: Plan, s: Schedule, link: int, name: str, prefix: str) -> None:
    """Write the coordinates of a spherical joint from poses; those of the step's end include locked axes."""
    spans = {"q": p.of_link(name, link)} if p.dofs[link] else {}
    if not prefix:
        spans |= p.locked_of(link)
    s.do(kinematics.coordinates, p.joints[link], **spans, rotation=p.at(f"{prefix}rotation", link),
         parent_rotation=p.at(f"{prefix}rotation", p.parent(link)), tree_rotation=p.at("tree_rotation", link))


def move_links(p: Plan, s: Schedule, root_stays: bool = False, v: Span | None = None) -> None:
    """Write the velocities of all links at v, or at the state's; root_stays: relative to the root's."""
    row = (v or p.row("v")).row
    root = {} if p.t.fixed_base else {"v": Span(row, 6)}
    rows = ("motion", "v_com", "a_com")
    # v_i = v_parent + S qd  (DyFeatherstoneArticulation.cpp, computeLinkVelocities)
    s.do(kinematics.root_motion, p.t.fixed_base, root_stays, **root, **{name: p.at(name) for name in (*rows, "center")})
    for link in range(1, len(p.t.links)):
        spans = {"axes": p.of_link("axes", link)} if p.dofs[link] else {}
        if p.dofs[link]:
            first = p.dofs[link][0]
            spans["rates"] = Span(row + p.t.root_size + first, len(p.dofs[link]))
        s.do(kinematics.move_link, p.joints[link], **spans, parent_motion=p.at("motion", p.parent(link)),
             **{name: p.at(name, link) for name in (*rows, "d", "center")})


def respond_to_forces(p: Plan, s: Schedule, wrench: str, force: Span | None, out: Span,
                      active: Sequence[int] | None = None) -> None:
    """out = M^-1 (J^T wrench + force), the change of v; wrenches act on nodes and are used up.

    The twists of all nodes are left in the rows `twist`. active: nodes with wrenches and all nodes between them and the
    root, in order; every node except the root where None.
    """
    nodes = p.tree.nodes
    if active is not None:
        clear(s, p.row("u"))
    # up: u = F + S^T p, p_parent += X^T (p - K u)  (DyFeatherstoneArticulation.cpp, propagateImpulseW)
    for i in reversed(range(1, len(nodes)) if active is None else active):
        node = nodes[i]
        parent = nodes[node.parent]
        spans = p.shift(i)
        if node.dof is not None:
            spans |= {"K": p.at("K", i), "axis": p.at("axes", node.dof), "u": p.at("u", i)}
            if force is not None:
                spans["F"] = force.part(node.dof)
        s.do(response.pass_up, node.kind, False, parent.virtual, p.has_fixed_parent(i), **spans, P=p.at(wrench, i),
             parent_P=p.at(wrench, node.parent))
    # root: twist = T_0 p
    if not p.t.fixed_base:
        s.do(response.root_twist, response=p.at("response"), P=p.at(wrench), twist=p.at("twist"))
        copy_rows(s, p.at("twist"), Span(out.row, 6))
    # down: dqd = u / D - K . a  (DyCpuGpuArticulation.h, propagateAccelerationW)
    for i, node in enumerate(nodes):
        if i == 0:
            continue
        spans = p.shift(i)
        if node.dof is not None:
            spans |= {"K": p.at("K", i), "axis": p.at("axes", node.dof), "u": p.at("u", i),
                      "inverse_d": p.at("inverse_d", i), "rate": Span(out.row + p.t.root_size + node.dof, 1)}
        s.do(response.pass_down, node.kind, p.has_fixed_parent(i), **spans, parent_twist=p.at("twist", node.parent),
             twist=p.at("twist", i))


def project_forces(p: Plan, s: Schedule, wrench: str, out: Span | None) -> None:
    """out = J^T wrench; wrenches are used up and their sum arrives at the root."""
    # tau = S^T p, p_parent += X^T p
    for i in range(len(p.tree.nodes) - 1, 0, -1):
        node, spans = p.tree.nodes[i], p.shift(i)
        kind = RIGID if out is None else node.kind
        if node.dof is not None and out is not None:
            spans |= {"axis": p.at("axes", node.dof), "tau": Span(out.row + p.t.root_size + node.dof, 1)}
        s.do(response.project, kind, p.has_fixed_parent(i), **spans, P=p.at(wrench, i),
             parent_P=p.at(wrench, node.parent))
    if out is not None and not p.t.fixed_base:
        copy_rows(s, p.at(wrench), Span(out.row, 6))
