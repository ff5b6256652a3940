"""Time of one call of a generated class beside the compiled UsdPhysics call of the same kind, in one process.

`python benchmarks/call_speed.py` prints microseconds and their ratio, and with --import the time of importing the
package in fresh processes beside that of the wheel `physx-usd-schemas` (extra `oracle`), and the time to bind classes.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import timeit
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "generated")]

from pxr import Usd, UsdPhysics  # noqa: E402 - the package registers its schemas first, found through the path above

import physx_schema as PhysxSchema  # noqa: E402 - found through the path above

CALLS, REPEATS, PROCESSES = 2000, 60, 20
Call = Callable[[], object]
IMPORTS = {
    "USD alone": "from pxr import Usd, UsdGeom, UsdPhysics, Plug, Tf",
    "physx-usd-schemas, registered": "from physx_usd_schemas import PhysxSchema",
    "physx_schema, registered and bound": "import physx_schema as PhysxSchema",
}
BINDING = """
from pxr import Tf
import physx_generated._plugin as plugin
spent, bind = 0.0, plugin.bind
def timed(cls, library):
    global spent
    start = time.perf_counter()
    bind(cls, library)
    spent += time.perf_counter() - start
plugin.bind = timed
import physx_schema
start, result = 0.0, spent
"""


def pairs(stage: Usd.Stage) -> list[tuple[str, Call, Call]]:
    """What is called, the compiled call and ours, on prims of a stage."""
    prim = stage.DefinePrim("/joint", "PhysicsRevoluteJoint")
    mass, drive = UsdPhysics.MassAPI.Apply(prim), UsdPhysics.DriveAPI.Apply(prim, "angular")
    body, limit = PhysxSchema.PhysxRigidBodyAPI.Apply(prim), PhysxSchema.PhysxLimitAPI.Apply(prim, "angular")
    revolute = UsdPhysics.RevoluteJoint.Define(stage, "/revolute")
    gear = PhysxSchema.PhysxPhysicsGearJoint.Define(stage, "/gear")
    for create in (mass.CreateMassAttr, drive.CreateDampingAttr, body.CreateLinearDampingAttr, limit.CreateDampingAttr,
                   revolute.CreateLowerLimitAttr, gear.CreateGearRatioAttr):
        create(1.0)
    mass_class, body_class = UsdPhysics.MassAPI, PhysxSchema.PhysxRigidBodyAPI
    drive_class, limit_class = UsdPhysics.DriveAPI, PhysxSchema.PhysxLimitAPI
    return [
        ("Get, single-apply", lambda: mass.GetMassAttr(), lambda: body.GetLinearDampingAttr()),
        ("Get, multiple-apply", lambda: drive.GetDampingAttr(), lambda: limit.GetDampingAttr()),
        ("Get, prim type", lambda: revolute.GetLowerLimitAttr(), lambda: gear.GetGearRatioAttr()),
        ("Create(v), single-apply", lambda: mass.CreateMassAttr(5.0), lambda: body.CreateLinearDampingAttr(5.0)),
        ("Create(v), multiple-apply", lambda: drive.CreateDampingAttr(5.0), lambda: limit.CreateDampingAttr(5.0)),
        ("Create(v), prim type", lambda: revolute.CreateLowerLimitAttr(5.0), lambda: gear.CreateGearRatioAttr(5.0)),
        ("Create(), single-apply", lambda: mass.CreateMassAttr(), lambda: body.CreateLinearDampingAttr()),
        ("constructor, single-apply", lambda: mass_class(prim), lambda: body_class(prim)),
        ("constructor, multiple-apply", lambda: drive_class(prim, "angular"), lambda: limit_class(prim, "angular")),
        ("bool, single-apply", lambda: bool(mass), lambda: bool(body)),
        ("bool, multiple-apply", lambda: bool(drive), lambda: bool(limit)),
        ("HasAPI(class)", lambda: prim.HasAPI(mass_class), lambda: prim.HasAPI(body_class)),
        ("HasAPI(class, name)", lambda: prim.HasAPI(drive_class, "angular"),
         lambda: prim.HasAPI(limit_class, "angular")),
        ("Apply again, single-apply", lambda: mass_class.Apply(prim), lambda: body_class.Apply(prim)),
    ]


def call_table() -> None:
    """Print the best of many interleaved rounds of each call."""
    print(f"{'call':30}{'UsdPhysics, us':>15}{'ours, us':>10}{'ratio':>8}")
    stage = Usd.Stage.CreateInMemory()
    for title, compiled, ours in pairs(stage):
        best = [float("inf"), float("inf")]
        for _ in range(REPEATS):
            for index, call in enumerate((compiled, ours)):
                best[index] = min(best[index], timeit.timeit(call, number=CALLS) / CALLS * 1e6)
        print(f"{title:30}{best[0]:15.2f}{best[1]:10.2f}{best[1] / best[0]:8.2f}")


def milliseconds(code: str, cache: Path) -> float:
    """How long code takes in a fresh process after the interpreter has started; `cache` keeps the compiled modules."""
    paths = os.pathsep.join((str(ROOT), str(ROOT / "generated")))
    timed = f"import time\nstart, result = time.perf_counter(), None\n{code}\n" \
            "print(1e3 * (time.perf_counter() - start if result is None else result))"
    settings = {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(cache)}
    result = subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True,
                            env=os.environ | settings)
    return float(result.stdout)


def import_table() -> None:
    """Print the median of fresh processes, run in turns, for each import."""
    times: dict[str, list[float]] = {title: [] for title in [*IMPORTS, "binding all classes, of it"]}
    with TemporaryDirectory() as cache:
        for round_ in range(PROCESSES + 1):
            for title, code in {**IMPORTS, "binding all classes, of it": BINDING}.items():
                took = milliseconds(code, Path(cache))
                if round_:                  # the first round compiles and fills the disk cache
                    times[title].append(took)
    reference = statistics.median(times["physx-usd-schemas, registered"])
    print(f"{'import':38}{'median, ms':>12}{'ratio':>8}")
    for title, values in times.items():
        print(f"{title:38}{statistics.median(values):12.1f}{statistics.median(values) / reference:8.2f}")


def main() -> None:
    """Print the tables."""
    call_table()
    if "--import" in sys.argv[1:]:
        print()
        import_table()


if __name__ == "__main__":
    main()
