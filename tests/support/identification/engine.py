"""Real PhysX under commands that change in every step.

Run in the engine's process as `python engine.py FOLDER`; FOLDER has jobs.json and commands.npz.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np


def commanded(stage: str, names: Sequence[str], position: Any, velocity: Any, dt: float) -> tuple[Any, Any]:
    """Joint positions and velocities (n_step + 1, n_joint) under targets (n_step, n_joint) of the named joints."""
    import physx_oracle

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "stage.usda").write_text(stage)
        np.savez(folder / "commands.npz", position=position, velocity=velocity, names=np.array(names))
        job = physx_oracle.sim_job(str(folder / "stage.usda"), dt, len(position), np.asarray(position)[0])
        (folder / "jobs.json").write_text(json.dumps({"cpu": True, "jobs": [job]}))
        done = subprocess.run([os.environ.get("ORACLE_PYTHON", sys.executable), __file__, name], text=True,
                              capture_output=True, check=False, timeout=600, env=os.environ | {
                                  "PYTHONPATH": str(Path(physx_oracle.__file__).parent)})
        if not (folder / "out0.npz").is_file():
            raise RuntimeError(f"PhysX ended with {done.returncode}: {(done.stdout + done.stderr)[-2000:]}")
        result = physx_oracle._load(folder / "out0.npz")
        order = [list(result["dof_names"]).index(joint) for joint in names]
        return result["q"][:, order].astype(float), result["qd"][:, order].astype(float)


def _command_physx(folder: str) -> None:
    import physx_oracle

    with np.load(Path(folder) / "commands.npz") as data:
        tables, names = {"target": data["position"], "target_vel": data["velocity"]}, data["names"].tolist()

    def record(physx: Any, job: dict[str, Any], arts: Sequence[Any], rigid: Any, data: dict[str, Any]) -> None:
        robot, states = arts[0], []
        order = [names.index(joint) for joint in robot.binding(physx_oracle.STATE["q"]).dof_names]
        robot.write(physx_oracle.STATE["q"], tables["target"][0][order])
        for step in range(int(job["steps"]) + 1):
            states.append([np.array(robot.read(physx_oracle.STATE[name])) for name in ("q", "qd")])
            if step < int(job["steps"]):
                for name, values in tables.items():
                    robot.write(physx_oracle.WRITABLE[name], values[step][order])
                physx.step_sync(job["dt"])
        data["q"], data["qd"] = np.stack(states, axis=1)

    physx_oracle._record = record
    physx_oracle._worker(folder)


if __name__ == "__main__":
    _command_physx(sys.argv[1])
