"""Random stages of bodies and links that touch.

Grounds that random stages of touching things stand on.

Random stages of links and bodies on the ground: spheres, planes, capsules and boxes that fall, swing and meet.

Free bodies, articulations on fixed and floating bases, and both with kinematic bodies; nothing overlaps at the start.
`mixed_scene` has all shapes, grounds and settings.

Random stages of all that touches: every shape on every ground, robots and bodies, jointed, pushed and asleep.

Nothing overlaps at the start. A stage is a function of its seed; it takes shapes that its ground is touched by.

Random stages in centimetres, millimetres and inches: every pair of shapes that can collide, dropped on each other.

A body is thrown, tilted, on a ground or on another body, which stands still or is thrown as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import combinations_with_replacement, pairwise

import numpy as np

from support.chance.joint_kinds import random_joint
from support.chance.touching_writer import COMPOUND, HULL, IDENTITY, ROUND, Body, Shape, Writer, random_shape
from support.chance.usda_text import Vector, family_of, normalized, product, rotate, to_decimals
from support.stages.parts import Attributes, collider
from support.stages.robots import prim
from support.stages.varied_stages import UNITS, in_unit

PLANE, BOX, VALLEY, FIELD = "plane", "box", "valley", "field"
WIDE = 1.5              # m, how far from the middle a start may be
STEEPEST = 14.0         # degrees
GRID, SPACING, ROUGH = 24, 0.25, 0.06       # points of a field a side; m between them; m, their highest


def lay(w: Writer, ground: str) -> None:
    """Put a ground on the stage, and say how high it reaches."""
    if ground == PLANE:
        w.texts.append(collider("Plane", "ground", {"uniform token axis": "Z"}))
    elif ground == BOX:
        w.texts.append(_slab("ground", np.array([0.0, 0.0, -0.5]), (20.0, 20.0, 1.0), 0.0))
    elif ground == VALLEY:
        angles = [w.between(2.0, STEEPEST) for _ in range(2)]
        w.texts += [_slope(f"ground{i}", angle, side) for i, (angle, side) in enumerate(
            zip(angles, (-1.0, 1.0), strict=True))]
        w.floor = WIDE * math.tan(math.radians(max(angles)))
    else:
        w.texts.append(_field(w))
        w.floor = ROUGH


def _slope(name: str, angle: float, side: float) -> str:
    """A board that rises from the y axis to one side, its upper face through that axis, and runs a little past it."""
    way = math.radians(angle)
    along = np.array([side * math.cos(way), 0.0, math.sin(way)])
    up = np.array([-side * math.sin(way), 0.0, math.cos(way)])
    return _slab(name, 1.9 * along - 0.25 * up, (4.0, 8.0, 0.5), -side * angle)


def _slab(name: str, place: Vector, size: tuple[float, ...], angle: float) -> str:
    """A static box, turned about y by degrees."""
    half = math.radians(angle) / 2.0
    return collider("Cube", name, {
        "double size": 1.0, "double3 xformOp:translate": to_decimals(place),
        "quatd xformOp:orient": (math.cos(half), 0.0, math.sin(half), 0.0), "float3 xformOp:scale": size,
        "uniform token[] xformOpOrder": ["xformOp:translate", "xformOp:orient", "xformOp:scale"]})


def _field(w: Writer) -> str:
    """A mesh of triangles over a grid of chance heights."""
    heights = w.random.uniform(-ROUGH, ROUGH, (GRID, GRID))
    middle = (GRID - 1) / 2.0
    points = [((i - middle) * SPACING, (j - middle) * SPACING, round(float(heights[i, j]), 4))
              for i in range(GRID) for j in range(GRID)]
    corners = [i * GRID + j for i in range(GRID - 1) for j in range(GRID - 1)]
    indices = [k for a in corners for k in (a, a + GRID, a + GRID + 1, a, a + GRID + 1, a + 1)]
    values: Attributes = {"point3f[] points": points, "int[] faceVertexCounts": [3] * (len(indices) // 3),
                          "int[] faceVertexIndices": indices, "uniform token physics:approximation": "none"}
    return prim("Mesh", "ground", ("PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"), values)


# --- touching scenes -------------------------------------------------------------------------------------------------

# Capsules do not meet boxes in a stage: spheres are with either.
SHAPES = (("Sphere", "Capsule"), ("Sphere", "Cube"))


def pile(w: Writer) -> None:
    """Free bodies over each other."""
    height = 0.0
    for _ in range(int(w.random.integers(2, 7))):
        own = w.shape()
        height += own.reach + 0.02
        w.body(own, np.array([*w.vector(0.15)[:2], height]), w.rotation())
        height += own.reach


def fallen(w: Writer) -> None:
    """A robot on a floating base."""
    w.robot(False, w.floor + w.between(0.02, 0.3), int(w.random.integers(2, 7)))


def standing(w: Writer) -> None:
    """A robot on a fixed base with a body or two that it may hit."""
    w.robot(True, w.between(0.01, 0.1), int(w.random.integers(3, 7)))
    _around(w, int(w.random.integers(0, 3)), 0.8)


def company(w: Writer) -> None:
    """A robot on a floating base among bodies, some of them kinematic."""
    w.robot(False, w.between(0.3, 0.5), int(w.random.integers(2, 6)))
    _around(w, int(w.random.integers(1, 4)), 0.7)
    if w.chance(0.5):
        w.kinematic(Shape("Sphere", np.full(3, 0.15)), np.array([*w.vector(0.3)[:2], 0.1]), IDENTITY)


def _around(w: Writer, count: int, far: float) -> None:
    """Bodies beside the robot, thrown about."""
    start = w.between(0.0, 6.0)
    for i in range(count):
        own, angle = w.shape(0.15), start + 2.0 * i
        w.body(own, np.array([far * math.cos(angle), far * math.sin(angle), own.reach + w.between(0.0, 0.3)]),
               w.rotation())


FAMILIES: Mapping[str, tuple[int, int, Callable[[Writer], None]]] = {      # first seed, how many, what they are
    "piles of bodies": (0, 50, pile),
    "robots that fall": (1000, 50, fallen),
    "robots on fixed bases": (2000, 50, standing),
    "robots among bodies": (3000, 50, company),
}


def touching_scene(seed: int, move: int | None = None) -> str:
    """The stage of a seed of one of the families; with a number, its start is moved in the way of that number."""
    write = family_of(seed, FAMILIES)
    moved = None if move is None else np.random.default_rng([seed, move])
    writer = Writer(np.random.default_rng([seed, 16]), moved, SHAPES[seed % len(SHAPES)])
    lay(writer, PLANE if writer.chance(0.8) or "Cube" not in writer.shapes else BOX)
    writer.materials()
    write(writer)
    return writer.text()


# --- mixed scenes ----------------------------------------------------------------------------------------------------

MIXED_GROUNDS, OFTEN = (PLANE, BOX, VALLEY, FIELD), (0.35, 0.2, 0.2, 0.25)
# Cylinders and cones touch neither meshes nor hulls here.
PLAIN = ("Sphere", "Capsule", "Cube", COMPOUND)
MIXED_SHAPES = ((*PLAIN, HULL), (*PLAIN, "Cylinder", "Cone"))
PUSHER = Shape("Cube", np.array([0.08, 0.3, 0.12]))
GAP = 0.02              # m, least between two things at the start
ABOVE = 1e-4            # m, of a sleeper over the ground: at 0 a last bit would say whether it is in it


def heap(w: Writer) -> None:
    """Free bodies over each other, one of them asleep below, one that kinematic bodies push, two that never touch."""
    height, last = w.floor + _sleeper(w), None
    for _ in range(int(w.random.integers(2, 7))):
        own = w.shape()
        height += own.reach + GAP
        last = w.body(own, np.array([*w.vector(0.15)[:2], height]), w.rotation(), apart=last if w.chance(0.2) else None)
        height += own.reach
    _pusher(w)


def _sleeper(w: Writer) -> float:
    """A body that is asleep on level ground, now and then; how high it is."""
    if w.floor or not w.chance(0.6):
        return 0.0
    own = Shape("Cube", np.round(w.random.uniform(0.1, 0.25, 3), 3))
    w.sleeper(own, np.array([0.0, 0.0, own.half[2] + ABOVE]))
    return float(2.0 * own.half[2] + ABOVE)


def _pusher(w: Writer) -> None:
    """A kinematic body that moves in among the others, now and then."""
    if w.chance(0.35):
        start = _clear(w, PUSHER, np.array([-1.0, 0.0, w.floor + 0.16]), np.array([-1.0, 0.0, 0.0]))
        w.kinematic(PUSHER, start, IDENTITY, start + w.between(0.4, 1.0) * np.eye(3)[0])


def _clear(w: Writer, shape: Shape, place: Vector, way: Vector) -> Vector:
    """The first place along a way in which a shape overlaps nothing."""
    while any(np.linalg.norm(place - other.position) < shape.reach + other.shape.reach + GAP for other in w.bodies):
        place = place + 0.1 * way
    return place


def strings(w: Writer) -> None:
    """Free bodies in a row that joints outside articulations hold together, the first now and then at the world."""
    way = normalized(w.random.normal(size=3) * [1.0, 1.0, 0.3])
    shapes = [w.shape(0.18) for _ in range(int(w.random.integers(2, 5)))]
    along = np.cumsum([0.0, *(a.reach + b.reach + GAP for a, b in pairwise(shapes))])
    lift = w.floor + w.between(0.05, 0.3) + max(s.reach - x * way[2] for s, x in zip(shapes, along, strict=True))
    row = [w.body(shape, x * way + [0.0, 0.0, lift], w.rotation()) for shape, x in zip(shapes, along, strict=True)]
    for first, second in pairwise(row):
        _hold(w, first, second, first.position + (first.shape.reach + 0.5 * GAP) * way)
    if w.chance(0.2):
        _hold(w, None, row[0], row[0].position - row[0].shape.reach * way)
    _pusher(w)


def _hold(w: Writer, body0: Body | None, body1: Body, at: Vector) -> None:
    """A random joint outside articulations whose frame of body0 is at a place."""
    joint, turn = random_joint(w.random, 1.0), w.rotation()
    ends = ((body0, at, turn), (body1, at + rotate(turn, joint.shift), product(turn, joint.turn)))
    values: Attributes = {"bool physics:excludeFromArticulation": True}
    for i, (body, place, way) in enumerate(ends):
        if body is not None:
            back = body.turn * [1, -1, -1, -1]
            place, way = rotate(back, place - body.position), normalized(product(back, way))
            values[f"rel physics:body{i}"] = f"<{body.path}>"
        values |= {f"point3f physics:localPos{i}": to_decimals(place), f"quatf physics:localRot{i}": to_decimals(way)}
    if joint.axis:
        values["uniform token physics:axis"] = joint.axis
    w.texts.append(prim(f"Physics{joint.kind}Joint", w.name("j"), joint.schemas, values | joint.values))


def standing_robot(w: Writer) -> None:
    """A robot on a fixed base, bodies that it may hit, one of which it may hold by a joint outside articulations."""
    links = w.robot(True, w.floor + w.between(0.01, 0.1), int(w.random.integers(3, 7)))
    _company(w, links, int(w.random.integers(1, 3)))


def crowd(w: Writer) -> None:
    """A robot on a floating base among bodies, kinematic ones too."""
    links = w.robot(False, w.floor + w.between(0.3, 0.5), int(w.random.integers(2, 6)))
    _company(w, links, int(w.random.integers(1, 4)))
    _pusher(w)


def _company(w: Writer, links: list[Body], count: int) -> None:
    """Bodies beside the robot, thrown about."""
    start = w.between(0.0, 6.0)
    for i in range(count):
        own, angle = w.shape(0.15), start + 2.0 * i
        way = np.array([math.cos(angle), math.sin(angle), 0.0])
        place = np.array([0.0, 0.0, w.floor + own.reach + w.between(GAP, 0.3)]) + 0.5 * way
        found = w.body(own, _clear(w, own, place, way), w.rotation(), apart=links[0] if w.chance(0.15) else None)
        if i == 0 and w.chance(0.3):
            _hold(w, links[-1], found, 0.5 * (links[-1].position + found.position))


MIXED_FAMILIES: Mapping[str, tuple[int, int, Callable[[Writer], None]]] = {      # first seed, how many, what they are
    "heaps of all shapes": (10000, 40, heap),
    "bodies held by joints": (11000, 40, strings),
    "robots of all shapes that fall": (12000, 40, fallen),
    "robots of all shapes that stand": (13000, 40, standing_robot),
    "robots among all": (14000, 40, crowd),
}


def mixed_scene(seed: int, move: int | None = None) -> str:
    """The stage of a seed of one of the families; with a number, its start is moved in the way of that number."""
    write = family_of(seed, MIXED_FAMILIES)
    random = np.random.default_rng([seed, 17])
    moved = None if move is None else np.random.default_rng([seed, move])
    ground = str(random.choice(MIXED_GROUNDS, p=OFTEN))
    shapes = MIXED_SHAPES[0] if ground == FIELD else MIXED_SHAPES[int(random.integers(len(MIXED_SHAPES)))]
    writer = Writer(random, moved, shapes, "PGS" if random.random() < 0.25 else "TGS", varied=True)
    lay(writer, ground)
    writer.materials()
    write(writer)
    return writer.text()


# --- unit scenes -----------------------------------------------------------------------------------------------------

UNIT_SHAPES = ("Sphere", "Cube", *ROUND, HULL)
UNIT_GROUNDS = (PLANE, FIELD)
PAIRS = (*((shape, ground) for ground in UNIT_GROUNDS for shape in UNIT_SHAPES),
         *combinations_with_replacement(UNIT_SHAPES, 2))
COUNT = 60
LARGEST = 0.5       # m: margins that are capped are those of half sides above 0.2 m
UNIT_HEIGHT = 0.05        # m


def unit_scene(seed: int, move: int | None = None) -> str:
    """The stage of a seed; with a number, its start is moved in the way of that number."""
    moved = None if move is None else np.random.default_rng([seed, move])
    upper, lower = PAIRS[seed % len(PAIRS)]
    writer = Writer(np.random.default_rng([seed, 18]), moved, UNIT_SHAPES)
    lay(writer, lower if lower in UNIT_GROUNDS else PLANE)
    writer.materials()
    height = writer.floor
    if lower not in UNIT_GROUNDS:
        under = random_shape(writer.random, (lower,), LARGEST)
        height += under.reach + UNIT_HEIGHT
        place = np.array([*writer.vector(0.1)[:2], height])
        if writer.chance(0.5):
            writer.kinematic(under, place, IDENTITY)
        else:
            writer.body(under, place, writer.rotation())
        height += under.reach
    over = random_shape(writer.random, (upper,), LARGEST)
    height += over.reach + UNIT_HEIGHT
    writer.body(over, np.array([*writer.vector(0.1)[:2], height]), writer.rotation())
    return in_unit(writer.text(), UNITS[(seed + seed // len(PAIRS)) % len(UNITS)])
