"""Articulations fall asleep and wake as in real PhysX, each world by itself.

A damped arm of many iterations: its velocity at a step's start is far from the mean that moves it.

Actors that joints hold together fall asleep with the step with which they do in real PhysX.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import Scene, Session, Simulation, simulate
from pxr import Usd
from support.physx.pushed import Script, pushed, run_pushed
from support.stages.iteration_stages import STILL, free, prim, slider
from support.stages.iteration_stages import body_stage as body
from support.stages.iteration_stages import opened as opened_island
from support.stages.iteration_stages import stage as island_stage
from support.stages.robots import opened

from physx_schema.description import describe

DT = 0.01
ROUNDING = 1e-8         # length; the slider moves by less than 0.1
STAGE = """#usda 1.0
(
    defaultPrim = "World"
    metersPerUnit = {meters}
    upAxis = "Z"
)
def Xform "World"
{{
    def PhysicsScene "scene" (prepend apiSchemas = ["PhysxSceneAPI"])
    {{
        float physics:gravityMagnitude = 0
        bool physxScene:enableGPUDynamics = 0
        uniform token physxScene:broadphaseType = "MBP"
        bool physxScene:disableSleeping = {restless}
    }}
    def Xform "art" (prepend apiSchemas = ["PhysicsArticulationRootAPI"{api}])
    {{
{root}
        def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
        {{
            float physics:mass = 1
            float3 physics:diagonalInertia = (0.4, 0.5, 0.6)
            vector3f physics:velocity = ({base}, 0, 0)
        }}
{fixed}
        def Xform "slider" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
        {{
            float physics:mass = 2
            float3 physics:diagonalInertia = (1, 1, 1)
        }}
        def PhysicsPrismaticJoint "j" (prepend apiSchemas = ["PhysicsDriveAPI:linear", "PhysicsJointStateAPI:linear"])
        {{
            rel physics:body0 = </World/art/base>
            rel physics:body1 = </World/art/slider>
            uniform token physics:axis = "X"
            float drive:linear:physics:stiffness = {stiffness}
            float drive:linear:physics:damping = {damping}
            float drive:linear:physics:targetPosition = {target}
            float state:linear:physics:position = {q}
            float state:linear:physics:velocity = {v}
        }}
    }}
}}
"""
FIXED = """        def PhysicsFixedJoint "fixed"
        {
            rel physics:body1 = </World/art/base>
        }"""
COUNTS = """        int physxArticulation:solverPositionIterationCount = 4
        int physxArticulation:solverVelocityIterationCount = 1
