"""Which tendons and mimic joints the reader makes of a stage, and in what order: facts measured in real PhysX."""

from __future__ import annotations

import pytest
from support.stages.robots import opened
from support.stages.tendon_stages import LIMITS, Part, Tree, attachment, axis, both, mimic

from physx_schema.checking import check
from physx_schema.description import Articulation, Description, describe

CHAIN = {"a": "", "b": "a", "c": "b"}
ROOT = attachment("r", -5.0, stiffness=10.0)
BASE = ("base", "r")


def read(tree: Tree) -> Description:
    return describe(opened(tree.text()))


def only(tree: Tree) -> Articulation:
    return read(tree).articulations[0]


def chain(kinds: dict[str, str] | None = None, **joints: Part) -> Tree:
    return Tree(CHAIN, joints, kinds=kinds or {})


def members(tree: Tree) -> list[tuple[str, list[str]]]:
    """Root joint and joints of every fixed tendon."""
    return [(tendon.path.rpartition("/")[2], [item.path.rpartition("/")[2] for item in tendon.axes])
            for tendon in only(tree).fixed_tendons]


def leaves(tree: Tree) -> list[str]:
    """Link and name of every leaf, in the order of solving."""
    return [f"{item.path.rpartition('/')[2]}.{item.name}" for tendon in only(tree).spatial_tendons
            for item in tendon.attachments if item.leaf]


def codes(tree: Tree) -> list[tuple[str, str]]:
    return [(problem.code, problem.path) for problem in read(tree).problems]


# --- order ---


def test_fixed_tendons_are_ordered_by_kind_and_path_of_their_root_joint() -> None:
    tree = Tree({"b2": "", "b10": "", "a": "", "z": ""}, {name: axis(root=True) for name in ("b2", "b10", "a", "z")},
                kinds={"z": "Revolute"})
    assert [root for root, _ in members(tree)] == ["jz", "ja", "jb10", "jb2"]


def test_fixed_tendons_of_one_joint_are_ordered_by_name() -> None:
    tree = chain(a=both(axis("k", root=True), axis("K", root=True), axis("_", root=True)))
    assert [tendon.name for tendon in only(tree).fixed_tendons] == ["K", "_", "k"]


def test_mimic_joints_are_ordered_by_kind_and_path_of_the_follower() -> None:
    tree = Tree({"a": "", "b": "a", "c": "b", "z": "c"}, {
        "b": LIMITS, "c": mimic("jb", gearing=1.0), "a": mimic("jb", gearing=1.0), "z": mimic("jb", gearing=1.0)},
        kinds={"z": "Revolute"})
    assert [item.path for item in only(tree).mimics] == ["/Robot/jz", "/Robot/ja", "/Robot/jc"]


def test_spatial_tendons_are_ordered_by_path_backwards_and_then_by_name() -> None:
    root = {name: attachment(name, 0.0, stiffness=1.0) for name in ("k", "K", "q")}
    tree = Tree(CHAIN, links={"a": root["q"], "b": both(root["k"], root["K"])})
    assert [(item.path, item.name) for item in only(tree).spatial_tendons] == [
        ("/Robot/b", "K"), ("/Robot/b", "k"), ("/Robot/a", "q")]


def test_leaves_come_before_other_attachments_of_their_link_and_links_backwards() -> None:
    tree = Tree(CHAIN, links={
        "": ROOT, "a": attachment("x", 0.0, BASE, leaf=True),
        "b": both(attachment("a", 0.0, BASE), attachment("z", 0.0, BASE, leaf=True)),
        "c": attachment("f", 0.0, ("b", "a"), leaf=True)})
    assert leaves(tree) == ["b.z", "c.f", "a.x"]


# --- fixed tendons ---


def test_a_root_axis_below_another_makes_a_second_tendon_on_its_joint() -> None:
    tree = chain(a=axis(root=True), b=axis(root=True), c=axis())
    assert members(tree) == [("ja", ["ja", "jb", "jc"]), ("jb", ["jb"])]
    assert codes(tree) == [("tendon/second-root", "/Robot/jb")]


