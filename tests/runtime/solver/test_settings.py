"""Iteration counts: a step takes the largest among all that PhysX solves together, in simulate and in a Session."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Session, Simulation, simulate
from pxr import Usd
from support.stages.iteration_stages import ASLEEP, DT, KINEMATIC, WEIGHTLESS, fallen, free, opened, slider, stage

FOUND = ("iterations_beside_body", "iterations_beside_robot", "iterations_two_robots")
EXACT = 1e-9        # m: rounding of a fall by a millimetre


@pytest.fixture(params=FOUND)
def case(request: pytest.FixtureRequest, shared_cases: Path) -> Path:
    """A recording of several objects with different counts."""
    return shared_cases / "found" / request.param


def recorded(case: Path) -> tuple[dict[str, np.ndarray], float, int, dict[str, float]]:
    """What PhysX did, dt, steps and the tolerances."""
    about = json.loads((case / "case.json").read_text())
    tolerances = {name: by_step["60"] for name, by_step in about["tolerance"].items()}
    return dict(np.load(case / "expected.npz")), about["dt"], about["steps"], tolerances


def test_simulated_articulation_moves_as_physx_moves_it_beside_others(case: Path) -> None:
    expected, dt, steps, tolerance = recorded(case)
    recording = simulate(case / "stage.usda", dt=dt, steps=steps, articulation="/A")
    column = list(expected["joints"]).index("/A/slide_A")
    assert np.abs(recording.joint_position[:, 0, 0] - expected["q"][:, column]).max() < tolerance["position"]
    assert np.abs(recording.joint_velocity[:, 0, 0] - expected["qd"][:, column]).max() < tolerance["velocity"]


def test_session_moves_every_object_as_physx_does(case: Path) -> None:
    expected, dt, steps, tolerance = recorded(case)
    live = Usd.Stage.Open(str(case / "stage.usda"))
    with Session(live) as session:
        for step in range(1, steps + 1):
            session.step(dt)
            for body, pose in zip(expected["bodies"], expected["pose"][step], strict=True):
                place = live.GetPrimAtPath(str(body)).GetAttribute("xformOp:translate").Get() or (0.0, 0.0, 0.0)
                parent = live.GetPrimAtPath(str(body)).GetParent().GetAttribute("xformOp:translate")
                above = parent.Get() if parent else (0.0, 0.0, 0.0)
                assert place[2] + above[2] == pytest.approx(pose[2], abs=tolerance["position"]), (body, step)


@pytest.mark.parametrize(("beside", "position"), [
    ((), 1), ((free("other"),), 16), ((free("other", (60, 3)),), 60), ((slider("other", None, 9.0),), 32),
    ((free("other", (60, 3), more=KINEMATIC),), 1), ((free("other", (60, 3), more=ASLEEP),), 1),
    ((free("other", (60, 3), more={"bool physics:rigidBodyEnabled": "0"}),), 1),
    ((free("other", (60, 3), more={"int physxRigidBody:lockedPosAxis": "7"}),), 60),
], ids=["alone", "body", "counted body", "robot", "kinematic", "asleep", "disabled", "locked"])
def test_first_step_takes_the_largest_position_count_of_what_is_awake(beside: tuple[str, ...], position: int) -> None:
    moved = simulate(opened(stage(slider("A", (1, 0)), *beside)), dt=DT, steps=1, articulation="/A", dtype="float64")
    assert moved.joint_position[1, 0, 0] == pytest.approx(fallen(position), abs=EXACT)


def test_position_and_velocity_counts_may_come_from_different_objects() -> None:
    both = opened(stage(slider("A", (1, 0)), slider("B", (2, 3), 9.0), free("C", (60, 0))))
    counts = Simulation(both, articulation="/A").iterations
    assert (counts.position, counts.position_from, counts.velocity, counts.velocity_from) == (60, "/C", 3, "/B")


def test_ideal_solver_does_not_see_what_others_impose() -> None:
    alone, beside = (simulate(opened(text), dt=DT, steps=3, solver="ideal", articulation="/A")
                     for text in (stage(slider("A", (1, 0))), stage(slider("A", (1, 0)), free("B", (60, 3)))))
    assert np.array_equal(alone.joint_position, beside.joint_position)


def test_recording_says_who_raised_the_counts() -> None:
    recording = simulate(opened(stage(slider("A", (1, 0)), free("B"))), steps=1, articulation="/A")
    assert recording.iterations == (16, 1)
    assert recording.raised == "solved at 16/1 iterations instead of its own 1/0, because of /B"
    assert [(item.code, item.path) for item in recording.not_simulated] == [("sleep", "/B")]


def test_recording_says_nothing_where_the_counts_are_its_own() -> None:
    recording = simulate(opened(stage(slider("A", (16, 1)), free("B"))), steps=1, articulation="/A")
    assert (recording.iterations, recording.raised, recording.not_simulated) == ((16, 1), "", ())


def test_session_lowers_the_counts_when_the_one_who_raised_them_falls_asleep() -> None:
    live = opened(stage(slider("A", (1, 0)), free("B", (60, 3), more=WEIGHTLESS)))
    with Session(live) as session:
        counts = []
        for _ in range(60):
            session.step(DT)
            counts.append(session.simulation("/A").iterations.position)
    # PhysX measured: /B rests from the end of step 42 on, and step 43 is the first of 1/0
    assert counts == [60] * 42 + [1] * 18


def test_session_raises_the_counts_when_somebody_wakes() -> None:
    live = opened(stage(slider("A", (1, 0)), free("B", (60, 3), more=ASLEEP)))
    with Session(live) as session:
        session.step(DT)
        before = session.simulation("/A").iterations.position
        session.simulation("/B").wake()
        session.step(DT)
        assert (before, session.simulation("/A").iterations.position) == (1, 60)


def test_session_says_whom_it_takes_for_awake_without_stepping_it() -> None:
    endless = free("B", (60, 3), more={"float3 physics:diagonalInertia": "(0, 1, 1)"})      # which is not stepped
    with Session(opened(stage(slider("A", (1, 0)), endless))) as session:
        session.step(DT)
        said = [message.text for message in session.messages if message.code == "session/iterations"]
    assert said == ["solved at 60/3 iterations instead of its own 1/0, because of /B; /B is not stepped and taken for "
                    "awake throughout"]
