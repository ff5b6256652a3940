"""Measure in real PhysX how far the estimates of the mass of convexDecomposition colliders are from what it makes.

PHYSX_ORACLE names the folder with `scene_recorder.py`, ORACLE_PYTHON the interpreter that has ovphysx.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
FOLDER = os.environ.get("PHYSX_ORACLE", "")
if not Path(FOLDER, "scene_recorder.py").is_file():
    sys.exit(f"PHYSX_ORACLE is {FOLDER!r}: set it to the folder that holds scene_recorder.py")
sys.path[:0] = [str(ROOT / "tests"), FOLDER]

from support.stages.meshes import Mesh, ball, box, cone, mesh_prim, single, torus  # noqa: E402
from support.stages.robots import HEAD, opened, prim  # noqa: E402

from physx_schema.description import describe  # noqa: E402


def angle() -> Mesh:
    """An L of thickness 0.4, closed."""
    outline = ((0, 0), (2, 0), (2, 0.5), (0.5, 0.5), (0.5, 1.5), (0, 1.5))
    count = len(outline)
    walls = [(i, (i + 1) % count, count + (i + 1) % count, count + i) for i in range(count)]
    ends = [tuple(reversed(range(count))), tuple(range(count, 2 * count))]
    return single([(x, y, z) for z in (0, 0.4) for x, y in outline]), [*ends, *walls]


def main() -> None:
    """One line for each mesh: our estimate beside PhysX."""
    meshes = {"box": box(1, 2, 3), "cone": cone(24), "ball": ball(16, 8), "L": angle(), "torus": torus(24, 12),
              "thin torus": torus(32, 8, 1.0, 0.15)}
    stages = [HEAD.format(meters=1.0, kilograms=1.0) + prim("PhysicsScene", "scene") + prim(
        "Xform", "b", ("PhysicsRigidBodyAPI",), {}, mesh_prim(mesh, "convexDecomposition")) for mesh in meshes.values()]
    jobs = [{"usd": text, "dt": 1 / 60, "steps": 0} for text in stages]
    found = importlib.import_module("scene_recorder").record(jobs)
    for name, text, result in zip(meshes, stages, found, strict=True):
        ours, theirs = describe(opened(text)).bodies[0], result["props"]["/b"]
        mass = float(theirs["mass"][0])
        apart = float(np.abs(np.array(ours.center_of_mass) - theirs["centerOfMassPosition"]).max())
        print(f"{name:12} mass {ours.mass:9.5g}  PhysX {mass:9.5g}  {ours.mass / mass - 1:+7.1%}  "
              f"centre apart {apart:.2g}")


if __name__ == "__main__":
    main()
