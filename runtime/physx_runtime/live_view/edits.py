"""Edits of a live view: values authored with the typed classes, and layers written under names that are free."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from pxr import Sdf, Usd, UsdPhysics

import physx_schema as PhysxSchema
from physx_runtime.live_view.knobs import Knob
from physx_runtime.viewing.stage_over import layer_over, require_another_file, write_over

SAME = 1e-6         # relative: USD stores single precision


class Edits:
    """A layer of edits over a stage that is not written to itself; `stage` composes both."""

    def __init__(self, original: Usd.Stage) -> None:
        self.layer = layer_over(original)
        self.stage = Usd.Stage.Open(self.layer)
        self._original = original
        self._start = Sdf.Layer.CreateAnonymous()
        self._start.TransferContent(self.layer)

    def author(self, knob: Knob, value: float) -> None:
        """Author the value of a knob with a property; a value that the stage has already is not authored again."""
        prim = self.stage.GetPrimAtPath(knob.path)
        if math.isclose(float(prim.GetAttribute(knob.property).Get() or 0.0), value, rel_tol=SAME):
            return
        base = knob.property.rpartition(":")[2]
        getattr(_schema(prim, knob.property), f"Create{base[0].upper()}{base[1:]}Attr")(value)

    @property
    def empty(self) -> bool:
        """Whether nothing was changed since the start."""
        return bool(self.layer.ExportToString() == self._start.ExportToString())

    def undo(self) -> None:
        """Take every edit back."""
        if not self.empty:
            self.layer.TransferContent(self._start)

    def edited_stage(self) -> Usd.Stage:
        """The stage with its edits and without the motion; the original stage where nothing was changed."""
        return self._original if self.empty else Usd.Stage.Open(self.layer, Sdf.Layer.CreateAnonymous())

    def write(self, path: Path) -> None:
        """Write the edits as a layer over the file of the stage.

        Raises OSError, ValueError for a name of no layer, and UnsupportedError for a file of the stage.
        """
        require_another_file(self.stage, path)
        write_over(self.layer, path)


def _schema(prim: Usd.Prim, name: str) -> Any:
    """The typed class that has a property of a prim."""
    family, _, rest = name.partition(":")
    instance = rest.partition(":")[0]
    if family == "drive":
        return UsdPhysics.DriveAPI(prim, instance)
    if family == "physics":
        return UsdPhysics.MaterialAPI(prim)
    if family == "physxJointAxis":
        return PhysxSchema.PhysxJointAxisAPI(prim, instance)
    if prim.IsA(UsdPhysics.Joint):
        return PhysxSchema.PhysxTendonAxisRootAPI(prim, instance)
    return PhysxSchema.PhysxTendonAttachmentRootAPI(prim, instance)


def free_path(folder: Path, stem: str, suffix: str) -> Path:
    """The first path of a folder that no file has: stem.suffix, stem_2.suffix, stem_3.suffix, ..."""
    path, count = folder / f"{stem}{suffix}", 1
    while path.exists() or path.is_symlink():
        count += 1
        path = folder / f"{stem}_{count}{suffix}"
    return path
