"""Schedules of sleep at the step's end, and of joint speed limits that come last in an iteration.

`write_sleep` applies the equations of `solver.sleep` link by link. `write_speed_limits` limits joint velocities after
all other constraints of the links. The velocity of a joint then includes all impulses so far: those on its link are
passed up through its nodes, the parent responds, and the change is passed down again (DyFeatherstoneArticulation.cpp,
solveInternalJointConstraintRecursive).
"""

from __future__ import annotations

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.model.row_specs import LINK_FORCE_ROWS, external_force_rows
from physx_runtime.solver.divergence import DIVERGED, moving_rows
from physx_runtime.solver.scheduled.fragments import joint, response, sleep
from physx_runtime.solver.scheduled.plan import Plan
from physx_runtime.solver.scheduled.sweeps import clear, copy_rows, move_links


def write_sleep(p: Plan, s: Schedule) -> None:
    """Write sleep after everything else of a step: sleeping worlds, and every link's wake counter."""
    if p.t.sleeping:
        clear(s, p.row("max_counter"))
        write_wake_requests(p, s, p.row("max_counter"))
        write_asleep(p, s, p.row("max_counter"))


def write_wake_requests(p: Plan, s: Schedule, max_counter: Span) -> None:
    """Write the counters after wake requests, and the longest of them."""
    flags = {name: p.row(name) for name in ("wakes", "started")}
    # sum |f| > 0 wakes
    clear(s, p.row("external_force_size"))
    force_rows = list(external_force_rows(p.t))
    for name in (*(LINK_FORCE_ROWS if p.t.link_forces else ()), *force_rows):
        s.repeat(p.row(name).size, joint.add_size, moving={"x": p.row(name).part(0)}, size=p.row("external_force_size"))
    s.do(sleep.decide, **flags, **{name: p.row(name) for name in ("wake_request", "external_force_size")})
    for i in range(len(p.t.moving_links)):
        s.do(sleep.wake, **_counter_rows(p, i), **flags, max_counter=max_counter)


def write_asleep(p: Plan, s: Schedule, max_counter: Span, joints: Span | None = None) -> None:
    """Put worlds whose longest counter is 0 to sleep, and write every link's counter after the step.

    joints: number of maximal joints of each link that can move.
    """
    # longest = max_i counter_i, sleeps at 0  (ScArticulationSim.cpp, sleepCheck)
    s.do(sleep.sleep_flags, max_counter=max_counter, diverged=p.row(DIVERGED),
         **{name: p.row(name) for name in ("asleep", "wake_request", "resting", "frozen")})
    _put_to_sleep(p, s)
    _count(p, s, joints)


def _put_to_sleep(p: Plan, s: Schedule) -> None:
    for name in moving_rows(p.t):
        s.repeat(p.row(name).size, sleep.undo,
                 moving={"x": p.row(name).part(0), "saved": p.row(f"saved_{name}").part(0)},
                 frozen=p.row("frozen"))
    # v = 0 where asleep
    s.repeat(p.t.nv, sleep.stop, moving={"v": p.row("v").part(0)}, resting=p.row("resting"))


def write_mean_motions(p: Plan, s: Schedule) -> None:
    """Write the mean link velocities inside the solver over the step (`articulation.response.mean_motions`).

    Poses and link motions must be those of the step's start; the motions are overwritten.
    """
    t, mean = p.t, p.row("mean")
    # v_mean = J travel / dt + dt Jdot v
    for link in t.moving_links:
        s.do(sleep.add_bias, dt=p.row("dt"), **{name: p.at(name, link) for name in ("motion", "a_com", "mean_motion")})
    if t.pgs:
        copy_rows(s, p.row("v_moving"), mean)
    else:
        root = () if t.fixed_base else ("root_linear_displacement", "root_angular_displacement")
        parts = [p.row(name) for name in (*root, "displacement")]
        first = mean.row
        for part in parts:
            s.repeat(part.size, sleep.mean_rate, moving={"x": part.part(0), "mean": Span(first, 1)}, dt=p.row("dt"))
            first += part.size
    move_links(p, s, v=mean)
    for link in t.moving_links:
        s.do(sleep.add_mean, **{name: p.at(name, link) for name in ("motion", "v_com", "mean_motion")})


