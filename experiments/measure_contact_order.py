"""Measure in real PhysX what physxScene:solveArticulationContactLast does to a driven link that pushes two boxes.

Needs the oracle (PHYSX_ORACLE and ORACLE_PYTHON, see CONTRIBUTING.md). Prints how far bodies are apart with it and
without, by TGS and by PGS; writes nothing.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests"), os.environ["PHYSX_ORACLE"]]

from scene_recorder import record  # noqa: E402
from support.stages.iteration_stages import prim, stage  # noqa: E402
from support.stages.resting_stages import GROUND, body  # noqa: E402

DT, STEPS = 1 / 60, 40
SHOWN = (5, 10, 20, 40)


def pusher() -> str:
    """A box on a slider along x with a stiff drive and a speed limit."""
    links = body("base", (0, 0, 0.55)) + body("tip", (1.1, 0, 0.55))
    fixed = prim("PhysicsFixedJoint", "fixed", "", {
        "rel physics:body1": "</R/base>", "point3f physics:localPos0": "(0, 0, 0.55)"})
    slider = prim("PhysicsPrismaticJoint", "slider", "PhysicsDriveAPI:linear PhysxJointAPI", {
        "rel physics:body0": "</R/base>", "rel physics:body1": "</R/tip>", "uniform token physics:axis": '"X"',
        "point3f physics:localPos0": "(1.1, 0, 0)", "float drive:linear:physics:stiffness": "2000",
        "float drive:linear:physics:damping": "100", "float drive:linear:physics:targetPosition": "1",
        "float physxJoint:maxJointVelocity": "1.5"})
    return prim("Xform", "R", "PhysicsArticulationRootAPI PhysxArticulationAPI", {}, links + fixed + slider)


def pushing(solver: str, last: bool) -> str:
    """The stage."""
    boxes = body("B", (2.15, 0, 0.5), float__physics_mass="5"), body("C", (3.2, 0.1, 0.5))
    return stage(GROUND, pusher(), *boxes, scene={
        "uniform token physxScene:solverType": f'"{solver}"',
        "bool physxScene:solveArticulationContactLast": str(int(last))})


def main() -> None:
    for solver in ("TGS", "PGS"):
        first, other = record([{"usd": pushing(solver, last), "dt": DT, "steps": STEPS} for last in (False, True)])
        apart = np.abs(first["pos"] - other["pos"]).max(axis=(1, 2))
        print(solver, ", ".join(f"{apart[step]:.4f} m after {step} steps" for step in SHOWN))


if __name__ == "__main__":
    main()
