"""Description -> the triggers of a scene and what can be in them, as contact generation reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from physx_runtime.collision.friction_patch import BODY
from physx_runtime.collision.pair_table import supported
from physx_runtime.model.scene import SceneModel
from physx_runtime.packing.contacts import KINDS, NO_KIND, Mover, PackedContacts, pack_contacts
from physx_runtime.packing.hulls import has_shape
from physx_runtime.packing.model import NotSimulated
from physx_schema.description.filter import TriggerFilter
from physx_schema.description.model import Description
from physx_schema.description.records import IDENTITY_POSE


class _Sides:
    """Triggers and all else that PhysX makes shapes of."""

    def __init__(self, description: Description) -> None:
        self.filter = TriggerFilter(description)

    def kind(self, i: int) -> int:
        """What a side is to the narrow phase."""
        return KINDS.get(self.filter.sides[i].collider.kind, NO_KIND)

    def can_be_heard(self, i: int) -> bool:
        """Whether overlaps of a side are found."""
        return self.kind(i) != NO_KIND


def unseen(description: Description) -> Iterator[NotSimulated]:
    """The first trigger with a collider of a kind that it does not see here, and would in PhysX."""
    sides = _Sides(description)
    everything = [(i, side) for i, side in enumerate(sides.filter.sides) if has_shape(side.collider)]
    others = {(sides.kind(i), bool(side.body)): side for i, side in reversed(everything) if not side.collider.trigger}
    for i, side in everything if others else ():
        for (kind, moves), other in others.items():
            if side.collider.trigger and (moves or side.body) and not supported(sides.kind(i), kind):
                yield NotSimulated("trigger", side.collider.path, "apiSchemas", f"PhysxTriggerAPI, which does not see "
                                   f"{other.collider.path}: {side.collider.kind} and {other.collider.kind}")
                return


def pack_triggers(description: Description, model: SceneModel, bodies: Sequence[str],
                  solver: str) -> tuple[PackedContacts, frozenset[str]] | None:
    """Triggers and what can be in them, with the prims of triggers; None where there are none.

    Places are those of `bodies`, in the frames of their prims.
    """
    sides = _Sides(description)
    triggers = frozenset(side.collider.path for side in sides.filter.sides if side.collider.trigger)
    if not triggers:
        return None
    links = {link.path: link for actor in model.actors.values() for link in actor.links}
    links |= {body.path: body for body in model.kinematic}
    movers = [Mover(links[path], BODY, place, 0, IDENTITY_POSE) for place, path in enumerate(bodies)]
    return pack_contacts(description, sides, movers, description.scene, solver), triggers
