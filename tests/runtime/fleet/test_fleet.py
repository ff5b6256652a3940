"""Fleets of worlds: the same bits for any number of workers, and any world again by its number."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Spread, Variation, fleet
from physx_runtime.fleet import fleet as module
from support.fleet_functions import MARKER, angle, angle_after_a_kill, angle_of_one_world, tilt
from support.stages.cart_pole import cart_pole

from physx_schema.errors import UnsupportedError

SPREAD = Variation(1, {"mass": Spread(0.8, 1.2, True)}, seed=7)
STEPS = 30


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("fleet") / "cart_pole.usda"
    source = cart_pole()
    source.GetRootLayer().Export(str(path))
    return str(path)


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORLDS_PER_SHARD", 64)


def run(stage: str, **options: object) -> fleet.Fleet:
    arguments = {"worlds": 300, "steps": STEPS, "measure": angle, "start": tilt, "workers": 0, **options}
    return fleet.run(stage, SPREAD, **arguments)    # type: ignore[arg-type]


@pytest.mark.usefixtures("small_shards")
def test_statistics_have_the_same_bits_for_any_number_of_workers(stage: str) -> None:
    alone = run(stage)
    assert alone["angle"].count == 300 and alone["angle"].deviation > 0.0
    for workers in (1, 3):
        assert run(stage, workers=workers).statistics == alone.statistics


def test_statistics_are_those_of_the_numbers_of_all_worlds(stage: str) -> None:
    result = run(stage)
    angles = np.array([result.measured(world)["angle"] for world in range(0, 300, 30)])
    values = result.experiment.measured(range(300))["angle"]
    assert np.array_equal(values[::30], angles)
    assert (result["angle"].mean, result["angle"].deviation) == pytest.approx((values.mean(), values.std()), rel=1e-12)
    assert result["angle"].largest[0] == (values.max(), int(values.argmax()))


def test_a_world_is_stepped_again_with_the_same_bits(stage: str) -> None:
    result = run(stage)
    value, world = result["angle"].largest[0]
    scene = result.play(world)
    scene.step(STEPS)
    assert float(scene.joint_position[0, 1]) == value


@pytest.mark.usefixtures("small_shards")
def test_a_worker_that_is_killed_changes_no_bit(stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MARKER, str(tmp_path / "killed"))
    killed = run(stage, measure=angle_after_a_kill, workers=2)
    assert (tmp_path / "killed").exists()
    assert killed.statistics == run(stage).statistics


def test_unknown_names_measures_and_worlds_are_refused_in_a_line(stage: str) -> None:
    with pytest.raises(ValueError, match="measure is 'joint_angle'; choose from joint_position, joint_velo"):
        run(stage, measure="joint_angle")
    with pytest.raises(ValueError, match=r"measure returns angle with shape \(1,\); return \(2,\)"):
        run(stage, measure=angle_of_one_world, worlds=2)
    with pytest.raises(ValueError, match="measure or start cannot be imported by worker processes"):
        run(stage, measure=lambda scene: {}, workers=1)
    with pytest.raises(ValueError, match="world is 2, but the run has 2 worlds"):
        run(stage, worlds=2).play(2)
    with pytest.raises(ValueError, match="give the path of a file"):
        run(cart_pole())        # type: ignore[arg-type]


def test_an_error_in_a_worker_names_the_worlds(stage: str) -> None:
    with pytest.raises(UnsupportedError, match="worlds 0 to 1: the step internal error: ValueError: measure returns"):
        run(stage, measure=angle_of_one_world, worlds=2, workers=1)
