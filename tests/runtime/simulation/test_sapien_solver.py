"""solver="sapien-3.0" beside recordings of SAPIEN 3.0.3."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Scene, Session, Simulation, simulate
from support.places import DATA
from support.stages.robots import opened as opened_robot
from support.stages.sapien_stages import ARMS, BODIES, rubbing_arm

from physx_schema.errors import UnsupportedError

# m and rad: SAPIEN's own float32 is 1e-7; with solver="physx" the first bounce of e 0.8 is 0.26 m off in the end, a box
# that is pushed out 1e-4, the arms 4e-3.
TOLERANCE = 3e-6


def recorded_by_sapien(shared_cases: Path, name: str) -> np.ndarray:
    return np.asarray(np.load(shared_cases / "sapien" / f"{name}.npz")["traj"])


@pytest.mark.parametrize("name", BODIES)
def test_a_body_touches_the_ground_as_in_sapien(name: str, shared_cases: Path) -> None:
    text, dt = BODIES[name]
    trajectory = recorded_by_sapien(shared_cases, name)
    run = simulate(opened_robot(text), dt=dt, steps=len(trajectory) - 1, solver="sapien-3.0")
    np.testing.assert_allclose(run.body_pose[:, 0, :, :3], trajectory[..., :3], atol=TOLERANCE, rtol=0)


@pytest.mark.parametrize("name", ARMS)
def test_an_acceleration_drive_is_softened_as_in_sapien(name: str, shared_cases: Path) -> None:
    text, dt = ARMS[name]
    trajectory = recorded_by_sapien(shared_cases, name)
    run = simulate(opened_robot(text), dt=dt, steps=len(trajectory) - 1, solver="sapien-3.0")
    np.testing.assert_allclose(run.joint_position[:, 0], trajectory[:, :2], atol=TOLERANCE, rtol=0)


@pytest.mark.parametrize("path", ["specialised", "generic"])
@pytest.mark.parametrize("name", ["0.05_2_0", "0.5_3_0", "0.05_3_1", "0.5_2_1"])
def test_a_joint_rubs_by_what_it_carries_as_in_sapien(name: str, path: str) -> None:
    friction, count, driven = (float(part) for part in name.split("_"))
    arm = Simulation(opened_robot(rubbing_arm(int(count), bool(driven))), dt=0.01, solver="sapien-3.0", path=path)
    arm.set_parameter("load_friction", [friction] * int(count))
    with np.load(DATA / "sapien_friction.npz") as recordings:
        expected = recordings[name][1:, :int(count)]
    found = []
    for _ in expected:
        arm.step()
        found.append(arm.joint_position[0])
    np.testing.assert_allclose(found, expected, atol=TOLERANCE, rtol=0)


def test_friction_by_load_is_refused_where_nothing_heeds_it() -> None:
    arm = Simulation(opened_robot(rubbing_arm(2, driven=False)))
    with pytest.raises(ValueError, match="load_friction"):
        arm.set_parameter("load_friction", [0.05, 0.05])


def test_pgs_as_in_sapien_is_refused() -> None:
    text = BODIES["depenetration_0.5"][0].replace('"MBP"', '"MBP"\nuniform token physxScene:solverType = "PGS"', 1)
    with pytest.raises(UnsupportedError, match=r"/World/scene: physxScene:solverType is PGS; .* author TGS"):
        Scene(opened_robot(text), solver="sapien-3.0")


def test_a_session_runs_as_in_sapien() -> None:
    text, dt = BODIES["sphere_bounce_h1.0_e0.8"]
    stage = opened_robot(text)
    with Session(stage, solver="sapien-3.0") as session:
        for _ in range(150):
            session.step(dt)
        place = session.simulation("/World/thrown").link_pose[0, 0]
    run = simulate(opened_robot(text), dt=dt, steps=150, solver="sapien-3.0")
    np.testing.assert_array_equal(place, run.body_pose[-1, 0, 0])
