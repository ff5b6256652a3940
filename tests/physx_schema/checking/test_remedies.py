"""Every remedy of the catalogue, and every repair, in real PhysX: what is declared of it comes about.

Stages are stepped before and after. Nothing may lose a way to move unless the remedy's row says what holds it.

A repaired mistake is PhysX's own sound stage to the bit. Repairs of several mistakes together take no freedom away.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from pxr import Sdf
from support.physx.effects import differences, finite, freedom_lost
from support.physx.probed import Probe, probed
from support.physx.remedy_effects.table import ROWS
from support.physx.remedy_rows import EVERY_PROFILE, Trial, edited, repaired, trials
from support.stages.faulty_robots import stage
from support.stages.planted_problems import PLANTED, planted, stages
from support.stages.robots import base, joint, link, opened, robot

from physx_schema.checking import RULES, check
from physx_schema.checking.engine.finding import Edit

TRIALS: dict[str, Trial] = {str(trial): trial for code, declared in ROWS.items()
                            for trial in trials(RULES[code], declared)}


def fixes_of(code: str, given: tuple[Edit, ...] = ()) -> list[str]:
    """What the findings of a rule's example say to do, or with opinions that are given beside it."""
    declared = ROWS[code]
    text = declared.stages[0] if declared.stages else stage(RULES[code].example + declared.beside)
    found = check(opened(edited(text, given)), EVERY_PROFILE, (code,)).findings
    return [item.fix for item in found if item.code == code]


def test_every_rule_says_what_its_remedy_does() -> None:
    assert ROWS.keys() == RULES.keys()


@pytest.mark.parametrize("code", [code for code, declared in ROWS.items() if declared.stepped])
def test_every_remedy_that_a_finding_names_is_stepped_or_says_why_not(code: str) -> None:
    declared, fixes = ROWS[code], fixes_of(code)
    assert fixes
    named = max(len(re.split(r", or | or remove | or to ", fix)) for fix in fixes)
    assert len(declared.also) + 1 >= named or declared.untried
    assert all(any(item.words in fix for fix in fixes_of(code, item.given)) for item in declared.also)


@pytest.fixture(scope="module")
def probes(oracle_folder: Path) -> Iterator[dict[str, Probe]]:
    """What PhysX makes of every stage, by its text."""
    texts = list(dict.fromkeys(text for trial in TRIALS.values() for text in (trial.before, trial.after)))
    found = dict(zip(texts, probed(texts), strict=True))
    yield found
    print(counts())


def counts() -> str:
    """How many remedies are stepped, by kind."""
    kinds = Counter(trial.kind if trial.kind in ("remedy", "safe repair", "unsafe repair") else "further remedy"
                    for trial in TRIALS.values())
    unstepped = sum(not declared.stepped for declared in ROWS.values())
    return f"{len(ROWS)} rules, {dict(kinds)}, {unstepped} rules that no step shows"


@pytest.mark.sweep
@pytest.mark.parametrize("name", TRIALS)
def test_remedy_does_in_physx_what_is_declared(probes: dict[str, Probe], name: str) -> None:
    trial = TRIALS[name]
    before, after = probes[trial.before], probes[trial.after]
    failures = [failure for effect in trial.effects if (failure := effect.failure(before, after))]
    lost = freedom_lost(before, after)
    if bool(lost) != bool(trial.loses):
        failures.append(f"{lost} ways to move are lost, and declared is {trial.loses or 'nothing'!r}")
    assert not failures


# --- mistakes ---------------------------------------------------------------------------------------------------------

# What a repair makes of a mistake is not its sound twin: how the two differ.
OTHERWISE = {
    "a velocity of what is no body": "its prim becomes a body; the twin has the velocity on another one",
    "a negative mass": "PhysX works the mass out; the twin has one of its own",
    "stiffness by time samples alone": "the joint gets a state, and which sample is meant nobody knows",
}
SEEDS, TOGETHER = range(24), 4
COUPLES = "DJ.007/instance"     # its repair makes a mimic joint act, which holds one joint by another
LARGEST = 200_000       # bytes of a stage that is stepped


def test_every_mistake_with_another_repair_is_planted() -> None:
    assert OTHERWISE.keys() <= PLANTED.keys()


def several(seed: int) -> str:
    """A stage with a few mistakes, each on prims of its own."""
    rng, chosen, taken = random.Random(seed), list[str](), set[str]()
    for name in rng.sample(sorted(PLANTED), len(PLANTED)):
        case = PLANTED[name]
        paths = {*case.faulty, *(case.given or {})}
        if len(chosen) < TOGETHER and not paths & taken:
            chosen.append(name)
            taken |= paths
    return planted(*(PLANTED[name].given or {} for name in chosen), *(PLANTED[name].faulty for name in chosen))


