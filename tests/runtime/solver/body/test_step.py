"""Rigid bodies outside articulations move as in real PhysX.

Locked axes, largest velocities, damping, gravity and gyroscopic torque act within islands as in real PhysX.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import Session, Simulation, dump_step, simulate
from physx_runtime.model.row_specs import input_rows, state_rows
from physx_runtime.model.topology import BodyTopology
from physx_runtime.worlds.store import SCHEDULED
from pxr import Usd
from support.physx.pushed import pushed, run_pushed
from support.places import SLIDER
from support.stages.iteration_stages import FORCE, PHYSX, STILL, body_stage, prim, slider
from support.stages.iteration_stages import opened as opened_island
from support.stages.iteration_stages import stage as island_stage
from support.stages.robots import opened

from physx_schema.description import describe
from physx_schema.errors import UnsupportedError

DT, STEPS = 0.01, 60
# Of the position: float32 at 3 units for 60 steps of 16 additions, and the turn about the centre of mass, 0.24 away.
PLACE = 2e-5
# PhysX's start differs from the one read here by the last bit of a quaternion, and with it all later rounding of the
# spin: at 5 rad/s this is worth 5e-5 rad/s and 1e-5 of a quaternion in 60 steps (test_spin.py starts as PhysX does).
TURN, SPIN = 5e-5, 3e-4
SPEED = 5e-6            # with forces, whose acceleration is a quotient
DAMPED = "float physxRigidBody:linearDamping = 1\n        float physxRigidBody:angularDamping = 0.5\n"
THRUST = """        vector3f physxForce:force = (1, 2, 3)
        vector3f physxForce:torque = (0.1, 0.2, 0.3)
        uniform token physxForce:mode = "force"
