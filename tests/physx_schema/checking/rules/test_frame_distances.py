"""Joint frames that stand apart outside articulations, and at the base of one."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.stages.parts import ROOT_API, frames, limit, state
from support.stages.robots import HEAD, base, joint, link, opened, placed, prim, robot

from physx_schema.checking import Finding, check

EXCLUDED = {"bool physics:excludeFromArticulation": True}
ABOUT_X_30 = (0.9659258, 0.2588190, 0.0, 0.0)       # w, x, y, z


def apart(text: str) -> list[Finding]:
    return [item for item in check(opened(text)).findings if item.code == "joint/frames-apart"]


def free(kind: str, position: tuple[float, ...], orient: tuple[float, ...] = (1, 0, 0, 0), meters: float = 1.0,
         schemas: tuple[str, ...] = (), **attributes: object) -> str:
    """A body away from the joint that holds it to the world's origin."""
    return robot(link("a", more=placed(position, orient=orient)), joint(kind, "k", "", "a", schemas, attributes),
                 schemas=(), meters=meters)


@pytest.mark.parametrize("kind", ["Fixed", "Revolute", "Spherical"])
def test_distance_of_frames_is_named_in_millimetres(kind: str) -> None:
    found = apart(free(kind, (0.3, 0.0, 0.4)))
    assert [(item.path, item.severity) for item in found] == [("/Robot/k", "warning")]
    assert "are 500 mm apart" in found[0].message


@pytest.mark.parametrize(("meters", "distance", "words"), [
    (0.01, 20.0, "200 mm (20 stage units)"), (0.001, 1.5, "1.5 mm (1.5 stage units)"), (0.0254, 10.0, "254 mm (10")])
def test_distance_counts_in_the_units_of_the_stage(meters: float, distance: float, words: str) -> None:
    assert words in apart(free("Fixed", (0.0, distance, 0.0), meters=meters))[0].message


@pytest.mark.parametrize(("meters", "distance"), [(1.0, 9e-4), (0.01, 9e-2), (0.001, 0.9)])
def test_frames_within_a_millimetre_meet(meters: float, distance: float) -> None:
    assert not apart(free("Fixed", (0.0, distance, 0.0), meters=meters))


@pytest.mark.parametrize(("axis", "position", "found"), [
    ("X", (0.97, 0.0, 0.0), False), ("Z", (0.0, 0.0, -2.0), False), ("Z", (0.0, 0.02, -2.0), True)])
def test_a_slider_is_not_apart_along_its_axis(axis: str, position: tuple[float, ...], found: bool) -> None:
    text = robot(link("a", position), joint("Prismatic", "k", "", "a", (), frames(axis=axis)), schemas=())
    assert bool(apart(text)) == found


@pytest.mark.parametrize(("axis", "found"), [("X", False), ("Y", True), ("Z", True)])
def test_a_hinge_is_not_apart_about_its_axis(axis: str, found: bool) -> None:
    text = robot(link("a", more=placed((0, 0, 0), orient=ABOUT_X_30)),
                 joint("Revolute", "k", "", "a", (), frames(axis=axis)), schemas=())
    assert [item.message.partition(" are ")[2] for item in apart(text)] == (["30 degrees apart"] if found else [])


@pytest.mark.parametrize(("locked", "found"), [((), False), (("transX",), True), (("transY", "rotZ"), False)])
def test_a_generic_joint_is_apart_along_what_it_locks(locked: tuple[str, ...], found: bool) -> None:
    values = {key: value for axis in locked for key, value in limit(axis, 1.0, -1.0).items()}
    text = free("", (0.5, 0.0, 0.0), ABOUT_X_30, 1.0, tuple(f"PhysicsLimitAPI:{axis}" for axis in locked), **values)
    assert bool(apart(text)) == found


def four_bar(height: float, position: float = 0.0) -> str:
    """Two cranks and a coupler in the plane across y, closed by an excluded hinge at a height of the second crank."""
    crank = (joint("Revolute", "ja", "base", "a", ("PhysicsJointStateAPI:angular",), {
        **frames(pos1=(0, 0, -0.25), axis="Y"), **state("angular", position)}))
    return robot(base(), link("a", (0, 0, 0.25)), crank, link("b", (0.5, 0, 0.25)),
                 joint("Revolute", "jb", "base", "b", (), frames((0.5, 0, 0), (0, 0, -0.25), axis="Y")),
                 link("c", (0.25, 0, 0.5)),
                 joint("Revolute", "jc", "a", "c", (), frames((0, 0, 0.25), (-0.25, 0, 0), axis="Y")),
                 joint("Revolute", "close", "b", "c", (), {
                     **frames((0, 0, height), (0.25, 0, 0), axis="Y"), **EXCLUDED}))


