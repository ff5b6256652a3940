"""The scheduled step of one articulation: nothing is compiled for a topology, and the cost is O(n).

`step_schedules` is the whole step. `write_start` writes the free velocity, articulated inertias and the coefficients
of constraints (as `articulation.step.begin`). `write_end` wraps positions, keeps the momentum of a floating base, and
restores diverged worlds.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import replace

from physx_runtime.compiling.code import row_of
from physx_runtime.compiling.program import Pass
from physx_runtime.compiling.schedule import Operand, Schedule, ScheduledProgram, Span, trace_fragment
from physx_runtime.model.row_specs import (
    ACCUMULATED_IMPULSE,
    DERIVED,
    DOF,
    EXTERNAL_FORCE,
    LINK,
    LINK_FORCE_ROWS,
    PARAMETER,
    PREPARED,
    input_rows,
    names_of,
    output_rows,
)
from physx_runtime.model.topology import PRISMATIC, ROTARY_JOINTS, SPHERICAL, Topology
from physx_runtime.solver.divergence import DIVERGED, moving_rows
from physx_runtime.solver.program import POSITION_COUNT, VELOCITY_COUNT
from physx_runtime.solver.scheduled.fragments import joint, kinematics, response, sleep
from physx_runtime.solver.scheduled.fragments import joint as joint_module
from physx_runtime.solver.scheduled.fragments import joint as joints
from physx_runtime.solver.scheduled.fragments.kinematics import link_forces
from physx_runtime.solver.scheduled.iteration import advance_links, write_iteration
from physx_runtime.solver.scheduled.joint_space import (
    add_free,
    gather_needed,
    measure_momentum,
    restore_momentum,
    save_momentum,
    start_free,
    write_floating_end,
    write_floating_start,
    write_loads,
)
from physx_runtime.solver.scheduled.plan import Plan, make_plan
from physx_runtime.solver.scheduled.sleep import write_mean_motions, write_sleep
from physx_runtime.solver.scheduled.sweeps import (
    add_product,
    clear,
    copy_rows,
    move_links,
    pose_links,
    project_forces,
    read_coordinates,
    respond_to_forces,
)
from physx_runtime.solver.scheduled.tendons import write_couplings_start
from physx_runtime.solver.scheduled.tree import SINGLE_LINK, paths_to


def write_start(p: Plan, s: Schedule) -> None:
    """Write the start of a step, as `articulation.step.begin`."""
    t = p.t
    for name in moving_rows(t):
        copy_rows(s, p.row(name), p.row(f"saved_{name}"))
    # qd *= min(1, min_i max_i / |qd_i|)  (DyFeatherstoneArticulation.cpp, computeLinkStates)
    _clamp_start(p, s)
    s.do(kinematics.normalize, rotation=p.row("root_rotation"))
    # poses and velocities from the root on  (DyFeatherstoneArticulation.cpp, jcalc)
    pose_links(p, s, range(1, len(t.links)), solved=False)
    move_links(p, s)
    # f, I^A, T, K, y, r  (DyFeatherstoneForwardDynamic.cpp, computeUnconstrainedVelocitiesTGS)
    _gather_forces(p, s)
    _respond(p, s)
    _apply_forces(p, s)
    for name in (*names_of(DOF, ACCUMULATED_IMPULSE), "displacement"):
        clear(s, p.row(name))
    clear(s, p.row("iteration"))
    if t.pgs:
        copy_rows(s, p.row("v"), p.row("v_moving"))
    if not t.fixed_base:
        s.do(kinematics.rotate_axes, rotation=p.row("root_rotation"), axes=p.row("root_axes"),
             axes_rotation=p.row("axes_rotation"))
    if t.has_load_friction:
        write_loads(p, s)
    # r, soft, bias and drive constants  (DyFeatherstoneArticulation.cpp, setupInternalConstraintsRecursive)
    for link in range(1, len(t.links)):
        if p.dofs[link]:
            _coefficients(p, s, link)
    for i, link in enumerate(p.spherical_links):
        copy_rows(s, p.at("rotation", link), p.at("spherical_rotation", i))
        s.do(joint_module.scaled, factor=p.row("dt"), x=Span(p.at("motion", link).row + 3, 3),
             product=p.at("spherical_spin", i))
    write_couplings_start(p, s)


def _clamp_start(p: Plan, s: Schedule) -> None:
    first = {"v": p.v_dofs.part(0)}
    s.do(joint_module.set_one, ones=p.row("excess"))
    s.repeat(len(p.t.dofs), joints.find_excess, moving=first | {"velocity_clamp": p.at("velocity_clamp")},
             excess=p.row("excess"))
    s.repeat(len(p.t.dofs), joints.clamp_velocity, moving=first, excess=p.row("excess"))


def _gather_forces(p: Plan, s: Schedule) -> None:
    """Write wrenches and inertias of all links at their nodes, and zeros at virtual nodes."""
    t = p.t
    # f_weight, f_drag and v x* I v of every link  (DyFeatherstoneArticulation.cpp, computeLinkStates)
    for link in range(t.fixed_base, len(t.links)):
        node = p.tree.last[link]
        spans = {name: p.at(name, link) for name in (
            "R", "center", "motion", "v_com", "a_com", "world_inertia", "composite",
            *names_of(LINK, PARAMETER, DERIVED), *(LINK_FORCE_ROWS if t.link_forces else ()))}
        indices = [i for i, external_force in enumerate(t.external_forces) if external_force.link == link]
        spans |= {f"external_force{k}_{name}": p.row(f"external_force{i}_{name}") for k, i in enumerate(indices)
                  for name in names_of(EXTERNAL_FORCE)}
        single = replace(SINGLE_LINK, fixed_base=t.fixed_base, link_forces=t.link_forces,
                         external_forces=tuple(replace(t.external_forces[i], link=0) for i in indices))
        if t.has_load_friction:
            gather_needed(p, s, link, single, spans)
        s.do(link_forces, single, **spans, dt=p.row("dt"), gravity=p.row("gravity"),
             weight=p.at("external_wrench", node), drag=p.at("drag_wrench", node), fall=p.at("fall_wrench", node),
             velocity_bias=p.at("velocity_bias_wrench", node), link_inertia=p.at("response", node))
    for i, tree_node in enumerate(p.tree.nodes):
        if tree_node.virtual and not t.fixed_base:
            clear(s, p.at("velocity_bias_wrench", i))


def _respond(p: Plan, s: Schedule) -> None:
    """Write articulated inertias inwards, responses and cfm outwards."""
    nodes = p.tree.nodes
    # inwards: I^A_parent += X^T (I^A - U K^T) X
    # (DyFeatherstoneForwardDynamic.cpp, computeArticulatedSpatialInertiaAndZ_NonSeparated)
    for i in range(len(nodes) - 1, 0, -1):
        node, spans = nodes[i], p.shift(i)
        if node.dof is not None:
            spans |= {"axis": p.at("axes", node.dof), "armature": p.at("armature", node.dof), "K": p.at("K", i),
                      "inverse_d": p.at("inverse_d", i)}
        s.do(response.eliminate, node.kind, nodes[node.parent].virtual, p.has_fixed_parent(i), **spans,
             inertia=p.at("response", i), parent=p.at("response", node.parent))
    if not p.t.fixed_base:
        s.do(response.respond_root, response=p.at("response"))
    # outwards: T_i  (DyFeatherstoneForwardDynamic.cpp, computeArticulatedResponseMatrix)
    for i, node in enumerate(nodes[1:], 1):
        spans = p.shift(i)
        if node.dof is not None:
            spans |= {"axis": p.at("axes", node.dof), "K": p.at("K", i), "inverse_d": p.at("inverse_d", i),
                      "y": p.at("y", i), "r": p.at("r", i)}
        s.do(response.respond_node, node.kind, p.has_fixed_parent(i), **spans, response=p.at("response", i),
             parent=p.at("response", node.parent))
    if any(dof.softened for dof in p.t.dofs):
        write_cfm(p, s, range(p.t.fixed_base, len(p.t.links)))


def write_cfm(p: Plan, s: Schedule, links: Iterable[int]) -> None:
    """Write the cfm of links, from their responses."""
    for link in links:
        # cfm = cfmScale max diag(T_c) / length_scale
        s.do(response.soften, response=p.at("response", p.tree.last[link]), center=p.at("center", link),
             cfm_scale=p.at("cfm_scale", link), length_scale=p.row("length_scale"), cfm=p.at("cfm", link))


def _apply_forces(p: Plan, s: Schedule) -> None:
    """Write v after link damping and velocity products, and the acceleration by gravity and efforts."""
    v, change = p.row("v"), p.row("change")
    if p.t.has_load_friction:
        start_free(p, s)
    # a = M^-1 (J^T f + tau), + g of a floating root
    _respond_to_forces(p, s, "external_wrench", p.row("joint_effort"), p.row("force_delta_v"))
    if not p.t.fixed_base:
        add_product(s, Span(p.row("force_delta_v").row, 3), p.row("gravity"))
    # forces once a step: v += dt a
    if not p.t.forces_every_iteration:
        add_product(s, v, p.row("force_delta_v"), p.row("dt"))
    # forces in every iteration: v += h a
    s.repeat(p.t.nv, joint_module.scaled,
             moving={"x": p.row("force_delta_v").part(0), "product": p.row("force_delta_v").part(0)},
             factor=p.row("h"))
    # v += dt M^-1 J^T f_drag
    _respond_to_forces(p, s, "drag_wrench", None, change)
    add_product(s, v, change, p.row("dt"))
    if not p.t.fixed_base:
        project_forces(p, s, "velocity_bias_wrench", None)
        write_floating_start(p, s)
        save_momentum(p, s, biased=False)
    # v -= dt M^-1 C(q, v)  (DyFeatherstoneForwardDynamic.cpp, computeLinkInternalAcceleration)
    _respond_to_forces(p, s, "fall_wrench", None, change, -1.0)
    add_product(s, v, change, p.row("dt"), -1.0)
    # p and |L| as before
    if not p.t.fixed_base:
        measure_momentum(p, s, p.row("current_momentum"), p.v_root, p.v_dofs, biased=True)
        restore_momentum(p, s)


def _respond_to_forces(p: Plan, s: Schedule, wrench: str, force: Span | None, out: Span, sign: float = 1.0) -> None:
    """As `respond_to_forces`; with load-dependent friction also add the nodes' free accelerations, times `sign`."""
    respond_to_forces(p, s, wrench, force, out)
    if p.t.has_load_friction:
        add_free(p, s, sign)


