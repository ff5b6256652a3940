"""Every number of a joint outside articulations that acts is measured, or says why it is not."""

from __future__ import annotations

from functools import cache

import pytest
from physx_runtime.verification import Row, Verification
from physx_runtime.verification import stage as verification_stage
from physx_runtime.verification.stage import verify
from support.compared.outside_joint_features import ACTS, FEATURES, Feature
from support.stages.iteration_stages import opened

# Why a number that acts is not measured, by the end of its property's name.
NO_EXPERIMENT = {"localPos0", "localPos1"}
# What PhysX makes of an authored number: distances have a slack of 0.025 m.
SLACK = {"minDistance": -0.025, "maxDistance": 0.025}
# A limit of rotation sends a body back as if it turned about its centre of mass, and 16 iterations do not mend that.
UNFINISHED = {"restitution"}
ALTERED = {*SLACK, *UNFINISHED}
# The gap in which a load breaks the joint or a speed bounces, of its middle; a spring is held a little off its limit.
DIGITS = 3e-3
NUMBERS = ("float", "point3f")


def numbers() -> list[Feature]:
    """The rows of the table of features that author a number that acts."""
    return [feature for feature in FEATURES if feature.effect == ACTS and feature.name.split()[0] in NUMBERS]


@pytest.fixture(autouse=True)
def _without_openings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the whole stage does is not looked at here."""
    monkeypatch.setattr(verification_stage, "measure_openings", lambda *_: ())


@cache
def verified(feature: Feature) -> Verification:
    return verify(opened(feature.stage(feature.value)))


def row_of(feature: Feature) -> Row:
    row, = (row for row in verified(feature).rows if (row.path, row.property) == ("/World/j", feature.property))
    return row


@pytest.mark.parametrize("feature", numbers(), ids=lambda feature: f"{feature.kind} {feature.property}")
def test_every_number_that_acts_is_measured_or_says_why_not(feature: Feature) -> None:
    row, base = row_of(feature), feature.property.rpartition(":")[2]
    if base in NO_EXPERIMENT:
        assert (row.effective, row.verdict) == (None, "not evaluated")
        assert row.reason
        return
    expected = float(feature.value) + SLACK.get(base, 0.0)
    assert row.ideal == pytest.approx(expected, rel=DIGITS)
    assert row.verdict == ("altered" if base in ALTERED else "as authored")
    if base not in UNFINISHED:
        assert row.effective == pytest.approx(expected, rel=DIGITS)
