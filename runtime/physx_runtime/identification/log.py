"""`Log` is the recorded motion and the commands of a robot; `read_log` reads one from a .csv or .npz file."""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_schema.arguments import display, label, required_flag
from physx_schema.errors import UnreadableError

MIN_DURATION, MIN_RATE = 3.0, 20.0              # s, records a second
MAX_MISSING = 0.2                               # share of records with a number that is not finite
COLUMNS = {"position": "joint_position", "velocity": "joint_velocity", "target": "target_position",
           "target_velocity": "target_velocity"}    # field of a .csv column JOINT.NAME
_REQUIRED = ("time", "joint_names", "joint_position", "command_time", "target_position")


@dataclass(frozen=True, slots=True, eq=False)
class Log:
    """Measurements and commands of a robot's joints, in seconds, rad and length units.

    Raises ValueError for times, shapes and numbers that cannot be used.
    """

    time: DoubleArray                           # (n,) of the measurements
    joint_names: tuple[str, ...]                # (n_joint,)
    joint_position: DoubleArray                 # (n, n_joint)
    command_time: DoubleArray                   # (m,)
    target_position: DoubleArray                # (m, n_joint)
    joint_velocity: DoubleArray | None = None   # (n, n_joint)
    target_velocity: DoubleArray | None = None  # (m, n_joint); None: 0

    def __post_init__(self) -> None:
        for name in ("time", "command_time"):
            _require_times(name, getattr(self, name))
        joints = len(self.joint_names)
        for name, times in (("joint_position", self.time), ("joint_velocity", self.time),
                            ("target_position", self.command_time), ("target_velocity", self.command_time)):
            values = getattr(self, name)
            if values is not None and values.shape != (len(times), joints):
                raise ValueError(f"{name} has shape {values.shape}; the log has {len(times)} times and {joints} "
                                 f"joints; give {(len(times), joints)}")
        if len(self.time) < 2 or self.duration < MIN_DURATION:
            raise ValueError(f"the log lasts {self.duration:.3g} s; identification needs at least {MIN_DURATION:g} s")
        rate = (len(self.time) - 1) / self.duration
        if rate < MIN_RATE:
            raise ValueError(f"the log has {rate:.3g} records a second; identification needs at least {MIN_RATE:g}")

    @property
    def duration(self) -> float:
        """Seconds from the first to the last measurement."""
        return float(self.time[-1] - self.time[0]) if len(self.time) else 0.0

    def without_missing(self) -> tuple[Log, int]:
        """The log without records in which a number is not finite, and the number of these.

        Raises ValueError if these are more than a fifth of the records, and for a command that is not finite.
        """
        measured = [values for values in (self.joint_position, self.joint_velocity) if values is not None]
        valid = np.all([np.isfinite(values).all(axis=1) for values in measured], axis=0)
        missing = int(np.count_nonzero(~valid))
        if missing > MAX_MISSING * len(valid):
            raise ValueError(f"{missing} of {len(valid)} records have a number that is not finite; at most "
                             f"{MAX_MISSING:.0%} may be missing; record the log again")
        for name in ("target_position", "target_velocity"):
            values = getattr(self, name)
            if values is not None and not np.isfinite(values).all():
                record, joint = (int(i) for i in np.argwhere(~np.isfinite(values))[0])
                raise ValueError(f"{name} of {self.joint_names[joint]} at record {record} is not finite; "
                                 "give the command that was sent")
        velocity = None if self.joint_velocity is None else self.joint_velocity[valid]
        return Log(self.time[valid], self.joint_names, self.joint_position[valid], self.command_time,
                   self.target_position, velocity, self.target_velocity), missing


def _require_times(name: str, times: DoubleArray) -> None:
    if times.ndim != 1 or not np.isfinite(times).all():
        raise ValueError(f"{name} has shape {times.shape}; give finite times in seconds, one for each record")
    backward = np.flatnonzero(np.diff(times) <= 0.0)
    if len(backward):
        i = int(backward[0]) + 1
        raise ValueError(f"{name} does not increase at record {i} ({times[i - 1]:.9g} s, then {times[i]:.9g} s); "
                         "sort the records and remove repeated ones")


