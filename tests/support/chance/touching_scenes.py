"""Random stages of links and bodies on the ground: spheres, planes, capsules and boxes that fall, swing and meet.

Free bodies, articulations on fixed and floating bases, and both with kinematic bodies and joints outside articulations;
nothing overlaps at the start. A stage is a function of its seed; a start that is moved is the same stage with every
free body, every articulation as a whole and every joint coordinate off by MOVED.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from support.chance.usda_text import Vector, normalized, product, rotate
from support.stages.parts import ROOT_API, Attributes, collider, drive, state
from support.stages.robots import prim

MOVED = 1e-7        # m or rad
GRAVITY = 9.81      # m/s^2
DENSITY = 500.0     # kg/m^3
Random = np.random.Generator
BODY_SCHEMAS = ("PhysicsRigidBodyAPI", "PhysxRigidBodyAPI")
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
# Capsules do not meet boxes in a stage: spheres are with either.
SHAPES = (("Sphere", "Capsule"), ("Sphere", "Cube"))
ROBOT = "art"
HEAD = ('#usda 1.0\n(\n    defaultPrim = "World"\n    metersPerUnit = 1.0\n    kilogramsPerUnit = 1.0\n'
        '    upAxis = "Z"\n)\n')


@dataclass(frozen=True, slots=True)
class Shape:
    """A collider along the x axis of what it is of."""

    kind: str
    half: Vector                # of a box around it

    @property
    def reach(self) -> float:
        """Radius of a ball around it."""
        return float(np.linalg.norm(self.half)) if self.kind == "Cube" else float(self.half.max())


@dataclass(frozen=True, slots=True)
class Body:
    """A body or a link, posed in the world."""

    path: str
    shape: Shape
    position: Vector
    turn: Vector                # (w, x, y, z)


@dataclass(frozen=True, slots=True)
class Move:
    """A small rigid motion."""

    about: Vector
    shift: Vector
    turn: Vector                # (w, x, y, z)

    def of(self, position: Vector, turn: Vector) -> tuple[Vector, Vector]:
        """Where it puts something."""
        return self.about + self.shift + rotate(self.turn, position - self.about), product(self.turn, turn)


@dataclass(slots=True)
class Writer:
    """A stage in the making."""

    random: Random
    moved: Random | None        # who says where to each part of the start is moved, nobody where it is not
    shapes: tuple[str, ...]
    texts: list[str] = field(default_factory=list)          # prims of /World
    inside: list[str] = field(default_factory=list)         # prims of the articulation
    count: int = 0

    def chance(self, probability: float) -> bool:
        return bool(self.random.random() < probability)

    def between(self, low: float, high: float) -> float:
        return round(float(self.random.uniform(low, high)), 4)

    def vector(self, reach: float) -> Vector:
        return np.round(self.random.uniform(-reach, reach, 3), 5)

    def turned(self) -> Vector:
        return normalized(self.random.normal(size=4))

    def offset(self, count: int) -> Vector:
        """By what a start is moved."""
        if self.moved is None:
            return np.zeros(count)
        return MOVED * np.where(self.moved.random(count) < 0.5, -1.0, 1.0)

    def move(self, about: Vector) -> Move:
        """How something is moved at the start."""
        shift, turn = self.offset(3), self.offset(3)
        return Move(about, shift, normalized(np.array([1.0, *0.5 * turn])))

    def name(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count:02}"

    # --- parts ---

    def shape(self, largest: float = 0.25) -> Shape:
        """A random one of the stage's kinds."""
        kind, size = str(self.random.choice(self.shapes)), self.random.uniform(0.06, largest, 3)
        if kind == "Sphere":
            return Shape(kind, np.full(3, round(float(size[0]), 3)))
        radius = round(float(min(size[0], 0.12)), 3)
        if kind == "Capsule":
            return Shape(kind, np.array([radius + round(float(size[1]), 3), radius, radius]))
        return Shape(kind, np.round(size, 3))

    def collider(self, shape: Shape) -> str:
        """The collider, with a material now and then."""
        values: Attributes = {}
        if shape.kind == "Sphere":
            values = {"double radius": float(shape.half[0])}
        elif shape.kind == "Capsule":
            height = float(2 * (shape.half[0] - shape.half[1]))
            values = {"double radius": float(shape.half[1]), "double height": height, "uniform token axis": "X"}
        else:
            values = {"double size": 1.0, "float3 xformOp:scale": tuple(map(float, 2 * shape.half)),
                      "uniform token[] xformOpOrder": ["xformOp:scale"]}
        schemas: tuple[str, ...] = ("MaterialBindingAPI",)
        values["rel material:binding"] = f"</World/material{int(self.random.integers(3))}>"
        if self.chance(0.15):
            schemas += ("PhysxCollisionAPI",)
            values |= {"float physxCollision:contactOffset": self.between(0.01, 0.03),
                       "float physxCollision:restOffset": self.between(-0.004, 0.004)}
        elif self.chance(0.1):
            schemas += ("PhysxCollisionAPI",)
            values |= {"float physxCollision:torsionalPatchRadius": self.between(0.0, 0.1),
                       "float physxCollision:minTorsionalPatchRadius": self.between(0.0, 0.02)}
        return collider(shape.kind, "shape", values, schemas)

    def body(self, shape: Shape, position: Vector, turn: Vector, link: bool = False, kinematic: bool = False,
             move: Move | None = None) -> Body:
        """A rigid body at a pose, moved alone or with others; a kinematic one stands. What it returns is not moved."""
        name = self.name("l" if link else "k" if kinematic else "b")
        values: Attributes = {"float physxRigidBody:sleepThreshold": 0.0}
        if kinematic:
            values["bool physics:kinematicEnabled"] = True
        elif not link:
            values |= self.counts("physxRigidBody") | {
                "vector3f physics:velocity": _written(self.vector(1.0)),
                "vector3f physics:angularVelocity": _written(self.vector(90.0))}
        if self.chance(0.2):
            values["float physxRigidBody:maxDepenetrationVelocity"] = self.between(0.5, 4.0)
        place, way = (move or self.move(position)).of(position, turn) if not kinematic else (position, turn)
        values |= {"double3 xformOp:translate": tuple(map(float, place)),
                   "quatd xformOp:orient": tuple(map(float, way)),
                   "uniform token[] xformOpOrder": ["xformOp:translate", "xformOp:orient"]}
        mass: Attributes = {"float physics:density": DENSITY}
        text = prim("Xform", name, (*BODY_SCHEMAS, "PhysicsMassAPI"), values | mass, self.collider(shape))
        (self.inside if link else self.texts).append(text)
        return Body(f"/World/{ROBOT}/{name}" if link else f"/World/{name}", shape, position, turn)

    def counts(self, schema: str) -> Attributes:
        """Iteration counts, now and then none."""
        if self.chance(0.3):
            return {}
        return {f"int {schema}:solverPositionIterationCount": int(self.random.choice([2, 4, 8, 16, 32])),
                f"int {schema}:solverVelocityIterationCount": int(self.random.choice([0, 1, 2]))}

    def ground(self) -> None:
        """A plane or a wide box, and what there are of materials."""
        if self.chance(0.8) or "Cube" not in self.shapes:
            self.texts.append(collider("Plane", "ground", {"uniform token axis": "Z"}))
        else:
            self.texts.append(collider("Cube", "ground", {
                "double size": 1.0, "double3 xformOp:translate": (0.0, 0.0, -0.5), "float3 xformOp:scale": (20, 20, 1),
                "uniform token[] xformOpOrder": ["xformOp:translate", "xformOp:scale"]}))
        for i in range(3):
            friction = self.between(0.1, 1.0)
            values = {"float physics:staticFriction": friction,
                      "float physics:dynamicFriction": round(friction * self.between(0.6, 1.0), 4),
                      "float physics:restitution": self.between(0.2, 0.8) if self.chance(0.3) else 0.0}
            self.texts.append(prim("Material", f"material{i}", ("PhysicsMaterialAPI",), values))

    def text(self) -> str:
        """The stage."""
        values: Attributes = {"vector3f physics:gravityDirection": (0.0, 0.0, -1.0),
                              "float physics:gravityMagnitude": GRAVITY,
                              "bool physxScene:enableGPUDynamics": False,
                              "uniform token physxScene:broadphaseType": "MBP"}
        return HEAD + prim("Xform", "World", (), {}, prim("PhysicsScene", "scene", ("PhysxSceneAPI",), values)
                           + "".join(self.texts))

    # --- articulations ---

    def _join(self, parent: Body, own: Body, at: Vector) -> None:
        kind = str(self.random.choice(["Revolute", "Prismatic", "Spherical", "Fixed"], p=[0.7, 0.12, 0.1, 0.08]))
        frame, schemas, values = self.turned(), (), Attributes()
        if kind in ("Revolute", "Prismatic"):
            token, unit = ("angular", 180.0 / math.pi) if kind == "Revolute" else ("linear", 1.0)
            reach = (70.0, 30.0) if kind == "Revolute" else (0.06, 0.02)
            schemas = (f"PhysicsJointStateAPI:{token}",)
            values = {"uniform token physics:axis": "X", "float physics:lowerLimit": -self.between(reach[1], reach[0]),
                      "float physics:upperLimit": self.between(reach[1], reach[0])}
            values |= state(token, float(self.offset(1)[0]) * unit, self.between(-40.0, 40.0) * (unit > 1.0))
            if self.chance(0.4):
                schemas += (f"PhysicsDriveAPI:{token}",)
                values |= drive(token, stiffness=self.between(0.1, 2.0) if unit > 1.0 else self.between(50.0, 500.0),
                                damping=self.between(0.01, 0.1) if unit > 1.0 else self.between(5.0, 50.0),
                                maxForce=self.between(5.0, 100.0))
        for i, body in enumerate((parent, own)):
            back = body.turn * [1, -1, -1, -1]
            values |= {f"rel physics:body{i}": f"<{body.path}>",
                       f"point3f physics:localPos{i}": _written(rotate(back, at - body.position)),
                       f"quatf physics:localRot{i}": _written(product(back, frame))}
        self.inside.append(prim(f"Physics{kind}Joint", self.name("j"), schemas, values))

    def robot(self, fixed: bool, gap: float, links: int) -> list[Body]:
        """An articulation so far over the ground, its links out of each other in directions of their own.

        It has so many links at most: those that would overlap others are left out.
        """
        root = Body("", self.shape(0.2), np.array([*self.vector(0.2)[:2], 0.0]), self.turned())
        planned, parents, ends = [root], [0], [root.position]
        free = [[sign * axis for axis in np.eye(3) for sign in (-1.0, 1.0)]]
        for _ in range(links - 1):
            parent = int(self.random.integers(max(0, len(planned) - 3), len(planned)))
            way = free[parent].pop(int(self.random.integers(len(free[parent]))))
            own, end = _beside(planned[parent], self.shape(0.18), way)
            if any(_overlap(own, other) for other in planned if other is not planned[parent]):
                continue
            planned.append(own)
            parents.append(parent)
            ends.append(end)
            free.append([way for axis in np.eye(3) for way in (axis, -axis) if way[0] != -1.0])
        lift = np.array([0.0, 0.0, gap - min(own.position[2] - own.shape.reach for own in planned)])
        move = self.move(root.position + lift)      # PhysX may take any link for the root
        found = [self.body(own.shape, own.position + lift, own.turn, link=True, move=move) for own in planned]
        for own, parent, end in zip(found[1:], parents[1:], ends[1:], strict=True):
            self._join(found[parent], own, end + lift)
        self._close(found[0], fixed)
        return found

    def _close(self, root: Body, fixed: bool) -> None:
        """End the articulation with the links it has."""
        if fixed:
            self.inside.append(prim("PhysicsFixedJoint", self.name("j"), (), {
                "rel physics:body1": f"<{root.path}>", "point3f physics:localPos0": _written(root.position),
                "quatf physics:localRot0": _written(root.turn)}))
        values = self.counts("physxArticulation") | {"float physxArticulation:sleepThreshold": 0.0}
        if self.chance(0.4):
            values["bool physxArticulation:enabledSelfCollisions"] = False
        self.texts.append(prim("Xform", ROBOT, (ROOT_API, "PhysxArticulationAPI"), values, "".join(self.inside)))
        self.inside = []


