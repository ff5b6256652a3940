"""Verification repeats its experiments on articulations in real PhysX, or says in one line how it could."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from physx_runtime.packing.body import pack_actor
from physx_runtime.verification import Verification, verify
from physx_runtime.verification.engines.physx.simulation import with_rows
from physx_runtime.verification.engines.physx.stage import stage_text
from physx_runtime.verification.stage import NOT_REPEATED
from physx_runtime.verification.text import verification_lines
from physx_runtime.viewing.report import report_robot
from pxr import Usd
from support.chance.articulations import random_articulation
from support.stages.verified_robots import (
    attachment,
    axis,
    both,
    chain,
    drive,
    envelope,
    limits,
    mimic,
    part,
    turning,
)

from physx_schema.command_line.program import program
from physx_schema.description import describe
from physx_schema.description.model import Description

STIFFNESS = "drive:linear:physics:stiffness"
# What seven digits of a number on a stage leave of it, and float32 of its frames.
WRITTEN = 2e-6
# What the stage for real PhysX has as the bench does, whatever the articulation says.
BENCH_ROWS = ("linear_damping", "angular_damping", "gravity", "max_angular_velocity", "max_linear_velocity",
              "sleep_threshold")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(program(), list(arguments))


def finger() -> Usd.Stage:
    """Driven sliders with a tendon over both, and a hinge that follows another."""
    bound = limits(-40, 40)
    knuckle = both(bound, drive("angular", stiffness=2.0, damping=0.3))
    follower = both(bound, mimic(reference="j0", gearing=-0.7, naturalFrequency=20.0, dampingRatio=0.5))
    tendon = axis(0.02, root=True, stiffness=50.0, damping=2.0)
    return chain(both(knuckle, tendon), both(follower, axis(0.01, 0.6)), kind="Revolute", iterations=(8, 1))


def spatial() -> Usd.Stage:
    leaf = attachment("f", (0.0, 0.0, 0.0), ("base", "r"), leaf=True, restLength=2.0, upperLimit=2.5)
    root = attachment("r", (2.0, 0.0, 0.0), stiffness=150.0, damping=12.0, limitStiffness=30.0)
    return chain(((), {}), links={0: leaf}, on_base=root)


def enveloped() -> Usd.Stage:
    bounds = envelope("linear", maxActuatorVelocity=2.0, velocityDependentResistance=3.0, speedEffortGradient=0.01)
    return chain(both(drive("linear", damping=8.0, maxForce=20.0), bounds))


def rubbing(name: str) -> tuple[tuple[str, ...], dict[str, object]]:
    schemas, values = part(f"PhysxJointAxisAPI:{name}", f"physxJointAxis:{name}", armature=0.2,
                           staticFrictionEffort=0.5, dynamicFrictionEffort=0.3, viscousFrictionCoefficient=0.01)
    return schemas, dict(values)


def generic() -> Usd.Stage:
    return chain(turning(*map(rubbing, ("rotX", "rotY", "rotZ")), drive("rotX", stiffness=2.0, damping=0.1)), kind="")


def ball() -> Usd.Stage:
    return chain(both(*map(rubbing, ("rotX", "rotY", "rotZ"))), kind="Spherical")


def accelerated() -> Usd.Stage:
    return chain(drive("linear", type="acceleration", stiffness=150.0, damping=12.0, targetPosition=0.3))


STAGES: dict[str, Callable[[], Usd.Stage]] = {
    "drives, a fixed tendon and a mimic joint": finger, "a spatial tendon": spatial, "an envelope": enveloped,
    "a generic joint": generic, "a spherical joint": ball, "an acceleration drive": accelerated,
}


@pytest.fixture
def real_physx(oracle_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The option finds the engine that the sweep uses."""
    monkeypatch.setenv("OVPHYSX_PYTHON", os.environ.get("ORACLE_PYTHON", sys.executable))


@pytest.mark.parametrize("name", STAGES)
def test_real_physx_makes_the_same_of_every_number(name: str, real_physx: None) -> None:
    verification = verify(STAGES[name](), engines=("builtin", "physx"))
    asked = [row for row in verification.rows if row.effective is not None and row.not_in_physx != NOT_REPEATED]
    assert asked
    assert [(row.property, row.not_in_physx) for row in asked if row.in_physx is None] == []
    assert [(row.property, row.effective, row.in_physx) for row in asked if row.engines_differ] == []


