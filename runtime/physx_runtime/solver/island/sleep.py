"""Falling asleep together: actors of an island rest once the counters of all of them are 0.

Each counts by itself and is woken by itself; what is woken keeps the others awake (ScSleep.cpp, DySleep.cpp), and so
does a kinematic body that is sent to a target.
"""

from __future__ import annotations

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.solver.by_joint.sleep import write_resting, write_waking
from physx_runtime.solver.by_joint.sweeps import clear
from physx_runtime.solver.divergence import DIVERGED
from physx_runtime.solver.island.fragments import body, joint
from physx_runtime.solver.island.plan import IslandPlan


def write_island_sleep(p: IslandPlan, s: Schedule) -> None:
    """After everything else of a step: whether the island rests, and every counter."""
    longest = p.row("longest")
    clear(s, longest)
    bodies = [actor for actor in p.bodies.values() if actor.t.sleeping]
    trees = [actor.p for actor in p.trees.values() if actor.p.t.sleeping]
    for actor in bodies:
        s.do(body.wake, actor.t, **actor.layout.groups, longest=longest)
    for tree in trees:
        write_waking(tree, s, longest)
    for kinematic in p.kinematic:
        s.do(body.keep_awake, active=kinematic["active"], longest=longest)
    _keep_joints(p, s)
    for i, actor in p.bodies.items():
        if actor.t.sleeping:
            s.do(body.rest, actor.t, **actor.layout.groups, longest=longest, joints=_held_by(p, s, i))
    for i, held in p.trees.items():
        if held.p.t.sleeping:
            write_resting(held.p, s, longest, _held_by(p, s, i))


def _keep_joints(p: IslandPlan, s: Schedule) -> None:
    """What joints keep stays what it was in islands that rested before."""
    sleeping = [actor.layout for actor, t in zip(p.actors, p.t.actors, strict=True) if t.sleeping]
    for own, name in p.kept if sleeping else ():
        s.repeat(own[name].size, joint.stay, moving={"x": own[name].part(0), "kept": own[f"kept_{name}"].part(0)},
                 longest=p.row("longest"), diverged=sleeping[0][DIVERGED], asleep=sleeping[0]["asleep"])


def _held_by(p: IslandPlan, s: Schedule, actor: int) -> Span:
    """The rows with how many joints hold each link of an actor that can move."""
    out = p.actors[actor].layout.add("joints", len(p.t.actors[actor].tree.moving_links))
    clear(s, out)
    count_joints(p, s, actor, out)
    return out


def count_joints(p: IslandPlan, s: Schedule, actor: int, held: Span) -> None:
    """Add to rows, one of each link of an actor that can move, how many joints hold it; broken ones do not."""
    links = p.t.actors[actor].tree.moving_links
    for t, rows in zip(p.t.joints, p.joints, strict=True):
        for side in t.sides:
            if side.moves and side.owner == actor and side.link in links:
                s.do(joint.count, **({"broken": rows["broken"]} if t.breaks else {}),
                     joints=held.part(links.index(side.link)))
