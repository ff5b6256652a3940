"""Motions of a body on a triangle mesh in real PhysX, and how far they part where it begins elsewhere by 1e-7 m."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf, Usd

from support.chance.mesh_scenes import BODIES, LAID, falling
from support.places import ROOT

Array = NDArray[Any]
FILE = ROOT / "tests/data/mesh_motions.npz"
STEPS, DT = 120, 1 / 60
NUDGES = (0.0, 1e-7, -1e-7)      # m, of the body along x
PLACE = (0.1, 0.13, 0.4)
GROWTHS = 10.0                  # times PhysX's own growth that an error may come to
LEAST = 2e-6                    # m, what a ball that rolls on a box parts from PhysX's in 120 steps
Case = tuple[str, str]          # of BODIES, of LAID


class Motion(NamedTuple):
    """Where a body is before and after every step, and how far from there it may be, m."""

    positions: Array    # (STEPS + 1, 3)
    within: Array       # (STEPS + 1,)


def stage_of(case: Case, moved: float = 0.0) -> Usd.Stage:
    """A stage with a body that falls on a mesh."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(falling(case[0], LAID[case[1]], (PLACE[0] + moved, *PLACE[1:])))
    return Usd.Stage.Open(layer)


def record_motions(grounds: Sequence[str]) -> dict[Case, Motion]:
    """What PhysX does with all BODIES on some of LAID; the oracle's folder must be on sys.path."""
    from scene_recorder import record

    cases = [(body, ground) for ground in grounds for body in BODIES]
    jobs = [{"usd": stage_of(case, way).ExportToString(), "dt": DT, "steps": STEPS} for case in cases for way in NUDGES]
    found = [result["pos"][:, result["paths"].index("/World/body")] for result in record(jobs)]
    motions = {}
    for k, case in enumerate(cases):
        first, *others = found[len(NUDGES) * k:len(NUDGES) * (k + 1)]
        growth = np.max([np.abs(other - first).max(axis=1) for other in others], axis=0)
        motions[case] = Motion(first, np.maximum(GROWTHS * np.maximum.accumulate(growth), LEAST))
    return motions


def write(path: Path, motions: Mapping[Case, Motion]) -> None:
    """Keep motions in a file."""
    np.savez_compressed(path, **{f"{'/'.join(case)}/{name}": np.float32(part) for case, motion in motions.items()
                                 for name, part in motion._asdict().items()})


def read(path: Path, case: Case) -> Motion:
    """A motion that was written."""
    with np.load(path) as file:
        return Motion(*(file[f"{'/'.join(case)}/{name}"] for name in Motion._fields))
