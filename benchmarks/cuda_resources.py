"""What a thread of every kernel takes on a GPU, as ptxas says: compiled through NVRTC for architectures, without a GPU.

    python benchmarks/cuda_resources.py [--robots arm ...] [--architectures sm_90 ...] [--designs held ...] [--write]

The robots are those of the speed benchmarks in float32 (tests/support/chance/packed_models.py). With --write the
numbers become the ceilings that tests/runtime/compiling/cuda/test_cubin.py holds kernels under.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import astuple
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from physx_runtime.compiling.cuda.cubin import Resources, kernel_resources
from physx_runtime.compiling.cuda.source import DESIGNS, KERNEL, choose_design, emit_kernels, max_rows
from physx_runtime.solver.program import step_program
from physx_runtime.worlds.gpu.worlds import scheduled_kernel
from support.chance.packed_models import CEILINGS, EVERYTHING, LARGE, SMALL, packed_robot

ARCHITECTURES = ("sm_80", "sm_90", "sm_120")
# Of a multiprocessor: registers, which warps take in portions of so many, and blocks at most, here a warp each.
REGISTERS, PORTION, WARP = 65_536, 256, 32
MOST_BLOCKS = {"sm_80": 32, "sm_90": 32, "sm_120": 24}


def warps(resources: Resources, architecture: str) -> int:
    """How many warps of a kernel a multiprocessor holds, by its registers."""
    each = -(-resources.registers * WARP // PORTION) * PORTION
    return min(MOST_BLOCKS[architecture], REGISTERS // each)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", nargs="+", default=[*SMALL, *LARGE, *EVERYTHING])
    parser.add_argument("--architectures", nargs="+", default=ARCHITECTURES)
    parser.add_argument("--designs", nargs="+", choices=DESIGNS, help="instead of the one that is chosen")
    parser.add_argument("--write", action="store_true", help="keep the numbers of the chosen design as ceilings")
    arguments = parser.parse_args()
    ceilings = json.loads(CEILINGS.read_text()) if CEILINGS.is_file() else {}
    print("| robot | architecture | design | rows | kernel | registers | spilled, stored / loaded bytes | code KB | "
          "warps a multiprocessor |\n|---|---|---|---|---|---|---|---|---|")
    for robot in arguments.robots:
        program = step_program(packed_robot(robot)[0])
        for architecture in arguments.architectures:
            for design in arguments.designs or [choose_design(program)]:
                source, begin = emit_kernels(program, "float32", design), time.process_time()
                found = kernel_resources(source.text, architecture)
                print(f"{robot} {architecture} {design}: {time.process_time() - begin:.1f} processor seconds",
                      file=sys.stderr, flush=True)
                own = {kernel.name: found[kernel.name] for kernel in source.kernels}
                print_lines(f"{robot} | {architecture} | {design} | {max_rows(program)}", own, architecture)
                if arguments.write:
                    keep(ceilings, robot, architecture, own)
            source, begin = scheduled_kernel(packed_robot(robot)[0], "float32"), time.process_time()
            own = {KERNEL: kernel_resources(source.text, architecture)[KERNEL]}
            print(f"{robot} {architecture} generic: {time.process_time() - begin:.1f} processor seconds",
                  file=sys.stderr, flush=True)
            print_lines(f"{robot} | {architecture} | generic | {source.rows + source.scratch}", own, architecture)
            if arguments.write:
                keep(ceilings, robot, architecture, own)


def keep(ceilings: dict[str, dict[str, dict[str, tuple[int, ...]]]], robot: str, architecture: str,
         found: Mapping[str, Resources]) -> None:
    """Write what kernels take into the file of ceilings."""
    ceilings.setdefault(robot, {}).setdefault(architecture, {}).update({name: astuple(one)
                                                                        for name, one in found.items()})
    CEILINGS.write_text(json.dumps(ceilings, indent=1) + "\n")


def print_lines(label: str, kernels: Mapping[str, Resources], architecture: str) -> None:
    """The lines of the table for the kernels of a robot."""
    for name, one in kernels.items():
        print(f"| {label} | {name} | {one.registers} | {one.spill_stores} / {one.spill_loads} | "
              f"{one.code / 1024:.0f} | {warps(one, architecture)} |", flush=True)


if __name__ == "__main__":
    main()
