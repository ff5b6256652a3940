"""Writes wake and put to sleep as in real PhysX, step by step: robots, bodies, and what joints hold together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import radians
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime import Scene
from physx_runtime.worlds.store import SCHEDULED
from support.physx.live import BODY, JOINT, LINK, STAGE, Recorded, Write, record_live
from support.stages.iteration_stages import WEIGHTLESS, free, opened, prim, slider, stage

DT = 1 / 60
N, V = 4, 1
PLACE = 5e-6                # m, of float32 over a few hundred steps of motion that comes to rest
RESTED = 400                # a step before which all of these stages are at rest
SETTLING = 370
ISLAND_ENDS, ALONE_ENDS = RESTED + 60, 260
SPRING = {"float drive:linear:physics:stiffness": "300", "float drive:linear:physics:damping": "30"}
MOTOR = {"float drive:angular:physics:stiffness": "20", "float drive:angular:physics:damping": "5",
         "float drive:angular:physics:maxForce": "1000", "float drive:angular:physics:targetPosition": "10",
         "float drive:angular:physics:targetVelocity": "0", "float physics:lowerLimit": "-170",
         "float physics:upperLimit": "170"}
LAZY = {"float physxRigidBody:linearDamping": "4", "float physxRigidBody:angularDamping": "4",
        "float physxRigidBody:sleepThreshold": "5e-3"}
Ours = Callable[[Scene], None]


def body(name: str, x: float, **more: str) -> str:
    """A body that comes to rest slowly."""
    return free(name, (N, V), x, {**LAZY, **more})


def hinge(name: str, body0: str, body1: str, x: float, **more: str) -> str:
    """A hinge about y half a metre beside body1, which is at x, to body0 a metre before it, or to the world."""
    held = {"rel physics:body0": f"</{body0}>"} if body0 else {}
    return prim("PhysicsRevoluteJoint", name, "PhysicsDriveAPI:angular" if more else "", {
        "bool physics:excludeFromArticulation": "1", "uniform token physics:axis": '"Y"', **held,
        "rel physics:body1": f"</{body1}>", "point3f physics:localPos1": "(-0.5, 0, 0)",
        "point3f physics:localPos0": "(0.5, 0, 0)" if body0 else f"({x - 0.5}, 0, 0)", **more})


def robot(**more: str) -> str:
    """A slider that its drive holds up."""
    return slider("S", (N, V), joint_schemas="PhysicsDriveAPI:linear", of_joint=SPRING,
                  more={"float physxArticulation:sleepThreshold": "5e-3", **more})


KINEMATIC = free("K", None, 0.0, {"bool physics:kinematicEnabled": "1"})
PAIR = stage(body("B0", 0.5), hinge("J0", "", "B0", 0.5), body("B1", 1.5), hinge("J1", "B0", "B1", 1.5))
DRIVEN = stage(body("B0", 0.5), hinge("J0", "", "B0", 0.5, **MOTOR), body("B1", 1.5), hinge("J1", "B0", "B1", 1.5))
MIXED = stage(robot(), body("B0", 1.0), hinge("J0", "S/tip", "B0", 1.0))
CARRIED = stage(KINEMATIC, body("B0", 1.0), hinge("J0", "K", "B0", 1.0))
FLOATER = stage(free("B0", (N, V), 0.0, WEIGHTLESS))
HEAVY = stage(free("B0", (N, V), 0.0, {"bool physxRigidBody:disableGravity": "0"}),
              scene={"float physics:gravityMagnitude": "0"})


@dataclass(frozen=True)
class Case:
    """A stage, and what is written before which step, there and here."""

    text: str
    theirs: Mapping[int, Sequence[Write]] = field(default_factory=dict)
    ours: Mapping[int, Ours] = field(default_factory=dict)
    steps: int = ISLAND_ENDS

    @property
    def since(self) -> int:
        """The step from which on it is compared: shortly before the last write, and before all of it rests."""
        return min(max(self.theirs) - 5, SETTLING)


def sets(actor: str, name: str, *values: float) -> Ours:
    """Set a row or a parameter of an actor."""
    return lambda scene: scene[actor].set(name, values if len(values) > 1 else values[0] * np.ones(1))


def of_joint(name: str, value: float) -> Ours:
    return lambda scene: scene.joint("/J0").set_parameter(name, value)


def drive_case(name: str, value: float, ours: str, own: float) -> Case:
    edit = (STAGE, "/J0", f"drive:angular:physics:{name}", [value])
    return Case(DRIVEN, {RESTED: [edit]}, {RESTED: of_joint(ours, own)})


def alone(text: str, kind: str, path: str, name: str, value: Any, ours: Ours) -> Case:
    return Case(text, {200: [(kind, path, name, value)]}, {200: ours}, ALONE_ENDS)


def sent(path: str, z: float) -> tuple[Write, Ours]:
    """A kinematic body's target at a height."""
    return ((BODY, path, "kinematicTargetPosition", [0, 0, z]),
            lambda scene: scene.set_kinematic_target(path, [0, 0, z, 0, 0, 0, 1]))


