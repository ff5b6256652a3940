"""Windows start where the log says, and hold each command until the next one."""

from __future__ import annotations

import numpy as np
from physx_runtime.identification.log import Log
from physx_runtime.identification.windows import command_table, cut_windows

DT = 0.01
SIGMA = np.ones(2)


def cubic_log(keep: slice | np.ndarray = slice(None)) -> Log:
    """A joint on a cubic of time, with commands every 40 ms."""
    time, command_time = np.arange(501) * DT, np.arange(126) * 0.04
    return Log(time[keep], ("a",), (time[keep, None] - 1.0)**3, command_time, command_time[:, None],
               3.0 * (time[keep, None] - 1.0)**2)


def test_a_command_is_held_until_the_next_one() -> None:
    table = command_table(cubic_log(), DT)["target_position"][:, 0]
    np.testing.assert_allclose(table[:9], [0.0, 0.0, 0.0, 0.0, 0.04, 0.04, 0.04, 0.04, 0.08])


def test_the_first_start_states_are_those_of_a_cubic_motion() -> None:
    windows = cut_windows(cubic_log(), DT, SIGMA, 5.0)
    time = windows.start * DT
    np.testing.assert_allclose(windows.start_state, np.stack([(time - 1.0)**3, 3.0 * (time - 1.0)**2], axis=1),
                               atol=1e-9)


def test_records_lie_at_their_steps() -> None:
    windows = cut_windows(cubic_log(), DT, SIGMA, 5.0)
    assert len(windows) == 5
    time = (windows.start[:, None] + windows.step + windows.fraction) * DT
    np.testing.assert_allclose(windows.measured[..., 0], (time - 1.0)**3, atol=1e-12)


def test_a_window_across_a_gap_is_left_out() -> None:
    keep = np.r_[0:130, 150:501]
    assert cut_windows(cubic_log(keep), DT, SIGMA, 5.0).start.tolist() == [0, 200, 300, 400]


def test_records_between_two_steps_have_a_fraction() -> None:
    windows = cut_windows(cubic_log(), 4 / 300, SIGMA, 4.0)
    np.testing.assert_allclose(windows.fraction[0, :4], [0.0, 0.75, 0.5, 0.25], atol=1e-9)
