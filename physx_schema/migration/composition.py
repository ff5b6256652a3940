"""Which composed prims a spec on a layer takes part in: that tells a joint's axes and which opinion is stronger.

Migrated layers to files: all of them or none, each complete before it takes the place of the old one.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pxr import Sdf, Tf, Usd, UsdPhysics, UsdUtils

from physx_schema.errors import UnsupportedError
from physx_schema.files import write_files
from physx_schema.migration.report import LayerChange
from physx_schema.outputs import require_copy

ROTATIONS = ("rotX", "rotY", "rotZ")
JOINT_AXES = ("angular", "linear", *ROTATIONS)      # in the order they are written
_BY_TYPE = {
    "PhysicsRevoluteJoint": ("angular",), "PhysicsPrismaticJoint": ("linear",),
    "PhysicsSphericalJoint": ROTATIONS, "PhysicsJoint": ROTATIONS,
}


@dataclass(frozen=True, slots=True)
class Site:
    """A composed prim, and the place of a spec among those that make it: 0 is the strongest."""

    prim: Any
    place: int

    def specs(self) -> tuple[list[Any], list[Any]]:
        """The stronger and the weaker prim specs."""
        stack = self.prim.GetPrimStack()
        return stack[:self.place], stack[self.place + 1:]


class Composition:
    """The stages that the layers belong to, and where the wanted prim specs take part in them."""

    def __init__(self, stages: Sequence[Any], wanted: Iterable[tuple[str, Any]]) -> None:
        self.stages = stages                # keeps the prims alive
        self._sites: dict[tuple[str, Any], list[Site]] = {key: [] for key in wanted}
        groups: dict[tuple[tuple[str, Any], ...], None] = {}
        for prim in _prims(stages) if self._sites else ():
            keys = [(spec.layer.identifier, spec.path) for spec in prim.GetPrimStack()]
            for place, key in enumerate(keys):
                if key in self._sites:
                    self._sites[key].append(Site(prim, place))
            groups[tuple(key for key in keys if key in self._sites)] = None
        self.groups = [group for group in groups if group]     # the wanted prim specs of each prim, once

    def sites(self, layer: Any, path: Any) -> list[Site]:
        """The composed prims that a prim spec takes part in; none in a variant that is not selected."""
        return self._sites.get((layer.identifier, path), [])

    def schemas(self, layer: Any, path: Any) -> set[str]:
        """Types and applied API schemas of the prims that a spec takes part in, as they stand there.

        Of a variant that is not selected: its own, and those of the prim without it.
        """
        found: set[str] = set()
        for place in {path, path.StripAllVariantSelections()}:
            for site in self.sites(layer, place):
                found |= self.schemas_of(site.prim)
            spec = layer.GetPrimAtPath(place)
            found |= {str(spec.typeName), *_listed(spec)} if spec else set()
        return found - {""}

    def schemas_of(self, prim: Any) -> set[str]:
        """Type and applied API schemas of a prim, as they stand there."""
        return {str(prim.GetTypeName()), *map(str, prim.GetAppliedSchemas()), *_applied(prim)} - {""}

    def composed(self, layer: Any, path: Any, target: Any) -> list[Any]:
        """The prims that a prim spec means where it names another prim, with any variants selected."""
        places = {(site.prim.GetStage().GetRootLayer().identifier, node.mapToRoot.MapSourceToTarget(
            target.StripAllVariantSelections())) for site in self.sites(layer, path)
            for node in _nodes(site.prim.GetPrimIndex().rootNode)
            if node.path == path and layer in node.layerStack.layers}
        prims = [stage.GetPrimAtPath(place) for root, place in sorted(places) if not place.isEmpty
                 for stage in self.stages if stage.GetRootLayer().identifier == root]
        return [prim for prim in prims if prim]

    def axes(self, layer: Any, path: Any) -> tuple[str, ...] | None:
        """Instance names for the axes of the joint that a prim spec is about.

        Empty for a prim without free axes, None where nothing tells what prim it is.
        """
        found = [axes for site in self.sites(layer, path) for axes in [joint_axes(site.prim)] if axes is not None]
        if not found:
            plain = path.StripAllVariantSelections()
            for stage in self.stages:
                prim = stage.GetPrimAtPath(plain) if layer in stage.GetLayerStack() else None
                axes = joint_axes(prim) if prim else None
                found += [] if axes is None else [axes]
        if not found:
            specs = (layer.GetPrimAtPath(place) for place in (path, plain))
            found = [_BY_TYPE.get(spec.typeName, ()) for spec in specs if spec and spec.typeName]
        return tuple(axis for axis in JOINT_AXES if any(axis in axes for axes in found)) if found else None


def _prims(stages: Iterable[Any]) -> Iterator[Any]:
    everything = Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)
    for stage in stages:
        yield from Usd.PrimRange(stage.GetPseudoRoot(), everything)


def _nodes(node: Any) -> Iterator[Any]:
    """A node of a prim index and those below it."""
    yield node
    for child in node.children:
        yield from _nodes(child)


def joint_axes(prim: Any) -> tuple[str, ...] | None:
    """The free axes of a joint prim as PhysX names them; None for a prim without a type."""
    if not prim.GetTypeName():
        return None
    for kind, axes in ((UsdPhysics.RevoluteJoint, ("angular",)), (UsdPhysics.PrismaticJoint, ("linear",)),
                       (UsdPhysics.SphericalJoint, ROTATIONS)):
        if prim.IsA(kind):
            return axes
    if prim.GetTypeName() != "PhysicsJoint":
        return ()
    return tuple(axis for axis in ROTATIONS if not _is_locked(prim, axis))


def _is_locked(prim: Any, axis: str) -> bool:
    if f"PhysicsLimitAPI:{axis}" not in _applied(prim):
        return False
    low, high = (prim.GetAttribute(f"limit:{axis}:physics:{name}").Get() for name in ("low", "high"))
    return low is not None and high is not None and low > high


def _applied(prim: Any) -> list[str]:
    return list(map(str, prim.GetPrimTypeInfo().GetAppliedAPISchemas()))


def _listed(spec: Any) -> list[str]:
    listed = spec.GetInfo("apiSchemas")
    return list(map(str, listed.GetAppliedItems())) if isinstance(listed, Sdf.TokenListOp) else []


CRATE = b"PXR-USDC"


def replace(changes: Sequence[LayerChange]) -> None:
    """Write changed layers over their files, then have USD read them again; on UnsupportedError none is written."""
    problems = [problem for change in changes for problem in [why_not(change.layer)] if problem]
    if problems:
        raise UnsupportedError("\n".join(sorted(problems)))
    paths = {Path(change.layer.realPath): change for change in changes}
    write_files({path: partial(export, change.copy, crate=is_crate(path)) for path, change in paths.items()})
    for change in changes:
        change.layer.Reload(True)


def why_not(layer: Any) -> str:
    """Why a layer cannot be written in place; empty where it can."""
    name = layer.realPath or layer.identifier
    if not layer.realPath:
        return f"{name}: is not a file; export it first"
    if in_package(layer):
        return f"{name}: lies in a package; unpack it, change the layers and pack it again"
    if layer.GetFileFormat().formatId not in ("usda", "usdc", "usd"):
        return f"{name}: is written by another program; save a copy as .usda and change that"
    if layer.dirty:
        return f"{name}: has changes that are not saved; save it first"
    if not os.access(name, os.W_OK):
        return f"{name}: is read-only; make it writable"
    links = Path(name).stat().st_nlink
    if links > 1:
        return f"{name}: is one file with {links} names (hard links), which would part; write a copy with -o"
    return ""


def in_package(layer: Any) -> bool:
    """Whether a layer is a usdz package or lies in one."""
    return bool(layer.GetFileFormat().IsPackage()) or "[" in layer.identifier


def copy(copies: Mapping[Path, LayerChange], parts: Iterable[Path], force: bool) -> None:
    """Write migrated copies of layers, all or none, in which relative asset paths go on meaning the same files.

    parts: files of the stages, which no copy replaces. force: replace other files too. Raises UnsupportedError.
    """
    writers = {target: partial(_export_copy, change=change, folder=target.parent) for target, change in copies.items()}
    for target, write in writers.items():
        require_copy(target, write, parts, force)
    write_files(writers)


def write_layer(layer: Any, target: Path, parts: Iterable[Path], force: bool) -> None:
    """Write a layer to a file, with `parts` and `force` as of `copy`. Raises UnsupportedError."""
    write = partial(export, layer, crate=target.suffix == ".usdc")
    require_copy(target, write, parts, force)
    write_files({target: write})


def _export_copy(path: Path, change: LayerChange, folder: Path) -> None:
    source = Path(change.layer.realPath)
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.TransferContent(change.copy)
    if source.parent.resolve() != folder.resolve():
        UsdUtils.ModifyAssetPaths(layer, lambda asset: _anchored(asset, source.parent, folder))
    export(layer, path, path.suffix == ".usdc" or (path.suffix == ".usd" and is_crate(source)))


def _anchored(path: str, source: Path, target: Path) -> str:
    """A path relative to one folder, relative to another; absolute and search paths as they are."""
    if not path.startswith(("./", "../")):
        return path
    moved = os.path.relpath(source / path, target)
    return moved if moved.startswith("..") else f"./{moved}"


def export(layer: Any, path: Path, crate: bool) -> None:
    """Write a layer to a new file, as a crate or as text. Raises OSError."""
    reason = ""
    try:
        if layer.Export(str(path), args={"format": "usdc" if crate else "usda"} if path.suffix == ".usd" else {}):
            return
    except Tf.ErrorException as error:
        reason = next((f": {words}" for words in _reasons(error)), "")
    raise OSError(errno.EIO, f"USD could not export the layer{reason}", str(path))


def _reasons(error: Any) -> Iterator[str]:
    """What went wrong in the words of the operating system, where USD passes them on."""
    return (str(item.commentary).rpartition(": ")[2] for item in error.args if ": " in str(item.commentary))


def is_crate(path: Path) -> bool:
    """Whether a file is in USD's binary format, whatever its name."""
    with path.open("rb") as stream:
        return stream.read(len(CRATE)) == CRATE
