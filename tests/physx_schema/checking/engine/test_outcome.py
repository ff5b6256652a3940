"""Waivers: what they take out, and what is said about those that are wrong."""

from __future__ import annotations

from typing import Any

import pytest
from pxr import Usd
from support.stages.robots import finger, opened

from physx_schema.checking import Report, check
from physx_schema.checking.engine.outcome import Waiver

CODE = "value/token"


def stage() -> Usd.Stage:
    return opened(finger({"uniform token drive:angular:physics:type": "acelleration"}, ("PhysicsDriveAPI:angular",)))


def waived(path: str, entries: Any) -> Report:
    made = stage()
    made.GetPrimAtPath(path).SetCustomDataByKey("physxSchema:waive", entries)
    return check(made)


def test_waiver_on_the_prim_takes_the_finding_out_and_keeps_its_reason() -> None:
    report = waived("/Robot/j", {CODE: "a test of misspelt tokens"})
    assert report.findings == ()
    assert [(item.finding.code, item.reason, item.source) for item in report.waived] == [
        (CODE, "a test of misspelt tokens", "customData of /Robot/j")]


def test_waived_code_passes() -> None:
    assert check(stage()).verdict(CODE) == "fail"
    assert waived("/Robot/j", {CODE: "meant"}).verdict(CODE) == "pass"


def test_family_can_be_waived() -> None:
    assert waived("/Robot/j", {"value": "meant"}).findings == ()


def test_waiver_on_another_prim_matches_nothing() -> None:
    report = waived("/Robot", {CODE: "meant"})
    assert [(item.code, item.severity, item.path) for item in report.findings] == [
        ("waiver/unused", "warning", "/Robot"), (CODE, "error", "/Robot/j")]


@pytest.mark.parametrize("reason", ["", "  ", 3])
def test_waiver_without_a_reason_is_an_error_and_waives_nothing(reason: object) -> None:
    assert {(item.code, item.severity) for item in waived("/Robot/j", {CODE: reason}).findings} == {
        ("waiver/no-reason", "error"), (CODE, "error")}


def test_waiver_of_an_unknown_code_suggests_a_close_one() -> None:
    found = waived("/Robot/j", {"value/tokens": "meant"}).findings
    assert ("waiver/unknown-code", "did you mean 'value/token'?") in [(item.code, item.fix) for item in found]


def test_waiver_that_is_no_dictionary_is_an_error() -> None:
    assert "waiver/malformed" in {item.code for item in waived("/Robot/j", "everything").findings}


def test_idle_waiver_is_not_judged_where_its_code_was_not_asked_for() -> None:
    made = stage()
    made.GetPrimAtPath("/Robot").SetCustomDataByKey("physxSchema:waive", {"DJ.007/self": "meant"})
    assert [item.code for item in check(made, "newton").findings] == [CODE]
    assert [item.code for item in check(made, ignore=["DJ.007"]).findings] == [CODE]


def test_waiver_of_the_layer_counts_for_the_whole_stage() -> None:
    made = stage()
    made.GetRootLayer().customLayerData = {"physxSchema": {"waive": {CODE: "meant"}}}
    assert check(made).findings == ()


@pytest.mark.parametrize(("pattern", "left"), [("/Robot/*", 0), ("/Robot/j", 0), ("*", 0), ("/Other/*", 1)])
def test_waiver_given_with_the_call_holds_for_a_pattern_of_prims(pattern: str, left: int) -> None:
    assert len(check(stage(), waivers=[Waiver(CODE, "meant", "settings", pattern)]).findings) == left


def test_findings_about_waivers_cannot_be_waived() -> None:
    report = waived("/Robot", {CODE: "meant", "waiver": "never mind"})
    assert "waiver/unused" in {item.code for item in report.findings}


# --- select and ignore ---


def test_select_keeps_a_family_and_ignore_leaves_one_out() -> None:
    assert [item.code for item in check(stage(), select=["value"]).findings] == [CODE]
    assert check(stage(), select=["DJ.007"]).findings == ()
    assert check(stage(), ignore=[CODE]).findings == ()


def test_select_limits_the_verdicts() -> None:
    assert {item.code for item in check(stage(), select=["DJ.007/self"]).verdicts} == {"DJ.007/self"}


def test_unknown_code_is_refused_with_a_close_one() -> None:
    with pytest.raises(ValueError, match=r"there is no code or family 'DJ\.07'; did you mean DJ\.007"):
        check(stage(), select=["DJ.07"])
