"""A layer over a stage: the stage's own file below, what is to be said on top."""

from __future__ import annotations

import os
from pathlib import Path

from pxr import Sdf, Usd

from physx_schema.description.robot_files import original
from physx_schema.errors import UnsupportedError
from physx_schema.files import replacing
from physx_schema.migration.layer_files import export
from physx_schema.outputs import files_of, mark_layer, require_output

STAGE_SUFFIXES = (".usda", ".usdc", ".usd")
STAGE_METADATA = ("defaultPrim", "metersPerUnit", "kilogramsPerUnit", "upAxis", "expressionVariables")


def layer_over(stage: Usd.Stage) -> Sdf.Layer:
    """A layer that composes to the stage: a sublayer entry, or a flattened copy of what does not stay as it is.

    That is a stage of which memory holds unsaved edits, or one that was made of a robot's file for this process.
    Raises UnsupportedError where such a one needs files beside it.
    """
    layer, root = Sdf.Layer.CreateAnonymous(), stage.GetRootLayer()
    unsaved = any(item.dirty or (item.anonymous and not item.empty) for item in stage.GetUsedLayers())
    if unsaved or original(root.realPath):
        flat = stage.Flatten(addSourceFileComment=False)
        _require_lasting(flat, root)
        return flat
    layer.subLayerPaths.append(root.realPath)
    for key in STAGE_METADATA:                      # USD reads these from the root layer only
        if root.pseudoRoot.HasInfo(key):
            layer.pseudoRoot.SetInfo(key, root.pseudoRoot.GetInfo(key))
    return layer


def open_over(stage: Usd.Stage) -> Usd.Stage:
    """A stage with an empty layer over this stage. Raises as `layer_over`."""
    return Usd.Stage.Open(layer_over(stage))


def _require_lasting(flat: Sdf.Layer, root: Sdf.Layer) -> None:
    """Refuse pictures and the like that lie beside a stage that goes with the process."""
    robot = original(root.realPath)
    if robot and str(Path(root.realPath).parent) in flat.ExportToString():
        raise UnsupportedError(f"{robot}: the converted stage uses temporary files; "
                               "convert the robot to a USD file first, and use that file")


def require_another_file(stage: Usd.Stage, path: Path) -> None:
    """Raises ValueError for an unknown suffix, and UnsupportedError for a file of the stage."""
    if path.suffix not in STAGE_SUFFIXES:
        raise ValueError(f"{path} has suffix {path.suffix!r}; use one of {', '.join(STAGE_SUFFIXES)} for a layer")
    require_output(path, files_of(stage), force=True)


def write_over(layer: Sdf.Layer, path: Path) -> None:
    """Write such a layer; the file below is named relative to it."""
    sublayers = [_relative(Path(file), path.parent) for file in layer.subLayerPaths]
    copy = Sdf.Layer.CreateAnonymous(".usda")
    copy.TransferContent(layer)
    copy.subLayerPaths = sublayers
    mark_layer(copy, path)
    with replacing(path) as temporary:
        export(copy, temporary, crate=path.suffix != ".usda")


def _relative(file: Path, folder: Path) -> str:
    try:
        relative = Path(os.path.relpath(file, folder.resolve())).as_posix()
    except ValueError:                              # another drive
        return file.as_posix()
    return relative if relative.startswith("../") else f"./{relative}"
