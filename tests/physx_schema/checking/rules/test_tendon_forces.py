"""What rules warn of shows in real PhysX: each case beside the same stage without its fault."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.stages.faulty_robots import SCENE, gear, limits, newton, pulled
from support.stages.robots import base, finger, opened, robot

from physx_schema.checking import check

pytestmark = pytest.mark.sweep

STEP = 1.0 / 60.0
DRIVE = '"PhysicsDriveAPI:angular"'
SPEED = "float drive:angular:physics:damping = 100\nfloat drive:angular:physics:targetVelocity = 57.29578\n"
TARGET = "float drive:angular:physics:stiffness = 1000\nfloat drive:angular:physics:damping = 200\n" \
         "float drive:angular:physics:targetPosition = 20\n"
Run = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """Two stages, how long they run, and the number by which they differ."""

    code: str
    faulty: str
    sound: str
    number: Callable[[Run], float]
    expected: tuple[float, float]       # of the faulty stage and of the sound one
    steps: int = 1
    velocity: float | None = None


def driven(text: str, joint: str, values: str) -> str:
    """The stage with a drive on a joint that has no applied schema."""
    head = f'Joint "{joint}"\n{{\n'
    assert head in text
    return text.replace(head, f'Joint "{joint}" (prepend apiSchemas = [{DRIVE}])\n{{\n{values}')


def tied(posed: float = 0.0, state: float = 0.0, **more: object) -> str:
    """A slider whose attachment should be 1 away from the base's origin, with a stiffness of 5."""
    kinds = {"center": "point3f physics:centerOfMass", "local": "point3f physxTendon:f:localPos",
             "gearing": "float physxTendon:f:gearing"}
    values = {kinds[name]: value for name, value in more.items()}
    return robot(base(), pulled(posed, state, {"float physxTendon:f:restLength": 1.0, **values}))


def speed(run: Run) -> float:
    return float(run["qd"][-1][0])


def position(name: str) -> Callable[[Run], float]:
    return lambda run: math.degrees(float(run["q"][-1][list(run["dof_names"]).index(name)]))


def turning(run: Run) -> float:
    """The first wheel's speed."""
    names = [path.rpartition("/")[2] for path in run["rigid_paths"]]
    return math.hypot(*map(float, run["rigid_vel"][-1][names.index("a")][3:]))


def rubbing(**efforts: float) -> str:
    return finger({f"float physxJointAxis:linear:{name}FrictionEffort": value for name, value in efforts.items()},
                  ("PhysxJointAxisAPI:linear",), "Prismatic")


CASES = {
    "attachments that coincide": Case("tendon/zero-length", tied(0.5), tied(0.0, 0.5), speed, (0.0, 0.0415)),
    "attachments of one mass frame": Case(
        "tendon/zero-length", tied(center=(0.5, 0, 0), local=(-0.5, 0, 0)), tied(local=(0.5, 0, 0)), speed,
        (0.0, 0.0415)),
    "a leaf geared below 0": Case("tendon/sign", tied(0.5, 0.5, gearing=-1.0), tied(0.5, 0.5), speed, (0.1246, 0.0415)),
    "a leaf geared 0": Case("tendon/no-gearing", tied(0.5, 0.5, gearing=0.0), tied(0.5, 0.5), speed, (0.0831, 0.0415)),
    "hinges of a gear swapped": Case("joint/no-hinge", driven(gear("jb", "ja"), "ja", SPEED),
                                     driven(gear("ja", "jb"), "ja", SPEED), turning, (7.4, 1.0), 30),
    "limits of Newton's follower": Case(
        "DJ.007/limits-clip", driven(newton(limits(0.0, 10.0)), "j1", TARGET), driven(newton(), "j1", TARGET),
        position("j1"), (10.8, 20.0), 300),
    "static friction alone": Case("joint/no-dynamic-friction", rubbing(static=5.0), rubbing(static=5.0, dynamic=5.0),
                                  speed, (1.0, 0.0), 60, 1.0),
}


@pytest.fixture(scope="module")
def runs(oracle_folder: Path) -> dict[str, tuple[Run, Run]]:
    from physx_oracle import run_jobs, sim_job

    jobs = [sim_job(text + SCENE, STEP, case.steps, joint_vel0=None if case.velocity is None else [case.velocity])
            for case in CASES.values() for text in (case.faulty, case.sound)]
    found = run_jobs(jobs)
    return {name: (found[2 * place], found[2 * place + 1]) for place, name in enumerate(CASES)}


@pytest.mark.parametrize("name", CASES)
def test_finding_stands_for_another_motion(runs: dict[str, tuple[Run, Run]], name: str) -> None:
    case = CASES[name]
    measured = tuple(map(case.number, runs[name]))
    assert measured == pytest.approx(case.expected, rel=0.05, abs=0.002)


@pytest.mark.parametrize("name", CASES)
def test_finding_is_given_to_the_faulty_stage_alone(name: str) -> None:
    case = CASES[name]
    given = [case.code in {item.code for item in check(opened(text)).findings} for text in (case.faulty, case.sound)]
    assert given == [True, False]
