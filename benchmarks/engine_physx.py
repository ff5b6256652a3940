"""Real PhysX stepping copies of a robot, in a process of its own: its wheel refuses a process with another USD.

Reads one JSON line with the job, answers "ready", then steps as often as each further line says and answers with the
seconds, or ends with a message. Efforts are written and positions read each step.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import metadata
from typing import Any

import numpy as np


def attached(stage_path: str) -> tuple[Any, Any]:
    """PhysX on the CPU and the stage it has loaded, which has to live as long."""
    import ovphysx
    import ovstage

    ovphysx.PhysX.set_cpu_mode(True)
    dist = metadata.distribution("physx-usd-schemas")
    folders = [str(dist.locate_file(f"physx_usd_schemas/{module}/resources"))
               for module in ("PhysxSchema", "OmniUsdPhysicsDeformableSchema")]
    physx = ovphysx.PhysX()
    ovstage.population.register_usd_schemas([*folders, str(ovphysx.newton_schema_root())])
    stage = ovstage.Stage("speed")
    ovstage.population.open_usd(stage, stage_path, ordinal=1, domains=ovstage.PopulationDomain.ALL)
    stage.advance_write_floor(ordinal=1).wait()
    physx.wait_task(physx.attach_ovstage(stage, read_ordinal=1))
    physx.wait_all()
    return physx, stage


def main() -> None:
    job = json.loads(sys.stdin.readline())
    from ovphysx import set_global_config
    from ovphysx.types import GlobalConfigKey, TensorType

    set_global_config(GlobalConfigKey.NUM_THREADS, job["threads"])
    physx, _stage = attached(job["stage"])
    effort, q = (physx.create_tensor_binding(prim_paths=job["roots"], tensor_type=kind) for kind in (
        TensorType.ARTICULATION_DOF_ACTUATION_FORCE, TensorType.ARTICULATION_DOF_POSITION))
    if q.shape[0] != len(job["roots"]):
        raise SystemExit(f"PhysX bound {q.shape[0]} articulations of {len(job['roots'])}")
    clock = getattr(time, job["clock"])
    random, size, changes = np.random.default_rng(0), job["effort"], job["changes"]
    efforts = random.uniform(-size, size, (changes, *effort.shape)).astype(np.float32)
    start, end = np.zeros(q.shape, np.float32), np.zeros(q.shape, np.float32)
    print("ready", flush=True)
    for line in sys.stdin:
        q.read(start)
        begin = clock()
        for i in range(int(line)):
            effort.write(efforts[i % changes])
            physx.step_sync(job["dt"])
            q.read(end)
        seconds = clock() - begin
        if not np.isfinite(end).all() or not np.abs(end - start).max(axis=1).all():
            raise SystemExit("a world of PhysX did not move or is not finite")
        print(f"seconds {seconds}", flush=True)


if __name__ == "__main__":
    main()