def text_after(text: str, unsafe: bool) -> str | None:
    """A stage with all its repairs, None where there are none."""
    fixes = repaired(text, unsafe=unsafe)
    return None if fixes is None else str(fixes.repaired_layer.ExportToString())


@pytest.fixture(scope="module")
def mended(oracle_folder: Path) -> dict[str, tuple[Probe, Probe, Probe | None]]:
    """Stages before and after their repairs, and their sound twins: mistakes one by one, and several by seed."""
    asked: dict[str, tuple[str, str, str | None]] = {}
    for name, case in PLANTED.items():
        texts = stages(case)
        after = text_after(texts["faulty"], unsafe=True)
        if after is not None:
            asked[name] = texts["faulty"], after, texts["sound"]
    for seed in SEEDS:
        before = several(seed)
        after = text_after(before, unsafe=False)
        if after is not None:
            asked[f"seed {seed}"] = before, after, None
    texts_of_all = list(dict.fromkeys(text for three in asked.values() for text in three if text is not None))
    found = dict(zip(texts_of_all, probed(texts_of_all), strict=True))
    return {name: (found[before], found[after], None if sound is None else found[sound])
            for name, (before, after, sound) in asked.items()}


@pytest.mark.sweep
def test_a_repaired_mistake_is_its_sound_twin_to_the_bit(
        mended: dict[str, tuple[Probe, Probe, Probe | None]]) -> None:
    found = {name: list(differences(sound, after)) for name, (_, after, sound) in mended.items() if sound is not None}
    assert len(found) >= 30
    assert {name for name, apart in found.items() if apart} == OTHERWISE.keys()


@pytest.mark.sweep
def test_repairs_of_several_mistakes_take_no_freedom_and_keep_numbers(
        mended: dict[str, tuple[Probe, Probe, Probe | None]]) -> None:
    assert len(mended) > len(SEEDS)
    assert [name for name, (before, after, _) in mended.items()
            if not finite(after) or freedom_lost(before, after)] == []


@pytest.mark.sweep
def test_repairs_of_recorded_stages_take_no_freedom(oracle_folder: Path, shared_cases: Path) -> None:
    folders = ("said", "found", "mimic_rule")
    files = [path for folder in folders for path in sorted((shared_cases / folder).glob("**/*.usda"))
             if path.stat().st_size < LARGEST]
    pairs: dict[str, tuple[str, str]] = {}
    coupled: Counter[str] = Counter()
    for path in files:
        layer = Sdf.Layer.FindOrOpen(str(path))
        if layer is not None and not layer.GetExternalReferences():
            before = str(layer.ExportToString())
            fixes = repaired(before, unsafe=False)
            if fixes is not None:
                pairs[path.name] = before, str(fixes.repaired_layer.ExportToString())
                coupled[path.name] = sum(item.code == COUPLES for item in fixes.repaired)
    assert pairs
    found = probed([text for pair in pairs.values() for text in pair])
    lost = {name: freedom_lost(before, after) for name, before, after in zip(
        pairs, found[::2], found[1::2], strict=True)}
    assert {name for name, count in lost.items() if count > coupled[name]} == set()


# --- how freedom is counted -------------------------------------------------------------------------------------------

def hinged(*more: str, kind: str = "Revolute") -> str:
    """A link on a joint about x at the end of a fixed base, and more joints between the two."""
    return robot(base(), link("tip", (1, 0, 0)), joint(kind, "j", "base", "tip", (), AT_TIP), *more)


AT_TIP = {"point3f physics:localPos0": (1, 0, 0)}
ACROSS = joint("Revolute", "k", "base", "tip", (), {
    **AT_TIP, "uniform token physics:axis": "Y", "bool physics:excludeFromArticulation": True})
MOBILITY = {
    "a hinge": (hinged(), 1), "a ball joint": (hinged(kind="Spherical"), 3), "a weld": (hinged(kind="Fixed"), 0),
    "two hinges about two axes": (hinged(ACROSS), 0), "a free body": (robot(base(), outside=link("crate")), 6)}


@pytest.mark.sweep
def test_mobility_is_how_many_ways_a_stage_moves_in_physx(oracle_folder: Path) -> None:
    found = probed([text for text, _ in MOBILITY.values()])
    assert [probe["mobility"] for probe in found] == [ways for _, ways in MOBILITY.values()]
