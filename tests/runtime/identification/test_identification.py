"""A log of real PhysX gives back the parameters that moved it, with intervals that hold, and nothing that it lacks.

tests/data/identification holds a recorded leg: leg.usda authors other values than leg_truth.npz, which moved leg.npz.
It was made by `python -m support.identification.logs 1 11 FOLDER`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from physx_runtime.identification.identification import identify
from physx_runtime.identification.log import read_log
from physx_runtime.identification.result import PROVENANCE, Identification, Identified
from physx_runtime.viewing.stage_over import open_over
from pxr import Usd
from support.identification.logs import make_log
from support.places import ROOT
from support.stages.robots import opened

from physx_schema import check
from physx_schema.description import describe

DATA = ROOT / "tests" / "data" / "identification"
DT, UNTIL = 1 / 240, 30.0
PROPERTIES = {"armature": "armature", "staticFrictionEffort": "static_friction",
              "dynamicFrictionEffort": "dynamic_friction", "viscousFrictionCoefficient": "viscous_friction",
              "stiffness": "stiffness", "damping": "damping"}
PER_DEGREE = {"stiffness", "damping", "viscous_friction"}
# Of smooth unknowns and of determined static frictions, whose intervals are up to 5 % wide.
WITHIN, STATIC_WITHIN = 0.02, 0.05


def truth_of(row: Identified, truth: dict[str, np.ndarray], joints: list[str]) -> float:
    """The true value of a property in USD's unit."""
    name = PROPERTIES[row.property.rpartition(":")[2]]
    value = float(truth[name][joints.index(row.path.rpartition("/")[2])])
    return np.radians(value) if name in PER_DEGREE else value


def errors(result: Identification, truth: dict[str, np.ndarray], joints: list[str]) -> tuple[list[float], list[float]]:
    """Relative errors of determined values: of smooth unknowns, and of static frictions."""
    found: tuple[list[float], list[float]] = [], []
    for row in result.table:
        if row.value is not None:
            found["static" in row.property].append(abs(row.value / truth_of(row, truth, joints) - 1.0))
    return found


def coverage(result: Identification, truth: dict[str, np.ndarray], joints: list[str]) -> float:
    """The share of intervals that hold the truth."""
    return float(np.mean([row.low <= truth_of(row, truth, joints) <= row.high for row in result.table]))


@pytest.fixture(scope="module")
def result() -> Identification:
    return identify(DATA / "leg.usda", DATA / "leg.npz", until=UNTIL, dt=DT)


@pytest.fixture(scope="module")
def truth() -> dict[str, np.ndarray]:
    with np.load(DATA / "leg_truth.npz") as data:
        return {name: data[name] for name in data.files}


@pytest.fixture(scope="module")
def joints() -> list[str]:
    return list(read_log(DATA / "leg.npz").joint_names)


def test_values_are_those_that_moved_the_robot(result: Identification, truth: dict[str, np.ndarray],
                                               joints: list[str]) -> None:
    smooth, static = errors(result, truth, joints)
    assert len(smooth) == 15
    assert max(smooth) < WITHIN
    assert max(static) < STATIC_WITHIN


def test_intervals_hold_the_truth(result: Identification, truth: dict[str, np.ndarray], joints: list[str]) -> None:
    assert coverage(result, truth, joints) >= 0.88       # 16 of 18


def test_the_delay_is_found(result: Identification, truth: dict[str, np.ndarray]) -> None:
    assert result.delay is not None
    assert result.delay.low <= truth["delay"] <= result.delay.high
    assert result.delay.high - result.delay.low < 0.1


def test_the_model_explains_the_log_where_it_was_fitted_and_where_not(result: Identification) -> None:
    assert result.explained
    assert result.undetermined == ()
    assert result.mean_square == pytest.approx(1.0, abs=0.1)
    assert result.prediction is not None
    assert result.prediction.mean_square == pytest.approx(1.0, abs=0.1)


def test_the_prediction_is_as_good_as_the_noise_and_better_than_the_authored_one(result: Identification) -> None:
    assert result.prediction is not None
    assert result.prediction.identified == pytest.approx(1e-3, rel=0.1)
    assert result.prediction.authored > 3e-3


