"""Recorded motions of touching bodies, kept small in a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from physx_runtime.collision.shapes import CONTACT, EMPTY, SHAPE, Geometry, Hulls

from support.physx.touching import Touching

PARTS = ("points", "triangles", "scale")        # of a mesh
HULLS = "hulls."        # names of what a file keeps of hulls begin so


def write(path: Path, touching: Touching) -> None:
    """Write a motion; what it holds is read back bit for bit."""
    rows = [(step, *sides, len(contacts)) for step, found in enumerate(touching.contacts)
            for sides, contacts in found.items()]
    contacts = [found[sides] for found in touching.contacts for sides in found]
    meshes = {f"{name}{k}": part for k, mesh in enumerate(touching.meshes)
              for name, part in zip(PARTS, mesh, strict=True)}
    np.savez_compressed(path, **meshes, shapes=touching.shapes, bodies=np.array(touching.bodies),
                        moving=touching.moving,
                        apart=np.array(touching.apart, np.int64).reshape(-1, 2), poses=touching.poses,
                        rows=np.array(rows, np.int64).reshape(-1, 4),
                        contacts=np.concatenate([np.zeros(0, CONTACT), *contacts]),
                        **{HULLS + name: part for name, part in touching.geometry.hulls._asdict().items()})


def read(path: Path) -> Touching:
    """A motion that was written."""
    with np.load(path) as file:
        data = {name: file[name] for name in file.files}
    steps: list[dict[tuple[int, int], np.ndarray]] = [{} for _ in data["poses"]]
    first = 0
    for step, side0, side1, count in data["rows"]:
        steps[step][int(side0), int(side1)] = data["contacts"][first:first + count]
        first += count
    meshes = sum(name.startswith("points") for name in data)
    return Touching(_shapes(data["shapes"]), tuple(data["bodies"].tolist()), int(data["moving"]),
                    tuple((int(i), int(j)) for i, j in data["apart"]), data["poses"], tuple(steps),
                    tuple((data[f"points{k}"], data[f"triangles{k}"], data[f"scale{k}"]) for k in range(meshes)),
                    _stored_geometry(data))


def _stored_geometry(data: dict[str, np.ndarray]) -> Geometry:
    """Hulls, where the file has any."""
    hulls = (data.get(HULLS + name, none) for name, none in EMPTY.hulls._asdict().items())
    return EMPTY._replace(hulls=Hulls(*hulls))


def _shapes(kept: np.ndarray) -> np.ndarray:
    """Shapes of which the file may keep fewer fields: of such as have no geometry."""
    shapes = np.zeros(len(kept), SHAPE)
    shapes["scale"] = 1.0
    for name in kept.dtype.names or ():
        shapes[name] = kept[name]
    return shapes
