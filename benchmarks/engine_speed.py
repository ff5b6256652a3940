"""Steps per second of the runtime beside real PhysX, MuJoCo C and pinocchio, interleaved in one run.

    ORACLE_PYTHON=<python with ovphysx> python benchmarks/engine_speed.py [--newton FOLDER] [--cores 1 2]

Robots: cart-pole and ant of the ovphysx samples, the humanoid of newton's assets (--newton: a folder into which
`pip install --no-deps -t FOLDER newton` put it), an arm of 7 and a tendon hand of 22 dofs authored here, and a floating
biped of 29 hinges, the tree of a Unitree G1 (engine_biped.py); all without colliders. Counted are steps of one world by
1/60 s. Ours and PhysX take 32 position iterations and 1 velocity iteration, have their efforts written and their
positions read each step; random efforts keep every world awake.
MuJoCo steps the same links, armature, springs, dampers, limits and friction loss, once with them and once with all
constraints off, one Newton iteration, no contacts; pinocchio computes accelerations alone (ABA, float64). "f32" and
"f64" are ours along the specialised path. With one core, as `--cores 1` asks, it takes some 5 minutes.

Each engine is timed twice a round, in turns; a round in which a pair differs by more than 10 % is rejected. One core
is timed by the processor time of the engine's process, several by the clock on the wall. After every timing the
engine's worlds are counted, and all must have moved and be finite.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine_peers import Engine

SPREAD = 0.10
WORLDS = {"ours": 1024, "PhysX": 256, "MuJoCo": 256, "pinocchio": 1024}


def engines(stage: Path, cores: int) -> dict[str, Callable[[], Engine]]:
    """What to time on a robot: name -> how to make it."""
    import engine_peers as peers

    found: dict[str, Callable[[], Engine]] = {
        "f32": lambda: peers.Ours(stage, "float32", WORLDS["ours"], cores),
        "f64": lambda: peers.Ours(stage, "float64", WORLDS["ours"], cores),
        "generic f32": lambda: peers.Ours(stage, "float32", WORLDS["ours"], cores, "generic"),
        "generic f64": lambda: peers.Ours(stage, "float64", WORLDS["ours"], cores, "generic"),
        "MuJoCo": lambda: peers.MuJoCo(stage, True, WORLDS["MuJoCo"], cores),
        "MuJoCo free": lambda: peers.MuJoCo(stage, False, WORLDS["MuJoCo"], cores),
        "ABA": lambda: peers.Pinocchio(stage, WORLDS["pinocchio"], cores)}
    if "ORACLE_PYTHON" in os.environ:
        found["PhysX"] = lambda: _best_physx(stage, cores)
    return found


def _best_physx(stage: Path, cores: int) -> Engine:
    """Real PhysX with the number of threads that is fastest on these cores."""
    from engine_peers import RealPhysX

    tried = []
    for threads in (0,) if cores == 1 else (0, cores):
        engine = RealPhysX(stage, threads, WORLDS["PhysX"], cores)
        engine.run(2)
        tried.append((engine.run(4), threads, engine))
    tried.sort(key=lambda item: item[0])
    for _, _, engine in tried[1:]:
        engine.close()
    return tried[0][2]


def rates(stage: Path, cores: int, rounds: int, seconds: float) -> tuple[dict[str, float], int, int]:
    """(median steps per second by engine, rounds kept, rounds taken)."""
    made = {name: make() for name, make in engines(stage, cores).items()}
    steps = {}
    for name, engine in made.items():
        engine.run(2)
        steps[name] = max(2, math.ceil(4 * seconds / engine.run(4)))
    kept: list[dict[str, float]] = []
    every: list[dict[str, float]] = []
    while len(kept) < rounds and len(every) < 3 * rounds:
        pairs = [{name: engine.run(steps[name]) for name, engine in made.items()} for _ in range(2)]
        every.append({name: engine.worlds * steps[name] / min(pair[name] for pair in pairs)
                      for name, engine in made.items()})
        if all(abs(pairs[0][name] - pairs[1][name]) <= SPREAD * pairs[0][name] for name in made):
            kept.append(every[-1])
    if hasattr(made.get("PhysX"), "close"):
        made["PhysX"].close()       # type: ignore[attr-defined]
    return ({name: statistics.median(found[name] for found in kept or every) for name in made}, len(kept), len(every))


def line(name: str, found: dict[str, float], kept: int, taken: int) -> str:
    """A row of the table."""
    cells = [name, *(f"{found[e] / 1e3:,.0f}" if e in found else "-" for e in COLUMNS)]
    for ours, peer in RATIOS:
        cells.append(f"{found[ours] / found[peer]:.1f}" if peer in found else "-")
    return "| " + " | ".join([*cells, f"{kept} of {taken}"]) + " |"


COLUMNS = ("f32", "f64", "generic f32", "generic f64", "PhysX", "MuJoCo", "MuJoCo free", "ABA")
RATIOS = (("f32", "PhysX"), ("f64", "PhysX"), ("f32", "MuJoCo"), ("f64", "MuJoCo"), ("f32", "MuJoCo free"),
          ("generic f32", "PhysX"), ("generic f64", "PhysX"))


def measure(arguments: argparse.Namespace) -> None:
    """The table for one number of cores, in this process, which is held to them."""
    from engine_models import models

    cores = arguments.held
    print("| robot | " + " | ".join(f"{c} k/s" for c in COLUMNS) + " | "
          + " | ".join(f"{a}/{b}" for a, b in RATIOS) + " | rounds kept |")
    print("|" + "---|" * (len(COLUMNS) + len(RATIOS) + 2), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, stage in models(Path(folder), arguments.newton):
            if not arguments.robots or name in arguments.robots:
                print(line(name, *rates(stage, cores, arguments.rounds, arguments.seconds)), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--newton", type=Path, help="folder into which newton was installed")
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--robots", nargs="+", help="only these")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.15, help="length of one timing")
    parser.add_argument("--held", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.held:
        measure(arguments)
        return
    print(f"{platform.processor() or platform.machine()}, {len(os.sched_getaffinity(0))} cores, Python "
          f"{platform.python_version()}; thousand steps of a world a second, and ratios")
    for cores in arguments.cores:
        chosen = sorted(os.sched_getaffinity(0))[:cores]
        print(f"\n{cores} core{'s' * (cores > 1)}\n", flush=True)
        subprocess.run([sys.executable, __file__, *sys.argv[1:], "--held", str(cores)], check=True,
                       env=os.environ | {"NUMBA_NUM_THREADS": str(cores), "OMP_NUM_THREADS": str(cores)},
                       preexec_fn=lambda chosen=chosen: os.sched_setaffinity(0, chosen))


if __name__ == "__main__":
    main()
