"""Schedules of an articulation in joint space: the inverse mass matrix, momentum of a floating base, and joint loads.

`write_inverse` writes M^-1, and `write_joint_space_iteration` an iteration in which an impulse changes all velocities
at once. It costs O(n^2) an iteration, and O(n^2) sweeps once a step. That is less than sweeps for small n, or with
many constraints on single links. `write_floating_start` and `write_floating_end` follow `articulation.momentum`,
`write_loads` follows `articulation.step.joint_loads`.
"""

from __future__ import annotations

from collections.abc import Mapping

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.model.topology import ROTARY_JOINTS, Topology
from physx_runtime.solver.scheduled.fragments import joint, kinematics, momentum
from physx_runtime.solver.scheduled.iteration import Sweep, solved_operands, write_behind, write_couplings, write_forces
from physx_runtime.solver.scheduled.plan import Plan
from physx_runtime.solver.scheduled.sweeps import (
    add_product,
    clear,
    copy_rows,
    move_links,
    project_forces,
    respond_to_forces,
)


def write_floating_start(p: Plan, s: Schedule) -> None:
    """Write the momentum per unit velocity, its bias, and all positions at the step's start."""
    links = range(1, len(p.t.links))
    # I^c_parent += X^T I^c X; h_i = I^c S_i  (DyFeatherstoneForwardDynamic.cpp, computeMomentum)
    for link in reversed(links):
        s.do(momentum.join_composite, composite=p.at("composite", link), d=p.at("d", link),
             parent=p.at("composite", p.parent(link)))
    for link in links:
        if p.dofs[link]:
            s.do(momentum.momentum_column, p.t.links[link].kind in ROTARY_JOINTS, composite=p.at("composite", link),
                 axes=p.of_link("axes", link), position=p.at("position", link),
                 momentum_column=p.of_link("momentum_column", link))
    # bias = dt sum J^T I (Jdot v)
    s.do(joint.scaled, factor=p.row("dt"), x=p.at("velocity_bias_wrench"), product=p.row("momentum_bias"))
    weigh(p, s)
    copy_rows(s, Span(p.row("compound").row + 1, 3), p.row("com_start"))
    clear(s, p.row("root_linear_displacement"))
    clear(s, p.row("root_angular_displacement"))


def weigh(p: Plan, s: Schedule) -> None:
    """Write mass, centre of mass and inertia of all links together, from their inertias in world axes."""
    # m, c, I of all links  (DyFeatherstoneForwardDynamic.cpp, computeContributionToEnsembleMomentOfInertia)
    clear(s, p.row("compound"))
    for algorithm, extra in ((momentum.add_center, ()), (momentum.add_inertia, ("world_inertia",))):
        if algorithm is momentum.add_inertia:
            s.do(momentum.find_center, compound=p.row("compound"))
        for link in range(len(p.t.links)):
            s.do(algorithm, compound=p.row("compound"),
                 **{name: p.at(name, link) for name in ("mass", "position", "center", *extra)})


def measure_momentum(p: Plan, s: Schedule, out: Span, root: Span, rates: Span, biased: bool) -> None:
    """Write the momentum relative to the root's at the step's start for these velocities."""
    spans = {"bias": p.row("momentum_bias")} if biased else {}
    # h = I^c_0 v_0 + sum h_i qd_i + bias
    s.do(momentum.momentum_root, composite=p.at("composite"), v=root, momentum=out, **spans)
    s.repeat(len(p.t.dofs), momentum.add_momentum, momentum=out,
             moving={"column": p.at("momentum_column"), "v": rates.part(0)})


def save_momentum(p: Plan, s: Schedule, biased: bool) -> None:
    """Save the momentum at v, to be restored later."""
    measure_momentum(p, s, p.row("target_momentum"), p.v_root, p.v_dofs, biased)
    copy_rows(s, p.v_root, p.row("target_v"))


def restore_momentum(p: Plan, s: Schedule) -> None:
    """Write the root velocity with which momentum `current_momentum` becomes `target_momentum`."""
    # w += I^-1 (|L_target| / |L| - 1) L, v += dp / m - w x c
    s.do(momentum.restore, v=p.v_root, current_momentum=p.row("current_momentum"),
         target_momentum=p.row("target_momentum"), target_v=p.row("target_v"),
         target_center=p.row("com_start"), compound=p.row("compound"))


def write_floating_end(p: Plan, s: Schedule) -> None:
    """Write root velocity and position after the step, at the final poses of its iterations."""
    # momentum after the step, at the poses that it reached  (DyFeatherstoneForwardDynamic.cpp, updateBodies)
    for link in range(len(p.t.links)):
        s.do(momentum.rotate_inertia, R=p.at("R", link), inertia=p.at("inertia", link),
             world_inertia=p.at("world_inertia", link))
    weigh(p, s)
    save_momentum(p, s, biased=True)
    move_links(p, s, root_stays=True)
    clear(s, p.row("current_momentum"))
    for link in range(len(p.t.links)):
        s.do(momentum.add_link_momentum, momentum=p.row("current_momentum"),
             **{name: p.at(name, link) for name in ("motion", "center", "mass", "v_com", "world_inertia", "position")})
    restore_momentum(p, s)
    copy_rows(s, p.row("root_angular_displacement"), Span(p.row("target_v").row + 3, 3))
    # p_travel: momentum with q - q0 for v
    measure_momentum(p, s, p.row("target_momentum"), p.row("target_v"), p.row("displacement"), biased=False)
    s.do(momentum.carry_root, momentum=p.row("target_momentum"), compound=p.row("compound"), dt=p.row("dt"),
         **{name: p.row(name) for name in ("root_position", "root_linear_displacement", "com_start", "momentum_bias")})


