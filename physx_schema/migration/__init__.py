"""Stages authored with an older schema, brought to a newer one layer by layer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import physx_generated
from physx_generated import Definition

from physx_schema.definitions import definitions_of
from physx_schema.description.robot_files import require_layer
from physx_schema.description.stages import open_stage
from physx_schema.errors import without_addresses
from physx_schema.migration.changes import MOVES, Difference, Move, former_prefixes, renames, traced
from physx_schema.migration.composition import Composition, group_layers
from physx_schema.migration.layer_files import lost_text, why_not
from physx_schema.migration.leftovers import remaining
from physx_schema.migration.plan import Plan
from physx_schema.migration.report import LayerChange, Migration, Note, layer_name
from physx_schema.migration.rewrite import Follower, Rewriter, concerned, files
from physx_schema.migration.rules import Rules, rules
from physx_schema.migration.variants import other_variants, unhandled_clips

__all__ = ["LayerChange", "Migration", "Note", "definitions_of", "migrate", "migration_rules"]


def migrate(
    sources: Sequence[str | Path | Any], to: str | None = None, schema: ModuleType = physx_generated,
    differences: Sequence[Difference] = (),
) -> Migration:
    """What becomes of every layer of the given stages, paths or Usd.Stage; nothing is written.

    `to` is a release such as "25.11.2", the newest that the definitions know where None; `schema` is the generated
    package whose definitions count; `differences` are the breaking lines of `physx-schema diff`, which are reported
    where stages have them. Raises UnreadableError for a path that is no readable USD file and ValueError for
    text that is no release, UnsupportedError for a robot in a format of others.
    """
    lookup = migration_rules(definitions_of(schema), MOVES, to, differences)
    for source in sources:
        if isinstance(source, str | Path):
            require_layer(source)
    opened = [open_stage(source) for source in sources]
    schemas = lookup.index.definitions.keys() | {item.schema for item in differences}
    stages = [*opened, *(other for stage in opened for other in other_variants(stage, lookup, schemas))]
    sessions = [stage.GetSessionLayer() for stage in stages]
    layers = files(layer for stage in stages for layer in stage.GetUsedLayers(False) if layer not in sessions)
    concerned_paths = {layer.identifier: concerned(layer, lookup) for layer in layers}
    spec_keys = {(name, spec_path) for name, paths in concerned_paths.items() for path in paths
                 for spec_path in (path, path.StripAllVariantSelections())}
    composition = Composition(stages, spec_keys)
    plan = Plan(layers, lookup, composition, concerned_paths)
    rewriters = [Rewriter(layer, plan, concerned_paths[layer.identifier]) for layer in layers]
    for rewriter in rewriters:
        rewriter.rename()
    follower = Follower(plan, {key: names for rewriter in rewriters for key, names in rewriter.moved.items()})
    edits = tuple(rewriter.follow(follower) for rewriter in rewriters)
    notes = {note for stage in stages for note in _missing(stage)} | {note for item in edits for note in _lost(item)}
    notes |= set(unhandled_clips(stages, lookup))
    notes |= set(remaining(stages, edits, lookup, differences, read=len(opened) if schema is physx_generated else None))
    return Migration(edits, tuple(sorted(notes)), tuple(stages), group_layers(edits, composition))


def _lost(change: LayerChange) -> Iterator[Note]:
    """What USD drops of the text of a file that it is about to write."""
    path = change.layer.realPath
    lost = lost_text(Path(path)) if change.changed and path and not why_not(change.layer) else ""
    if lost:
        yield Note(change.name, "/", "", "note", lost, "keep a copy of the file, or make the shown change by hand")


def _missing(stage: Any) -> Iterator[Note]:
    """Layers and arcs that USD could not compose: what they hold is not looked at."""
    root = layer_name(stage.GetRootLayer())
    for error in stage.GetCompositionErrors():
        yield Note(root, "/", "", "left", without_addresses(" ".join(str(error).split())),
                   "repair this layer or arc, and migrate again")


def migration_rules(
    definitions: Iterable[Definition], moves: Iterable[Move] = MOVES, to: str | None = None,
    differences: Sequence[Difference] = (),
) -> Rules:
    """The rules that lead to a release. Raises ValueError for text that is no release."""
    known = {item.identifier: item for item in definitions}
    return rules(known.values(), moves, to, former_prefixes(differences), renames(differences, known),
                 traced(differences))
