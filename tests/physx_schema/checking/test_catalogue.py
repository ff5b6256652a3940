"""The catalogue of codes: what is claimed of PhysX has its number, measured by a script that is there."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

from support.places import ROOT

from physx_schema.checking import FINDERS, RULES, rules
from physx_schema.checking.engine.rule import Finder, Rule

# Codes without a measurement, by the reason why there is none.
CLAIMS_NOTHING = {
    "what files and layers say, which PhysX is never shown": (
        "stage/session-layer", "stage/muted-layer", "stage/layer-offset", "stage/outside-layer"),
    "the checker's own business": (
        "waiver/no-reason", "waiver/unused", "waiver/unknown-code", "waiver/malformed", "baseline/stale",
        "rule-failed"),
    "a size that is probably a mistake": ("unit/density",),
    "only vehicles and cooked data have such schemas, whose effect no small stage shows": ("schema/instance",),
}

# Codes without a stage that gets them and one that does not, by the reason: the examples are prims of one robot.
WITHOUT_EXAMPLE = {
    "what a robot with an articulation root cannot have beside it": (
        "articulation/no-root", "articulation/no-bodies", "articulation/static-root", "articulation/kinematic-body",
        "articulation/world-joint-outside", "articulation/in-instance", "articulation/shared-bodies",
        "articulation/root-joint"),
    "what the head of a file or several files say": (
        "stage/units", "stage/units-extreme", "stage/up-axis", "stage/composition", "stage/session-layer",
        "stage/muted-layer", "stage/layer-offset", "stage/outside-layer", "stage/unloaded", "stage/variants",
        "report/threshold"),
    "what the root of an articulation says, and the examples are prims below one": ("iterations/raised",),
    "a mesh of more text than a page": ("body/collider-mass",),
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
    files = [import_module(f"{rules.__name__}.{path.stem}") for path in Path(str(rules.__file__)).parent.glob("*.py")]
    found = [item for file in files for item in vars(file).values()]
    assert {item.code for item in found if isinstance(item, Rule)} == RULES.keys() - {"rule-failed"}
    assert {item.name for item in found if isinstance(item, Finder)} == {finder.name for finder in FINDERS} - {"reader"}
