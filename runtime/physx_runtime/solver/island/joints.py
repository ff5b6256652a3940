"""Schedules of the maximal joints of an island: operands from both sides, and impulses on them.

`write_prepare` writes the rows of a joint at the step's start, `write_solve` one solution of a joint between actors.
`write_conclusion` writes its force at the end. `schedule_inside` puts static joints of links after the links' own
joints (DyFeatherstoneArticulation.cpp, solveStaticConstraint).
"""

from __future__ import annotations

import functools

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.model.body_kind import BODY, KINEMATIC, LINK
from physx_runtime.model.island import RACK, JointTopology, SolverBody
from physx_runtime.solver.island import links
from physx_runtime.solver.island.fragments import joint as fragments
from physx_runtime.solver.island.links import read_pair
from physx_runtime.solver.island.plan import IslandPlan, TreePlan, ancestor_and_link

# Motion of the sides of a joint since the step's start.
MOTION = ("displacement", "angular_displacement", "delta_rotation")


def write_prepare(p: IslandPlan, s: Schedule, j: int) -> None:
    """The rows of a joint, at the poses of the step's start."""
    # J, M^-1 J^T and constants of the rows  (DyTGSContactPrep.cpp, setupSolverConstraintStep)
    t = p.t.joints[j]
    coordinates = {f"hinge{i}_coordinate": _coordinate(p, s, t, i) for i in range(len(t.hinges))}
    s.do(fragments.prepare, t.canonical, **p.joints[j].groups, **p.time, **_poses(p, t), **_responses(p, t),
         **coordinates,
         **_velocities_at_start(p, s, t))


def _velocities_at_start(p: IslandPlan, s: Schedule, t: JointTopology) -> dict[str, Span]:
    """The velocities of both sides, for a joint that bounces."""
    spans: dict[str, Span] = {}
    # v at the start, for restitution
    for k, side in enumerate(t.solver_bodies if t.bounces else ()):
        if side.kind == BODY:
            spans[f"body{k}_v"] = p.bodies[side.owner].row("v")
        elif side.kind == LINK:
            tree = p.trees[side.owner]
            links.read_velocities(tree, s, [side.link], None)
            spans[f"body{k}_v"] = tree.at("velocity", side.link)
    return spans


def _coordinate(p: IslandPlan, s: Schedule, t: JointTopology, i: int) -> Span:
    """The rows with the angle of the i-th hinge of a gear or a rack, or the displacement of a rack's slider."""
    # angle of a hinge or travel of a slider  (ExtGearJoint.cpp, updateError; ExtRackAndPinionJoint.cpp, updateError)
    hinge = t.hinges[i]
    if hinge.joint < 0:
        return p.trees[hinge.actor].p.at("q", hinge.dof)
    joint, out = p.t.joints[hinge.joint], p.row(f"hinge{i}_coordinate")
    algorithm, name = (fragments.slide, "slide_position") if t.kind == RACK and i else (fragments.hinge, "hinge_angle")
    s.do(algorithm, joint.canonical, **p.joints[hinge.joint].groups, **_poses(p, joint), **{name: out})
    return out


def _poses(p: IslandPlan, t: JointTopology) -> dict[str, Span]:
    """The poses of both sides."""
    spans: dict[str, Span] = {}
    for k, side in enumerate(t.solver_bodies):
        if side.kind == BODY:
            body = p.bodies[side.owner]
            spans |= {f"body{k}_position": body.row("root_position"), f"body{k}_rotation": body.row("root_rotation")}
        elif side.kind == LINK:
            tree = p.trees[side.owner]
            spans |= {f"body{k}_origin": tree.at("origin", side.link),
                      f"body{k}_position": tree.at("center_position", side.link),
                      f"body{k}_rotation": tree.p.at("rotation", side.link)}
        elif side.kind == KINEMATIC:
            spans |= {f"body{k}_{name}": p.kinematic[side.owner][name] for name in ("position", "rotation", "velocity")}
    return spans


def _responses(p: IslandPlan, t: JointTopology) -> dict[str, Span]:
    """The responses of both sides to impulses."""
    spans: dict[str, Span] = {}
    for k, side in enumerate(t.solver_bodies):
        # M^-1 at the side: [1 / m, I^-1] of a body, T and cfm of a link
        if side.kind == BODY:
            spans |= {f"body{k}_{name}": p.bodies[side.owner].row(name) for name in ("inverse_mass", "inverse_inertia")}
        elif side.kind == LINK:
            tree = p.trees[side.owner]
            spans |= {f"body{k}_response": tree.at("response", side.link), f"body{k}_cfm": tree.p.at("cfm", side.link)}
    return spans