def _coefficients(p: Plan, s: Schedule, link: int) -> None:
    """Write the coefficients of a joint's constraints; those that are literals for its kind take no rows."""
    parent, joint = p.parent(link), p.joints[link]
    spans = {name: p.of_link(name, link) for name in ("axes", "q", *names_of(DOF, PARAMETER))}
    spans |= {name: p.at(name, link) for name in ("motion", "a_com", "center", "d", "cfm")}
    spans |= {f"parent_{name}": p.at(name, parent) for name in ("motion", "a_com", "center")}
    if parent or not p.t.fixed_base:
        spans["parent_cfm"] = p.at("cfm", parent)
    first = p.tree.last[link] - len(p.dofs[link]) + 1
    spans |= {"dt": p.row("dt"), "h": p.row("h"), "r": Span(p.at("r", first).row, len(p.dofs[link]))}
    spans |= p.locked_of(link) | ({"load": p.at("load", link)} if p.t.has_load_friction else {})
    literal = trace_fragment(joints.coefficients, (joint,), tuple(Operand(n, x.size) for n, x in spans.items()),
                             False).constants
    names = set(map(row_of, literal))
    constant = {name for name in names if all(f"{name}_{i}" in literal
                                              for i in range(p.widths[name] * len(p.dofs[link])))}
    p.constants[link] = tuple((name, literal[f"{name}_0"]) for name in sorted(constant) if p.widths[name] == 1)
    unused = set() if joint.links[1].kind in ROTARY_JOINTS or not joint.fixed_base else {"displacement_axis"}
    outputs = {name: p.of_link(name, link) for name in names_of(DOF, PREPARED) if name not in constant | unused}
    s.do(joints.coefficients, joint, **spans, **outputs)


