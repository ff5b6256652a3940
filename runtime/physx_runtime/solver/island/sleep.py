"""Falling asleep together: actors of an island rest once the counters of all of them are 0.

Each counts by itself and is woken by itself; what is woken keeps the others awake (ScSleep.cpp, DySleep.cpp).
"""

from __future__ import annotations

from physx_runtime.compiling.schedule import Schedule
from physx_runtime.solver.by_joint.sleep import write_resting, write_waking
from physx_runtime.solver.by_joint.sweeps import clear
from physx_runtime.solver.island.fragments import body
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
    for actor in bodies:
        s.do(body.rest, actor.t, **actor.layout.groups, longest=longest)
    for tree in trees:
        write_resting(tree, s, longest)
