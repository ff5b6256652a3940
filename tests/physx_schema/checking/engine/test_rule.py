"""The engine: profiles, order, rules that fail, reports and their exit codes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.stages.robots import base, finger, joint, link, opened, robot

from physx_schema.checking import (
    FINDERS,
    PROFILES,
    RULES,
    SEVERITIES,
    Finder,
    Finding,
    Report,
    Unevaluated,
    check,
    explain,
    parse_profile,
    run,
)
from physx_schema.checking.engine.finding import per_profile
from physx_schema.checking.engine.rule import ReaderRule, Rule, belongs
from physx_schema.description import Description, Opinion, describe
from physx_schema.errors import UnreadableError

EMPTY = describe(opened(robot(base())))


def finding(severity: str = "error", code: str = "x/y", path: str = "/a", **more: object) -> Finding:
    return Finding(code, severity, path, "p", "message", "why", "fix", **more)      # type: ignore[arg-type]


def members(*families: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in RULES.values() if any(belongs(rule.code, family) for family in families))


def findings_of(
    rule: Callable[[Description], Iterator[Finding]], profile: str, rules: tuple[Rule, ...] = (),
) -> tuple[Finding, ...]:
    return run((Finder("rule", rule, rules),), EMPTY, parse_profile(profile)).findings


def test_failing_rule_becomes_a_finding_and_others_still_run() -> None:
    def broken(description: Description) -> Iterator[Finding]:
        yield finding(path=str(description.articulations[7].path))

    def sound(description: Description) -> Iterator[Finding]:
        yield finding()

    found = run((Finder("broken", broken, ()), Finder("sound", sound, ())), EMPTY, PROFILES).findings
    assert [(item.code, item.severity) for item in found] == [("rule-failed/broken", "error"), ("x/y", "error")]
    assert "IndexError" in found[0].message


def test_findings_come_by_path_property_and_code() -> None:
    def rule(description: Description) -> Iterator[Finding]:
        for path, code in (("/b", "a"), ("/a/c", "a"), ("/a", "z"), ("/a", "b")):
            yield finding(path=path, code=code)

    found = run((Finder("rule", rule, ()),), EMPTY, PROFILES).findings
    assert [(item.path, item.code) for item in found] == [("/a", "b"), ("/a", "z"), ("/a/c", "a"), ("/b", "a")]


def test_profile_chooses_the_judgement() -> None:
    def rule(description: Description) -> Iterator[Finding]:
        yield from per_profile(finding(), "info", "error")

    severities = {profile: [item.severity for item in findings_of(rule, profile)]
                  for profile in ("physx", "simready", "physx+simready")}
    assert severities == {"physx": ["info"], "simready": ["error"], "physx+simready": ["error"]}


def test_rule_whose_codes_no_profile_asks_for_is_not_run() -> None:
    def rule(description: Description) -> Iterator[Finding]:
        raise AssertionError

    judged_by = {profile: run((Finder("rule", rule, members("DJ.002")),), EMPTY, parse_profile(profile)).codes
                 for profile in ("physx", "newton")}
    assert judged_by == {"physx": frozenset(), "newton": frozenset()}


def test_finding_of_both_profiles_names_both() -> None:
    def rule(description: Description) -> Iterator[Finding]:
        yield from per_profile(finding(), "info", "error")

    assert run((Finder("rule", rule, ()),), EMPTY, PROFILES).findings[0].profiles == ("physx", "simready")


def test_unknown_profile_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="'mujoco' is not one of physx, simready, newton"):
        check(opened(robot()), "physx+mujoco")


@pytest.mark.parametrize(("severities", "strict", "fail_on", "code"), [
    ((), False, "error", 0), (("error",), False, "error", 1), (("warning", "info"), False, "error", 0),
    (("warning",), False, "warning", 1), (("info",), False, "info", 1), ((), True, "error", 5),
    (("error",), True, "error", 1),
])
def test_exit_code_follows_the_severities(severities: tuple[str, ...], strict: bool, fail_on: str, code: int) -> None:
    report = Report("x", "physx", tuple(map(finding, severities)), not_evaluated=(Opinion("/a", "", "reason"),))
    assert report.exit_code(strict, fail_on) == code


def test_strict_is_clean_where_everything_was_evaluated() -> None:
    assert Report("x", "physx", ()).exit_code(strict=True) == 0


def test_unreadable_file_raises(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="no such file"):
        check(tmp_path / "none.usda")


def test_finding_names_the_layer_of_a_sublayer(tmp_path: Path) -> None:
    weak = tmp_path / "weak.usda"
    weak.write_text(finger({"uniform token drive:angular:physics:type": "acelleration"}, ("PhysicsDriveAPI:angular",)))
    root = tmp_path / "root.usda"
    root.write_text('#usda 1.0\n(\n    subLayers = [@./weak.usda@]\n    metersPerUnit = 1\n)\n')
    assert [item.layer for item in check(root).findings] == [str(weak)]


def test_finding_says_what_was_measured_for_its_code() -> None:
    values = {"float physics:lowerLimit": 30.0, "float physics:upperLimit": -30.0}
    (found,) = check(opened(finger(values))).findings
    assert found.measured == RULES["joint/limit-order"].measured != ""


def test_unused_opinions_become_findings() -> None:
    report = check(opened(finger({"float drive:linear:physics:stiffness": 1.0}, ("PhysicsDriveAPI:linear",))))
    assert {(item.code, item.severity) for item in report.findings} == {("unused/wrong-instance", "error")}
    assert len(report.unused) == 2


def test_idle_opinions_are_warnings() -> None:
    values = {"bool physics:jointEnabled": False, "float drive:angular:physics:stiffness": 1.0}
    report = check(opened(finger(values, ("PhysicsDriveAPI:angular",))))
    assert {(item.code, item.severity) for item in report.findings} == {
        ("unused/disabled", "warning"), ("joint/disabled", "info")}


def test_checking_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "robot.usda"
    path.write_text(finger({"float physxJointAxis:angular:armature": -1.0}, ("PhysxJointAxisAPI:angular",)))
    before = path.read_bytes()
    assert check(path).errors
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_every_code_that_the_reader_gives_is_of_a_rule_that_it_judges() -> None:
    package = Path(str(__import__("physx_schema").__file__)).parent
    families = ("tendon", "body", "joint", "articulation", "scene", "stage", "value")
    sources = list(package.glob("description/**/*.py"))
    assert len(sources) > 30
    for source in sources:
        for quoted in source.read_text().split('"'):
            family, _, name = quoted.partition("/")
            if family in families and name and all(part.isalpha() for part in name.split("-")):
                assert isinstance(RULES.get(quoted), ReaderRule), f"{source.name}: {quoted}"


def test_failed_rule_is_explained() -> None:
    assert explain("rule-failed/anything")
    assert explain("no/such-code") is None


def test_long_chain_is_checked_without_recursion() -> None:
    parts = [base(), link("b0"), joint("Revolute", "j0", "base", "b0")]
    for i in range(1, 1000):
        parts += [link(f"b{i}"), joint("Revolute", f"j{i}", f"b{i - 1}", f"b{i}")]
    assert check(opened(robot(*parts))).findings == ()


def test_finders_have_different_names() -> None:
    assert len({finder.name for finder in FINDERS}) == len(FINDERS)


def test_profile_of_the_rule_counts_where_the_finding_names_none() -> None:
    def rule(description: Description) -> Iterator[Finding]:
        yield finding(code="DJ.007/self")

    found = findings_of(rule, "physx+newton", members("DJ.007/self"))
    assert [item.profiles for item in found] == [("physx",)]


# --- verdicts ---


def verdict_of(family: str, rule: Callable[[Description], Iterator[Finding | Unevaluated]]) -> str:
    found = run((Finder("rule", rule, members("tendon", "joint/locked")),), EMPTY, PROFILES)
    return Report("x", "physx", found.findings, verdicts=found.verdicts).verdict(family)


def test_code_without_a_finding_passes_and_one_with_fails() -> None:
    def rule(description: Description) -> Iterator[Finding]:
        yield finding("warning", "tendon/sign")

    assert verdict_of("tendon/sign", rule) == "fail"
    assert verdict_of("tendon/cycle", rule) == "pass"
    assert verdict_of("tendon", rule) == "fail"


def test_finding_of_severity_info_leaves_the_code_passed() -> None:
    def rule(description: Description) -> Iterator[Finding]:
        yield finding("info", "joint/locked")

    assert verdict_of("joint", rule) == "pass"


def test_codes_of_a_rule_that_raises_are_not_evaluated() -> None:
    def rule(description: Description) -> Iterator[Finding]:
        yield finding("error", "tendon/sign", path=str(description.articulations[7].path))

    assert verdict_of("tendon", rule) == "not evaluated"


def test_rule_may_say_what_it_did_not_judge() -> None:
    def rule(description: Description) -> Iterator[Finding | Unevaluated]:
        yield Unevaluated("tendon/cycle", "/a", "", "the schema is not registered")
        yield finding("error", "tendon/sign")

    assert verdict_of("tendon/cycle", rule) == "not evaluated"
    assert verdict_of("tendon/no-leaf", rule) == "pass"
    assert verdict_of("tendon", rule) == "fail"


def test_codes_that_the_profile_does_not_ask_for_have_no_verdict() -> None:
    report = check(opened(robot(base())), "newton")
    with pytest.raises(KeyError, match=r"DJ\.007/self: the check included no rule of this name"):
        report.verdict("DJ.007/self")


def test_every_rule_has_a_finder() -> None:
    judged = {rule.code for finder in FINDERS for rule in finder.rules}
    assert {code.partition("/")[0] for code in RULES.keys() - judged} == {
        "baseline", "rule-failed", "waiver"}     # these are about the check itself
    assert judged <= RULES.keys()


def test_codes_have_their_own_names_titles_and_severities() -> None:
    assert all(name == rule.code and rule.severity in SEVERITIES for name, rule in RULES.items())
    assert len({rule.title for rule in RULES.values()}) == len(RULES)


@pytest.mark.parametrize("paragraphs", [
    ("Title",), ("Title", "Meaning.", "What PhysX did."), ("Title", "Meaning.", "Measured: 1.", "More.")])
def test_rule_says_what_its_text_has_to_be(paragraphs: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=rf"^x/y: has {len(paragraphs)} paragraphs; write a title, the meaning"):
        Rule("x/y", "error", "\n\n".join(paragraphs))
