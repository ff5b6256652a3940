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
from physx_runtime.simulation.query_shapes import coal
from support.physx.engine import answers
from support.physx.scene_queries import APART, FAR, HALF, KINDS, RADIUS, queries
from support.stages.meshes import box, mesh_prim
from support.stages.robots import opened, placed, prim
from support.stages.trigger_stages import TURN, shape

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


@pytest.mark.parametrize("direction", [(0, 0, 0), (1, 0), (math.nan, 0, 1)])
def test_a_direction_that_is_none_is_refused(scene: Scene, direction: Any) -> None:
    with pytest.raises(ValueError, match=r"direction is .*; give three finite numbers"):
        scene.raycast((0, 0, 0), direction, 1.0)


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
