"""Simulate a stage that is open: watch the results on it, edit it between steps, and take everything back.

Run with a USD file of your own, or with none for an arm of two hinges:  python examples/live_session.py [robot.usda]
"""

from __future__ import annotations

import sys
from typing import Any

from physx_runtime import Session
from pxr import Usd, UsdGeom, UsdPhysics

from physx_schema.authoring import articulation_root, drive, fixed_joint, revolute_joint, rigid_body

STEPS = 120


def arm() -> Any:
    """A stage in memory with a base, two links and a drive on each hinge; lengths in metres."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdPhysics.Scene.Define(stage, "/Scene")
    root = UsdGeom.Xform.Define(stage, "/Arm").GetPrim()
    for index, name in enumerate(("base", "upper", "lower")):
        rigid_body(stage, f"/Arm/{name}", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0.4 * index, 0.0, 1.0))
    fixed_joint(stage, "/Arm/anchor", None, "/Arm/base")
    for name, parent, child in (("shoulder", "base", "upper"), ("elbow", "upper", "lower")):
        joint = revolute_joint(stage, f"/Arm/{name}", f"/Arm/{parent}", f"/Arm/{child}", axis="Y")
        drive(joint, stiffness=3.0, damping=0.3, target=20.0)
    articulation_root(root)
    return stage


def main() -> None:
    """Step, edit a drive's target, step on, reset."""
    stage = Usd.Stage.Open(sys.argv[1]) if len(sys.argv) > 1 else arm()
    before = stage.GetSessionLayer().ExportToString()
    with Session(stage) as session:
        print(f"stepping {', '.join(session.articulations) or 'nothing'}; {session.counts}")
        for _ in range(STEPS):
            session.step(1 / 60)
        show(stage)
        targets = [prim for prim in stage.Traverse() if prim.HasAPI(UsdPhysics.DriveAPI, "angular")]
        for prim in targets:
            UsdPhysics.DriveAPI(prim, "angular").CreateTargetPositionAttr(-10.0)    # taken up at the next step
        for _ in range(STEPS):
            session.step(1 / 60)
        show(stage)
        for message in session.messages:
            print(message)
        session.reset()
    print("session layer as before:", stage.GetSessionLayer().ExportToString() == before)


def show(stage: Any) -> None:
    """Print the state of every joint, as the stage has it."""
    for prim in stage.Traverse():
        for name in ("state:angular:physics:position", "state:linear:physics:position"):
            if prim.HasAttribute(name):
                print(f"{prim.GetPath()}  {prim.GetAttribute(name).Get():.3f}")


if __name__ == "__main__":
    main()
