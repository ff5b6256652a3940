"""`StageListener` collects USD notices (Usd.Notice.ObjectsChanged) about edits made by others between steps.
`ChangeClassifier` sorts the changed paths into `Edits`: joint values, states, kinematic targets, or a new reading of
the stage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pxr import Sdf, Tf, Usd

from physx_schema.description.model import ActorDescription, Description
from physx_schema.description.opinions.prim import is_physics_name

# Metadata that says nothing about physics.
IDLE_FIELDS = frozenset((
    "comment", "documentation", "customLayerData", "displayName", "displayGroup", "hidden", "kind",
    "assetInfo", "startTimeCode", "endTimeCode", "framesPerSecond", "timeCodesPerSecond", "defaultPrim", "owner",
    "sessionOwner", "primChildren", "properties", "propertyOrder", "primOrder", "symmetryFunction", "prefix", "suffix"))
IDLE_PROPERTY_FIELDS = frozenset(("customData",))       # bodies have custom data that PhysX reads
IDLE_NAMES = ("primvars:", "inputs:", "outputs:", "ui:", "userProperties:", "info:", "render:", "visibility",
              "doubleSided", "extent")
_Resync = Usd.Notice.ObjectsChanged.PrimResyncType
NAMESPACE_EDITS = (_Resync.RenameSource, _Resync.ReparentSource, _Resync.RenameAndReparentSource)
# Its value moves a prim and leaves its scale as it is; a rotation below an uneven scale does not.
TRANSLATION = "xformOp:translate"
# Properties of a joint that change values of its degrees of freedom and nothing else.
VELOCITY_NAMES = ("physics:velocity", "physics:angularVelocity")
JOINT_PROPERTIES = ("drive:", "physxJointAxis:", "physxDrivePerformanceEnvelope:", "physics:lowerLimit",
                "physics:upperLimit")


@dataclass(slots=True)
class StageChanges:
    """Paths of what changed on a stage."""

    values: set[str] = field(default_factory=set)       # properties whose value may be another one
    metadata: set[str] = field(default_factory=set)       # properties of which something else changed
    prims: set[str] = field(default_factory=set)        # prims that were resynced
    moves: list[tuple[str, str]] = field(default_factory=list)      # prims renamed or moved below others: from, to

    def __bool__(self) -> bool:
        return bool(self.values or self.metadata or self.prims)


class StageListener:
    """Collects the changes of a stage that are not the session's own, until it is closed."""

    def __init__(self, stage: Usd.Stage) -> None:
        self._handler = _NoticeHandler()
        self._key = Tf.Notice.Register(Usd.Notice.ObjectsChanged, self._handler.handle, stage)

    @contextmanager
    def ignore_changes(self) -> Iterator[None]:
        """A context in which changes are the session's own."""
        self._handler.ignoring = True
        try:
            yield
        finally:
            self._handler.ignoring = False

    def pop_changes(self) -> StageChanges:
        """The changes since the last call."""
        changes, self._handler.changes = self._handler.changes, StageChanges()
        return changes

    def close(self) -> None:
        """Stop listening."""
        self._key.Revoke()


class _NoticeHandler:
    """The collected changes; separate from the registration, which would keep its owner alive."""

    def __init__(self) -> None:
        self.ignoring = False
        self.changes = StageChanges()

    def handle(self, notice: Usd.Notice.ObjectsChanged, _: Any) -> None:
        if self.ignoring:
            return
        for path in notice.GetResyncedPaths():
            (self.changes.values if path.IsPropertyPath() else self.changes.prims).add(str(path))
            if path.IsPrimPath():
                kind, other = notice.GetPrimResyncType(path)
                if kind in NAMESPACE_EDITS:
                    self.changes.moves.append((str(path), str(other)))
        for path in notice.GetChangedInfoOnlyPaths():
            fields = set(notice.GetChangedFields(path))
            if path.IsPropertyPath() and (not fields or "default" in fields):
                self.changes.values.add(str(path))
            elif not (IDLE_FIELDS | IDLE_PROPERTY_FIELDS if path.IsPropertyPath() else IDLE_FIELDS).issuperset(fields):
                (self.changes.metadata if path.IsPropertyPath() else self.changes.prims).add(str(path))


@dataclass(slots=True)
class Edits:
    """Edits by the work that they need."""

    joints: set[str] = field(default_factory=set)       # joints whose values are to be read again
    states: set[str] = field(default_factory=set)       # property paths of joint states and velocities
    moved_prims: set[str] = field(default_factory=set)       # prims whose own transform was edited
    kinematic_targets: set[str] = field(default_factory=set)         # kinematic bodies whose translation was edited
    reading: bool = False                               # the stage is to be read again

    def __bool__(self) -> bool:
        return bool(self.joints or self.states or self.kinematic_targets or self.reading)


class ChangeClassifier:
    """Sorts changes by the prims of a description that they concern."""

    def __init__(self, description: Description, simulated: Iterable[ActorDescription]) -> None:
        self._consumed = description.consumed
        links = [link for a in description.articulations for link in a.links] + list(description.bodies)
        self._bodies = {link.path for link in links}
        colliders = [c for link in links for c in link.colliders] + list(description.static_colliders)
        physical = self._bodies | {c.path for c in colliders} | {c.geometry for c in colliders}
        physical |= {fact.path for fact in description.authored} | {fact.path for fact in description.applied}
        self._ancestors = {str(above) for path in physical for above in Sdf.Path(path).GetPrefixes()}
        actors = tuple(simulated)
        self._joints = {link.joint.path for a in actors for link in a.links if link.joint}
        self._links = {link.path for a in actors for link in a.links}
        carrying = {str(above) for body in self._bodies for above in Sdf.Path(body).GetParentPath().GetPrefixes()}
        self._kinematic = {body.path for body in description.bodies if body.kinematic and not body.samples} - carrying

    def edits_from(self, changes: StageChanges) -> Edits:
        """The edits that follow from changes."""
        edits = Edits(reading=bool(changes.prims))
        for path in changes.values:
            prim, _, name = path.rpartition(".")
            if name.startswith(JOINT_PROPERTIES) and prim in self._joints and path in self._consumed:
                edits.joints.add(prim)
            elif name.startswith("state:") if prim in self._joints else name in VELOCITY_NAMES and prim in self._links:
                edits.states.add(path)
            elif name.startswith(TRANSLATION) and prim in self._kinematic:
                edits.kinematic_targets.add(prim)
                edits.moved_prims.add(prim)
            elif self._concerns(prim, name):
                edits.reading = True
                if name.startswith("xformOp"):
                    edits.moved_prims.add(prim)
        edits.reading |= any(self._concerns(*path.rsplit(".", 1)) for path in changes.metadata)
        return edits

    def _concerns(self, prim: str, name: str) -> bool:
        """Whether a property may concern physics."""
        if is_physics_name(name):
            return True
        if name.startswith(IDLE_NAMES):
            return False
        return prim in self._ancestors or any(str(above) in self._bodies for above in Sdf.Path(prim).GetPrefixes())
