"""Steps per second of the runtime and of real PhysX on the same stage, side by side in one run.

    ORACLE_PYTHON=<python with ovphysx> python benchmarks/step_speed.py [--worlds 512] [--steps 60]

Both engines step every world by 1/60 s at the stage's own iteration counts, with random joint efforts that keep all
worlds awake. Asserted on both sides: the number of articulations, that every world moved and that the state is finite.
PhysX runs in a child process (its wheel refuses a process with another USD); efforts are written and positions read
each step. Without ORACLE_PYTHON only the runtime is timed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from engine_physx import attached

ROOT = Path(__file__).resolve().parents[1]
FINGER = ROOT / "tests" / "data" / "dynamics" / "fixed_tendon_finger" / "stage.usda"
DT = 1 / 60
EFFORT = 0.5        # force or torque


def replicate(source: Path, target: Path, worlds: int) -> None:
    """The stage with its articulation copied `worlds` times, for an engine that has no worlds of its own."""
    from pxr import Sdf

    layer, out = Sdf.Layer.FindOrOpen(str(source)), Sdf.Layer.CreateNew(str(target))
    out.TransferContent(layer)
    for i in range(worlds):
        Sdf.CreatePrimInLayer(out, f"/World/env{i}").specifier = Sdf.SpecifierDef
        Sdf.CopySpec(layer, "/World/art", out, f"/World/env{i}/art")
    del out.GetPrimAtPath("/World").nameChildren["art"]
    out.Save()


def time_runtime(stage: Path, worlds: int, steps: int, dtype: str, path: str = "auto",
                 clock: str = "perf_counter") -> float:
    """World steps per second of the runtime, measured by a clock of the module time."""
    from physx_runtime import Simulation

    sim = Simulation(stage, worlds=worlds, dt=DT, dtype=dtype, path=path)
    efforts = np.random.default_rng(0).uniform(-EFFORT, EFFORT, (worlds, len(sim.topology.dofs)))
    start = sim.joint_position
    sim.set("joint_effort", efforts)
    sim.step(2)
    now = getattr(time, clock)
    begin = now()
    for _ in range(steps):
        sim.set("joint_effort", efforts)
        sim.step()
        position = sim.joint_position
    seconds = now() - begin
    check(start, position, worlds)
    return worlds * steps / seconds


def check(start: np.ndarray, end: np.ndarray, worlds: int) -> None:
    """What makes a time mean something."""
    assert len(end) == worlds, f"{len(end)} articulations of {worlds}"
    assert np.isfinite(end).all(), "the state is not finite"
    assert (np.abs(end - start).max(axis=1) > 0.0).all(), "a world did not move"


def time_physx(stage: Path, worlds: int, steps: int, clock: str = "perf_counter") -> float:
    """World steps per second of real PhysX, measured in a child process by a clock of the module time."""
    job = json.dumps({"stage": str(stage), "worlds": worlds, "steps": steps, "clock": clock})
    done = subprocess.run([os.environ["ORACLE_PYTHON"], __file__, "--physx", job], capture_output=True, text=True,
                          check=False, env=os.environ | {"OVPHYSX_LOG": "error"})
    rates = [line for line in done.stdout.splitlines() if line.startswith("rate ")]
    if not rates:
        raise RuntimeError(f"PhysX gave no rate (exit {done.returncode}):\n{(done.stdout + done.stderr)[-2000:]}")
    return float(rates[0].split()[1])


def physx_worker(job: dict[str, object]) -> None:
    """In the child: step all copies, efforts in and positions out each step."""
    from ovphysx.types import TensorType

    physx, _stage = attached(str(job["stage"]))
    worlds, steps = int(job["worlds"]), int(job["steps"])
    roots = [f"/World/env{i}/art" for i in range(worlds)]
    effort = physx.create_tensor_binding(prim_paths=roots, tensor_type=TensorType.ARTICULATION_DOF_ACTUATION_FORCE)
    q = physx.create_tensor_binding(prim_paths=roots, tensor_type=TensorType.ARTICULATION_DOF_POSITION)
    values = np.random.default_rng(0).uniform(-EFFORT, EFFORT, effort.shape).astype(np.float32)
    start, end = np.zeros(q.shape, np.float32), np.zeros(q.shape, np.float32)
    q.read(start)
    for _ in range(2):
        effort.write(values)
        physx.step_sync(DT)
    clock = getattr(time, str(job["clock"]))
    begin = clock()
    for _ in range(steps):
        effort.write(values)
        physx.step_sync(DT)
        q.read(end)
    seconds = clock() - begin
    check(start, end, worlds)
    print(f"rate {worlds * steps / seconds}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=512)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--physx", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.physx:
        physx_worker(json.loads(arguments.physx))
        return
    # brings USD, which the worker's engine does not stand
    sys.path.append(str(ROOT / "tests"))
    from support.stages.tendon_stages import driven_arm

    with tempfile.TemporaryDirectory() as folder:
        arm = Path(folder) / "arm.usda"
        driven_arm(arm)
        print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, {arguments.worlds} worlds, "
              f"{arguments.steps} steps, best of {arguments.rounds} interleaved rounds; world steps per second")
        for name, stage in (("finger (3 dof, tendon)", FINGER), ("arm (7 dof)", arm)):
            copies = Path(folder) / f"{stage.parent.name}_copies.usda"
            replicate(stage, copies, arguments.worlds)
            rates: dict[str, list[float]] = {}
            for _ in range(arguments.rounds):
                for dtype in ("float32", "float64"):
                    rates.setdefault(dtype, []).append(time_runtime(stage, arguments.worlds, arguments.steps, dtype))
                if "ORACLE_PYTHON" in os.environ:
                    rates.setdefault("PhysX", []).append(time_physx(copies, arguments.worlds, arguments.steps))
            best = {engine: max(values) for engine, values in rates.items()}
            base = best.get("PhysX")
            ratio = {e: f" ({r / base:.0f}x)" if base and e != "PhysX" else "" for e, r in best.items()}
            print(f"{name:24s}" + "   ".join(f"{e} {r:,.0f}{ratio[e]}" for e, r in best.items()))


if __name__ == "__main__":
    main()