"""


def stage(*, threshold: float | None = 5e-5, floating: bool = False, meters: float = 1.0, restless: bool = False,
          **values: float) -> str:
    """A slider without forces; threshold None: PhysxArticulationAPI is not applied."""
    numbers = {"stiffness": 0.0, "damping": 0.0, "target": 0.0, "q": 0.0, "v": 0.0, "base": 0.0} | values
    root = "" if threshold is None else f"{COUNTS}        float physxArticulation:sleepThreshold = {threshold}"
    return STAGE.format(api="" if threshold is None else ', "PhysxArticulationAPI"', root=root, meters=meters,
                        restless=int(restless), fixed="" if floating else FIXED, **numbers)


@dataclass(frozen=True)
class Case:
    """A stage, what is written before which step, and how many steps are taken."""

    text: str
    script: Script = field(default_factory=dict)
    steps: int = 130


SLOW_BODY = body(api="", **{**STILL, "v": (4e-3, 0, 0)})
SLOW, DRIVEN = {"v": 1e-4}, {"stiffness": 10.0, "damping": 10.0}
CASES: dict[str, Case] = {
    "slow": Case(stage(**SLOW)),
    "just slow enough": Case(stage(v=4.9e-4)),
    "too fast": Case(stage(v=6e-4)),
    "a threshold of its own": Case(stage(v=2e-3, threshold=1e-3)),
    "threshold 0": Case(stage(v=1e-5, threshold=0.0)),
    "without PhysxArticulationAPI": Case(stage(v=4e-3, threshold=None)),
    "without it in centimetres": Case(stage(v=0.4, threshold=None, meters=0.01)),
    "without it too fast": Case(stage(v=6e-3, threshold=None)),
    "sleeping disabled": Case(stage(**SLOW, restless=True)),
    "a drive that settles": Case(stage(stiffness=100.0, damping=20.0, target=0.01), steps=200),
    "floating": Case(stage(floating=True, base=1e-4, v=2e-4)),
    "floating, too fast": Case(stage(floating=True, base=6e-4)),
    "no effort in every step": Case(stage(**SLOW), {"*": {"effort": [0.0]}}),
    "an effort held": Case(stage(**SLOW), {10: {"effort": [1e-6]}}),
    "an effort while asleep": Case(stage(**SLOW), {60: {"effort": [1e-3]}}),
    "no effort while asleep": Case(stage(**SLOW), {60: {"effort": [0.0]}}),
    "a position while awake": Case(stage(**SLOW), {20: {"q": [1.9e-5]}}),
    "a position while asleep": Case(stage(**SLOW), {60: {"q": [0.01]}}),
    "a velocity while asleep": Case(stage(**SLOW), {60: {"qd": [1e-4]}}),
    "no velocity while asleep": Case(stage(**SLOW), {60: {"qd": [0.0]}}),
    "a velocity while adding up": Case(stage(v=4e-4), {32: {"qd": [4e-4]}}, 200),
    "the old target": Case(stage(q=0.1, target=0.1, **DRIVEN), {60: {"target": [0.1]}}),
    "a new target": Case(stage(q=0.1, target=0.1, **DRIVEN), {60: {"target": [0.0]}}),
    "a new target velocity": Case(stage(**DRIVEN), {60: {"target_vel": [0.1]}}),
}
# Woken without being moved: `worlds/test_wake` asks the engine itself whether they sleep.
STILL_AWAKE = ("no effort while asleep", "a position while asleep", "no velocity while asleep", "the old target")
# Time step as a part of a second -> the first step at whose end a slow slider rests, in ovphysx 0.7.0; bodies alike.
RESTS = {10: 5, 24: 11, 25: 12, 30: 13, 50: 21, 60: 25, 90: 37, 100: 42, 120: 50, 240: 98}
ROWS = {"q": "q", "qd": "v", "effort": "joint_effort", "target": "target_position", "target_vel": "target_velocity"}


@pytest.fixture(scope="module")
def measured(oracle_folder: Path) -> Mapping[str, dict[str, Any]]:
    jobs = [pushed(case.text, DT, case.steps, case.script) for case in CASES.values()]
    return dict(zip(CASES, run_pushed(jobs), strict=True))


def stepped(case: Case, path: str = "specialised") -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Joint positions and whether the world slept, after every step."""
    sim = Simulation(opened(case.text), dt=DT, path=path)
    q, asleep = [], []
    for step in range(1, case.steps + 1):
        for name, values in {**case.script.get("*", {}), **case.script.get(step, {})}.items():
            sim.set(ROWS[name], values)
        sim.step()
        q.append(float(sim.joint_position[0, 0]))
        asleep.append(bool(sim.asleep[0]))
    return np.array(q), np.array(asleep)


@pytest.mark.parametrize("name", CASES)
def test_articulation_sleeps_when_it_does_in_physx(name: str, measured: Mapping[str, dict[str, Any]]) -> None:
    q, asleep = stepped(CASES[name])
    theirs = measured[name]
    resting = np.abs(theirs["link_vel"][1:]).max(axis=(1, 2)) == 0.0
    awake = np.flatnonzero(~asleep)         # a still articulation that is awake has no velocity either
    assert resting[asleep].all()
    assert not resting[awake].any() or name in STILL_AWAKE or CASES[name].text.count("velocity = 0.0\n") == 1
    assert np.abs(q - theirs["q"][1:, 0]).max() < ROUNDING


@pytest.mark.parametrize("name", ["an effort while asleep", "floating", "a drive that settles"])
def test_generic_path_sleeps_as_the_specialised_one(name: str) -> None:
    (q, asleep), (own_q, own_asleep) = (stepped(CASES[name], path) for path in ("generic", "specialised"))
    assert np.array_equal(asleep, own_asleep)
    assert np.abs(q - own_q).max() < ROUNDING


def test_cases_both_sleep_and_wake() -> None:
    _, slow = stepped(CASES["slow"])
    _, woken = stepped(CASES["an effort while asleep"])
    assert (np.flatnonzero(np.diff(slow.astype(int))) + 2).tolist() == [42]
    assert (np.flatnonzero(np.diff(woken.astype(int))) + 2).tolist() == [42, 60, 101]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("path", ["specialised", "generic"])
def test_a_slider_rests_from_the_step_on_that_physx_takes(path: str, dtype: str) -> None:
    sim, found = Simulation(opened(stage(**SLOW)), path=path, dtype=dtype), {}
    for parts, step in RESTS.items():
        sim.reset()
        sim.set_time_step(1 / parts)
        sim.step(step - 1)
        found[parts] = bool(sim.asleep[0])
        sim.step()
        assert sim.asleep[0], parts
    assert not any(found.values()), found


