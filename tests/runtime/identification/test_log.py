"""A log reads the same from every format, and a bad one is refused in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime.identification.log import Log, read_log

from physx_schema.errors import UnreadableError

COUNT = 401
TIME = np.arange(COUNT) * 0.01


def arrays(**changes: Any) -> dict[str, Any]:
    """A log of two joints, with changes."""
    motion = np.stack([np.sin(TIME), np.cos(TIME)], axis=1)
    return {"time": TIME, "joint_names": ("a", "b"), "joint_position": motion, "command_time": TIME,
            "target_position": 1.1 * motion, "joint_velocity": 0.5 * motion} | changes


def write_csv(path: Path, log: Log) -> None:
    columns = {"time": log.time}
    for i, joint in enumerate(log.joint_names):
        columns |= {f"{joint}.position": log.joint_position[:, i], f"{joint}.target": log.target_position[:, i]}
        if log.joint_velocity is not None:
            columns[f"{joint}.velocity"] = log.joint_velocity[:, i]
    lines = [",".join(columns), *(",".join(f"{x:.17g}" for x in row) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines), encoding="utf-8")


def test_csv_and_npz_hold_the_same_log(tmp_path: Path) -> None:
    log = Log(**arrays())
    write_csv(tmp_path / "log.csv", log)
    np.savez(tmp_path / "log.npz", **arrays())
    for path in tmp_path.iterdir():
        found = read_log(path)
        assert found.joint_names == log.joint_names
        for name in ("time", "joint_position", "joint_velocity", "command_time", "target_position"):
            np.testing.assert_array_equal(getattr(found, name), getattr(log, name))


def test_degrees_become_radians(tmp_path: Path) -> None:
    np.savez(tmp_path / "log.npz", **arrays())
    np.testing.assert_allclose(read_log(tmp_path / "log.npz", degrees=True).joint_position,
                               np.radians(arrays()["joint_position"]))


@pytest.mark.parametrize(("changes", "message"), [
    ({"time": np.where(np.arange(COUNT) == 7, 0.0, TIME)}, r"time does not increase at record 7 \(0.06 s, then 0 s\)"),
    ({"time": TIME * 0.1}, "the log lasts 0.4 s; identification needs at least 3 s"),
    ({"time": TIME * 10.0, "command_time": TIME * 10.0}, "the log has 10 records a second"),
    ({"joint_position": np.zeros((COUNT, 3))}, r"joint_position has shape \(401, 3\)"),
])
def test_a_bad_log_is_refused_in_one_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        Log(**arrays(**changes))
    assert "\n" not in str(error.value)


def test_records_with_a_missing_number_are_left_out_and_counted() -> None:
    position = arrays()["joint_position"].copy()
    position[[3, 9], 1] = np.nan
    log, missing = Log(**arrays(joint_position=position)).without_missing()
    assert missing == 2
    assert len(log.time) == COUNT - 2


def test_a_log_of_which_a_fifth_is_missing_is_refused() -> None:
    position = arrays()["joint_position"].copy()
    position[::4] = np.nan
    with pytest.raises(ValueError, match="101 of 401 records have a number that is not finite"):
        Log(**arrays(joint_position=position)).without_missing()


def test_another_format_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"walk.mcap: the format '.mcap' is not supported; convert the log to .csv or"):
        read_log("walk.mcap")


@pytest.mark.parametrize("name", ["none.csv", "none.npz"])
def test_a_missing_file_is_unreadable(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnreadableError, match="No such file"):
        read_log(tmp_path / name)


def test_an_npz_file_is_never_unpickled(tmp_path: Path) -> None:
    np.savez(tmp_path / "log.npz", **arrays(joint_names=np.array(["a", None], dtype=object)))
    with pytest.raises(ValueError, match="allow_pickle"):
        read_log(tmp_path / "log.npz")


def test_a_column_that_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("time,a.position,a.target,b.position\n0,0,0,0\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"the column 'b\.target' is missing; other joints have one"):
        read_log(tmp_path / "log.csv")
