"""Schedules of articulation links with maximal joints or contacts: velocities read, impulses applied
(pxcFsGetVelocity).

A joint sees a link at its centre of mass with its velocity inside the solver, J v + dt Jdot v. Its impulse acts on the
whole articulation: `raise_impulse` passes it up the link's path, where every node keeps its part u. `sweep_twists`
passes the change of velocity down the path of the next link that is read. `spread_impulses` passes it down the whole
tree after the last joint.

`read_pair` reads the velocities of a link and its ancestor that one joint connects, as PhysX does. PhysX loses the
change at the ancestor's own joint since velocities were last integrated. It takes that of the ancestor's parent, and
the changes of the links below follow from there. Its pxcFsGetVelocities stops before the last common link (measured,
see docs/reference/physx/maximal_joints.md). A joint to the root reads right. `write_cross_response` is
the response of two links of one articulation to each other, which PhysX leaves out.
"""

from __future__ import annotations

from collections.abc import Iterable

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.solver.island.fragments import link as fragments
from physx_runtime.solver.island.fragments import link as links
from physx_runtime.solver.island.plan import CROSS_RESPONSE, IslandPlan, TreePlan
from physx_runtime.solver.scheduled.fragments import response
from physx_runtime.solver.scheduled.iteration import add_rotation
from physx_runtime.solver.scheduled.plan import Plan
from physx_runtime.solver.scheduled.program import write_cfm
from physx_runtime.solver.scheduled.sweeps import add_product, clear, copy_rows, pose_below, pose_root
from physx_runtime.solver.scheduled.tree import paths_to


def write_links_start(a: TreePlan, s: Schedule) -> None:
    """Write poses, responses and zero displacements of constrained links at the step's start."""
    # cfm = cfmScale max diag(T)  (DyFeatherstoneArticulation.cpp, getCfm)
    p = a.p
    if not any(dof.softened for dof in p.t.dofs):
        write_cfm(p, s, [link for link in a.constrained if not is_fixed(p, link)])
    for link in a.constrained:
        # T of the solver is that of the step's start in all iterations
        s.do(links.start_pose, is_fixed(p, link), root_position=p.row("root_position"), position=p.at("position", link),
             center=p.at("center", link), response=p.at("response", p.tree.last[link]), origin=a.at("origin", link),
             center_position=a.at("center_position", link), constrained_response=a.at("response", link))
        s.do(links.zero_motion, **{name: a.at(name, link) for name in (
            "displacement", "angular_displacement", "delta_rotation")})
    if a.constrained and not p.t.fixed_base:
        copy_rows(s, p.row("axes_rotation"), p.row("axes_start"))


def is_fixed(p: Plan, link: int) -> bool:
    """Whether a link is a fixed base."""
    return link == 0 and p.t.fixed_base


def nodes_to(p: Plan, targets: Iterable[int]) -> list[int]:
    """Nodes on the paths from the root to links, these included, parents first, without the root."""
    nodes: set[int] = set()
    for link in targets:
        node = p.tree.last[link]
        while node > 0 and node not in nodes:
            nodes.add(node)
            node = p.tree.nodes[node].parent
    return sorted(nodes)


def read_velocities(a: TreePlan, s: Schedule, targets: list[int], dv: Span | None) -> None:
    """Write velocities of constrained links after the change `dv` of v, if any."""
    # v_c = J (v + dv) + dt Jdot v
    p = a.p
    sweep_motions(p, s, targets, "constrained_motion", p.row("v"), dv)
    for link in targets:
        guarded = Schedule()
        guarded.do(links.solver_velocity, is_fixed(p, link),
                   constrained_motion=p.at("constrained_motion", p.tree.last[link]),
                   dt=p.row("dt"), velocity=a.at("velocity", link),
                   **{name: p.at(name, link) for name in ("motion", "a_com", "center")})
        _guard(a, s, link, guarded)


def _guard(a: TreePlan, s: Schedule, link: int, guarded: Schedule) -> None:
    """Run a part only where a link is constrained."""
    if link in a.flags:
        s.where_any(a.flags[link], guarded)
    else:
        s.instructions += guarded.instructions


