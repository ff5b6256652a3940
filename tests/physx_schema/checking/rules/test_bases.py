"""What fixes the base of an articulation, which link it is, and robots whose root link is no body."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from support.stages.parts import ROOT_API, drive, frames, limit
from support.stages.robots import base, joint, link, opened, prim, robot

from physx_schema.checking import Finding, check
from physx_schema.checking.engine.layer_editor import fix

FIXED, CHOSEN, EMPTY = "articulation/fixed-base-joint", "articulation/root-chosen", "articulation/empty-root-link"


def found(text: str, code: str) -> list[Finding]:
    return [item for item in check(opened(text)).findings if item.code == code]


ARM = link("arm") + joint("Revolute", "j", "base", "arm")


@pytest.mark.parametrize(("kind", "name"), [
    ("Revolute", "revolute"), ("Prismatic", "prismatic"), ("Spherical", "spherical"), ("", "generic")])
@pytest.mark.parametrize("on_joint", [False, True])
def test_a_joint_from_the_world_that_moves_fixes_the_base(kind: str, name: str, on_joint: bool) -> None:
    root = (ROOT_API,)
    text = robot(link("base"), joint(kind, "turn", "", "base", root if on_joint else ()), ARM,
                 schemas=() if on_joint else root)
    items = found(text, FIXED)
    assert [(item.path, item.severity) for item in items] == [("/Robot/turn", "warning")]
    assert f"a {name} joint" in items[0].message and "add a body between the world and " in items[0].fix


def test_a_body_fixed_to_the_world_between_is_the_remedy() -> None:
    text = robot(link("rail"), joint("Fixed", "stand", "", "rail"), link("base"),
                 joint("Prismatic", "slide", "rail", "base"), ARM)
    assert not found(text, FIXED)


def test_a_base_that_a_fixed_joint_holds_is_none() -> None:
    assert not found(robot(base(), ARM), FIXED)


def test_a_generic_joint_that_locks_everything_is_a_fixed_one() -> None:
    axes = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
    values = {key: value for axis in axes for key, value in limit(axis, 1.0, -1.0).items()}
    schemas = tuple(f"PhysicsLimitAPI:{axis}" for axis in axes)
    assert not found(robot(link("base"), joint("", "weld", "", "base", schemas, values), ARM), FIXED)


def test_a_rope_to_the_world_is_to_be_excluded() -> None:
    items = found(robot(link("base"), joint("Distance", "rope", "", "base"), ARM), FIXED)
    assert items[0].fix.startswith("set physics:excludeFromArticulation to true")
    excluded = joint("Distance", "rope", "", "base", (), {"bool physics:excludeFromArticulation": True})
    assert not found(robot(link("base"), excluded, ARM), FIXED)


def test_one_finding_counts_what_the_joint_authors() -> None:
    values = {**frames(axis="X", lowerLimit=-2.0, upperLimit=2.0), **drive("linear", damping=100.0, targetVelocity=1.0)}
    text = robot(link("base"), joint("Prismatic", "slide", "", "base", ("PhysicsDriveAPI:linear",), values), ARM)
    items = [item for item in check(opened(text)).findings if item.path == "/Robot/slide"]
    assert [item.code for item in items] == [FIXED]
    assert "PhysX ignores" in items[0].message


def test_a_side_that_is_no_body_is_to_be_repaired_first() -> None:
    text = robot(prim("Xform", "rail"), link("base"), joint("Prismatic", "slide", "rail", "base"), ARM)
    assert "repair the finding on physics:body0" in found(text, FIXED)[0].fix


# --- roots -----------------------------------------------------------------------------------------------------------

def chain(*names: str, schemas: tuple[str, ...] = (), reverse: bool = False) -> str:
    """Links in a row; `schemas` are those of the first."""
    pairs = list(pairwise(names))
    return "".join(link(name, schemas=schemas if name == names[0] else ()) for name in names) + "".join(
        joint("Revolute", f"j_{second}", *((second, first) if reverse else (first, second))) for first, second in pairs)


def test_a_root_in_the_middle_of_a_floating_tree_that_is_not_the_base_is_found() -> None:
    items = found(robot(chain("cart", "a", "b", "c", "d")), CHOSEN)
    assert [item.path for item in items] == ["/Robot"]
    assert "/Robot/b as root link" in items[0].message
    assert "PhysicsArticulationRootAPI and PhysxArticulationAPI from /Robot to /Robot/cart" in items[0].fix


@pytest.mark.parametrize("text", [
    robot(chain("cart", "a", "b", "c", "d", schemas=(ROOT_API,)), schemas=()),
    robot(chain("cart", "tip")),
    robot(chain("cart", "a", "b") + joint("Fixed", "anchor", "", "cart")),
    robot(chain("a", "b", "c", "d", "e") + joint("Revolute", "k", "e", "a", (), {
        "bool physics:excludeFromArticulation": True}) + link("f") + joint("Revolute", "l", "f", "c")),
    robot(link("hub") + "".join(link(f"w{i}") + joint("Revolute", f"j{i}", "hub", f"w{i}") for i in range(4))),
], ids=["API on the base", "two links", "fixed base", "two beginnings", "the base is the middle"])
def test_a_root_that_is_the_base_is_not(text: str) -> None:
    assert not found(text, CHOSEN)


def test_the_base_is_where_the_joints_lead_from_whatever_its_mass() -> None:
    assert "starts at /Robot/d" in found(robot(chain("a", "b", "c", "d", reverse=True)), CHOSEN)[0].message


# --- root links that are no body -------------------------------------------------------------------------------------

def test_a_robot_that_a_converter_fixes_to_the_world_may_be_let_go() -> None:
    text = robot(link("trunk", schemas=(ROOT_API,)), joint("Fixed", "root_joint", "", "trunk"), link("leg"),
                 joint("Revolute", "hip", "trunk", "leg"), schemas=())
    assert "set physics:jointEnabled to false on /Robot/root_joint" in found(
        text, "articulation/world-joint-outside")[0].fix


def rover(root: str = "base_footprint", above: bool = True, upper: float | None = None, target: str = "") -> str:
    """A cart with a wheel, fixed to an Xform beside it."""
    limits = {} if upper is None else frames(lowerLimit=-upper, upperLimit=upper)
    own = () if above else (ROOT_API,)
    return robot(prim("Xform", root), link("cart", schemas=own), joint("Fixed", "stand", target or root, "cart"),
                 link("wheel"), joint("Revolute", "axle", "cart", "wheel", (), limits),
                 schemas=(ROOT_API,) if above else ())


@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize(("root", "upper"), [("base_footprint", None), ("base_footprint", 40.0), ("Footprint", None)])
def test_a_mobile_robot_on_an_empty_root_link_is_held(root: str, upper: float | None, above: bool) -> None:
    text = rover(root, above, upper)
    items = found(text, EMPTY)
    assert [(item.path, item.severity) for item in items] == [("/Robot/stand", "warning")]
    assert f"root link {root} is not a rigid body" in items[0].message
    codes = {item.code for item in check(opened(text)).findings}
    assert not codes & {"joint/no-body", "articulation/world-joint-outside"}, "one cause, one finding"


def test_an_arm_on_a_pedestal_is_meant_to_stand() -> None:
    assert not found(rover("pedestal", upper=90.0), EMPTY)
    forearm = link("forearm") + joint("Revolute", "elbow", "wheel", "forearm")
    assert not found(rover("pedestal").replace('def Xform "wheel"', forearm + 'def Xform "wheel"', 1), EMPTY)


def test_wheels_tell_a_mobile_robot_by_any_name() -> None:
    second = link("other") + joint("Revolute", "axle2", "cart", "other")
    one, two = rover("plate"), rover("plate").replace('def Xform "wheel"', second + 'def Xform "wheel"', 1)
    assert [item.severity for item in found(one, EMPTY)] == ["info"], "a turntable has one too"
    assert [item.severity for item in found(two, EMPTY)] == ["warning"]


def test_a_turntable_on_a_static_collider_is_meant_to_stand() -> None:
    table = 'def Cube "table" (prepend apiSchemas = ["PhysicsCollisionAPI"])'
    assert not found(rover("table").replace('def Xform "table"', table), EMPTY)


def test_links_inside_a_root_link_are_held_by_the_robots_root_prim() -> None:
    """As converters of URDF write it: the joint names the robot, and the root link is a prim around the others."""
    links = link("cart", schemas=(ROOT_API,)) + link("wheel")
    inner = prim("Xform", "Geometry", (), {}, prim("Xform", "base_footprint", (), {}, links))
    home = "Geometry/base_footprint"
    stand = joint("Fixed", "stand", "", f"{home}/cart", (), {"rel physics:body0": "</Robot>"})
    text = robot(inner, stand, joint("Revolute", "axle", f"{home}/cart", f"{home}/wheel"), schemas=())
    assert "base_footprint is not a rigid body" in found(text, EMPTY)[0].message


def test_a_robots_root_prim_that_holds_the_links_itself_is_the_world() -> None:
    text = robot(link("cart"), joint("Fixed", "stand", "", "cart", (), {"rel physics:body0": "</Robot>"}),
                 link("wheel"), joint("Revolute", "axle", "cart", "wheel"))
    assert not found(text, EMPTY)


def test_the_repair_lets_the_robot_float() -> None:
    repaired = fix(opened(rover()), check, unsafe=True)
    assert EMPTY in {item.code for item in repaired.repaired}
    assert EMPTY not in {item.code for item in repaired.report.findings}


def test_several_joints_to_one_root_link_are_one_finding_without_repair() -> None:
    cover = link("cover") + joint("Fixed", "lid", "base_footprint", "cover") + joint("Revolute", "h", "cart", "cover")
    items = found(rover().replace('def Xform "wheel"', cover + 'def Xform "wheel"', 1), EMPTY)
    assert [item.repair for item in items] == [None]
    assert "/Robot/lid" in items[0].fix and "jointEnabled" not in items[0].fix


# --- switched off ----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("flag", "count"), [("0", 1), ("1", 0)])
def test_a_switched_off_articulation_is_found(flag: str, count: int) -> None:
    text = robot(base(), ARM, schemas=(ROOT_API, "PhysxArticulationAPI")).replace(
        'def Xform "base"', f'bool physxArticulation:articulationEnabled = {flag}\ndef Xform "base"', 1)
    items = found(text, "articulation/disabled")
    assert len(items) == count
    assert not items or items[0].property == "physxArticulation:articulationEnabled"


@pytest.mark.parametrize(("name", "code", "words"), [
    ("02a_simulate_crash_articulation_off", "articulation/disabled", "articulationEnabled"),
    ("04a_turntable_root", FIXED, "fixes the base"), ("04b_ball_root", FIXED, "fixes the base"),
    ("04e_cart_root", FIXED, "fixes the base"), ("12_root_is_not_the_base", CHOSEN, "arm2"),
    ("tiago_targets", EMPTY, "base_footprint is not a rigid body")])
def test_reported_stages(shared_cases: Path, name: str, code: str, words: str) -> None:
    items = [item for item in check(shared_cases / "said" / f"{name}.usda").findings if item.code == code]
    assert [words in item.message for item in items] == [True]
