"""Every number of a joint outside articulations that acts is measured, or says why it is not."""

from __future__ import annotations

from functools import cache

import pytest
from physx_runtime.verification import Row, Verification
from physx_runtime.verification import stage as verification_stage
from physx_runtime.verification.maximal_joints.events import QUARTERS
from physx_runtime.verification.stage import verify
from physx_runtime.worlds.cpu import IslandWorlds
from support.compared.outside_joint_features import ACTS, FEATURES, Feature
from support.stages.iteration_stages import opened

# Numbers that act and are not measured: frames, and the target of a locked axis, which turns where others aim.
NO_EXPERIMENT = {"physics:localPos0", "physics:localPos1", "drive:rotX:physics:targetPosition"}
# What PhysX makes of an authored number: distances have a slack of 0.025 m.
SLACK = {"minDistance": -0.025, "maxDistance": 0.025}
# A limit of rotation sends a body back as if it turned about its centre of mass, and 16 iterations do not mend that.
UNFINISHED = {f"physxLimit:{instance}:restitution" for instance in ("angular", "rotY", "cone")}
# Why PhysX refuses limits whole, by what is authored.
REFUSING = {"1.5": "1.5 is above 1", "nan": "is NaN"}
# The gap in which a load breaks the joint or a speed bounces, of its middle; a spring is held a little off its limit.
DIGITS = 3e-3
NUMBERS = ("float", "point3f")


def loses_a_limit(feature: Feature) -> bool:
    return feature.property.startswith("physxLimit:") and feature.value in REFUSING


def numbers(losing: bool = False) -> list[Feature]:
    """The rows of the table of features that author a number that acts: those that lose a limit, or the others."""
    return [feature for feature in FEATURES if feature.effect == ACTS and feature.name.split()[0] in NUMBERS
            and loses_a_limit(feature) is losing]


def named(feature: Feature) -> str:
    return f"{feature.kind} {feature.property}"


