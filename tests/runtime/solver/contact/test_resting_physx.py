"""Bodies that touch rest and wake with the very steps with which they do in real PhysX, where they do there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from support.physx.live import Recorded
from support.physx.resting import our_turns, recorded_cases, turns_of
from support.stages.resting_stages import CASES

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
