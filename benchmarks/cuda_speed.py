"""Steps per second of the CUDA target: packed where USD is installed, checked and timed where a GPU is.

    python benchmarks/cuda_speed.py --pack FOLDER [--newton FOLDER]     # here: a .npz for each robot of engine_speed.py
    python benchmarks/cuda_speed.py FOLDER [--sizes 1024 4096 ...]      # on the GPU machine: no USD is imported

For every robot the first worlds are stepped on the CPU as well and compared; then batches of several sizes are timed,
the state staying on the GPU. Counted are steps of one world by 1/60 s at 32 position iterations and 1 velocity
iteration; all worlds must have moved and be finite.
"""

from __future__ import annotations

import argparse
import pickle
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

CHECKED, CHECKED_STEPS = 64, 3
# float32: a few roundings a step; fma contracts elsewhere on the two targets.
TOLERANCE = 2e-5
NUDGE = 0.01        # rad or length: what sets worlds apart


def pack(folder: Path, newton: Path | None) -> None:
    """Write topology and authored rows of every robot."""
    from engine_models import models
    from physx_runtime import Simulation
    from physx_runtime.model.rows import input_rows, state_rows

    folder.mkdir(parents=True, exist_ok=True)
    for name, stage in models(folder, newton):
        sim = Simulation(str(stage), dtype="float64")
        rows = {row: sim.get(row)[0] for row in state_rows(sim.topology) | input_rows(sim.topology)}
        settings = np.array([sim.settings.position_iterations, sim.settings.velocity_iterations])
        topology = np.frombuffer(pickle.dumps(sim.topology), np.uint8)
        np.savez(folder / f"{name}.npz", topology=topology, settings=settings, **rows)
        print(f"{name}: {len(sim.topology.dofs)} dofs")


def buffer(t: Any, rows: Any, worlds: int, dtype: str, lanes: int) -> NDArray[Any]:
    """Blocks of worlds that differ in their positions, for `lanes` worlds a block."""
    from physx_runtime.solver.program import step_program

    layout = step_program(t).layout
    x = np.zeros((-(-worlds // lanes), len(layout), lanes), dtype)
    random = np.random.default_rng(0)
    for name, values in rows.items():
        for i, value in enumerate(values):
            x[:, layout[f"{name}_{i}"], :] = value
    for i in range(len(t.dofs)):
        nudges = random.uniform(-NUDGE, NUDGE, worlds)
        x[:, layout[f"q_{i}"], :] += np.resize(nudges, (len(x), lanes))
    return x


def states(t: Any, x: NDArray[Any], worlds: int) -> NDArray[Any]:
    """(worlds, n) of all that a step changes."""
    from physx_runtime.solver.program import step_program

    program = step_program(t)
    rows = [program.layout[row] for row in program.state]
    return x[:, rows, :].transpose(0, 2, 1).reshape(-1, len(rows))[:worlds]


def compare(t: Any, rows: Any, n: int, v: int) -> float:
    """The largest difference from the CPU after a few steps, relative to numbers above 1."""
    from physx_runtime.targets.cuda import LANES, to_device
    from physx_runtime.worlds.cuda import step_kernel
    from physx_runtime.worlds.specialised import block_lanes, compile_step

    lanes = block_lanes(t, "float32")
    near = buffer(t, rows, CHECKED, "float32", lanes)
    compile_step(t, "float32", lanes)(near, CHECKED_STEPS, n, v)
    far = to_device(buffer(t, rows, CHECKED, "float32", LANES))
    step_kernel(t, "float32").launch(far, CHECKED, CHECKED_STEPS, n, v)
    a, b = states(t, near, CHECKED), states(t, far.copy_to_host(), CHECKED)
    return float((np.abs(a - b) / np.maximum(1.0, np.abs(a))).max())


def rate(t: Any, rows: Any, n: int, v: int, worlds: int, dtype: str, steps: int) -> tuple[float, float]:
    """World steps a second with one launch for all steps, and with a launch a step."""
    from numba import cuda as device
    from physx_runtime.targets.cuda import LANES, to_device
    from physx_runtime.worlds.cuda import step_kernel

    start, kernel = buffer(t, rows, worlds, dtype, LANES), step_kernel(t, dtype)
    x = to_device(start)
    kernel.launch(x, worlds, 1, n, v)
    found = []
    for launches, each in ((1, steps), (steps, 1)):
        device.synchronize()
        begin = time.perf_counter()
        for _ in range(launches):
            kernel.launch(x, worlds, each, n, v)
        device.synchronize()
        found.append(worlds * steps / (time.perf_counter() - begin))
    after = states(t, x.copy_to_host(), worlds)
    moved = np.abs(after - states(t, start, worlds)).max(axis=1)
    if len(after) != worlds or not np.isfinite(after).all() or not moved.all():
        raise RuntimeError(f"of {worlds} worlds {int((moved > 0).sum())} moved; all must, and stay finite")
    return found[0], found[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pack", action="store_true", help="write the robots instead of timing them")
    parser.add_argument("--newton", type=Path, help="folder into which newton was installed")
    parser.add_argument("--robots", nargs="+", help="only these")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1024, 8192, 65536])
    parser.add_argument("--dtypes", nargs="+", default=["float32"])
    parser.add_argument("--steps", type=int, default=32)
    arguments = parser.parse_args()
    if arguments.pack:
        pack(arguments.folder, arguments.newton)
        return
    print("| robot | dtype | worlds | M steps/s, one launch | M steps/s, a launch a step | compile s | error |")
    print("|---|---|---|---|---|---|---|")
    for path in sorted(arguments.folder.glob("*.npz")):
        if arguments.robots and path.stem not in arguments.robots:
            continue
        packed = dict(np.load(path))
        t = pickle.loads(packed.pop("topology").tobytes())
        n, v = map(int, packed.pop("settings"))
        begin = time.perf_counter()
        error = compare(t, packed, n, v)
        seconds = time.perf_counter() - begin
        if not error < TOLERANCE:
            raise RuntimeError(f"{path.stem}: CUDA differs from the CPU by {error:.1e}, allowed are {TOLERANCE:.0e}")
        for dtype in arguments.dtypes:
            for worlds in arguments.sizes:
                whole, single = rate(t, packed, n, v, worlds, dtype, arguments.steps)
                print(f"| {path.stem} | {dtype} | {worlds} | {whole / 1e6:.2f} | {single / 1e6:.2f} | {seconds:.1f} | "
                      f"{error:.0e} |", flush=True)


if __name__ == "__main__":
    main()
