"""The examples with closed chains are sound stages whose loops stay closed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.physx.linkages import AUTHORED, CONVERTED, Linkage, linkage

from physx_schema.checking import check

DT, STEPS = 1 / 240, 120
# What PhysX itself lets the loops open by while motors start: 0.14 mm in the delta robot, 0.16 mm in the ankle.
OPEN = 5e-4


@pytest.fixture(scope="module", params=[*AUTHORED, *CONVERTED])
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Linkage:
    return linkage(request.param, tmp_path_factory.mktemp(request.param))


def test_the_stage_has_no_errors(built: Linkage) -> None:
    assert not [finding for finding in check(built.stage).findings if finding.severity == "error"]


def test_loops_stay_closed_in_physx(built: Linkage, oracle_folder: Path) -> None:
    from scene_recorder import record

    real, = record([{"usd": str(built.path), "dt": DT, "steps": STEPS}])
    poses = np.concatenate([real["pos"], real["quat"]], axis=2)
    assert np.abs(real["q"][-1] - real["q"][0]).max() > 1.0     # degrees
    assert built.gaps(real["paths"], poses).max() < OPEN
