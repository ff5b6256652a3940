"""Time `verify` of a hand of 30 joints, remedies included, in fresh processes: with no kernels compiled, and again.

    PYTHONPATH=tests python benchmarks/verify_hand.py

Five alike fingers of six driven hinges with limits, armature and friction, a tendon and a mimic joint each. Times are
of the call; the import of the package comes besides.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from pxr import Usd
from support.stages.robots import base, joint, link, opened, robot
from support.stages.verified_robots import ROOT_SCHEMAS, axis, both, drive, limits, mimic, part

FINGERS, JOINTS = 5, 6
INSIDE = "--inside"


def hand() -> Usd.Stage:
    """The hand."""
    parts = [base()]
    for finger in range(FINGERS):
        parent = "base"
        for i in range(JOINTS):
            name = f"f{finger}l{i}"
            parts.append(link(name, (0, 0.1 * finger, 0.1 * i)))
            schemas, values = both(
                drive("angular", stiffness=0.5, damping=0.05, maxForce=5.0, targetPosition=10.0), limits(-90, 90),
                part("PhysxJointAxisAPI:angular", "physxJointAxis:angular", armature=0.01, staticFrictionEffort=0.1,
                     dynamicFrictionEffort=0.08),
                *([axis(root=True, stiffness=10.0, damping=0.5)] if i == 0 else [axis()] if i < 3 else []),
                *([mimic(reference=f"f{finger}j{i - 1}", gearing=-1.0)] if i == JOINTS - 1 else []))
            at = (0.0, 0.1 * finger if i == 0 else 0.1, 0.0)
            parts.append(joint("Revolute", f"f{finger}j{i}", parent, name, schemas, {
                **values, "uniform token physics:axis": "X", "point3f physics:localPos0": at}))
            parent = name
    counts = "int physxArticulation:solverPositionIterationCount = 32\n"
    return opened(robot(counts, *parts, schemas=ROOT_SCHEMAS))


def timed() -> None:
    """One verification, with its times."""
    from physx_runtime.verification import verify

    stage, wall, cpu = hand(), time.perf_counter(), time.process_time()
    rows = verify(stage).rows
    print(f"{time.perf_counter() - wall:.1f} s on the clock, {time.process_time() - cpu:.1f} s of processor time, "
          f"{len(rows)} rows, {sum(bool(row.equivalent_to) for row in rows)} of them alike to others")


def main() -> None:
    """Cold and warm, each in a process of its own."""
    with tempfile.TemporaryDirectory() as cache:
        for state in ("cold", "warm", "warm"):
            print(state, end=": ", flush=True)
            subprocess.run([sys.executable, __file__, INSIDE], check=True,
                           env={**os.environ, "PHYSX_RUNTIME_CACHE": cache})


if __name__ == "__main__":
    timed() if INSIDE in sys.argv else main()
