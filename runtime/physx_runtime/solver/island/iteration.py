"""Schedules of an iteration of an island, and of its sleep (PhysX DyTGSDynamics, iterativeSolveIsland).

`write_island_iteration` writes forces on all actors, the joints between them, the actors' own constraints, and motion.
`write_island_sleep` puts an island to sleep once the wake counters of all its actors are 0. Each actor counts and is
woken by itself, and keeps the others awake (ScSleep.cpp, DySleep.cpp). A kinematic body with a target also keeps them
awake.
"""

from __future__ import annotations

from dataclasses import replace

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.solver.divergence import DIVERGED
from physx_runtime.solver.island import links
from physx_runtime.solver.island.fragments import body, joint
from physx_runtime.solver.island.fragments.link import pass_time
from physx_runtime.solver.island.joints import write_solve
from physx_runtime.solver.island.links import store_integrated
from physx_runtime.solver.island.plan import IslandPlan, TreePlan
from physx_runtime.solver.scheduled.iteration import Sweep, write_constraints, write_couplings, write_forces
from physx_runtime.solver.scheduled.sleep import write_asleep, write_wake_requests
from physx_runtime.solver.scheduled.sweeps import clear
from physx_runtime.solver.scheduled.tendons import coupled


def write_island_iteration(p: IslandPlan, s: Schedule, final: bool) -> None:
    """One position iteration, or with `final` one velocity iteration."""
    # forces, joints between actors, constraints within them, motion  (DyTGSDynamics.cpp, iterativeSolveIsland)
    changes = write_island_forces(p, s, final, bool(p.order.between))
    for j in p.order.between:
        write_solve(p, s, j, final)
    write_actors(p, s, changes, final, bool(p.order.between))


def write_island_forces(p: IslandPlan, s: Schedule, final: bool, has_joints: bool) -> dict[int, Span | None]:
    """Write the part before joints and patches between actors; has_joints: whether there are any.

    It has forces on all actors, and with articulationContactLast the articulations' own constraints. Returns by
    articulation the change of v for its next sweep.
    """
    # v += h (g + f / m)  (DyTGSDynamics.cpp, applySubstepGravity)
    for actor in p.bodies.values() if not final else ():
        s.do(body.solve, actor.t, **actor.layout.groups)
    return {i: _write_forces(tree, s, final, p.t.articulation_contact_last and has_joints) for i,
            tree in p.trees.items()}


def write_actors(p: IslandPlan, s: Schedule, changes: dict[int, Span | None], final: bool, has_joints: bool) -> None:
    """Write the part after joints and patches between actors: the actors' own constraints, and motion."""
    last = p.t.articulation_contact_last
    # articulationContactLast: limits of speed and patches come in a second pass
    # (DyCpuGpuArticulation.h, ArticulationConstraintProcessingConfig)
    for i, tree in p.trees.items():
        _write_tree(tree, s, changes[i], Sweep(final, joint_constraints=not (last and has_joints), speed_last=last))
    if final:
        return
    for actor in p.bodies.values():
        s.do(body.move, actor.t, **actor.layout.groups)
    if p.t.pgs:
        return
    # elapsed += h
    s.do(pass_time, elapsed=p.row("elapsed"), h=p.time["h"])
    for tree in p.trees.values():
        links.measure_motion(tree, s, p.row("elapsed"))
        store_integrated(tree, s)


def _write_forces(a: TreePlan, s: Schedule, final: bool, first: bool) -> Span | None:
    """Write the change of v by forces, and velocities of links for joints between actors.

    first: the articulation's own constraints come before them.
    """
    dv = write_forces(a.p, s, final, separate=coupled(a.p.t) or bool(a.active))
    # first pass: couplings, drives, friction and position limits  (DyCpuGpuArticulation.h, getFirstPassConfig)
    if first:
        p, sweep = replace(a.p, behind={}), Sweep(final, closing=False, speed_last=True)
        write_constraints(p, s, dv, sweep, write_couplings(p, s, sweep))
        dv = a.p.row("dv")
        clear(s, dv)
    if a.outer:
        links.begin_impulses(a, s)
        links.read_velocities(a, s, a.outer, a.p.row("dv"))
    return dv


def _write_tree(a: TreePlan, s: Schedule, dv: Span | None, sweep: Sweep) -> None:
    """Write an articulation's own constraints, static joints and contacts of its links included, and its motion."""
    # dv = M^-1 J^T of all impulses between actors  (DyFeatherstoneArticulation.cpp, computeLinkVelocities)
    if a.outer:
        links.spread_impulses(a, s)
    prismatic = write_couplings(a.p, s, sweep)
    if a.inside:        # after the changes by tendons and mimic joints
        links.read_velocities(a, s, a.inside, a.p.row("dv"))
    write_constraints(a.p, s, dv, sweep, prismatic)


def write_island_sleep(p: IslandPlan, s: Schedule) -> None:
    """Write sleep after everything else of a step: whether the island is asleep, and every wake counter."""
    # max_counter = max of the counters of all bodies in the island
    max_counter = p.row("max_counter")
    clear(s, max_counter)
    bodies = [actor for actor in p.bodies.values() if actor.t.sleeping]
    trees = [actor.p for actor in p.trees.values() if actor.p.t.sleeping]
    for actor in bodies:
        s.do(body.wake, actor.t, **actor.layout.groups, max_counter=max_counter)
    for tree in trees:
        write_wake_requests(tree, s, max_counter)
    # kinematics that move keep the island awake
    for kinematic in p.kinematic:
        s.do(body.keep_awake, active=kinematic["active"], max_counter=max_counter)
    _restore_joints(p, s)
    for i, actor in p.bodies.items():
        if actor.t.sleeping:
            s.do(body.fall_asleep, actor.t, **actor.layout.groups, max_counter=max_counter,
                 joints=_joint_counts(p, s, i))
    for i, tree_plan in p.trees.items():
        if tree_plan.p.t.sleeping:
            write_asleep(tree_plan.p, s, max_counter, _joint_counts(p, s, i))


def _restore_joints(p: IslandPlan, s: Schedule) -> None:
    """Restore the rows of joints in islands that were asleep before."""
    # asleep: impulses and angles of joints stay those of the last step
    sleeping = [actor.layout for actor, t in zip(p.actors, p.t.actors, strict=True) if t.sleeping]
    for rows, name in p.persistent_rows if sleeping else ():
        s.repeat(rows[name].size, joint.undo, moving={"x": rows[name].part(0), "saved": rows[f"saved_{name}"].part(0)},
                 max_counter=p.row("max_counter"), diverged=sleeping[0][DIVERGED], asleep=sleeping[0]["asleep"])


def _joint_counts(p: IslandPlan, s: Schedule, actor: int) -> Span:
    """The rows with the number of joints of each link of an actor that can move."""
    out = p.actors[actor].layout.add("joints", len(p.t.actors[actor].tree.moving_links))
    clear(s, out)
    count_joints(p, s, actor, out)
    return out


def count_joints(p: IslandPlan, s: Schedule, actor: int, counts: Span) -> None:
    """Add the number of unbroken joints to `counts`, one row for each link of an actor that can move."""
    # each joint counts as an interaction of its bodies  (ScBodySim.h, registerCountedInteraction)
    links = p.t.actors[actor].tree.moving_links
    for t, rows in zip(p.t.joints, p.joints, strict=True):
        for solver_body in t.solver_bodies:
            if solver_body.moves and solver_body.owner == actor and solver_body.link in links:
                s.do(joint.count, **({"broken": rows["broken"]} if t.breaks else {}),
                     joints=counts.part(links.index(solver_body.link)))