def _beside(parent: Body, shape: Shape, way: Vector) -> tuple[Body, Vector]:
    """A link beside its parent in a direction of the parent's frame, and the point between them."""
    out = rotate(parent.turn, way)
    between = parent.position + (float(np.abs(way) @ parent.shape.half) + 0.01) * out
    return Body("", shape, between + (0.01 + shape.half[0]) * out, product(parent.turn, _towards(way))), between


def _overlap(a: Body, b: Body) -> bool:
    """Whether balls around two shapes do."""
    return bool(np.linalg.norm(a.position - b.position) < a.shape.reach + b.shape.reach)


def _towards(way: Vector) -> Vector:
    """A turn of the x axis into a direction along an axis."""
    if way[0] < -0.5:
        return np.array([0.0, 0.0, 0.0, 1.0])
    return normalized(np.array([1.0 + way[0], *np.cross([1.0, 0.0, 0.0], way)]))


def _written(values: Vector) -> tuple[float, ...]:
    return tuple(round(float(x), 8) for x in values)


# --- families --------------------------------------------------------------------------------------------------------

def pile(w: Writer) -> None:
    """Free bodies over each other."""
    height = 0.0
    for _ in range(int(w.random.integers(2, 7))):
        own = w.shape()
        height += own.reach + 0.02
        w.body(own, np.array([*w.vector(0.15)[:2], height]), w.turned())
        height += own.reach


