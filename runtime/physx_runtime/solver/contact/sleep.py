"""Falling asleep where actors touch: who rests together changes from step to step, so a world is told.

Two groups of rows of every actor are written before the end of each step: KEPT_AWAKE is 0 in the step with which
everything that it touches rests, and PAIRS_HELD says how many pairs of colliders whose bounds meet hold each of its
links that can move: each counts as a joint does (Sc::BodySim::registerCountedInteraction).
"""

from __future__ import annotations

from physx_runtime.compiling.schedule import Schedule
from physx_runtime.solver.island.fragments import body
from physx_runtime.solver.island.iteration import count_joints
from physx_runtime.solver.island.plan import BodyPlan, IslandPlan
from physx_runtime.solver.scheduled.sleep import write_resting, write_waking
from physx_runtime.solver.scheduled.sweeps import clear

KEPT_AWAKE, PAIRS_HELD = "kept_awake", "pairs_held"


def write_contact_sleep(p: IslandPlan, s: Schedule) -> None:
    """After everything else of a step: who rests, and every counter."""
    for i, (actor, t) in enumerate(zip(p.actors, p.t.actors, strict=True)):
        if not t.sleeping:
            continue
        awake = actor.layout.add(KEPT_AWAKE, 1)
        held = actor.layout.add(PAIRS_HELD, len(t.tree.moving_links))
        count_joints(p, s, i, held)
        if isinstance(actor, BodyPlan):
            s.do(body.rest, actor.t, **{**actor.layout.groups, "longest": awake, "joints": held})
        else:
            longest = actor.p.row("longest")
            clear(s, longest)
            write_waking(actor.p, s, longest)
            write_resting(actor.p, s, awake, held)
