"""Motions of two stages side by side, against recordings whose numbers are chosen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from physx_runtime.viewing.comparison import Before, difference_headline, motion_differences
from support.stages.recorded_arm import ELBOW, SHOULDER, arm, swing

from physx_schema.description import describe

NOW = [(0.0, 0.0), (30.0, 20.0), (60.0, -10.0)]
OLD = [(0.0, 0.0), (30.0, 5.0), (50.0, -10.0)]


def compared(now: Any, old: Any) -> list[Any]:
    description = describe(arm())
    return motion_differences(description, now, Before(arm(), description, old), 0, "m")


def test_each_joint_has_both_ends_and_its_largest_difference() -> None:
    found = {row.name: row for row in compared(swing(NOW), swing(OLD))}
    assert list(found) == [ELBOW, SHOULDER]
    np.testing.assert_allclose([found[ELBOW].before, found[ELBOW].now], [-10.0, -10.0])
    assert (found[ELBOW].largest, found[ELBOW].time) == pytest.approx((15.0, 0.1))
    assert (found[SHOULDER].largest, found[SHOULDER].time) == pytest.approx((10.0, 0.2))


def test_the_headline_names_the_joint_that_differs_most() -> None:
    rows = compared(swing(NOW), swing(OLD))
    assert difference_headline(rows, "old.usda") == "Compared with old.usda, elbow differs most: by 15 deg at 0.1 s."


@pytest.mark.parametrize(("old", "sentence"), [
    (swing(NOW), "The motion is the same as that of old.usda."),
    (replace(swing(NOW), joint_names=("/a", "/b")), "Nothing that moves has the same name in old.usda."),
    (swing([(0.0, 0.0), (np.nan, 0.0), (np.nan, 0.0)]),
     "One of the two motions does not stay finite; compared with old.usda.")])
def test_the_headline_says_what_cannot_be_compared(old: Any, sentence: str) -> None:
    assert difference_headline(compared(swing(NOW), old), "old.usda") == sentence
