"""Meshes as points and faces, for stages with mesh colliders.

A robot whose fingers stand around a box and in it: turned about x alone, they begin at one x but for rounding.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from support.places import DATA
from support.stages.parts import Attributes, frames, scene
from support.stages.robots import HEAD, link, placed, prim

Mesh = tuple[np.ndarray, Sequence[Sequence[int]]]


def single(points: Any) -> np.ndarray:
    """Points rounded to single floats, as USD stores them."""
    return np.asarray(points, dtype=np.float32).astype(float)


def box(x: float, y: float, z: float, at: tuple[float, float, float] = (0, 0, 0)) -> Mesh:
    corners = [(a, b, c) for a in (-x / 2, x / 2) for b in (-y / 2, y / 2) for c in (-z / 2, z / 2)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return single(np.array(corners) + at), faces


def cylinder(sides: int, radius: float = 0.5, height: float = 1.0) -> Mesh:
    angles = np.arange(sides) * 2 * math.pi / sides
    rings = [np.stack([radius * np.cos(angles), radius * np.sin(angles), np.full(sides, z)], axis=1)
             for z in (-height / 2, height / 2)]
    walls = [(i, (i + 1) % sides, sides + (i + 1) % sides, sides + i) for i in range(sides)]
    return single(np.concatenate(rings)), [tuple(range(sides))[::-1], tuple(range(sides, 2 * sides)), *walls]


def cone(sides: int, radius: float = 0.5, height: float = 1.0) -> Mesh:
    angles = np.arange(sides) * 2 * math.pi / sides
    ring = np.stack([radius * np.cos(angles), radius * np.sin(angles), np.zeros(sides)], axis=1)
    faces = [tuple(range(sides))[::-1], *((i, (i + 1) % sides, sides) for i in range(sides))]
    return single(np.concatenate([ring, [(0, 0, height)]])), faces


def ball(columns: int, rows: int, radius: float = 0.5) -> Mesh:
    points: list[tuple[float, float, float]] = [(0, 0, -radius), (0, 0, radius)]
    for i in range(1, rows):
        tilt = math.pi * i / rows
        for k in range(columns):
            turn = 2 * math.pi * k / columns
            points.append((radius * math.sin(tilt) * math.cos(turn), radius * math.sin(tilt) * math.sin(turn),
                           -radius * math.cos(tilt)))

    def at(i: int, k: int) -> int:
        return 2 + (i - 1) * columns + k % columns

    faces: list[tuple[int, ...]] = []
    for k in range(columns):
        faces += [(0, at(1, k + 1), at(1, k)), (1, at(rows - 1, k), at(rows - 1, k + 1))]
        faces += [(at(i, k), at(i, k + 1), at(i + 1, k + 1), at(i + 1, k)) for i in range(1, rows - 1)]
    return single(points), faces


def torus(columns: int, rows: int, ring: float = 1.0, tube: float = 0.3) -> Mesh:
    points = []
    for i in range(columns):
        turn = 2 * math.pi * i / columns
        for j in range(rows):
            bend = 2 * math.pi * j / rows
            reach = ring + tube * math.cos(bend)
            points.append((reach * math.cos(turn), reach * math.sin(turn), tube * math.sin(bend)))
    faces = [(i * rows + j, (i + 1) % columns * rows + j, (i + 1) % columns * rows + (j + 1) % rows,
              i * rows + (j + 1) % rows) for i in range(columns) for j in range(rows)]
    return single(points), faces


def cloud(count: int, seed: int, size: float = 1.0) -> Mesh:
    """Points in a cube, with faces that mean nothing."""
    points = single(np.random.default_rng(seed).uniform(-size, size, (count, 3)))
    return points, [(0, i, i + 1) for i in range(1, count - 1)]


def quad(x: float, y: float) -> Mesh:
    return single([(0, 0, 0), (x, 0, 0), (x, y, 0), (0, y, 0)]), [(0, 1, 2, 3)]


def turned(mesh: Mesh, axis: tuple[float, float, float], degrees: float, at: Any = (0, 0, 0)) -> Mesh:
    """The mesh turned about an axis through the origin, and moved."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = math.radians(degrees)
    turn = np.eye(3) + math.sin(angle) * skew + (1 - math.cos(angle)) * skew @ skew
    return single(mesh[0] @ turn.T + at), mesh[1]


