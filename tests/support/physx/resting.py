"""With which steps bodies fall asleep and wake, in real PhysX and here."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from physx_runtime import Scene

from support.physx.live import Recorded, record_live
from support.stages.iteration_stages import opened
from support.stages.resting_stages import CASES, DT

Turns = dict[str, list[int]]    # by body: 0 where it starts asleep, then each step that it falls asleep or wakes with


def recorded_cases() -> dict[str, Recorded]:
    """All cases in PhysX, from their start on."""
    return dict(zip(CASES, record_live([(case.text, DT, 0, case.steps, case.theirs) for case in CASES.values()]),
                    strict=True))


def turns_of(asleep: Mapping[str, NDArray[np.bool_]]) -> Turns:
    """From whether bodies sleep at the start and after every step."""
    return {path: np.flatnonzero(np.diff(found.astype(int), prepend=0)).tolist() for path, found in asleep.items()}


def our_turns(name: str) -> tuple[Turns, dict[str, NDArray[np.float64]]]:
    """Of one case here, by first link, and where these are at the start and after every step."""
    case = CASES[name]
    scene = Scene(opened(case.text), dt=DT)
    actors = {scene[path].model.link_names[0]: scene[path] for path in scene.actors}
    asleep = {path: [bool(actor.asleep[0])] for path, actor in actors.items()}
    places = [scene.body_pose[0, :, :3]]
    for step in range(1, case.steps + 1):
        for write in case.ours.get(step, ()):
            write(scene)
        scene.step()
        places.append(scene.body_pose[0, :, :3])
        for path, actor in actors.items():
            asleep[path].append(bool(actor.asleep[0]))
    return (turns_of({path: np.array(found) for path, found in asleep.items()}),
            {path: np.array(places)[:, scene.body_names.index(path)] for path in actors})
