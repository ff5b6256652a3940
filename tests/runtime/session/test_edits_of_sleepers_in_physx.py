"""Robots with colliders that sleep while their values are edited wake and move as in real PhysX."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from physx_runtime import Session
from support.chance.sleeping_robots import DT, LAST, RESTED, SleepingRobots, author, sleeping_robots
from support.physx.live import STAGE, Recorded, Script, record_live
from support.stages.iteration_stages import opened
from support.stages.session_stages import pose_error, world_poses

Array = NDArray[np.float64]
SEEDS = 20
SLEEPER_FLOAT32 = 5e-6         # m, of float32 over a hundred steps
GROWTH_FACTOR = 10.0        # of what PhysX's own motions part by under turns of 3e-7 rad


def test_edits_of_sleeping_robots_wake_and_move_them_as_in_physx(oracle_folder: Path) -> None:
    made = [sleeping_robots(seed) for seed in range(SEEDS)]
    texts = [(text, one) for one in made for text in (one.text, *one.turned)]
    recorded = iter(record_live([(text, DT, RESTED - 1, LAST, script(one)) for text, one in texts]))
    wrong = []
    for seed, one in enumerate(made):
        real, *turned = (next(recorded) for _ in range(3))
        poses, asleep = our_motion(one)
        spread = max(parted(motion(other, one), motion(real, one)) for other in turned)
        error, bar = parted(poses, motion(real, one)), max(SLEEPER_FLOAT32, GROWTH_FACTOR * spread)
        if error > bar:
            wrong.append(f"seed {seed}: poses part by {error:.1e} > {bar:.1e}")
        wrong += [f"seed {seed}: {actor} sleeps in other steps" for actor in one.actors
                  if all(np.array_equal(sleep(other, actor), sleep(real, actor)) for other in turned)
                  and not np.array_equal(asleep[actor], sleep(real, actor))]
    assert not wrong, "\n".join(wrong)


def script(made: SleepingRobots) -> Script:
    """The edits as they are written to PhysX's stage."""
    steps = {step for step, *_ in made.edits}
    return {at: [(STAGE, path, name, value) for step, path, name, value in made.edits if step == at] for at in steps}


def our_motion(made: SleepingRobots) -> tuple[Array, dict[str, NDArray[np.bool_]]]:
    """(n_step, n_link, 7) poses on the stage from the step before the first edit on, and which actors sleep."""
    stage = opened(made.text)
    poses, asleep = [], []
    with Session(stage) as session:
        for step in range(1, LAST + 1):
            for _, path, name, value in (edit for edit in made.edits if edit[0] == step):
                author(stage, path, name, value)
            session.step(DT)
            if step >= RESTED - 1:
                poses.append(world_poses(stage, made.links))
                asleep.append([bool(session.simulation(actor).asleep[0]) for actor in made.actors])
    return np.array(poses), dict(zip(made.actors, np.array(asleep).T, strict=True))


def motion(recorded: Recorded, made: SleepingRobots) -> Array:
    links = [np.concatenate([recorded.of(name, link) for name in ("position", "orientation")], axis=1)
             for link in made.links]
    return np.array(links).swapaxes(0, 1)


def sleep(recorded: Recorded, actor: str) -> NDArray[np.bool_]:
    return recorded.asleep(actor if actor == "/B" else f"{actor}/l0")


def parted(motion: Array, other: Array) -> float:
    return max(pose_error(a, b) for a, b in zip(motion, other, strict=True))
