"""A policy that acts in real PhysX: the engine's own states go into the network, and its output is the next effort.

Run in the engine's process as `python policy_replay.py FOLDER`; FOLDER has jobs.json and policy.npz.
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


def replay(stage: str | Path, weights: Sequence[Any], starts: Sequence[tuple[Any, Any]], steps: int, dt: float,
           force: float) -> list[dict[str, Any]]:
    """The states of PhysX, q and qd (steps + 1, 2), from each start (q, qd), while the policy pushes the first joint.

    weights: of a network of tanh layers with a linear output; the effort is the output times `force`, at most `force`.
    """
    import physx_oracle

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "policy.npz", *weights)
        jobs = [physx_oracle.sim_job(str(stage), dt, steps, q, v, effort=[force, 0.0]) for q, v in starts]
        (folder / "jobs.json").write_text(json.dumps({"cpu": True, "jobs": jobs}))
        done = subprocess.run([os.environ.get("ORACLE_PYTHON", sys.executable), __file__, name], text=True,
                              capture_output=True, check=False, timeout=600, env=os.environ | {
                                  "PYTHONPATH": str(Path(physx_oracle.__file__).parent)})
        files = [folder / f"out{i}.npz" for i in range(len(jobs))]
        if not all(file.is_file() for file in files):
            raise RuntimeError(f"PhysX ended with {done.returncode}: {(done.stdout + done.stderr)[-2000:]}")
        return [physx_oracle._load(file) for file in files]


def network(weights: Sequence[Any], x: Any) -> Any:
    """The output of the network for one state."""
    for i in range(0, len(weights) - 2, 2):
        x = np.tanh(x @ weights[i] + weights[i + 1])
    return (x @ weights[-2] + weights[-1])[0]


def _act_in_physx(folder: str) -> None:
    import physx_oracle

    with np.load(Path(folder) / "policy.npz") as data:
        weights = [data[name] for name in data.files]

    def record(physx: Any, job: dict[str, Any], arts: Sequence[Any], rigid: Any, data: dict[str, Any]) -> None:
        robot, force, states = arts[0], job["effort"][0], []
        for step in range(int(job["steps"]) + 1):
            q, v = (np.array(robot.read(physx_oracle.STATE[name])) for name in ("q", "qd"))
            states.append((q, v))
            if step < int(job["steps"]):
                action = force * network(weights, np.concatenate([q, v]).astype(np.float32))
                robot.write(physx_oracle.WRITABLE["effort"], [np.clip(action, -force, force), 0.0])
                physx.step_sync(job["dt"])
        data["q"], data["qd"] = (np.stack(kind) for kind in zip(*states, strict=True))

    physx_oracle._record = record
    physx_oracle._worker(folder)


if __name__ == "__main__":
    _act_in_physx(sys.argv[1])
