"""The degrees of freedom that joints of the same two bodies leave together, by mechanics."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from physx_schema.description.articulation.freedom import (
    Hold,
    common_freedom,
    free_axes,
    instead_of,
    lock_each_other,
)
from physx_schema.description.frames import composed
from physx_schema.description.model.joint import AXES, ROTATIONS, TRANSLATIONS
from physx_schema.description.records import Pose, Vec3

ORIGIN: Vec3 = (0.0, 0.0, 0.0)
UPRIGHT = (0.0, 0.0, 0.0, 1.0)


def hold(*free: str, at: Vec3 = ORIGIN, turned: tuple[float, float, float, float] = UPRIGHT) -> Hold:
    return Hold("/j", (at, turned), tuple(axis for axis in AXES if axis in free))


def about_x(angle: float) -> tuple[float, float, float, float]:
    return math.sin(math.radians(angle) / 2.0), 0.0, 0.0, math.cos(math.radians(angle) / 2.0)


@pytest.mark.parametrize(("holds", "count"), [
    ([hold("rotX")], 1), ([hold()], 0), ([hold(*AXES)], 6), ([hold("rotX"), hold("rotY")], 0),
    ([hold("rotX"), hold(*ROTATIONS)], 1), ([hold(*ROTATIONS), hold(*ROTATIONS, at=(1.0, 0.0, 0.0))], 1),
    ([hold(*ROTATIONS), hold(*ROTATIONS, at=(1.0, 0.0, 0.0)), hold(*ROTATIONS, at=(0.0, 1.0, 0.0))], 0),
    ([hold("transX"), hold("transX", at=(0.0, 3.0, 0.0))], 1), ([hold("transX"), hold("transZ")], 0),
    ([hold("rotX", *TRANSLATIONS), hold("rotX", at=(0.0, 1.0, 0.0))], 1),
    ([hold("rotX", "transX"), hold("rotX", "transX", at=(0.0, 1.0, 0.0))], 1),
], ids=str)
def test_joints_leave_what_each_of_them_leaves(holds: list[Hold], count: int) -> None:
    assert common_freedom(holds, 1.0) == count


@given(st.floats(-3.0, 3.0), st.floats(-180.0, 180.0), st.tuples(*[st.floats(-5.0, 5.0)] * 3))
def test_the_place_of_the_body_changes_nothing(distance: float, angle: float, place: Vec3) -> None:
    """Two hinges on one line stay one hinge, wherever the body is and however it is turned."""
    body: Pose = place, about_x(angle)
    holds = [Hold("/j", composed(body, ((0.0, 0.0, along), UPRIGHT)), ("rotZ",)) for along in (0.0, distance)]
    assert common_freedom(holds, 1.0) == 1


@pytest.mark.parametrize("meters", [1.0, 0.01, 0.001])
@pytest.mark.parametrize(("apart", "count"), [(9e-4, 1), (5e-3, 0), (0.5, 0)])
def test_parallel_hinges_count_as_one_within_a_millimetre(apart: float, count: int, meters: float) -> None:
    assert common_freedom([hold("rotZ"), hold("rotZ", at=(apart / meters, 0.0, 0.0))], meters) == count


@pytest.mark.parametrize(("angle", "count"), [(0.3, 1), (2.0, 0)])
def test_hinges_within_half_a_degree_are_aligned(angle: float, count: int) -> None:
    assert common_freedom([hold("rotZ"), hold("rotZ", turned=about_x(angle))], 1.0) == count


def test_joints_that_leave_nothing_by_themselves_lock_nothing() -> None:
    assert not lock_each_other([hold(), hold()], 1.0)
    assert not lock_each_other([hold("rotX")], 1.0)
    assert lock_each_other([hold("rotX"), hold()], 1.0)


def test_frames_that_are_none_are_not_judged() -> None:
    assert not lock_each_other([hold("rotX", at=(math.nan, 0.0, 0.0)), hold("rotY")], 1.0)


@pytest.mark.parametrize("pair", [*combinations(ROTATIONS, 2)], ids=str)
def test_hinges_square_to_each_other_are_one_generic_joint(pair: tuple[str, str]) -> None:
    assert "one generic joint (PhysicsJoint)" in instead_of([hold(axis) for axis in pair], 1.0)


@pytest.mark.parametrize(("within", "words"), [
    (False, "transX, transZ and rotY free"), (True, "a body between each two of these joints, or remove")])
def test_sliders_and_a_hinge_are_one_generic_joint_outside_articulations(within: bool, words: str) -> None:
    """In articulations PhysX locks the translations of generic joints."""
    holds = [hold("transX"), hold("transZ", at=(0.0, 0.0, 2.0)), hold("rotY")]
    assert words in instead_of(holds, 1.0, within)


def test_two_hinges_about_one_axis_are_no_generic_joint() -> None:
    assert "generic" not in instead_of([hold("rotX"), hold("rotX"), hold("rotY")], 1.0)


@pytest.mark.parametrize("other", [
    hold("rotY", at=(0.0, 0.2, 0.0)), hold("transX"), hold("rotX", turned=about_x(0.0), at=(0.0, 1.0, 0.0)),
    Hold("/j", (ORIGIN, (0.0, 0.0, math.sin(0.3), math.cos(0.3))), ("rotX",)), hold(*ROTATIONS)])
def test_others_take_bodies_between(other: Hold) -> None:
    text = instead_of([hold("rotX"), other], 1.0)
    assert "generic" not in text and "a body between each two" in text


def test_axes_are_those_of_the_authored_frame() -> None:
    assert free_axes("revolute", 1) == ("rotY",)
    assert free_axes("prismatic", 2) == ("transZ",)
    assert free_axes("spherical", 0) == ROTATIONS
    assert free_axes("d6", 0, ("rotZ",)) == ("rotZ",)
    assert free_axes("fixed", 0) == ()
