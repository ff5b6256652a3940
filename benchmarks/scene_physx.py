"""Real PhysX stepping a stage, in a process of its own: its wheel refuses a process with another USD.

Reads one JSON line with the job, answers with the number of bodies, then steps as often as each further line says and
answers with the seconds, or ends with a message.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np
from engine_physx import attached


def positions(physx: Any) -> np.ndarray:
    """Of every body and link."""
    from ovphysx.types import ObjectScope, SimObjectType

    found = []
    for kind in (SimObjectType.RIGID_BODY, SimObjectType.ARTICULATION_LINK):
        with physx.read_sync(kind, ["position"], scope=ObjectScope.ALL) as result:
            found += [np.array(tensor.numpy(), np.float32).reshape(-1, 3) for group in result.groups
                      for tensor in group.tensors]
            result.groups.clear()
    return np.concatenate(found)


def main() -> None:
    job = json.loads(sys.stdin.readline())
    from ovphysx import set_global_config
    from ovphysx.types import GlobalConfigKey

    set_global_config(GlobalConfigKey.NUM_THREADS, 0)
    physx, _stage = attached(job["stage"])
    print("bodies", len(positions(physx)), flush=True)
    for line in sys.stdin:
        start = positions(physx)
        begin = time.process_time()
        for _ in range(int(line)):
            physx.step_sync(job["dt"])
        seconds = time.process_time() - begin
        end = positions(physx)
        still = np.abs(end - start).max(axis=1) == 0.0
        if not np.isfinite(end).all() or still.sum() > job["still"]:
            raise SystemExit(f"{still.sum()} bodies of PhysX did not move, or are not finite")
        print(f"seconds {seconds}", flush=True)


if __name__ == "__main__":
    main()
