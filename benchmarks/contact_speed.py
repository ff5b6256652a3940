"""Steps per second of an ant on the ground, beside real PhysX and MuJoCo C, interleaved in one run on one core.

    ORACLE_PYTHON=<python with ovphysx> python benchmarks/contact_speed.py STAGE

STAGE has one articulation and a plane, such as the recorded case `ant_on_plane`. Counted are steps of one world by
1/60 s under 32 position iterations and 1 velocity iteration, after a second in which the robot has landed; small random
efforts keep every world awake. PhysX steps copies of the robot apart on one plane. MuJoCo steps the same links and
colliders, which meet the plane alone, with one Newton iteration. Timed is the processor time of each engine's process;
after every timing worlds are counted, all must have moved, be finite and touch the ground.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
WORLDS = {"ours": 1024, "PhysX": 256, "MuJoCo": 256}
LANDED = 60             # steps
DT, EFFORT, CHANGES, APART = 1 / 60, 0.05, 8, 4.0       # s, N m, m


class Ours:
    """This runtime: efforts written and positions read each step."""

    def __init__(self, stage: Path, dtype: str) -> None:
        from physx_runtime import Scene

        self.worlds = WORLDS["ours"]
        self._scene = Scene(str(stage), self.worlds, dt=DT, dtype=dtype, sleeping=False)
        self._actor = self._scene[self._scene.actors[0]]
        shape = (CHANGES, *self._scene.joint_position.shape)
        self._efforts = np.random.default_rng(0).uniform(-EFFORT, EFFORT, shape).astype(dtype)
        self.run(LANDED)

    def run(self, steps: int) -> float:
        """Seconds of the processor."""
        import time

        start, begin = self._scene.joint_position, time.process_time()
        for i in range(steps):
            self._actor.set("joint_effort", self._efforts[i % CHANGES])
            self._scene.step()
            end = self._scene.joint_position
        seconds = time.process_time() - begin
        check("ours", start, end, self.worlds)
        touching = len(np.unique(self._scene.contacts.worlds)) if steps < LANDED else self.worlds
        if touching < self.worlds:
            raise RuntimeError(f"{touching} of {self.worlds} worlds touch the ground")
        return seconds


class MuJoCo:
    """MuJoCo C through its own batched rollout."""

    def __init__(self, stage: Path) -> None:
        import mujoco
        from engine_peers import mujoco_model
        from mujoco import rollout
        from physx_runtime import NotSimulatedWarning

        self.worlds, self._rollout = WORLDS["MuJoCo"], rollout.Rollout(nthread=0)
        with warnings.catch_warnings():         # the robot is read from a simulation of it alone
            warnings.simplefilter("ignore", NotSimulatedWarning)
            self._model, authored = mujoco_model(stage, True, grounded=True)
        self._data = [mujoco.MjData(self._model)]
        state = np.zeros(mujoco.mj_stateSize(self._model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
        mujoco.mj_getState(self._model, authored, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        self._state, self._random = np.tile(state, (self.worlds, 1)), np.random.default_rng(0)
        self.run(LANDED)

    def run(self, steps: int) -> float:
        """Seconds of the processor."""
        import time

        control = self._random.uniform(-EFFORT, EFFORT, (self.worlds, steps, self._model.nu))
        begin = time.process_time()
        state, _ = self._rollout.rollout([self._model] * self.worlds, self._data, self._state, control, nstep=steps,
                                         skip_checks=False)
        seconds = time.process_time() - begin
        places = slice(1, 1 + self._model.nq)
        check("MuJoCo", self._state[:, places], state[:, -1, places], self.worlds)
        if self._data[0].ncon < 1 or any(self._data[0].warning[i].number for i in range(len(self._data[0].warning))):
            raise RuntimeError("an ant of MuJoCo is off the ground, or its state is bad")
        self._state = np.ascontiguousarray(state[:, -1])
        return seconds


def real_physx(stage: Path, folder: Path) -> Any:
    """Copies of the robot in PhysX."""
    from physx_process import PhysXProcess

    copies = folder / "copies.usda"
    job = {"stage": str(copies), "roots": spread(stage, copies, WORLDS["PhysX"]), "dt": DT, "effort": EFFORT,
           "changes": CHANGES, "threads": 0, "clock": "process_time"}
    engine = PhysXProcess(Path(__file__).with_name("engine_physx.py"), folder)
    engine.worlds = WORLDS["PhysX"]         # type: ignore[attr-defined]
    engine.ask(json.dumps(job), "ready")
    engine.run(LANDED)
    return engine


def spread(source: Path, target: Path, worlds: int) -> list[str]:
    """Copies of the stage's robot in a grid on its plane; the paths of their articulation roots."""
    from pxr import Gf, Sdf, Usd, UsdGeom

    from physx_schema.description import describe

    root = Sdf.Path(describe(str(source)).articulations[0].path)
    robot = root.GetPrefixes()[0]
    layer, out = Sdf.Layer.FindOrOpen(str(source)), Sdf.Layer.CreateNew(str(target))
    out.TransferContent(layer)
    stage = Usd.Stage.Open(out)
    side = int(np.ceil(np.sqrt(worlds)))
    for i in range(worlds):
        place = UsdGeom.Xform.Define(stage, f"/env{i}")
        place.AddTranslateOp().Set(Gf.Vec3d(APART * (i % side), APART * (i // side), 0.0))
        Sdf.CopySpec(layer, robot, out, f"/env{i}/robot")
    stage.RemovePrim(robot)
    out.Save()
    return [str(root.ReplacePrefix(robot, Sdf.Path(f"/env{i}/robot"))) for i in range(worlds)]


def check(name: str, start: Array, end: Array, worlds: int) -> None:
    """What makes a time mean something."""
    if len(end) != worlds or not np.isfinite(end).all() or not np.abs(end - start).max(axis=1).all():
        raise RuntimeError(f"{name}: {len(end)} of {worlds} worlds; all must move and stay finite")


def measure(stage: Path, rounds: int, steps: int) -> None:
    """Rates of all engines, in turns; medians and the ratios of each round."""
    with tempfile.TemporaryDirectory() as folder:
        engines = {"f32": Ours(stage, "float32"), "f64": Ours(stage, "float64"), "MuJoCo": MuJoCo(stage),
                   "PhysX": real_physx(stage, Path(folder))}
        found: dict[str, list[float]] = {name: [] for name in engines}
        for _ in range(rounds):
            for name, engine in engines.items():
                found[name].append(engine.worlds * steps / engine.run(steps))
        engines["PhysX"].close()
    for name, rates in found.items():
        print(f"{name:8} {statistics.median(rates) / 1e3:9.1f} k/s   " + " ".join(f"{r / 1e3:.1f}" for r in rates))
    for ours in ("f32", "f64"):
        for peer in ("PhysX", "MuJoCo"):
            ratios = [a / b for a, b in zip(found[ours], found[peer], strict=True)]
            print(f"{ours} / {peer}: {statistics.median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--core", type=int, default=0)
    parser.add_argument("--held", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.held:
        measure(arguments.stage, arguments.rounds, arguments.steps)
        return
    subprocess.run([sys.executable, __file__, *sys.argv[1:], "--held"], check=True,
                   env=os.environ | {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
                   preexec_fn=lambda: os.sched_setaffinity(0, {arguments.core}))


if __name__ == "__main__":
    main()
