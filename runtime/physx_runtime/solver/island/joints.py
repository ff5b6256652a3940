"""The joints of an island: what each is given of its sides, and where its impulses go."""

from __future__ import annotations

import functools

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.model.body_kind import BODY, KINEMATIC, LINK
from physx_runtime.model.island import RACK, JointTopology, SolverBody
from physx_runtime.solver.island import links
from physx_runtime.solver.island.fragments import joint as fragments
from physx_runtime.solver.island.links import read_pair
from physx_runtime.solver.island.plan import IslandPlan, TreePlan, ancestor_and_link

MOTION = ("travel", "turn", "turned_by")        # of what a joint moves, since the step's start


def write_prepare(p: IslandPlan, s: Schedule, j: int) -> None:
    """The rows of a joint, at the poses of the step's start."""
    t = p.t.joints[j]
    coordinates = {f"hinge{i}_coordinate": _coordinate(p, s, t, i) for i in range(len(t.hinges))}
    s.do(fragments.prepare, t.canonical, **p.joints[j].groups, **p.time, **_poses(p, t), **_responses(p, t),
         **coordinates,
         **_velocities_at_start(p, s, t))


def _velocities_at_start(p: IslandPlan, s: Schedule, t: JointTopology) -> dict[str, Span]:
    """The velocities of both sides, for a joint that bounces."""
    spans: dict[str, Span] = {}
    for k, side in enumerate(t.solver_bodies if t.bounces else ()):
        if side.kind == BODY:
            spans[f"side{k}_v"] = p.bodies[side.owner].row("v")
        elif side.kind == LINK:
            tree = p.trees[side.owner]
            links.read_velocities(tree, s, [side.link], None)
            spans[f"side{k}_v"] = tree.at("velocity", side.link)
    return spans


def _coordinate(p: IslandPlan, s: Schedule, t: JointTopology, i: int) -> Span:
    """The rows with how far the i-th hinge of a gear or a rack is turned, or the slider of a rack is out."""
    hinge = t.hinges[i]
    if hinge.joint < 0:
        return p.trees[hinge.actor].p.at("q", hinge.dof)
    joint, out = p.t.joints[hinge.joint], p.row(f"hinge{i}_coordinate")
    algorithm, name = (fragments.slide, "slide_position") if t.kind == RACK and i else (fragments.hinge, "hinge_angle")
    s.do(algorithm, joint.canonical, **p.joints[hinge.joint].groups, **_poses(p, joint), **{name: out})
    return out


def _poses(p: IslandPlan, t: JointTopology) -> dict[str, Span]:
    """Where both sides are."""
    spans: dict[str, Span] = {}
    for k, side in enumerate(t.solver_bodies):
        if side.kind == BODY:
            body = p.bodies[side.owner]
            spans |= {f"side{k}_position": body.row("root_position"), f"side{k}_rotation": body.row("root_rotation")}
        elif side.kind == LINK:
            tree = p.trees[side.owner]
            spans |= {f"side{k}_origin": tree.at("origin", side.link), f"side{k}_position": tree.at("place", side.link),
                      f"side{k}_rotation": tree.p.at("rotation", side.link)}
        elif side.kind == KINEMATIC:
            spans |= {f"side{k}_{name}": p.kinematic[side.owner][name] for name in ("position", "rotation", "velocity")}
    return spans


def _responses(p: IslandPlan, t: JointTopology) -> dict[str, Span]:
    """How both sides answer impulses."""
    spans: dict[str, Span] = {}
    for k, side in enumerate(t.solver_bodies):
        if side.kind == BODY:
            spans |= {f"side{k}_{name}": p.bodies[side.owner].row(name) for name in ("inverse_mass", "inverse_inertia")}
        elif side.kind == LINK:
            tree = p.trees[side.owner]
            spans |= {f"side{k}_response": tree.at("response", side.link), f"side{k}_cfm": tree.p.at("cfm", side.link)}
    return spans


