"""Steps per CPU second of the generic path and of real PhysX on chains of 7 to 100 joints, and time to a first step.

    ORACLE_PYTHON=<python with ovphysx> python benchmarks/generic_speed.py [--dofs 7,30,60,100] [--rounds 3]

Both engines step the same stage at 32/1 iterations in one run, in turns, with a drive, limits, friction and armature on
every joint and random joint efforts. CPU seconds of all threads count, so that whatever else runs on the machine counts
less. Asserted on both sides: the number of articulations, that every world moved and that the state is finite. Starts
are measured in wall time in child processes: with an empty kernel cache, for another topology with
the fragments of the first one cached, and again.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from step_speed import replicate, time_physx, time_runtime
from support.stages.tendon_stages import driven_chain

START = """
import sys, time
from physx_runtime import Simulation
from physx_schema.description import describe
description = describe(sys.argv[1])
begin = time.perf_counter()
sim = Simulation(description, path=sys.argv[2])
sim.step()
print("start", time.perf_counter() - begin)
"""


def time_start(stage: Path, cache: Path, path: str) -> float:
    """Seconds to the first step in a new process."""
    done = subprocess.run([sys.executable, "-c", START, str(stage), path], capture_output=True, text=True, check=True,
                          env=os.environ | {"PHYSX_RUNTIME_CACHE": str(cache)})
    return float(done.stdout.split()[-1])


def print_starts(folder: Path, first: Path, second: Path) -> None:
    """Cold and cached starts of both paths."""
    for path in ("generic", "specialised"):
        cache = folder / f"cache_{path}"
        seconds = [time_start(stage, cache, path) for stage in (first, second, second)]
        print(f"first step, {path:11s} " + ", ".join(f"{name} {value:.2f} s" for name, value in zip(
            ("empty cache", "another topology", "cached"), seconds, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dofs", default="7,30,60,100")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, {arguments.steps} steps, best of "
              f"{arguments.rounds} interleaved rounds; world steps per CPU second")
        for dofs in map(int, arguments.dofs.split(",")):
            stage, copies, worlds = folder / f"chain{dofs}.usda", folder / f"copies{dofs}.usda", max(32, 1024 // dofs)
            driven_chain(stage, dofs)
            replicate(stage, copies, worlds)
            rates: dict[str, list[float]] = {}
            for _ in range(arguments.rounds):
                rates.setdefault("generic", []).append(time_runtime(
                    stage, 16 * worlds, arguments.steps, "float32", "generic", "process_time"))
                if "ORACLE_PYTHON" in os.environ:
                    rates.setdefault("PhysX", []).append(time_physx(copies, worlds, arguments.steps, "process_time"))
            best = {engine: max(values) for engine, values in rates.items()}
            ratio = {e: f" ({r / best['PhysX']:.0f}x)" if "PhysX" in best and e != "PhysX" else ""
                     for e, r in best.items()}
            print(f"{dofs:4d} dofs   " + "   ".join(f"{e} {r:,.0f}{ratio[e]}" for e, r in best.items()), flush=True)
        other = folder / "chain8.usda"
        driven_chain(other, 8)
        driven_chain(folder / "chain7.usda", 7)
        print_starts(folder, folder / "chain7.usda", other)


if __name__ == "__main__":
    main()