def mesh_prim(mesh: Mesh, approximation: str = "", schemas: Sequence[str] = (), name: str = "mesh",
              **options: Mapping[str, object]) -> str:
    """A mesh prim with PhysicsCollisionAPI; further attributes under keyword `more`."""
    points, faces = mesh
    own: dict[str, object] = {
        "point3f[] points": [tuple(map(float, point)) for point in points],
        "int[] faceVertexCounts": [len(face) for face in faces],
        "int[] faceVertexIndices": [corner for face in faces for corner in face],
    }
    applied = ["PhysicsCollisionAPI"]
    if approximation:
        own["uniform token physics:approximation"] = approximation
        applied.append("PhysicsMeshCollisionAPI")
    return prim("Mesh", name, (*applied, *schemas), {**own, **options.get("more", {})})


# --- fans ------------------------------------------------------------------------------------------------------------

COUNT, OUT, NEXT = 6, 0.17, 1.0         # fingers, m from the middle, and rad about x from one to the next
ROUND = {"double radius": 0.03, "double height": 0.1, "uniform token axis": "X"}
AT = placed((0.013, 0.0, 0.0))
COLLIDER = ("PhysicsCollisionAPI",)
COLLIDERS = {
    "Cube": prim("Cube", "shape", COLLIDER, {"double size": 2.0, **placed((0.013, 0, 0), (0.05, 0.03, 0.03))}),
    "Sphere": prim("Sphere", "shape", COLLIDER, {"double radius": 0.03, **AT}),
    **{kind: prim(kind, "shape", COLLIDER, {**ROUND, **AT}) for kind in ("Capsule", "Cylinder", "Cone")},
    # 78 in all, more than TGS has partitions for one robot
    "Spheres": "".join(prim("Sphere", f"shape{i:02}", COLLIDER, {
        "double radius": 0.02 + 0.0005 * (i % 4), **placed((0.013 * (i - 6) + 0.001, 0.0, 0.0))}) for i in range(13)),
    "Mesh": mesh_prim(box(0.113, 0.06, 0.06, at=(0.013, 0.0, 0.0)), "convexHull", name="shape"),
}
# Of each kind, rad of the first finger: a fan that moves otherwise where the fingers are met in another order.
FIRST = {"Cube": 0.5, "Sphere": 0.7, "Spheres": 0.3, "Capsule": 0.2, "Cylinder": 0.3, "Cone": 0.7, "Mesh": 0.9}
RECORDED = DATA / "fans.npz"            # by kind: (n_link, 3) float32, m, positions in the order of paths
STEPS = 10


def fan(kind: str) -> str:
    """The stage; a finger hangs on the box by a link without a collider, as a link does not meet its parent."""
    parts = [link("base", mass=2.0, children=prim("Cube", "shape", COLLIDER, {
        "double size": 2.0, **placed((0.0, 0.0, 0.0), (0.2, 0.15, 0.15))}))]
    for k in range(COUNT):
        angle = FIRST[kind] + NEXT * k
        at, turn = (0.0, OUT * math.cos(angle), OUT * math.sin(angle)), (math.cos(angle / 2), math.sin(angle / 2), 0, 0)
        parts += [_held(f"arm{k}", at, turn, ""), _held(f"tip{k}", at, turn, COLLIDERS[kind]),
                  _joint("Revolute", f"turn{k}", "base", f"arm{k}", frames(at, (0, 0, 0), turn, (1, 0, 0, 0), "Z")),
                  _joint("Prismatic", f"slide{k}", f"arm{k}", f"tip{k}",
                         frames((0, 0, 0), (0, 0, 0), (1, 0, 0, 0), (1, 0, 0, 0), "Y"))]
    robot = prim("Xform", "Robot", ("PhysicsArticulationRootAPI",), {}, "".join(parts))
    return HEAD.format(meters=1.0, kilograms=1.0) + robot + scene(0.0)


def _held(name: str, at: tuple[float, ...], turn: tuple[float, ...], collider: str) -> str:
    return link(name, (0, 0, 0), mass=0.5, children=collider, more=placed(at, orient=turn))


def _joint(kind: str, name: str, body0: str, body1: str, own: Attributes) -> str:
    return prim(f"Physics{kind}Joint", name, (), {
        "rel physics:body0": f"</Robot/{body0}>", "rel physics:body1": f"</Robot/{body1}>", **own})
