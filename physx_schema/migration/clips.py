"""Layers of value clips, which a migration does not change: those that it would have to are named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pxr import Sdf, Usd

from physx_schema.migration.report import Note, layer_name
from physx_schema.migration.rewrite import concerned
from physx_schema.migration.rules import Rules


def unhandled_clips(stages: Sequence[Any], rules: Rules) -> Iterator[Note]:
    """The value clips, manifests among them, with properties that the rules speak of."""
    for prim in (prim for stage in stages for prim in Usd.PrimRange(stage.GetPseudoRoot(), Usd.PrimAllPrimsPredicate)):
        clips = Usd.ClipsAPI(prim)
        for name in clips.GetClips() or ():
            for asset in (*clips.ComputeClipAssetPaths(name), clips.GetClipManifestAssetPath(name)):
                layer = _layer(asset)
                if layer and concerned(layer, rules):
                    yield Note(layer_name(layer), "/", "", "left",
                               f"is a value clip of {prim.GetPath()}, and value clips are not migrated",
                               "migrate it as a stage of its own, with its classes applied there")


def _layer(asset: Any) -> Any:
    path = asset.resolvedPath if asset else ""
    return Sdf.Layer.FindOrOpen(path) if path else None
