"""Schedules of an iteration of an articulation: one sweep over the tree in O(n).

`write_iteration` writes forces, couplings and joints. Down the tree every joint reads the change of its parent's twist
by earlier impulses. It solves its constraints and passes its link's twist to its children. Up the tree wrenches are
added. Down again every joint gets its final change of velocity (DyFeatherstoneArticulation.cpp,
solveInternalConstraints).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.model.row_specs import ACCUMULATED_IMPULSE, CONTROL, DOF, PARAMETER, PREPARED, names_of
from physx_runtime.model.topology import PRISMATIC, ROTARY_JOINTS, SPHERICAL, Topology
from physx_runtime.solver.scheduled.fragments import joint, response
from physx_runtime.solver.scheduled.plan import Plan
from physx_runtime.solver.scheduled.sleep import write_speed_limits
from physx_runtime.solver.scheduled.sweeps import clear, copy_rows, pose_links, read_coordinates
from physx_runtime.solver.scheduled.tendons import coupled, write_couplings_iteration
from physx_runtime.solver.scheduled.tree import paths_to

# Rows that the constraints of a dof may read.
SOLVED_ROWS = ("displacement", *names_of(DOF, CONTROL, PARAMETER, PREPARED, ACCUMULATED_IMPULSE))


@dataclass(frozen=True, slots=True)
class Sweep:
    """The parts of one sweep over an articulation (ArticulationConstraintProcessingConfigCPU)."""

    final: bool                     # in a velocity iteration
    joint_constraints: bool = True                # couplings; drives, friction and limits of joints
    closing: bool = True            # the last sweep of the iteration
    speed_last: bool = False        # speed limits come after all constraints of the link, in the closing sweep

    @property
    def moves(self) -> bool:
        """Whether the iteration's motion follows."""
        return self.closing and not self.final


def write_iteration(p: Plan, s: Schedule, final: bool) -> None:
    """Write one position iteration, or with `final` one velocity iteration, as `settings.iterate`."""
    # dv of forces, couplings, then joints  (DyFeatherstoneArticulation.cpp, solveInternalConstraints)
    dv, sweep = write_forces(p, s, final, separate=coupled(p.t)), Sweep(final)
    write_constraints(p, s, dv, sweep, write_couplings(p, s, sweep))


def write_forces(p: Plan, s: Schedule, final: bool, separate: bool) -> Span | None:
    """Write the change of v by forces, and return its rows; None where there is none.

    separate: in rows of their own, to which other changes can be added.
    """
    applies_forces = p.t.forces_every_iteration and not final
    # TGS: h a in every iteration  (DyFeatherstoneArticulation.cpp, applyTgsSubstepForces)
    if not separate:
        return p.row("force_delta_v") if applies_forces else None
    if applies_forces:
        copy_rows(s, p.row("force_delta_v"), p.row("dv"))
    else:
        clear(s, p.row("dv"))
    return p.row("dv")


def write_constraints(p: Plan, s: Schedule, dv: Span | None, sweep: Sweep, prismatic: set[int]) -> None:
    """Write the constraints of the joints after the change `dv` of v, and the motion where the sweep `moves`.

    prismatic: the dofs that `write_couplings` returned.
    """
    # twist_root = 0: impulses of this iteration begin
    if not p.t.fixed_base:
        clear(s, p.at("twist"))
    # down: joints; up: p_parent += X^T (p - K u)
    for node in _depth_first(p, s, dv, prismatic, sweep):
        _pass_up(p, s, node)
    moves = sweep.moves and not p.t.pgs
    # down again: v += dv, q += h v
    _update_velocities(p, s, dv, moves)
    if moves:
        advance_links(p, s, p.row("v"))
        s.do(joint.count, iteration=p.row("iteration"))
    elif sweep.moves:
        copy_rows(s, p.row("v"), p.row("v_moving"))


def write_couplings(p: Plan, s: Schedule, sweep: Sweep) -> set[int]:
    """Write poses where used, tendons and mimic joints, and displacements of prismatic joints with rotating axes.

    Returns the dofs of the latter. A sweep without the articulation's own constraints has none of these.
    """
    if not sweep.joint_constraints:
        return set()
    # displacement of prismatic joints with rotating axes needs poses of both links
    prismatic = [dof for dof, features in enumerate(p.t.dofs) if p.t.kind_of(dof) == PRISMATIC
                 and not p.joints[features.link].fixed_base and not p.t.pgs]
    children = [p.t.dofs[dof].link for dof in prismatic]
    observed = [link for tendon in p.t.spatial_tendons for link in tendon.links]
    observed += p.spherical_links if p.t.mimics else []
    if (children or observed) and not p.t.pgs:
        p.add_current_poses()
        pose_links(p, s, paths_to(p.t, children + observed), solved=True, prefix="current_")
        for link in p.spherical_links if p.t.mimics else ():
            read_coordinates(p, s, link, "current_q", "current_")
    # spatial tendons, fixed tendons, mimic joints  (DyFeatherstoneArticulation.cpp, solveInternalConstraints)
    write_couplings_iteration(p, s, sweep.final)
    for link in paths_to(p.t, [p.parent(child) for child in children]):
        add_rotation(p, s, link, "angular_displacement", p.of_link("displacement", link) if p.dofs[link] else None)
    for dof, link in zip(prismatic, children, strict=True):
        spans = {name: p.at(name, dof) for name in (
            "displacement_axis", "displacement_offset", "displacement_moment", "displacement_spin",
            "constraint_displacement")}
        s.do(joint.measure, p.joints[link], **spans, **_parent_rotation(p, link, "angular_displacement"),
             axes=p.of_link("axes", link),
             d=p.at("current_d", link), center=p.at("current_center", link),
             parent_center=p.at("current_center", p.parent(link)),
             iteration=p.row("iteration"), h=p.row("h"))
    return set(prismatic)


