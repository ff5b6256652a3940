"""What a migration changes, and what it leaves to a person.

Stages composed of migrated layers before anything is written, so that they can be looked at as they will be.

Unified diffs of usda texts with the same prims, in time that grows with their length.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pxr import Sdf, Usd, UsdUtils

HEADER = re.compile(r'\s*(def|over|class|variantSet)\b|\s*"[^"]*" [({]')
Opcode = tuple[str, int, int, int, int]


def unified(old: Sequence[str], new: Sequence[str], old_name: str, new_name: str) -> str:
    """The change as `diff -u` writes it; empty where nothing differs."""
    matcher = difflib.SequenceMatcher(None, "", "")
    matcher.opcodes = merged(by_parts(old, new))            # type: ignore[attr-defined]
    lines: list[str] = []
    for group in matcher.get_grouped_opcodes(3):
        lines.append(f"@@ -{span(group[0][1], group[-1][2])} +{span(group[0][3], group[-1][4])} @@")
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                lines += [f" {line}" for line in old[old_start:old_end]]
                continue
            lines += [f"-{line}" for line in old[old_start:old_end]]
            lines += [f"+{line}" for line in new[new_start:new_end]]
    return "\n".join([f"--- {old_name}", f"+++ {new_name}", *lines, ""]) if lines else ""


def by_parts(old: Sequence[str], new: Sequence[str]) -> Iterator[Opcode]:
    """How one text becomes the other, from prim to prim: comparing all lines with all takes far too long."""
    starts = [[0, *(index for index, line in enumerate(text) if index and HEADER.match(line)), len(text)]
              for text in (old, new)]
    if len(starts[0]) != len(starts[1]):
        starts = [[0, len(old)], [0, len(new)]]
    pairs = zip(starts[0], starts[0][1:], starts[1], starts[1][1:], strict=False)
    for old_start, old_end, new_start, new_end in pairs:
        before, after = old[old_start:old_end], new[new_start:new_end]
        if before == after:
            yield "equal", old_start, old_end, new_start, new_end
            continue
        for tag, first, last, new_first, new_last in difflib.SequenceMatcher(None, before, after).get_opcodes():
            yield tag, old_start + first, old_start + last, new_start + new_first, new_start + new_last


def merged(opcodes: Iterator[Opcode]) -> list[Opcode]:
    """Neighbours of one kind as one."""
    result: list[Opcode] = []
    for tag, old_start, old_end, new_start, new_end in opcodes:
        if result and result[-1][0] == tag:
            result[-1] = (tag, result[-1][1], old_end, result[-1][3], new_end)
        else:
            result.append((tag, old_start, old_end, new_start, new_end))
    return result


def span(start: int, end: int) -> str:
    """Lines in the notation of unified diffs."""
    count = end - start
    return str(start + 1) if count == 1 else f"{start + bool(count)},{count}"


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


class Preview:
    """The stages of a migration as they will be. Keeps its layers alive."""

    def __init__(self, stages: Sequence[Any], changes: Sequence[LayerChange]) -> None:
        variables = {name: value for stage in stages
                     for name, value in stage.GetRootLayer().expressionVariables.items()}
        self._stand_ins = _stand_ins(changes, variables)
        self.stages = [self._composed(stage) for stage in stages]

    def layer(self, change: LayerChange) -> Any:
        """The layer that stands for a changed or unchanged one on these stages."""
        return self._stand_ins.get(change.layer.identifier, change.layer)

    def missing(self, changes: Sequence[LayerChange]) -> list[LayerChange]:
        """The changed layers that these stages are not composed of, so that nothing can be said of them."""
        used = {layer.identifier for stage in self.stages for layer in stage.GetUsedLayers()}
        return [change for change in changes if change.changed and (
            change.layer.identifier not in self._stand_ins or self.layer(change).identifier not in used)]

    def _composed(self, stage: Any) -> Any:
        root = stage.GetRootLayer()
        if root.identifier not in self._stand_ins:
            return stage
        preview = Usd.Stage.Open(self._stand_ins[root.identifier], stage.GetSessionLayer(),
                                 stage.GetPathResolverContext(), Usd.Stage.LoadNone)
        preview.SetLoadRules(stage.GetLoadRules())
        return preview


def _stand_ins(changes: Sequence[LayerChange], variables: Mapping[str, Any]) -> dict[str, Any]:
    """Identifier to a new layer, for layers that change and those that lead to them."""
    layers = {change.layer.identifier: change for change in changes}
    leads = {name: {_target(change.layer, path, variables) for path in _other_files(change.layer)}
             for name, change in layers.items()}
    concerned = {name for name, change in layers.items() if change.changed}
    while more := {name for name, others in leads.items() if others & concerned} - concerned:
        concerned |= more
    copies = {name: Sdf.Layer.CreateAnonymous(".usda") for name in concerned}
    for name, layer in copies.items():
        layer.TransferContent(layers[name].copy)
        original = layers[name].layer
        UsdUtils.ModifyAssetPaths(layer, lambda path, original=original: _redirected(path, original, copies, variables))
    return copies


def _other_files(layer: Any) -> list[str]:
    """The asset paths of sublayers, references and payloads; USD lists an internal reference as an empty one."""
    return [path for path in layer.GetCompositionAssetDependencies() if path]


def _redirected(path: str, layer: Any, stand_ins: Mapping[str, Any], variables: Mapping[str, Any]) -> str:
    """Where an asset path of a layer leads: to the stand-in, or from anywhere to the same file."""
    target = _target(layer, path, variables)
    return str(stand_ins[target].identifier) if target in stand_ins else target


def _target(layer: Any, path: str, variables: Mapping[str, Any]) -> str:
    """The identifier of the layer that an asset path leads to, which may be an expression of variables."""
    if Sdf.VariableExpression.IsExpression(path):
        path = str(Sdf.VariableExpression(path).Evaluate(dict(variables)).value or path)
    return str(Sdf.ComputeAssetPathRelativeToLayer(layer, path))
