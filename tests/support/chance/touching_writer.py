"""Random stages of touching links and bodies in the making: bodies, articulations and what stands still.

A stage is a function of its seed; a start that is moved is the same stage with every free body, every articulation as a
whole and every joint coordinate off by MOVED.

Shapes that random stages of touching things are made of, as prims of a collider each.

Fixed tendons and mimic joints of random articulations that touch.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from support.chance.usda_text import Sampler, Vector, normalized, product, rotate, to_decimals
from support.stages.parts import ROOT_API, Attributes, collider, drive, state
from support.stages.robots import prim

Random = np.random.Generator
ROUND = ("Capsule", "Cylinder", "Cone")         # what has a radius and an axis
HULL, COMPOUND = "Mesh", "Compound"
HULL_POINTS = (6, 8, 12, 20)
Collider = tuple[str, Attributes, tuple[str, ...]]      # kind of the prim, what it says, what is applied to it


@dataclass(frozen=True, slots=True)
class Shape:
    """A collider along the x axis of what it is of, or several of them in a row."""

    kind: str
    half: Vector                # of a box around it
    points: tuple[tuple[float, ...], ...] = ()      # of a hull
    parts: tuple[tuple[float, Shape], ...] = ()     # of a compound, with where on the x axis they are

    @property
    def reach(self) -> float:
        """Radius of a ball around it."""
        return float(self.half.max() if self.kind in ("Sphere", "Capsule") else np.linalg.norm(self.half))

    def colliders(self) -> Iterator[Collider]:
        """What it is made of."""
        if self.kind == COMPOUND:
            for place, part in self.parts:
                yield from ((kind, _shifted(values, place), schemas) for kind, values, schemas in part.colliders())
        elif self.kind == HULL:
            yield self.kind, self._of_hull(), ("PhysicsMeshCollisionAPI",)
        else:
            yield self.kind, self._of_primitive(), ()

    def _of_primitive(self) -> Attributes:
        if self.kind == "Sphere":
            return {"double radius": float(self.half[0])}
        if self.kind in ROUND:
            caps = self.half[1] if self.kind == "Capsule" else 0.0
            return {"double radius": float(self.half[1]), "double height": float(2 * (self.half[0] - caps)),
                    "uniform token axis": "X"}
        return {"double size": 1.0, "float3 xformOp:scale": tuple(map(float, 2 * self.half)),
                "uniform token[] xformOpOrder": ["xformOp:scale"]}

    def _of_hull(self) -> Attributes:
        corners = [i for k in range(1, len(self.points) - 1) for i in (0, k, k + 1)]
        return {"point3f[] points": list(self.points), "int[] faceVertexCounts": [3] * (len(corners) // 3),
                "int[] faceVertexIndices": corners, "uniform token physics:approximation": "convexHull"}


def _shifted(values: Attributes, place: float) -> Attributes:
    """A collider's opinions, moved along the x axis."""
    order = ["xformOp:translate", *(["xformOp:scale"] if "float3 xformOp:scale" in values else [])]
    return values | {"double3 xformOp:translate": (place, 0.0, 0.0), "uniform token[] xformOpOrder": order}


def random_shape(random: Random, kinds: tuple[str, ...], largest: float) -> Shape:
    """One of some kinds, so large at most."""
    kind, size = str(random.choice(kinds)), random.uniform(0.06, largest, 3)
    if kind == COMPOUND:
        return _row(random, tuple(kind for kind in kinds if kind != COMPOUND), 0.6 * largest)
    if kind == HULL:
        return _hull(random, np.round(size, 3))
    if kind == "Sphere":
        return Shape(kind, np.full(3, round(float(size[0]), 3)))
    radius = round(float(min(size[0], 0.12)), 3)
    if kind == "Capsule":
        return Shape(kind, np.array([radius + round(float(size[1]), 3), radius, radius]))
    if kind in ROUND:
        return Shape(kind, np.array([round(float(size[1]), 3), radius, radius]))
    return Shape(kind, np.round(size, 3))


def _hull(random: Random, half: Vector) -> Shape:
    """Of points on an ellipsoid, the ends of its x axis among them."""
    ways = random.normal(size=(int(random.choice(HULL_POINTS)), 3))
    ways = np.vstack([ways / np.linalg.norm(ways, axis=1, keepdims=True), [(1, 0, 0), (-1, 0, 0)]])
    return Shape(HULL, half, tuple(tuple(round(float(x), 5) for x in way * half) for way in ways))


