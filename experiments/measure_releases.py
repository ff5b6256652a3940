"""Measure which releases of real PhysX read the properties of PhysxJointAPI, and Newton's.

Needs the environment that `oracle.py` describes; each interpreter of ORACLE_PYTHONS (separated by colons; ORACLE_PYTHON
where it is not set) has a release of ovphysx. One slider on a fixed base, unit mass, no gravity, one step of 1/60 s
under a drive of stiffness 100 to 1, with which it gets to a speed of 1.658.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from oracle import Part, load_oracle

STEP = 1 / 60


def stages(text: ModuleType) -> dict[str, str]:
    """Stages by what they author beside the drive."""
    def stage(schemas: list[str], **values: float) -> str:
        prefix = {"PhysxJointAxisAPI:linear": "physxJointAxis:linear", "PhysxJointAPI": "physxJoint",
                  "NewtonJointAPI": "newton"}.get(schemas[0], "") if schemas else ""
        beside: Part = schemas, {f"float {prefix}:{name}": value for name, value in values.items()}
        part = text.both(text.drive("linear", stiffness=100.0, targetPosition=1.0), beside)
        joint = text.joint("Prismatic", "j0", "base", "l0", "X", part=part)
        return str(text.stage(text.fixed_base() + text.link("l0") + joint, text.scene(0.0)))

    axis, joint, newton = ["PhysxJointAxisAPI:linear"], ["PhysxJointAPI"], ["NewtonJointAPI"]
    return {
        "the drive alone": stage([]),
        "physxJointAxis:linear:armature 9": stage(axis, armature=9.0),
        "physxJoint:armature 9": stage(joint, armature=9.0),
        "physxJointAxis:linear:maxJointVelocity 0.5": stage(axis, maxJointVelocity=0.5),
        "physxJoint:maxJointVelocity 0.5": stage(joint, maxJointVelocity=0.5),
        "physxJointAxis:linear:staticFrictionEffort 50": stage(
            axis, staticFrictionEffort=50.0, dynamicFrictionEffort=50.0),
        "physxJoint:jointFriction 50": stage(joint, jointFriction=50.0),
        "newton:armature 9": stage(newton, armature=9.0),
        "newton:velocityLimit 0.5": stage(newton, velocityLimit=0.5),
    }


def main() -> None:
    """Print a table: a row for each stage, a column for each release."""
    interpreters = os.environ.get("ORACLE_PYTHONS", os.environ.get("ORACLE_PYTHON", sys.executable)).split(":")
    written = stages(load_oracle().text)
    columns = [answers(interpreter, written) for interpreter in interpreters]
    width = max(map(len, written))
    print("".ljust(width), *(f"{version:>10.6}" for version, _ in columns))
    for index, name in enumerate(written):
        print(name.ljust(width), *(f"{speeds[index]:10.4f}" for _, speeds in columns))


def answers(interpreter: str, written: dict[str, str]) -> tuple[str, list[float]]:
    """The release that an interpreter has, and the slider's speed on every stage after a step."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder, f"{index}.usda")) for index in range(len(written))]
        for path, text in zip(paths, written.values(), strict=True):
            Path(path).write_text(text)
        run = subprocess.run([interpreter, __file__, "--worker", *paths], capture_output=True, text=True, check=False)
    line = next((line for line in run.stdout.splitlines() if line.startswith("{")), "")
    if not line:
        sys.exit(f"{interpreter}: {run.stdout}{run.stderr}")
    answer = json.loads(line)
    return answer["version"], answer["speeds"]


def work(paths: list[str]) -> None:
    """Step each stage once in the ovphysx of this interpreter."""
    from importlib import metadata

    import ovphysx
    import ovstage

    ovphysx.PhysX.set_cpu_mode(True)
    physx = ovphysx.PhysX()
    if hasattr(ovstage.population, "register_usd_schemas"):     # from 0.6 on
        ovstage.population.register_usd_schemas(list(map(str, schema_folders(ovphysx))))
    speeds = [speed(physx, path) for path in paths]
    print(json.dumps({"version": metadata.version("ovphysx"), "speeds": speeds}), flush=True)
    os._exit(0)         # ends of these releases differ


def schema_folders(ovphysx: Any) -> list[object]:
    """The folders of the schemas that a release is to know: its own, those of a package from 0.7 on, and Newton's."""
    from importlib import metadata

    try:
        own = [ovphysx.codeless_schema_root()]
    except (AttributeError, FileNotFoundError):
        package = metadata.distribution("physx-usd-schemas")
        own = [package.locate_file(f"physx_usd_schemas/{name}/resources")
               for name in ("PhysxSchema", "OmniUsdPhysicsDeformableSchema")]
    return [*own, ovphysx.newton_schema_root()]


def speed(physx: Any, path: str) -> float:
    """The speed of the only joint after a step."""
    import numpy as np
    import ovstage
    from ovphysx.types import TensorType

    stage = ovstage.Stage(Path(path).stem)
    ovstage.population.open_usd(stage, path, ordinal=1, domains=ovstage.PopulationDomain.ALL)
    stage.advance_write_floor(ordinal=1).wait()
    task = physx.attach_ovstage(stage, read_ordinal=1)
    if hasattr(physx, "wait_task"):     # from 0.7 on
        physx.wait_task(task)
    physx.wait_all()
    binding = physx.create_tensor_binding(pattern="/World/art", tensor_type=TensorType.ARTICULATION_DOF_VELOCITY)
    physx.step_sync(STEP)
    result = np.zeros(binding.shape, dtype=np.float32)
    binding.read(result)
    binding.destroy()
    physx.wait_all()
    task = physx.detach_ovstage()
    if hasattr(physx, "wait_task"):
        physx.wait_task(task)
    stage.destroy()
    return float(result.ravel()[0])


if __name__ == "__main__":
    work(sys.argv[2:]) if sys.argv[1:2] == ["--worker"] else main()
