"""Hashes of the layers that an asset composes, and of the versions of programs that work on it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import physx_generated
from pxr import Ar, Usd

from physx_schema.description.robot_files import original
from physx_schema.engine_releases import LATEST

Layers = tuple[tuple[str, str], ...]        # file, SHA-256 of its bytes; by file


@dataclass(frozen=True, slots=True)
class Identity:
    """What results depend on besides the layers of the asset."""

    command: str
    settings: str               # the options that change results, as JSON
    engine: str                 # "builtin 0.7"

    def key(self, layers: Layers, *more: object) -> str:
        """The hash of everything that results depend on; files count by their contents, wherever they are."""
        digests = sorted(digest for _, digest in layers)
        return _sha256(json.dumps([self.command, self.settings, self.engine, versions(), digests, *more]).encode())


def identity(command: str, settings: dict[str, Any], engines: Iterable[str] = ("builtin",)) -> Identity:
    """The identity of a command with its options."""
    text = json.dumps(settings, sort_keys=True, default=str)
    return Identity(command, text, ", ".join(f"{engine} {LATEST}" for engine in engines))


@cache
def versions() -> dict[str, str]:
    """Versions of this program, its schema files and USD."""
    folder = Path(physx_generated.__file__).parent
    schema = hashlib.sha256()
    for path in sorted(folder.rglob("generatedSchema.usda")):
        schema.update(path.read_bytes())
    try:
        tool = version("physx-schema")
    except PackageNotFoundError:        # runs from its sources
        tool = "sources"
    return {"tool": tool, "schema": schema.hexdigest()[:16], "usd": ".".join(map(str, Usd.GetVersion()[1:]))}


def layers_of(stage: Any) -> Layers:
    """The files of a stage's layers with their hashes; a layer in a package counts with the package."""
    names = {Ar.SplitPackageRelativePathOuter(layer.realPath)[0] for layer in stage.GetUsedLayers() if layer.realPath}
    robot = original(stage.GetRootLayer().realPath)
    return files_with_hashes([str(robot)] if robot else names)


def files_with_hashes(names: Iterable[str]) -> Layers:
    """Files with the hashes of their bytes; an unreadable one has the hash "unreadable"."""
    return tuple((name, _file_hash(name)) for name in sorted(names))


def _file_hash(name: str) -> str:
    try:
        status = Path(name).stat()
        return _cached_hash(name, status.st_mtime_ns, status.st_size)
    except (OSError, ValueError):       # ValueError: a name with a NUL
        return "unreadable"


@cache
def _cached_hash(name: str, changed: int, size: int) -> str:
    """The hash of a file as it is at a time; layers that many assets share are read once in a process."""
    path = Path(name)
    if not path.is_file():
        raise OSError
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
