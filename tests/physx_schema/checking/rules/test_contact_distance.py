"""Bodies that start in others or on much lighter ones are found where real PhysX throws them out or lets them sink.

The numbers are from experiments/measure_contact_starts.py.
"""

from __future__ import annotations

import pytest
from support.stages.contact_scenes.parts import (
    ASKEW,
    ball,
    body,
    box,
    capsule,
    ground,
    kinematic,
    rod,
    still,
    turn,
    world,
)
from support.stages.robots import opened

from physx_schema.checking import check

CUBE = box((1, 1, 1))
CODES = {"body/overlap", "body/mass-ratio"}
LIMIT, ITERATIONS = "float physxRigidBody:maxDepenetrationVelocity", "int physxRigidBody:solverPositionIterationCount"


def findings(*prims: str) -> list[tuple[str, str]]:
    """Of starts alone: code and prim."""
    return [(item.code, item.path) for item in check(opened(world(*prims))).findings if item.code in CODES]


OVERLAPS = [("body/overlap", "/World/a")]


@pytest.mark.parametrize(("depth", "told"), [(0.2, True), (0.6, True), (0.05, False), (0.001, False), (-0.1, False)])
def test_a_cube_deep_in_the_ground_is_told(depth: float, told: bool) -> None:
    """PhysX pushes it out at 3.06 m/s from 0.2 and 0.6."""
    assert findings(ground(), body("a", CUBE, (0, 0, 0.5 - depth))) == (OVERLAPS if told else [])


@pytest.mark.parametrize("limit", ["inf", "0"])
def test_what_is_flung_away_is_said(limit: str) -> None:
    """PhysX throws it out at 3400 m/s."""
    stage = world(ground(), body("a", CUBE, (0, 0, 0.3), more={LIMIT: float(limit)}))
    [found] = [item for item in check(opened(stage)).findings if item.code == "body/overlap"]
    assert found.why.startswith("PhysX throws the body out")


@pytest.mark.parametrize(("shape", "place", "way", "told"), [
    (ball(0.2), (0, 0, 0.65), ASKEW, True), (ball(0.2), (0, 0, 0.7), ASKEW, False),
    (ball(0.2), (0.62, 0.62, 0.0), ASKEW, False),                           # its bounds overlap a corner, it does not
    (capsule(0.1, 0.4), (0.6, 0, 0.6), turn((0, 1, 0), 45), False),         # along an edge, 0.04 off
    (capsule(0.1, 0.4), (0.52, 0, 0.52), turn((0, 1, 0), 45), True),
    (rod("Cylinder", 0.2, 0.4, "Z"), (0, 0, 0.6), (1, 0, 0, 0), True),
    (rod("Cylinder", 0.2, 0.4, "Z"), (0, 0, 0.71), (1, 0, 0, 0), False),
    (rod("Cone", 0.2, 0.4, "Z"), (0, 0, 0.71), (1, 0, 0, 0), False),
    (rod("Cone", 0.2, 0.4, "Z"), (0, 0, 0.6), (1, 0, 0, 0), True),
    (rod("Cone", 0.2, 0.4, "Z"), (0.55, 0, 0.0), turn((0, 1, 0), -90), True),       # its tip is 0.15 deep
    (rod("Cone", 0.2, 0.4, "Z"), (0.71, 0, 0.0), turn((0, 1, 0), -90), False),
    (box((0.4, 0.4, 0.4)), (0.75, 0.75, 0), turn((0, 0, 1), 45), False),
])
def test_shapes_in_a_box_are_told_where_they_are(shape: str, place: tuple[float, float, float],
                                                 way: tuple[float, float, float, float], told: bool) -> None:
    assert findings(still("s", CUBE, (0, 0, 0)), body("a", shape, place, way)) == (OVERLAPS if told else [])


def test_what_never_meets_is_not_told() -> None:
    assert findings(still("s", CUBE, (0, 0, 0)), kinematic("a", CUBE, (0, 0, 0.1))) == []


@pytest.mark.parametrize(("mass", "iterations", "told"), [
    (10, 1, False), (20, 1, True), (60, 4, False), (80, 4, True), (100, 8, False), (150, 8, True), (200, 16, False),
    (300, 16, True), (300, 32, False), (600, 32, True), (1000, 64, False)])
def test_a_heavy_cube_is_told_where_it_sinks_through_a_light_one(mass: float, iterations: int, told: bool) -> None:
    cubes = (body(name, CUBE, (0, 0, z), more={"float physics:mass": float(weight), ITERATIONS: iterations})
             for name, z, weight in (("a", 0.501, 1), ("b", 1.502, mass)))
    assert findings(ground(), *cubes) == ([("body/mass-ratio", "/World/b")] if told else [])


def test_a_light_body_on_a_heavy_one_and_a_heavy_one_beside_are_not_told() -> None:
    heavy = {"float physics:mass": 1000.0}
    assert findings(ground(), body("a", CUBE, (0, 0, 0.501), more=heavy),
                    body("b", CUBE, (0, 0, 1.502), more={"float physics:mass": 1.0})) == []
    assert findings(ground(), body("a", CUBE, (0, 0, 0.501), more=heavy),
                    body("b", CUBE, (1.001, 0, 0.501), more={"float physics:mass": 1.0})) == []
