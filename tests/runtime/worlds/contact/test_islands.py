"""Bodies that touch rest and wake with the steps with which they do in recordings of real PhysX.

Bodies that touch rest and wake with the very steps with which they do in real PhysX, where they do there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Scene
from support.physx.live import Recorded
from support.physx.resting import our_turns, recorded_cases, turns_of
from support.places import DATA
from support.stages.iteration_stages import opened
from support.stages.resting_stages import CASES, DT

RECORDED = json.loads((DATA / "sleeping" / "touching.json").read_text(encoding="utf-8"))
SHORT = ("a ball on a plane", "a box that is dropped", "two stacks of different age", "a support that jumps away",
         "a support that is sent to where it is", "two boxes with a hinge", "one of a stack woken",
         "a place in a stack", "the lowest of a stack lifted", "asleep at the start", "a stack asleep and hit",
         "asleep beside one that passes", "a ball that rolls out between walls",
         "a robot on the ground that a box falls on", "a box put to sleep in the air",
         "balls that float off the ground", "robots that float off the ground")
STACK = "a velocity of 0 in a stack"
RESTED = 30             # a step after which the stack is at rest


@pytest.mark.parametrize("name", SHORT)
def test_bodies_turn_to_sleep_and_wake_with_the_recorded_steps(name: str) -> None:
    turns, _ = our_turns(name)
    assert turns == {path: RECORDED[name][path] for path in turns}


def test_what_rests_tells_no_contacts_and_keeps_its_place() -> None:
    scene = Scene(opened(CASES[STACK].text), dt=DT)
    scene.step(RESTED)
    places = scene.body_pose
    scene.step(5)
    assert len(scene.contacts) == 0
    assert np.array_equal(scene.body_pose, places)
    scene["/T2"].wake()
    scene.step()
    assert {body for pair in scene.contacts.bodies for body in pair} == {"/T0", "/T1", "/T2", "/ground"}


def test_a_world_rests_by_itself() -> None:
    alone, many = Scene(opened(CASES[STACK].text), dt=DT), Scene(opened(CASES[STACK].text), 3, dt=DT)
    for step in range(60):
        if step == RESTED:
            alone["/T1"].set("v", [0.1, 0, 0.5, 0, 0, 0])
            many["/T1"].set("v", [0.1, 0, 0.5, 0, 0, 0], worlds=[1])
        alone.step()
        many.step()
        assert many["/T2"].asleep[1] == alone["/T2"].asleep[0]
        assert np.array_equal(many.body_pose[1], alone.body_pose[0])
    assert many["/T0"].asleep.tolist() == [True, True, True]
    assert np.array_equal(many.body_pose[0], many.body_pose[2])
    assert not np.array_equal(many.body_pose[0], many.body_pose[1])


def test_a_world_that_rests_repeats_after_a_reset() -> None:
    scene = Scene(opened(CASES[STACK].text), 2, dt=DT)
    scene.step(RESTED)
    first = scene.body_pose
    scene.reset([1])
    assert scene["/T0"].asleep.tolist() == [True, False]
    scene.step(RESTED)
    assert np.array_equal(scene.body_pose, first)
    assert scene["/T0"].asleep.all()


def test_who_is_put_to_sleep_in_a_stack_moves_on_with_it() -> None:
    scene = Scene(opened(CASES[STACK].text), dt=DT)
    scene["/T1"].put_to_sleep()
    assert [scene[path].asleep[0] for path in ("/T0", "/T1", "/T2")] == [False, True, False]
    scene.step()
    assert not any(scene[path].asleep[0] for path in ("/T0", "/T1", "/T2"))


def test_without_sleeping_nothing_that_touches_rests() -> None:
    scene = Scene(opened(CASES[STACK].text), dt=DT, sleeping=False)
    scene.step(RESTED)
    assert not any(scene[actor].asleep[0] for actor in scene.actors)
    assert len(scene.contacts) > 0


# --- resting in PhysX ------------------------------------------------------------------------------------------------

PLACE = 3e-4        # m, of stacks and rows of balls, in which last bits grow; of single bodies 1e-6 to 1e-5
# Falls for seconds, turning as the edge left it; falls a metre onto the box below as a slight tilt has it (2.6e-3).
FAR = {"sliding off an edge": 0.1, "a place in a stack": 5e-3}
# In PhysX a body that is put to sleep among others awake is called asleep though it moves with them.
CALLED_ASLEEP = {"one of a stack put to sleep": {"/T1"}}


@pytest.fixture(scope="module")
def recorded(oracle_folder: Path) -> Mapping[str, Recorded]:
    return recorded_cases()


@pytest.mark.parametrize("name", CASES)
def test_bodies_turn_to_sleep_and_wake_with_the_steps_of_physx(name: str, recorded: Mapping[str, Recorded]) -> None:
    turns, places = our_turns(name)
    others = turns.keys() - CALLED_ASLEEP.get(name, set())
    theirs = turns_of({path: recorded[name].asleep(path) for path in others})
    assert {path: turns[path] for path in others} == theirs
    away = max(np.abs(found - recorded[name].of("position", path)).max() for path, found in places.items())
    assert away < FAR.get(name, PLACE)


def test_cases_both_sleep_and_wake(recorded: Mapping[str, Recorded]) -> None:
    woken = {name for name, motion in recorded.items() for path in motion.paths
             if path != "/K" and (np.diff(motion.asleep(path).astype(int)) < 0).any()}
    assert len(woken) > 15
