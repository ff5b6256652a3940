"""Several stages in one run: baselines, settings in pyproject.toml, and files that cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.stages.robots import finger

from physx_schema.checking.settings import find_settings, read_settings
from physx_schema.command_line.program import program
from physx_schema.errors import UnsupportedError

TOKEN = finger({"uniform token drive:angular:physics:type": "acelleration"}, ("PhysicsDriveAPI:angular",))
RANGE = finger({"float physxJointAxis:angular:armature": -1.0}, ("PhysxJointAxisAPI:angular",))
CLEAN = finger({}, ())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("token", TOKEN), ("range", RANGE), ("clean", CLEAN)):
        (tmp_path / f"{name}.usda").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(program(), ["check", *arguments], input=text)


def codes(result: Result) -> dict[str, list[str]]:
    content = json.loads(result.stdout)
    return {item["path"]: [finding["code"] for finding in item["findings"]] for item in content["reports"]}


def settings(folder: Path, text: str) -> Path:
    path = folder / "pyproject.toml"
    path.write_text("[tool.physx-schema.check]\n" + text)
    return path


# --- which files ---


def test_pattern_stands_for_the_files_it_matches(folder: Path) -> None:
    assert list(codes(call("*.usda", "--format", "json"))) == ["clean.usda", "range.usda", "token.usda"]


def test_pattern_that_matches_nothing_is_a_usage_error(folder: Path) -> None:
    result = call("*.usdc")
    assert (result.exit_code, "*.usdc matches no file" in result.stderr) == (2, True)


def test_stdin_lists_files(folder: Path) -> None:
    assert list(codes(call("-", "--format", "json", text="clean.usda\n\ntoken.usda\n"))) == ["clean.usda", "token.usda"]


def test_unreadable_file_does_not_stop_the_others(folder: Path) -> None:
    (folder / "broken.usda").write_text("#usda 1.0\ndef {")
    result = call("broken.usda", "token.usda", "--format", "json")
    assert (result.exit_code, codes(result)) == (3, {"token.usda": ["value/token"]})
    assert [item["path"] for item in json.loads(result.stdout)["unreadable"]] == ["broken.usda"]


def test_internal_error_on_one_file_does_not_stop_the_others(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from physx_schema.checking import stages as stage_module
    sound = stage_module.describe

    def failing(stage: object) -> object:
        if "token" in str(stage):
            raise RuntimeError("lost it")
        return sound(stage)

    monkeypatch.setattr(stage_module, "describe", failing)
    result = call("token.usda", "range.usda", "--format", "json")
    assert (result.exit_code, codes(result)) == (4, {"range.usda": ["value/range"]})
    assert "token.usda: internal error: RuntimeError: lost it" in result.stderr


def test_report_goes_to_a_file(folder: Path) -> None:
    result = call("token.usda", "--format", "json", "-o", "out.json")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", "wrote out.json\n")
    assert json.loads((folder / "out.json").read_text())["version"] == 1


@pytest.mark.parametrize("option", ["-o", "--write-baseline"])
def test_report_is_not_written_over_a_stage(folder: Path, option: str) -> None:
    result = call("token.usda", option, "token.usda")
    assert (result.exit_code, (folder / "token.usda").read_text()) == (2, TOKEN)
    assert f"{option} writes a report, but token.usda has the suffix of a stage" in result.stderr


def test_baseline_is_not_written_beside_a_report(folder: Path) -> None:
    assert call("token.usda", "--write-baseline", "known.json", "-o", "out.txt").exit_code == 2
    assert not (folder / "known.json").exists()


def test_empty_list_on_stdin_is_said(folder: Path) -> None:
    result = call("-", text="\n")
    said = "stdin lists no files, and nothing was done; write one path on each line\n"
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", said)


def test_list_of_rules_needs_no_file(folder: Path) -> None:
    result = call("--list-rules")
    assert result.exit_code == 0
    assert "DJ.007/limits-clip" in result.stdout and "unused/misspelt-property" in result.stdout


@pytest.fixture
def two(folder: Path) -> str:
    """A file with two errors, and two warnings for one reason, by property."""
    attributes = {"float physics:breakForce": 1.0, "float physics:breakTorque": 1.0,
                  "float physxJointAxis:angular:armature": -1.0,
                  "float physxJointAxis:angular:staticFrictionEffort": -1.0}
    (folder / "two.usda").write_text(finger(attributes, ("PhysxJointAxisAPI:angular",)))
    return "two.usda"


@pytest.mark.parametrize("style", ["text", "html", "github"])
def test_most_findings_are_cut_short_and_counted(two: str, style: str) -> None:
    result = call(two, "--max-findings", "1", "--format", style)
    assert "1 finding more, not shown" in result.stdout
    assert (result.exit_code, result.stdout.count("breakForce")) == (1, 0)


@pytest.mark.parametrize("style", ["text", "html", "github"])
def test_no_error_is_cut_short(two: str, style: str) -> None:
    result = call(two, "--max-findings", "1", "--format", style)
    assert result.stdout.count("-1 is not in [0, inf)") == 2


@pytest.mark.parametrize("style", ["text", "github"])
def test_errors_come_first(two: str, style: str) -> None:
    text = call(two, "--format", style).stdout
    assert text.rindex("-1 is not in [0, inf)") < text.index("breakForce")


@pytest.mark.parametrize("others", [
    ("--format", "json"), ("--format", "sarif"), ("--write-baseline", "known.json"), ("--fix",)])
def test_most_findings_are_refused_where_every_finding_counts(two: str, others: tuple[str, ...]) -> None:
    result = call(two, "--max-findings", "1", *others)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--max-findings works only with --format text, concise, html or github" in result.stderr


# --- baselines ---


def test_known_findings_do_not_count(folder: Path) -> None:
    assert call("token.usda", "--write-baseline", "known.json").exit_code == 0
    result = call("token.usda", "--baseline", "known.json")
    summary = "token.usda: 0 errors, 0 warnings, 0 info, 0 not evaluated, 1 known\n"
    assert (result.exit_code, result.stdout) == (0, summary)


def test_new_finding_counts_beside_known_ones(folder: Path) -> None:
    call("token.usda", "--write-baseline", "known.json")
    result = call("token.usda", "range.usda", "--baseline", "known.json", "--format", "json")
    assert (result.exit_code, codes(result)) == (1, {"token.usda": [], "range.usda": ["value/range"]})


def test_known_finding_that_is_gone_is_said(folder: Path) -> None:
    call("token.usda", "--write-baseline", "known.json")
    (folder / "token.usda").write_text(CLEAN)
    result = call("token.usda", "--baseline", "known.json")
    assert result.exit_code == 0
    expected = "info baseline/stale: token.usda lists value/token, but the checker no longer finds this fault"
    assert expected in result.stdout


def test_known_findings_of_codes_that_were_not_asked_for_are_not_stale(folder: Path) -> None:
    call("token.usda", "--write-baseline", "known.json")
    assert "stale" not in call("token.usda", "--baseline", "known.json", "--select", "DJ.007").stdout


def test_known_findings_of_files_that_were_not_checked_are_not_stale(folder: Path) -> None:
    call("token.usda", "range.usda", "--write-baseline", "known.json")
    assert "stale" not in call("token.usda", "--baseline", "known.json").stdout


def test_baseline_is_found_from_another_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call("token.usda", "--write-baseline", "known.json")
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")
    assert call("../token.usda", "--baseline", "../known.json").exit_code == 0


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2, "findings": []}', '{"version": 1, "findings": [1]}'])
def test_file_that_is_no_baseline_is_a_fault_of_usage(folder: Path, text: str) -> None:
    (folder / "known.json").write_text(text)
    result = call("token.usda", "--baseline", "known.json")
    assert (result.exit_code, result.stdout, "known.json: " in result.stderr) == (2, "", True)


@pytest.mark.parametrize("option", ["--baseline", "--config"])
def test_missing_file_of_an_option_is_a_fault_of_usage(folder: Path, option: str) -> None:
    result = call("token.usda", option, "none")
    assert (result.exit_code, result.stdout, result.stderr.startswith("none: ")) == (2, "", True)


# --- settings ---


def test_settings_of_the_nearest_pyproject_count(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings(folder, 'ignore = ["value/token"]\n')
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")
    assert call("../token.usda").exit_code == 0


def test_command_line_wins_over_settings(folder: Path) -> None:
    settings(folder, 'select = ["DJ.007"]\n')
    assert call("token.usda").exit_code == 0
    assert call("token.usda", "--select", "value").exit_code == 1


def test_waiver_of_the_settings_holds_for_its_files(folder: Path) -> None:
    settings(folder, '[[tool.physx-schema.check.waive]]\ncode = "value"\nreason = "old assets"\nfile = "tok*"\n')
    result = call("token.usda", "range.usda", "--format", "json")
    assert codes(result) == {"token.usda": [], "range.usda": ["value/range"]}


def test_waiver_of_the_settings_that_matches_nothing_is_said_once(folder: Path) -> None:
    path = settings(folder, '[[tool.physx-schema.check.waive]]\ncode = "DJ.007"\nreason = "never"\n')
    result = call("token.usda", "clean.usda", "--format", "json")
    assert codes(result)[str(path)] == ["waiver/unused"]


def test_waiver_of_the_settings_for_other_files_is_not_judged(folder: Path) -> None:
    settings(folder, '[[tool.physx-schema.check.waive]]\ncode = "value"\nreason = "old assets"\nfile = "tok*"\n')
    assert list(codes(call("clean.usda", "--format", "json"))) == ["clean.usda"]


def test_waiver_of_the_settings_without_a_reason_is_an_error(folder: Path) -> None:
    path = settings(folder, '[[tool.physx-schema.check.waive]]\ncode = "value"\n')
    assert codes(call("token.usda", "--format", "json")) == {
        "token.usda": ["value/token"], str(path): ["waiver/no-reason"]}


@pytest.mark.parametrize(("text", "message"), [
    ('selekt = []\n', "has no key 'selekt'; did you mean 'select'?"),
    ('profile = "kit"\n', "'kit' is not one of physx, simready, newton"),
    ('select = ["DJ.09"]\n', "there is no code or family 'DJ.09'"),
    ('strict = 1\n', "1 is not true or false"),
    ('fail-on = "fatal"\n', "'fatal' is not one of info, warning, error"),
    ('waive = ["DJ.007"]\n', "is not a list of tables"),
    ('[[tool.physx-schema.check.waive]]\nkode = "value"\n', "a waiver has no key 'kode'; did you mean 'code'?"),
    ('[[tool.physx-schema.check.waive]]\nreason = "value"\n', "a waiver needs the strings code"),
])
def test_wrong_setting_is_a_usage_error(folder: Path, text: str, message: str) -> None:
    settings(folder, text)
    result = call("token.usda")
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr


def test_every_wrong_setting_is_named(folder: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"(?s)selekt.*strict"):
        read_settings(settings(folder, "selekt = 1\nstrict = 1\n"))


def test_pyproject_without_our_table_is_passed_over(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert find_settings(folder).source != folder / "pyproject.toml"


# --- causes and releases ---


DISABLED = finger({"bool physics:jointEnabled": False, "float drive:angular:physics:stiffness": 5.0},
                  ("PhysicsDriveAPI:angular",))
RETIRED = finger({"float physxJoint:armature": 5.0}, ("PhysxJointAPI",))


@pytest.fixture
def disabled(folder: Path) -> str:
    (folder / "disabled.usda").write_text(DISABLED)
    return "disabled.usda"


def test_json_holds_every_finding_with_its_cause_and_counts_causes(disabled: str) -> None:
    (report,) = json.loads(call(disabled, "--format", "json", "--profile", "physx").stdout)["reports"]
    causes = {item["property"]: item["cause"] for item in report["findings"]}
    joint = {"code": "joint/disabled", "path": "/Robot/j", "property": "physics:jointEnabled"}
    drive = {"code": "unused/disabled", "path": "/Robot/j", "property": "apiSchemas"}
    assert causes == {"physics:jointEnabled": None, "apiSchemas": joint, "drive:angular:physics:stiffness": drive}
    assert sum(report["causes"].values()) < sum(report["counts"].values()) == len(report["findings"])


def test_sarif_holds_every_finding_with_its_cause(disabled: str) -> None:
    (run,) = json.loads(call(disabled, "--format", "sarif", "--profile", "physx").stdout)["runs"]
    causes = [item["properties"].get("cause") for item in run["results"]]
    assert len(causes) == 3 and {"ruleId": "joint/disabled", "at": "/Robot/j.physics:jointEnabled"} in causes


@pytest.mark.parametrize("style", ["html", "github"])
def test_pages_and_annotations_count_what_goes_away_with_a_finding(disabled: str, style: str) -> None:
    printed = call(disabled, "--format", style, "--profile", "physx").stdout
    assert "fixing this also removes" in printed


def test_warnings_that_an_info_explains_still_fail_where_they_are_to(disabled: str) -> None:
    assert call(disabled, "--profile", "physx", "--fail-on", "warning").exit_code == 1
    assert "unused/disabled" in call(disabled, "--profile", "physx", "--fail-on", "warning", "-q").stdout


@pytest.mark.parametrize(("release", "code"), [("0.5", 0), ("0.6", 0), ("0.7", 1)])
def test_the_release_that_a_stage_is_for_is_chosen_by_option_and_settings(
        folder: Path, release: str, code: int) -> None:
    (folder / "retired.usda").write_text(RETIRED)
    assert call("retired.usda", "--profile", "physx", "--engine-release", release).exit_code == code
    settings(folder, f'engine-release = "{release}"\n')
    assert call("retired.usda", "--profile", "physx").exit_code == code


def test_a_release_that_is_not_known_is_refused(folder: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"engine-release: '0\.9' is not one of 0\.5, 0\.6, 0\.7"):
        read_settings(settings(folder, 'engine-release = "0.9"\n'))
