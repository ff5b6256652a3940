"""What large stages cost a session: a chain of many links, and many small articulations.

    python benchmarks/session_scaling.py chain 1024
    python benchmarks/session_scaling.py crowd 1000

Seconds of processor time beside those on the clock, since other work on the machine does not count in them.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from typing import Any

from physx_runtime import Session
from pxr import Usd, UsdGeom, UsdPhysics

from physx_schema.authoring import articulation_root, drive, fixed_joint, revolute_joint, rigid_body

LENGTH = 0.1
LATER_STEPS = 3


def stage_of(lengths: list[int]) -> Any:
    """Chains of hinges side by side, each held to the world, of so many links."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdPhysics.Scene.Define(stage, "/Scene")
    for row, length in enumerate(lengths):
        home = f"/R{row}"
        root = UsdGeom.Xform.Define(stage, home).GetPrim()
        rigid_body(stage, f"{home}/base", mass=1.0, inertia=(1e-2,) * 3, position=(0.0, float(row), 0.0))
        fixed_joint(stage, f"{home}/anchor", None, f"{home}/base")
        below = f"{home}/base"
        for i in range(length):
            path = f"{home}/l{i}"
            rigid_body(stage, path, mass=0.1, inertia=(1e-3,) * 3, position=((i + 1) * LENGTH, float(row), 0.0))
            joint = revolute_joint(stage, f"{home}/j{i}", below, path, axis="Y" if i % 2 else "Z")
            drive(joint, stiffness=1.0, damping=0.1, target=10.0)
            below = path
        articulation_root(root)
    return stage


def timed(what: str, work: Callable[[], Any]) -> Any:
    """Print what a call takes, and return what it gives."""
    clock, processor = time.perf_counter(), time.process_time()
    result = work()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what:12} {time.perf_counter() - clock:6.2f} s, {time.process_time() - processor:6.2f} s of processor, "
          f"{memory:.0f} MB at most", flush=True)
    return result


def main(kind: str, count: int) -> None:
    """Print a line for each stage of a session's life."""
    stage = stage_of([count] if kind == "chain" else [2] * count)
    session = timed("made", lambda: Session(stage))
    timed("first step", session.step)
    for _ in range(LATER_STEPS):
        timed("later step", session.step)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
