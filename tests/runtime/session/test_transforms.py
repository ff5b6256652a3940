"""Turns below what a quaternion in single precision shows are written to the stage all the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime import Session
from pxr import Gf
from support.physx.live import record_live
from support.stages.iteration_stages import opened
from support.stages.session_stages import texts, world_poses
from support.stages.small_turns import BODY, DT, FAR, STEPS, TIP, slow_turn

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
