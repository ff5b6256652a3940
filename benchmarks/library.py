"""Checks of a library of assets with one and two worker processes, and a fleet of cart-poles in constant memory.

    python benchmarks/library.py [ASSETS] [WORLDS]

Prints the time of each run, the ratio of both, and the largest memory of a process for each number of workers.
Asserts that results are the same for every number of workers.
"""

from __future__ import annotations

import resource
import runpy
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from physx_runtime import Scene, Spread, Variation, fleet

ROOT = Path(__file__).resolve().parents[1]
STEPS = 60
BROKEN_PER_LIBRARY = 40


def tilt(scene: Scene, worlds: range) -> None:
    """Start each pole 0.1 rad from upright."""
    scene["/CartPole"].reset(joint_position=[0.0, 0.1])


def make_assets(folder: Path, count: int) -> None:
    """Write variations of the robots of the examples, some of them cut off."""
    sources = []
    for name in ("cart_pole", "finger"):
        path = folder.parent / f"{name}.usda"
        runpy.run_path(str(ROOT / "examples" / f"{name}.py"))["build"](str(path))
        sources.append(path.read_text(encoding="utf-8"))
    folder.mkdir()
    for i in range(count):
        text = sources[i % len(sources)] + f"# {i}\n"
        is_broken = i % max(1, count // BROKEN_PER_LIBRARY) == 0
        (folder / f"asset{i:05}.usda").write_text(text[:len(text) // 2] if is_broken else text, encoding="utf-8")


def timed(*arguments: str) -> tuple[float, bytes]:
    """Time and output of the command line."""
    start = perf_counter()
    program = [sys.executable, "-c", "from physx_schema.cli import main; main()"]
    done = subprocess.run([*program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return perf_counter() - start, done.stdout


def main() -> None:
    """Measure and print."""
    assets, worlds = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((1, 2000), (2, 1_000_000)))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "assets"
        make_assets(folder, assets)
        times = {}
        outputs = set()
        for jobs in (1, 2):
            times[jobs], output = timed("check", str(folder), "--jobs", str(jobs))
            outputs.add(output)
        assert len(outputs) == 1, "the output differs between numbers of workers"
        print(f"check {assets} assets: {times[1]:.1f} s with 1 worker, {times[2]:.1f} s with 2, "
              f"{times[1] / times[2]:.2f}x")
        stage = Path(name) / "cart_pole.usda"
        spread = Variation(1, {"mass": Spread(0.8, 1.2, True)})
        results = []
        for workers in (1, 2, 3):
            start = perf_counter()
            results.append(fleet.run(stage, spread, worlds, STEPS, start=tilt, workers=workers).statistics)
            seconds = perf_counter() - start
            megabytes = max(resource.getrusage(who).ru_maxrss for who in (
                resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
            print(f"{worlds} worlds, {STEPS} steps, {workers} workers: {seconds:.1f} s, {megabytes:.0f} MB")
        assert results[0] == results[1] == results[2], "bits differ between numbers of workers"
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