def write_solve(p: IslandPlan, s: Schedule, j: int, final: bool) -> None:
    """One solution of a joint between actors, or of bodies and the world."""
    sides = p.t.joints[j].solver_bodies
    _solve(p, s, j, final, _velocities(p, s, j))
    for k, side in enumerate(sides):
        if side.kind == LINK:
            links.raise_impulse(p.trees[side.owner], s, side.link, p.row(f"side{k}_impulse"))


def _velocities(p: IslandPlan, s: Schedule, j: int) -> dict[str, Span]:
    """The velocities of what a joint between actors moves, as the joint sees them."""
    t, spans = p.t.joints[j], dict[str, Span]()
    first = p.trees.get(t.solver_bodies[0].owner) if t.solver_bodies[0].kind == LINK else None
    pair = first and ancestor_and_link(first.p.t, t)
    if first and pair and pair in first.misread:
        spans = {f"side{k}_v": p.row(f"side{k}_v") for k in (0, 1)}
        read_pair(first, s, *pair, {side.link: spans[f"side{k}_v"] for k, side in enumerate(t.solver_bodies)})
        return spans
    for k, side in enumerate(t.solver_bodies):
        if side.kind == BODY:
            spans[f"side{k}_v"] = p.bodies[side.owner].row("v")
        elif side.kind == LINK:
            spans[f"side{k}_v"] = links.current_velocity(p.trees[side.owner], s, side.link, p.row(f"side{k}_v"))
    return spans


def schedule_inside(p: IslandPlan) -> None:
    """Have the joints of links to the world and to kinematic bodies written behind the links' own joints."""
    for (owner, link), joints in p.order.inside.items():
        a = p.trees[owner]
        a.p.behind[a.p.tree.last[link]] = functools.partial(_write_inside, p, a, joints)


def _write_inside(p: IslandPlan, a: TreePlan, joints: tuple[int, ...], s: Schedule, final: bool) -> None:
    """Joints of one link to the world or kinematic bodies, behind the link's own joint."""
    for index, j in enumerate(joints):
        k, side = next((k, side) for k, side in enumerate(p.t.joints[j].solver_bodies) if side.kind == LINK)
        links.read_link_velocity(a, s, side.link, p.row(f"side{k}_v"))
        _solve(p, s, j, final, {f"side{k}_v": p.row(f"side{k}_v")})
        links.apply_link_impulse(a, s, side.link, p.row(f"side{k}_impulse"), adds=index > 0)


def _solve(p: IslandPlan, s: Schedule, j: int, final: bool, velocities: dict[str, Span]) -> None:
    t = p.t.joints[j]
    impulses = {f"side{k}_impulse": p.row(f"side{k}_impulse") for k,
                side in enumerate(t.solver_bodies) if side.kind == LINK}
    s.do(fragments.solve, t.canonical, final, **_now(p, j), **velocities, **impulses, elapsed=p.row("elapsed"))


def _now(p: IslandPlan, j: int) -> dict[str, Span]:
    """What a joint is given in iterations, but for velocities."""
    t = p.t.joints[j]
    motion = {f"side{k}_{name}": span for k, side in enumerate(t.solver_bodies) for name,
              span in _motion(p, side).items()}
    return {**p.joints[j].groups, **p.time, **_responses(p, t), **motion}


def _motion(p: IslandPlan, side: SolverBody) -> dict[str, Span]:
    """How what a joint holds has moved since the step's start."""
    if side.kind == BODY:
        body = p.bodies[side.owner]
        return {"travel": body.row("root_travel"), "turn": body.row("root_turn"), "turned_by": body.row("turned_by")}
    if side.kind == LINK:
        return {name: p.trees[side.owner].at(name, side.link) for name in MOTION}
    return {}


def write_conclusion(p: IslandPlan, s: Schedule, j: int) -> None:
    """What a joint leaves at the step's end: its force, and whether it gives way."""
    t = p.t.joints[j]
    velocities = {f"side{k}_v": p.row(f"side{k}_v") for k, side in enumerate(t.solver_bodies) if side.moves}
    s.do(fragments.conclude, t.canonical, **_now(p, j), **velocities)
