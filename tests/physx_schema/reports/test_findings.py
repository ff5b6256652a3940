"""What text folds: values for other engines, and what goes away with something else."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from physx_schema.checking import Finding, Report
from physx_schema.checking.engine.finding import Cause, Repair
from physx_schema.reports.findings import concise_lines, finding_lines, summary


def elsewhere(count: int) -> list[Finding]:
    """Values for MuJoCo, all told by the first."""
    cause = Cause("unused/other-engine", "/a/b0", "mjc:p0")
    return [Finding("unused/other-engine", "info", f"/a/b{index}", f"mjc:p{index}", f"message {index}", "why",
                    f"keep it for MuJoCo; {'PhysX has x' if index == 1 else 'no change is needed'}",
                    cause=cause if index else None) for index in range(count)]


def heads(findings: Sequence[Finding], folding: bool = True) -> list[str]:
    return [line for line in finding_lines("s.usda", findings, folding) if not line.startswith(" ")]


def test_many_values_for_another_engine_are_one_line_with_what_physx_has_instead() -> None:
    assert list(finding_lines("s.usda", elsewhere(200))) == [
        "s.usda: 200 prims: info unused/other-engine: 200 values for MuJoCo, which PhysX does not read; list them with "
        "--select unused/other-engine",
        "    fix: mjc:p1: PhysX has x"]


@pytest.mark.parametrize("count", [5, 200])
def test_those_asked_for_are_shown_one_by_one(count: int) -> None:
    assert len(heads(elsewhere(count), False)) == count


def test_what_goes_away_with_a_finding_is_counted_with_it() -> None:
    scene = Finding("scene/hidden", "warning", "/scene", "apiSchemas", "hidden", "why", "fix")
    cause = Cause("scene/hidden", "/scene", "apiSchemas")
    idle = [Finding("unused/idle", "warning", "/scene", name, "idle", "why", "fix", cause=cause)
            for name in ("physics:gravityMagnitude", "physics:gravityDirection")]
    other = Finding("unused/idle", "warning", "/other", "physics:gravityMagnitude", "idle", "why", "fix")
    assert list(finding_lines("s.usda", [scene, *idle, other])) == [
        "s.usda: /scene: warning scene/hidden: hidden", "    why: why", "    fix: fix",
        "    fixing this also removes 2 more findings (2 warnings): unused/idle of physics:gravityMagnitude, "
        "physics:gravityDirection",
        "s.usda: /other.physics:gravityMagnitude: warning unused/idle: idle", "    why: why", "    fix: fix"]


def test_of_copies_the_first_prims_are_named() -> None:
    cause = Cause("a/a", "/envs/env_0")
    found = [Finding("a/a", "error", f"/envs/env_{index}", "", "message", "why", "fix", cause=cause if index else None)
             for index in range(100)]
    lines = list(finding_lines("s.usda", found))
    assert lines[0] == "s.usda: 100 prims: error a/a: message"
    assert lines[1].endswith("/envs/env_4 and 95 more") and len(lines) == 4


def test_the_summary_names_first_what_changes_the_motion_most() -> None:
    found = [Finding("value/token", "error", "/j", "drive:angular:physics:type", "m", "w", "f"),
             Finding("body/in-instance", "error", "/hand", "apiSchemas", "m", "w", "f"),
             Finding("unused/other-engine", "info", "/j", "mjc:x", "m", "w", "f")]
    assert summary(Report("s.usda", "physx", tuple(found))) == (
        "bodies are not simulated: /hand (body/in-instance); 2 errors, 0 warnings, 1 info, 0 not evaluated")


def repairable(obstacle: str = "", is_safe: bool = True) -> Finding:
    return Finding("a/a", "error", "/a", "b", "m", "w", "f", repair=Repair((), is_safe, obstacle))


@pytest.mark.parametrize(("finding", "mark", "count"), [
    (repairable(), " [*]", "; [*] 1 fixable with --fix"),
    (repairable(is_safe=False), "", "; 1 fixable with --fix --unsafe-fixes"),
    (repairable("the opinion is in asset.usda"), "", "")])
def test_findings_that_fix_repairs_alone_are_marked_and_counted(finding: Finding, mark: str, count: str) -> None:
    assert heads([finding]) == [f"s.usda: /a.b: error a/a{mark}: m"]
    assert summary(Report("s.usda", "physx", (finding,)), marked=True) == (
        f"1 error, 0 warnings, 0 info, 0 not evaluated{count}")


def test_errors_are_before_warnings_before_infos() -> None:
    found = [Finding("a/a", severity, f"/{index}", "", str(index), "w", "f")
             for index, severity in enumerate(("info", "error", "warning", "info", "warning", "error"))]
    assert [line.split()[2] for line in heads(found)] == ["error"] * 2 + ["warning"] * 2 + ["info"] * 2


def test_a_cause_has_the_severity_of_the_worst_that_it_explains() -> None:
    cause = Finding("a/a", "info", "/a", "", "m", "w", "f")
    effect = Finding("b/b", "error", "/b", "", "m", "w", "f", cause=Cause("a/a", "/a"))
    assert heads([cause, effect]) == ["s.usda: /a: error a/a: m"]


def test_concise_lines_are_one_for_each_prim() -> None:
    found = [Finding("a/a", "error", f"/{name}", "b", "m", "w", "f") for name in "xy"]
    assert list(concise_lines("s.usda", found)) == ["s.usda: /x.b: error a/a: m", "s.usda: /y.b: error a/a: m"]


def test_infos_alone_change_no_motion() -> None:
    assert summary(Report("s.usda", "physx", tuple(elsewhere(3)))) == (
        "0 errors, 0 warnings, 1 info, 0 not evaluated; 3 findings in all")