def carried(heights: Mapping[int, float]) -> Case:
    pairs = {step: sent("/K", z) for step, z in heights.items()}
    return Case(CARRIED, {step: [theirs] for step, (theirs, _) in pairs.items()},
                {step: ours for step, (_, ours) in pairs.items()})


def put(*paths: str) -> tuple[list[Write], Ours]:
    """Bodies put to sleep."""

    def ours(scene: Scene) -> None:
        for path in paths:
            scene[path].put_to_sleep()
    return [(BODY, path, "wake", 0) for path in paths], ours


def slept(text: str, *paths: str) -> Case:
    theirs, ours = put(*paths)
    return Case(text, {20: theirs}, {20: ours})


def _gravity(value: float) -> Ours:
    return lambda scene: scene["/B0"].set_parameter("gravity_enabled", value)


ROBOT = stage(robot())
WAKE = (BODY, "/B0", "wake", 1)
CASES: dict[str, Case] = {
    # a robot and a body by themselves
    "an effort of 0": alone(ROBOT, JOINT, "/S/slide", "jointActuationForce", [0], sets("/S", "joint_effort", 0.0)),
    "the old target": alone(ROBOT, JOINT, "/S/slide", "jointPositionTarget", [0], sets("/S", "target_position", 0.0)),
    "another target": alone(ROBOT, JOINT, "/S/slide", "jointPositionTarget", [.1], sets("/S", "target_position", 0.1)),
    "another position": alone(ROBOT, JOINT, "/S/slide", "jointPosition", [-0.03], sets("/S", "q", -0.03)),
    "a velocity of 0": alone(ROBOT, JOINT, "/S/slide", "jointVelocity", [0], sets("/S", "v", 0.0)),
    "a link force of 0": alone(ROBOT, LINK, "/S/tip", "force", [0, 0, 0], sets("/S", "link_force", *[0.0] * 6)),
    "a stiffness": alone(ROBOT, JOINT, "/S/slide", "jointStiffness", [310], sets("/S", "stiffness", 310.0)),
    "a mass": alone(ROBOT, LINK, "/S/tip", "mass", [2], lambda scene: scene["/S"].set_parameter("mass", [1.0, 2.0])),
    "a body's velocity of 0": alone(FLOATER, BODY, "/B0", "linearVelocity", [0, 0, 0], sets("/B0", "v", *[0.0] * 6)),
    "a body's place": alone(FLOATER, BODY, "/B0", "position", [0, 0, .1], sets("/B0", "root_position", 0, 0, .1)),
    "a push by 0": alone(FLOATER, BODY, "/B0", "force", [0, 0, 0], lambda scene: scene["/B0"].apply_force([0, 0, 0])),
    "a body's mass": alone(FLOATER, BODY, "/B0", "mass", [2], lambda scene: scene["/B0"].set_parameter("mass", 2.0)),
    "gravity for a body": alone(FLOATER, BODY, "/B0", "disableGravity", [0], _gravity(1.0)),
    "gravity that it had": alone(HEAVY, BODY, "/B0", "disableGravity", [0], _gravity(1.0)),
    "no gravity for a body": alone(HEAVY, BODY, "/B0", "disableGravity", [1], _gravity(0.0)),
    # islands
    "a velocity in an island": Case(PAIR, {RESTED: [(BODY, "/B0", "linearVelocity", [0, 0, 0.5])]},
                                    {RESTED: sets("/B0", "v", 0, 0, 0.5, 0, 0, 0)}),
    "a push in an island": Case(PAIR, {RESTED: [(BODY, "/B1", "force", [0, 0, 5])]},
                                {RESTED: lambda scene: scene["/B1"].apply_force([0, 0, 5])}),
    "one woken in an island": Case(PAIR, {RESTED: [WAKE]}, {RESTED: lambda scene: scene["/B0"].wake()}),
    "one that a robot holds woken": Case(MIXED, {RESTED: [WAKE]}, {RESTED: lambda scene: scene["/B0"].wake()}),
    "an effort in an island": Case(MIXED, {RESTED: [(JOINT, "/S/slide", "jointActuationForce", [1])]},
                                   {RESTED: sets("/S", "joint_effort", 1.0)}),
    "a target in an island": Case(MIXED, {RESTED: [(JOINT, "/S/slide", "jointPositionTarget", [0.05])]},
                                  {RESTED: sets("/S", "target_position", 0.05)}),
    "a joint's old target": drive_case("targetPosition", 10.0, "target_position", radians(10.0)),
    "a joint's new target": drive_case("targetPosition", 11.0, "target_position", radians(11.0)),
    "a joint's old target velocity": drive_case("targetVelocity", 0.0, "target_velocity", 0.0),
    "a joint's stiffness": drive_case("stiffness", 25.0, "stiffness", np.degrees(25.0)),
    "a joint's damping": drive_case("damping", 6.0, "damping", np.degrees(6.0)),
    "a joint's largest force": drive_case("maxForce", 900.0, "max_force", 900.0),
    "a joint's limit": Case(DRIVEN, {RESTED: [(STAGE, "/J0", "physics:lowerLimit", [-90.0])]},
                            {RESTED: of_joint("lower_limit", radians(-90.0))}),
    "one of two put to sleep": slept(PAIR, "/B0"),
    "the other of two put to sleep": slept(PAIR, "/B1"),
    "both put to sleep": slept(PAIR, "/B0", "/B1"),
    "both put to sleep and one woken": Case(
        PAIR, {20: put("/B0", "/B1")[0], 40: [WAKE]},
        {20: put("/B0", "/B1")[1], 40: lambda scene: scene["/B0"].wake()}),
    "one that a robot holds put to sleep": slept(MIXED, "/B0"),
    # kinematic bodies
    "sent to a target": carried({RESTED: 0.01}),
    "sent to where it is": carried({RESTED: 0.0}),
    "sent to where it is all the time": carried(dict.fromkeys(range(1, 380), 0.0)),
    "sent on slowly": carried({step: 1e-5 * step for step in range(1, 380)}),
    "sent every third step": carried(dict.fromkeys(range(1, 380, 3), 0.0)),
    "sent every fourth step": carried(dict.fromkeys(range(1, 380, 4), 0.0)),
    "put elsewhere": Case(CARRIED, {RESTED: [(BODY, "/K", "position", [0, 0, 0.01])]},
                          {RESTED: lambda scene: scene.set_kinematic_pose("/K", [0, 0, 0.01, 0, 0, 0, 1])}),
}
# In PhysX a body that is put to sleep among others awake is called asleep though it moves with them.
CALLED_ASLEEP = {"one of two put to sleep", "the other of two put to sleep", "one that a robot holds put to sleep"}


