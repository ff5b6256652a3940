"""Each world has a stream of random numbers that depends on seed, world and episode alone."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("gymnasium")

WorldRandom = pytest.importorskip("physx_runtime.envs").WorldRandom
MEAN_TOLERANCE = 0.02       # of 20 000 numbers; their standard error is below 0.008


def drawn(seed: int, worlds: list[int], episodes: list[int], size: int = 3) -> np.ndarray:
    values: np.ndarray = WorldRandom(seed, np.array(worlds), np.array(episodes)).uniform(size=size)
    return values


def test_a_world_draws_the_same_beside_any_other_worlds() -> None:
    assert np.array_equal(drawn(4, [2, 7, 1], [0, 3, 5])[1], drawn(4, [7], [3])[0])


@pytest.mark.parametrize(("seed", "world", "episode"), [(5, 7, 3), (4, 8, 3), (4, 7, 4)])
def test_another_seed_world_or_episode_draws_other_numbers(seed: int, world: int, episode: int) -> None:
    assert not np.isin(drawn(seed, [world], [episode]), drawn(4, [7], [3])).any()


def test_an_episode_does_not_continue_the_numbers_of_the_one_before() -> None:
    first, second = (drawn(0, [0], [episode], 1000) for episode in (0, 1))
    assert not np.isin(first, second).any()


def test_uniform_and_normal_numbers_have_the_shape_and_bounds_that_were_asked_for() -> None:
    random = WorldRandom(0, np.arange(20), np.zeros(20, int))
    uniform, normal = random.uniform(-1.0, [2.0, 5.0], (500, 2)), random.normal(3.0, 0.5, 1000)
    assert uniform.shape == (20, 500, 2) and normal.shape == (20, 1000)
    assert uniform.min() >= -1.0 and uniform[..., 0].max() < 2.0 < uniform[..., 1].max() < 5.0
    assert uniform[..., 0].mean() == pytest.approx(0.5, abs=MEAN_TOLERANCE)
    assert normal.mean() == pytest.approx(3.0, abs=MEAN_TOLERANCE)
    assert normal.std() == pytest.approx(0.5, abs=MEAN_TOLERANCE)


def test_no_worlds_draw_nothing() -> None:
    assert WorldRandom(0, np.zeros(0, int), np.zeros(0, int)).normal(size=4).shape == (0, 4)