@pytest.fixture(autouse=True)
def _without_openings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the whole stage does is not looked at here."""
    monkeypatch.setattr(verification_stage, "measure_joint_errors", lambda *_: ())


@cache
def verified(feature: Feature) -> Verification:
    return verify(opened(feature.stage(feature.value)))


def row_of(feature: Feature) -> Row:
    row, = (row for row in verified(feature).rows if (row.path, row.property) == ("/World/j", feature.property))
    return row


@pytest.mark.parametrize("feature", numbers(), ids=named)
def test_every_number_that_acts_is_measured_or_says_why_not(feature: Feature) -> None:
    row, base = row_of(feature), feature.property.rpartition(":")[2]
    if feature.property in NO_EXPERIMENT:
        assert (row.effective, row.verdict) == (None, "not evaluated")
        assert row.reason
    else:
        expected = float(feature.value) + SLACK.get(base, 0.0)
        assert row.ideal == pytest.approx(expected, rel=DIGITS)
        assert row.verdict == ("altered" if base in SLACK or feature.property in UNFINISHED else "as authored")
        if feature.property not in UNFINISHED:
            assert row.effective == pytest.approx(expected, rel=DIGITS)


@pytest.mark.parametrize("feature", numbers(losing=True), ids=lambda feature: f"{named(feature)} {feature.value}")
def test_every_number_of_a_limit_that_physx_refuses_says_why_it_is_lost(feature: Feature) -> None:
    own = {feature.property, *(name.rpartition(" ")[2] for name, _ in feature.besides)}
    rows = [row for row in verified(feature).rows if row.path == "/World/j" and row.property in own]
    assert {row.property for row in rows} == own
    assert {(row.effective, row.ideal, row.verdict) for row in rows} == {(None, None, "ignored")}
    lost = "PhysX refuses the whole limit: " + " ".join((feature.property.rpartition(":")[2], REFUSING[feature.value]))
    turned = feature.kind in ("revolute", "generic")
    assert {row.reason for row in rows} == {f"{lost}; {QUARTERS}" if turned else lost}


@pytest.mark.parametrize(("swing", "lost"), [("rotY", False), ("rotZ", True)])
def test_both_swings_are_lost_with_the_last(swing: str, lost: bool) -> None:
    limits = {f"float limit:{axis}:physics:{name}": value for axis in ("rotY", "rotZ")
              for name, value in (("low", "-10"), ("high", "20"))}
    applied = ("PhysxLimitAPI:" + swing, "PhysicsLimitAPI:rotY")
    both = Feature("generic", f"float physxLimit:{swing}:restitution", "1.5", ACTS, applied, tuple(limits.items()))
    rows = [row for row in verified(both).rows if row.property.startswith(("limit:rotY", "limit:rotZ"))]
    assert len(rows) == len(limits)
    assert {row.verdict for row in rows} == {"ignored" if lost else "as authored"}
    assert {row.effective is None for row in rows} == {lost}


def test_the_gains_of_a_soft_limit_are_lost_with_it() -> None:
    limits = (("float physics:lowerLimit", "-5"), ("float physics:upperLimit", "5"),
              ("float physxLimit:angular:stiffness", "3"), ("float physxLimit:angular:damping", "2"))
    soft = Feature("revolute", "float physxLimit:angular:restitution", "1.5", ACTS, ("PhysxLimitAPI:angular",), limits)
    rows = [row for row in verified(soft).rows if row.property in {name.rpartition(" ")[2] for name, _ in limits}]
    assert len(rows) == len(limits)
    assert {(row.effective, row.verdict) for row in rows} == {(None, "ignored")}
    assert {row.reason for row in rows} == {f"PhysX refuses the whole limit: restitution 1.5 is above 1; {QUARTERS}"}


# The row of the solver that a property becomes, by the end of its name.
ROWS = {
    "stiffness": "stiffness", "damping": "damping", "maxForce": "max_force", "targetPosition": "target_position",
    "targetVelocity": "target_velocity", "lowerLimit": "lower_limit", "upperLimit": "upper_limit",
    "breakForce": "break_force", "breakTorque": "break_torque", "coneAngle0Limit": "cone_angle",
    "coneAngle1Limit": "cone_angle", "minDistance": "minimum_distance", "maxDistance": "maximum_distance",
    "springStiffness": "spring_stiffness", "springDamping": "spring_damping", "gearRatio": "ratio", "ratio": "ratio",
    "restitution": "restitution", "bounceThreshold": "bounce_threshold", "low": "lower_limit", "high": "upper_limit",
}
ERROR = 1.1
# Of a planted error of 10 %, what is found differs by no more, as a spring is held a little off its limit.
SEEN = 0.01


def row_read(feature: Feature) -> str:
    """The row group of the solver that a property becomes."""
    row = ROWS[feature.property.rpartition(":")[2]]
    if feature.property.startswith("physxLimit:cone:"):
        return f"cone_{row}"
    if ":distance:" in feature.property:
        return "distance_limit" if row == "upper_limit" else f"distance_limit_{row}"
    return f"limit_{row}" if feature.property.startswith("physxLimit:") and row in ("stiffness", "damping") else row


@pytest.mark.parametrize("feature", [feature for feature in numbers()
                                     if feature.property not in NO_EXPERIMENT and feature.value != "0"], ids=named)
def test_a_solver_that_reads_a_number_a_tenth_too_large_is_found_out(
        feature: Feature, monkeypatch: pytest.MonkeyPatch) -> None:
    base, step = feature.property.rpartition(":")[2], IslandWorlds.step

    def wrong(worlds: IslandWorlds, steps: int, n: int, v: int) -> None:
        wanted = f"_{row_read(feature)}_0"
        names = [name.removesuffix("_0") for name in worlds.layout
                 if name.endswith(wanted) and name.startswith("joint") and name.split("_", 1)[1] == wanted[1:]]
        true = {name: worlds.rows(name) for name in names}
        for name, values in true.items():
            worlds.write(name, ERROR * values)
        step(worlds, steps, n, v)
        for name, values in true.items():
            worlds.write(name, values)

    slack, right = SLACK.get(base, 0.0), row_of(feature)
    monkeypatch.setattr(IslandWorlds, "step", wrong)
    row, = (row for row in verify(opened(feature.stage(feature.value))).rows
            if (row.path, row.property) == ("/World/j", feature.property))
    before, after = (found.ideal if feature.property in UNFINISHED else found.effective for found in (right, row))
    assert row.verdict == "altered"
    assert isinstance(before, float)
    assert isinstance(after, float)
    assert after - slack == pytest.approx(ERROR * (before - slack), rel=SEEN)