def _parent_rotation(p: Plan, link: int, name: str, v: Span | None = None) -> dict[str, Span]:
    """The operand `parent_rotation`, where the parent can rotate; v: for angular velocities."""
    parent = p.parent(link)
    if parent:
        return {"parent_angular_displacement": p.at(name, parent)}
    if p.t.fixed_base:
        return {}
    return {"parent_angular_displacement": Span(v.row + 3, 3) if v else p.row("root_angular_displacement")}


def add_rotation(p: Plan, s: Schedule, link: int, name: str, amounts: Span | None, v: Span | None = None) -> None:
    # theta_i = theta_parent + sum axis q
    """Write the rotation of a link since the step's start, or its angular velocity, from its parent and its joint."""
    spans = {"amounts": amounts, "displacement_axis": p.of_link("displacement_axis", link)} if amounts else {}
    kind = p.t.links[link].kind
    s.do(joint.rotate, p.joints[link], **(spans if kind in ROTARY_JOINTS else {}), **_parent_rotation(p, link, name, v),
         angular_displacement=p.at(name, link))


def _depth_first(p: Plan, s: Schedule, dv: Span | None, prismatic: set[int], sweep: Sweep) -> Iterator[int]:
    """Write the joints' constraints depth first; yields every node once its whole branch is written."""
    # preorder of the tree; a node's wrench rises once its branch is done
    write_behind(p, s, 0, sweep.final)
    stack = [(child, False) for child in reversed(_active(p, 0))]
    while stack:
        i, done = stack.pop()
        if done:
            yield i
            continue
        if sweep.joint_constraints:
            _solve(p, s, i, dv, prismatic, sweep)
        else:
            _pass_through(p, s, i)
        write_behind(p, s, i, sweep.final)
        # limits of speed after all that holds the link  (DyCpuGpuArticulation.h, VelLimit)
        if sweep.speed_last and sweep.closing and i == p.tree.last[p.tree.nodes[i].link]:
            write_speed_limits(p, s, i, dv, below=bool(_active(p, i)))
        stack.append((i, True))
        stack += [(child, False) for child in reversed(_active(p, i))]


def write_behind(p: Plan, s: Schedule, node: int, final: bool) -> None:
    """Write the part after a node's own constraints, if any."""
    if node in p.behind:
        p.behind[node](s, final)


def _active(p: Plan, node: int) -> list[int]:
    """Children of a node with constraints or motion below."""
    return [child for child in p.tree.children[node] if p.tree.moves[child] or p.acts_below(child)]


def _needs_twist(p: Plan, node: int) -> bool:
    """Whether anything except its own constraint uses the twist of a node's link."""
    return bool(_active(p, node)) or node in p.behind


def _pass_through(p: Plan, s: Schedule, i: int) -> None:
    """Write a node that only follows its parent so far."""
    node = p.tree.nodes[i]
    spans = p.shift(i) | {"parent_twist": p.at("twist", node.parent), "twist": p.at("twist", i)}
    if node.dof is not None:
        clear(s, p.at("F", node.dof))
        clear(s, p.at("u", i))
        spans |= {name: p.at(name, i) for name in ("K", "u", "inverse_d")} | {"axis": p.at("axes", node.dof)}
    s.do(response.pass_down, node.kind, p.has_fixed_parent(i), **spans)


def _solve(p: Plan, s: Schedule, i: int, dv: Span | None, prismatic: set[int], sweep: Sweep) -> None:
    """Write all constraints of one node's dof, and the twist of its link if it has children."""
    # F of one dof  (DyFeatherstoneArticulation.cpp, solveInternalJointConstraintRecursive)
    node, fixed_parent = p.tree.nodes[i], p.has_fixed_parent(i)
    spans = p.shift(i) | {"parent_twist": p.at("twist", node.parent)}
    if node.dof is None:
        s.do(response.pass_down, node.kind, fixed_parent, **spans, twist=p.at("twist", i))
        return
    spans |= solved_operands(p, i, node.dof, prismatic) | {name: p.at(name, i) for name in ("K", "y")}
    spans |= {"F": p.at("F", node.dof), "axis": p.at("axes", node.dof)}
    if dv is not None:
        spans["dv"] = Span(dv.row + p.t.root_size + node.dof, 1)
    if _needs_twist(p, i):
        spans["twist"] = p.at("twist", i)
    index = node.dof - p.dofs[node.link][0]
    solved = _without_speed_limits(p.joints[node.link]) if sweep.speed_last else p.joints[node.link]
    s.do(joint.solve_node, solved, index, p.constants[node.link], node.kind, fixed_parent, sweep.final, **spans)