def fallen(w: Writer) -> None:
    """A robot on a floating base."""
    w.robot(False, w.between(0.02, 0.3), int(w.random.integers(2, 7)))


def standing(w: Writer) -> None:
    """A robot on a fixed base with a body or two that it may hit."""
    w.robot(True, w.between(0.01, 0.1), int(w.random.integers(3, 7)))
    _around(w, int(w.random.integers(0, 3)), 0.8)


def company(w: Writer) -> None:
    """A robot on a floating base among bodies, some of them kinematic."""
    w.robot(False, w.between(0.3, 0.5), int(w.random.integers(2, 6)))
    _around(w, int(w.random.integers(1, 4)), 0.7)
    if w.chance(0.5):
        w.body(Shape("Sphere", np.full(3, 0.15)), np.array([*w.vector(0.3)[:2], 0.1]), IDENTITY, kinematic=True)


def _around(w: Writer, count: int, far: float) -> None:
    """Bodies beside the robot, thrown about."""
    start = w.between(0.0, 6.0)
    for i in range(count):
        own, angle = w.shape(0.15), start + 2.0 * i
        w.body(own, np.array([far * math.cos(angle), far * math.sin(angle), own.reach + w.between(0.0, 0.3)]),
               w.turned())


FAMILIES: Mapping[str, tuple[int, int, Callable[[Writer], None]]] = {      # first seed, how many, what they are
    "piles of bodies": (0, 50, pile),
    "robots that fall": (1000, 50, fallen),
    "robots on fixed bases": (2000, 50, standing),
    "robots among bodies": (3000, 50, company),
}


def touching_scene(seed: int, move: int | None = None) -> str:
    """The stage of a seed of one of the families; with a number, its start is moved in the way of that number."""
    write = next(write for first, count, write in FAMILIES.values() if first <= seed < first + count)
    moved = None if move is None else np.random.default_rng([seed, move])
    writer = Writer(np.random.default_rng([seed, 16]), moved, SHAPES[seed % len(SHAPES)])
    writer.ground()
    write(writer)
    return writer.text()