@pytest.fixture(scope="module")
def recorded(oracle_folder: Path) -> Mapping[str, Recorded]:
    jobs = [(case.text, DT, case.since, case.steps, case.theirs) for case in CASES.values()]
    return dict(zip(CASES, record_live(jobs), strict=True))


@pytest.mark.parametrize("name", CASES)
def test_a_write_wakes_or_puts_to_sleep_what_it_does_in_physx(name: str, recorded: Mapping[str, Recorded]) -> None:
    case, theirs = CASES[name], recorded[name]
    scene = Scene(opened(case.text), dt=DT, path=SCHEDULED)
    owners = {link: actor for actor in scene.actors for link in scene[actor].model.link_names}
    for step in range(1, case.steps + 1):
        case.ours.get(step, lambda _: None)(scene)
        scene.step()
        for path, actor in owners.items() if step >= case.since else ():
            index = scene.body_names.index(path)
            away = np.abs(scene.body_pose[0, index, :3] - theirs.of("position", path)[step - case.since]).max()
            assert away < PLACE, (step, path, away)
            if name not in CALLED_ASLEEP:
                assert scene[actor].asleep[0] == theirs.asleep(path)[step - case.since], (step, path)


def test_cases_both_sleep_and_wake(recorded: Mapping[str, Recorded]) -> None:
    woken = {name for name, case in CASES.items() for found in (recorded[name],) for path in found.paths
             if path != "/K" and (np.diff(found.asleep(path).astype(int)) < 0).any()}
    asleep = {name for name, found in recorded.items() if any(found.asleep(path).any() for path in found.paths)}
    assert asleep == set(CASES)
    assert {"the old target", "a push by 0", "sent to where it is"} <= woken
    assert woken.isdisjoint({"a stiffness", "a mass", "a body's mass", "no gravity for a body", "a joint's limit",
                             "put elsewhere"})
