"""Steps per second of the CUDA target: packed where USD is installed, checked and timed where a GPU is.

    python benchmarks/cuda_speed.py --pack FOLDER [--newton FOLDER]     # here: a .npz for each robot of engine_speed.py
    python benchmarks/cuda_speed.py FOLDER [--sizes 1024 8192 ...]      # on the GPU machine: no USD is imported

For every robot the first worlds are stepped on the CPU as well and must agree bit for bit in every row of the state;
then batches of several sizes are timed, the state staying on the GPU. Counted are steps of one world by 1/60 s at 32
position iterations and 1 velocity iteration; all worlds must have moved and be finite. Quantities of the Direct API are
held against the CPU likewise and timed, their matrices staying on the GPU. Where CuPy and numba-cuda are, their arrays
and streams go in and out of a step. With PHYSX_RUNTIME_CUDA=host the kernels run on the processor: a rehearsal, no
measurement.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pickle
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

CHECKED, CHECKED_STEPS = 64, 60
CALLS = 32          # of a quantity that are timed
NUDGE = 0.01        # rad or length: what sets worlds apart


def pack(folder: Path, newton: Path | None) -> None:
    """Write topology and authored rows of every robot."""
    from engine_models import models
    from physx_runtime import Simulation
    from physx_runtime.model.row_specs import input_rows, state_rows

    folder.mkdir(parents=True, exist_ok=True)
    for name, stage in models(folder, newton):
        sim = Simulation(str(stage), dtype="float64")
        rows = {row: sim.get(row)[0] for row in state_rows(sim.topology) | input_rows(sim.topology)}
        settings = np.array([sim.settings.position_iterations, sim.settings.velocity_iterations])
        topology = np.frombuffer(pickle.dumps(sim.topology), np.uint8)
        np.savez(folder / f"{name}.npz", topology=topology, settings=settings, **rows)
        print(f"{name}: {len(sim.topology.dofs)} dofs")


def filled(store: Any, t: Any, rows: Any) -> Any:
    """Worlds that differ in their positions, the same in every store."""
    random = np.random.default_rng(0)
    for name, values in rows.items():
        each = np.tile(values, (store.count, 1))
        if name == "q":
            each = each + random.uniform(-NUDGE, NUDGE, each.shape)
        store.write(name, each.astype(store.dtype))
    return store


def states(store: Any, t: Any) -> NDArray[Any]:
    """(worlds, n) of all that a step changes."""
    from physx_runtime.model.row_specs import output_rows

    return np.concatenate([store.rows(name) for name in output_rows(t)], axis=1)


def compare(gpu: Any, t: Any, rows: Any, n: int, v: int, dtype: str, path: str) -> int:
    """How many numbers of the state differ from the CPU after some steps, in any bit."""
    from physx_runtime.worlds.cpu import CompiledWorlds, ScheduledWorlds
    from physx_runtime.worlds.gpu.worlds import CudaWorlds
    from physx_runtime.worlds.store import SCHEDULED

    found, near = [], ScheduledWorlds if path == SCHEDULED else CompiledWorlds
    for store in (near(t, CHECKED, dtype), CudaWorlds(gpu, t, CHECKED, dtype, path)):
        filled(store, t, rows).step(CHECKED_STEPS, n, v)
        found.append(states(store, t))
    return int((~((found[0] == found[1]) | (np.isnan(found[0]) & np.isnan(found[1])))).sum())


def rate(gpu: Any, t: Any, rows: Any, n: int, v: int, worlds: int, dtype: str, path: str, steps: int) -> float:
    """World steps a second."""
    from physx_runtime.worlds.gpu.worlds import CudaWorlds

    store = filled(CudaWorlds(gpu, t, worlds, dtype, path), t, rows)
    before = states(store, t)
    store.step(1, n, v)
    store.rows("diverged")              # which waits for the GPU
    begin = time.perf_counter()
    store.step(steps, n, v)
    store.rows("diverged")
    seconds = time.perf_counter() - begin
    after = states(store, t)
    moved = (np.abs(after - before) > 0).any(axis=1)
    if not np.isfinite(after).all() or not moved.all():
        raise RuntimeError(f"of {worlds} worlds {int(moved.sum())} moved; all must, and stay finite")
    return worlds * steps / seconds


def quantity_rates(gpu: Any, t: Any, rows: Any, worlds: int, dtype: str) -> dict[str, float]:
    """Worlds a second for which quantities are made; the first worlds must have the CPU's bits."""
    from physx_runtime.quantities import state
    from physx_runtime.quantities.state import WorldQuantities
    from physx_runtime.targets.cuda.kernels import StridedView
    from physx_runtime.worlds.cpu import CompiledWorlds
    from physx_runtime.worlds.gpu.views import GpuRows
    from physx_runtime.worlds.gpu.worlds import CudaWorlds

    made, chosen, found = WorldQuantities(t), np.arange(min(worlds, CHECKED)), {}
    near = filled(CompiledWorlds(t, len(chosen), dtype), t, rows)
    far = filled(CudaWorlds(gpu, t, len(chosen), dtype), t, rows)
    store = filled(CudaWorlds(gpu, t, worlds, dtype), t, rows)
    lines = GpuRows(store, 0, worlds)
    for quantity in (state.jacobian, state.mass_without_armature, state.coriolis_compensation):
        one, other = (made.values(quantity, each, chosen, {})["values"] for each in (near, far))
        if not np.array_equal(one, other):
            raise RuntimeError(f"{quantity.__name__}: numbers differ from the CPU; none may")
        size = one.shape[1]
        memory = gpu.allocate(worlds * size * one.itemsize, "matrices")
        places = {"values": StridedView(memory.address, of_line=size)}
        made.gpu.run(quantity, lines, lines.all_worlds(), {}, places)
        gpu.wait(None)
        begin = time.perf_counter()
        for _ in range(CALLS):
            made.gpu.run(quantity, lines, lines.all_worlds(), {}, places)
        gpu.wait(None)
        found[quantity.__name__] = worlds * CALLS / (time.perf_counter() - begin)
    return found


