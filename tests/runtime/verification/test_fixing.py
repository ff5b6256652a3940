"""`verify --fix`: the remedies as a diff, a copy, a layer over the stage, or in the file itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from physx_runtime.verification import verify
from pxr import Usd
from support.stages.verified_robots import both, chain, drive, limits, mimic, row_of

from physx_schema.cli.program import program

STIFFNESS = "drive:linear:physics:stiffness"
RATIO = "physxMimicJoint:rotX:dampingRatio"
# Remedies stop at 5e-4 from the wanted effect.
REACHED = 1e-3


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(program(), ["verify", *map(str, arguments)])


def saved_path(stage: Usd.Stage, folder: Path) -> Path:
    path = folder / "stage.usda"
    stage.GetRootLayer().Export(str(path))
    return path


@pytest.fixture
def softened(tmp_path: Path) -> Path:
    """A slider whose acceleration drive is softened."""
    return saved_path(chain(drive("linear", type="acceleration", stiffness=150.0, damping=12.0)), tmp_path)


@pytest.fixture
def rigid(tmp_path: Path) -> Path:
    """A mimic joint that velocity iterations make rigid, whatever its damping ratio is."""
    tied = both(limits(-90, 90), mimic(gearing=-1.0, naturalFrequency=20.0, dampingRatio=0.5))
    return saved_path(chain(limits(-90, 90), tied, kind="Revolute", serial=False), tmp_path)


def test_without_a_target_the_change_is_shown_and_nothing_written(softened: Path) -> None:
    before = softened.read_bytes()
    result = call(softened, "--fix")
    assert result.exit_code == 1, result.output
    assert "-        float drive:linear:physics:stiffness = 150" in result.stdout
    assert "+        float drive:linear:physics:stiffness = 153.8 (" in result.stdout
    assert "would fix verify/altered: drive:linear:physics:stiffness = 153.8 to get 150" in result.stdout
    assert (softened.read_bytes(), list(softened.parent.iterdir())) == (before, [softened])


@pytest.mark.parametrize("option", ["-o", "--override"])
def test_what_is_written_has_the_intended_effects(softened: Path, option: str) -> None:
    before, target = softened.read_bytes(), softened.with_name("fixed.usda")
    result = call(softened, "--fix", option, target)
    assert result.exit_code == 0, result.output
    row = row_of(verify(target), STIFFNESS)
    assert (row.authored, row.intended, row.verdict, row.remedy) == (153.8, 150.0, "as authored", None)
    assert row.effective == pytest.approx(150.0, rel=REACHED)
    assert softened.read_bytes() == before


def test_a_second_time_changes_nothing(softened: Path) -> None:
    assert call(softened, "--fix", "--in-place").exit_code == 0
    once = softened.read_bytes()
    result = call(softened, "--fix", "--in-place")
    assert (result.exit_code, softened.read_bytes()) == (0, once)
    assert "0 findings fixed" in result.stdout


def test_a_number_that_is_authored_anew_is_meant_as_it_stands(softened: Path) -> None:
    call(softened, "--fix", "--in-place")
    stage = Usd.Stage.Open(str(softened))
    stage.GetPrimAtPath("/Robot/j0").GetAttribute(STIFFNESS).Set(200.0)
    row = row_of(verify(stage), STIFFNESS)
    assert (row.wanted, row.verdict) == (200.0, "altered")


def test_an_intended_effect_that_other_settings_end_is_altered(softened: Path) -> None:
    call(softened, "--fix", "--in-place")
    stage = Usd.Stage.Open(str(softened))
    stage.GetPrimAtPath("/Robot/j0").GetAttribute("drive:linear:physics:type").Set("force")
    row = row_of(verify(stage), STIFFNESS)
    assert (row.verdict, row.effective) == ("altered", pytest.approx(153.8, rel=1e-6))
    assert row.remedy is not None
    assert row.remedy.value == pytest.approx(150.0, rel=REACHED)


def test_what_no_value_gives_is_not_fixed_and_said(rigid: Path) -> None:
    result = call(rigid, "--fix", "--override", rigid.with_name("over.usda"))
    assert result.exit_code == 1
    left = [line for line in result.stdout.splitlines() if "not fixed" in line]
    assert len(left) == 1, result.stdout
    assert "no value gives 0.5: the nearest is" in left[0]
    assert left[0].endswith("(its repair is unsafe)")


def test_unsafe_fixes_change_the_iterations_too(rigid: Path) -> None:
    target = rigid.with_name("over.usda")
    assert call(rigid, "--fix", "--unsafe-fixes", "--override", target).exit_code == 0
    verification = verify(target)
    assert (verification.counts[0].position, verification.counts[0].velocity) == (32, 0)
    assert row_of(verification, RATIO, "/Robot/j1").effective == pytest.approx(0.5, rel=REACHED)


@pytest.mark.parametrize(("options", "said"), [
    (("--fix", "--format", "json"), "--fix goes with --format text"),
    (("--in-place",), "go with --fix"),
    (("--fix", "--in-place", "-o", "x.usda"), "exclude each other"),
])
def test_options_that_do_not_go_together_are_a_usage_error(softened: Path, options: tuple[str, ...],
                                                           said: str) -> None:
    result = call(softened, *options)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_target_that_is_there_stays_as_it_is(softened: Path) -> None:
    target = softened.with_name("there.usda")
    target.write_text("#usda 1.0\n", encoding="utf-8")
    assert call(softened, "--fix", "--override", target).exit_code == 2
    assert target.read_text(encoding="utf-8") == "#usda 1.0\n"
