"""Loading the same joints in real PhysX gives the stiffness that verification reports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime.verification import verify
from physx_runtime.verification.bench import Bench, Case, stripped
from pxr import Sdf, Usd
from support.stages.verified_robots import Part, attachment, axis, both, chain, drive, limits, part, row_of, turning

from physx_schema.description import describe

pytestmark = pytest.mark.sweep

DT, STEPS = 1 / 60, 360
LOADS = (3.0, 6.0)
# In float32 a joint stalls with damping ulp(q) / (2 h) missing from its balance: 1e-5 of the load at 32 iterations.
DIGITS = 3e-5
# A generic joint stops where a substep turns it by less than 1e-6 rad, a little of the load still on its damper.
STALL = 1e-3
GENERIC = "generic joint"
COUNTS = ((1, 0), (4, 0), (4, 4), (32, 0), (32, 1))
ROOT = attachment("r", (2.0, 0.0, 0.0), stiffness=150.0, damping=12.0)
LEAF = attachment("f", (0.0, 0.0, 0.0), ("base", "r"), leaf=True, restLength=2.0)
GEARING, FORCE = 1.6, 0.7


def driven(iterations: tuple[int, int]) -> Usd.Stage:
    return chain(drive("linear", stiffness=150.0, damping=12.0), iterations=iterations)


def accelerated(iterations: tuple[int, int]) -> Usd.Stage:
    stage = chain(drive("linear", type="acceleration", stiffness=150.0, damping=12.0), iterations=iterations)
    stage.GetPrimAtPath("/Robot/l0").GetAttribute("physics:mass").Set(2.5)
    return stage


def fixed(iterations: tuple[int, int]) -> Usd.Stage:
    return chain(axis(GEARING, FORCE, root=True, stiffness=150.0, damping=12.0), iterations=iterations)


def spatial(iterations: tuple[int, int]) -> Usd.Stage:
    return chain(((), {}), links={0: LEAF}, on_base=ROOT, iterations=iterations)


def generic(iterations: tuple[int, int]) -> Usd.Stage:
    return chain(turning(drive("rotX", stiffness=2.0, damping=0.1)), kind="", iterations=iterations)


# Stage, prim and property, and what turns load over displacement into the property.
CASES: dict[str, tuple[Callable[[tuple[int, int]], Usd.Stage], str, str, float]] = {
    "force drive": (driven, "/Robot/j0", "drive:linear:physics:stiffness", 1.0),
    "acceleration drive": (accelerated, "/Robot/j0", "drive:linear:physics:stiffness", 1.0 / 2.5),
    "fixed tendon": (fixed, "/Robot/j0", "physxTendon:t:stiffness", 1.0 / (GEARING * FORCE)),
    GENERIC: (generic, "/Robot/j0", "drive:rotX:physics:stiffness", np.radians(1.0)),
    "spatial tendon": (spatial, "/Robot/base", "physxTendon:r:stiffness", 1.0),
}


def exported(stage: Usd.Stage) -> str:
    """The text of a stage, without gravity and for the CPU."""
    scene = stage.DefinePrim("/Scene", "PhysicsScene")
    scene.AddAppliedSchema("PhysxSceneAPI")
    for name, kind, value in (("physics:gravityMagnitude", Sdf.ValueTypeNames.Float, 0.0),
                              ("physxScene:enableGPUDynamics", Sdf.ValueTypeNames.Bool, False),
                              ("physxScene:broadphaseType", Sdf.ValueTypeNames.Token, "MBP")):
        scene.CreateAttribute(name, kind).Set(value)
    return str(stage.GetRootLayer().ExportToString())


@pytest.fixture(scope="module")
def loaded(oracle_folder: Path) -> dict[tuple[str, tuple[int, int]], float]:
    """Load over displacement in PhysX, of every case and pair of iteration counts."""
    from physx_oracle import run_jobs, sim_job

    keys = [(name, counts) for name in CASES for counts in COUNTS]
    jobs = [sim_job(exported(CASES[name][0](counts)), DT, STEPS, every=STEPS,
                    effort=[load, 0.0, 0.0] if name == GENERIC else [load]) for name, counts in keys for load in LOADS]
    rest = np.array([float(result["q"][-1, 0]) for result in run_jobs(jobs)]).reshape(-1, 2)
    return dict(zip(keys, (LOADS[1] - LOADS[0]) / (rest[:, 1] - rest[:, 0]), strict=True))


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("name", CASES)
def test_load_over_displacement_is_that_of_physx(name: str, counts: tuple[int, int],
                                                 loaded: dict[tuple[str, tuple[int, int]], float]) -> None:
    stage, path, property_name, factor = CASES[name]
    row = row_of(verify(stage(counts), dt=DT), property_name, path)
    assert row.effective == pytest.approx(loaded[name, counts] * factor, rel=STALL if name == GENERIC else DIGITS)


def test_efforts_that_hold_a_finger_hold_it_in_physx(shared_cases: Path, oracle_folder: Path) -> None:
    from physx_oracle import run_jobs, sim_job

    stage = Usd.Stage.Open(str(shared_cases / "dynamics" / "fixed_tendon_finger" / "stage.usda"))
    stage.GetPrimAtPath("/World/scene").GetAttribute("physics:gravityMagnitude").Set(0.0)
    articulation = stage.GetPrimAtPath("/World/art")
    articulation.CreateAttribute("physxArticulation:solverVelocityIterationCount", Sdf.ValueTypeNames.Int).Set(0)
    description = describe(stage)
    bench = Bench(description, stripped(description.articulations[0], fixed_tendons=True), DT)
    efforts = bench.hold([Case()])[0]
    text = stage.ExportToString()
    held, free = run_jobs([sim_job(text, DT, 60, effort=effort) for effort in (efforts.tolist(), [0.0, 0.0, 0.0])])
    assert _moved(free) > 0.1
    assert _moved(held) < 1e-5


def _moved(result: dict[str, Any]) -> float:
    return float(np.abs(result["q"]).max())


# A drive whose spring holds it still within SETTLED_STEPS, of a hinge with limits from -20 to 50 degrees.
SETTLED_STEPS = 600
BOUNDED, STRONG = limits(-20, 50), {"stiffness": 30.0, "damping": 8.0}
TARGET, SPEED = "drive:angular:physics:targetPosition", "drive:angular:physics:targetVelocity"
SLOW = part("PhysxJointAxisAPI:angular", "physxJointAxis:angular", maxJointVelocity=25.0)
# What is on the hinge, the property, the effort on the joint, and whether its speed settles instead of its position.
SETTLING: dict[str, tuple[Part, str, float, bool]] = {
    "target": (both(BOUNDED, drive("angular", **STRONG, targetPosition=30.0)), TARGET, 0.0, False),
    "target beyond a limit": (both(BOUNDED, drive("angular", **STRONG, targetPosition=70.0)), TARGET, 0.0, False),
    "target of several turns": (drive("angular", **STRONG, targetPosition=370.0), TARGET, 0.0, False),
    "upper limit": (both(BOUNDED, drive("angular", damping=1.0)), "physics:upperLimit", 100.0, False),
    "lower limit": (both(BOUNDED, drive("angular", damping=1.0)), "physics:lowerLimit", -100.0, False),
    "refused limits": (both(limits(10, -10), drive("angular", damping=1.0)), "physics:upperLimit", 9.0, False),
    "target velocity": (drive("angular", damping=8.0, targetVelocity=40.0), SPEED, 0.0, True),
    "target velocity above the maximum": (both(SLOW, drive("angular", damping=8.0, targetVelocity=40.0)), SPEED, 0.0,
                                          True),
}
# Of a target or a limit, and in degrees: what a limit gives way to the load in float32.
SETTLED, GIVEN = 1e-3, 1e-2


@pytest.fixture(scope="module")
def settled(oracle_folder: Path) -> dict[str, float]:
    """Where a hinge comes to rest in PhysX, in degrees, or the speed that it keeps."""
    from physx_oracle import run_jobs, sim_job

    jobs = [sim_job(exported(chain(hinge, kind="Revolute")), DT, SETTLED_STEPS, every=SETTLED_STEPS, effort=[effort])
            for hinge, _, effort, _ in SETTLING.values()]
    kept = ["qd" if speed else "q" for *_, speed in SETTLING.values()]
    return {name: float(np.degrees(result[key][-1, 0]))
            for name, key, result in zip(SETTLING, kept, run_jobs(jobs), strict=True)}


@pytest.mark.parametrize("name", SETTLING)
def test_joint_settles_where_it_does_in_physx(name: str, settled: dict[str, float]) -> None:
    hinge, found, _, _ = SETTLING[name]
    row = row_of(verify(chain(hinge, kind="Revolute")), found)
    assert row.effective == pytest.approx(settled[name], rel=SETTLED, abs=GIVEN)
