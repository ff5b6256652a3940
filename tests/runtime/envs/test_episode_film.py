"""An environment records chosen worlds, and writes them as films."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import physx_runtime
import pytest
from support.stages.cart_pole import resting_ball

pytest.importorskip("gymnasium")

ACTIONS = 30


def filmed() -> physx_runtime.envs.EpisodeFilm:
    env = physx_runtime.envs.VectorEnv(
        resting_ball(), 20, reward=lambda env: np.zeros(20), steps_per_action=2, max_episode_steps=20,
        start=lambda env, worlds, random: env.robot.reset(worlds, joint_position=0.1 + 0.1 * worlds[:, None]))
    env.reset()
    film = env.film([17, 3])
    for _ in range(ACTIONS):
        env.step(np.zeros((20, 1)))
    return film


def test_a_film_has_a_record_for_each_action_of_its_worlds() -> None:
    film = filmed()
    recording = film.recording
    assert recording.joint_position.shape == (ACTIONS + 1, 2, 1)
    assert recording.joint_position[0, :, 0] == pytest.approx([1.8, 0.4], rel=1e-6)
    assert recording.time[-1] == pytest.approx(ACTIONS * 2 / 60)
    ball = recording.body_names.index("/Robot/ball")
    assert recording.body_pose[:, :, ball, 2] == pytest.approx(0.5 + recording.joint_position[:, :, 0], abs=1e-5)


def test_a_film_shows_the_next_episode_after_the_end_of_one() -> None:
    heights = filmed().recording.joint_position[:, 0, 0]
    assert heights[20] < 1.0 and 1.7 < heights[21] < 1.8


def test_a_film_of_a_world_is_a_moving_picture(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    filmed().write(tmp_path / "world17.gif", world=17)
    assert image.open(tmp_path / "world17.gif").n_frames > 15        # of 1 s; equal pictures are one


@pytest.mark.parametrize(("name", "world", "message"), [
    ("a.gif", 4, "world 4 is not recorded; choose from 17, 3"),
    ("a.avi", 17, "a.avi is not a film; give a name that ends in .gif or .mp4")])
def test_a_wrong_film_is_refused(tmp_path: Path, name: str, world: int, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        filmed().write(tmp_path / name, world)
    assert message in str(caught.value) and not list(tmp_path.iterdir())
