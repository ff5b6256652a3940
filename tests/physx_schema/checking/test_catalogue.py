"""The catalogue of codes: what is claimed of PhysX has its number, measured by a script that is there.

Every example of the catalogue gets its finding, and not once it is remedied.

The checker gets through every sample stage of the ovphysx wheel, none of which was made for this project.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from physx_runtime.behaviour import rules as behaviour_rules
from pxr import Usd
from support.fuzzing.spoiling import damage
from support.places import ROOT
from support.stages.faulty_robots import examples, stage
from support.stages.robots import opened

from physx_schema.checking import FINDERS, RULES, Report, check, rules
from physx_schema.checking.engine.layer_editor import Fixes, fix
from physx_schema.checking.engine.rule import Finder, Rule

# Codes without a measurement, by the reason why there is none.
CLAIMS_NOTHING = {
    "what files and layers say, which PhysX is never shown": (
        "stage/session-layer", "stage/muted-layer", "stage/layer-offset", "stage/outside-layer", "stage/usd"),
    "the checker's own business": (
        "waiver/no-reason", "waiver/unused", "waiver/unknown-code", "waiver/malformed", "baseline/stale",
        "rule-failed"),
    "a size that is probably a mistake": ("unit/density",),
    "a stage without anything to simulate": ("stage/not-physical",),
    "what published rules ask and PhysX does without": (
        "stage/no-body", "stage/one-body", "stage/not-z-up", "stage/not-metres", "articulation/root-count",
        "body/mass-unauthored", "body/mass-partial", "collider/not-geometry", "collider/mesh-schema"),
    "only vehicles and cooked data have such schemas, whose effect no small stage shows": ("schema/instance",),
}

# Codes without a stage that gets them and one that does not, by the reason: the examples are prims of one robot.
WITHOUT_EXAMPLE = {
    "what a robot with an articulation root cannot have beside it": (
        "articulation/no-root", "articulation/no-bodies", "articulation/static-root", "articulation/kinematic-body",
        "articulation/world-joint-outside", "articulation/in-instance", "articulation/shared-bodies",
        "articulation/root-joint", "articulation/root-count", "stage/no-body", "stage/one-body", "joint/mass-ratio"),
    "what a stage without physics has, of which the examples have some": ("stage/not-physical",),
    "what the head of a file or several files say": (
        "stage/units", "stage/units-extreme", "stage/up-axis", "stage/not-z-up", "stage/not-metres",
        "stage/composition", "stage/session-layer",
        "stage/muted-layer", "stage/layer-offset", "stage/outside-layer", "stage/unloaded", "stage/variants",
        "stage/target-dropped", "stage/units-differ", "stage/usd", "stage/kilograms", "report/threshold"),
    "what the root of an articulation says, and the examples are prims below one": (
        "articulation/disabled", "iterations/raised"),
    "a mesh of more text than a page": ("body/collider-mass",),
    "what every robot of the examples has, whose links have no colliders": ("body/shapeless",),
    "the checker's own business": ("baseline/stale", "rule-failed"),
}


def test_every_code_that_a_prim_can_show_has_an_example_and_a_remedy() -> None:
    without = {code for code, item in RULES.items() if not (item.example and item.remedy)}
    assert without == {code for codes in WITHOUT_EXAMPLE.values() for code in codes}


def test_every_claim_about_physx_is_measured() -> None:
    without = {code for code, item in RULES.items() if not item.measured}
    assert without == {code for codes in CLAIMS_NOTHING.values() for code in codes}


def test_every_measurement_names_a_script_of_the_repository() -> None:
    for code, item in RULES.items():
        scripts = re.findall(r"`((?:benchmarks|experiments)/[^`]+)`", item.measured)
        assert bool(scripts) == bool(item.measured), code
        assert all((ROOT / script).is_file() for script in scripts), code


def test_every_rule_and_finder_of_the_files_is_in_the_catalogue() -> None:
    files = [import_module(f"{folder.__name__}.{path.stem}") for folder in (rules, behaviour_rules)
             for path in Path(str(folder.__file__)).parent.glob("*.py")]
    found = [item for file in files for item in vars(file).values()]
    assert {item.code for item in found if isinstance(item, Rule)} == RULES.keys() - {"rule-failed"}
    assert {item.name for item in found if isinstance(item, Finder)} == {finder.name for finder in FINDERS} - {"reader"}


# --- examples --------------------------------------------------------------------------------------------------------

EXAMPLES = tuple(examples())
EVERY_PROFILE = "physx+simready+newton+driven+published"
WITHOUT_STEPPING = "physx+simready+newton"
STEPPED = 20                # one damaged example of so many is stepped too
SUB_CHECKS = {      # of the mimic rule, by its number in the published analysis: the codes that stand for it
    1: ("host",), 2: ("instance",), 3: ("one-instance",), 4: ("reference-count",),
    5: ("reference-missing", "reference-type"), 6: ("self",), 7: ("cycle",), 8: ("chain",), 9: ("gearing",),
    10: ("offset",), 11: ("naturalFrequency",), 12: ("dampingRatio",), 13: ("limits",),
    14: ("limits-clip", "limits-disjoint"), 15: ("excluded-self", "excluded-ref", "disabled"), 16: ("joint-type",),
    17: ("reference-axis",), 18: ("same-articulation",), 19: ("double-mimic",), 20: ("drive-fight",),
    21: ("initial-violation",), 22: ("orphan-properties",), 23: ("time-samples",), 24: ("newton-portability",),
}


def findings(prims: str, rule: Rule) -> dict[str, str]:
    """Codes and severities on a stage, of the rule's code alone: others may need a simulation.

    Waivers are judged by the findings that they are for.
    """
    profile, select = (WITHOUT_STEPPING, ()) if rule.code.startswith("waiver/") else (EVERY_PROFILE, (rule.code,))
    return {item.code: item.severity for item in check(opened(stage(prims)), profile, select).findings}


@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda rule: rule.code)
def test_example_gets_its_finding(rule: Rule) -> None:
    assert findings(rule.example, rule).get(rule.code) == rule.severity


@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda rule: rule.code)
def test_remedied_example_does_not(rule: Rule) -> None:
    assert rule.code not in findings(rule.remedy, rule)


SAFE = ("DJ.007/instance", "DJ.007/limits-clip", "DJ.007/limits-disjoint", "DJ.007/drive-fight",
        "DJ.007/reference-axis", "DJ.002/joint-state")
UNSAFE = ("DJ.007/one-instance", "DJ.007/excluded-self", "DJ.007/excluded-ref", "DJ.007/cycle", "DJ.007/double-mimic",
          "DJ.007/orphan-properties", "DJ.011/loop", "DJ.011/world-loop", "unit/radians", "unit/gravity")


def fixed(code: str, unsafe: bool) -> Fixes:
    def asked(stage: Usd.Stage) -> Report:
        return check(stage, EVERY_PROFILE, ignore=("behaviour",))

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
    for number, rule in enumerate(EXAMPLES):
        spoilt = opened(stage(rule.example))
        for _ in range(4):
            damage(spoilt, rng)
        unstepped = () if number % STEPPED == seed else ("behaviour",)
        findings = check(spoilt, EVERY_PROFILE, ignore=unstepped).findings
        assert not [item for item in findings if item.code.startswith("rule-failed")]


def test_mimic_rule_has_no_codes_beside_its_sub_checks() -> None:
    named = {f"DJ.007/{name}" for names in SUB_CHECKS.values() for name in names}
    assert {code for code in RULES if code.startswith("DJ.007/")} == named


# --- samples ---------------------------------------------------------------------------------------------------------

FIND = ("import importlib.util as u; spec = u.find_spec('ovphysx'); "
        "print(spec.submodule_search_locations[0] if spec else '')")
SNAPPED = "FixedTendonTest.usda"        # its links are authored 10 m apart and joined 1 m apart


@pytest.fixture(scope="module")
def samples() -> list[Path]:
    """Every stage in the wheel; skips where there is none."""
    python = os.environ.get("ORACLE_PYTHON", sys.executable)
    found = subprocess.run([python, "-c", FIND], capture_output=True, text=True, check=False).stdout.strip()
    stages = sorted(Path(found, "samples").rglob("*.usda")) if found else []
    if not stages:
        pytest.skip(f"{python} has no ovphysx with samples; set ORACLE_PYTHON to an interpreter that has it")
    return stages


@pytest.mark.sweep
def test_no_rule_fails_on_a_sample(samples: list[Path]) -> None:
    failed = {path.name: item.message for path in samples
              for item in check(path, EVERY_PROFILE, ignore=("behaviour",)).findings
              if item.code.startswith("rule-failed")}
    assert not failed


@pytest.mark.sweep
def test_links_that_physx_snaps_together_are_reported(samples: list[Path]) -> None:
    path = next(path for path in samples if path.name == SNAPPED)
    codes = [item.code for item in check(path).findings]
    assert codes.count("DJ.003/frames-apart") == 4
