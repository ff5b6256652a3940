"""Random stages of all that touches: every shape on every ground, robots and bodies, jointed, pushed and asleep.

Nothing overlaps at the start. A stage is a function of its seed; it takes shapes that its ground is touched by.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np

from support.chance.joint_kinds import random_joint
from support.chance.touching_grounds import BOX, FIELD, PLANE, VALLEY, lay
from support.chance.touching_shapes import COMPOUND, HULL, Shape
from support.chance.touching_writer import IDENTITY, Body, Writer, written
from support.chance.usda_text import Vector, normalized, product, rotate
from support.stages.parts import Attributes
from support.stages.robots import prim

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
        last = w.body(own, np.array([*w.vector(0.15)[:2], height]), w.turned(), apart=last if w.chance(0.2) else None)
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
    row = [w.body(shape, x * way + [0.0, 0.0, lift], w.turned()) for shape, x in zip(shapes, along, strict=True)]
    for first, second in pairwise(row):
        _hold(w, first, second, first.position + (first.shape.reach + 0.5 * GAP) * way)
    if w.chance(0.2):
        _hold(w, None, row[0], row[0].position - row[0].shape.reach * way)
    _pusher(w)


def _hold(w: Writer, body0: Body | None, body1: Body, at: Vector) -> None:
    """A random joint outside articulations whose frame of body0 is at a place."""
    joint, turn = random_joint(w.random, 1.0), w.turned()
    ends = ((body0, at, turn), (body1, at + rotate(turn, joint.shift), product(turn, joint.turn)))
    values: Attributes = {"bool physics:excludeFromArticulation": True}
    for i, (body, place, way) in enumerate(ends):
        if body is not None:
            back = body.turn * [1, -1, -1, -1]
            place, way = rotate(back, place - body.position), normalized(product(back, way))
            values[f"rel physics:body{i}"] = f"<{body.path}>"
        values |= {f"point3f physics:localPos{i}": written(place), f"quatf physics:localRot{i}": written(way)}
    if joint.axis:
        values["uniform token physics:axis"] = joint.axis
    w.texts.append(prim(f"Physics{joint.kind}Joint", w.name("j"), joint.schemas, values | joint.values))


def fallen_robot(w: Writer) -> None:
    """A robot on a floating base."""
    w.robot(False, w.floor + w.between(0.02, 0.3), int(w.random.integers(2, 7)))


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
        found = w.body(own, _clear(w, own, place, way), w.turned(), apart=links[0] if w.chance(0.15) else None)
        if i == 0 and w.chance(0.3):
            _hold(w, links[-1], found, 0.5 * (links[-1].position + found.position))


MIXED_FAMILIES: Mapping[str, tuple[int, int, Callable[[Writer], None]]] = {      # first seed, how many, what they are
    "heaps of all shapes": (10000, 40, heap),
    "bodies held by joints": (11000, 40, strings),
    "robots of all shapes that fall": (12000, 40, fallen_robot),
    "robots of all shapes that stand": (13000, 40, standing_robot),
    "robots among all": (14000, 40, crowd),
}


def mixed_scene(seed: int, move: int | None = None) -> str:
    """The stage of a seed of one of the families; with a number, its start is moved in the way of that number."""
    write = next(write for first, count, write in MIXED_FAMILIES.values() if first <= seed < first + count)
    random = np.random.default_rng([seed, 17])
    moved = None if move is None else np.random.default_rng([seed, move])
    ground = str(random.choice(MIXED_GROUNDS, p=OFTEN))
    shapes = MIXED_SHAPES[0] if ground == FIELD else MIXED_SHAPES[int(random.integers(len(MIXED_SHAPES)))]
    writer = Writer(random, moved, shapes, "PGS" if random.random() < 0.25 else "TGS", varied=True)
    lay(writer, ground)
    writer.materials()
    write(writer)
    return writer.text()
