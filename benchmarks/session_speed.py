"""What a session costs beside the step itself, on a hand of twenty joints: writing back, following edits, reading anew.

    python benchmarks/session_speed.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from physx_runtime import Session, Simulation
from pxr import Usd, UsdGeom, UsdPhysics

from physx_schema.authoring import articulation_root, drive, fixed_joint, revolute_joint, rigid_body

FINGERS, BONES, LENGTH = 5, 4, 0.03
ROUNDS = 100


def hand() -> Any:
    """A palm held to the world and five fingers of four driven hinges."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdPhysics.Scene.Define(stage, "/Scene")
    root = UsdGeom.Xform.Define(stage, "/Hand").GetPrim()
    rigid_body(stage, "/Hand/palm", mass=0.3, inertia=(1e-3, 1e-3, 1e-3))
    fixed_joint(stage, "/Hand/wrist", None, "/Hand/palm")
    for finger in range(FINGERS):
        below = "/Hand/palm"
        for bone in range(BONES):
            path = f"/Hand/f{finger}b{bone}"
            rigid_body(stage, path, mass=0.02, inertia=(2e-6, 4e-6, 4e-6),
                       position=((bone + 1) * LENGTH, 0.02 * finger, 0.0))
            joint = revolute_joint(stage, f"/Hand/f{finger}j{bone}", below, path, axis="Z" if bone == 0 else "Y")
            drive(joint, stiffness=0.01, damping=0.0002, target=20.0)
            below = path
    articulation_root(root)
    return stage


def milliseconds(work: Callable[[], object]) -> float:
    """The shortest time of a call: what it takes where nothing else runs."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def main() -> None:
    """Print one line a measurement."""
    stage = hand()
    start = time.perf_counter()
    session = Session(stage)
    session.step()
    print(f"first step, reading and compiling included  {time.perf_counter() - start:.2f} s")
    simulation = Simulation(stage)
    print(f"the step alone            {milliseconds(simulation.step):.3f} ms")
    print(f"a session's step          {milliseconds(session.step):.3f} ms")
    targets = [UsdPhysics.DriveAPI(prim, "angular").GetTargetPositionAttr() for prim in stage.Traverse()
               if prim.IsA(UsdPhysics.RevoluteJoint)]
    angles = np.random.default_rng(0)

    def command() -> None:
        for target in targets:
            target.Set(float(angles.uniform(0, 40)))
        session.step()

    print(f"with 20 new drive targets {milliseconds(command):.3f} ms")
    mass = stage.GetAttributeAtPath("/Hand/f0b3.physics:mass")

    def heavier() -> None:
        mass.Set(float(angles.uniform(0.01, 0.03)))
        session.step()

    print(f"with another mass         {milliseconds(heavier):.3f} ms")
    moved = stage.GetAttributeAtPath("/Hand/f0j3.state:angular:physics:position").Get()
    assert np.isfinite(moved)
    assert moved != 0.0


if __name__ == "__main__":
    main()