def _without_speed_limits(t: Topology) -> Topology:
    return replace(t, dofs=tuple(replace(dof, max_velocity=False) for dof in t.dofs))


def solved_operands(p: Plan, i: int, dof: int, prismatic: set[int]) -> dict[str, Span]:
    """Operands of the constraints of a node's dof; prismatic: dofs of `write_couplings`."""
    literal = {name for name, _ in p.constants[p.tree.nodes[i].link]}
    spans = {name: p.at(name, dof) for name in SOLVED_ROWS if name not in literal}
    spans |= {"v": p.v_at(dof), "r": p.at("r", i), "iteration": p.row("iteration"), "dt": p.row("dt"),
              "h": p.row("h"), "erp": p.row("erp")}
    if p.t.dofs[dof].envelope:
        spans["min_response"] = p.row("min_response")
    if dof in prismatic:
        spans["constraint_displacement"] = p.at("constraint_displacement", dof)
    return spans


def _pass_up(p: Plan, s: Schedule, i: int) -> None:
    """Pass a node's wrench to its parent, whose twist is updated at once where branches remain."""
    # p_parent += X^T (p - K u), twist_parent += T X^T p
    node = p.tree.nodes[i]
    siblings = _active(p, node.parent)
    spans = p.shift(i) | {"P": p.at("P", i), "parent_P": p.at("P", node.parent)}
    if node.dof is not None:
        spans |= {"K": p.at("K", i), "axis": p.at("axes", node.dof), "u": p.at("u", i), "F": p.at("F", node.dof)}
    if siblings[-1] != i and not p.has_fixed_parent(i):
        spans |= {"parent_response": p.at("response", node.parent), "parent_twist": p.at("twist", node.parent)}
    is_first = siblings[0] == i and node.parent not in p.behind
    s.do(response.pass_up, node.kind, not _needs_twist(p, i), is_first, p.has_fixed_parent(i), **spans)


def _update_velocities(p: Plan, s: Schedule, dv: Span | None, moves: bool) -> None:
    """Write all velocities after the sweep, and the new positions if it `moves`."""
    # twist_root = T_0 p_root; dqd = u / D - K . a
    if not p.t.fixed_base:
        spans = {"dv": Span(dv.row, 6)} if dv is not None else {}
        if _needs_twist(p, 0):
            spans |= {"response": p.at("response"), "P": p.at("P"), "twist": p.at("twist")}
        s.do(joint.update_root, **spans, v=p.v_root)
    for i, node in enumerate(p.tree.nodes[1:], 1):
        if not p.tree.moves[i]:
            continue
        spans = p.shift(i) | {"parent_twist": p.at("twist", node.parent)}
        if _active(p, i):
            spans["twist"] = p.at("twist", i)
        if node.dof is None:
            s.do(response.pass_down, node.kind, p.has_fixed_parent(i), **spans)
            continue
        spans |= {"K": p.at("K", i), "axis": p.at("axes", node.dof), "u": p.at("u", i),
                  "inverse_d": p.at("inverse_d", i), "v": p.v_at(node.dof)}
        if dv is not None:
            spans["dv"] = Span(dv.row + p.t.root_size + node.dof, 1)
        if moves:
            spans |= {"h": p.row("h"), "q": p.at("q", node.dof), "displacement": p.at("displacement", node.dof)}
        moves_q = p.t.links[node.link].kind != SPHERICAL
        s.do(joint.update_node, node.kind, p.has_fixed_parent(i), moves_q, **spans)


def advance_links(p: Plan, s: Schedule, v: Span) -> None:
    """Write rotations of spherical joints and of the floating root after the time h at v."""
    # w_i = w_parent + sum axis qd, q' = exp(h w) q  (DyFeatherstoneArticulation.cpp, propagateTransform)
    for link in paths_to(p.t, p.spherical_links):
        first = v.row + p.t.root_size
        add_rotation(p, s, link, "spin", Span(first + p.dofs[link][0], len(p.dofs[link])) if p.dofs[link] else None, v)
    for i, link in enumerate(p.spherical_links):
        s.do(joint.advance_spherical_link, spherical_rotation=p.at("spherical_rotation", i),
             spherical_spin=p.at("spherical_spin", i),
             spin=p.at("spin", link), h=p.row("h"), min_rotation=p.row("min_rotation"))
    if not p.t.fixed_base:
        s.do(joint.advance_root, v=Span(v.row, 6), h=p.row("h"),
             root_linear_displacement=p.row("root_linear_displacement"),
             root_rotation=p.row("root_rotation"), root_angular_displacement=p.row("root_angular_displacement"),
             single_rotation=p.row("single_rotation"), root_axes=p.row("root_axes"),
             axes_rotation=p.row("axes_rotation"))