def read_log(path: str | Path, degrees: bool = False) -> Log:
    """Read a log.

    Args:
        path: A .csv file with the columns `time`, JOINT.position, JOINT.target, and maybe JOINT.velocity and
            JOINT.target_velocity; or an .npz file with the fields of `Log`.
        degrees: Whether angles are in degrees.

    Raises:
        UnreadableError: The file cannot be read.
        ValueError: The file is not a log, or its numbers cannot be used.
    """
    if not isinstance(path, str | Path):
        raise ValueError(f"path is {display(path)}; give the path of a .csv or .npz file")
    required_flag("degrees", degrees)
    file = Path(path)
    if file.suffix not in (".csv", ".npz"):
        raise ValueError(f"{label(str(path))}: the format {file.suffix or 'without suffix'!r} is not supported; "
                         "convert the log to .csv or .npz")
    try:
        arrays = _read_npz(file) if file.suffix == ".npz" else _read_csv(file)
    except OSError as error:
        raise UnreadableError(f"{label(str(path))}: {error.strerror or error}") from None
    scale = np.pi / 180.0 if degrees else 1.0
    names = tuple(map(str, arrays.pop("joint_names")))
    numbers = {name: values if name.endswith("time") else values * scale for name, values in arrays.items()}
    try:
        return Log(joint_names=names, **numbers)
    except ValueError as error:
        raise ValueError(f"{label(str(path))}: {error}") from None


def _read_npz(file: Path) -> dict[str, DoubleArray]:
    known = {field.name for field in fields(Log)}
    try:
        with np.load(file, allow_pickle=False) as data:
            missing = sorted(set(_REQUIRED) - set(data.files))
            if missing:
                raise ValueError(f"{label(str(file))}: the array {missing[0]!r} is missing; a log has "
                                 f"{', '.join(_REQUIRED)}")
            return {name: data[name] if name == "joint_names" else data[name].astype(np.float64)
                    for name in data.files if name in known}
    except (zipfile.BadZipFile, EOFError):
        raise UnreadableError(f"{label(str(file))}: not an .npz file") from None


def _read_csv(file: Path) -> dict[str, DoubleArray]:
    with file.open(encoding="utf-8", newline="") as stream:
        header = next(csv.reader(stream), [])
    if "time" not in header:
        raise ValueError(f"{label(str(file))}: the column 'time' is missing; give the times in seconds in a column "
                         "'time'")
    try:
        values = np.loadtxt(file, delimiter=",", skiprows=1, ndmin=2)
    except ValueError as error:
        raise ValueError(f"{label(str(file))}: {str(error).splitlines()[0]}") from None
    joints = list(dict.fromkeys(name.rpartition(".")[0] for name in header if name.endswith(".position")))
    if not joints:
        raise ValueError(f"{label(str(file))}: no column ends with '.position'; name the columns JOINT.position and "
                         "JOINT.target")
    time = values[:, header.index("time")]
    arrays: dict[str, DoubleArray] = {"time": time, "command_time": time, "joint_names": np.array(joints)}
    for suffix, name in COLUMNS.items():
        present = [f"{joint}.{suffix}" in header for joint in joints]
        if any(present):
            arrays[name] = values[:, _columns(file, header, joints, suffix)]
    if "target_position" not in arrays:
        raise ValueError(f"{label(str(file))}: no column ends with '.target'; the commands of the joints are needed")
    return arrays


def _columns(file: Path, header: Sequence[str], joints: Sequence[str], suffix: str) -> list[int]:
    for joint in joints:
        if f"{joint}.{suffix}" not in header:
            raise ValueError(f"{label(str(file))}: the column '{joint}.{suffix}' is missing; other joints have one")
    return [header.index(f"{joint}.{suffix}") for joint in joints]
