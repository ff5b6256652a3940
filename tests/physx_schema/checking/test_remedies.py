"""Every remedy of the catalogue, and every repair, in real PhysX: what is declared of it comes about.

Stages are stepped before and after. Nothing may lose a way to move unless the remedy's row says what holds it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.physx.effects import freedom_lost
from support.physx.probed import Probe, probed
from support.physx.remedy_effects import ROWS
from support.physx.remedy_rows import EVERY_PROFILE, Trial, edited, trials
from support.stages.faulty_robots import stage
from support.stages.robots import opened

from physx_schema.checking import RULES, check
from physx_schema.checking.engine.finding import Edit

TRIALS: dict[str, Trial] = {str(trial): trial for code, declared in ROWS.items()
                            for trial in trials(RULES[code], declared)}


def fixes_of(code: str, given: tuple[Edit, ...] = ()) -> list[str]:
    """What the findings of a rule's example say to do, or with opinions that are given beside it."""
    declared = ROWS[code]
    text = declared.stages[0] if declared.stages else stage(RULES[code].example + declared.beside)
    found = check(opened(edited(text, given)), EVERY_PROFILE).findings
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
