"""Every property that acts on joints outside articulations moves bodies as it moves them in PhysX, or is refused."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import simulate
from support.compared.outside_joint_features import ACTS, FEATURES, REFUSED, Feature

from physx_schema.errors import UnsupportedError

DT, STEPS = 1 / 60, 30
# Length units after half a second of swinging; all but the rack's 3e-5 stay below 1e-5.
FEATURE_ROUNDING = 1e-4


def author(folder: Path, number: int, feature: Feature) -> Path:
    path = folder / f"{number}.usda"
    path.write_text(feature.stage(feature.value))
    return path


def test_what_acts_moves_bodies_as_in_physx(oracle_folder: Path, tmp_path: Path) -> None:
    from physx_oracle import run_jobs, sim_job

    features = [feature for feature in FEATURES if feature.effect == ACTS]
    paths = [author(tmp_path, number, feature) for number, feature in enumerate(features)]
    for feature, path, real in zip(features, paths, run_jobs([sim_job(path, DT, STEPS) for path in paths]),
                                   strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")     # contact
            found = simulate(path, dt=DT, steps=STEPS)
        order = [list(found.body_names).index(str(name)) for name in real["rigid_paths"]]
        error = np.abs(found.body_pose[:, 0, order, :3] - real["rigid_pose"][..., :3]).max()
        assert error < FEATURE_ROUNDING, f"{feature.kind} {feature.property}: {error:.1e}"


@pytest.mark.parametrize("feature", [x for x in FEATURES if x.effect == REFUSED], ids=lambda f: f.property)
def test_what_is_not_stepped_is_refused_in_one_line(feature: Feature, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"^/World/j: .*") as refused:
        simulate(author(tmp_path, 0, feature), dt=DT, steps=1)
    assert "\n" not in str(refused.value)
