"""Published codes and features stand for our codes wherever one is named, and get verdicts of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.stages.faulty_robots import stage
from support.stages.planted_faults import FAULTS
from support.stages.robots import opened

from physx_schema.checking import RULES, Report, check
from physx_schema.checking.catalogue import explain_lines, selection_of
from physx_schema.checking.engine.published import (
    FEATURES,
    PREFIXES,
    PUBLISHED_RULES,
    PublishedVerdict,
    codes_of,
    features_of,
    judged,
)
from physx_schema.checking.engine.rule import concerns
from physx_schema.command_line.program import program

LOOP = RULES["DJ.011/loop"]


def verdicts(report: Report) -> dict[str, str]:
    return {item.code: item.state for item in report.published}


def features(report: Report) -> dict[str, str]:
    return {item.feature: item.state for item in report.features}


def written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "robot.usda"
    path.write_text(text, encoding="utf-8")
    return str(path)


# --- the table ---


def test_every_published_rule_is_judged_by_rules_that_there_are() -> None:
    named = {pattern for rule in PUBLISHED_RULES.values() for pattern in rule.ours}
    assert {item for item in named if not any(concerns(item, code) for code in RULES)} == set()


def test_a_rule_that_none_of_ours_judges_says_why() -> None:
    assert all(rule.gap for rule in PUBLISHED_RULES.values() if not rule.ours)


def test_features_name_rules_and_features_that_there_are() -> None:
    for feature in FEATURES.values():
        assert set(feature.codes) <= PUBLISHED_RULES.keys() and set(feature.needs) <= FEATURES.keys()
    assert set().union(*map(codes_of, FEATURES.values())) <= PUBLISHED_RULES.keys()


def test_a_feature_has_the_rules_of_those_that_it_depends_on() -> None:
    assert {"DJ.007", "JT.002", "PHYSX.COL.001", "RB.007"} <= set(codes_of(FEATURES["FET_022_PHYSX"]))


# --- aliases ---


@pytest.mark.parametrize("prefix", ["", *PREFIXES])
def test_a_published_code_selects_what_judges_it(prefix: str) -> None:
    found = check(opened(stage(LOOP.example)), select=(f"{prefix}DJ.011",))
    assert {item.code for item in found.findings} == {"DJ.011/loop"}
    twice = check(opened(stage(RULES["joint/missing-body"].example)), select=(f"{prefix}JT.002",))
    assert {item.code for item in twice.findings} == {"joint/missing-body"}


def test_a_published_code_selects_values_of_its_own_properties_alone() -> None:
    by_name = {item.name: item for item in FAULTS}
    for name, found in (("mass-negative", {"value/range"}), ("armature-negative", set())):
        codes = {item.code for item in check(opened(by_name[name].text), select=("RB.007",)).findings}
        assert codes == found, name


def test_a_published_code_leaves_out_what_judges_it() -> None:
    example = opened(stage(RULES["joint/missing-body"].example))
    assert "joint/missing-body" in {item.code for item in check(example).findings}
    assert "joint/missing-body" not in {item.code for item in check(example, ignore=("JT.002",)).findings}


def test_leaving_out_a_family_that_is_published_too_leaves_other_codes_alone() -> None:
    selection = selection_of(ignore=("DJ.004",))
    assert not selection.has("DJ.004/undriven") and selection.has("DJ.007/drive-fight")
    assert selection_of(("DJ.004",)).has("DJ.007/drive-fight")


def test_leaving_a_rule_of_one_property_out_leaves_others_alone() -> None:
    by_name = {item.name: item for item in FAULTS}
    codes = {item.code for item in check(opened(by_name["armature-negative"].text), ignore=("RB.007",)).findings}
    assert codes == {"value/range"}


def test_a_feature_selects_the_rules_of_all_its_codes() -> None:
    selection = selection_of(("FET_024_STANDARD",))
    assert selection.has("articulation/root-count") and not selection.has("joint/limit-order")
    assert selection.published == ("BA.001",)


def test_an_unknown_published_code_names_a_close_one() -> None:
    with pytest.raises(ValueError, match=r"did you mean RB\.010"):
        selection_of(("com.nvidia.simready.RB.0100",))


@pytest.mark.parametrize(("name", "expected"), [
    ("JT.003", "judged by joint/several-bodies"), ("com.nvidia.simready.RB.008", "body/inertia-triangle"),
    ("NEWTON.DJ.001", "not judged: the rule is about another engine"),
    ("FET_022_PHYSX", "DJ.007 mimic-api-check"), ("com.nvidia.simready.DJ.007", "DJ.007/limits-clip"),
])
def test_a_published_name_is_explained(name: str, expected: str) -> None:
    assert expected in "\n".join(explain_lines(name))
    assert expected in CliRunner().invoke(program(), ["explain", name]).output


# --- verdicts ---


def test_simready_by_itself_gives_every_published_rule_and_feature_a_verdict() -> None:
    report = check(opened(stage(RULES["DJ.007/self"].example)), "simready")
    assert verdicts(report).keys() == PUBLISHED_RULES.keys()
    assert features(report).keys() == FEATURES.keys()
    assert verdicts(report)["DJ.007"] == features(report)["FET_022_PHYSX"] == "fail"
    assert verdicts(report)["JT.003"] == features(report)["FET_024_STANDARD"] == "pass"
    assert verdicts(report)["DJ.008"] == features(report)["FET_024_PHYSX"] == "not evaluated"


def test_the_default_profile_gives_no_verdict_on_published_rules_that_nobody_names() -> None:
    assert check(opened(stage(LOOP.example))).published == ()


def test_a_published_rule_that_is_named_has_a_verdict_in_any_profile() -> None:
    report = check(opened(stage(LOOP.example)), select=("DJ.011", "NEWTON.BA.001"))
    assert verdicts(report) == {"DJ.011": "fail", "NEWTON.BA.001": "not evaluated"}


def test_a_rule_that_the_profile_does_not_ask_for_is_not_evaluated() -> None:
    report = check(opened(stage(RULES["DJ.007/self"].remedy)), select=("DJ.001",))
    (verdict,) = report.published
    assert verdict.state == "not evaluated" and "use --profile simready" in verdict.reason
    assert report.exit_code(strict=True) == 5


def test_a_finding_outweighs_what_is_not_looked_at() -> None:
    report = check(opened(stage(RULES["body/overlap"].example)), "simready")
    assert verdicts(report)["BA.002"] == "fail"


def test_findings_of_other_properties_do_not_fail_a_rule() -> None:
    by_name = {item.name: item for item in FAULTS}
    report = check(opened(by_name["armature-negative"].text), "simready")
    assert verdicts(report)["RB.007"] == "pass"
    assert verdicts(check(opened(by_name["mass-negative"].text), "simready"))["RB.007"] == "fail"


def test_a_report_answers_for_published_names() -> None:
    report = check(opened(stage(LOOP.example)), "simready")
    assert report.verdict("com.nvidia.simready.DJ.011") == report.verdict("FET_022_STANDARD") == "fail"
    assert report.verdict("JT.003") == "pass"
    with pytest.raises(KeyError):
        report.verdict("FET_999")


def test_a_failed_rule_of_ours_leaves_the_published_one_not_evaluated() -> None:
    (verdict,) = judged(("JT.003",), {"joint/several-bodies": "the rule raised KeyError"}, ())
    assert verdict.state == "not evaluated" and "KeyError" in verdict.reason


def test_a_feature_has_the_worst_verdict_of_its_rules() -> None:
    states = {"pass": ("pass", "pass"), "not evaluated": ("pass", "not evaluated"), "fail": ("not evaluated", "fail")}
    for expected, (first, second) in states.items():
        own = [PublishedVerdict("BA.001", "", first), PublishedVerdict("BA.002", "", second)]   # type: ignore[arg-type]
        found = {item.feature: item.state for item in features_of(own)}
        assert found["FET_024_PHYSX"] == expected


# --- what is printed ---


def test_the_command_prints_a_verdict_a_feature(tmp_path: Path) -> None:
    path = written(tmp_path, stage(RULES["DJ.007/self"].example))
    said = CliRunner().invoke(program(), ["check", "--profile", "simready", "--isolate", "off", path]).output
    assert "FET_022_PHYSX 0.2.0: fail: " in said and "FET_024_STANDARD 0.1.0: pass" in said
    assert "DJ.007 mimic-api-check: fail: DJ.007/self" in said
    assert "DJ.008, DJ.009, DJ.010: not evaluated: the robot schema of Isaac Sim is not read" in said


def test_json_has_the_verdicts(tmp_path: Path) -> None:
    path = written(tmp_path, stage(LOOP.example))
    said = CliRunner().invoke(program(), [
        "check", "--select", "FET_024_STANDARD", "--format", "json", "--isolate", "off", path]).stdout
    (report,) = json.loads(said)["reports"]
    assert [item["code"] for item in report["published"]] == ["BA.001"]
    assert [item["feature"] for item in report["features"]] == ["FET_024_STANDARD"]
