"""What PhysX makes of a stage: its articulations, bodies and joints, read before any step, and velocities after one.

Run by the interpreter that has ovphysx; `measured_facts` starts it. A stage that PhysX refuses gives {"refused": why}.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Facts = dict[str, Any]

STEP = 0.01     # s
BODY = ("position", "orientation", "mass", "linearVelocity")
JOINT = (
    "jointPosition", "jointVelocity", "jointLimit", "jointStiffness", "jointDamping", "jointMaxForce", "jointArmature",
    "jointMaxVelocity", "jointStaticFriction", "jointDynamicFriction", "jointViscousFriction", "jointPositionTarget",
    "jointVelocityTarget", "jointMaxActuatorVelocity", "jointSpeedEffortGradient", "jointVelocityDependentResistance",
)
ARTICULATION = ("isFixedBase", "linkCount", "dofCount")
DIGITS = 7      # more than float32 holds


def measured_facts(stages: Mapping[str, str], timeout: float = 600.0) -> dict[str, Facts]:
    """Facts of stages given as USDA text, by name, all from one engine process."""
    python = os.environ.get("ORACLE_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        for i, text in enumerate(stages.values()):
            Path(folder, f"{i}.usda").write_text(text, encoding="utf-8")
        done = subprocess.run([python, __file__, folder, str(len(stages))], capture_output=True, text=True,
                              timeout=timeout, check=False)
        out = Path(folder, "facts.json")
        if not out.is_file():
            output = done.stdout + done.stderr
            raise RuntimeError(f"the engine process ended with {done.returncode}:\n{output[-4000:]}")
        return dict(zip(stages, json.loads(out.read_text(encoding="utf-8")), strict=True))


def _rows(physx: Any, stage: Any, kind: Any, columns: tuple[str, ...]) -> list[Facts]:
    """One dict for each object, in the engine's order; paths may repeat."""
    import ovstage
    from ovphysx.types import ObjectScope

    rows: list[Facts] = []
    for column in columns:
        with physx.read_sync(kind, [column], scope=ObjectScope.ALL) as result:
            with ovstage.PathDictionary(stage) as book:
                position = 0
                for group in result.groups:
                    names = [str(name) for name in book.get_path_strings(group.prim_list)]
                    names = names[group.prim_offset:group.prim_offset + group.prim_count] or names
                    tables = [tensor.numpy() for tensor in group.tensors]
                    values = tables if len(tables) == len(names) > 1 else tables[0].reshape(len(names), -1)
                    for name, value in zip(names, values, strict=True):
                        if position == len(rows):
                            rows.append({"path": name})
                        rows[position][column] = [float(f"{float(item):.{DIGITS}g}") for item in value.ravel()]
                        position += 1
            result.groups.clear()
    return rows


def _facts(physx: Any, stage: Any) -> Facts:
    from ovphysx.types import SimObjectType as Kind

    links = _rows(physx, stage, Kind.ARTICULATION_LINK, BODY[:2])
    articulations = _rows(physx, stage, Kind.ARTICULATION, ARTICULATION)
    place = 0
    for row in articulations:
        count = int(row["linkCount"][0])
        row["links"] = [link["path"] for link in links[place:place + count]]
        place += count
    bodies = [row for row in _rows(physx, stage, Kind.RIGID_BODY, BODY[:3]) if "mass" in row]     # no instancers
    found = {
        "articulations": articulations, "links": links, "bodies": bodies,
        "joints": _rows(physx, stage, Kind.ARTICULATION_JOINT, JOINT),
        "free joints": sorted(row["path"] for row in _rows(physx, stage, Kind.JOINT, ("physxPointer",))),
    }
    physx.step_sync(STEP)
    moved = (_rows(physx, stage, kind, ("position", "linearVelocity")) for kind in (Kind.RIGID_BODY,
                                                                                   Kind.ARTICULATION_LINK))
    found["velocities"] = {row["path"]: row["linearVelocity"] for rows in moved for row in rows
                           if len(row.get("linearVelocity", ())) == 3}
    return found


def _measure(physx: Any, path: str, index: int) -> Facts:
    import ovstage

    stage = ovstage.Stage(f"facts{index}")
    try:
        ovstage.population.open_usd(stage, path, ordinal=1, domains=ovstage.PopulationDomain.ALL)
        stage.advance_write_floor(ordinal=1).wait()
        physx.wait_task(physx.attach_ovstage(stage, read_ordinal=1))
        physx.wait_all()
        return _facts(physx, stage)
    except RuntimeError as error:       # TaskError of ovphysx among them; what the engine refuses is a fact
        return {"refused": str(error).rpartition(": ")[2].strip()}
    finally:
        if physx.is_stage_attached(stage):
            physx.wait_task(physx.detach_ovstage())
        stage.destroy()


def _main(folder: str, count: int) -> None:
    os.environ.setdefault("OVPHYSX_LOG", "error")
    from importlib import metadata

    import ovphysx
    import ovstage
    from ovphysx import PhysX

    PhysX.set_cpu_mode(True)
    schemas = metadata.distribution("physx-usd-schemas")
    folders = [str(schemas.locate_file(f"physx_usd_schemas/{name}/resources"))
               for name in ("PhysxSchema", "OmniUsdPhysicsDeformableSchema")]
    physx = PhysX()
    ovstage.population.register_usd_schemas([*folders, str(ovphysx.newton_schema_root())])
    results = [_measure(physx, str(Path(folder, f"{i}.usda")), i) for i in range(count)]
    Path(folder, "facts.json").write_text(json.dumps(results), encoding="utf-8")
    physx.destroy()


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]))