@pytest.mark.sweep
@pytest.mark.parametrize("parts", RESTS)
def test_every_time_step_ends_when_it_does_in_physx(parts: int, oracle_folder: Path) -> None:
    cases = (CASES["slow"].text, CASES["a drive that settles"].text, SLOW_BODY)
    steps = parts + parts // 4
    for text, real in zip(cases, run_pushed([pushed(text, 1 / parts, steps) for text in cases]), strict=True):
        velocity = real["link_vel" if "link_vel" in real and real["link_vel"].size else "rigid_vel"]
        resting = np.abs(velocity[1:]).max(axis=(1, 2)) == 0.0
        sim, asleep = Simulation(opened(text), dt=1 / parts), []
        for _ in range(steps):
            sim.step()
            asleep.append(bool(sim.asleep[0]))
        assert np.array_equal(resting, asleep)


def test_sleeping_can_be_switched_off() -> None:
    awake = simulate(opened(stage(**SLOW)), dt=DT, steps=100, sleeping=False)
    assert awake.joint_velocity[-1, 0, 0] == np.float32(1e-4)
    assert simulate(opened(stage(**SLOW)), dt=DT, steps=100).joint_velocity[-1, 0, 0] == 0.0


def test_held_efforts_keep_awake() -> None:
    assert simulate(opened(stage(**SLOW)), dt=DT, steps=100, joint_effort=[0.0]).joint_velocity[-1, 0, 0] != 0.0


def test_link_forces_keep_awake_until_they_end() -> None:
    sim = Simulation(opened(stage(**SLOW)), dt=DT)
    sim.step(60)
    assert sim.asleep[0]
    sim.set("link_force", [0.0, 0.0, 0.0, 0.0, 1.0, 0.0])       # across the joint
    sim.step(60)
    assert not sim.asleep[0]
    sim.set("link_force", np.zeros(6))
    sim.step(60)
    assert sim.asleep[0]


def test_each_world_sleeps_by_itself() -> None:
    sim = Simulation(opened(stage()), worlds=3, dt=DT)
    sim.set("v", [[1e-4], [1e-2], [2e-4]])
    sim.step(50)
    assert sim.asleep.tolist() == [True, False, True]
    alone = Simulation(opened(stage()), dt=DT)
    alone.set("v", [1e-2])
    alone.step(50)
    assert np.array_equal(sim.joint_position[1], alone.joint_position[0])
    sim.wake([2])
    assert sim.asleep.tolist() == [True, False, False]


def test_reset_begins_anew() -> None:
    sim = Simulation(opened(stage(v=4e-4)), dt=DT)
    sim.step(50)
    assert sim.asleep[0]
    sim.reset()
    assert not sim.asleep[0]
    sim.step(41)
    assert not sim.asleep[0]
    sim.step()
    assert sim.asleep[0]


def test_new_target_by_parameter_wakes() -> None:
    sim = Simulation(opened(stage(**DRIVEN)), worlds=2, dt=DT)
    sim.step(50)
    sim.set_parameter("target_position", 0.1, [1])
    assert sim.asleep.tolist() == [True, False]


def test_a_target_held_already_wakes() -> None:
    sim = Simulation(opened(stage(q=0.1, target=0.1, **DRIVEN)), worlds=2, dt=DT)
    sim.step(50)
    sim.set("target_position", [0.1], [1])
    assert sim.asleep.tolist() == [True, False]


@pytest.mark.parametrize("name", ["q", "v", "joint_effort", "target_position"])
def test_what_is_written_wakes_the_worlds_that_it_is_written_to(name: str) -> None:
    worlds = 67         # the last block is not full
    for chosen in (None, np.arange(0, worlds, 2)):
        sim = Simulation(opened(stage(**DRIVEN)), worlds=worlds, dt=DT)
        sim.step(50)
        sim.set(name, [0.0], chosen)
        assert np.array_equal(sim.asleep, ~np.isin(np.arange(worlds), np.arange(worlds) if chosen is None else chosen))


def test_a_centre_of_mass_wakes_nobody() -> None:
    sim = Simulation(opened(SLOW_BODY), worlds=2, dt=DT)
    sim.step(60)
    sim.set_parameter("center_of_mass", [0.1, 0.0, 0.0])
    assert sim.asleep.all()


def test_edit_wakes_what_sleeps_in_a_session() -> None:
    live: Usd.Stage = opened(stage(**DRIVEN))
    with Session(live) as session:
        for _ in range(50):
            session.step(DT)
        assert session.simulation().asleep[0]
        live.GetPrimAtPath("/World/art/j").GetAttribute("drive:linear:physics:stiffness").Set(20.0)
        session.step(DT)
        assert not session.simulation().asleep[0]


