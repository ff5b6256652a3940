"""A policy that acts in real PhysX: the engine's process sends its own states, and a function here answers actions.

Run in the engine's process as `python policy_replay.py FOLDER HANDLE`; FOLDER has jobs.json, and HANDLE is the file
descriptor of a connection.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

State = Mapping[str, Any]       # q, qd (n_dof,); link_pose (n_link, 7) and link_vel (n_link, 6), the root first


def replay(stage: str | Path, act: Callable[[State], Any], starts: Sequence[tuple[Any, Any]], joints: Sequence[str],
           actions: int, dt: float, steps_per_action: int = 1, row: str = "effort") -> list[dict[str, Any]]:
    """The states of PhysX from each start (q, qd), and the actions: each name of State (actions + 1, ...) and `action`.

    joints: the names of joints in the order of q, qd and of the row that actions set, "effort" or "target".
    """
    import physx_oracle

    with tempfile.TemporaryDirectory() as name:
        jobs = [{**physx_oracle.sim_job(str(stage), dt, actions), "row": row, "joints": list(joints),
                 "steps_per_action": steps_per_action, "start": [np.asarray(part).tolist() for part in start]}
                for start in starts]
        Path(name, "jobs.json").write_text(json.dumps({"cpu": True, "jobs": jobs}))
        ours, theirs = Pipe()
        with Path(name, "log").open("w+", encoding="utf-8") as log:
            engine = subprocess.Popen(
                [os.environ.get("ORACLE_PYTHON", sys.executable), __file__, name, str(theirs.fileno())], stdout=log,
                stderr=log, pass_fds=[theirs.fileno()],
                env=os.environ | {"PYTHONPATH": str(Path(physx_oracle.__file__).parent)})
            theirs.close()
            _answer(ours, act)
            engine.wait(timeout=60)
            files = [Path(name, f"out{i}.npz") for i in range(len(jobs))]
            if not all(file.is_file() for file in files):
                log.seek(0)
                raise RuntimeError(f"PhysX ended with {engine.returncode}: {log.read()[-2000:]}")
        return [physx_oracle._load(file) for file in files]


def _answer(engine: Connection, act: Callable[[State], Any]) -> None:
    """Answer each state with an action, until the engine's process ends."""
    while True:
        try:
            state = engine.recv()
        except EOFError:
            return
        engine.send(np.asarray(act(state), np.float64))


# --- in the engine's process -----------------------------------------------------------------------------------------

def _act_in_physx(folder: str, policy: Connection) -> None:
    import physx_oracle

    def record(physx: Any, job: dict[str, Any], arts: Sequence[Any], rigid: Any, data: dict[str, Any]) -> None:
        robot, rows = arts[0], {"action": []}
        names = robot.binding(physx_oracle.STATE["q"]).dof_names
        columns = [names.index(joint) for joint in job["joints"]]

        def write(name: str, values: Any) -> None:
            whole = np.zeros(len(names))
            whole[columns] = values
            robot.write(physx_oracle.WRITABLE[name], whole)

        def read() -> dict[str, Any]:
            state = {name: np.array(robot.read(row)) for name, row in physx_oracle.STATE.items()}
            state |= {name: state[name][columns] for name in ("q", "qd")}
            for name, values in state.items():
                rows.setdefault(name, []).append(values)
            return state

        for name, values in zip(("q", "qd"), job["start"], strict=True):
            write(name, values)
        state = read()
        for _ in range(int(job["steps"])):
            policy.send(state)
            rows["action"].append(policy.recv())
            for _ in range(job["steps_per_action"]):
                write(job["row"], rows["action"][-1])
                physx.step_sync(job["dt"])
            state = read()
        data |= {name: np.stack(values) for name, values in rows.items()}

    physx_oracle._record = record
    physx_oracle._worker(folder)


if __name__ == "__main__":
    _act_in_physx(sys.argv[1], Connection(int(sys.argv[2])))
