"""Locked axes, largest velocities, damping, gravity and gyroscopic torque act within islands as in real PhysX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import simulate
from physx_runtime.worlds.store import SCHEDULED
from support.stages.iteration_stages import opened as opened_island
from support.stages.iteration_stages import prim, slider
from support.stages.iteration_stages import stage as island_stage

Array = NDArray[np.float64]
ISLAND_DT, ISLAND_STEPS, EVERY = 1 / 60, 240, 10
MARKS = [1, 6, ISLAND_STEPS // EVERY]          # among what is recorded
MOVES = (0.0, 1e-6, 2e-6)       # of the start's velocities, as parts of them and in m/s: PhysX's own growth
GROWTHS = 10.0                          # times that growth an error may come to
FLOORS = {"pose": 3e-5, "velocity": 5e-4}       # of float32 over so many steps: m; m/s and rad/s
OWN = "physxRigidBody:"
SETTINGS: dict[str, dict[str, str]] = {
    "y locked": {f"int {OWN}lockedPosAxis": "2"},
    "x locked": {f"int {OWN}lockedPosAxis": "1"},
    "turns about x locked": {f"int {OWN}lockedRotAxis": "1"},
    "turns about x and z locked": {f"int {OWN}lockedRotAxis": "5"},
    "all turns locked": {f"int {OWN}lockedRotAxis": "7"},
    "y and turns about y locked": {f"int {OWN}lockedPosAxis": "2", f"int {OWN}lockedRotAxis": "2"},
    "a largest velocity": {f"float {OWN}maxLinearVelocity": "0.4"},
    "a largest angular velocity": {f"float {OWN}maxAngularVelocity": "60"},
    "no gyroscopic torque": {f"bool {OWN}enableGyroscopicForces": "0"},
    "damping": {f"float {OWN}linearDamping": "3", f"float {OWN}angularDamping": "2"},
    "no gravity": {f"bool {OWN}disableGravity": "1"},
    "all of them": {f"int {OWN}lockedPosAxis": "2", f"int {OWN}lockedRotAxis": "4", f"float {OWN}angularDamping": "0.5",
                    f"float {OWN}maxLinearVelocity": "0.6", f"float {OWN}maxAngularVelocity": "90",
                    f"float {OWN}linearDamping": "1", f"bool {OWN}disableGravity": "1",
                    f"bool {OWN}enableGyroscopicForces": "0"},
}


def body(name: str, x: float, turning: tuple[float, ...], move: float, settings: Mapping[str, str]) -> str:
    """A turning body of uneven inertia."""
    w = tuple(speed * (1.0 + move) for speed in turning)
    return prim("Xform", name, "PhysicsRigidBodyAPI PhysicsMassAPI PhysxRigidBodyAPI", {
        "float physics:mass": "1.5", "float3 physics:diagonalInertia": "(0.1, 0.2, 0.35)",
        "double3 xformOp:translate": f"({x}, 0, 0)", "quatf xformOp:orient": "(0.9, 0.1, 0.3, 0.3)",
        "uniform token[] xformOpOrder": '["xformOp:translate", "xformOp:orient"]',
        "vector3f physics:angularVelocity": str(w), "vector3f physics:velocity": f"({move}, {move}, {move})",
        f"int {OWN}solverPositionIterationCount": "4", f"float {OWN}sleepThreshold": "0", **settings})


def ball(name: str, body0: str, body1: str, *anchors: tuple[float, ...]) -> str:
    """A ball joint; body0 is the world where it has no name."""
    held = {"rel physics:body0": f"</{body0}>"} if body0 else {}
    return prim("PhysicsSphericalJoint", name, "", {
        "bool physics:excludeFromArticulation": "1", **held, "rel physics:body1": f"</{body1}>",
        **{f"point3f physics:localPos{i}": str(anchor) for i, anchor in enumerate(anchors)}})


FIRST, SECOND = (200.0, 50.0, 100.0), (-100.0, 300.0, 20.0)


def _chain(move: float, first: Mapping[str, str], second: Mapping[str, str]) -> str:
    return island_stage(body("B0", 0.5, FIRST, move, first), ball("J0", "", "B0", (0.0, 0.0, 0.0), (-0.5, 0.0, 0.0)),
                        body("B1", 1.5, SECOND, move, second),
                        ball("J1", "B0", "B1", (0.5, 0.0, 0.0), (-0.5, 0.1, 0.1)))


def _at_robot(move: float, settings: Mapping[str, str]) -> str:
    drive = {"float drive:linear:physics:stiffness": "300", "float drive:linear:physics:damping": "30"}
    robot = slider("S", (4, 1), joint_schemas="PhysicsDriveAPI:linear", of_joint=drive,
                   more={"float physxArticulation:sleepThreshold": "0"})
    return island_stage(robot, body("B1", 1.0, FIRST, move, settings),
                        ball("J0", "S/tip", "B1", (0, 0, 0), (-1.0, 0.1, 0)))


PLACES: dict[str, Callable[[float, Mapping[str, str]], str]] = {
    "between the world and a body": lambda move, settings: _chain(move, settings, {}),
    "at a body": lambda move, settings: _chain(move, {}, settings),
    "at a robot": _at_robot,
}
ISLAND_CASES = [(name, place) for name in SETTINGS for place in PLACES]


@pytest.fixture(scope="module")
def recorded(oracle_folder: Path) -> Mapping[tuple[str, str], list[dict[str, Any]]]:
    from scene_recorder import record

    found = record([{"usd": PLACES[place](move, SETTINGS[name]), "dt": ISLAND_DT, "steps": ISLAND_STEPS, "every": EVERY}
                    for name, place in ISLAND_CASES for move in MOVES])
    return {case: found[i * len(MOVES):(i + 1) * len(MOVES)] for i, case in enumerate(ISLAND_CASES)}


def motion(recording: Mapping[str, Any]) -> dict[str, Array]:
    """Positions and velocities, (n_record, n_body, n)."""
    return {"pose": recording["pos"].astype(np.float64),
            "velocity": np.concatenate([recording["vel"], recording["ang"]], axis=2).astype(np.float64)}


def apart(a: Array, b: Array) -> Array:
    """The largest difference up to each record."""
    return np.maximum.accumulate(np.abs(a - b).max(axis=(1, 2)))


@pytest.mark.parametrize(("name", "place"), ISLAND_CASES)
def test_a_setting_of_a_body_moves_its_island_as_in_physx(
        name: str, place: str, recorded: Mapping[tuple[str, str], list[dict[str, Any]]]) -> None:
    theirs, *moved = (motion(recording) for recording in recorded[name, place])
    stage = opened_island(PLACES[place](0.0, SETTINGS[name]))
    found = simulate(stage, ISLAND_DT, ISLAND_STEPS, every=EVERY, path=SCHEDULED)
    bodies = [found.body_names.index(path) for path in recorded[name, place][0]["paths"]]
    ours = {"pose": found.body_pose[:, 0, bodies, :3], "velocity": found.body_velocity[:, 0, bodies]}
    for what, floor in FLOORS.items():
        growth = np.max([apart(theirs[what], other[what]) for other in moved], axis=0)
        allowed = np.maximum(GROWTHS * growth, floor)
        errors = apart(ours[what], theirs[what])
        assert (errors <= allowed)[MARKS].all(), (what, errors[MARKS], allowed[MARKS])


def test_every_setting_changes_the_motion(recorded: Mapping[tuple[str, str], list[dict[str, Any]]]) -> None:
    for place in PLACES:
        plain = simulate(opened_island(PLACES[place](0.0, {})), ISLAND_DT, 60, path=SCHEDULED)
        for name in SETTINGS:
            paths = recorded[name, place][0]["paths"]
            bodies = [plain.body_names.index(path) for path in paths]
            there = recorded[name, place][0]["pos"][60 // EVERY]
            assert np.abs(plain.body_pose[60, 0, bodies, :3] - there).max() > 1e-3, (name, place)