"""
ONCE = "bool physxScene:enableExternalForcesEveryIteration = 0"
PGS = 'uniform token physxScene:solverType = "PGS"'
LOCKED = "int physxRigidBody:lockedRotAxis = 5\n        int physxRigidBody:lockedPosAxis = 2\n"
CASES: dict[str, str] = {
    "damped": body_stage(DAMPED),
    "damped, forces once a step": body_stage(DAMPED, scene=ONCE),
    "damped, PGS": body_stage(DAMPED, scene=PGS),
    "without gyroscopic forces": body_stage("bool physxRigidBody:enableGyroscopicForces = 0"),
    "iterations of its own": body_stage("int physxRigidBody:solverPositionIterationCount = 4"),
    "slower than it would fall": body_stage("float physxRigidBody:maxLinearVelocity = 4"),
    "slower than it would turn": body_stage("float physxRigidBody:maxAngularVelocity = 100"),
    "without gravity": body_stage("bool physxRigidBody:disableGravity = 1"),
    "without PhysxRigidBodyAPI": body_stage(api=""),
    "pushed": body_stage(DAMPED + THRUST, api=FORCE),
    "pushed, forces once a step": body_stage(DAMPED + THRUST, api=FORCE, scene=ONCE),
    "locked": body_stage(LOCKED),
    "locked, forces once a step": body_stage("int physxRigidBody:lockedRotAxis = 2", scene=ONCE),
    "locked, PGS": body_stage(LOCKED, scene=PGS),
    "locked and pushed": body_stage(LOCKED + THRUST, api=FORCE, w=(10, 20, -15)),
    "slow": body_stage(api="", **{**STILL, "v": (4e-3, 0, 0)}),
    "slowing down": body_stage("float physxRigidBody:linearDamping = 8", **{**STILL, "v": (0.1, 0, 0)}),
    "turning ever slower": body_stage("float physxRigidBody:angularDamping = 8", **{**STILL, "w": (10, 5, 0)}),
    "asleep from the start": body_stage("bool physics:startsAsleep = 1"),
    "a threshold of its own": body_stage("float physxRigidBody:sleepThreshold = 1e-4", **{**STILL, "v": (1e-3, 0, 0)}),
}
# With forces once a step PhysX turns a body once, over the whole step: 48 small turns part from it by 2e-5 in 60 steps.
ROUNDING = 5e-6
SLEEPERS = ("slow", "slowing down", "turning ever slower", "asleep from the start")


@dataclass(frozen=True)
class Motion:
    """Of the body, before the first step and after each one."""

    pose: NDArray[np.float64]           # (n, 7)
    velocity: NDArray[np.float64]       # (n, 6)


@pytest.fixture(scope="module")
def measured(oracle_folder: Path) -> Mapping[str, Motion]:
    results = run_pushed([pushed(text, DT, STEPS) for text in CASES.values()])
    return {name: Motion(*(result[f"rigid_{part}"][:, 0].astype(np.float64) for part in ("pose", "vel")))
            for name, result in zip(CASES, results, strict=True)}


def ours(text: str, start: NDArray[np.float64]) -> tuple[Motion, list[bool]]:
    sim = Simulation(opened(text), dt=DT)
    if start.any():                     # as the engine rounds degrees
        sim.set("v", start)
    poses, velocities, asleep = [sim.link_pose[0, 0]], [sim.get("v")[0]], []
    for _ in range(STEPS):
        sim.step()
        poses.append(sim.link_pose[0, 0])
        velocities.append(sim.get("v")[0])
        asleep.append(bool(sim.asleep[0]))
    return Motion(np.array(poses, dtype=np.float64), np.array(velocities, dtype=np.float64)), asleep


@pytest.mark.parametrize("name", CASES)
def test_body_moves_as_in_physx(name: str, measured: Mapping[str, Motion]) -> None:
    theirs = measured[name]
    mine, asleep = ours(CASES[name], theirs.velocity[0])
    same_turn = np.sign(np.sum(mine.pose[:, 3:] * theirs.pose[:, 3:], axis=1))[:, None]
    assert np.abs(mine.pose[:, :3] - theirs.pose[:, :3]).max() < PLACE
    assert np.abs(mine.pose[:, 3:] * same_turn - theirs.pose[:, 3:]).max() < TURN
    assert np.abs(mine.velocity[:, :3] - theirs.velocity[:, :3]).max() < SPEED
    assert np.abs(mine.velocity[:, 3:] - theirs.velocity[:, 3:]).max() < SPIN
    assert asleep == (np.abs(theirs.velocity[1:]).max(axis=1) == 0.0).tolist()
    assert any(asleep) == (name in SLEEPERS)


# --- choosing and refusing -------------------------------------------------------------------------------------------

HINGE = """def PhysicsRevoluteJoint "hinge"
    {
        rel physics:body1 = </World/ball>
    }"""


def test_body_turns_once_a_step_where_forces_act_once(oracle_folder: Path) -> None:
    text = body_stage("int physxRigidBody:solverPositionIterationCount = 48", scene=ONCE, w=(5, 3, -2))
    real = run_pushed([pushed(text, DT, STEPS)])[0]["rigid_pose"][:, 0].astype(np.float64)
    motion, _ = ours(text, np.zeros(6))
    assert np.abs(motion.pose[:, 3:] - real[:, 3:]).max() < ROUNDING


def test_only_body_of_a_stage_is_simulated() -> None:
    recording = simulate(opened(body_stage()), dt=DT, steps=3)
    assert recording.link_names == ("/World/ball",)
    assert recording.joint_position.shape == (4, 1, 0)
    assert not np.array_equal(recording.link_pose[0], recording.link_pose[3])


def test_body_beside_an_articulation_is_named_by_its_path() -> None:
    live = opened(body_stage())
    live.OverridePrim("/World/arm").GetReferences().AddReference(str(SLIDER))
    assert simulate(live, steps=1).link_names != ("/World/ball",)
    assert simulate(live, steps=1, articulation="/World/ball").link_names == ("/World/ball",)


def test_body_that_alone_moves_by_itself_is_simulated_without_a_path() -> None:
    held = '''def Xform "held" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
    {
        bool physics:kinematicEnabled = 1
    }'''
    assert simulate(opened(body_stage(more=held)), steps=1).link_names == ("/World/ball",)


@pytest.mark.parametrize("scene", ["", 'uniform token physxScene:solverType = "PGS"'])
def test_dumped_step_of_a_body_is_the_one_it_takes(scene: str) -> None:
    sim = Simulation(opened(body_stage(DAMPED, api=PHYSX, scene=scene, w=(300, 0, 100))), dt=DT, dtype="float64")
    text = dump_step(sim)
    sim.step()
    dumped = [float(line.split()[-1]) for line in text.split("end: v, q")[1].splitlines()[1:7]]
    assert np.allclose(dumped, sim.get("v")[0], rtol=0.0, atol=1e-11)


@pytest.mark.parametrize(("world", "reported", "message"), [
    (1, {}, "world is 1; give a whole number from 0 to 0"),
    (0, {"link_poses": np.zeros((1, 7))}, "reported names 'link_poses'; allowed are joint_position"),
    (0, {"link_pose": np.zeros(7)}, r"reported link_pose has shape \(7,\); give \(1, 7\)"),
])
def test_dump_of_what_is_not_there_is_refused(world: int, reported: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dump_step(Simulation(opened(body_stage())), world, reported)


def test_body_that_a_joint_holds_is_refused_with_the_joint() -> None:
    with pytest.raises(UnsupportedError, match="/World/ball: joint /World/hinge outside articulations holds this body"):
        simulate(opened(body_stage(more=HINGE)), articulation="/World/ball")


@pytest.mark.parametrize(("line", "found"), [
    ("bool physics:kinematicEnabled = 1", "physics:kinematicEnabled is true; a kinematic body does not move alone"),
])
def test_body_that_is_not_stepped_is_refused_with_the_property(line: str, found: str) -> None:
    with pytest.raises(UnsupportedError, match=found):
        simulate(opened(body_stage(line)))


def test_unknown_path_lists_articulations_and_bodies() -> None:
    with pytest.raises(UnsupportedError, match="no articulation or free body at /nowhere; choose from /World/ball"):
        simulate(opened(body_stage()), articulation="/nowhere")


def test_joint_parameters_of_a_body_without_joints_are_refused() -> None:
    with pytest.raises(ValueError, match="randomize names stiffness, which are joint parameters; the actor has no"):
        Simulation(opened(body_stage()), randomize=("stiffness",))


def test_what_is_read_of_a_body_counts_as_read() -> None:
    found = describe(opened(body_stage("float physxRigidBody:sleepThreshold = 1e-4")))
    assert found.bodies[0].body is not None
    assert found.bodies[0].body.sleep_threshold == pytest.approx(1e-4)
    assert not [o for o in (*found.unused, *found.not_evaluated) if o.path == "/World/ball"]


# --- sessions --------------------------------------------------------------------------------------------------------

def test_session_steps_articulations_and_bodies_together() -> None:
    live: Usd.Stage = opened(body_stage())
    live.OverridePrim("/World/arm").GetReferences().AddReference(str(SLIDER))
    alone = simulate(live, dt=DT, steps=5, articulation="/World/ball")
    with Session(live) as session:
        assert "/World/ball" in session.articulations
        assert len(session.articulations) == 2
        for _ in range(5):
            session.step(DT)
        place = live.GetPrimAtPath("/World/ball").GetAttribute("xformOp:translate").Get()
        assert not [m for m in session.messages if m.path == "/World/ball" and m.kind == "not-simulated"]
    assert np.abs(np.array(place) - alone.link_pose[-1, 0, 0, :3]).max() < 1e-6


def test_session_steps_a_body_that_a_joint_holds_and_says_nothing_of_either() -> None:
    with Session(opened(body_stage(more=HINGE))) as session:
        session.step(DT)
        assert session.articulations == ("/World/ball",)
        assert not [m for m in session.messages if m.kind == "not-simulated"]


def test_force_edited_on_a_body_acts_in_a_session() -> None:
    live: Usd.Stage = opened(body_stage(DAMPED + THRUST, api=FORCE, **STILL))
    with Session(live) as session:
        session.step(DT)
        live.GetPrimAtPath("/World/ball").GetAttribute("physxForce:force").Set((0, 0, 0))
        slower = session.simulation().get("v")[0, 0]
        session.step(DT)
        assert 0.0 < session.simulation().get("v")[0, 0] < slower


# --- a type of its own -----------------------------------------------------------------------------------------------

def test_a_body_has_no_rows_of_joints_of_a_tree_or_of_softening() -> None:
    t = BodyTopology(True, sleeping=True, link_forces=True)
    absent = {"com", "tree_position", "tree_rotation", "armature", "joint_effort", "erp", "cfm_scale", "root_axes"}
    assert not absent & (state_rows(t) | input_rows(t)).keys()
    assert absent <= (state_rows(t.tree) | input_rows(t.tree)).keys()
    assert all(size for name, size in (state_rows(t) | input_rows(t)).items() if name != "q")


def test_worlds_of_a_body_have_the_parameters_that_its_step_heeds() -> None:
    sim = Simulation(opened(body_stage()), 2)
    assert set(sim.parameters) == {
        "gravity", "mass", "center_of_mass", "diagonal_inertia", "principal_axes", "gravity_enabled", "linear_damping",
        "angular_damping", "max_linear_velocity", "max_angular_velocity"}


def test_equations_of_motion_of_a_body_are_those_of_one_free_link() -> None:
    sim = Simulation(opened(body_stage()), dtype="float64")
    M = sim.dynamics.mass_matrix()[0]
    assert np.allclose(M[:3, :3], 2.0 * np.eye(3), rtol=0.0, atol=1e-12)
    assert np.allclose(np.linalg.eigvalsh(M[3:, 3:]), [0.1, 0.25, 0.3], rtol=0.0, atol=1e-6)    # authored in float32
    assert not M[:3, 3:].any()


# --- body settings in PhysX ------------------------------------------------------------------------------------------

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
