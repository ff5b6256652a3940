"""The checks find every kind of fault that is planted in a sound finger, and nothing on the finger itself."""

from __future__ import annotations

import pytest
from support.stages.planted_faults import FAULTS, Fault
from support.stages.robots import opened

from physx_schema.checking import DEFAULT_PROFILE, check

DRIVEN = f"{DEFAULT_PROFILE}+driven"
# The published rule DJ.001 wants drives to start where their targets are; the finger moves to its targets.
TO_THE_LETTER = {"DJ.001/target-state"}
COUNT = 55


def codes(text: str, profile: str) -> set[str]:
    return {item.code for item in check(opened(text), profile).findings}


def is_found(fault: Fault) -> bool:
    """Whether a fault adds a finding; the costlier profile is asked where the default one has none."""
    return any(codes(fault.text, profile) - codes(fault.sound, profile) for profile in (DEFAULT_PROFILE, DRIVEN))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda item: item.name)
def test_planted_fault_is_found(fault: Fault) -> None:
    assert is_found(fault)


def test_there_are_as_many_kinds_as_the_survey_names() -> None:
    assert len({item.name for item in FAULTS}) == COUNT


@pytest.mark.parametrize("sound", sorted({item.sound for item in FAULTS}), ids=lambda text: f"{len(text)} characters")
def test_sound_finger_has_no_finding(sound: str) -> None:
    assert codes(sound, DEFAULT_PROFILE) == set()
    assert codes(sound, DRIVEN) <= TO_THE_LETTER