def _count(p: Plan, s: Schedule, joints: Span | None) -> None:
    # counter -= dt, or up again by E / threshold  (ScBodySim.cpp, updateWakeCounter)
    clear(s, p.row("max_counter"))
    for i, link in enumerate(p.t.moving_links):
        s.do(sleep.count_down, **_counter_rows(p, i), **({"joints": joints.part(i)} if joints else {}),
             **{name: p.at(name, link) for name in ("R", "mean_motion", "mass", "inertia")},
             **{name: p.row(name) for name in ("dt", "sleep_threshold", "max_counter")})
    for i in range(len(p.t.moving_links)):
        s.do(sleep.apply_island_state, **_counter_rows(p, i), resting=p.row("resting"),
             max_counter=p.row("max_counter"))


def _counter_rows(p: Plan, i: int) -> dict[str, Span]:
    """The rows of the i-th link that can move."""
    return {"counter": p.row("wake_counter").part(i), "linear": p.row("sleep_linear").part(i, 3),
            "angular": p.row("sleep_angular").part(i, 3)}


# Of the limited joint: wrench on its parent, twist of the parent, and change of a dof's velocity.
SPEED_LIMIT_SCRATCH = {"slowed_P": 6, "slowed_twist": 6, "slowed_rate": 1}


def write_speed_limits(p: Plan, s: Schedule, last: int, dv: Span | None, below: bool) -> None:
    """Write the speed limits of a joint's dofs; last: its last node. below: whether other nodes use its twist."""
    dofs = p.dofs[p.tree.nodes[last].link]
    limited = [dof for dof in dofs if p.t.dofs[dof].max_velocity]
    # v of a dof with all impulses on its link: p rises, the parent's twist comes down
    # (DyFeatherstoneArticulation.cpp, solveInternalJointConstraintRecursive)
    nodes = dict(zip(dofs, range(last - len(dofs) + 1, last + 1), strict=True))
    for dof in limited:
        _respond(p, s, nodes, dof)
        _limit(p, s, nodes[dof], dof, dv)
    if limited and below:
        _respond(p, s, nodes, dofs[-1])


def _limit(p: Plan, s: Schedule, node: int, dof: int, dv: Span | None) -> None:
    literal = tuple(item for item in p.constants[p.tree.nodes[node].link] if item[0] in ("bias", "soft"))
    names = {"bias", "soft", "F", "max_velocity"}.difference(name for name, _ in literal)
    spans = {name: p.at(name, dof) for name in sorted(names)}
    if dv is not None:
        spans["dv"] = Span(dv.row + p.t.root_size + dof, 1)
    # F += (clamp(v, -max, max) - v) / (r + cfm)
    s.do(joint.limit_speed, literal, **spans, v=p.v_at(dof), rate=p.row("slowed_rate"), r=p.at("r", node))


def _respond(p: Plan, s: Schedule, nodes: dict[int, int], until: int) -> None:
    """Pass impulses up a joint's nodes (by dof) to its parent, and the response down to the node of one of its dofs."""
    # u = F + S^T p, twist_parent += T X^T p
    first, last = min(nodes.values()), max(nodes.values())
    parent = p.tree.nodes[first].parent
    for dof, i in reversed(nodes.items()):
        parent_P = p.row("slowed_P") if i == first else p.at("P", i - 1)
        spans = p.shift(i) | {name: p.at(name, i) for name in ("K", "u", "P")}
        if i == first and not p.has_fixed_parent(i):
            copy_rows(s, p.at("twist", parent), p.row("slowed_twist"))
            spans |= {"parent_response": p.at("response", parent), "parent_twist": p.row("slowed_twist")}
        s.do(response.pass_up, p.tree.nodes[i].kind, i == last and i not in p.behind, True, p.has_fixed_parent(i),
             **spans,
             axis=p.at("axes", dof), F=p.at("F", dof), parent_P=parent_P)
    # dqd = u / D - K . a
    for dof, i in nodes.items():
        spans = p.shift(i) | {name: p.at(name, i) for name in ("K", "u", "inverse_d", "twist")}
        s.do(response.pass_down, p.tree.nodes[i].kind, p.has_fixed_parent(i), **spans, axis=p.at("axes", dof),
             parent_twist=p.row("slowed_twist") if i == first else p.at("twist", i - 1), rate=p.row("slowed_rate"))
        if dof == until:
            return
