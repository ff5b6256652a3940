"""What others edit on the stage between steps, heard through USD's notices and sorted by what it calls for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pxr import Sdf, Tf, Usd

from physx_runtime.session.layers import Slot
from physx_schema.description.model import Articulation, Description
from physx_schema.description.opinions import is_physics_name

# Metadata that says nothing about physics.
IDLE_FIELDS = frozenset((
    "comment", "documentation", "customData", "customLayerData", "displayName", "displayGroup", "hidden", "kind",
    "assetInfo", "startTimeCode", "endTimeCode", "framesPerSecond", "timeCodesPerSecond", "defaultPrim", "owner",
    "sessionOwner", "primChildren", "properties", "propertyOrder", "primOrder", "symmetryFunction", "prefix", "suffix"))
IDLE_NAMES = ("primvars:", "inputs:", "outputs:", "ui:", "userProperties:", "info:", "render:", "visibility",
              "doubleSided", "extent")
# Properties of a joint that change values of its degrees of freedom and nothing else.
VELOCITIES = ("physics:velocity", "physics:angularVelocity")
JOINT_VALUES = ("drive:", "physxJointAxis:", "physxDrivePerformanceEnvelope:", "physics:lowerLimit",
                "physics:upperLimit")


class Ear:
    """Hears every change of a stage that is not the session's own, until it is closed."""

    def __init__(self, stage: Any) -> None:
        self._heard = _Heard()
        self._key = Tf.Notice.Register(Usd.Notice.ObjectsChanged, self._heard.hear, stage)

    @contextmanager
    def own(self) -> Iterator[None]:
        """Changes meanwhile are the session's own."""
        self._heard.own, self._heard.own_heard = True, False
        try:
            yield
        finally:
            self._heard.own = False

    def expect(self, slots: Mapping[str, Slot]) -> None:
        """After a writing: if no notice of it came, somebody holds a change block open, and it will come later."""
        if not self._heard.own_heard:
            self._heard.late = dict(slots)

    def take(self) -> tuple[set[str], set[str]]:
        """Properties and prims edited since the last call, by path."""
        heard = self._heard.properties, self._heard.prims
        self._heard.properties, self._heard.prims = set(), set()
        return heard

    def close(self) -> None:
        """Hear nothing more."""
        self._key.Revoke()


class _Heard:
    """What was heard; apart from the registration, which would otherwise keep itself alive."""

    def __init__(self) -> None:
        self.own = self.own_heard = False
        self.properties: set[str] = set()
        self.prims: set[str] = set()
        self.late: dict[str, Slot] = {}

    def hear(self, notice: Any, _: Any) -> None:
        if self.own:
            self.own_heard = True
            return
        for path in notice.GetResyncedPaths():
            (self.properties if path.IsPropertyPath() else self.prims).add(str(path))
        for path in notice.GetChangedInfoOnlyPaths():
            if path.IsPropertyPath():
                self.properties.add(str(path))
            elif not IDLE_FIELDS.issuperset(notice.GetChangedFields(path)):
                self.prims.add(str(path))
        if self.late:
            self.properties -= {path for path, slot in self.late.items()
                                if slot.spec and slot.spec.default == slot.last}
            self.late = {}


@dataclass(slots=True)
class Edits:
    """Edits by what they call for."""

    joints: set[str] = field(default_factory=set)       # joints whose values are to be read again
    states: set[str] = field(default_factory=set)       # property paths of joint states and velocities
    placed: set[str] = field(default_factory=set)       # prims whose own transform was edited
    reading: bool = False                               # the stage is to be read again

    def __bool__(self) -> bool:
        return bool(self.joints or self.states or self.reading)


class Sorter:
    """Knows which prims of a description an edit can concern."""

    def __init__(self, description: Description, simulated: Iterable[Articulation]) -> None:
        self._consumed = description.consumed
        links = [link for a in description.articulations for link in a.links] + list(description.bodies)
        self._bodies = {link.path for link in links}
        colliders = [c for link in links for c in link.colliders] + list(description.static_colliders)
        physical = self._bodies | {c.path for c in colliders} | {c.geometry for c in colliders}
        physical |= {fact.path for fact in description.authored} | {fact.path for fact in description.applied}
        self._near = {str(above) for path in physical for above in Sdf.Path(path).GetPrefixes()}
        found = tuple(simulated)
        self._joints = {link.joint.path for a in found for link in a.links if link.joint}
        self._links = {link.path for a in found for link in a.links}

    def sort(self, properties: Iterable[str], prims: Iterable[str]) -> Edits:
        """What is to be done about edited properties and prims."""
        edits = Edits(reading=any(True for _ in prims))
        for path in properties:
            prim, _, name = path.rpartition(".")
            if name.startswith(JOINT_VALUES) and prim in self._joints and path in self._consumed:
                edits.joints.add(prim)
            elif name.startswith("state:") if prim in self._joints else name in VELOCITIES and prim in self._links:
                edits.states.add(path)
            elif self._concerns(prim, name):
                edits.reading = True
                if name.startswith("xformOp"):
                    edits.placed.add(prim)
        return edits

    def _concerns(self, prim: str, name: str) -> bool:
        """Whether a property may have to do with physics."""
        if is_physics_name(name):
            return True
        if name.startswith(IDLE_NAMES):
            return False
        return prim in self._near or any(str(above) in self._bodies for above in Sdf.Path(prim).GetPrefixes())