def test_a_loop_that_is_not_closed_at_the_start_is_found() -> None:
    assert not apart(four_bar(0.25))
    assert [item.path for item in apart(four_bar(0.45))] == ["/Robot/close"]


def test_links_are_where_their_joint_states_put_them() -> None:
    assert "mm" in apart(four_bar(0.25, 20.0))[0].message


@pytest.mark.parametrize(("on_base", "severity", "why"), [
    (True, "warning", "PhysX pulls the two bodies together"),
    (False, "info", "PhysX leaves the base at its authored pose")])
def test_the_joint_that_holds_a_base_is_read_by_where_the_root_is(on_base: bool, severity: str, why: str) -> None:
    root = (ROOT_API,)
    parts = [link("base", (1, 0, 1), root if on_base else ()), joint("Fixed", "fix", "", "base"), link("a", (1, 0, 1)),
             joint("Revolute", "j", "base", "a")]
    found = apart(robot(*parts, schemas=() if on_base else root))
    assert [(item.path, item.severity) for item in found] == [("/Robot/fix", severity)]
    assert "1414 mm" in found[0].message and found[0].why.startswith(why)


def test_a_frame_in_a_turned_parent_without_body_is_where_the_parent_puts_it() -> None:
    stand = prim("Xform", "stand", (), placed((0, 0, 1), orient=ABOUT_X_30))
    text = robot(stand, link("a", more=placed((0, 0, 1), orient=ABOUT_X_30)), joint("Fixed", "k", "stand", "a"),
                 schemas=())
    assert not apart(text)


def test_joints_of_a_switched_off_articulation_are_joints_outside() -> None:
    parts = base(), link("a", (0, 0, 2)), joint("Revolute", "j", "base", "a")
    text = robot(*parts, schemas=(ROOT_API, "PhysxArticulationAPI")).replace(
        'def Xform "base"', 'bool physxArticulation:articulationEnabled = 0\ndef Xform "base"', 1)
    assert [item.path for item in apart(text)] == ["/Robot/j"]
    assert "DJ.003/frames-apart" not in {item.code for item in check(opened(text)).findings}


@pytest.mark.parametrize(("anchor", "found"), [({}, True), ({"rel physics:body0": "</Robot>"}, False)])
def test_a_referenced_robot_that_is_moved_leaves_a_joint_to_the_world_behind(
    tmp_path: Path, anchor: dict[str, object], found: bool,
) -> None:
    """A joint that names the robot's root prim moves with it; one without that target stays at the world's origin."""
    parts = link("base", schemas=(ROOT_API,)), link("a"), joint("Revolute", "j", "base", "a")
    (tmp_path / "robot.usda").write_text(robot(*parts, joint("Fixed", "fix", "", "base", (), anchor), schemas=()))
    moved = prim("Xform", "here", (), placed((0, 3, 0), orient=ABOUT_X_30)).replace(
        'def Xform "here"', 'def Xform "here" (prepend references = @robot.usda@</Robot>)', 1)
    (tmp_path / "world.usda").write_text(HEAD.format(meters=0.1, kilograms=1.0) + moved)
    findings = check(tmp_path / "world.usda").findings
    assert ["300 mm (3 stage units) and 30 degrees apart" in item.message for item in findings
            if item.code == "joint/frames-apart"] == [True] * found


def test_joints_that_hold_no_frames_together_are_never_apart() -> None:
    assert not apart(free("Distance", (0.0, 0.0, 3.0)))


@pytest.mark.parametrize(("name", "words"), [
    ("05a_loop_joint_frames_apart", "200 mm"), ("05c_root_joint_frames_apart", "1414 mm"),
    ("world_joint_apart", "970 mm")])
def test_distance_on_reported_stages(shared_cases: Path, name: str, words: str) -> None:
    findings = check(shared_cases / "said" / f"{name}.usda").findings
    assert [words in item.message for item in findings if item.code == "joint/frames-apart"] == [True]


def test_sound_robot_has_frames_that_meet(shared_cases: Path) -> None:
    assert not check(shared_cases / "said/finger_sound.usda").findings
