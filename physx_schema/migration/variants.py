"""The same stages with other variants selected, and layers of value clips: what plain composition leaves out.

Value clips are not migrated; those that a migration would have to change are named.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from typing import Any

from pxr import Sdf, Usd

from physx_schema.migration.report import Note, layer_name
from physx_schema.migration.rewrite import concerned, is_concerned, items, prim_specs
from physx_schema.migration.rules import Rules

Variant = tuple[Any, str, Any]          # path of a prim, identifier of a layer that has the variant, and its path there
_ARCS = ("references", "payload", "inheritPaths", "specializes")


def other_variants(stage: Any, rules: Rules, schemas: Container[str]) -> list[Any]:
    """Stages that together have every variant selected that holds something for the rules, or composes other prims.

    Each selects one more variant of every set that has any; the given stage is not among them. `schemas` are classes
    that something is said about where they are on a prim.
    """
    visited: set[Variant] = set()
    stages: list[Any] = []
    waiting = [stage]
    while waiting:
        base = waiting[-1]
        selections = _unvisited(base, visited, lambda layer, path: _matters(layer, path, rules, schemas))
        if selections:
            stages.append(_with_selections(base, selections))
            waiting.append(stages[-1])
        else:
            waiting.pop()
    return stages


def _unvisited(stage: Any, visited: set[Variant], matters: Callable[[str, Any], bool]) -> dict[tuple[Any, str], str]:
    """A variant for each prim and set that has one which was not seen; it counts as seen from then on."""
    selections: dict[tuple[Any, str], str] = {}
    for prim in Usd.PrimRange(stage.GetPseudoRoot(), Usd.PrimAllPrimsPredicate):
        sets = prim.GetVariantSets()
        for name in sets.GetNames():
            visited |= set(_specs(prim, name, sets.GetVariantSelection(name)))
            for variant in sets.GetVariantSet(name).GetVariantNames():
                specs = set(_specs(prim, name, variant))
                if not specs <= visited and (prim.GetPath(), name) not in selections:
                    visited |= specs
                    if any(matters(layer, path) for _, layer, path in specs):
                        selections[prim.GetPath(), name] = variant
    return selections


def _specs(prim: Any, set_name: str, variant: str) -> Iterator[Variant]:
    """The variant of a prim on each layer that has it."""
    for spec in prim.GetPrimStack():
        path = spec.path.AppendVariantSelection(set_name, variant)
        if spec.layer.GetPrimAtPath(path):
            yield prim.GetPath(), spec.layer.identifier, path


def _matters(name: str, path: Any, rules: Rules, schemas: Container[str]) -> bool:
    """Whether a variant holds something for the rules or has one of these classes, or leads to prims elsewhere."""
    return any(
        any(map(spec.HasInfo, _ARCS)) or is_concerned(spec, rules) or str(spec.typeName) in schemas
        or any(entry.partition(":")[0] in schemas for entry in items(spec))
        for spec in prim_specs(Sdf.Layer.Find(name), path))


def _with_selections(stage: Any, selections: dict[tuple[Any, str], str]) -> Any:
    """The stage with other selections in a session layer of its own."""
    session = Sdf.Layer.CreateAnonymous(".usda")
    session.TransferContent(stage.GetSessionLayer())
    for (path, name), variant in selections.items():
        Sdf.CreatePrimInLayer(session, path).variantSelections[name] = variant
    selected = Usd.Stage.Open(stage.GetRootLayer(), session, stage.GetPathResolverContext(), Usd.Stage.LoadNone)
    selected.SetLoadRules(stage.GetLoadRules())
    return selected


def unhandled_clips(stages: Sequence[Any], rules: Rules) -> Iterator[Note]:
    """The value clips, manifests among them, with properties that the rules speak of."""
    for prim in (prim for stage in stages for prim in Usd.PrimRange(stage.GetPseudoRoot(), Usd.PrimAllPrimsPredicate)):
        clips = Usd.ClipsAPI(prim)
        for name in clips.GetClips() or ():
            for asset in (*clips.ComputeClipAssetPaths(name), clips.GetClipManifestAssetPath(name)):
                layer = _layer(asset)
                if layer and concerned(layer, rules):
                    yield Note(layer_name(layer), "/", "", "left",
                               f"this layer is a value clip of {prim.GetPath()}, and value clips are not migrated",
                               "migrate this layer as a separate stage, on which the needed classes are applied")


def _layer(asset: Any) -> Any:
    path = asset.resolvedPath if asset else ""
    return Sdf.Layer.FindOrOpen(path) if path else None
