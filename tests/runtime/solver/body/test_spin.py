"""Rigid bodies spin in float32 as in real PhysX to the last bits, and do not move along or about locked axes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import Simulation
from support.stages.iteration_stages import body_stage
from support.stages.robots import opened

DT, STEPS = 1 / 60, 240
# Of float32 numbers about 1: what is recorded of a rotation is brought to length 1 here and not there.
LAST_BIT = 2.5e-7
# The same over a fall of 80 units, relative to it.
PLACE = 1e-7
TURNED = (0.32732683535398854, -0.5455447255899809, 0.7637626158259733, 0.1091089451179962)
SLOW, FAST = (100, 200, -150), (400, -300, 500)         # deg/s: 4.7 and 12.3 rad/s
# A body with one locked rotation turns ever faster, and sines of turns beyond 0.05 rad round otherwise than PhysX's.
SLOWEST = (20, 40, -30)


def thrown(body: str = "", rotation: tuple[float, ...] = TURNED, w: tuple[float, ...] = SLOW) -> str:
    """A body whose axes are principal, so that PhysX reports the very rotation that it holds."""
    text = body_stage(body, w=w).replace("(0.9, 0.1, 0.3, 0.3)", "(1, 0, 0, 0)")
    return text.replace("(0.8, 0.2, 0.4, 0.4)", str(rotation)).replace("(0.1, 0.2, -0.1)", "(0, 0, 0)")


FLIGHTS: dict[str, str] = {
    "straight": thrown(rotation=(1, 0, 0, 0)),
    "turned": thrown(),
    "fast": thrown(w=FAST),
    "damped": thrown("float physxRigidBody:angularDamping = 0.3\n        float physxRigidBody:linearDamping = 0.2"),
    "slower than it would turn": thrown("float physxRigidBody:maxAngularVelocity = 200", w=FAST),
    "slower than it would fall": thrown("float physxRigidBody:maxLinearVelocity = 7"),
    "without gyroscopic forces": thrown("bool physxRigidBody:enableGyroscopicForces = 0"),
    "without gravity": thrown("bool physxRigidBody:disableGravity = 1"),
    "four iterations": thrown("int physxRigidBody:solverPositionIterationCount = 4"),
    "locked x and z": thrown("int physxRigidBody:lockedPosAxis = 5"),
    "no turn about z": thrown("int physxRigidBody:lockedRotAxis = 4", w=SLOWEST),
    "no turn about x and y": thrown("int physxRigidBody:lockedRotAxis = 3"),
    "no turn at all": thrown("int physxRigidBody:lockedRotAxis = 7"),
}


@pytest.fixture(scope="module")
def recorded(oracle_folder: Path) -> Mapping[str, dict[str, Any]]:
    from scene_recorder import record

    return dict(zip(FLIGHTS, record([{"usd": text, "dt": DT, "steps": STEPS} for text in FLIGHTS.values()]),
                    strict=True))


def flown(text: str, pose: NDArray[np.float32], velocity: NDArray[np.float32], **options: Any) -> NDArray[np.float64]:
    """Pose and velocity of the body, (steps, 13), from a start that PhysX reports."""
    sim = Simulation(opened(text), dt=DT, **options)
    sim.reset(root_pose=pose.astype(np.float64), root_velocity=velocity.astype(np.float64))
    rows = []
    for _ in range(STEPS):
        sim.step()
        rows.append(np.concatenate([sim.link_pose[0, 0], sim.get("v")[0]]))
    return np.array(rows, dtype=np.float64)


@pytest.mark.parametrize("name", FLIGHTS)
def test_a_flight_of_four_seconds_is_that_of_physx_to_the_last_bits(name: str,
                                                                    recorded: Mapping[str, dict[str, Any]]) -> None:
    real = recorded[name]
    pose, velocity = (np.concatenate([real[a][:, 0], real[b][:, 0]], axis=1)
                      for a, b in (("pos", "quat"), ("vel", "ang")))
    ours = flown(FLIGHTS[name], pose[0], velocity[0])
    assert (np.abs(ours[:, :3] - pose[1:, :3]) <= PLACE * np.maximum(np.abs(pose[1:, :3]), 1.0)).all()
    assert np.abs(ours[:, 3:7] - pose[1:, 3:]).max() <= LAST_BIT
    assert (np.abs(ours[:, 7:] - velocity[1:]) <= LAST_BIT * np.maximum(np.abs(velocity[1:]), 1.0)).all()


# --- without PhysX ---------------------------------------------------------------------------------------------------

def stepped(text: str, steps: int = 20, **options: Any) -> Simulation:
    sim = Simulation(opened(text), dt=DT, **options)
    sim.step(steps)
    return sim


@pytest.mark.parametrize("path", ["specialised", "generic"])
def test_a_body_stays_where_its_position_is_locked(path: str) -> None:
    text = body_stage("int physxRigidBody:lockedPosAxis = 5")
    start, end = stepped(text, 0).get("root_position")[0], stepped(text, path=path).get("root_position")[0]
    assert start[0] == end[0]
    assert start[2] == end[2]
    assert end[1] - start[1] == pytest.approx(2.0 * 20 * DT, rel=1e-4)     # float32 at 2


def test_impulses_leave_no_spin_about_all_locked_axes() -> None:
    sim = stepped(body_stage("int physxRigidBody:lockedRotAxis = 7"), 0)
    start = sim.get("root_rotation")
    sim.set("link_torque", [1.0, 2.0, 3.0])
    sim.step(20)
    assert np.array_equal(sim.get("root_rotation"), start)
    assert not sim.get("v")[0, 3:].any()


def test_a_locked_rotation_leaves_spin_without_the_root_of_momentum_about_its_axis() -> None:
    sim = stepped(body_stage("int physxRigidBody:lockedRotAxis = 4", **{"gravity": 0.0}), 0, dtype="float64")
    inertia = sim.dynamics.mass_matrix()[0][3:, 3:]
    moments, axes = np.linalg.eigh(inertia)
    sim.step()
    m = axes @ np.diag(np.sqrt(moments)) @ axes.T @ sim.get("v")[0, 3:]
    assert abs(m[2]) < 1e-12
    assert np.abs(m[:2]).min() > 0.1


def test_a_body_keeps_its_pose_where_its_principal_axes_are_set() -> None:
    sim = stepped(body_stage(), 3, dtype="float64")
    before = sim.link_pose[0, 0]
    sim.set_parameters({"principal_axes": [[0.5, 0.5, 0.5, 0.5]]})
    assert np.abs(sim.link_pose[0, 0] - before).max() < 1e-12


def test_a_body_whose_principal_axes_are_set_moves_as_one_that_authors_them() -> None:
    own, other = body_stage(), body_stage().replace("(0.9, 0.1, 0.3, 0.3)", "(0.5, 0.5, 0.5, 0.5)")
    sim, authored = (Simulation(opened(text), dt=DT, dtype="float64") for text in (own, other))
    sim.set_parameters({"principal_axes": [[0.5, 0.5, 0.5, 0.5]]})
    for each in (sim, authored):
        each.step(10)
    assert np.abs(sim.link_pose - authored.link_pose).max() < 1e-12
    assert np.abs(sim.get("v") - authored.get("v")).max() < 1e-12
