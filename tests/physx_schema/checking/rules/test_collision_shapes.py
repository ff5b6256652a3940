"""Bodies that are seen and collide with nothing, and hollow meshes that collide as their hulls.

What comes to rest where is from experiments/measure_plausibility.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.stages.robots import base, joint, opened, prim, robot

from physx_schema.checking import check

BODY = ("PhysicsRigidBodyAPI", "PhysicsMassAPI")
MASS = {"float physics:mass": 1.0, "float3 physics:diagonalInertia": (1.0, 1.0, 1.0)}
COLLIDER, APPROXIMATION = "PhysicsCollisionAPI", "uniform token physics:approximation"
CUBE = [(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]
SIDES = [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3]      # the last is the upper one
CORNERS = {"L": [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], "hexagon": [(0, 0), (2, 0), (3, 1), (2, 2), (0, 2),
                                                                             (-1, 1)]}


def box_mesh(sides: int = 6, scale: tuple[float, ...] = (1, 1, 1)) -> dict[str, object]:
    """A cube of some of its sides."""
    return {"point3f[] points": list(CUBE), "int[] faceVertexCounts": [4] * sides,
            "int[] faceVertexIndices": SIDES[:4 * sides], "float3 xformOp:scale": scale,
            "uniform token[] xformOpOrder": ["xformOp:scale"]}


def prism(name: str) -> dict[str, object]:
    """A prism over a polygon."""
    ring, count = CORNERS[name], len(CORNERS[name])
    sides = [index for i in range(count) for index in (i, (i + 1) % count, (i + 1) % count + count, i + count)]
    return {"point3f[] points": [(x, y, z) for z in (0, 1) for x, y in ring],
            "int[] faceVertexCounts": [count, count] + [4] * count,
            "int[] faceVertexIndices": [*reversed(range(count)), *range(count, 2 * count), *sides]}


def moving(mesh: dict[str, object], approximation: str | None = "none", **more: object) -> str:
    """A body that is a mesh."""
    token = {} if approximation is None else {APPROXIMATION: approximation}
    return robot(prim("Mesh", "tray", (*BODY, COLLIDER, "PhysicsMeshCollisionAPI"), {
        **MASS, **mesh, **token, **more}), schemas=())


def found(text: str, code: str, profile: str = "physx+simready") -> dict[str, str]:
    return {item.path: item.severity for item in check(opened(text), profile).findings if item.code == code}


def hulls(text: str) -> dict[str, str]:
    return found(text, "collider/hull-for-mesh")


# --- hulls -----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("approximation", ["none", "meshSimplification", "Hull", None])
def test_an_open_mesh_of_a_moving_body_collides_as_its_hull(approximation: str | None) -> None:
    assert hulls(moving(box_mesh(5), approximation)) == {"/Robot/tray": "warning"}


@pytest.mark.parametrize("approximation", ["convexHull", "convexDecomposition", "sdf", "boundingCube", "sphereFill"])
def test_an_approximation_that_physx_makes_is_not_reported(approximation: str) -> None:
    assert hulls(moving(box_mesh(5), approximation)) == {}


@pytest.mark.parametrize(("mesh", "is_found"), [
    (box_mesh(6), False), (box_mesh(5), True), (prism("L"), True), (prism("hexagon"), False),
    (box_mesh(6, (1, -2, 0.3)), False), (box_mesh(5, (1, -2, 0.3)), True), (box_mesh(5, (100, 100, 100)), True)])
def test_only_meshes_with_another_surface_than_their_hull_are_reported(
    mesh: dict[str, object], is_found: bool,
) -> None:
    assert bool(hulls(moving(mesh))) == is_found


def test_a_mesh_that_stands_or_is_kinematic_keeps_its_hollow() -> None:
    assert hulls(moving(box_mesh(5), **{"bool physics:kinematicEnabled": True})) == {}
    assert hulls(moving(box_mesh(5), **{"bool physics:rigidBodyEnabled": False})) == {}
    assert hulls(robot(prim("Mesh", "tray", (COLLIDER,), box_mesh(5)), schemas=())) == {}


def test_a_mesh_below_a_link_is_reported_at_the_collider() -> None:
    tray = prim("Xform", "geometry", (COLLIDER, "PhysicsMeshCollisionAPI"), {APPROXIMATION: "none"},
                prim("Mesh", "mesh", (), prism("L")))
    arm = prim("Xform", "arm", BODY, MASS, tray)
    assert hulls(robot(base(), arm, joint("Revolute", "j", "base", "arm"))) == {"/Robot/arm/geometry": "warning"}


def test_a_tray_of_five_boxes_is_hollow(shared_cases: Path) -> None:
    for name in ("said/tray_none.usda", "found/moving_mesh_none/stage.usda"):
        report = check(shared_cases / name)
        assert {item.path for item in report.findings if item.code == "collider/hull-for-mesh"} == {"/World/tray"}


# --- no collider -----------------------------------------------------------------------------------------------------

def seen(name: str, *schemas: str, children: str = "", **more: object) -> str:
    """A body of a cube that is rendered, which has schemas."""
    cube = prim("Cube", "cube", schemas, {"double size": 0.1, **more})
    return prim("Xform", name, BODY, MASS, children or cube)


def bare(text: str, profile: str = "physx+simready") -> dict[str, str]:
    return found(text, "body/no-collider", profile)


def test_a_body_that_is_seen_and_collides_with_nothing_is_reported() -> None:
    assert bare(robot(seen("a"), seen("b", COLLIDER), schemas=())) == {"/Robot/a": "warning"}
    assert bare(robot(base(), seen("a"), seen("b", COLLIDER), joint("Revolute", "j", "base", "a"),
                      joint("Revolute", "k", "base", "b"))) == {"/Robot/a": "warning"}


def test_a_cover_on_a_fixed_joint_is_an_info() -> None:
    assert bare(robot(base(), seen("a"), seen("b", COLLIDER), joint("Fixed", "j", "base", "a"),
                      joint("Revolute", "k", "base", "b"))) == {"/Robot/a": "info"}


def test_a_robot_without_any_collider_is_reported_once() -> None:
    links = [seen(name) for name in "abc"]
    joints = [joint("Revolute", f"j{name}", "base", name) for name in "abc"]
    floor = prim("Cube", "floor", (COLLIDER,))
    assert bare(robot(base(), *links, *joints, outside=floor)) == {"/Robot": "warning"}
    floating = seen("base"), *links, *joints
    assert bare(robot(*floating)) == {"/Robot": "warning"}


def test_a_fixed_robot_or_a_body_with_nothing_to_touch_needs_no_collider() -> None:
    assert bare(robot(base(), seen("a"), joint("Revolute", "j", "base", "a"))) == {}
    assert bare(robot(seen("a"), seen("b"), schemas=())) == {}


@pytest.mark.parametrize("more", [
    {"token visibility": "invisible"}, {"uniform token purpose": "guide"}, {"uniform token purpose": "proxy"}])
def test_geometry_that_is_not_rendered_asks_for_no_collider(more: dict[str, object]) -> None:
    assert bare(robot(seen("a", **more), seen("b", COLLIDER), schemas=())) == {}


def test_the_letter_of_the_published_rule_wants_a_collider_on_every_body() -> None:
    text = robot(prim("Xform", "frame", BODY, MASS), seen("b", COLLIDER), schemas=())
    assert bare(text) == found(text, "body/shapeless") == {}
    for profile in ("physx+driven", "simready"):
        assert found(text, "body/shapeless", profile) == {"/Robot/frame": "error"}


def test_a_collider_below_another_body_is_not_the_outer_one_s() -> None:
    inner = seen("inner", COLLIDER)
    outer = prim("Xform", "outer", BODY, MASS, prim("Cube", "cube") + inner)
    joints = joint("Revolute", "j", "base", "outer"), joint("Revolute", "k", "outer", "outer/inner")
    assert bare(robot(base(), outer, *joints)) == {"/Robot/outer": "warning"}
    assert bare(robot(base(), prim("Xform", "outer", BODY, MASS, inner), *joints)) == {}


def test_a_collider_inside_an_instance_counts() -> None:
    kind = 'class Xform "kind"\n{\n' + prim("Cube", "cube", (COLLIDER,)) + "}\n"
    inside = 'def Xform "copy" (\n    instanceable = true\n    inherits = </kind>\n)\n{\n}\n'
    floor = prim("Cube", "floor", (COLLIDER,))
    text = robot(seen("a", children=inside), seen("b", COLLIDER), schemas=(), outside=kind + floor)
    assert bare(text) == {}
    assert bare(text.replace(f'(prepend apiSchemas = ["{COLLIDER}"])', "", 2)) != {}


def test_a_published_stage_without_a_collider_is_named(shared_cases: Path) -> None:
    report = check(shared_cases / "said" / "RB_013.usda")
    assert {item.path: item.severity for item in report.findings} == {"/Robot/lower": "warning"}
    assert check(shared_cases / "said" / "finger_sound.usda").findings == ()
