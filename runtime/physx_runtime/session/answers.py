"""What a session answers about the last step and about the stage as it was last read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from physx_runtime.session.inventory import MassProperties, ObjectCounts, mass_properties, object_counts
from physx_runtime.simulation.contact_events import ContactEvent
from physx_runtime.simulation.contacts import Contacts
from physx_runtime.simulation.scene import Scene
from physx_runtime.simulation.triggers import Overlap, TriggerEvent
from physx_schema.description.model import Description


class Answers:
    """Contacts, triggers, masses and counts of an open session; each raises RuntimeError on a closed one."""

    _scene: Scene
    _description: Description

    def _require_open(self) -> None:
        """Raise RuntimeError where there is nothing to answer about."""
        raise NotImplementedError

    @property
    def contacts(self) -> Contacts:
        """What touched in the last step, as `Scene.contacts`."""
        self._require_open()
        return self._scene.contacts

    @property
    def contact_events(self) -> tuple[ContactEvent, ...]:
        """What PhysX reports of the contacts of the last step, as `Scene.contact_events`."""
        self._require_open()
        return self._scene.contact_events

    @property
    def trigger_overlaps(self) -> tuple[Overlap, ...]:
        """The colliders in triggers, as `Scene.trigger_overlaps`."""
        self._require_open()
        return self._scene.trigger_overlaps

    @property
    def trigger_events(self) -> tuple[TriggerEvent, ...]:
        """What entered and left triggers in the last step, as `Scene.trigger_events`."""
        self._require_open()
        return self._scene.trigger_events

    def net_contact_force(self, bodies: str | Sequence[str], partners: Sequence[str] | None = None) -> Any:
        """The force of contacts on bodies in the last step, as `Scene.net_contact_force` without the worlds."""
        self._require_open()
        return self._scene.net_contact_force(bodies, partners)[0]

    def net_friction_force(self, bodies: str | Sequence[str], partners: Sequence[str] | None = None) -> Any:
        """The force of friction, as `net_contact_force`."""
        self._require_open()
        return self._scene.net_friction_force(bodies, partners)[0]

    @property
    def mass_properties(self) -> dict[str, MassProperties]:
        """Of every link and rigid body, by prim path, as of the last reading of the stage."""
        self._require_open()
        return mass_properties(self._description)

    @property
    def counts(self) -> ObjectCounts:
        """How many objects PhysX makes of the stage, as of its last reading."""
        self._require_open()
        return object_counts(self._description)
