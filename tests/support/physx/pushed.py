"""Real PhysX with writes between the steps: forces on links, efforts, targets and states.

A job of the oracle with a script, {step: {name: values}}, written before that step (the first is "1", "*" is every
one). Names are those of the oracle's WRITABLE, "link_force" (n_link, 6: force and torque at the centres of mass), and
"body_force", "body_velocity", "body_pose" (n_body, ...) of bodies outside articulations.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import util
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Script = Mapping[int | str, Mapping[str, ArrayLike]]
BODIES = {"body_force": "RIGID_BODY_WRENCH", "body_velocity": "RIGID_BODY_VELOCITY", "body_pose": "RIGID_BODY_POSE"}


def pushed(usd: str | Path, dt: float, steps: int, script: Script | None = None, q: ArrayLike | None = None,
           qd: ArrayLike | None = None, **options: Any) -> dict[str, Any]:
    """A job for `run_pushed`; the options are those of the oracle's sim_job."""
    from physx_oracle import sim_job

    job: dict[str, Any] = sim_job(usd, dt, steps, q, qd, **options)
    job["script"] = {str(step): {name: np.asarray(values, dtype=float).tolist() for name, values in writes.items()}
                     for step, writes in (script or {}).items()}
    return job


def run_pushed(jobs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Results of several jobs from one engine process, as the oracle's run_jobs gives them."""
    import physx_oracle

    there = physx_oracle.__file__
    os.environ["PHYSX_ORACLE_FILE"] = str(there)
    physx_oracle.__file__ = __file__        # the program it starts
    try:
        results: list[dict[str, Any]] = physx_oracle.run_jobs(jobs)
    finally:
        physx_oracle.__file__ = there
    return results


# --- in the engine's process -----------------------------------------------------------------------------------------

class _Writer:
    """Writes what a script says before a step."""

    def __init__(self, oracle: Any, physx: Any, arts: Sequence[Any], bodies: Sequence[str]) -> None:
        self._oracle, self._physx, self._arts, self._bodies = oracle, physx, arts, bodies
        self._bound: dict[str, Any] = {}

    def write(self, name: str, values: Any) -> None:
        if name in BODIES:
            self._write_bodies(name, np.asarray(values, dtype=np.float32))
        elif name == "link_force":
            pose, com = (self._arts[0].read(f"ARTICULATION_{x}") for x in ("LINK_POSE", "BODY_COM_POSE"))
            wrench = np.concatenate([values, _centers(pose, com)], axis=1)
            self._arts[0].write("ARTICULATION_LINK_WRENCH", wrench)
        else:
            self._arts[0].write(self._oracle.WRITABLE[name], values)

    def close(self) -> None:
        for binding in self._bound.values():
            binding.destroy()

    def _write_bodies(self, name: str, values: NDArray[np.float32]) -> None:
        if name == "body_force":
            pose, com = (self._read_bodies(x) for x in ("RIGID_BODY_POSE", "RIGID_BODY_COM_POSE"))
            values = np.concatenate([values, _centers(pose, com)], axis=1).astype(np.float32)
        self._binding(BODIES[name]).write(np.ascontiguousarray(values))

    def _read_bodies(self, kind: str) -> NDArray[np.float32]:
        binding = self._binding(kind)
        out = np.zeros(binding.shape, dtype=np.float32)
        binding.read(out)
        return out

    def _binding(self, kind: str) -> Any:
        from ovphysx.types import TensorType

        if kind not in self._bound:
            self._bound[kind] = self._physx.create_tensor_binding(
                prim_paths=list(self._bodies), tensor_type=getattr(TensorType, kind))
        return self._bound[kind]


def _centers(pose: NDArray[np.float32], com: NDArray[np.float32]) -> NDArray[np.float64]:
    """World positions of centres of mass."""
    axis, w, local = pose[:, 3:6].astype(float), pose[:, 6:7].astype(float), com[:, :3].astype(float)
    turn = 2.0 * np.cross(axis, local)
    return np.asarray(pose[:, :3] + local + w * turn + np.cross(axis, turn))


def _record(oracle: Any, physx: Any, job: Mapping[str, Any], arts: Sequence[Any], rigid: Mapping[str, Any],
            data: dict[str, Any]) -> None:
    """As the oracle's own, every step, with the job's script."""
    rows: dict[str, list[Any]] = {}
    writer = _Writer(oracle, physx, arts, [str(path) for path in data["rigid_paths"]])
    kinds = oracle.STATE | {name: oracle.EXTRA[name] for name in job["extra"]}

    def snap() -> None:
        for k, art in enumerate(arts):
            for name, kind in kinds.items():
                rows.setdefault(name if k == 0 else f"@{art.root}|{name}", []).append(np.array(art.read(kind)))
        for key, binding in rigid.items():
            out = np.zeros(binding.shape, dtype=np.float32)
            binding.read(out)
            rows.setdefault(key, []).append(out)

    for name, values in job["script"].get("0", {}).items():
        writer.write(name, values)
    snap()
    for step in range(1, int(job["steps"]) + 1):
        if job.get("effort") is not None:
            writer.write("effort", job["effort"])
        for name, values in {**job["script"].get("*", {}), **job["script"].get(str(step), {})}.items():
            writer.write(name, values)
        physx.step_sync(job["dt"])
        snap()
    writer.close()
    data.update({name: np.stack(values) for name, values in rows.items()})
    data["time"] = np.arange(int(job["steps"]) + 1) * job["dt"]


def _main(folder: str) -> None:
    spec = util.spec_from_file_location("physx_oracle", os.environ["PHYSX_ORACLE_FILE"])
    if spec is None or spec.loader is None:
        raise ImportError(f"no oracle at {os.environ['PHYSX_ORACLE_FILE']}")
    oracle = util.module_from_spec(spec)
    spec.loader.exec_module(oracle)
    oracle._record = lambda *arguments: _record(oracle, *arguments)
    oracle._worker(folder)


if __name__ == "__main__":
    _main(sys.argv[2])