def sweep_motions(p: Plan, s: Schedule, targets: list[int], name: str, v: Span, dv: Span | None) -> None:
    """Write the rows `name` of the nodes on the paths to links: their motions at v + `dv`."""
    # v_i = v_parent + S (qd + dqd), along the path alone
    if not p.t.fixed_base:
        change = {"dv": Span(dv.row, 6)} if dv else {}
        s.do(links.root_motion, **change, v=Span(v.row, 6), motion=p.at(name))
    for i in nodes_to(p, targets):
        node, spans = p.tree.nodes[i], p.shift(i)
        if node.dof is not None:
            spans |= {"axis": p.at("axes", node.dof), "v": change_of(p, v, node.dof)}
            spans |= {"dv": change_of(p, dv, node.dof)} if dv else {}
        s.do(links.node_motion, node.kind, p.has_fixed_parent(i), **spans, motion=p.at(name, i),
             parent_twist=p.at(name, node.parent))


def change_of(p: Plan, dv: Span, dof: int) -> Span:
    """One dof's part of v or of a change of it."""
    return Span(dv.row + p.t.root_size + dof, 1)


def begin_impulses(a: TreePlan, s: Schedule) -> None:
    """Clear the impulses of this iteration."""
    p = a.p
    # u = 0, p_root = 0 at the iteration's start
    clear(s, Span(p.row("u").row, len(p.tree.nodes)))
    if not p.t.fixed_base:
        clear(s, p.row("constrained_P"))
    a.has_impulses = False


def current_velocity(a: TreePlan, s: Schedule, link: int, out: Span) -> Span:
    """The rows with a constrained link's velocity after the impulses so far; `out` if there are any."""
    if not a.has_impulses:
        return a.at("velocity", link)
    sweep_twists(a, s, link)
    read_link_velocity(a, s, link, out)
    return out


def sweep_twists(a: TreePlan, s: Schedule, link: int) -> None:
    """Write the twists on the path to a link by the impulses so far."""
    p = a.p
    # twist_i = X twist_parent + S (u / D - K . a)  (DyCpuGpuArticulation.h, propagateAccelerationW)
    compute_root_twist(a, s)
    for i in nodes_to(p, [link]):
        node = p.tree.nodes[i]
        spans = p.shift(i) | {"parent_twist": p.at("twist", node.parent), "twist": p.at("twist", i)}
        if node.dof is not None:
            spans |= {name: p.at(name, i) for name in ("K", "u", "inverse_d")} | {"axis": p.at("axes", node.dof)}
        s.do(response.pass_down, node.kind, p.has_fixed_parent(i), **spans)


def read_link_velocity(a: TreePlan, s: Schedule, link: int, out: Span) -> None:
    """Write the velocity of a constrained link after the twist of its node."""
    p = a.p
    s.do(links.velocity_after_impulses, velocity=a.at("velocity", link), twist=p.at("twist", p.tree.last[link]),
         center=p.at("center", link), body_v=out)


def raise_impulse(a: TreePlan, s: Schedule, link: int, impulse: Span) -> None:
    """Pass an impulse on a link up its path."""
    p, i = a.p, a.p.tree.last[link]
    if is_fixed(p, link):
        return
    a.has_impulses = True
    # p_parent = p - K S^T p, u += S^T p up to the root  (DyFeatherstoneArticulation.cpp, pxcFsApplyImpulse)
    s.do(links.impulse_to_wrench, i == 0, impulse=impulse, center=p.at("center", link), P=_wrench_at(a, i))
    while i:
        node, spans = p.tree.nodes[i], p.shift(i)
        if node.dof is not None:
            spans |= {"K": p.at("K", i), "axis": p.at("axes", node.dof), "u": p.at("u", i)}
        s.do(links.raise_impulse, node.kind, p.has_fixed_parent(i), node.parent == 0, **spans, P=p.at("P", i),
             parent_P=_wrench_at(a, node.parent))
        i = node.parent


