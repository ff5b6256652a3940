"""`pack_triggers` packs the trigger shapes of a scene (PhysX eTRIGGER_SHAPE) and the colliders that can overlap them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from physx_runtime.collision.pair_table import supported
from physx_runtime.model.body_kind import BODY
from physx_runtime.model.scene import SceneModel
from physx_runtime.packing.contacts import KINDS, NO_KIND, Mover, PackedContacts, pack_contacts
from physx_runtime.packing.hulls import has_shape
from physx_runtime.packing.model import NotSimulated
from physx_schema.description.filter import TriggerFilter
from physx_schema.description.model import Description
from physx_schema.description.records import IDENTITY_POSE


class _TriggerColliders:
    """Triggers and all other colliders that PhysX makes shapes of."""

    def __init__(self, description: Description) -> None:
        self.filter = TriggerFilter(description)

    def kind(self, i: int) -> int:
        """The kind of collider `i` in the narrow phase."""
        return KINDS.get(self.filter.shapes[i].collider.kind, NO_KIND)

    def can_collide(self, i: int) -> bool:
        """Whether overlaps of collider `i` are found."""
        return self.kind(i) != NO_KIND


def unsupported_triggers(description: Description) -> Iterator[NotSimulated]:
    """The first trigger and collider whose overlap PhysX would report and this runtime cannot find."""
    colliders = _TriggerColliders(description)
    shapes = [(i, shape) for i, shape in enumerate(colliders.filter.shapes) if has_shape(shape.collider)]
    kinds = {(colliders.kind(i), bool(shape.body)): shape for i,
             shape in reversed(shapes) if not shape.collider.trigger}
    for i, shape in shapes if kinds else ():
        for (kind, moves), other in kinds.items():
            if shape.collider.trigger and (moves or shape.body) and not supported(colliders.kind(i), kind):
                yield NotSimulated("trigger", shape.collider.path, "apiSchemas", f"overlap of this trigger with "
                                   f"{other.collider.path}; pairs of {shape.collider.kind} and {other.collider.kind} "
                                   "are not supported")
                return


def pack_triggers(description: Description, model: SceneModel, bodies: Sequence[str],
                  solver: str) -> tuple[PackedContacts, frozenset[str]] | None:
    """The packed triggers and colliders, with the prims of triggers; None without triggers.

    Body indices are those of `bodies`; shapes are in the frames of their prims.
    """
    colliders = _TriggerColliders(description)
    triggers = frozenset(shape.collider.path for shape in colliders.filter.shapes if shape.collider.trigger)
    if not triggers:
        return None
    links = {link.path: link for actor in model.actors.values() for link in actor.links}
    links |= {body.path: body for body in model.kinematic}
    movers = [Mover(links[path], BODY, index, 0, IDENTITY_POSE) for index, path in enumerate(bodies)]
    return pack_contacts(description, colliders, movers, description.scene, solver), triggers
