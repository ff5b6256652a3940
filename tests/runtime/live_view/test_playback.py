"""Steps that are due as time goes by."""

from __future__ import annotations

import pytest
from physx_runtime.live_view.playback import MAX_BACKLOG, Playback

DT = 1 / 60


def taken(playback: Playback, now: float) -> int:
    """The steps taken at a time."""
    playback.advance(now)
    count = 0
    while playback.take_step():
        count += 1
    return count


def started() -> Playback:
    """A playback whose clock stands at 0."""
    playback = Playback(DT)
    assert taken(playback, 0.0) == 0
    return playback


@pytest.mark.parametrize(("speed", "steps"), [(1.0, 12), (0.5, 6), (2.0, 24)])
def test_simulated_time_follows_real_time_times_the_speed(speed: float, steps: int) -> None:
    playback = started()
    playback.speed = speed
    assert sum(taken(playback, (i + 1) * 0.02 + 1e-9) for i in range(10)) == steps
    assert playback.time == pytest.approx(steps * DT)


def test_nothing_is_stepped_in_a_pause_nor_made_up_for_after_it() -> None:
    playback = started()
    playback.toggle()
    assert taken(playback, 5.0) == 0
    playback.toggle()
    assert taken(playback, 5.0 + 1.5 * DT) == 1


def test_a_single_step_pauses_and_is_taken_once() -> None:
    playback = started()
    playback.order_step()
    assert not playback.playing
    assert [taken(playback, t) for t in (1.0, 2.0)] == [1, 0]


def test_a_slow_machine_makes_up_for_a_limited_time() -> None:
    playback = started()
    assert taken(playback, 100.0) == round(MAX_BACKLOG / DT)


def test_the_factor_is_simulated_time_over_real_time() -> None:
    playback = started()
    assert playback.factor(0.0) == 0.0
    for i in range(1, 101):
        taken(playback, i * 0.02)
        if i % 10 == 0:
            playback.factor(i * 0.02)
    assert playback.factor(2.0) == pytest.approx(1.0, abs=0.02)
    playback.toggle()
    assert playback.factor(2.1) == 0.0


def test_a_reset_starts_at_time_zero() -> None:
    playback = started()
    taken(playback, 0.2)
    playback.reset()
    assert playback.time == 0.0
