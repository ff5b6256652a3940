"""The reader takes the principal axes that PhysX's rounding leaves of round bodies (`make sweep` measures more).

Run as a program with `--record` and `tests` on PYTHONPATH to measure anew and write the recording.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from support.chance.reading_stages import round_stage
from support.places import DATA
from support.stages.robots import opened

from physx_schema.description import describe

FILE = DATA / "round_bodies.json"
RECORDED, SWEPT = range(16), range(100)
# rad; PhysX keeps quaternions of single precision, whose last bit is half of this.
BITS = 2e-7

Axes = dict[str, list[float]]       # name of the link to quaternion x, y, z, w


def measured(seeds: Iterable[int]) -> dict[str, Axes]:
    """The principal axes of every link in PhysX, by seed."""
    oracle = importlib.import_module("physx_oracle")
    chosen = list(seeds)
    found = oracle.run_jobs([oracle.dyn_job(round_stage(seed)) for seed in chosen])
    return {str(seed): {str(name): [float(f"{float(x):.9g}") for x in pose[3:]]
                        for name, pose in zip(item["link_names"], item["body_com_pose"], strict=True)}
            for seed, item in zip(chosen, found, strict=True)}


def differences(seed: int, axes: Axes) -> list[str]:
    """The links whose principal axes are others than PhysX's."""
    (articulation,) = describe(opened(round_stage(seed))).articulations
    ours = {link.path.rpartition("/")[2]: np.array(link.principal_axes) for link in articulation.links}
    assert ours.keys() == axes.keys()
    return [f"seed {seed}, {name}: {ours[name]}, PhysX {turn}" for name, turn in axes.items()
            if _angle(ours[name], np.array(turn)) > BITS]


def _angle(first: np.ndarray, second: np.ndarray) -> float:
    """The angle between two rotations [rad]."""
    one, other = (x / np.linalg.norm(x) for x in (first, second))
    return float(4.0 * np.arcsin(min(np.linalg.norm(one - other), np.linalg.norm(one + other)) / 2.0))


@pytest.mark.parametrize("seed", RECORDED)
def test_axes_of_round_bodies_are_those_that_rounding_leaves_in_physx(seed: int) -> None:
    recorded: dict[str, Axes] = json.loads(FILE.read_text(encoding="utf-8"))
    assert differences(seed, recorded[str(seed)]) == []


@pytest.mark.sweep
def test_axes_of_five_hundred_round_bodies_are_those_of_physx(oracle_folder: Path) -> None:
    found = measured(SWEPT)
    assert [text for seed in SWEPT for text in differences(seed, found[str(seed)])] == []


if __name__ == "__main__" and "--record" in sys.argv:
    rows = (f"{json.dumps(seed)}: {json.dumps(axes)}" for seed, axes in measured(RECORDED).items())
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
