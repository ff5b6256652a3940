"""What PhysX does with bodies whose values are edited while it runs, and with velocities said to be local.

Needs an interpreter that has ovphysx (the variable ORACLE_PYTHON); the edits are written to the running stage as its
own users write them. Prints, per case, height and velocity of the body before and after each edit.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

DT, STEPS = 1 / 60, 10
CRATE = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene"
{
    vector3f physics:gravityDirection = (0, 0, -1)
    float physics:gravityMagnitude = 9.81
}
def Xform "crate" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI", "PhysxForceAPI"]
    DATA
)
{
    float physics:mass = 1
    float3 physics:diagonalInertia = (1, 1, 1)
    bool physics:rigidBodyEnabled = true
    bool physics:kinematicEnabled = false
    bool physics:startsAsleep = false
    vector3f physics:velocity = (1, 0, 0)
    vector3f physxForce:force = (0, 0, 0)
    token physxForce:mode = "MODE"
    double3 xformOp:translate = (0, 0, 5)
    quatf xformOp:orient = (0.7071067811865476, 0, 0, 0.7071067811865476)
    float3 xformOp:scale = (2, 1, 1)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient", "xformOp:scale"]
}
"""
LOCAL = 'customData = {\n        bool "physics:localSpaceVelocities" = true\n    }'
# name, text of the stage, edits made one after another
CASES: list[tuple[str, str, list[tuple[str, Any]]]] = [
    ("kinematicEnabled on, off", CRATE, [("physics:kinematicEnabled", True), ("physics:kinematicEnabled", False)]),
    ("startsAsleep on", CRATE, [("physics:startsAsleep", True)]),
    ("force", CRATE, [("physxForce:force", [0.0, 0.0, 20.0])]),
    ("mode acceleration", CRATE.replace("MODE", "acceleration").replace("mass = 1", "mass = 2"),
     [("physxForce:force", [0.0, 0.0, 20.0])]),
    ("mode impulse", CRATE.replace("MODE", "impulse").replace("mass = 1", "mass = 2"),
     [("physxForce:force", [0.0, 0.0, 20.0])]),
    ("local velocities", CRATE.replace("DATA", LOCAL), [("physics:velocity", [1.0, 0.0, 0.0])]),
]


def main() -> None:
    """Run the cases in the interpreter that has the engine, and print them."""
    with tempfile.TemporaryDirectory(prefix="edits") as folder:
        python = os.environ.get("ORACLE_PYTHON", sys.executable)
        done = subprocess.run([python, __file__, "--worker", folder], capture_output=True, text=True, timeout=400)
        found = Path(folder) / "found.json"
        if not found.is_file():
            raise SystemExit(f"the engine gave no result (exit {done.returncode}):\n{done.stdout[-2000:]}"
                             f"{done.stderr[-2000:]}")
        for name, rows in json.loads(found.read_text()):
            print(name)
            for what, position, velocity in rows:
                print(f"    {what:34} at {np.round(position, 4).tolist()} moves {np.round(velocity, 4).tolist()}")


def _worker(folder: Path) -> None:
    import ovphysx
    import ovstage
    from ovphysx import PhysX

    PhysX.set_cpu_mode(True)
    held = metadata.distribution("physx-usd-schemas")
    physx = PhysX()
    families = ("PhysxSchema", "OmniUsdPhysicsDeformableSchema")
    ovstage.population.register_usd_schemas(
        [*(str(held.locate_file(f"physx_usd_schemas/{family}/resources")) for family in families),
         str(ovphysx.newton_schema_root())])
    try:
        found = [(name, _run(physx, ovstage, text.replace("MODE", "force").replace("DATA", ""), edits, folder))
                 for name, text, edits in CASES]
    finally:
        physx.destroy()
    (folder / "found.json").write_text(json.dumps(found))


def _run(physx: Any, ovstage: Any, text: str, edits: list[tuple[str, Any]], folder: Path) -> list[Any]:
    file = folder / "stage.usda"
    file.write_text(text)
    stage = ovstage.Stage("edits")
    rows = []
    try:
        ovstage.population.open_usd(stage, str(file), ordinal=1, domains=ovstage.PopulationDomain.ALL)
        stage.advance_write_floor(ordinal=1).wait()
        physx.wait_task(physx.attach_ovstage(stage, read_ordinal=1))
        rows.append(("start", *_body(physx)))
        _steps(physx)
        rows.append((f"{STEPS} steps", *_body(physx)))
        for i, (name, value) in enumerate(edits):
            _edit(physx, ovstage, stage, name, value, 2 + i)
            rows.append((f"{name} = {value}", *_body(physx)))
            _steps(physx)
            rows.append((f"{STEPS} steps", *_body(physx)))
    finally:
        if physx.is_stage_attached(stage):
            physx.wait_task(physx.detach_ovstage())
        stage.destroy()
    return rows


def _steps(physx: Any) -> None:
    for _ in range(STEPS):
        physx.step_sync(DT)


def _edit(physx: Any, ovstage: Any, stage: Any, name: str, value: Any, ordinal: int) -> None:
    """Write a value to the crate on the running stage, and let the engine take it."""
    from ovphysx.types import ObjectScope, SimObjectType

    lanes = np.size(value)
    code, kind = (ovstage.DLDataTypeCode.kDLBool, np.uint8) if isinstance(value, bool) else (
        ovstage.DLDataTypeCode.kDLFloat, np.float32)
    data = np.array(value, dtype=kind).ravel()
    column = ovstage.make_dltensor(data, dtype=ovstage.DLDataType(code, data.itemsize * 8, lanes), shape=[1], ndim=1)
    with physx.read_sync(SimObjectType.RIGID_BODY, ["position"], scope=ObjectScope.ALL) as result:
        query = stage.query_from_path_list(result.groups[0].prim_list)
        try:
            stage.write_attribute(query, name, ordinal, column, is_array=False).wait()
        finally:
            stage.release_query(query).wait()
        result.groups.clear()
    stage.advance_write_floor(ordinal=ordinal).wait()
    physx.wait_task(physx.update_from_ovstage(ordinal, ordinal))


def _body(physx: Any) -> tuple[list[float], list[float]]:
    """Position and velocity of the crate; empty where the engine has no such body."""
    from ovphysx.types import ObjectScope, SimObjectType

    found = []
    for name in ("position", "linearVelocity"):
        with physx.read_sync(SimObjectType.RIGID_BODY, [name], scope=ObjectScope.ALL) as result:
            found.append([float(x) for group in result.groups for x in np.ravel(group.tensors[0].numpy())])
            result.groups.clear()
    return found[0], found[1]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        _worker(Path(sys.argv[2]))
    else:
        main()