def test_a_root_axis_made_first_cuts_off_the_tendon_above_it() -> None:
    tree = Tree({"z": "", "a": "z", "m": "a"}, {"z": axis(root=True), "a": axis(root=True), "m": axis()})
    assert members(tree) == [("ja", ["ja", "jm"]), ("jz", ["jz"])]
    assert codes(tree) == [("tendon/second-root", "/Robot/ja")]


def test_tendons_of_one_name_side_by_side_are_no_problem() -> None:
    tree = Tree({"a": "", "b": "", "c": "b"}, {"a": axis(root=True), "b": axis(root=True), "c": axis()})
    assert members(tree) == [("ja", ["ja"]), ("jb", ["jb", "jc"])]
    assert codes(tree) == []


def test_a_root_axis_wins_over_an_axis_of_its_name() -> None:
    tree = chain(a=both(axis(), axis(root=True)))
    assert members(tree) == [("ja", ["ja"])]
    assert codes(tree) == [("tendon/shared-prefix", "/Robot/ja")]


@pytest.mark.parametrize("root", [False, True])
def test_an_axis_on_a_fixed_joint_is_an_error_and_cuts_off_what_is_below(root: bool) -> None:
    tree = chain({"b": "Fixed"}, a=axis(root=True), b=axis(root=root), c=axis())
    assert members(tree) == [("ja", ["ja"])]
    assert codes(tree) == [("tendon/joint-type", "/Robot/jb"), ("tendon/axis-dropped", "/Robot/jc")]


def test_a_joint_with_gearing_0_passes_the_tendon_on() -> None:
    tree = chain(a=axis(root=True), b=axis(gearing=[0.0], force=[0.0]), c=axis())
    assert members(tree) == [("ja", ["ja", "jb", "jc"])]


# --- spatial tendons ---


def test_a_path_without_leaf_pulls_with_rest_length_0_and_no_limits() -> None:
    tree = Tree(CHAIN, links={"": ROOT, "a": attachment("v", 0.0, BASE)})
    end = only(tree).spatial_tendons[0].attachments[1]
    assert (end.leaf, end.rest_length, end.lower_limit, end.upper_limit) == (True, 0.0, float("-inf"), float("inf"))
    assert codes(tree) == [("tendon/no-leaf", "/Robot/a")]


def test_a_root_attachment_alone_is_no_leaf() -> None:
    tree = Tree(CHAIN, links={"": ROOT})
    assert leaves(tree) == []
    assert codes(tree) == [("tendon/no-leaf", "/Robot/base")]


def test_limit_stiffness_on_a_path_without_leaf_is_not_called_idle() -> None:
    tree = Tree(CHAIN, links={"": attachment("r", 0.0, limitStiffness=5.0), "a": attachment("v", 1.0, BASE)})
    codes = [item.code for item in check(opened(tree.text())).findings]
    assert "tendon/no-leaf" in codes
    assert not [code for code in codes if code.startswith("unused")]


@pytest.mark.parametrize("swapped", [False, True])
def test_a_leaf_wins_over_an_attachment_between_of_its_name(swapped: bool) -> None:
    parts = [attachment("x", 0.0, BASE, leaf=True), attachment("x", 0.0, BASE)]
    tree = Tree(CHAIN, links={"": ROOT, "a": both(*(reversed(parts) if swapped else parts))})
    assert leaves(tree) == ["a.x"]
    assert codes(tree) == [("tendon/shared-prefix", "/Robot/a")]


@pytest.mark.parametrize("swapped", [False, True])
def test_a_root_attachment_wins_over_a_leaf_of_its_name(swapped: bool) -> None:
    parts = [attachment("x", 0.0, BASE, leaf=True), attachment("x", 0.0)]
    tree = Tree(CHAIN, links={"": ROOT, "a": both(*(reversed(parts) if swapped else parts))})
    assert [item.name for item in only(tree).spatial_tendons] == ["r", "x"]


@pytest.mark.parametrize("parent", ["a/frame", "c"])
def test_only_the_parent_link_itself_counts(parent: str) -> None:
    tree = Tree(CHAIN, links={"": ROOT, "a": attachment("v", 0.0, BASE),
                              "b": attachment("f", 0.0, (parent, "v"), leaf=True)})
    assert leaves(tree) == ["a.v"]
    assert ("tendon/no-parent", "/Robot/b") in codes(tree)
