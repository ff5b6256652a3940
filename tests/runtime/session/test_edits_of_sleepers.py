"""Edits between steps of what sleeps and has colliders; with which of them PhysX wakes is measured."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from physx_runtime import Session
from pxr import Sdf
from support.chance.sleeping_robots import DT, sleeping_robots
from support.stages.iteration_stages import opened as opened_scene
from support.stages.session_stages import world_poses

ALONE, PAIR = 7, 1              # seeds: one robot on the ground, two weightless robots and a box
WITHOUT_TARGET = 16             # its first joint has no target velocity
RESTED = 120
STILL = 1e-6                    # m: nothing that sleeps may move
FLOAT, BOOL = Sdf.ValueTypeNames.Float, Sdf.ValueTypeNames.Bool
# What PhysX wakes with, and what it does not: sleeping pairs of hinged boxes on a plane, one value edited in each.
WAKES = {"drive:angular:physics:stiffness": 9.0, "drive:angular:physics:damping": 3.0,
         "drive:angular:physics:maxForce": 400.0, "drive:angular:physics:targetVelocity": 10.0,
         "physics:lowerLimit": -50.0, "physxJointAxis:angular:armature": 0.05,
         "physxJointAxis:angular:staticFrictionEffort": 0.1, "physxJointAxis:angular:viscousFrictionCoefficient": 0.1}
SLEEPS_ON = {"j0": ("physxJointAxis:angular:maxJointVelocity", 500.0), "l1": ("physics:mass", 3.0),
             "l0": ("physxRigidBody:angularDamping", 1.0), "l0/shape": ("physxCollision:contactOffset", 0.03)}


def resting(seed: int) -> tuple[Any, Session, tuple[str, ...]]:
    """A stage of robots that sleep, its session, and its links."""
    made = sleeping_robots(seed)
    stage = opened_scene(made.text)
    session = Session(stage)
    for _ in range(RESTED):
        session.step(DT)
    assert all(session.simulation(actor).asleep[0] for actor in made.actors)
    return stage, session, made.links


def author(stage: Any, path: str, name: str, value: float | bool) -> None:
    stage.GetPrimAtPath(path).CreateAttribute(name, BOOL if isinstance(value, bool) else FLOAT, False).Set(value)


@pytest.mark.parametrize("seed", [ALONE, PAIR])
@pytest.mark.parametrize("name", WAKES)
def test_values_of_joints_wake_a_robot_with_colliders(seed: int, name: str) -> None:
    stage, session, _ = resting(seed)
    author(stage, "/R0/j0", name, WAKES[name])
    session.step(DT)
    assert not session.simulation("/R0").asleep[0]


def test_a_value_of_a_drive_that_was_not_authored_wakes_a_robot_with_colliders() -> None:
    stage, session, _ = resting(WITHOUT_TARGET)
    assert not stage.GetAttributeAtPath("/R0/j0.drive:angular:physics:targetVelocity").HasAuthoredValue()
    author(stage, "/R0/j0", "drive:angular:physics:targetVelocity", 10.0)
    session.step(DT)
    assert not session.simulation("/R0").asleep[0]
    assert np.abs(session.simulation("/R0").get("v")[0, -1]) > 0.0


@pytest.mark.parametrize("seed", [ALONE, PAIR])
@pytest.mark.parametrize("of", SLEEPS_ON)
def test_masses_and_what_colliders_keep_wake_nothing(seed: int, of: str) -> None:
    stage, session, _ = resting(seed)
    author(stage, f"/R0/{of}", *SLEEPS_ON[of])
    session.step(DT)
    assert session.simulation("/R0").asleep[0]


def test_gravity_that_comes_back_wakes() -> None:
    stage, session, _ = resting(ALONE)
    for wanted, asleep in ((True, True), (False, False)):
        author(stage, "/R0/l0", "physxRigidBody:disableGravity", wanted)
        session.step(DT)
        assert session.simulation("/R0").asleep[0] == asleep


def test_a_robot_that_sleeps_stays_where_it_is_when_another_is_edited_while_it_moves() -> None:
    stage, session, links = resting(PAIR)
    others = tuple(link for link in links if not link.startswith("/R0"))
    before = world_poses(stage, others)
    author(stage, "/R0/j0", "drive:angular:physics:targetPosition", 10.0)
    session.step(DT)
    author(stage, "/R0/l0", "physics:mass", 1.5)        # the stage is read again, while some sleep and some do not
    session.step(DT)
    assert np.abs(world_poses(stage, others) - before).max() < STILL
    assert session.simulation("/R1").asleep[0]
