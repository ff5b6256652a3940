"""Windows in a wrong branch are those whose joint does not fit, and at most a third of all."""

from __future__ import annotations

import numpy as np
from physx_runtime.identification.branches import wrong_windows


def test_a_window_with_one_joint_far_off_is_wrong() -> None:
    mean_square = np.ones((9, 4))
    mean_square[3, 2] = 293.0
    assert np.flatnonzero(wrong_windows(mean_square)).tolist() == [3]


def test_windows_that_all_fit_equally_badly_are_not_wrong() -> None:
    assert not wrong_windows(np.full((9, 4), 5.0)).any()


def test_at_most_a_third_is_left_out_and_the_worst_first() -> None:
    mean_square = np.ones((9, 4))
    mean_square[:5, 0] = [3.0, 9.0, 5.0, 7.0, 4.0]
    assert np.flatnonzero(wrong_windows(mean_square)).tolist() == [1, 2, 3]