def neighbours(gpu: Any, path: Path) -> str:
    """What became of arrays and streams of CuPy and numba-cuda that went in and out of a step."""
    from physx_runtime.targets.cuda.kernels import DRIVER, back_end
    from physx_runtime.worlds.gpu.arrays import stream_of
    from physx_runtime.worlds.gpu.worlds import CudaWorlds

    if back_end() != DRIVER:
        return "not tried: there is no GPU"
    packed, said = dict(np.load(path)), []
    t, (n, v) = pickle.loads(packed.pop("topology").tobytes()), map(int, packed.pop("settings"))
    store, plain = (filled(CudaWorlds(gpu, t, CHECKED, "float32"), t, packed) for _ in range(2))
    for package in ("cupy", "numba.cuda"):
        try:
            module = importlib.import_module(package)
        except ImportError:
            said.append(f"{package} is not installed")
            continue
        stream = module.cuda.Stream(non_blocking=True) if package == "cupy" else module.stream()
        positions = store.rows("q")
        held = module.asarray(positions) if package == "cupy" else module.to_device(positions)
        module.cuda.Device().synchronize() if package == "cupy" else module.synchronize()
        store.stream = stream_of(stream)
        store.write_from("q", held)
        store.step(1, n, v)
        store.read_into("q", held)
        gpu.wait(store.stream)
        back = held.get() if package == "cupy" else held.copy_to_host()
        plain.step(1, n, v)
        said.append(f"{package}: {'as it should' if np.array_equal(back, plain.rows('q')) else 'NUMBERS DIFFER'}")
        store.stream = None
    return ", ".join(said)


def measure(gpu: Any, path: Path, design: str, arguments: argparse.Namespace) -> None:
    """Print the lines of a robot in a design, chosen where none is named, or along the generic path."""
    from physx_runtime.compiling.cuda.source import DESIGN_VARIABLE
    from physx_runtime.targets.cuda.driver import DeviceError
    from physx_runtime.worlds.gpu.worlds import load_step
    from physx_runtime.worlds.store import COMPILED, SCHEDULED

    path_taken = SCHEDULED if design == SCHEDULED else COMPILED
    os.environ[DESIGN_VARIABLE] = "" if design == SCHEDULED else design
    packed = dict(np.load(path))
    t = pickle.loads(packed.pop("topology").tobytes())
    n, v = map(int, packed.pop("settings"))
    for dtype in arguments.dtypes:
        begin = time.perf_counter()
        source = load_step(gpu, t, dtype, path_taken).source
        seconds = time.perf_counter() - begin
        named = design or source.design
        differing = compare(gpu, t, packed, n, v, dtype, path_taken)
        if differing:
            raise RuntimeError(f"{path.stem}: {differing} numbers of the state differ from the CPU; none may")
        for worlds in arguments.sizes:
            try:
                found = rate(gpu, t, packed, n, v, worlds, dtype, path_taken, arguments.steps)
                made = quantity_rates(gpu, t, packed, worlds, dtype)
            except DeviceError as error:        # too many for its memory
                print(f"| {path.stem} | {dtype} | {named} | {worlds} | {error} |", flush=True)
                continue
            rates = " | ".join(f"{each / 1e6:.2f}" for each in made.values())
            print(f"| {path.stem} | {dtype} | {named} | {worlds} | {found / 1e6:.2f} | {rates} | "
                  f"{seconds:.1f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pack", action="store_true", help="write the robots instead of timing them")
    parser.add_argument("--newton", type=Path, help="folder into which newton was installed")
    parser.add_argument("--robots", nargs="+", help="only these")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1024, 8192, 65536])
    parser.add_argument("--dtypes", nargs="+", default=["float32"])
    parser.add_argument("--designs", nargs="+", default=["", "generic"],
                        help="of the kernels, '' for the one that is chosen, 'generic' for the path by that name")
    parser.add_argument("--steps", type=int, default=32)
    arguments = parser.parse_args()
    if arguments.pack:
        pack(arguments.folder, arguments.newton)
        return
    from physx_runtime.targets.cuda.kernels import find_gpu

    gpu = find_gpu()
    print(f"{gpu.name}, {gpu.architecture}\n\n"
          "| robot | dtype | design | worlds | M steps/s | M Jacobians/s | M mass matrices/s | M Coriolis forces/s | "
          "s to trace and compile |\n|---|---|---|---|---|---|---|---|---|")
    for path in sorted(arguments.folder.glob("*.npz")):
        if not arguments.robots or path.stem in arguments.robots:
            for design in arguments.designs:
                measure(gpu, path, design, arguments)
    first = min(arguments.folder.glob("*.npz"), key=lambda path: path.stat().st_size)
    print(f"\narrays and streams of others: {neighbours(gpu, first)}")


if __name__ == "__main__":
    main()
