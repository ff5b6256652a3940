"""Measure how the convex decompositions of PhysX compare with those of VHACD 4 (vhacdx on PyPI) at its parameters.

Rays from three sides meet static meshes with convexDecomposition in real PhysX, with and without shrinkWrap, the
meshes themselves and VHACD's hulls. Needs ORACLE_PYTHON, an interpreter with ovphysx, and vhacdx.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.physx.engine import answers
from support.physx.ray_depths import rays
from support.stages.meshes import Mesh, box, mesh_prim, single, torus
from support.stages.robots import HEAD, prim

from physx_schema.description.collision.cropped_hull import HullLimits, cook_hull

# physxConvexDecompositionCollision:* unauthored, by VHACD's names.
PARAMETERS = {"maxConvexHulls": 32, "resolution": 500000, "minimumVolumePercentErrorAllowed": 10.0,
              "maxNumVerticesPerCH": 64}
NEAR = 0.005    # m, rays that are told to agree; the meshes are 2 to 2.6 m wide


def extruded(outline: Sequence[tuple[float, float]], parts: Sequence[tuple[int, ...]], thickness: float = 0.8) -> Mesh:
    """A prism over an outline, whose ends are convex parts."""
    count = len(outline)
    walls = [(i, (i + 1) % count, count + (i + 1) % count, count + i) for i in range(count)]
    ends = [face for part in parts for face in (part[::-1], tuple(count + i for i in part))]
    return single([(x, y, z) for z in (-thickness / 2, thickness / 2) for x, y in outline]), [*ends, *walls]


MESHES = {
    "box": box(2, 1.5, 1),
    "L": extruded(((-1, -1), (1, -1), (1, -0.4), (-0.4, -0.4), (-0.4, 1), (-1, 1)), ((0, 1, 2, 3), (0, 3, 4, 5))),
    "U": extruded(((-1, -1), (1, -1), (1, 1), (0.5, 1), (0.5, -0.5), (-0.5, -0.5), (-0.5, 1), (-1, 1)),
                  ((0, 1, 4, 5), (1, 2, 3, 4), (0, 5, 6, 7))),
    "ring": torus(24, 12, 1.0, 0.3),
}


def triangles(mesh: Mesh) -> Any:
    """Faces as fans, as VHACD takes them: 3 and the corners of each."""
    return np.array([(3, face[0], face[i], face[i + 1]) for face in mesh[1] for i in range(1, len(face) - 1)],
                    np.uint32).ravel()


def depths(hulls: list[Any]) -> Any:
    """How far rays go before they meet one of some hulls, -1 where they meet none."""
    origins, directions = rays()
    best = np.full(len(origins), np.inf)
    for points in hulls:
        hull = cook_hull(points, np.zeros((0, 3), np.intp), HullLimits())
        if hull is None:
            continue
        planes = hull.planes.astype(float)
        along, height = directions @ planes[:, :3].T, origins @ planes[:, :3].T + planes[:, 3]
        with np.errstate(divide="ignore", invalid="ignore"):
            cut = -height / along
        enter = np.where(along < -1e-12, cut, -np.inf).max(axis=1)
        leave = np.where(along > 1e-12, cut, np.inf).min(axis=1)
        outside = ((np.abs(along) <= 1e-12) & (height > 0.0)).any(axis=1)
        best = np.where(~outside & (enter <= leave) & (enter >= 0.0), np.minimum(best, enter), best)
    return np.where(np.isinf(best), -1.0, best)


def apart(ours: Any, others: Any) -> str:
    """How far rays go less than others, of those that meet something in both."""
    both = (ours > 0.0) & (others > 0.0)
    gap = (others - ours)[both]
    low, high = np.quantile(gap, [0.05, 0.95])
    return (f"{np.mean(np.abs(gap) < NEAR):5.1%} of {both.sum()} rays within {NEAR} m; out by {np.median(gap):.4f} "
            f"({low:.4f} to {high:.4f})")


def stage(mesh: Mesh, approximation: str, shrunk: bool) -> str:
    """A static mesh."""
    schemas = ["PhysxConvexDecompositionCollisionAPI"] if shrunk else []
    more = {"bool physxConvexDecompositionCollision:shrinkWrap": True} if shrunk else {}
    return HEAD.format(meters=1.0, kilograms=1.0) + prim("PhysicsScene", "scene") + mesh_prim(
        mesh, approximation, schemas, more=more)


def main() -> None:
    """For each mesh, PhysX beside the mesh itself, and beside VHACD."""
    vhacd = importlib.import_module("vhacdx")
    asked = (("none", False), ("convexDecomposition", False), ("convexDecomposition", True))
    found = answers("support.physx.ray_depths", [stage(mesh, *kind) for mesh in MESHES.values() for kind in asked])
    for i, (name, mesh) in enumerate(MESHES.items()):
        exact, *theirs = (np.array(found[len(asked) * i + k]) for k in range(len(asked)))
        for shrunk, real in zip((False, True), theirs, strict=True):
            parts = vhacd.compute_vhacd(mesh[0], triangles(mesh), shrinkWrap=shrunk, **PARAMETERS)
            ours = depths([points for points, _ in parts])
            label = f"{name}, shrinkWrap {shrunk}"
            print(f"{label:26} PhysX beside the mesh: {apart(real, exact)}")
            print(f"{'':26} PhysX beside {len(parts)} hulls of VHACD: {apart(real, ours)}")


if __name__ == "__main__":
    main()
