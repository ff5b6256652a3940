"""World steps per second of processor time of the ant of examples/train_ant.py, with and without self-collision.

    python benchmarks/self_collision_speed.py [--worlds 512]

Counted are steps by 1/120 s with random targets, on the CPU in float32, after 0.5 s in which the ants land. After the
timing, all ants must have moved and be finite.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import physx_runtime
from pxr import Usd

from physx_schema import PhysxArticulationAPI

ROOT = Path(__file__).resolve().parents[1]
LANDED, STEPS, HELD = 60, 120, 4        # steps; a target is held for 4 steps


def steps_per_second(stage: Usd.Stage, worlds: int) -> float:
    """World steps per second of processor time."""
    scene, rng = physx_runtime.Scene(stage, worlds=worlds, dt=1 / 120), np.random.default_rng(0)
    scene.step(LANDED)
    before, begin = scene.joint_position, time.process_time()
    for _ in range(STEPS // HELD):
        scene["/Ant"].set("target_position", rng.uniform(-0.5, 0.5, (worlds, 8)))
        scene.step(HELD)
    seconds, after = time.process_time() - begin, scene.joint_position
    if scene.diverged.any() or not (np.abs(after - before).max(axis=1) > 0.0).all():
        raise RuntimeError("an ant stands still, or is not finite")
    return STEPS * worlds / seconds


def main() -> None:
    """Print both speeds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=512)
    worlds = parser.parse_args().worlds
    sys.path.insert(0, str(ROOT / "examples"))
    import train_ant

    with tempfile.TemporaryDirectory() as folder:
        train_ant.build(Path(folder) / "ant.usda")
        stage = Usd.Stage.Open(str(Path(folder) / "ant.usda"))
        for enabled in (False, True):
            PhysxArticulationAPI(stage.GetPrimAtPath("/Ant")).CreateEnabledSelfCollisionsAttr(enabled)
            print(f"self-collision {enabled}: {steps_per_second(stage, worlds):,.0f} world steps per second")


if __name__ == "__main__":
    main()