def test_real_physx_makes_the_same_of_a_recorded_finger(shared_cases: Path, real_physx: None, tmp_path: Path) -> None:
    stage = str(shared_cases / "dynamics" / "fixed_tendon_finger" / "stage.usda")
    result = call("verify", stage, "--engine", "physx")
    assert result.exit_code == 1
    heading, stiffness, *_ = result.stdout.splitlines()
    assert heading.split()[-2:] == ["PhysX", "verdict"]
    assert stiffness.split()[1:] == ["physxTendon:t:stiffness", "300", "100.3", "99.92", "100.3", "altered"]
    assert "none of them differs" in result.stdout
    rows = json.loads(call("verify", stage, "--engine", "physx", "--format", "json").stdout)["rows"]
    found, = (row for row in rows if row["property"] == "physxTendon:t:stiffness")
    assert found["in_physx"] == pytest.approx(found["effective"], rel=1e-4)     # both round
    page = report_robot(stage, tmp_path / "finger.html", steps=2, engines=("builtin", "physx")).read_text("utf-8")
    assert '<td class="n" data-label="PhysX">100.3</td>' in page


def test_what_is_measured_elsewhere_is_said_not_to_be_repeated(real_physx: None) -> None:
    lines = list(verification_lines(verify(accelerated(), engines=("builtin", "physx"))))
    assert any(line.startswith("not repeated in PhysX: physics:mass") and
               line.endswith(": only experiments on articulations are repeated in real PhysX") for line in lines)


# --- without the engine ----------------------------------------------------------------------------------------------

@pytest.fixture
def slider(tmp_path: Path) -> str:
    path = tmp_path / "slider.usda"
    chain(drive("linear", stiffness=30.0)).GetRootLayer().Export(str(path))
    return str(path)


@pytest.mark.parametrize("python", ["/nowhere/python", sys.executable])
def test_missing_engine_is_one_line_with_the_next_step(python: str, slider: str,
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OVPHYSX_PYTHON", python)
    result = call("verify", slider, "--engine", "physx")
    assert result.exit_code == 2
    line, = result.stderr.splitlines()
    assert line.startswith(python)
    assert ("run `pip install ovphysx` in this Python; or run it in another Python and set OVPHYSX_PYTHON to its path"
            in line)


def test_nothing_is_said_of_real_physx_where_it_was_not_asked(slider: str) -> None:
    result = call("verify", slider, "--all")
    assert result.exit_code == 0
    assert "in real PhysX" not in result.stdout
    assert result.stdout.splitlines()[0].split()[-2:] == ["ideal", "verdict"]


def test_remedies_go_with_the_builtin_engine(slider: str) -> None:
    assert call("verify", slider, "--fix", "--engine", "physx").exit_code == 2


@pytest.fixture(scope="module")
def asked() -> Verification:
    """A verification as if real PhysX had made something else of a stiffness, and a little else of a damping."""
    verification = verify(chain(drive("linear", stiffness=30.0, damping=2.0)))
    changed = {STIFFNESS: 31.0, "drive:linear:physics:damping": 2.001}
    rows = tuple(replace(row, in_physx=changed.get(row.property)) for row in verification.rows)
    return replace(verification, rows=rows, physx="0.7")


def test_row_whose_engines_differ_is_named(asked: Verification) -> None:
    assert [row.property for row in asked.rows if row.engines_differ] == [STIFFNESS]
    lines = list(verification_lines(asked))
    assert f"/Robot/j0: {STIFFNESS} is effectively 30 here and 31 in PhysX; the engines differ" in lines
    assert "2 values also measured in real PhysX (ovphysx 0.7): 1 of them differs by more than 1%" in lines


# --- the stage that real PhysX gets ----------------------------------------------------------------------------------

def read_again(description: Description) -> Description:
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(stage_text(description.scene, description.articulations)[0])
    return describe(stage)


@pytest.mark.parametrize("seed", range(8))
def test_stage_for_real_physx_reads_as_the_articulation_does(seed: int) -> None:
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(random_articulation(seed).text)
    description = describe(stage)
    again = read_again(description)
    own, = description.articulations
    rows, found = (dict(pack_actor(articulation, description.scene).parameters)
                   for articulation in (replace(own, fixed_base=True), again.articulations[0]))
    for name in BENCH_ROWS:
        rows.pop(name, None)
    for name, values in rows.items():
        np.testing.assert_allclose(found[name], values, rtol=WRITTEN, atol=WRITTEN, err_msg=name)


@pytest.mark.parametrize("seed", range(8))
def test_rows_of_an_articulation_are_packed_from_it_again(seed: int) -> None:
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(random_articulation(seed).text)
    description = describe(stage)
    own, = description.articulations
    packed = pack_actor(own, description.scene).parameters
    wanted = {name: 1.5 * np.asarray(values) for name, values in packed.items()
              if "stiffness" in name or "gearing" in name or name == "damping" or "rest_length" in name}
    assert wanted
    found = pack_actor(with_rows(own, wanted), description.scene).parameters
    for name, values in wanted.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-12, err_msg=name)


