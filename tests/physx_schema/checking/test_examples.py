"""Every example of the catalogue gets its finding, and not once it is remedied."""

from __future__ import annotations

import random

import pytest
from pxr import Usd
from support.chance.damage import damage
from support.stages.robots import opened
from support.stages.rule_examples import examples, stage

from physx_schema.checking import RULES, Report, Rule, check
from physx_schema.checking.engine.layer_editor import Fixes, fix

EXAMPLES = tuple(examples())
EVERY_PROFILE = "physx+simready+newton+driven"
SUB_CHECKS = {      # of the mimic rule, by its number in the published analysis: the codes that stand for it
    1: ("host",), 2: ("instance",), 3: ("one-instance",), 4: ("reference-count",),
    5: ("reference-missing", "reference-type"), 6: ("self",), 7: ("cycle",), 8: ("chain",), 9: ("gearing",),
    10: ("offset",), 11: ("naturalFrequency",), 12: ("dampingRatio",), 13: ("limits",),
    14: ("limits-clip", "limits-disjoint"), 15: ("excluded-self", "excluded-ref", "disabled"), 16: ("joint-type",),
    17: ("reference-axis",), 18: ("same-articulation",), 19: ("double-mimic",), 20: ("drive-fight",),
    21: ("initial-violation",), 22: ("orphan-properties",), 23: ("time-samples",), 24: ("newton-portability",),
}


def findings(prims: str) -> dict[str, str]:
    return {item.code: item.severity for item in check(opened(stage(prims)), EVERY_PROFILE).findings}


@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda rule: rule.code)
def test_example_gets_its_finding(rule: Rule) -> None:
    assert findings(rule.example).get(rule.code) == rule.severity


@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda rule: rule.code)
def test_remedied_example_does_not(rule: Rule) -> None:
    assert rule.code not in findings(rule.remedy)


SAFE = ("DJ.007/instance", "DJ.007/limits-clip", "DJ.007/limits-disjoint", "DJ.007/drive-fight",
        "DJ.007/reference-axis", "DJ.002/joint-state")
UNSAFE = ("DJ.007/one-instance", "DJ.007/excluded-self", "DJ.007/excluded-ref", "DJ.007/cycle", "DJ.007/double-mimic",
          "DJ.007/orphan-properties", "DJ.011/loop", "DJ.011/world-loop", "unit/radians", "unit/gravity")


def fixed(code: str, unsafe: bool) -> Fixes:
    def asked(stage: Usd.Stage) -> Report:
        return check(stage, EVERY_PROFILE)

    return fix(opened(stage(RULES[code].example)), asked, unsafe)


@pytest.mark.parametrize(("code", "unsafe"), [*((code, False) for code in SAFE), *((code, True) for code in UNSAFE)])
def test_repair_removes_the_finding(code: str, unsafe: bool) -> None:
    after = fixed(code, unsafe)
    assert code in {item.code for item in after.repaired}
    assert code not in {item.code for item in after.report.findings}


@pytest.mark.parametrize("code", UNSAFE)
def test_unsafe_repair_is_not_made_without_asking(code: str) -> None:
    assert code in {item.code for item in fixed(code, False).report.findings}


@pytest.mark.parametrize("number", SUB_CHECKS)
def test_every_sub_check_of_the_mimic_rule_has_a_failing_and_a_passing_stage(number: int) -> None:
    for name in SUB_CHECKS[number]:
        rule = RULES[f"DJ.007/{name}"]
        assert rule.example and rule.remedy and rule.example != rule.remedy


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(8))
def test_no_rule_fails_on_damaged_examples(seed: int) -> None:
    rng = random.Random(seed)
    for rule in EXAMPLES:
        spoilt = opened(stage(rule.example))
        for _ in range(4):
            damage(spoilt, rng)
        assert not [item for item in check(spoilt, EVERY_PROFILE).findings if item.code.startswith("rule-failed")]


def test_mimic_rule_has_no_codes_beside_its_sub_checks() -> None:
    named = {f"DJ.007/{name}" for names in SUB_CHECKS.values() for name in names}
    assert {code for code in RULES if code.startswith("DJ.007/")} == named