def _row(random: Random, kinds: tuple[str, ...], largest: float) -> Shape:
    """Two shapes that run into each other by a little."""
    parts = [random_shape(random, kinds, largest) for _ in range(2)]
    length = sum(part.half[0] for part in parts) - 0.01
    places = (parts[0].half[0] - length, length - parts[1].half[0])
    half = np.maximum(parts[0].half, parts[1].half)
    return Shape(COMPOUND, np.array([length, half[1], half[2]]), (), tuple(
        (round(float(place), 5), part) for place, part in zip(places, parts, strict=True)))


def prims(shape: Shape, said: Attributes, schemas: tuple[str, ...]) -> str:
    """The colliders of a shape, each with more opinions."""
    return "".join(collider(kind, f"shape{i}" if i else "shape", own | said, (*applied, *schemas))
                   for i, (kind, own, applied) in enumerate(shape.colliders()))


# --- touching couplings ----------------------------------------------------------------------------------------------

ROBOT = "art"
SINGLE = ("Revolute", "Prismatic")


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint of an articulation, before it is written."""

    kind: str
    name: str
    parent: int                 # place of its parent link's joint among the joints; -1 at the root
    schemas: list[str]
    values: Attributes


def couple(random: Random, joints: list[Joint]) -> None:
    """Hold joints of one degree of freedom together: a tendon along a branch, or one joint that follows another."""
    single = [i for i, joint in enumerate(joints) if joint.kind in SINGLE]
    if len(single) > 1 and random.random() < 0.4:
        follower, reference = (joints[int(i)] for i in random.choice(single, 2, replace=False))
        _follow(random, follower, reference)
    elif single:
        _string(random, [joints[i] for i in _branch(joints, int(random.choice(single)))])


def _branch(joints: list[Joint], last: int) -> list[int]:
    """The joints of one degree of freedom without another between them, up to one of them."""
    found = [last]
    while (above := joints[found[0]].parent) >= 0 and joints[above].kind in SINGLE:
        found.insert(0, above)
    return found


def _string(random: Random, joints: list[Joint]) -> None:
    """A fixed tendon, which pulls towards where it starts."""
    for i, joint in enumerate(joints):
        unit = 180.0 / math.pi if joint.kind == "Revolute" else 1.0
        joint.schemas.append(f"PhysxTendonAxis{'' if i else 'Root'}API:t")
        gearing = float(random.uniform(0.3, 1.5))
        joint.values["float[] physxTendon:t:gearing"] = [round(gearing / unit, 6)]
        joint.values["float[] physxTendon:t:forceCoefficient"] = [round(gearing, 6)]
        if i == 0:
            joint.values["float physxTendon:t:stiffness"] = round(float(random.uniform(2.0, 20.0)), 4)
            joint.values["float physxTendon:t:damping"] = round(float(random.uniform(0.1, 1.0)), 4)


def _follow(random: Random, follower: Joint, reference: Joint) -> None:
    """A soft mimic joint."""
    units = [180.0 / math.pi if joint.kind == "Revolute" else 1.0 for joint in (follower, reference)]
    follower.schemas.append("PhysxMimicJointAPI:rotX")
    follower.values.update({
        "rel physxMimicJoint:rotX:referenceJoint": f"</World/{ROBOT}/{reference.name}>",
        "float physxMimicJoint:rotX:gearing": round(float(random.uniform(-1.2, 1.2)) * units[0] / units[1], 5),
        "float physxMimicJoint:rotX:naturalFrequency": round(float(random.uniform(5.0, 30.0)), 3),
        "float physxMimicJoint:rotX:dampingRatio": round(float(random.uniform(0.2, 1.2)), 3)})


# --- touching writer -------------------------------------------------------------------------------------------------

GRAVITY = 9.81      # m/s^2
DENSITY = 500.0     # kg/m^3
BODY_SCHEMAS = ("PhysicsRigidBodyAPI", "PhysxRigidBodyAPI")
MATERIALS = 3
COMBINED = ("average", "min", "multiply", "max")
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
TIME_CODES = 24     # a second, as USD has it unauthored
PUSHED = 1          # s
HEAD = ('#usda 1.0\n(\n    defaultPrim = "World"\n    metersPerUnit = 1.0\n    kilogramsPerUnit = 1.0\n'
        '    upAxis = "Z"\n)\n')


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
class Writer(Sampler):
    """A stage in the making."""

    shapes: tuple[str, ...]
    solver: str = "TGS"
    varied: bool = False        # materials that combine in their own way, tendons and mimic joints now and then
    floor: float = 0.0          # how high the ground may reach
    texts: list[str] = field(default_factory=list)          # prims of /World
    inside: list[str] = field(default_factory=list)         # links of the articulation
    joints: list[Joint] = field(default_factory=list)       # of the articulation, in the order of their links
    bodies: list[Body] = field(default_factory=list)
    count: int = 0

    def between(self, low: float, high: float) -> float:
        return round(float(self.random.uniform(low, high)), 4)

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
        return random_shape(self.random, self.shapes, largest)

    def colliders(self, shape: Shape) -> str:
        """The colliders of a shape, with settings now and then."""
        values: Attributes = {"rel material:binding": f"</World/material{int(self.random.integers(MATERIALS))}>"}
        schemas: tuple[str, ...] = ("MaterialBindingAPI",)
        if self.chance(0.15):
            schemas += ("PhysxCollisionAPI",)
            values |= {"float physxCollision:contactOffset": self.between(0.01, 0.03),
                       "float physxCollision:restOffset": self.between(-0.004, 0.004)}
        elif self.chance(0.1):
            schemas += ("PhysxCollisionAPI",)
            values |= {"float physxCollision:torsionalPatchRadius": self.between(0.0, 0.1),
                       "float physxCollision:minTorsionalPatchRadius": self.between(0.0, 0.02)}
        return prims(shape, values, schemas)

    def body(self, shape: Shape, position: Vector, turn: Vector, link: bool = False, move: Move | None = None,
             apart: Body | None = None) -> Body:
        """A rigid body or a link at a pose, moved alone or with others. What it returns is not moved.

        apart: another one that it never touches.
        """
        values: Attributes = {"float physxRigidBody:sleepThreshold": 0.0}
        if not link:
            values |= self.counts("physxRigidBody") | {
                "vector3f physics:velocity": to_decimals(self.vector(1.0)),
                "vector3f physics:angularVelocity": to_decimals(self.vector(90.0))}
        if self.chance(0.2):
            values["float physxRigidBody:maxDepenetrationVelocity"] = self.between(0.5, 4.0)
        schemas: tuple[str, ...] = ("PhysicsMassAPI",)
        if apart is not None:
            schemas += ("PhysicsFilteredPairsAPI",)
            values["rel physics:filteredPairs"] = f"<{apart.path}>"
        return self._prim("l" if link else "b", Body("", shape, position, turn), move or self.move(position),
                          values | {"float physics:density": DENSITY}, schemas)

    def sleeper(self, shape: Shape, position: Vector) -> Body:
        """A level body that is asleep until something wakes it."""
        return self._prim("s", Body("", shape, position, IDENTITY), self.move(position), {
            "bool physics:startsAsleep": True, "float physics:density": DENSITY}, ("PhysicsMassAPI",))

    def kinematic(self, shape: Shape, position: Vector, turn: Vector, end: Vector | None = None) -> Body:
        """A kinematic body that stands, or that goes evenly to another place within PUSHED."""
        found = Body("", shape, position, turn)
        ways: Attributes = {} if end is None else {"double3 xformOp:translate.timeSamples": {
            0: to_decimals(position), PUSHED * TIME_CODES: to_decimals(end)}}
        return self._prim("k", found, Move(position, np.zeros(3), IDENTITY),
                          {"bool physics:kinematicEnabled": True} | ways, ())

    def _prim(self, letter: str, body: Body, move: Move, values: Attributes, schemas: tuple[str, ...]) -> Body:
        name, link = self.name(letter), letter == "l"
        place, way = move.of(body.position, body.turn)
        placed: Attributes = {"double3 xformOp:translate": tuple(map(float, place)),
                              "quatd xformOp:orient": tuple(map(float, way)),
                              "uniform token[] xformOpOrder": ["xformOp:translate", "xformOp:orient"]}
        text = prim("Xform", name, (*BODY_SCHEMAS, *schemas), placed | values, self.colliders(body.shape))
        (self.inside if link else self.texts).append(text)
        self.bodies.append(replace(body, path=f"/World/{ROBOT}/{name}" if link else f"/World/{name}"))
        return self.bodies[-1]

    def counts(self, schema: str) -> Attributes:
        """Iteration counts, now and then none."""
        if self.chance(0.3):
            return {}
        return {f"int {schema}:solverPositionIterationCount": int(self.random.choice([2, 4, 8, 16, 32])),
                f"int {schema}:solverVelocityIterationCount": int(self.random.choice([0, 1, 2]))}

    def materials(self) -> None:
        """What there are of materials."""
        for i in range(MATERIALS):
            friction = self.between(0.1, 1.0)
            values: Attributes = {"float physics:staticFriction": friction,
                                  "float physics:dynamicFriction": round(friction * self.between(0.6, 1.0), 4),
                                  "float physics:restitution": self.between(0.2, 0.8) if self.chance(0.3) else 0.0}
            schemas: tuple[str, ...] = ("PhysicsMaterialAPI",)
            if self.varied and self.chance(0.4):
                schemas += ("PhysxMaterialAPI",)
                values |= {f"uniform token physxMaterial:{of}CombineMode": str(self.random.choice(COMBINED))
                           for of in ("friction", "restitution")}
            self.texts.append(prim("Material", f"material{i}", schemas, values))

    def text(self) -> str:
        """The stage."""
        values: Attributes = {"vector3f physics:gravityDirection": (0.0, 0.0, -1.0),
                              "float physics:gravityMagnitude": GRAVITY,
                              "bool physxScene:enableGPUDynamics": False,
                              "uniform token physxScene:broadphaseType": "MBP"}
        if self.solver != "TGS":
            values["uniform token physxScene:solverType"] = self.solver
        return HEAD + prim("Xform", "World", (), {}, prim("PhysicsScene", "scene", ("PhysxSceneAPI",), values)
                           + "".join(self.texts))

    # --- articulations ---

    def _join(self, bodies: tuple[Body, Body], at: Vector, parent: int) -> None:
        """Plan the joint of two links, the first of which hangs on the joint of that place."""
        kind = str(self.random.choice(["Revolute", "Prismatic", "Spherical", "Fixed"], p=[0.7, 0.12, 0.1, 0.08]))
        frame, schemas, values = self.rotation(), list[str](), Attributes()
        if kind in ("Revolute", "Prismatic"):
            token, unit = ("angular", 180.0 / math.pi) if kind == "Revolute" else ("linear", 1.0)
            reach = (70.0, 30.0) if kind == "Revolute" else (0.06, 0.02)
            schemas = [f"PhysicsJointStateAPI:{token}"]
            values = {"uniform token physics:axis": "X", "float physics:lowerLimit": -self.between(reach[1], reach[0]),
                      "float physics:upperLimit": self.between(reach[1], reach[0])}
            values |= state(token, float(self.offset(1)[0]) * unit, self.between(-40.0, 40.0) * (unit > 1.0))
            if self.chance(0.4):
                schemas.append(f"PhysicsDriveAPI:{token}")
                values |= drive(token, stiffness=self.between(0.1, 2.0) if unit > 1.0 else self.between(50.0, 500.0),
                                damping=self.between(0.01, 0.1) if unit > 1.0 else self.between(5.0, 50.0),
                                maxForce=self.between(5.0, 100.0))
        for i, body in enumerate(bodies):
            back = body.turn * [1, -1, -1, -1]
            values |= {f"rel physics:body{i}": f"<{body.path}>",
                       f"point3f physics:localPos{i}": to_decimals(rotate(back, at - body.position)),
                       f"quatf physics:localRot{i}": to_decimals(product(back, frame))}
        self.joints.append(Joint(kind, self.name("j"), parent, schemas, values))

    def robot(self, fixed: bool, gap: float, links: int) -> list[Body]:
        """An articulation so far over the ground, its links out of each other in directions of their own.

        It has so many links at most: those that would overlap others are left out.
        """
        root = Body("", self.shape(0.2), np.array([*self.vector(0.2)[:2], 0.0]), self.rotation())
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
            self._join((found[parent], own), end + lift, parent - 1)
        if self.varied and self.chance(0.3):
            couple(self.random, self.joints)
        self._close(found[0], fixed)
        return found

    def _close(self, root: Body, fixed: bool) -> None:
        """End the articulation with the links and joints it has."""
        self.inside += [prim(f"Physics{joint.kind}Joint", joint.name, joint.schemas, joint.values)
                        for joint in self.joints]
        if fixed:
            self.inside.append(prim("PhysicsFixedJoint", self.name("j"), (), {
                "rel physics:body1": f"<{root.path}>", "point3f physics:localPos0": to_decimals(root.position),
                "quatf physics:localRot0": to_decimals(root.turn)}))
        values = self.counts("physxArticulation") | {"float physxArticulation:sleepThreshold": 0.0}
        if self.chance(0.4):
            values["bool physxArticulation:enabledSelfCollisions"] = False
        self.texts.append(prim("Xform", ROBOT, (ROOT_API, "PhysxArticulationAPI"), values, "".join(self.inside)))
        self.inside, self.joints = [], []


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
