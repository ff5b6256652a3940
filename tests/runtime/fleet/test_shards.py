"""Files of the worlds of a fleet: complete, and continued after a kill."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Spread, Variation, fleet
from physx_runtime.fleet import fleet as module
from support.fleet_functions import angle, tilt
from support.stages.cart_pole import cart_pole

pq = pytest.importorskip("pyarrow.parquet")

SPREAD = Variation(1, {"mass": Spread(0.8, 1.2, True)}, seed=7)


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(module, "WORLDS_PER_SHARD", 16)
    path = tmp_path / "cart_pole.usda"
    source = cart_pole()
    source.GetRootLayer().Export(str(path))
    return str(path)


def run(stage: str, results: Path | None, seed: int = 7) -> fleet.Fleet:
    variation = Variation(1, SPREAD.parameters, seed)
    return fleet.run(stage, variation, worlds=40, steps=10, measure=angle, start=tilt, workers=0, results=results)


def test_files_have_the_parameters_and_numbers_of_every_world(stage: str, tmp_path: Path) -> None:
    result = run(stage, tmp_path / "worlds")
    table = pq.read_table(tmp_path / "worlds")
    assert table["world"].to_pylist() == list(range(40))
    assert np.array_equal(table["angle"].to_numpy(), result.experiment.measured(range(40))["angle"])
    assert table["mass /CartPole/pole"].to_pylist()[17] == result.parameters(17)["mass /CartPole/pole"]


def test_statistics_are_the_same_with_and_without_files(stage: str, tmp_path: Path) -> None:
    assert run(stage, tmp_path / "worlds").statistics == run(stage, None).statistics


def test_a_run_continues_at_the_files_that_are_missing(stage: str, tmp_path: Path) -> None:
    first = run(stage, tmp_path / "worlds")
    paths = sorted((tmp_path / "worlds").glob("*.parquet"))
    contents = [path.read_bytes() for path in paths]
    times = [path.stat().st_mtime_ns for path in paths]
    paths[1].unlink()
    assert run(stage, tmp_path / "worlds").statistics == first.statistics
    assert [path.read_bytes() for path in paths] == contents
    assert [path.stat().st_mtime_ns == time for path, time in zip(paths, times, strict=True)] == [True, False, True]


def test_a_folder_with_the_results_of_another_run_is_refused(stage: str, tmp_path: Path) -> None:
    run(stage, tmp_path / "worlds")
    with pytest.raises(ValueError, match="holds the results of a run with seed 7, and this run has 8; use another"):
        run(stage, tmp_path / "worlds", seed=8)
