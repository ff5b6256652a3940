"""Authored forces on links (PhysxForceAPI) as rows."""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.model.rows import GROUPS, PUSH
from physx_runtime.model.topology import PushTopology
from physx_runtime.packing.facts import RowValues
from physx_runtime.packing.frames import Frame, in_frame
from physx_schema.description.model import ActorDescription, Push


def pushes(actor: ActorDescription) -> list[tuple[int, Push]]:
    """Authored forces by link; disabled ones too, so that switching them on needs no other step."""
    return [(i, push) for i, link in enumerate(actor.links) for push in link.pushes]


def push_topologies(actor: ActorDescription) -> tuple[PushTopology, ...]:
    """The structure of every authored force."""
    return tuple(PushTopology(link, push.world, push.acceleration, push.point is None)
                 for link, push in pushes(actor))


def push_rows(actor: ActorDescription, into: tuple[Frame, ...]) -> RowValues:
    """Force and torque in the world's axes or those of F, and the point in F; 0 where the push is disabled."""
    rows: RowValues = {}
    for i, (link, push) in enumerate(pushes(actor)):
        own = {"force": push.force, "torque": push.torque}
        own = {key: value if push.world else sp.rotate(into[link][1], value) for key, value in own.items()}
        own = {key: value if push.enabled else (0.0, 0.0, 0.0) for key, value in own.items()}
        own["point"] = in_frame(into[link], push.point or (0.0, 0.0, 0.0))
        rows |= {f"{GROUPS[PUSH]}{i}_{key}": list(value) for key, value in own.items()}
    return rows
