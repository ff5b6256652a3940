"""What PhysX makes of rigid bodies and their colliders: mass properties and shape properties, in an engine process.

Run as a program by the interpreter that has ovphysx; `measured_bodies` starts it.
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

COLUMNS = (
    "mass", "inertia", "centerOfMassPosition", "centerOfMassOrientation", "shapeCount", "staticFriction",
    "dynamicFriction", "restitution", "contactOffset", "restOffset", "position", "orientation",
)
Measured = dict[str, dict[str, list[float]]]


def measured_bodies(stages: Sequence[str], timeout: float = 300.0) -> list[Measured]:
    """For each stage, as USDA text or a path: every body's columns by prim path."""
    python = os.environ.get("ORACLE_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i, stage in enumerate(stages):
            path = Path(folder, f"stage{i}.usda")
            if stage.lstrip().startswith("#usda"):
                path.write_text(stage, encoding="utf-8")
            else:
                path = Path(stage).resolve()
            paths.append(str(path))
        out = Path(folder, "out.json")
        done = subprocess.run([python, __file__, str(out), *paths], capture_output=True, text=True, timeout=timeout,
                              check=False)
        if not out.is_file():
            log = (done.stdout + done.stderr)[-4000:]
            raise RuntimeError(f"the engine process ended with {done.returncode}:\n{log}")
        results: list[Measured] = json.loads(out.read_text(encoding="utf-8"))
        return results


def _measure(physx: Any, ovstage: Any, path: str, index: int) -> Measured:
    from ovphysx.types import ObjectScope, SimObjectType

    stage = ovstage.Stage(f"bodies{index}")
    rows: Measured = {}
    try:
        ovstage.population.open_usd(stage, path, ordinal=1, domains=ovstage.PopulationDomain.ALL)
        stage.advance_write_floor(ordinal=1).wait()
        physx.wait_task(physx.attach_ovstage(stage, read_ordinal=1))
        physx.wait_all()
        for kind in (SimObjectType.RIGID_BODY, SimObjectType.ARTICULATION_LINK):
            for column in COLUMNS:
                with physx.read_sync(kind, [column], scope=ObjectScope.ALL) as result:
                    with ovstage.PathDictionary(stage) as book:
                        for group in result.groups:
                            names = list(book.get_path_strings(group.prim_list))
                            data = group.tensors[0].numpy().reshape(len(names), -1)
                            for name, row in zip(names, data, strict=True):
                                rows.setdefault(str(name), {})[column] = [float(value) for value in row]
                    result.groups.clear()
    finally:
        if physx.is_stage_attached(stage):
            physx.wait_task(physx.detach_ovstage())
        stage.destroy()
    return rows


def _main(out: str, paths: Sequence[str]) -> None:
    from importlib import metadata

    import ovphysx
    import ovstage
    from ovphysx import PhysX

    PhysX.set_cpu_mode(True)
    wheel = metadata.distribution("physx-usd-schemas")
    folders = [str(wheel.locate_file(f"physx_usd_schemas/{module}/resources"))
               for module in ("PhysxSchema", "OmniUsdPhysicsDeformableSchema")]
    physx = PhysX()
    ovstage.population.register_usd_schemas([*folders, str(ovphysx.newton_schema_root())])
    try:
        results = [_measure(physx, ovstage, path, index) for index, path in enumerate(paths)]
    finally:
        physx.destroy()
    Path(out).write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2:])