def write_end(p: Plan, s: Schedule) -> None:
    """Write the end of a step: `articulation.step.finish`, and the restored state of diverged worlds."""
    write_finish(p, s)
    _freeze(p, s)


def write_finish(p: Plan, s: Schedule) -> None:
    """Write `articulation.step.finish`: wrapped positions, momentum of a floating base."""
    t = p.t
    if t.sleeping:
        write_mean_motions(p, s)
    # PGS: q += dt v once  (DyFeatherstoneForwardDynamic.cpp, updateBodies)
    if t.pgs:
        for dof in range(len(t.dofs)):
            s.do(joint.advance_dof, t.kind_of(dof) != SPHERICAL, h=p.row("h"), q=p.at("q", dof),
                 displacement=p.at("displacement", dof), v=p.row("v_moving").part(t.root_size + dof))
        advance_links(p, s, p.row("v_moving"))
    # q of spherical joints by the poses  (DyFeatherstoneForwardDynamic.cpp, computeSphericalJointPositions)
    if p.spherical_links or not t.fixed_base:
        for i in range(len(p.spherical_links)):
            s.do(kinematics.normalize, rotation=p.at("spherical_rotation", i))
        _pose_at_end(p, s)
    # q -+= 4 pi beyond 2 pi  (DyFeatherstoneForwardDynamic.cpp, computeAndEnforceJointPositions)
    for dof in range(len(t.dofs)):
        if t.kind_of(dof) not in (PRISMATIC, SPHERICAL):
            s.do(joint.wrap, q=p.at("q", dof), **{name: p.at(name, dof) for name in ("lower_limit", "upper_limit")})
    # root velocity and position by momentum  (DyFeatherstoneForwardDynamic.cpp, updateBodies)
    if not t.fixed_base:
        write_floating_end(p, s)


