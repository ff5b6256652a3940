"""Steps per second of piles of boxes beside real PhysX, on one core, interleaved in one run.

    ORACLE_PYTHON=<python with ovphysx> python benchmarks/pile_speed.py [--rounds N] [--counts 100 1000 10000]

Boxes of 0.2 m, each turned at random, fall from a loose heap onto a plane and come to lie on one another. Steps of
1/60 s, 16 position iterations and 1 velocity iteration, nothing written or read between steps; time is that of the
processes' processors. Both engines first take the steps of the fall untimed; then the pile that forms is timed. After
it bodies are counted, all must have moved since the start and be finite, and as many as in PhysX must touch something.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from physx_process import PhysXProcess

DT = 1 / 60                     # s
SIDE, APART = 0.2, 0.36         # m: of a box, and between the middles of neighbours at the start
FALL, TIMED = 30, 60            # steps
HEAD = ('#usda 1.0\n(\n    metersPerUnit = 1.0\n    kilogramsPerUnit = 1.0\n    upAxis = "Z"\n)\n'
        'def PhysicsScene "Scene" {}\n'
        'def Plane "Ground" (prepend apiSchemas = ["PhysicsCollisionAPI"])\n{\n    uniform token axis = "Z"\n}\n')
BOX = ('def Cube "box{0}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])\n{{\n'
       '    double size = {1}\n    double3 xformOp:translate = ({2[0]:.9g}, {2[1]:.9g}, {2[2]:.9g})\n'
       '    quatd xformOp:orient = ({3[0]:.17g}, {3[1]:.17g}, {3[2]:.17g}, {3[3]:.17g})\n'
       '    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]\n}}\n')


def pile(count: int, path: Path) -> Path:
    """A stage with a loose heap of boxes, as wide as it is high."""
    random, wide = np.random.default_rng(0), math.ceil(count ** (1 / 3))
    turns = random.normal(size=(count, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    index = np.arange(count)
    places = APART * np.c_[index % wide, index // wide % wide, index // wide**2 + 0.6]
    boxes = (BOX.format(i, SIDE, place, turn) for i, (place, turn) in enumerate(zip(places, turns, strict=True)))
    path.write_text(HEAD + "".join(boxes))
    return path


class Ours:
    """This runtime, one call a step."""

    def __init__(self, stage: Path, count: int) -> None:
        from physx_runtime import Scene

        self._scene, self._count = Scene(str(stage), dt=DT), count
        if self._scene.not_simulated:
            raise RuntimeError(f"{self._scene.not_simulated[0].path} is left out")

    def run(self) -> float:
        """Seconds of one core that the timed steps took."""
        scene = self._scene
        scene.reset()
        start = scene.body_pose
        scene.step(FALL)
        begin = time.process_time()
        for _ in range(TIMED):
            scene.step()
        seconds = time.process_time() - begin
        end = scene.body_pose[0]
        still = np.abs(end[:, :3] - start[0, :, :3]).max(axis=1) == 0.0
        if len(end) != self._count or not np.isfinite(end).all() or still.any():
            raise RuntimeError(f"{len(end)} boxes of {self._count}, {still.sum()} did not move")
        return seconds

    def touching(self) -> int:
        """How many contacts the last step had."""
        return len(self._scene.contacts.separations)


def physx_seconds(stage: Path, count: int) -> float:
    """Seconds of one core that the timed steps took PhysX, in a process of its own."""
    physx = PhysXProcess(Path(__file__).with_name("scene_physx.py"), stage.parent)
    try:
        bodies = int(physx.ask(json.dumps({"stage": str(stage), "dt": DT, "still": 0}), "bodies").split()[1])
        if bodies != count:
            raise RuntimeError(f"PhysX has {bodies} boxes of {count}")
        physx.run(FALL)
        return physx.run(TIMED)
    finally:
        physx.close()


def timed(count: int, rounds: int, folder: Path) -> str:
    """A row of the table."""
    stage = pile(count, folder / f"pile{count}.usda")
    begin = time.process_time()
    ours = Ours(stage, count)
    made = time.process_time() - begin
    ours.run()
    found = [(ours.run(), physx_seconds(stage, count)) for _ in range(rounds)]
    own, other = (statistics.median(column) / TIMED for column in zip(*found, strict=True))
    ratios = sorted(second / first for first, second in found)
    return (f"| {count:,} | {ours.touching():,} | {1e3 * own:.2f} | {1e6 * own / (count * math.log(count)):.2f} | "
            f"{1e3 * other:.2f} | {statistics.median(ratios):.2f} | {ratios[0]:.2f} to {ratios[-1]:.2f} | {made:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--counts", type=int, nargs="+", default=[100, 1000, 10_000])
    arguments = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])
    print("| boxes | contacts | ms a step | us a step / (n ln n) | PhysX ms | ratio | rounds | s to make |\n"
          "|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for count in arguments.counts:
            print(timed(count, arguments.rounds, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
