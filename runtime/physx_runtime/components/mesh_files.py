"""Meshes in files: Wavefront .obj and .stl, text and binary."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
Corners = NDArray[np.intp]
Mesh = tuple[Doubles, Corners]

_STL = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
_STL_HEAD = 84          # bytes before the triangles of a binary file


def read_mesh(filename: str) -> Mesh:
    """Corners (n, 3) and triangles (n, 3) of everything in a file. Raises ValueError for what is no mesh, OSError."""
    parts = parts_of(filename)
    starts = np.cumsum([0, *(len(points) for points, _ in parts)])
    return (np.concatenate([points for points, _ in parts]),
            np.concatenate([triangles + start for (_, triangles), start in zip(parts, starts, strict=False)]))


def parts_of(filename: str) -> list[Mesh]:
    """The objects of a file, each as corners and triangles; raises as `read_mesh`."""
    path = Path(filename)
    kind = path.suffix.lower()
    if kind not in (".obj", ".stl"):
        raise ValueError(f"{filename} is no mesh that is read here; give an .obj or an .stl file")
    data = path.read_bytes()
    try:
        parts = [part for part in (_obj(data) if kind == ".obj" else [_stl(data)]) if len(part[1])]
    except (ValueError, IndexError) as error:
        raise ValueError(f"{filename} is no {kind} file: {error}") from None
    if not parts:
        raise ValueError(f"{filename} has no faces; give a mesh with some")
    return parts


def _stl(data: bytes) -> Mesh:
    if len(data) >= _STL_HEAD and len(data) == _STL_HEAD + _STL.itemsize * int.from_bytes(data[80:84], "little"):
        corners = np.frombuffer(data, _STL, offset=_STL_HEAD)["corners"].astype(np.float64)
    else:
        words = [line.split() for line in data.decode("utf-8", "replace").splitlines()]
        corners = np.array([[float(x) for x in line[1:4]] for line in words if line[:1] == ["vertex"]])
        corners = corners.reshape(-1, 3, 3)
    points, places = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    return points, places.reshape(-1, 3).astype(np.intp)


def _obj(data: bytes) -> Iterator[Mesh]:
    """Objects and groups of a Wavefront file, every face as a fan from its first corner."""
    points: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for line in data.decode("utf-8", "replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            points.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:
            numbers = [int(word.split("/")[0]) for word in words[1:]]
            face = [n - 1 if n > 0 else len(points) + n for n in numbers]
            triangles += [(face[0], face[i], face[i + 1]) for i in range(1, len(face) - 1)]
        elif words[:1] in (["o"], ["g"]) and triangles:
            yield _used(points, triangles)
            triangles = []
    yield _used(points, triangles)


def _used(points: list[list[float]], triangles: list[tuple[int, int, int]]) -> Mesh:
    """The corners that triangles name, and the triangles by their new places."""
    found = np.array(triangles, dtype=np.intp).reshape(-1, 3)
    used, places = np.unique(found, return_inverse=True)
    return np.array(points, dtype=np.float64).reshape(-1, 3)[used], places.reshape(-1, 3).astype(np.intp)
