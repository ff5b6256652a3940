"""Memory over a long run: a session that is stepped, edited and reset, worlds that are stepped and reset, files opened.

    python benchmarks/steady_memory.py [SECONDS]

Every round edits values and the structure of a live stage, steps it, and now and then resets it or begins another
session; beside it, worlds of the same hand and of boxes on the ground are stepped and reset, and the stage is checked,
in an open stage and as a file, which another process tries first. Each minute has a line: rounds so far, the resident
memory of this process, the highest it has been, and how many blocks Python's allocator holds. Nothing is collected
but what Python and this library collect by themselves.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from physx_runtime import Scene, Session, Simulation
from pxr import UsdGeom, UsdPhysics
from session_speed import hand

import physx_schema
from physx_schema.authoring import rigid_body

HOUR, MINUTE = 3600.0, 60.0
RESET, ANEW, CHECKED, STRUCTURE = 50, 400, 40, 7      # every so many rounds
WORLDS, STEPS, SEED = 16, 20, 20


def on_the_ground() -> Any:
    """The hand, and four boxes that fall on a plane beside it."""
    stage = hand()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    plane = UsdGeom.Plane.Define(stage, "/ground")
    UsdPhysics.CollisionAPI.Apply(plane.GetPrim())
    for number in range(4):
        box(stage, number)
    return stage


def box(stage: Any, number: int) -> None:
    """A falling box of a kilogram."""
    path = f"/box{number}"
    rigid_body(stage, path, mass=1.0, inertia=(2e-3, 2e-3, 2e-3), position=(1.0 + number, 0.0, 0.2))
    shape = UsdGeom.Cube.Define(stage, f"{path}/shape")
    shape.CreateSizeAttr(0.1)
    UsdPhysics.CollisionAPI.Apply(shape.GetPrim())


def edit(stage: Any, chance: Any, count: int) -> None:
    """New targets of every drive, a mass, a pose, and now and then a box that comes or goes."""
    for prim in stage.Traverse():
        if prim.IsA(UsdPhysics.RevoluteJoint):
            UsdPhysics.DriveAPI(prim, "angular").GetTargetPositionAttr().Set(float(chance.uniform(0.0, 40.0)))
    stage.GetAttributeAtPath("/Hand/f0b3.physics:mass").Set(float(chance.uniform(0.01, 0.03)))
    place = UsdGeom.Xformable(stage.GetPrimAtPath("/box0")).GetOrderedXformOps()[0].GetAttr()
    place.Set(type(place.Get())(*map(float, chance.uniform(0.2, 0.5, 3))))
    if count % STRUCTURE == 0:
        if stage.GetPrimAtPath("/box3"):
            stage.RemovePrim("/box3")
        else:
            box(stage, 3)


def resident() -> float:
    """Megabytes of this process in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def main(seconds: float) -> None:
    """Run for so long, a line a minute."""
    chance = np.random.default_rng(SEED)
    stage = on_the_ground()
    session = Session(stage)
    simulation, scene = Simulation(hand(), worlds=WORLDS), Scene(on_the_ground(), worlds=WORLDS)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "hand.usda"
        hand().Export(str(file))
        start, shown, count = time.monotonic(), 0.0, 0
        print(f"{'minute':>6} {'rounds':>8} {'MB':>8} {'highest':>8} {'blocks':>9}")
        while (passed := time.monotonic() - start) < seconds:
            if passed >= shown:
                most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
                print(f"{passed / MINUTE:6.0f} {count:8d} {resident():8.1f} {most:8.1f} {sys.getallocatedblocks():9d}",
                      flush=True)
                shown += MINUTE
            count += 1
            edit(stage, chance, count)
            session.step()
            simulation.step(STEPS)
            scene.step(STEPS)
            if count % CHECKED == 0:
                physx_schema.check(stage)
                physx_schema.check(str(file))
            if count % RESET == 0:
                session.reset()
                simulation.reset(chance.random(WORLDS) < 0.5)
                scene.reset()
            if count % ANEW == 0:
                session.close()
                session = Session(stage)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else HOUR)
