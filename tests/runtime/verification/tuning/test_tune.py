"""Gains for a wished motion: known from mechanics, and seen in real PhysX."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime import Tuning, TuningTarget, tune
from pxr import Sdf, Usd
from support.stages.verified_robots import both, chain, drive, limits, mimic

DT = 1 / 60
HINGE = "/Robot/j0"
# Steps short enough for the motion to be that of continuous time, and what is left of the difference.
SHORT, CONTINUOUS = 1 / 2000, 5e-3
# Wishes come true to 5e-4, in float32 with a little on top.
COME_TRUE = 2e-3
OSCILLATION: TuningTarget = {"natural_frequency": 20.0, "damping_ratio": 0.4}


def hinge(**values: float | str) -> Usd.Stage:
    """A link of inertia 1, itself undamped, on a hinge with a drive."""
    undamped = (("PhysxRigidBodyAPI",), {"float physxRigidBody:angularDamping": 0.0})
    return chain(drive("angular", **values), kind="Revolute", iterations=(32, 1), links={0: undamped})


def values(tuning: Tuning) -> dict[str, float]:
    return {change.property.rpartition(":")[2]: change.value for change in tuning.changes}


def test_an_oscillation_gets_the_gains_of_mechanics() -> None:
    found = values(tune(hinge(), {HINGE: OSCILLATION}, dt=SHORT))
    per_degree = math.radians(1.0)
    assert found["stiffness"] == pytest.approx(20.0 ** 2 * per_degree, rel=CONTINUOUS)
    assert found["damping"] == pytest.approx(2.0 * 0.4 * 20.0 * per_degree, rel=CONTINUOUS)


def test_a_settling_time_gets_a_critically_damped_drive() -> None:
    tuning = tune(hinge(stiffness=1.0), {HINGE: {"settling_time": 0.5}}, dt=SHORT)
    # (1 + w t) exp(-w t) = 0.02 at w t = 5.8339
    assert values(tuning)["stiffness"] == pytest.approx((5.8339 / 0.5) ** 2 * math.radians(1.0), rel=CONTINUOUS)
    assert {item.name: item.target for item in tuning.results} == {"settling_time": 0.5, "damping_ratio": 1.0}


def test_a_sag_gets_weight_over_sag() -> None:
    stage = chain(drive("linear", stiffness=3.0), along="Z")
    assert values(tune(stage, {HINGE: {"sag": 0.01}}))["stiffness"] == pytest.approx(9.81 / 0.01, rel=COME_TRUE)


def test_a_tip_gives_way_by_the_sum_of_what_its_drives_do() -> None:
    stage = chain(drive("linear", stiffness=30.0), drive("linear", stiffness=60.0))
    found = {change.path: change.value for change in tune(stage, {"/Robot/l1": {"tip_stiffness": 100.0}}).changes}
    # in series 30 and 60 are 20
    assert found == {HINGE: pytest.approx(150.0, rel=COME_TRUE), "/Robot/j1": pytest.approx(300.0, rel=COME_TRUE)}


def test_numbers_that_are_not_wished_stay_as_authored() -> None:
    assert set(values(tune(hinge(stiffness=5.0, damping=0.3), {HINGE: {"natural_frequency": 9.0}}))) == {"stiffness"}


def test_the_stage_changes_when_it_is_told_to() -> None:
    stage = hinge()
    before = stage.GetRootLayer().ExportToString()
    tuning = tune(stage, {HINGE: OSCILLATION})
    assert stage.GetRootLayer().ExportToString() == before
    tuning.author(stage)
    assert stage.GetPrimAtPath(HINGE).GetAttribute("drive:angular:physics:stiffness").Get() == pytest.approx(
        values(tuning)["stiffness"])


def test_a_wish_out_of_reach_is_said_with_the_nearest() -> None:
    tied = both(limits(-90, 90), mimic(gearing=-1.0, naturalFrequency=20.0, dampingRatio=0.5))
    stage = chain(limits(-90, 90), tied, kind="Revolute", serial=False, iterations=(32, 1))
    tuning = tune(stage, {"/Robot/j1:rotX": {"damping_ratio": 0.5}})
    assert (tuning.feasible, tuning.changes) == (False, ())
    assert "no gain reaches the target 0.5; the nearest result is" in tuning.results[0].reason


@pytest.mark.parametrize(("targets", "message"), [
    ({HINGE: {"frequency": 1.0}}, "'frequency' is not a tuning target; choose from natural_frequency, damping_ratio, "),
    ({HINGE: {}}, "the target is empty; choose from"),
    ({}, "targets is empty"),
    ({HINGE: {"sag": -1.0}}, "sag is -1.0; give a positive, finite number"),
    ({HINGE: {"sag": 1.0, "natural_frequency": 2.0}}, "both determine the stiffness; give one of them"),
    ({"/Robot/l0": {"sag": 1.0}},
     "there is no drive, tendon or compliant mimic joint with this path; the stage has /Robot/j0"),
    ({HINGE: {"tip_stiffness": 1.0}},
     "there is no link of an articulation with this path; the stage has /Robot/base, /Robot/l0"),
])
def test_unknown_targets_are_refused_in_one_line(targets: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        tune(hinge(stiffness=1.0), targets)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


# A stage, what is wished, and the deviation of its joints.
MOTIONS: Mapping[str, tuple[Usd.Stage, str, list[float]]] = {
    "drive": (hinge(), HINGE, [1.0]),
    "acceleration drive": (hinge(type="acceleration"), HINGE, [1.0]),
}


@pytest.mark.sweep
@pytest.mark.parametrize("name", MOTIONS)
def test_a_tuned_drive_swings_so_in_physx(name: str, oracle_folder: Path) -> None:
    from physx_oracle import run_jobs, sim_job

    stage, path, along = MOTIONS[name]
    tune(stage, {path: OSCILLATION}, dt=DT).author(stage)
    scene = stage.DefinePrim("/Scene", "PhysicsScene")
    scene.CreateAttribute("physics:gravityMagnitude", Sdf.ValueTypeNames.Float).Set(0.0)
    text, size = str(stage.GetRootLayer().ExportToString()), 0.01
    still = np.zeros(len(along))
    runs = run_jobs([sim_job(text, DT, 1, size * np.array(along), still), sim_job(text, DT, 1, still, along)])
    step = np.array([[float(run[column][1, 0]) for column in ("q", "qd")] for run in runs]).T / [size, 1.0]
    first, second = np.log(np.linalg.eigvals(step).astype(complex)) / DT
    frequency = math.sqrt((first * second).real)
    ratio = -(first + second).real / (2.0 * frequency)
    assert frequency == pytest.approx(20.0, rel=COME_TRUE)
    assert ratio == pytest.approx(0.4, rel=COME_TRUE)
