"""Time to trace and compile the specialised step of the robots of `engine_speed.py`, cold and from the cache.

    python benchmarks/compile_speed.py [--newton FOLDER] [--robots arm ant]

Each is measured in a fresh process, imports left out; cold is with an empty cache folder. Time passes on the clock and,
on all cores together, in the processor; the first is the longer one where other work keeps the cores busy.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ONE = """
import sys, time
import numpy
from physx_runtime.packing.articulation import pack
from physx_runtime.worlds import specialised
from physx_schema.description import describe
description = describe(sys.argv[1])
topology = pack(description.articulations[0], description.scene).topology
begin = time.perf_counter(), time.process_time()
specialised.compile_step(topology, sys.argv[2], specialised.block_lanes(topology, sys.argv[2]))
print(time.perf_counter() - begin[0], time.process_time() - begin[1])
"""


def seconds(stage: Path, dtype: str, cache: str) -> tuple[float, float]:
    """Time on the clock and in the processor of one process' first step function."""
    done = subprocess.run([sys.executable, "-c", ONE, str(stage), dtype], capture_output=True, text=True, check=True,
                          env=os.environ | {"PHYSX_RUNTIME_CACHE": cache})
    clock, processor = map(float, done.stdout.split())
    return clock, processor


def main() -> None:
    from engine_models import models

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--newton", type=Path, help="folder into which newton was installed")
    parser.add_argument("--robots", nargs="+", help="only these")
    arguments = parser.parse_args()
    print("| robot | dtype | cold: clock s | processor s | from the cache: clock s |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, stage in models(Path(folder), arguments.newton):
            if not arguments.robots or name in arguments.robots:
                for dtype in ("float32", "float64"):
                    with tempfile.TemporaryDirectory() as cache:
                        (clock, processor), (warm, _) = (seconds(stage, dtype, cache) for _ in range(2))
                    print(f"| {name} | {dtype} | {clock:.2f} | {processor:.2f} | {warm:.2f} |", flush=True)


if __name__ == "__main__":
    main()