def _pose_at_end(p: Plan, s: Schedule) -> None:
    """Write poses after the step, and the coordinates of spherical joints from them."""
    t = p.t
    links = list(range(1, len(t.links))) if not t.fixed_base else paths_to(t, p.spherical_links)
    pose_links(p, s, links, solved=True)
    for link in p.spherical_links:
        read_coordinates(p, s, link, "q", "")


def _freeze(p: Plan, s: Schedule) -> None:
    moving = moving_rows(p.t)
    # sum |x| < LARGEST_STATE, otherwise the state of the start
    clear(s, p.row("size"))
    for name in moving:
        s.repeat(p.row(name).size, joint.add_size, moving={"x": p.row(name).part(0)}, size=p.row("size"))
    s.do(sleep.check_validity, size=p.row("size"), diverged=p.row(DIVERGED), valid=p.row("valid"))
    for name in moving:
        s.repeat(p.row(name).size, sleep.keep_if_valid, valid=p.row("valid"),
                 moving={"x": p.row(name).part(0), "saved": p.row(f"saved_{name}").part(0)})


@functools.lru_cache(maxsize=64)
def step_schedules(t: Topology) -> ScheduledProgram:
    """The step of a topology as schedules.

    Raises UnsupportedError where the dofs of a joint are not numbered one after another.
    """
    p, (start, position, velocity, end) = make_plan(t), (Schedule() for _ in range(4))
    # start, N times position, V times velocity, end  (DyTGSDynamics.cpp, iterativeSolveIsland)
    write_start(p, start)
    write_iteration(p, position, final=False)
    write_iteration(p, velocity, final=True)
    write_end(p, end)
    write_sleep(p, end)
    rows = output_rows(t) | input_rows(t)
    layout = p.layout.scalar_rows(rows)
    return ScheduledProgram((Pass("start", start), Pass("position", position, POSITION_COUNT),
                             Pass("velocity", velocity, VELOCITY_COUNT), Pass("end", end)),
                            layout, sum(output_rows(t).values()), p.layout.size)
