"""Random stages of bodies and articulations that joints outside articulations hold together, without colliders.

Trees, stars and loops of free bodies, and articulations on fixed and floating bases with loops, with bodies hung on
their links and with kinematic bodies; every loop starts closed. A stage is a function of its seed; a start that is
moved is the same stage with every body and every joint coordinate off by MOVED.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from support.chance.joint_kinds import KINDS, Joint, random_joint
from support.chance.usda_text import Sampler, Vector, family_of, normalized, product, rotate, to_decimals
from support.stages.parts import ROOT_API, Attributes, axis_values, state
from support.stages.robots import prim

REACH = 0.5         # m
GRAVITY = 9.81      # m/s^2
BODY_SCHEMAS = ("PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI")
ROBOT = "art"
NAMES = 40          # joints and bodies are named by numbers below, in an order of their own


@dataclass(slots=True)
class Body:
    """A body or a link, posed in the world [m]."""

    path: str
    position: Vector
    turn: Vector                # (w, x, y, z)


@dataclass(slots=True)
class Writer(Sampler):
    """A stage in the making."""

    shift: Vector = field(default_factory=lambda: np.zeros(3))      # of everything, m: changes how places are rounded
    length: float = 1.0         # stage units a metre
    bodies: list[Body] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)          # prims of /World
    inside: list[str] = field(default_factory=list)         # prims of the articulation
    names: list[int] = field(default_factory=list)

    # --- parts ---

    def name(self, letter: str) -> str:
        """A new name; their order by path is no order of anything else."""
        return f"{letter}{self.names.pop()}"

    def body(self, position: Vector, turn: Vector, link: bool = False, kinematic: bool = False,
             velocity: bool = True, moves: bool = True) -> Body:
        """A rigid body at a pose; a kinematic one stands."""
        r, path = self.random, f"/World/{ROBOT}/" if link else "/World/"
        name = self.name("l" if link else "k" if kinematic else "b")
        moments = r.uniform(0.03, 0.15, 3)
        moments = np.sort(moments)
        moments[2] = min(moments[2], 0.95 * (moments[0] + moments[1]))
        values: Attributes = {
            "float physics:mass": round(float(r.uniform(0.5, 2.0)), 3),
            "float3 physics:diagonalInertia": to_decimals(moments * self.length**2),
            "point3f physics:centerOfMass": to_decimals(self.vector(0.1) * self.length),
            "quatf physics:principalAxes": to_decimals(self.rotation()),
            "float physxRigidBody:sleepThreshold": 0.0,
            "float physxRigidBody:angularDamping": round(float(r.choice([0.0, 0.05, 0.3])), 3)}
        if kinematic:
            values["bool physics:kinematicEnabled"] = True
        elif velocity:
            values |= {"vector3f physics:velocity": to_decimals(self.vector(0.3) * self.length),
                       "vector3f physics:angularVelocity": to_decimals(self.vector(40.0))}
        if not link and not kinematic:
            values |= self._of_a_body()
        place, way = position + self.shift, turn
        if self.moved is not None and moves and not kinematic:
            place = place + self.offset(3)
            way = normalized(product(np.array([1.0, *0.5 * self.offset(3)]), turn))
        values |= {"double3 xformOp:translate": tuple(float(x) for x in place * self.length),
                   "quatd xformOp:orient": tuple(float(x) for x in way),
                   "uniform token[] xformOpOrder": ["xformOp:translate", "xformOp:orient"]}
        (self.inside if link else self.texts).append(prim("Xform", name, BODY_SCHEMAS, values))
        self.bodies.append(Body(path + name, position, turn))
        return self.bodies[-1]

    def _of_a_body(self) -> Attributes:
        """Settings that only a free body has, each now and then."""
        r, values = self.random, self.counts("physxRigidBody")
        if self.chance(0.1):
            values["bool physxRigidBody:disableGravity"] = True
        if self.chance(0.1):
            values["float physxRigidBody:linearDamping"] = round(float(r.uniform(0.0, 0.5)), 3)
        if self.chance(0.1):
            values["bool physxRigidBody:enableGyroscopicForces"] = False
        if self.chance(0.06):
            values["int physxRigidBody:lockedRotAxis"] = int(r.choice([1, 2, 4]))
        if self.chance(0.06):
            values["int physxRigidBody:lockedPosAxis"] = int(r.choice([1, 2, 4]))
        return values

    def counts(self, schema: str) -> Attributes:
        """Iteration counts, now and then none."""
        if self.chance(0.15):
            return {}
        return {f"int {schema}:solverPositionIterationCount": int(self.random.choice([1, 2, 4, 8, 16, 32])),
                f"int {schema}:solverVelocityIterationCount": int(self.random.choice([0, 1, 2, 4]))}

    def hold(self, body0: Body | None, body1: Body | None, joint: Joint, at: Vector, turn: Vector,
             excluded: bool = True, inside: bool = False, more: Attributes | None = None) -> str:
        """A joint whose frame of body0 is at a pose in the world, and that of body1 as the joint says; its path."""
        ends = [(body0, (at, turn)), (body1, (at + rotate(turn, joint.shift), product(turn, joint.turn)))]
        if self.chance(0.3) and joint.kind and not inside:      # a generic joint's axes are those of body0
            ends.reverse()
        own = [self._seen_from(body, pose) for body, pose in ends]
        values: Attributes = {f"rel physics:body{i}": f"<{body.path}>"
                              for i, (body, _) in enumerate(ends) if body is not None}
        values |= {f"point3f physics:localPos{i}": to_decimals(place[0] * self.length) for i, place in enumerate(own)}
        values |= {f"quatf physics:localRot{i}": to_decimals(place[1]) for i, place in enumerate(own)}
        if joint.axis:
            values["uniform token physics:axis"] = joint.axis
        if excluded:
            values["bool physics:excludeFromArticulation"] = True
        name = self.name("j")
        text = prim(f"Physics{joint.kind}Joint", name, joint.schemas, {**values, **joint.values, **(more or {})})
        (self.inside if inside else self.texts).append(text)
        return f"/World/{ROBOT}/{name}" if inside else f"/World/{name}"

    def _seen_from(self, body: Body | None, pose: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
        if body is None:
            return pose[0] + self.shift, pose[1]
        back = body.turn * [1, -1, -1, -1]
        return rotate(back, pose[0] - body.position), normalized(product(back, pose[1]))

    def attach(self, body0: Body | None, body1: Body, kinds: tuple[str, ...] = tuple(KINDS), excluded: bool = True
               ) -> str:
        """A random joint between two bodies where they stand."""
        near = (body1 if body0 is None else body0).position + self.vector(0.3)
        return self.hold(body0, body1, random_joint(self.random, self.length, kinds), near, self.rotation(), excluded)

    def text(self) -> str:
        """The stage, its prims in an order that says nothing."""
        values: Attributes = {"vector3f physics:gravityDirection": (0.0, 0.0, -1.0),
                              "float physics:gravityMagnitude": GRAVITY * self.length,
                              "bool physxScene:enableGPUDynamics": False,
                              "uniform token physxScene:broadphaseType": "MBP"}
        if self.chance(0.1):
            values["bool physxScene:enableExternalForcesEveryIteration"] = False
        parts = [self.texts[i] for i in self.random.permutation(len(self.texts))]
        head = (f'#usda 1.0\n(\n    defaultPrim = "World"\n    metersPerUnit = {1.0 / self.length!r}\n'
                '    kilogramsPerUnit = 1.0\n    upAxis = "Z"\n)\n')
        return head + prim("Xform", "World", (), {}, prim("PhysicsScene", "scene", ("PhysxSceneAPI",), values)
                           + "".join(parts))

    # --- an articulation ---

    def base(self, floating: bool) -> Body:
        """The root link of the articulation, which the world holds unless it floats."""
        found = self.body(self.vector(0.3), self.rotation(), link=True, velocity=floating)
        if not floating:
            self.hold(None, found, Joint("Fixed"), found.position, found.turn, False, True)
        return found

    def close_robot(self, enabled: bool = True) -> None:
        """End the articulation with the links it has."""
        values = self.counts("physxArticulation") | {"float physxArticulation:sleepThreshold": 0.0}
        if not enabled:
            values["bool physxArticulation:articulationEnabled"] = False
        self.texts.append(prim("Xform", ROBOT, (ROOT_API, "PhysxArticulationAPI"), values, "".join(self.inside)))
        self.inside = []

    def child(self, parent: Body, kind: str) -> tuple[Body, str]:
        """A link, and the path of the joint that holds it, which stands where its state says."""
        at, turn = parent.position + rotate(parent.turn, self.vector(0.4)), self.rotation()
        joint = random_joint(self.random, self.length, (kind,))
        # soft limits are no concern here: what a loop does is
        schemas = tuple(name for name in joint.schemas if "Limit" not in name)
        values = {name: value for name, value in joint.values.items() if "Limit:" not in name}
        axis = np.eye(3)["XYZ".index(joint.axis)] if joint.axis else np.zeros(3)
        angle = 2.0 * math.asin(float(joint.turn[1:] @ axis))
        start = angle if kind == "Revolute" else float(joint.shift @ axis)
        if kind != "Fixed":
            token = "angular" if kind == "Revolute" else "linear"
            unit = 180.0 / math.pi if kind == "Revolute" else self.length
            schemas += (f"PhysicsJointStateAPI:{token}",)
            values |= state(token, float(start + self.offset(1)[0]) * unit, float(self.vector(0.3)[0]) * unit)
            if self.chance(0.2):
                schemas += (f"PhysxJointAxisAPI:{token}",)
                values |= axis_values(token, armature=0.02 * (self.length**2 if kind == "Revolute" else 1.0))
        other = at + rotate(turn, joint.shift), product(turn, joint.turn)
        local, local_turn = self.vector(0.3), self.rotation()
        body_turn = product(other[1], local_turn * [1, -1, -1, -1])
        child = self.body(other[0] - rotate(body_turn, local), body_turn, link=True, velocity=False, moves=False)
        return child, self.hold(parent, child, Joint(kind, schemas, values, joint.axis, joint.shift, joint.turn),
                                at, turn, False, True)


# --- families --------------------------------------------------------------------------------------------------------

def tree(w: Writer) -> None:
    """Free bodies, each hung on one before it, on the world or on a kinematic body."""
    post = w.body(w.vector(0.5), w.rotation(), kinematic=True) if w.chance(0.4) else None
    hung: list[Body] = []
    for i in range(int(w.random.integers(2, 6))):
        own = w.body(w.vector(0.8), w.rotation())
        held = post if i and w.chance(0.2) else hung[int(w.random.integers(i))] if i and w.chance(0.85) else None
        w.attach(held, own)
        hung.append(own)


def star(w: Writer) -> None:
    """A hub with bodies around it, some of which the world or each other hold as well."""
    hub = w.body(w.vector(0.2), w.rotation())
    around = [w.body(w.vector(0.9), w.rotation()) for _ in range(int(w.random.integers(3, 6)))]
    for own in around:
        w.attach(hub, own)
    for _ in range(2):
        first, second = w.random.permutation(len(around))[:2]
        w.attach(around[first], around[second], ("Spherical", "Distance", "D6"))
    w.attach(None, around[0], ("Spherical", "Prismatic", "Distance"))


def loop(w: Writer) -> None:
    """Bodies in rings, closed over the world or through themselves."""
    ring: list[Body | None] = [w.body(w.vector(0.8), w.rotation()) for _ in range(int(w.random.integers(3, 6)))]
    ends = [None, *ring, None] if w.chance(0.6) else [*ring, ring[0]]
    for first, second in pairwise(ends):
        own = (first, second) if second is not None else (second, first)
        w.attach(own[0], own[1], ("Revolute", "Spherical", "Distance", "D6", "Prismatic"))  # type: ignore[arg-type]


def robot(w: Writer, floating: bool) -> None:
    """An articulation with up to two loops of its own, held at the world or at a kinematic body, and free bodies."""
    links = [w.base(floating)]
    for _ in range(int(w.random.integers(2, 6))):
        kind = str(w.random.choice(["Revolute", "Prismatic", "Fixed"], p=[0.65, 0.25, 0.1]))
        links.append(w.child(links[int(w.random.integers(len(links)))], kind)[0])
    w.close_robot(floating or w.chance(0.9))
    post = w.body(w.vector(0.5), w.rotation(), kinematic=True) if w.chance(0.4) else None
    for _ in range(int(w.random.integers(0, 3))):
        w.attach(links[int(w.random.integers(len(links)))], w.body(w.vector(0.9), w.rotation()))
    for _ in range(int(w.random.integers(1, 3))):
        first, second = w.random.permutation(len(links))[:2]
        if w.chance(0.5):
            w.attach(links[first], links[second])
        else:
            w.attach(post if w.chance(0.5) else None, links[first])


def gears(w: Writer) -> None:
    """A gear, or a rack and pinion: of bodies that the world holds, of links, or of one of each."""
    rack, place = w.chance(0.5), str(w.random.choice(["outside", "inside", "between"]))
    base = w.base(False) if place != "outside" else None
    parts = [_geared(w, base if place == "inside" or i == 0 else None, rack and i == 1) for i in range(2)]
    values: Attributes = {}
    if base:
        w.close_robot()
        values["bool physics:excludeFromArticulation"] = True
    named = ("hinge", "prismatic") if rack else ("hinge0", "hinge1")
    ratio = round(float(w.random.choice([-1, 1]) * w.random.uniform(0.5, 2.0)), 3)
    ratio = ratio * 90.0 / w.length if rack else ratio
    values |= {f"rel physics:body{i}": f"<{part[0].path}>" for i, part in enumerate(parts)}
    values |= {f"rel physics:{name}": f"<{part[1]}>" for name, part in zip(named, parts, strict=True)}
    kind = "RackAndPinion" if rack else "Gear"
    w.texts.append(prim(f"PhysxPhysics{kind}Joint", w.name("g"), (), values | {
        f"float physics:{'ratio' if rack else 'gearRatio'}": ratio}))


def _geared(w: Writer, base: Body | None, slides: bool) -> tuple[Body, str]:
    """A wheel or a rack, and the joint it turns or slides on: of the articulation where it has a base."""
    kind = "Prismatic" if slides else "Revolute"
    if base is not None:
        return w.child(base, kind)
    own, joint = w.body(w.vector(0.8), w.rotation()), random_joint(w.random, w.length, (kind,))
    return own, w.hold(None, own, joint, own.position + w.vector(0.2), w.rotation(), False)


FAMILIES: Mapping[str, tuple[int, int, Callable[[Writer], None]]] = {      # first seed, how many, what they are
    "free trees": (0, 40, tree),
    "stars": (1000, 30, star),
    "loops of free bodies": (2000, 40, loop),
    "robots on fixed bases": (3000, 35, lambda w: robot(w, False)),
    "robots on floating bases": (4000, 35, lambda w: robot(w, True)),
    "gears and racks": (5000, 20, gears),
}


def jointed_scene(seed: int, move: int | None = None, place: int | None = None) -> str:
    """The stage of a seed of one of the families; with a number, its start is moved in the way of that number.

    place: a number of the place that all of it is moved to together, up to REACH from where it is.
    """
    write = family_of(seed, FAMILIES)
    random = np.random.default_rng([seed, 15])
    length = float(random.choice([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 100.0]))
    moved = None if move is None else np.random.default_rng([seed, move])
    shift = np.zeros(3) if place is None else np.random.default_rng([seed, place]).uniform(-REACH, REACH, 3)
    writer = Writer(random, moved, shift, length, names=list(map(int, random.permutation(NAMES))))
    write(writer)
    return writer.text()