def test_the_layer_has_the_values_and_where_they_are_from(result: Identification) -> None:
    stage = Usd.Stage.Open(str(DATA / "leg.usda"))
    over = open_over(stage)
    result.author(over)
    dofs = {dof.path: dof for dof in describe(over).articulations[0].dofs}
    for row in result.table:
        name = PROPERTIES[row.property.rpartition(":")[2]]
        dof = dofs[row.path]
        value = getattr(dof.drive if name in ("stiffness", "damping") else dof, name)
        assert (np.radians(value) if name in PER_DEGREE else value) == pytest.approx(row.value, rel=1e-6)
    source = over.GetRootLayer().customLayerData[PROVENANCE]
    assert source["positionIterations"] == 8
    assert len(source["logSha256"]) == 64
    first = result.table[0]
    interval = over.GetAttributeAtPath(f"{first.path}.{first.property}").GetCustomData()["identified"]
    assert interval == {"low": first.low, "high": first.high}


def test_check_finds_nothing_new_in_the_layer(result: Identification) -> None:
    stage = Usd.Stage.Open(str(DATA / "leg.usda"))
    over = open_over(stage)
    result.author(over)
    assert [item.code for item in check(over).findings] == [item.code for item in check(stage).findings]


def short(tmp_path: Path, seconds: float = 9.0) -> Path:
    """A shorter log."""
    log = read_log(DATA / "leg.npz")
    kept, sent = log.time < seconds, log.command_time < seconds
    np.savez(tmp_path / "short.npz", time=log.time[kept], joint_names=log.joint_names,
             joint_position=log.joint_position[kept], joint_velocity=log.joint_velocity[kept],      # type: ignore[index]
             command_time=log.command_time[sent], target_position=log.target_position[sent],
             target_velocity=log.target_velocity[sent])     # type: ignore[index]
    return tmp_path / "short.npz"


def test_the_same_log_gives_the_same_bits(tmp_path: Path) -> None:
    log = short(tmp_path, 5.0)
    first, second = (identify(DATA / "leg.usda", log, ("armature", "delay"), dt=DT) for _ in range(2))
    assert first.table == second.table
    assert first.delay == second.delay


def test_a_log_with_swapped_joints_is_not_explained(tmp_path: Path) -> None:
    log = read_log(short(tmp_path, 5.0))
    found = identify(DATA / "leg.usda", replace(log, joint_position=log.joint_position[:, [0, 2, 1]],
                                                joint_velocity=None), dt=DT)
    assert not found.explained
    assert found.mean_square > 1.2


def test_a_joint_that_does_not_move_is_held_and_named(tmp_path: Path) -> None:
    log = read_log(short(tmp_path, 5.0))
    position, target = log.joint_position.copy(), log.target_position.copy()
    position[:, 1], target[:, 1] = 1e-3 * np.random.default_rng(0).normal(size=len(position)), 0.0
    found = identify(DATA / "leg.usda", replace(log, joint_position=position, target_position=target,
                                                joint_velocity=None, target_velocity=None), ("armature",), dt=DT)
    assert "the log does not move joint /Robot/hip_0; its unknowns are held" in found.undetermined
    assert [row.path for row in found.table] == ["/Robot/abduction_0", "/Robot/knee_0"]


@pytest.mark.parametrize("seed", [201, 202])
def test_a_quadruped_of_real_physx_is_identified_from_a_fast_log(seed: int, oracle_folder: Path, tmp_path: Path,
                                                                ) -> None:
    made = make_log(4, seed)
    np.savez(tmp_path / "log.npz", **made.arrays)
    found = identify(opened(made.stage), tmp_path / "log.npz", until=UNTIL, dt=DT)
    joints = [str(name) for name in made.arrays["joint_names"]]
    smooth, _ = errors(found, made.truth, joints)
    assert found.explained
    assert len(smooth) == 60
    assert np.mean(np.array(smooth) < WITHIN) >= 0.95
    assert coverage(found, made.truth, joints) >= 0.85
    assert found.delay is not None
    assert found.delay.value == pytest.approx(made.delay, abs=0.01)
