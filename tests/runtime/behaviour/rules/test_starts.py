"""How stages start: joints outside their limits, links in each other, bodies in the ground."""

from __future__ import annotations

import re

import pytest
from support.stages.driven_arms import arm, repaired
from support.stages.robots import base, joint, link, opened, placed, prim, robot

from physx_schema.checking import Finding, check


def findings(text: str) -> list[Finding]:
    return [item for item in check(opened(text), "behaviour").findings if item.severity != "info"]


@pytest.mark.parametrize("state", [None, 0.0, 70.0])
@pytest.mark.parametrize("axis", ["X", "Z"])
def test_joint_outside_its_limits_is_found_with_and_without_a_state(axis: str, state: float | None) -> None:
    text = arm("Revolute", axis, state=state, limits=(10.0, 50.0), stiffness=1000.0, damping=100.0, targetPosition=30.0)
    (item,) = findings(text)
    assert (item.code, item.path) == ("behaviour/start-outside", "/Robot/j")
    assert f"starts at {state or 0:g} degrees" in item.message
    assert findings(repaired(opened(text), [item])) == []


def test_slider_outside_its_limits_is_found_in_centimetres() -> None:
    text = arm("Prismatic", "X", meters=0.01, limits=(20.0, 50.0), stiffness=1e4, damping=1e3, targetPosition=30.0)
    (item,) = findings(text)
    assert "starts at 0 cm" in item.message and "20 cm to 50 cm" in item.message


def test_state_within_the_limits_has_no_finding() -> None:
    text = arm("Revolute", "Z", state=30.0, limits=(10.0, 50.0), stiffness=1000.0, damping=100.0, targetPosition=30.0)
    assert findings(text) == []


# --- overlaps --------------------------------------------------------------------------------------------------------

def cube(size: float, *place: float) -> str:
    """A cube as a hull of a mesh has the same contacts."""
    return prim("Cube", "shape", ("PhysicsCollisionAPI",), {"double size": size, **placed(place or (0.0, 0.0, 0.0))})


def hull(size: float, *place: float) -> str:
    """A box of points whose hull PhysX cooks."""
    half = size / 2.0
    points = [(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)]
    faces = [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3]
    return prim("Mesh", "shape", ("PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"), {
        "point3f[] points": points, "int[] faceVertexCounts": [4] * 6, "int[] faceVertexIndices": faces,
        "uniform token physics:approximation": "convexHull", **placed(place)})


def fingers(first: str, second: str, meters: float = 1.0, schemas: tuple[str, ...] = ()) -> str:
    """Two links that slide on a base, each with a collider."""
    slides = "".join(joint("Prismatic", f"to_{name}", "base", name, (), {"uniform token physics:axis": "X"})
                     for name in ("left", "right"))
    return robot(base(), link("left", children=first), link("right", children=second), slides, meters=meters,
                 schemas=("PhysicsArticulationRootAPI", *schemas))


@pytest.mark.parametrize(("shape", "meters"), [(cube, 1.0), (hull, 1.0), (hull, 0.01)])
def test_links_in_each_other_are_found_with_their_depth(shape: object, meters: float) -> None:
    make = shape if callable(shape) else cube
    size = 0.2 / meters
    text = fingers(make(size, 0.0, 0.0, 0.0), make(size, 0.9 * size, 0.0, 0.0), meters)
    (item,) = findings(text)
    assert (item.code, item.path) == ("behaviour/start-overlap", "/Robot/left")
    depth = float(re.findall(r"the body starts ([\d.]+) c?m deep in /Robot/right", item.message)[0])
    assert depth == pytest.approx(0.02 / meters, rel=0.01)


def test_links_that_touch_at_a_face_are_no_overlap() -> None:
    assert findings(fingers(cube(0.2), cube(0.2, 0.2, 0.0, 0.0))) == []


def test_links_of_a_robot_without_self_collision_are_no_overlap() -> None:
    text = fingers(cube(0.2), cube(0.2, 0.1, 0.0, 0.0), schemas=("PhysxArticulationAPI",)).replace(
        'def Xform "Robot"', 'def Xform "Robot"').replace(
        'def Xform "base"', 'bool physxArticulation:enabledSelfCollisions = 0\ndef Xform "base"', 1)
    assert findings(text) == []


def crate(height: float, up: str = "Z", meters: float = 1.0) -> str:
    """A crate of 0.4 m with its middle at a height in metres over a plane."""
    place = {"Z": (0.0, 0.0, height / meters), "Y": (0.0, height / meters, 0.0)}[up]
    body = prim("Xform", "crate", ("PhysicsRigidBodyAPI",), placed(place), cube(0.4 / meters))
    ground = prim("Plane", "ground", ("PhysicsCollisionAPI",), {"uniform token axis": up})
    text = robot(body, ground, schemas=(), meters=meters)
    return text.replace('upAxis = "Z"', f'upAxis = "{up}"')


@pytest.mark.parametrize(("up", "meters", "figure"), [("Z", 1.0, "0.05 m"), ("Y", 0.01, "5 cm")])
def test_body_in_the_ground_is_to_be_lifted_by_its_depth(up: str, meters: float, figure: str) -> None:
    (item,) = findings(crate(0.15, up, meters))
    assert (item.code, item.path) == ("behaviour/in-ground", "/Robot/crate")
    assert f"move the body up by {figure}" in item.fix


@pytest.mark.parametrize("up", ["Z", "Y"])
def test_body_lifted_by_its_depth_has_no_finding(up: str) -> None:
    assert findings(crate(0.2, up)) == []
