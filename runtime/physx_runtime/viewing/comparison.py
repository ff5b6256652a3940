"""Compare the motion of a stage with the motion of an earlier stage, joint by joint and base by base."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pxr import Usd

from physx_runtime.arrays import DoubleArray
from physx_runtime.simulation.recording import Recording
from physx_runtime.viewing.charts import recorded_articulations
from physx_schema.description.model import Articulation, Description
from physx_schema.errors import UnsupportedError

SAME = 1e-9                 # differences up to this fraction of the values are none


@dataclass(frozen=True, slots=True)
class Before:
    """The stage that a report compares with, and its motion."""

    stage: Usd.Stage
    description: Description
    recording: Recording

    @property
    def name(self) -> str:
        """The name of its file."""
        return Path(self.description.source).name


def require_comparable(description: Description, before: Description) -> None:
    """Raise UnsupportedError where the stages differ in their unit of length or their up axis."""
    for name, now, old in (("metersPerUnit", description.scene.meters_per_unit, before.scene.meters_per_unit),
                           ("upAxis", description.scene.up_axis, before.scene.up_axis)):
        if now != old:
            raise UnsupportedError(f"{name} is {old} on {Path(before.source).name} and {now} on "
                                   f"{Path(description.source).name}; compare stages with equal {name}")


@dataclass(frozen=True, slots=True)
class MotionDifference:
    """One joint or base in both motions, in degrees or lengths."""

    name: str
    unit: str
    before: float | tuple[float, ...]       # at the end
    now: float | tuple[float, ...]
    largest: float                          # the largest difference at equal times; NaN where one is not finite
    time: float                             # s, of the largest difference


def motion_differences(description: Description, recording: Recording, before: Before, world: int,
                       length: str) -> list[MotionDifference]:
    """What both stages have, the largest differences first; `length` names the unit of lengths.

    Both recordings have equal steps. Joints and bodies are matched by name.
    """
    articulations = recorded_articulations(description, recording)
    rows = [*_joints(articulations, recording, before.recording, world, length),
            *_bases(description, recording, before.recording, world, length)]
    return sorted(rows, key=lambda row: (row.unit, -row.largest if math.isfinite(row.largest) else -math.inf))


def _joints(articulations: Sequence[Articulation], recording: Recording, before: Recording, world: int,
            length: str) -> Iterator[MotionDifference]:
    for dof in (dof for articulation in articulations for dof in articulation.dofs):
        if dof.name in before.joint_names:
            scale = math.degrees(1.0) if dof.angular else 1.0
            old, new = (scale * motion.joint_position[:, index, motion.joint_names.index(dof.name)].astype(np.float64)
                        for motion, index in ((before, 0), (recording, world)))
            yield _difference(dof.name, "deg" if dof.angular else length, old[:, None], new[:, None], recording.time)


def _bases(description: Description, recording: Recording, before: Recording, world: int,
           length: str) -> Iterator[MotionDifference]:
    """Where the roots of floating articulations and the bodies outside articulations are."""
    roots = [item.links[0].path for item in description.articulations if not item.fixed_base]
    for path in (*roots, *(body.path for body in description.separate_bodies)):
        if path in recording.body_names and path in before.body_names:
            old, new = (motion.body_pose[:, index, motion.body_names.index(path), :3].astype(np.float64)
                        for motion, index in ((before, 0), (recording, world)))
            yield _difference(path, length, old, new, recording.time)


def _difference(name: str, unit: str, old: DoubleArray, new: DoubleArray,
                time: NDArray[np.float64]) -> MotionDifference:
    """From values (n_record, n_component) of both; the shorter recording sets the end."""
    count = min(len(old), len(new))
    old, new = old[:count], new[:count]
    distance = np.linalg.norm(new - old, axis=1)
    distance[distance <= SAME * np.abs(new).max(initial=0.0)] = 0.0
    largest = int(np.argmax(distance)) if np.isfinite(distance).all() else int(np.argmin(np.isfinite(distance)))
    return MotionDifference(name, unit, _number(old[-1]), _number(new[-1]), float(distance[largest]),
                            float(time[largest]))


def _number(values: DoubleArray) -> float | tuple[float, ...]:
    return float(values[0]) if len(values) == 1 else tuple(values.tolist())


def difference_headline(differences: Sequence[MotionDifference], name: str) -> str:
    """The largest difference of the motions in a sentence."""
    if not differences:
        return f"Nothing that moves has the same name in {name}."
    finite = [row for row in differences if math.isfinite(row.largest)]
    if len(finite) < len(differences):
        return f"One of the two motions does not stay finite; compared with {name}."
    angles = [row for row in finite if row.unit == "deg"] or finite
    row = max(angles, key=lambda item: item.largest)
    if row.largest == 0.0:
        return f"The motion is the same as that of {name}."
    return (f"Compared with {name}, {row.name.rpartition('/')[2]} differs most: by {row.largest:.3g} {row.unit} at "
            f"{row.time:.3g} s.")
