"""A process of the real engine, in which a module of this package is asked about one stage after another.

It runs in the interpreter that has ovphysx, which need not have anything of this project installed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from support.places import ROOT

Question = Callable[[Any, Any], Any]        # of the engine and a stage attached to it: what can be written as JSON


def answers(module: str, stages: Sequence[str], timeout: float = 600.0) -> list[Any]:
    """What a module that ends in `serve` answers for each stage, given as USDA text or as a path.

    A stage that PhysX refuses gives {"refused": why}. Raises RuntimeError where the process does not come to its end.
    """
    python = os.environ.get("ORACLE_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "answers.json")
        paths = [_path(stage, Path(folder, f"{i}.usda")) for i, stage in enumerate(stages)]
        done = subprocess.run([python, "-m", module, str(out), *paths], capture_output=True, text=True, check=False,
                              timeout=timeout, env=os.environ | {"PYTHONPATH": str(ROOT / "tests")})
        if not out.is_file():
            output = done.stdout + done.stderr
            raise RuntimeError(f"the engine process ended with {done.returncode}:\n{output[-4000:]}")
        found: list[Any] = json.loads(out.read_text(encoding="utf-8"))
        return found


def _path(stage: str, place: Path) -> str:
    if not stage.lstrip().startswith("#usda"):
        return str(Path(stage).resolve())
    place.write_text(stage, encoding="utf-8")
    return str(place)


# --- in the engine's process -----------------------------------------------------------------------------------------

def serve(question: Question) -> None:
    """Answer for the stages named on the command line, and write the answers to its first argument."""
    out, *paths = sys.argv[1:]
    physx = _started()
    try:
        found = [_asked(physx, question, path, index) for index, path in enumerate(paths)]
    finally:
        physx.destroy()
    Path(out).write_text(json.dumps(found), encoding="utf-8")


def _started() -> Any:
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
    return physx


def _asked(physx: Any, question: Question, path: str, index: int) -> Any:
    import ovstage

    stage = ovstage.Stage(f"stage{index}")
    try:
        ovstage.population.open_usd(stage, path, ordinal=1, domains=ovstage.PopulationDomain.ALL)
        stage.advance_write_floor(ordinal=1).wait()
        physx.wait_task(physx.attach_ovstage(stage, read_ordinal=1))
        physx.wait_all()
        return question(physx, stage)
    except RuntimeError as error:       # TaskError of ovphysx among them; what the engine refuses is a fact
        return {"refused": str(error).rpartition(": ")[2].strip()}
    finally:
        if physx.is_stage_attached(stage):
            physx.wait_task(physx.detach_ovstage())
        stage.destroy()