# Rows that a position iteration moves, and their rates.
INTEGRATED = ("q", "displacement", "root_rotation", "root_linear_displacement", "root_angular_displacement",
              "axes_rotation", "root_axes",
              "single_rotation", "iteration", "h")


def add_inverse(p: Plan) -> None:
    """Add rows for M^-1 and for its computation."""
    p.scratch("minv", p.t.nv * p.t.nv)
    p.scratch("unit_wrench", len(p.tree.nodes), 6)
    p.scratch("unit_force", len(p.t.dofs))


def write_inverse(p: Plan, s: Schedule) -> None:
    """Write M^-1, from the responses to unit forces one after another."""
    # (M^-1)_j = M^-1 e_j by a sweep up and down
    for column in range(p.t.nv):
        clear(s, p.row("unit_wrench"))
        clear(s, p.row("unit_force"))
        if column < p.t.root_size:
            s.do(joint.set_one, ones=p.at("unit_wrench").part(column))
            nodes = []
        else:
            s.do(joint.set_one, ones=p.at("unit_force", column - p.t.root_size))
            nodes = _path_to(p, column - p.t.root_size)
        respond_to_forces(p, s, "unit_wrench", p.row("unit_force"), column_of(p, column), nodes)


def _path_to(p: Plan, dof: int) -> list[int]:
    """The nodes from the root to that of a dof, without the root."""
    path = [next(i for i, node in enumerate(p.tree.nodes) if node.dof == dof)]
    while p.tree.nodes[path[0]].parent:
        path.insert(0, p.tree.nodes[path[0]].parent)
    return path


def column_of(p: Plan, velocity: int) -> Span:
    """A column, or row, of M^-1."""
    return p.row("minv").part(velocity, p.t.nv)


def write_joint_space_iteration(p: Plan, s: Schedule, final: bool) -> None:
    """As `iteration.write_iteration`; the parts after nodes change `dv`."""
    dv = p.row("dv")
    # order as in sweeps; every impulse changes all of dv
    write_forces(p, s, final, separate=True)
    prismatic = write_couplings(p, s, Sweep(final))
    write_behind(p, s, 0, final)
    for i, node in enumerate(p.tree.nodes[1:], 1):
        if node.dof is not None:
            index = p.t.root_size + node.dof
            s.do(joint.solve_dof, p.joints[node.link], node.dof - p.dofs[node.link][0], p.constants[node.link], final,
                 **solved_operands(p, i, node.dof, prismatic), column=column_of(p, index), dv_dof=dv.part(index), dv=dv)
        write_behind(p, s, i, final)
    integrated = {name: p.row(name) for name in INTEGRATED if name in p.layout.groups} if not final else {}
    s.do(joint.update_state, p.t, final, v=p.row("v"), dv=dv, **integrated)


def gather_needed(p: Plan, s: Schedule, link: int, single: Topology, spans: Mapping[str, Span]) -> None:
    """Write the wrench of a link at zero generalised acceleration, less external forces, at its node.

    single, spans: as of the fragment `link_forces`.
    """
    s.do(kinematics.bias_wrench, single, **spans, dt=p.row("dt"), gravity=p.row("gravity"),
         bias_force=p.at("bias_wrench", p.tree.last[link]))


def start_free(p: Plan, s: Schedule) -> None:
    """Clear the sum of the nodes' free accelerations."""
    clear(s, p.row("free_twist"))
    for i, node in enumerate(p.tree.nodes):
        if node.virtual or (i == 0 and p.t.fixed_base):
            clear(s, p.at("bias_wrench", i))


def add_free(p: Plan, s: Schedule, sign: float = 1.0) -> None:
    """Add the twists of nodes after `respond_to_forces`."""
    first = int(p.t.fixed_base)         # a fixed root has no twist
    for i in range(first, len(p.tree.nodes)):
        add_product(s, p.at("free_twist", i), p.at("twist", i), None, sign)


def write_loads(p: Plan, s: Schedule) -> None:
    """Write the row `load` of every link."""
    # f_i += I a_free, summed up the tree
    # (PhysX 5.3.1, DyFeatherstoneForwardDynamic.cpp, computeJointTransmittedFrictionForce)
    common = {} if p.t.fixed_base else {"gravity": p.row("gravity")}
    for link in range(p.t.fixed_base, len(p.t.links)):
        node = p.tree.last[link]
        s.do(kinematics.add_acceleration, **common,
             **{name: p.at(name, link) for name in ("mass", "world_inertia", "center")},
             free=p.at("free_twist", node), bias_force=p.at("bias_wrench", node))
    project_forces(p, s, "bias_wrench", None)
    for link in range(1, len(p.t.links)):
        s.do(kinematics.joint_load, bias_force=p.at("bias_wrench", p.tree.last[link]), center=p.at("center", link),
             load=p.at("load", link))
