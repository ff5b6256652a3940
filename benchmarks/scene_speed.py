"""Steps per second of scenes with joints outside articulations beside real PhysX, on one core, interleaved in one run.

    ORACLE_PYTHON=<python with ovphysx> python benchmarks/scene_speed.py [--rounds N] [--dtype float64]

A hundred four-bars in one world, as articulations with a loop and as free bodies on hinges, and many worlds of one
gripper with two loops and a mimic joint; PhysX has copies in one scene instead of worlds. Steps of 1/240 s, 32 position
iterations and 1 velocity iteration, nothing written or read between steps; time is that of the processes' processors.
After every timing bodies are counted, and all but the bases must have moved and be finite.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from physx_process import PhysXProcess
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

import four_bar
import two_finger_gripper

DT, APART = 1 / 240, 1.0        # s, m between copies
FOUR_BARS, WORLDS, COPIES = 100, 1024, 256      # COPIES in PhysX for our WORLDS


@dataclass(frozen=True, slots=True)
class Case:
    """The same bodies for both engines."""

    name: str
    ours: Path
    worlds: int         # of ours
    physx: Path
    copies: int         # of what one of our worlds has, in PhysX's scene
    bodies: int         # of one world, all counted
    still: int          # of them, that do not move


class Ours:
    """This runtime, one call a step."""

    def __init__(self, case: Case, dtype: str) -> None:
        from physx_runtime import Scene

        self._case = case
        self._scene = Scene(str(case.ours), case.worlds, dt=DT, dtype=dtype)
        if self._scene.not_simulated:
            raise RuntimeError(f"{case.name}: {self._scene.not_simulated[0].path} is left out")

    def run(self, steps: int) -> float:
        """Seconds of one core that the steps took."""
        self._scene.reset()
        start = self._scene.body_pose
        begin = time.process_time()
        for _ in range(steps):
            self._scene.step()
        seconds = time.process_time() - begin
        end = self._scene.body_pose
        still = np.abs(end[..., :3] - start[..., :3]).max(axis=2) == 0.0
        if end.shape[:2] != (self._case.worlds, self._case.bodies) or not np.isfinite(end).all() or (
                still.sum(axis=1) > self._case.still).any():
            raise RuntimeError(f"{self._case.name}: {end.shape[:2]} worlds and bodies, {still.sum()} still")
        return seconds


class RealPhysX(PhysXProcess):
    """ovphysx in a process of its own, without threads."""

    def __init__(self, case: Case) -> None:
        super().__init__(Path(__file__).with_name("scene_physx.py"), case.physx.parent)
        job = {"stage": str(case.physx), "dt": DT, "still": case.still * case.copies}
        bodies = int(self.ask(json.dumps(job), "bodies").split()[1])
        if bodies != case.bodies * case.copies:
            raise RuntimeError(f"{case.name}: PhysX has {bodies} bodies of {case.bodies * case.copies}")


# --- stages ----------------------------------------------------------------------------------------------------------

def copied(source: Path, target: Path, count: int) -> Path:
    """A stage with copies of the default prim of another one side by side; relationships are followed."""
    layer = Sdf.Layer.FindOrOpen(str(source))
    root = layer.defaultPrim
    out = Usd.Stage.CreateNew(str(target))
    UsdGeom.SetStageMetersPerUnit(out, 1.0)
    UsdGeom.SetStageUpAxis(out, UsdGeom.Tokens.z)
    UsdPhysics.Scene.Define(out, "/Scene")
    for i in range(count):
        place = UsdGeom.Xform.Define(out, f"/copy{i}")
        place.AddTranslateOp().Set(Gf.Vec3d(0.0, APART * i, 0.0))
        Sdf.CopySpec(layer, f"/{root}", out.GetRootLayer(), f"/copy{i}/{root}")
        for prim in Usd.PrimRange(place.GetPrim()):
            _move_world_anchor(prim, Gf.Vec3f(0.0, APART * i, 0.0))
    out.Save()
    return target


def _move_world_anchor(prim: Usd.Prim, by: Gf.Vec3f) -> None:
    """An anchor at the world is given in the world."""
    joint = UsdPhysics.Joint(prim)
    if joint and not joint.GetBody0Rel().GetTargets():
        joint.GetLocalPos0Attr().Set(joint.GetLocalPos0Attr().Get() + by)


def of_free_bodies(source: Path, target: Path) -> Path:
    """The four-bar without an articulation: free bodies on hinges, which its base holds by a fixed joint."""
    stage = Usd.Stage.Open(str(source))
    root = stage.GetDefaultPrim()
    for schema in ("PhysicsArticulationRootAPI", "PhysxArticulationAPI"):
        root.RemoveAppliedSchema(schema)
    stage.Export(str(target))
    return target


def cases(folder: Path) -> Iterator[Case]:
    """What is timed."""
    linkage = folder / "four_bar.usda"
    four_bar.build(linkage)
    loose = of_free_bodies(linkage, folder / "four_bar_of_bodies.usda")
    for name, source in (("100 four-bars, articulations", linkage), ("100 four-bars, free bodies", loose)):
        hundred = copied(source, folder / f"hundred_{source.name}", FOUR_BARS)
        still = FOUR_BARS
        yield Case(name, hundred, 1, hundred, 1, 4 * FOUR_BARS, still)
    hand = folder / "gripper.usda"
    two_finger_gripper.build(hand)
    yield Case(f"{WORLDS} worlds of a gripper", hand, WORLDS, copied(hand, folder / "grippers.usda", COPIES), COPIES,
               7, 1)


def timed(case: Case, dtype: str, rounds: int) -> str:
    """A row of the table; steps are of one world of ours, or of as many bodies in PhysX."""
    ours, physx = Ours(case, dtype), RealPhysX(case)
    try:
        steps = [max(4, int(1.0 / max(engine.run(8) / 8, 1e-6))) for engine in (ours, physx)]
        found = [(case.worlds * steps[0] / ours.run(steps[0]), case.copies * steps[1] / physx.run(steps[1]))
                 for _ in range(rounds)]
    finally:
        physx.close()
    rates = [statistics.median(column) for column in zip(*found, strict=True)]
    ratios = sorted(first / second for first, second in found)
    return (f"| {case.name} | {rates[0]:,.0f} | {rates[1]:,.0f} | {statistics.median(ratios):.1f} | "
            f"{ratios[0]:.1f} to {ratios[-1]:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--dtype", default="float32")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    print("| scene | steps of a world a second | of PhysX | ratio | rounds |\n|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(Path(folder)):
            print(timed(case, arguments.dtype, arguments.rounds), flush=True)


if __name__ == "__main__":
    main()