def spread_impulses(a: TreePlan, s: Schedule) -> None:
    """Add the change of v by all impulses to `dv`."""
    # dv = M^-1 J^T F by one sweep down the tree
    p, dv = a.p, a.p.row("dv")
    compute_root_twist(a, s)
    if not p.t.fixed_base:
        add_product(s, Span(dv.row, 6), p.at("twist"))
    moving, path = {0} if not p.t.fixed_base else set(), set(nodes_to(p, a.outer))
    for i, node in enumerate(p.tree.nodes):
        if i == 0 or (i not in path and node.parent not in moving):
            continue
        moving.add(i)
        spans = p.shift(i) | {"parent_twist": p.at("twist", node.parent), "twist": p.at("twist", i)}
        if node.dof is not None:
            spans |= {name: p.at(name, i) for name in ("K", "u", "inverse_d")}
            spans |= {"axis": p.at("axes", node.dof), "dv": change_of(p, dv, node.dof)}
        s.do(links.spread, node.kind, p.has_fixed_parent(i), **spans)


def apply_link_impulse(a: TreePlan, s: Schedule, link: int, impulse: Span, adds: bool) -> None:
    """Apply an impulse to a link within the sweep of its articulation's own constraints."""
    # p += F, twist += T F: seen by the links below
    p, i = a.p, a.p.tree.last[link]
    s.do(links.impulse_to_wrench, adds, impulse=impulse, center=p.at("center", link), P=p.at("P", i))
    s.do(links.respond, impulse=impulse, center=p.at("center", link), constrained_response=a.at("response", link),
         twist=p.at("twist", i))


def measure_motion(a: TreePlan, s: Schedule, elapsed: Span) -> None:
    """Write the displacements of constrained links since the step's start."""
    # dx and dtheta of the mass centre since the start  (DyFeatherstoneArticulation.cpp, getLinkMotionVector)
    p = a.p
    if not a.active:
        return
    always = paths_to(p.t, [link for link in a.active if link not in a.flags])
    pose_root(p, s, "current_")
    _pose_current(a, s, always)
    for link in a.active:
        guarded = Schedule()
        _pose_current(a, guarded, [i for i in paths_to(p.t, [link]) if i not in always])
        _measure_link(a, guarded, link, elapsed)
        _guard(a, s, link, guarded)


def _pose_current(a: TreePlan, s: Schedule, path: list[int]) -> None:
    """Write poses and rotations of links on a path."""
    p = a.p
    # c(q) along the path, theta = sum axis_i dq_i
    pose_below(p, s, path, solved=True, prefix="current_")
    for link in path:
        add_rotation(p, s, link, "angular_displacement", p.of_link("displacement", link) if p.dofs[link] else None)


def _measure_link(a: TreePlan, s: Schedule, link: int, elapsed: Span) -> None:
    p = a.p
    spans = {} if p.t.fixed_base else {"root_linear_displacement": p.row("root_linear_displacement")}
    spans |= {name: p.at(name, link) for name in ("position", "center", "rotation", "motion")}
    spans |= {f"current_{name}": p.at(f"current_{name}", link) for name in ("position", "center", "rotation")}
    spans["link_angular_displacement"] = (p.at("angular_displacement", link) if link
                                          else p.row("root_angular_displacement"))
    if link == 0 and not p.t.fixed_base:
        spans |= {name: p.row(name) for name in ("axes_rotation", "axes_start")}
    names = ("displacement", "angular_displacement", *(("delta_rotation",) if link in a.by_joints else ()))
    s.do(links.displacement, is_fixed(p, link), **spans, elapsed=elapsed, dt=p.row("dt"),
         **{name: a.at(name, link) for name in names})


def compute_root_twist(a: TreePlan, s: Schedule) -> None:
    """Write the floating root's twist by the impulses so far."""
    # twist_root = T_0 p_root
    p = a.p
    if not p.t.fixed_base:
        s.do(response.root_twist, response=p.at("response"), P=p.row("constrained_P"), twist=p.at("twist"))