def write_solve(p: IslandPlan, s: Schedule, j: int, final: bool) -> None:
    """One solution of a joint between actors, or of bodies and the world."""
    # PhysX: v0, v1 are read, rows solved, impulses applied  (DyTGSContactPrep.cpp, solveExt1DStep)
    sides = p.t.joints[j].solver_bodies
    _solve(p, s, j, final, _velocities(p, s, j))
    for k, side in enumerate(sides):
        if side.kind == LINK:
            links.raise_impulse(p.trees[side.owner], s, side.link, p.row(f"body{k}_impulse"))


def _velocities(p: IslandPlan, s: Schedule, j: int) -> dict[str, Span]:
    """The velocities of the moving sides of a joint between actors, as the joint reads them."""
    t, spans = p.t.joints[j], dict[str, Span]()
    first = p.trees.get(t.solver_bodies[0].owner) if t.solver_bodies[0].kind == LINK else None
    # two links on one path: see `read_pair`  (DyFeatherstoneArticulation.cpp, pxcFsGetVelocities)
    pair = first and ancestor_and_link(first.p.t, t)
    if first and pair and pair in first.misread:
        spans = {f"body{k}_v": p.row(f"body{k}_v") for k in (0, 1)}
        read_pair(first, s, *pair, {side.link: spans[f"body{k}_v"] for k, side in enumerate(t.solver_bodies)})
        return spans
    for k, side in enumerate(t.solver_bodies):
        if side.kind == BODY:
            spans[f"body{k}_v"] = p.bodies[side.owner].row("v")
        elif side.kind == LINK:
            spans[f"body{k}_v"] = links.current_velocity(p.trees[side.owner], s, side.link, p.row(f"body{k}_v"))
    return spans


def schedule_inside(p: IslandPlan) -> None:
    """Schedule the joints of links to the world and to kinematic bodies after the links' own joints."""
    # static joints of a link are solved inside the recursion  (DyFeatherstoneArticulation.cpp, solveStaticConstraint)
    for (owner, link), joints in p.order.inside.items():
        a = p.trees[owner]
        a.p.behind[a.p.tree.last[link]] = functools.partial(_write_inside, p, a, joints)


def _write_inside(p: IslandPlan, a: TreePlan, joints: tuple[int, ...], s: Schedule, final: bool) -> None:
    """Write joints of one link to the world or kinematic bodies, after the link's own joint."""
    for index, j in enumerate(joints):
        k, side = next((k, side) for k, side in enumerate(p.t.joints[j].solver_bodies) if side.kind == LINK)
        links.read_link_velocity(a, s, side.link, p.row(f"body{k}_v"))
        _solve(p, s, j, final, {f"body{k}_v": p.row(f"body{k}_v")})
        links.apply_link_impulse(a, s, side.link, p.row(f"body{k}_impulse"), adds=index > 0)


def _solve(p: IslandPlan, s: Schedule, j: int, final: bool, velocities: dict[str, Span]) -> None:
    t = p.t.joints[j]
    impulses = {f"body{k}_impulse": p.row(f"body{k}_impulse") for k,
                side in enumerate(t.solver_bodies) if side.kind == LINK}
    s.do(fragments.solve, t.canonical, final, **_now(p, j), **velocities, **impulses, elapsed=p.row("elapsed"))


def _now(p: IslandPlan, j: int) -> dict[str, Span]:
    """The operands of a joint in iterations, without velocities."""
    t = p.t.joints[j]
    motion = {f"body{k}_{name}": span for k, side in enumerate(t.solver_bodies) for name,
              span in _motion(p, side).items()}
    return {**p.joints[j].groups, **p.time, **_responses(p, t), **motion}


def _motion(p: IslandPlan, side: SolverBody) -> dict[str, Span]:
    """The motion of a side of a joint since the step's start."""
    if side.kind == BODY:
        body = p.bodies[side.owner]
        return {"displacement": body.row("root_linear_displacement"),
                "angular_displacement": body.row("root_angular_displacement"),
                "delta_rotation": body.row("delta_rotation")}
    if side.kind == LINK:
        return {name: p.trees[side.owner].at(name, side.link) for name in MOTION}
    return {}


def write_conclusion(p: IslandPlan, s: Schedule, j: int) -> None:
    # force = impulse / dt, broken above its limits  (DyTGSContactPrep.cpp, writeBack1DStep)
    """Write the force of a joint at the step's end, and whether it breaks."""
    t = p.t.joints[j]
    velocities = {f"body{k}_v": p.row(f"body{k}_v") for k, side in enumerate(t.solver_bodies) if side.moves}
    s.do(fragments.conclude, t.canonical, **_now(p, j), **velocities)
