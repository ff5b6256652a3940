"""Which joints outside articulations close loops, and why they are outside."""

from __future__ import annotations

import pytest
from support.stages.robots import base, described, joint, link, robot

from physx_schema.description.bodies import looped_joints, why_not_in_articulation

EXCLUDED = {"bool physics:excludeFromArticulation": True}
KINEMATIC = {"bool physics:kinematicEnabled": True}
ARM = (base(), link("a"), joint("Revolute", "j0", "base", "a"))
LOOSE = (link("x"), link("y"), link("z"))


def chain(*pairs: tuple[str, str], kind: str = "Revolute") -> str:
    """Joints k0, k1, ... between loose bodies."""
    return "".join(joint(kind, f"k{i}", first, second) for i, (first, second) in enumerate(pairs))


@pytest.mark.parametrize(("pairs", "looped"), [
    ((("x", "y"), ("y", "z")), ""), ((("x", "y"), ("y", "z"), ("z", "x")), "012"),
    ((("", "x"), ("x", "y"), ("y", "")), "012"), ((("x", "y"), ("x", "y"), ("y", "z")), "01"),
    ((("", "x"), ("x", "y"), ("x", "y"), ("", "z")), "12"), ((("k", "x"), ("x", "y"), ("y", "")), "012"),
])
def test_joints_that_hold_what_is_held_without_them_are_in_a_loop(
    pairs: tuple[tuple[str, str], ...], looped: str,
) -> None:
    found = described(robot(*LOOSE, link("k", more=KINEMATIC), chain(*pairs), schemas=()))
    assert looped_joints(found) == {f"/Robot/k{i}" for i in looped}


def test_a_joint_between_links_of_one_articulation_is_a_loop() -> None:
    found = described(robot(*ARM, link("b"), joint("Revolute", "j1", "a", "b"), joint("Fixed", "k", "base", "b", (),
                                                                                     EXCLUDED)))
    assert looped_joints(found) == {"/Robot/k"}


def test_distance_joints_close_no_loop() -> None:
    found = described(robot(*LOOSE, chain(("x", "y"), ("y", "z")), joint("Distance", "rod", "x", "z"), schemas=()))
    assert looped_joints(found) == frozenset()


@pytest.mark.parametrize(("parts", "why"), [
    ((*ARM, link("b"), joint("Revolute", "j1", "a", "b"), joint("Fixed", "k", "base", "b", (), EXCLUDED)),
     "physics:excludeFromArticulation is set"),
    ((*ARM, joint("Revolute", "j1", "base", "a"), joint("Revolute", "k", "base", "a")),
     "another joint already connects the same links"),
    ((*ARM, joint("Prismatic", "k", "", "a")), "another joint already fixes the base"),
    ((*ARM, joint("Distance", "k", "base", "a")), "articulations cannot contain distance joints"),
])
def test_why_a_joint_is_outside_its_articulation(parts: tuple[str, ...], why: str) -> None:
    found = described(robot(*parts))
    outside, = found.joints
    assert why_not_in_articulation(found, outside) == why


def test_loose_bodies_are_no_links() -> None:
    found = described(robot(*LOOSE, chain(("x", "y")), schemas=()))
    assert why_not_in_articulation(found, found.joints[0]) == "neither end of the joint is a link of an articulation"