def _wrench_at(a: TreePlan, node: int) -> Span:
    """The rows of the wrench on a node; that on the root is kept for all impulses of an iteration."""
    return a.p.at("P", node) if node else a.p.row("constrained_P")


def store_integrated(a: TreePlan, s: Schedule) -> None:
    """Store v as integrated, and the motions of links by it."""
    if a.misread:
        # v_integrated = v  (DyFeatherstoneArticulation.cpp, recordDeltaMotion)
        copy_rows(s, a.p.row("v"), a.p.row("v_integrated"))
        sweep_motions(a.p, s, [link for _, link in a.misread], "integrated", a.p.row("v"), None)


def read_pair(a: TreePlan, s: Schedule, ancestor: int, link: int, out: dict[int, Span]) -> None:
    """Write the velocities that PhysX reads of both links after all changes so far; out: by link."""
    # from the common link down; PhysX stops one link early  (DyFeatherstoneArticulation.cpp, pxcFsGetVelocities)
    p, last, dv = a.p, a.p.tree.last, a.p.row("dv")
    ancestors = set(nodes_to(p, [ancestor]))
    compute_root_twist(a, s)
    if not p.t.fixed_base:
        s.do(fragments.root_change, v=p.v_root, v_integrated=Span(p.row("v_integrated").row, 6), dv=Span(dv.row, 6),
             twist=p.at("twist"), velocity_change=p.at("velocity_change"))
    for i in nodes_to(p, [link]):
        _write_change(a, s, i, dv, misread=i not in ancestors)
        if i == last[ancestor]:
            parent = p.parent(ancestor)
            s.do(fragments.misread_velocity, p.t.fixed_base and parent == 0,
                 parent_velocity_change=p.at("velocity_change", last[parent]),
                 parent_center=p.at("center", parent), center=p.at("center", ancestor),
                 misread_change=p.at("misread_change", i))
    for other, span in out.items():
        s.do(fragments.read_link, integrated=p.at("integrated", last[other]),
             misread_change=p.at("misread_change", last[other]),
             dt=p.row("dt"), body_v=span, **{name: p.at(name, other) for name in ("motion", "a_com", "center")})


def _write_change(a: TreePlan, s: Schedule, i: int, dv: Span, misread: bool) -> None:
    p, node = a.p, a.p.tree.nodes[i]
    names = ("twist", "velocity_change", *(("misread_change",) if misread else ()))
    spans = p.shift(i) | {f"parent_{name}": p.at(name, node.parent) for name in names}
    spans |= {name: p.at(name, i) for name in names}
    if node.dof is not None:
        spans |= {name: p.at(name, i) for name in ("K", "u", "inverse_d")} | {"axis": p.at("axes", node.dof)}
        spans |= {name: change_of(p, span, node.dof) for name, span in (
            ("v", p.row("v")), ("v_integrated", p.row("v_integrated")), ("dv", dv))}
    s.do(fragments.node_change, node.kind, p.has_fixed_parent(i), **spans)


def write_cross_response(p: IslandPlan, s: Schedule, j: int) -> None:
    """Write the motion of one side's centre of mass by unit wrenches on the other side's, if the joint uses it."""
    if CROSS_RESPONSE not in p.joints[j].groups:
        return
    # C_ij = (T_01)_ij: twist of one link for unit wrenches on the other
    # (DyFeatherstoneArticulation.cpp, getImpulseResponse; left out by PhysX's joints)
    first, second = p.t.joints[j].solver_bodies
    a, wrench = p.trees[first.owner], p.row("body0_impulse")
    for i in range(6):
        begin_impulses(a, s)
        s.do(fragments.unit_wrench, i, wrench=wrench)
        raise_impulse(a, s, first.link, wrench)
        sweep_twists(a, s, second.link)
        s.do(fragments.central_twist, twist=a.p.at("twist", a.p.tree.last[second.link]),
             center=a.p.at("center", second.link), central=p.joints[j][CROSS_RESPONSE].part(i, 6))