def test_thresholds_count_as_read() -> None:
    found = describe(opened(stage(restless=True)))
    assert found.articulations[0].sleep_threshold == pytest.approx(5e-5)
    assert not found.scene.sleeping
    assert not [opinion for opinion in found.not_evaluated if "leep" in opinion.property]


# --- sleeping arm ----------------------------------------------------------------------------------------------------

ARM_STAGE = Path(__file__).resolve().parents[2] / "data" / "sleeping" / "damped_arm.usda"
ARM = "/tn__planarmanipulator_tH/Geometry/upper_arm/arm_root"
ARM_DT = 1 / 60
# Sleep threshold -> the first step at whose end the arm rests, in ovphysx 0.7.0.
ARM_RESTS = {0.0035: 50, 0.0045: 65, 0.005: 40, 0.0051: 41, 0.0055: 42, 0.006: 44}


@pytest.mark.parametrize("threshold", ARM_RESTS)
def test_a_damped_arm_rests_from_the_step_on_that_physx_takes(threshold: float) -> None:
    stage = Usd.Stage.Open(str(ARM_STAGE))
    stage.SetEditTarget(stage.GetSessionLayer())
    stage.GetPrimAtPath(ARM).GetAttribute("physxArticulation:sleepThreshold").Set(threshold)
    with Session(stage) as session:
        arm, asleep = session.simulation(ARM), []
        for _ in range(ARM_RESTS[threshold]):
            session.step(ARM_DT)
            asleep.append(bool(arm.asleep[0]))
    assert asleep == [False] * (ARM_RESTS[threshold] - 1) + [True]


# --- sleeping in PhysX -----------------------------------------------------------------------------------------------

ISLAND_DT, STEPS = 1 / 60, 700
N, V = 4, 1
SPRING = {"float drive:linear:physics:stiffness": "300", "float drive:linear:physics:damping": "30"}


def damped(name: str, x: float, threshold: float) -> str:
    """A body that comes to rest slowly."""
    return free(name, (N, V), x, {
        "float physxRigidBody:linearDamping": "4", "float physxRigidBody:angularDamping": "4",
        "float physxRigidBody:sleepThreshold": str(threshold)})


def hinge(name: str, body0: str, body1: str, x: float) -> str:
    """A hinge about y half a metre beside body1, which is at x, to body0 a metre before it, or to the world."""
    held = {"rel physics:body0": f"</{body0}>"} if body0 else {}
    return prim("PhysicsRevoluteJoint", name, "", {
        "bool physics:excludeFromArticulation": "1", "uniform token physics:axis": '"Y"', **held,
        "rel physics:body1": f"</{body1}>",
        "point3f physics:localPos0": "(0.5, 0, 0)" if body0 else f"({x - 0.5}, 0, 0)",
        "point3f physics:localPos1": "(-0.5, 0, 0)"})


def chain(*thresholds: float) -> str:
    """Bodies that hang on each other and on the world."""
    parts = []
    for i, threshold in enumerate(thresholds):
        parts += [damped(f"B{i}", i + 0.5, threshold), hinge(f"J{i}", f"B{i - 1}" if i else "", f"B{i}", i + 0.5)]
    return island_stage(*parts)


SCENES = {
    "two bodies": chain(5e-3, 5e-3),
    "three bodies with thresholds of their own": chain(5e-2, 1e-3, 5e-3),
    "a slider and a body": island_stage(
        slider("S", (N, V), joint_schemas="PhysicsDriveAPI:linear", of_joint=SPRING,
               more={"float physxArticulation:sleepThreshold": "5e-3"}),
        damped("B0", 1.0, 5e-3), hinge("J0", "S/tip", "B0", 1.0)),
}


@pytest.fixture(scope="module")
def recorded(oracle_folder: Path) -> Mapping[str, dict[str, Any]]:
    from scene_recorder import record

    jobs = [{"usd": text, "dt": ISLAND_DT, "steps": STEPS} for text in SCENES.values()]
    return dict(zip(SCENES, record(jobs), strict=True))


@pytest.mark.parametrize("name", SCENES)
def test_an_island_rests_with_the_step_with_which_it_does_in_physx(name: str,
                                                                  recorded: Mapping[str, dict[str, Any]]) -> None:
    speed = np.abs(np.concatenate([recorded[name][part] for part in ("vel", "ang")], axis=2)).max(axis=(1, 2))
    rests = next(step for step in range(2, STEPS + 1) if speed[step] == 0.0)
    scene = Scene(opened_island(SCENES[name]), dt=ISLAND_DT)
    scene.step(rests - 1)
    assert not any(scene[actor].asleep[0] for actor in scene.actors)
    scene.step()
    assert all(scene[actor].asleep[0] for actor in scene.actors)
