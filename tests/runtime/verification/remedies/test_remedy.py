"""What verification says to author instead: numbers known from mechanics, and stages that then are as authored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from physx_runtime.verification import Verification, verify
from physx_runtime.verification.report import AS_AUTHORED_TOLERANCE, Remedy
from pxr import Sdf, Usd
from support.stages.verified_robots import attachment, axis, both, chain, drive, limits, mimic, part, row_of

from physx_schema.cli.program import program
from physx_schema.description import describe

STIFFNESS, DAMPING = "drive:linear:physics:stiffness", "drive:linear:physics:damping"
VELOCITY_COUNT = "physxArticulation:solverVelocityIterationCount"
# Remedies have four digits, and stop at 5e-4 from the wanted effect.
DIGITS = 1e-3
ROOT = attachment("r", (2.0, 0.0, 0.0), stiffness=150.0, damping=12.0)
LEAF = attachment("f", (0.0, 0.0, 0.0), ("base", "r"), leaf=True, restLength=2.0)


def accelerated(iterations: tuple[int, int] = (32, 1)) -> Usd.Stage:
    """A slider of cfm 0.025 with an acceleration drive."""
    return chain(drive("linear", type="acceleration", stiffness=150.0, damping=12.0), iterations=iterations)


def springy(iterations: tuple[int, int]) -> Usd.Stage:
    """Two hinges, the second tied to the first by a compliant mimic joint."""
    tied = both(limits(-90, 90), mimic(gearing=-1.0, naturalFrequency=20.0, dampingRatio=0.5))
    return chain(limits(-90, 90), tied, kind="Revolute", serial=False, iterations=iterations)


def remedied(stage: Usd.Stage) -> tuple[Verification, Verification]:
    """A stage verified, and again with its remedies."""
    before = verify(stage)
    for row in before.rows:
        if row.remedy is not None and row.remedy.feasible:
            assert row.remedy.value is not None
            author(stage, row.path, row.property, row.remedy.value)
            for change in row.remedy.settings:
                author(stage, change.path, change.property, change.value)
    return before, verify(stage)


def author(stage: Usd.Stage, path: str, name: str, value: float) -> None:
    attribute = stage.GetPrimAtPath(path).GetAttribute(name)
    kind = attribute.GetTypeName()
    attribute.Set([value] if kind.isArray else round(value) if kind == Sdf.ValueTypeNames.Int else value)


def remedy_of(stage: Usd.Stage, name: str, path: str = "/Robot/j0") -> Remedy:
    remedy = row_of(verify(stage), name, path).remedy
    assert remedy is not None
    return remedy


def test_gains_of_a_softened_drive_are_authored_by_as_much_higher() -> None:
    found = verify(accelerated((255, 0)))
    values = [remedy.value for name in (STIFFNESS, DAMPING) if (remedy := row_of(found, name).remedy)]
    # the response of a free slider of unit mass, 1, is softened to 1 / (1 + 0.025)
    assert values == pytest.approx([150.0 * 1.025, 12.0 * 1.025], rel=DIGITS)


def test_a_tendon_of_two_axes_wants_twice_its_stiffness() -> None:
    remedy = remedy_of(chain(axis(root=True, stiffness=1e-3), axis(), iterations=(32, 0)), "physxTendon:t:stiffness")
    assert remedy.value == pytest.approx(2e-3, rel=DIGITS)
    assert remedy.reached == pytest.approx(1e-3, rel=DIGITS)


ALTERED: dict[str, Usd.Stage] = {
    "acceleration drive": accelerated(),
    "fixed tendon": chain(axis(2.0, 0.7, root=True, stiffness=300.0, damping=8.0), axis(0.5), iterations=(4, 4)),
    "spatial tendon": chain(((), {}), links={0: LEAF}, on_base=ROOT, iterations=(4, 4)),
    "mimic joint": springy((4, 0)),
    "rigid mimic joint": springy((32, 1)),
    "maximum velocity": chain(part("PhysxJointAxisAPI:linear", "physxJointAxis:linear", maxJointVelocity=0.5),
                              iterations=(1, 0)),
}


@pytest.mark.parametrize("name", ALTERED)
def test_a_stage_with_its_remedies_is_as_authored_before(name: str) -> None:
    before, after = remedied(ALTERED[name])
    altered = [row for row in before.rows if row.verdict == "altered"]
    assert altered
    for row in altered:
        found = row_of(after, row.property, row.path).effective
        assert found == pytest.approx(row.authored, rel=AS_AUTHORED_TOLERANCE), row


def test_what_no_value_gives_is_said_with_the_nearest_and_the_setting_that_does() -> None:
    remedy = remedy_of(springy((32, 1)), "physxMimicJoint:rotX:dampingRatio", "/Robot/j1")
    assert remedy.feasible
    assert "no value gives 0.5: the nearest is" in remedy.reason
    assert [(change.path, change.property, change.value) for change in remedy.settings] == [
        ("/Robot", VELOCITY_COUNT, 0.0)]


def test_as_authored_rows_have_no_remedy() -> None:
    assert [row.remedy for row in verify(chain(drive("linear", stiffness=3.0))).rows if row.remedy] == []


def test_the_stage_itself_stays_as_it_is() -> None:
    stage = accelerated()
    text = stage.GetRootLayer().ExportToString(), stage.GetSessionLayer().ExportToString()
    verify(stage)
    assert (stage.GetRootLayer().ExportToString(), stage.GetSessionLayer().ExportToString()) == text


def test_opinions_of_the_session_layer_stay_in_effect_while_values_are_tried() -> None:
    stage = accelerated()
    with Usd.EditContext(stage, stage.GetSessionLayer()):
        stage.GetPrimAtPath("/Robot/j0").GetAttribute(STIFFNESS).Set(80.0)
    assert remedy_of(stage, STIFFNESS).value == pytest.approx(80.0 * 1.025, rel=DIGITS)


def test_a_description_has_no_stage_to_try_values_on() -> None:
    remedy = row_of(verify(describe(accelerated())), STIFFNESS).remedy
    assert remedy is not None
    assert (remedy.feasible, remedy.value) == (False, None)
    assert "give verify the stage itself" in remedy.reason


def saved(stage: Usd.Stage, folder: Path) -> str:
    path = folder / "stage.usda"
    stage.GetRootLayer().Export(str(path))
    return str(path)


def told(stage: Usd.Stage, folder: Path, *options: str) -> str:
    return CliRunner().invoke(program(), ["verify", saved(stage, folder), *options]).stdout


def test_the_sentence_of_an_altered_row_ends_with_what_to_author(tmp_path: Path) -> None:
    lines = told(accelerated(), tmp_path).splitlines()
    assert any(line.endswith("softens it (x0.975); author 153.8 to get 150") for line in lines), lines


def test_json_holds_the_remedies(tmp_path: Path) -> None:
    rows = json.loads(told(springy((32, 1)), tmp_path, "--format", "json"))["rows"]
    found, = (row["remedy"] for row in rows if row["property"].endswith("dampingRatio"))
    assert found["settings"] == [{"path": "/Robot", "property": VELOCITY_COUNT, "value": 0.0}]
    assert (found["dt"], found["reached"]) == (None, pytest.approx(0.5, rel=DIGITS))
