"""Rays, sweeps and overlaps meet what closed forms and real PhysX's scene queries say."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime import Ball, Block, Scene
from physx_runtime.simulation.queries import coal
from support.physx.engine import answers
from support.physx.scene_queries import APART, FAR, HALF, KINDS, RADIUS, queries
from support.stages.collider_settings import TURN, shape
from support.stages.meshes import box, mesh_prim
from support.stages.robots import opened, placed, prim

from physx_schema.errors import UnsupportedError

CLOSED = 2e-6       # m and of unit normals, of closed forms: how near a sweep comes to what it meets
ROUND = 1e-3        # of the normal of a ball of 0.25 m, which is that of 1e-4 m before it is met
HEAD = '#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n' + prim("PhysicsScene", "scene")
FALLING = prim("Xform", "ball", ("PhysicsRigidBodyAPI",), placed((0, 0, 5.0)), prim(
    "Sphere", "shape", ("PhysicsCollisionAPI",), {"double radius": 0.25}))
BOX = prim("Cube", "box", ("PhysicsCollisionAPI",), {"double size": 1.0, **placed((3, 0, 0))})


@pytest.fixture
def scene() -> Scene:
    pytest.importorskip("coal", reason="coal is not installed")
    return Scene(opened(HEAD + FALLING + BOX))


def test_a_ray_meets_a_ball_where_the_closed_form_says(scene: Scene) -> None:
    hit = scene.raycast((0.1, 0, 0), (0, 0, 2), 10.0)
    assert hit is not None
    height = 5.0 - math.sqrt(0.25**2 - 0.1**2)
    assert (hit.collider, hit.body) == ("/ball/shape", "/ball")
    np.testing.assert_allclose([hit.distance, *hit.position], [height, 0.1, 0, height], atol=CLOSED)
    np.testing.assert_allclose(hit.normal, [0.4, 0, (height - 5.0) / 0.25], atol=ROUND)


def test_a_ray_sees_where_a_body_is_now(scene: Scene) -> None:
    scene.step(30)
    hit = scene.raycast((0, 0, 10), (0, 0, -1), 10.0)
    assert hit is not None
    assert hit.distance == pytest.approx(10.0 - scene.body_pose[0, 0, 2] - 0.25, abs=CLOSED)


def test_what_is_beyond_the_distance_or_aside_is_not_met(scene: Scene) -> None:
    assert scene.raycast((0, 0, 0), (0, 0, 1), 4.7) is None
    assert scene.raycast((0.3, 0, 0), (0, 0, 1), 10.0) is None
    assert scene.raycast((0, 0, 10), (0, 0, 1), 100.0) is None


def test_a_sweep_stops_where_it_touches(scene: Scene) -> None:
    ball = scene.sweep(Ball(0.1), (0, 0, 0), (1, 0, 0), 10.0)
    half, turn = math.sqrt(0.5), (0, 0, math.sin(math.pi / 8), math.cos(math.pi / 8))
    turned = scene.sweep(Block((0.1, 0.1, 0.1)), (0, 0, 0), (1, 0, 0), 10.0, turn)
    assert ball is not None and turned is not None
    assert [ball.distance, turned.distance] == pytest.approx([2.4, 2.5 - 0.2 * half], abs=CLOSED)
    np.testing.assert_allclose([ball.normal, turned.normal], [[-1, 0, 0]] * 2, atol=CLOSED)


def test_a_sweep_that_begins_inside_meets_at_once(scene: Scene) -> None:
    hit = scene.sweep(Ball(0.1), (3, 0, 0), (1, 0, 0), 10.0)
    assert hit is not None
    assert hit.distance == 0.0
    np.testing.assert_array_equal(hit.normal, [-1, 0, 0])


def test_a_shape_overlaps_what_is_nearer_than_its_size(scene: Scene) -> None:
    assert scene.overlap(Ball(0.51), (2, 0, 0)) == ("/box",)
    assert scene.overlap(Ball(0.49), (2, 0, 0)) == ()
    assert scene.overlap(Block((2.0, 2.0, 5.0)), (1.5, 0, 0)) == ("/ball/shape", "/box")


ASKED: dict[str, dict[str, Any]] = {
    "raycast": {"origin": (0, 0, 0), "direction": (0, 0, 1), "distance": 1.0},
    "sweep": {"shape": Ball(1.0), "origin": (0, 0, 0), "direction": (0, 0, 1), "distance": 1.0},
    "overlap": {"shape": Ball(1.0), "position": (0, 0, 0)},
}
RAGGED = ((1, 0), 0, 1)
TOO_LONG = 1e200        # its square is inf
MOST = r"at most 3\.4e\+38"
DIRECTION = ("three finite numbers that are not all 0", (
    (0, 0, 0), (1, 0), (math.nan, 0, 1), (math.inf, 0, 0), "up", ("0", "0", "1"), RAGGED, None))
PLACE = (f"three numbers of magnitude {MOST}", (
    "here", RAGGED, (0, 0), (math.nan, 0, 0), (TOO_LONG, 0, 0), None, np.zeros((2, 3))))
DISTANCE_ASKED = ("a number of at least 0, or inf for no limit", (math.nan, -1.0, -math.inf, "x", None, (1.0, 2.0)))
TURNED = ("a quaternion x y z w of four finite numbers that are not all 0", (
    "turned", (0, 0, 0, 0), (0, 0, 1), (math.nan, 0, 0, 1), RAGGED))
SHAPE = ("a Ball or a Block", ((1.0, 1.0, 1.0), None, 1.0, Ball))
BALL = (f"a number above 0 and {MOST}", tuple(map(Ball, (0.0, -1.0, math.nan, math.inf, "x", None, (1.0,), TOO_LONG))))
BLOCK = (f"three numbers above 0 and {MOST}", tuple(map(Block, (
    (1,), (1, 2), 1, (1, 2, 0), (1, 2, math.inf), "xyz", None, RAGGED))))
WRONG = [(door, name, value, allowed) for door, name, (allowed, values) in (
    ("raycast", "direction", DIRECTION), ("sweep", "direction", DIRECTION), ("raycast", "origin", PLACE),
    ("sweep", "origin", PLACE), ("overlap", "position", PLACE), ("raycast", "distance", DISTANCE_ASKED),
    ("sweep", "distance", DISTANCE_ASKED), ("sweep", "rotation", TURNED), ("overlap", "rotation", TURNED),
    *((door, "world", ("a whole number from 0 to 1", (-1, 2, 5, 1.5, "0", None))) for door in ASKED),
    *((door, "shape", wrong) for door in ("sweep", "overlap") for wrong in (SHAPE, BALL, BLOCK)),
) for value in values]


@pytest.fixture(scope="module")
def two_worlds() -> Scene:
    return Scene(opened(HEAD + FALLING), worlds=2)


@pytest.mark.usefixtures("without_coal")
@pytest.mark.parametrize(("door", "name", "value", "allowed"), WRONG)
def test_a_wrong_argument_is_refused_in_one_line_before_coal_is_asked(two_worlds: Scene, door: str, name: str,
                                                                      value: Any, allowed: str) -> None:
    of = {Ball: "the radius of a Ball", Block: "the half_extents of a Block"}.get(type(value), name)
    with pytest.raises(ValueError, match=f"^{of} is .*; give {allowed}$") as error:
        getattr(two_worlds, door)(**{**ASKED[door], name: value})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("points", [[(0, 0, 1)] * 3, [(0, 0, 1), (0, 0, 2), (0, 0, 3)]])
def test_a_mesh_that_physx_makes_no_shape_of_is_not_met(points: Any) -> None:
    pytest.importorskip("coal", reason="coal is not installed")
    scene = Scene(opened(HEAD + FALLING + mesh_prim((np.array(points, float), [(0, 1, 2)]), "none")))
    hit = scene.raycast((0, 0, 0), (0, 0, 1), 10.0)
    assert hit is not None
    assert hit.collider == "/ball/shape"
    assert scene.overlap(Ball(0.5), (0, 0, 1)) == ()


@pytest.mark.parametrize("size", [1e-200, 1e200, 5e-324])
def test_a_direction_may_have_any_length(scene: Scene, size: float) -> None:
    hit = scene.raycast((0, 0, 0), (0, 0, size), 10.0)
    assert hit is not None
    assert hit.distance == pytest.approx(4.75, abs=CLOSED)


SEEN = {kind: mesh_prim(box(0.5, 0.5, 0.5), "none", name="seen") if kind == "mesh" else
        prim("Plane", "seen", ("PhysicsCollisionAPI",), {"uniform token axis": "Z"}) if kind == "plane" else
        shape(kind, "seen", (), {}) for kind in (*KINDS, "plane")}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", SEEN)
def test_an_endless_ray_or_sweep_ends_behind_what_it_misses(kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("coal", reason="coal is not installed")
    away = FALLING.replace("(0, 0, 5.0)", "(0, 50, 5.0)")
    scene = Scene(opened(HEAD + SEEN[kind] + away))
    for origin, along in (((-5, 0.1, 2), (1, 0, 0)), ((-5, 0.1, 3), (-1, 0.1, 0.2)), ((1e6, 3, 9), (-1, 0, 0))):
        assert scene.raycast(origin, along, math.inf) is None
        assert scene.sweep(Ball(0.1), origin, along, math.inf) is None
        assert scene.sweep(Block((0.1, 0.2, 0.3)), origin, along, math.inf) is None
    assert capfd.readouterr().err == ""
    hit = scene.raycast((0.1, 0.1, 5), (0, 0, -1), math.inf)
    assert hit is not None
    assert hit.collider == "/seen"


@pytest.fixture
def without_coal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    coal.cache_clear()
    monkeypatch.setitem(sys.modules, "coal", None)
    yield
    coal.cache_clear()


@pytest.mark.usefixtures("without_coal")
def test_without_coal_one_line_says_how_to_install_it() -> None:
    with pytest.raises(UnsupportedError, match=r"^raycast, sweep and overlap need coal, .*'physx-schema\[queries\]'$"):
        Scene(opened(HEAD + FALLING)).raycast((0, 0, 0), (0, 0, 1), 1.0)


# --- beside PhysX -----------------------------------------------------------------------------------------------------

# m, what PhysX's float32 queries give away: rays reach cylinders up to 2e-4 and cones up to 1.3e-3 m too early, sweeps
# of boxes up to 9e-4; all other distances agree within 1e-4. And of unit normals: 1.2e-2 was measured at such a cone.
DISTANCE, NORMAL = 2e-3, 2e-2


def row() -> str:
    """Static shapes side by side above the ground, and a body far away."""
    shapes = []
    for i, kind in enumerate(KINDS):
        place = placed((APART * i, 0.0, 1.0), orient=TURN)
        shapes.append(mesh_prim(box(0.5, 0.4, 0.6), "none", name=kind, more=place) if kind == "mesh" else
                      shape(kind, kind, (), place))
    ground = prim("Plane", "ground", ("PhysicsCollisionAPI",), {"uniform token axis": "Z"})
    return HEAD + "".join(shapes) + ground + FALLING.replace("(0, 0, 5.0)", "(0, 50, 5.0)").replace(
        '"ball"', '"away"')


@pytest.fixture(scope="module")
def physx(oracle_folder: Path) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = answers("support.physx.scene_queries", [row()])[0]
    return found


@pytest.fixture(scope="module")
def ours() -> Scene:
    pytest.importorskip("coal", reason="coal is not installed")
    return Scene(opened(row()))


@pytest.mark.parametrize("what", ["ray", "ball", "block"])
def test_the_first_hit_is_that_of_physx(what: str, ours: Scene, physx: dict[str, list[Any]]) -> None:
    differing = []
    for (origin, along, turn), real in zip(queries(), physx[what], strict=True):
        hit = (ours.raycast(origin, along, FAR) if what == "ray" else
               ours.sweep(Ball(RADIUS), origin, along, FAR) if what == "ball" else
               ours.sweep(Block(HALF), origin, along, FAR, turn))
        found = None if hit is None else (hit.collider, hit.distance)
        expected = (real[0][0], pytest.approx(real[0][1], abs=DISTANCE)) if real else None
        if found != expected:
            differing.append((origin, along, found, real))
        elif hit is not None and what != "block":       # a box that touches by an edge has its normal, or the other's
            np.testing.assert_allclose(hit.normal, real[0][3], atol=NORMAL)
    assert not differing


@pytest.mark.parametrize("what", ["in ball", "in block"])
def test_overlaps_are_those_of_physx(what: str, ours: Scene, physx: dict[str, list[Any]]) -> None:
    differing = []
    for (origin, along, turn), real in zip(queries(), physx[what], strict=True):
        near = np.add(origin, np.multiply(along, 0.9))
        found = ours.overlap(Ball(RADIUS), near) if what == "in ball" else ours.overlap(Block(HALF), near, turn)
        if sorted(found) != real:
            differing.append((origin, along, found, real))
    assert not differing
    assert sum(map(bool, physx[what])) > len(queries()) // 5
