"""Stages of several layers, written to a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def layer(*prims: str, meters: float | None = 1.0, kilograms: float | None = 1.0, up: str | None = "Z",
          default: str = "World", sublayers: str = "") -> str:
    """A layer as USDA; None for metadata that it does not have."""
    units = {"metersPerUnit": meters, "kilogramsPerUnit": kilograms, "upAxis": up and f'"{up}"'}
    lines = "".join(f"    {name} = {value}\n" for name, value in units.items() if value is not None)
    listed = f"    subLayers = [{sublayers}]\n" if sublayers else ""
    return f'#usda 1.0\n(\n    defaultPrim = "{default}"\n{lines}{listed})\n' + "".join(prims)


def written(folder: Path, layers: Mapping[str, str]) -> Path:
    """Write layers by file name; the path of the last."""
    for name, text in layers.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder / list(layers)[-1]


def holder(name: str, metadata: str, inside: str = "", specifier: str = "def Xform") -> str:
    """A prim with metadata of its own."""
    return f'{specifier} "{name}" (\n    {metadata}\n)\n{{\n{inside}}}\n'
