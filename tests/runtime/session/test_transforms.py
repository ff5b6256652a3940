"""Turns below what a quaternion in single precision shows are written to the stage all the same.

What sessions write on stages is what real PhysX does with them.

Robots with colliders that sleep while their values are edited wake and move as in real PhysX.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import Session
from pxr import Gf
from support.chance.articulations import Features, random_articulation
from support.chance.self_touching_robots import LAST, RESTED, SleepingRobots, author, sleeping_robots
from support.physx.live import STAGE, Recorded, Script, record_live
from support.stages.iteration_stages import opened
from support.stages.session_stages import (
    BODY,
    DT,
    FAR,
    STEPS,
    TIP,
    arm,
    floating,
    pose_error,
    slow_turn,
    state,
    texts,
    world_poses,
)
from support.stages.session_stages import opened as opened_arm

from physx_schema.description import describe
from physx_schema.description.frames import rotation_matrix

SEEDS = 20
WRITTEN = 3e-8          # rad: what the arc cosine of a real part in float64 leaves
FLOAT32 = 5e-7          # m, of positions up to 4 m in float32 over 30 steps
BACK = 1e-6             # of a pose set through single precision, one step later


def turned(seed: int) -> tuple[Any, Session]:
    """A stage of a body that has turned a little, and its session."""
    stage = opened(slow_turn(seed))
    session = Session(stage)
    for _ in range(STEPS):
        session.step(DT)
    return stage, session


def place_of_tip(stage: Any, position: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """Where the nested prim is when its body has a pose, quaternion x y z w."""
    scale = np.array(stage.GetPrimAtPath(BODY).GetAttribute("xformOp:scale").Get() or (1.0, 1.0, 1.0))
    turn = np.asarray(rotation_matrix(tuple(rotation / np.linalg.norm(rotation))))
    return np.asarray(position + turn @ (scale * [FAR, 0.0, 0.0]))


@pytest.mark.parametrize("seed", range(0, SEEDS, 4))
def test_a_small_turn_moves_what_is_nested_far_out(seed: int) -> None:
    stage, session = turned(seed)
    position, rotation = np.split(session.simulation().link_pose[0, 0].astype(float), [3])
    expected = place_of_tip(stage, position, rotation)
    assert np.abs(world_poses(stage, (TIP,))[0, :3] - expected).max() < 2 * FAR * WRITTEN


def test_the_orientation_of_the_prim_itself_follows_too() -> None:
    stage, session = turned(1)
    own = stage.GetPrimAtPath(BODY).GetAttribute("xformOp:orient").Get()
    x, y, z, w = session.simulation().link_pose[0, 0, 3:].tolist()
    assert [own.GetReal(), *own.GetImaginary()] == pytest.approx([w, x, y, z], abs=1e-7)
    assert not session.messages


def test_an_orientation_that_is_set_is_where_the_body_goes_on_from() -> None:
    stage, session = turned(1)
    own = stage.GetPrimAtPath(BODY).GetAttribute("xformOp:orient")
    own.Set(Gf.Quatf(0.8, 0.6, 0.0, 0.0))
    session.step(1e-9)
    assert np.abs(session.simulation().link_pose[0, 0, 3:]) == pytest.approx([0.6, 0.0, 0.0, 0.8], abs=BACK)


def test_a_reset_takes_what_single_precision_loses_off_the_stage() -> None:
    stage = opened(slow_turn(1))
    before = texts(stage)
    session = Session(stage)
    session.step(DT)
    assert stage.GetPrimAtPath(BODY).HasAttribute("xformOp:orient:session")
    session.reset()
    assert texts(stage) == before


def test_small_turns_are_those_of_physx(oracle_folder: Path) -> None:
    recorded = record_live([(slow_turn(seed), DT, STEPS, STEPS, {}) for seed in range(SEEDS)])
    wrong = []
    for seed, real in enumerate(recorded):
        stage, _ = turned(seed)
        tip = place_of_tip(stage, real.of("position", BODY)[0], real.of("orientation", BODY)[0])
        error = np.abs(world_poses(stage, (TIP,))[0, :3] - tip).max()
        if error > FLOAT32 + 2 * FAR * WRITTEN:
            wrong.append(f"seed {seed}: {error:.1e}")
    assert not wrong, "\n".join(wrong)


# --- in in PhysX -----------------------------------------------------------------------------------------------------

COMPARED_STEPS, COMPARED_SEEDS = 30, 12
Q_FLOAT32, POSE_FLOAT32 = 5e-6, 2e-5        # rad or length; poses add up along chains
SPREAD_FACTOR = 10.0


def stages() -> list[tuple[str, str]]:
    """Name and text: hinges in metres and centimetres, a floating base, and random articulations at rest."""
    found = [("arm", arm()), ("centimetres", arm(meters=0.01, kilograms=0.001)), ("floating", floating())]
    for seed in range(COMPARED_SEEDS):
        made = random_articulation(seed, Features(floating=seed % 3 == 0))
        found.append((f"seed {seed}", made.text))
    return found


@pytest.mark.sweep
def test_written_poses_and_joint_states_are_those_of_physx(oracle_folder: Path) -> None:
    from physx_oracle import run_jobs, sim_job

    todo = [(name, text) for name, text in stages() if describe(opened_arm(text)).articulations[0].dofs]
    jobs = []
    for _, text in todo:
        count = len(describe(opened_arm(text)).articulations[0].dofs)
        nudge = np.nextafter(np.zeros(count, np.float32), np.float32(1.0)) + np.float32(1e-7)
        jobs += [sim_job(text, DT, COMPARED_STEPS), sim_job(text, DT, COMPARED_STEPS, joint_pos0=nudge)]
    results = iter(run_jobs(jobs))
    wrong = []
    for name, text in todo:
        exact, nudged = next(results), next(results)
        spread = float(np.abs(exact["q"] - nudged["q"]).max())
        stage = opened_arm(text)
        with Session(stage) as session:
            for _ in range(COMPARED_STEPS):
                session.step(DT)
            model = session.simulation().model
        leaves = [path.rpartition("/")[2] for path in model.dof_names]
        order = [leaves.index(leaf) for leaf in exact["dof_names"]]
        angular = describe(opened_arm(text)).articulations[0].dofs
        q = np.array([np.radians(state(stage, dof.path)) if dof.angular else state(stage, dof.path, instance="linear")
                      for dof in angular])[order]
        links = [path.rpartition("/")[2] for path in model.link_names]
        paths = tuple(model.link_names[links.index(str(path).rpartition("/")[2])] for path in exact["link_paths"])
        errors = np.abs(q - exact["q"][-1]).max(), pose_error(world_poses(stage, paths), exact["link_pose"][-1])
        bars = max(Q_FLOAT32, SPREAD_FACTOR * spread), max(POSE_FLOAT32, 2 * SPREAD_FACTOR * spread)
        if errors[0] > bars[0] or errors[1] > bars[1]:
            wrong.append(f"{name}: {errors[0]:.1e} > {bars[0]:.1e} or {errors[1]:.1e} > {bars[1]:.1e}")
    assert len(todo) > 10
    assert not wrong, "\n".join(wrong)


# --- edits of sleepers in in PhysX -----------------------------------------------------------------------------------

Array = NDArray[np.float64]
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
