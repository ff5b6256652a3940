"""What a migration changes, and what it leaves to a person."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from physx_schema.migration.text import unified

ChangeKind = Literal["renamed", "moved", "conflict", "left", "note"]
OPEN: tuple[ChangeKind, ...] = ("conflict", "left")       # what a person has to look at


@dataclass(frozen=True, slots=True, order=True)
class Note:
    """One thing that was changed, or was not and why."""

    layer: str
    path: str                           # of the prim spec, with variant selections
    property: str                       # "apiSchemas" or "typeName" for the schema itself, "" for the layer
    kind: ChangeKind
    message: str
    fix: str = ""                       # what to do; empty where all is done
    became: tuple[str, ...] = ()        # properties that now say what this one said


@dataclass(frozen=True, slots=True)
class LayerChange:
    """One layer as it is and as it would be."""

    layer: Any
    copy: Any                           # a layer of its own with the changed content
    notes: tuple[Note, ...]
    depends: frozenset[str] = frozenset()           # identifiers of the layers whose changed names it uses

    @property
    def name(self) -> str:
        """The file, or what stands for it."""
        return layer_name(self.layer)

    @property
    def changed(self) -> bool:
        """Whether the content differs."""
        return any(note.kind in ("renamed", "moved", "conflict") for note in self.notes)

    def diff(self) -> str:
        """The change as a unified diff of usda text."""
        old, new = (layer.ExportToString().splitlines() for layer in (self.layer, self.copy))
        return unified(old, new, self.name, f"{self.name} (migrated)")


@dataclass(frozen=True, slots=True)
class Migration:
    """The layers of one or more stages, each with what becomes of it."""

    layers: tuple[LayerChange, ...]
    problems: tuple[Note, ...] = ()     # what of the stages could not be looked at
    stages: tuple[Any, ...] = ()        # USD lets go of layers that no stage uses
    groups: tuple[frozenset[str], ...] = ()         # identifiers of layers that are written together or not at all

    @property
    def changed(self) -> tuple[LayerChange, ...]:
        """The layers that would change."""
        return tuple(item for item in self.layers if item.changed)

    def partners(self, change: LayerChange) -> tuple[LayerChange, ...]:
        """The changed layers that are written with this one or not at all, itself among them."""
        name = change.layer.identifier
        group = next((group for group in self.groups if name in group), frozenset((name,)))
        return tuple(item for item in self.changed if item.layer.identifier in group)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Everything to say, sorted by layer and path."""
        return tuple(sorted((*self.problems, *(note for item in self.layers for note in item.notes))))

    @property
    def open(self) -> tuple[Note, ...]:
        """What a person has to look at."""
        return tuple(note for note in self.notes if note.kind in OPEN)


def layer_name(layer: Any) -> str:
    """The file of a layer relative to the working directory where it lies below it, else its display name."""
    if not layer.realPath:
        return str(layer.GetDisplayName() or "in-memory layer")
    path, here = Path(layer.realPath), Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
