"""Contacts as patches, and what their friction anchors remember: the rules of DyFrictionCorrelation.cpp."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime.collision.friction_patch import Patches
from physx_runtime.collision.shapes import CONTACT, PAIR, SHAPE

Array = NDArray[Any]
CORNERS = np.array([[0.2, 0.2, 0.0], [0.2, -0.2, 0.0], [-0.2, 0.2, 0.0], [-0.2, -0.2, 0.0]])
ASIDE = np.array([0.01, 0.0, 0.0])
UP, OVER = (0.0, 0.0, 1.0), (0.1, 0.0, 0.995)       # 5.7 degrees between them: two patches


class Meeting:
    """Body 0, a shape on a static one, and the contacts between them."""

    def __init__(self) -> None:
        self.patches = Patches(threshold=0.04, correlation=0.025)
        self.shapes, self.pairs = np.zeros(2, SHAPE), np.zeros(1, PAIR)
        self.shapes["body"], self.pairs["shape1"], self.pairs["creation_index"] = (0, 1), 1, 7
        self.frames = np.zeros((2, 7))
        self.frames[:, 6] = 1.0

    def touch(self, points: Any, normals: Any = UP, separation: Any = 0.0) -> Array:
        """The patches of a step."""
        contacts = np.zeros(len(points), CONTACT)
        contacts["point"], contacts["normal"], contacts["separation"] = points, normals, separation
        self.pairs["contacts"] = len(contacts)
        touching = np.zeros(int(len(contacts) > 0), np.int32)
        self.patches.correlate(self.shapes, self.pairs, touching, contacts, self.frames)
        return self.patches.rows


@pytest.fixture
def box() -> Meeting:
    return Meeting()


def test_contacts_of_one_normal_are_one_patch_in_the_order_they_come(box: Meeting) -> None:
    patches = box.touch(CORNERS)
    assert patches["points"].tolist() == [4]
    assert box.patches.contacts.tolist() == [0, 1, 2, 3]


def test_contacts_of_two_normals_are_two_patches(box: Meeting) -> None:
    patches = box.touch(CORNERS, [UP, UP, OVER, OVER])
    assert patches["points"].tolist() == [2, 2]


def test_the_newest_run_of_a_patch_comes_first(box: Meeting) -> None:
    box.touch(CORNERS[[0, 1, 2]], [UP, OVER, UP])
    assert box.patches.contacts.tolist() == [2, 0, 1]


def test_two_anchors_are_the_contacts_farthest_apart(box: Meeting) -> None:
    # 0.2 0.2 and 0.2 -0.2 first; the third is farther from the second, the fourth from neither
    patch = box.touch(CORNERS)[0]
    assert patch["anchors"] == 2
    np.testing.assert_allclose(patch["anchor0"], CORNERS[[2, 1]])


def test_contacts_beyond_the_friction_offset_get_no_anchor(box: Meeting) -> None:
    patch = box.touch(CORNERS, separation=[0.01, 0.05, 0.05, 0.05])[0]
    assert patch["anchors"] == 1


def test_a_second_anchor_is_not_put_beside_the_first(box: Meeting) -> None:
    assert box.touch([[0.0, 0.0, 0.0], [9e-5, 0.0, 0.0]])[0]["anchors"] == 1
    assert Meeting().touch([[0.0, 0.0, 0.0], [2e-4, 0.0, 0.0]])[0]["anchors"] == 2


def test_what_sticks_keeps_its_anchors_where_they_were_born(box: Meeting) -> None:
    born = box.touch(CORNERS)[0]["anchor1"].copy()
    box.frames[0, 0] = 0.01
    kept = box.touch(CORNERS + ASIDE)[0]
    np.testing.assert_array_equal(kept["anchor1"], born)


def test_what_slipped_gets_new_anchors(box: Meeting) -> None:
    box.touch(CORNERS)[0]["broken"] = 1
    moved = CORNERS + ASIDE
    np.testing.assert_allclose(box.touch(moved)[0]["anchor1"], moved[[2, 1]])


@pytest.mark.parametrize(("lift", "kept"), [(0.024, True), (0.026, False)])
def test_anchors_that_part_along_the_normal_are_given_up(box: Meeting, lift: float, kept: bool) -> None:
    born = box.touch(CORNERS)[0]["anchor1"].copy()
    box.frames[0, 2], moved = lift, CORNERS + ASIDE
    assert np.array_equal(box.touch(moved)[0]["anchor1"], born) == kept


@pytest.mark.parametrize(("degrees", "kept"), [(2.5, True), (2.6, False)])
def test_a_patch_that_turns_by_more_than_2_56_degrees_is_forgotten(box: Meeting, degrees: float, kept: bool) -> None:
    born = box.touch(CORNERS[:1])[0]["anchor1"].copy()
    box.frames[0, [3, 6]] = np.sin(np.radians(degrees) / 2), np.cos(np.radians(degrees) / 2)
    patch = box.touch(CORNERS[:1] + ASIDE * 1e-3)[0]
    assert np.array_equal(patch["anchor1"][0], born[0]) == kept


def test_two_anchors_too_close_for_what_touches_now_are_born_anew(box: Meeting) -> None:
    # the anchors' distance doubled must reach the diagonal of the contacts' bounds
    box.touch(CORNERS[:2] * 0.2)
    np.testing.assert_allclose(box.touch(CORNERS)[0]["anchor1"], CORNERS[[2, 1]])


def test_a_pair_that_parts_forgets(box: Meeting) -> None:
    box.touch(CORNERS)
    assert len(box.touch(np.zeros((0, 3)))) == 0
    moved = CORNERS + ASIDE
    np.testing.assert_allclose(box.touch(moved)[0]["anchor1"], moved[[2, 1]])


def test_another_pair_at_the_same_place_of_the_table_remembers_nothing(box: Meeting) -> None:
    box.touch(CORNERS)
    box.pairs["creation_index"] = 8
    moved = CORNERS + ASIDE
    np.testing.assert_allclose(box.touch(moved)[0]["anchor1"], moved[[2, 1]])
