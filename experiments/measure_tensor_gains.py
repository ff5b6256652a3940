"""Measure in real PhysX what gains do that are written through tensors after PhysX read the stage, as Isaac Lab does.

Needs the environment that `oracle.py` describes. Prints a table; writes nothing.

The slider has unit mass and no gravity. The tensors get stiffness 100, damping 20 and maxForce 1000; the target is 1.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from oracle import STEP, Part, load_oracle

STEPS = 200
GAINS = {"dof_stiffness": [100.0], "dof_damping": [20.0], "dof_max_force": [1000.0]}
# A worker of the oracle that also writes properties of joints.
DRIVER = Path(__file__).resolve().parents[1] / "tests" / "support" / "physx" / "tensor_driver.py"
DRIVE, PREFIX = "PhysicsDriveAPI:linear", "float drive:linear:physics:"
DRIVES: dict[str, Part] = {
    "no PhysicsDriveAPI": ([], {}),
    "PhysicsDriveAPI without values": ([DRIVE], {}),
    "stiffness 0, damping 0, maxForce 0": (
        [DRIVE], {f"{PREFIX}stiffness": 0.0, f"{PREFIX}damping": 0.0, f"{PREFIX}maxForce": 0.0}),
    "stiffness 3, damping 0.1, maxForce 1": (
        [DRIVE], {f"{PREFIX}stiffness": 3.0, f"{PREFIX}damping": 0.1, f"{PREFIX}maxForce": 1.0}),
    "stiffness 100, damping 20, maxForce 1000, tensors not written": (
        [DRIVE], {f"{PREFIX}stiffness": 100.0, f"{PREFIX}damping": 20.0, f"{PREFIX}maxForce": 1000.0}),
}


def positions(engine: ModuleType, text: ModuleType) -> list[tuple[str, float, float]]:
    """For each drive on the stage: the stiffness that the tensor holds, and where the slider ends."""
    jobs = []
    for label, part in DRIVES.items():
        job = engine.sim_job(str(text.sliders([part])), STEP, STEPS, target=[1.0], extra=["dof_stiffness"])
        job["write"] = {**({} if "not written" in label else GAINS), **job["write"]}
        jobs.append(job)
    return [(label, float(found["dof_stiffness"][-1][0]), float(found["q"][-1][0]))
            for label, found in zip(DRIVES, engine.run_jobs(jobs), strict=True)]


def main() -> None:
    """Print the table."""
    oracle = load_oracle()
    oracle.engine.__file__ = str(DRIVER)
    print("| drive on the stage | stiffness of the tensor | position after 2 s |\n|---|---|---|")
    for label, stiffness, position in positions(oracle.engine, oracle.text):
        print(f"| {label} | {stiffness:g} | {position:.6f} |")


if __name__ == "__main__":
    main()
