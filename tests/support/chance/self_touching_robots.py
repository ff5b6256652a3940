"""Random robots with colliders: those that touch themselves, and those that come to rest.

Random robots that touch themselves: mirrored legs beside a body, and fingers that close on each other.

Joints are of all kinds that PhysX has in articulations, with body0 and body1 in either order, many away from 0 at the
start; bases are fixed or float, and some scenes have PGS. A start is moved by turning the robot by 3e-7 rad.

Random robots with colliders that come to rest, and edits of their values while they sleep.

A stage is a function of its seed. It has one or two robots of hinged boxes, on the ground or weightless, and perhaps a
box beside them. Edits begin once everything sleeps, so that a wake-up is seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from pxr import Sdf, Usd

from support.chance.joint_kinds import about
from support.chance.usda_text import Vector, family_of, normalized
from support.stages.iteration_stages import prim as resting_prim
from support.stages.iteration_stages import stage
from support.stages.parts import Attributes, drive, frames, limit, scene, state
from support.stages.resting_stages import GROUND, body
from support.stages.resting_stages import placed as resting_placed
from support.stages.robots import HEAD, placed, prim

Random = np.random.Generator
TURN = 3e-7                     # rad, three units of float32's last place
STILL = np.array([1.0, 0.0, 0.0, 0.0])
KINDS = ("Revolute", "Revolute", "Revolute", "Prismatic", "Spherical", "")
# Of seeds whose first draw flies apart, in PhysX too.
DRAWS = {4: 33, 8: 33, 11: 33, 12: 33, 13: 33, 18: 33}
SLIGHT, WIDE = 1.0, 12.0        # degrees, and millimetres, of a joint at the start at most


class Robot:
    """A robot in the making: links with one collider each, and the joints that they hang on."""

    def __init__(self, random: Random) -> None:
        self.random, self.parts = random, list[str]()
        self.floating = bool(random.random() < 0.4)
        self.pgs = bool(random.random() < 0.15)

    def between(self, low: float, high: float) -> float:
        return round(float(self.random.uniform(low, high)), 4)

    def rotation(self) -> Vector:
        """Of principal axes or a joint frame."""
        return np.round(normalized(self.random.normal(size=4)), 6)

    def link(self, name: str, at: Vector, mass: float, collider: str, center: Vector, axes: Vector) -> None:
        """A link that stands upright at the start."""
        moments = mass * np.array([0.005, 0.006, 0.007])
        self.parts.append(prim("Xform", name, ("PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI"), {
            "float physxRigidBody:maxDepenetrationVelocity": 1.0,       # else some fly apart, in PhysX too
            "float physics:mass": mass, "point3f physics:centerOfMass": _tuple(center),
            "float3 physics:diagonalInertia": _tuple(moments), "quatf physics:principalAxes": _tuple(axes),
            **placed(_tuple(at))}, collider))

    def joint(self, name: str, kind: str, parent: str, child: str, ends: tuple[Vector, Vector], axis: str,
              turn: Vector, swapped: bool, values: Attributes, schemas: tuple[str, ...]) -> None:
        """A joint whose frames are turned alike at both ends."""
        bodies, places = (parent, child), ends
        if swapped:
            bodies, places = bodies[::-1], places[::-1]
        own = frames(_tuple(places[0]), _tuple(places[1]), _tuple(turn), _tuple(turn), axis)
        if kind in ("", "Fixed"):
            own.pop("uniform token physics:axis")
        held = {f"rel physics:body{i}": f"</Robot/{body}>" for i, body in enumerate(bodies)}
        self.parts.append(prim(f"Physics{kind}Joint", name, schemas, {**held, **own, **values}))

    def text(self, move: int | None, gravity: float) -> str:
        """The stage."""
        solver: dict[str, Any] = {"uniform token physxScene:solverType": "PGS"} if self.pgs else {}
        held = {"rel physics:body1": "</Robot/base>"}
        anchor = "" if self.floating else prim("PhysicsFixedJoint", "anchor", (), held)
        moved = np.random.default_rng(move).normal(size=3) if move is not None else np.array([1.0, 0.0, 0.0])
        turn = about(moved / np.linalg.norm(moved), 0.0 if move is None else TURN)
        place: Attributes = {"quatd xformOp:orient": _tuple(turn), "uniform token[] xformOpOrder": ["xformOp:orient"]}
        root = prim("Xform", "Robot", ("PhysicsArticulationRootAPI", "PhysxArticulationAPI"), place,
                    "".join(self.parts) + anchor)
        return HEAD.format(meters=1.0, kilograms=1.0) + root + scene(gravity, **solver)


def _tuple(values: Any) -> tuple[float, ...]:
    return tuple(map(float, values))


def _mirrored(values: Vector) -> Vector:
    """On the other side of the plane y = 0: of a place, or of a rotation (w, x, y, z)."""
    return values * ([1.0, -1.0, 1.0] if len(values) == 3 else [1.0, -1.0, 1.0, -1.0])


def _box(center: Vector, half: Vector) -> str:
    """A collider whose size is its scale, so that faces are where they are authored."""
    return prim("Cube", "shape", ("PhysicsCollisionAPI",), {"double size": 2.0, **placed(_tuple(center), _tuple(half))})


def _capsule(center: Vector, radius: float, height: float) -> str:
    return prim("Capsule", "shape", ("PhysicsCollisionAPI",), {
        "double radius": radius, "double height": height, "uniform token axis": "Z", **placed(_tuple(center))})


def _hull(center: Vector, half: Vector, taper: float) -> str:
    """A box of which the upper face is smaller."""
    corners = [(x * (1 - taper * (z > 0)), y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    return prim("Mesh", "shape", ("PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"), {
        "uniform token physics:approximation": "convexHull",
        "point3f[] points": [_tuple(center + half * corner) for corner in np.array(corners)],
        "int[] faceVertexCounts": [4] * 6,
        "int[] faceVertexIndices": [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3]})


def _free(robot: Robot, kind: str, sign: float, most: float) -> tuple[Attributes, tuple[str, ...]]:
    """What a joint authors of its axes, mirrored where the sign is -1; at the start it has turned so far at most."""
    r, values, schemas = robot.random, Attributes(), list[str]()
    turn = sign * robot.between(-most, most)
    if kind == "Prismatic":
        schemas += ["PhysicsDriveAPI:linear", "PhysicsJointStateAPI:linear"]
        values |= drive("linear", stiffness=40.0, damping=2.0)
        values |= state("linear", 1e-3 * turn)
    elif kind == "Revolute":
        schemas += ["PhysicsDriveAPI:angular", "PhysicsJointStateAPI:angular"]
        values |= drive("angular", stiffness=0.02, damping=0.002, targetPosition=sign * robot.between(-20.0, 20.0))
        values |= state("angular", turn)
    elif kind == "":
        turning = str(r.choice(["XY", "XZ", "YZ", "XYZ", "X"]))
        for token in ("transX", "transY", "transZ", *(f"rot{a}" for a in "XYZ" if a not in turning)):
            schemas.append(f"PhysicsLimitAPI:{token}")
            values |= limit(token, 1.0, -1.0)
        for token in (f"rot{a}" for a in turning):
            schemas += [f"PhysicsDriveAPI:{token}", f"PhysicsJointStateAPI:{token}"]
            values |= drive(token, stiffness=0.02, damping=0.002)
            values |= state(token, 0.5 * sign * robot.between(-most, most))
    return values, tuple(schemas)


def legs(robot: Robot) -> float:
    """A body with one or two pairs of mirrored legs, whose thighs touch it; how strongly they fall."""
    r = robot.random
    half = np.array([0.19, 0.05, 0.06])
    robot.link("base", np.zeros(3), 6.0, _hull(np.zeros(3), half, 0.0), robot.random.uniform(-0.02, 0.02, 3),
               robot.rotation())
    for pair, front in enumerate((1.0, -1.0)[:int(r.integers(1, 3))]):
        kinds = [str(kind) for kind in r.choice(KINDS, 2)]
        swapped = [bool(swap) for swap in r.random(2) < 0.3]
        start = [SLIGHT * bool(away) for away in r.random(2) < 0.5]
        hip, reach = np.array([front * robot.between(0.15, 0.2), 0.0465, 0.0]), robot.between(0.07, 0.1)
        center, axes, turn = r.uniform(-0.02, 0.02, 3).round(4), robot.rotation(), robot.rotation()
        shape, size = int(r.integers(3)), np.array([robot.between(0.02, 0.04), 0.03, robot.between(0.06, 0.09)])
        at = np.array([0.0, robot.between(0.0315, 0.0345) - reach, -0.06])   # 2 mm inside the body to 1 mm beside it
        seed = int(r.integers(1 << 30))
        for side, sign in (("L", 1.0), ("R", -1.0)):
            own = (lambda values: values) if sign > 0 else _mirrored
            robot.random = np.random.default_rng(seed)      # both sides alike
            knee = np.array([0.0, reach, 0.0])
            collider = (_hull(own(at), size, 0.1), _box(own(at), size), _capsule(own(at), 0.03, 0.1))[shape]
            robot.link(f"hip{side}{pair}", own(hip), 0.7, "", own(center), own(axes))
            robot.link(f"thigh{side}{pair}", own(hip + knee), 1.2, collider, own(center), own(axes))
            for i, (child, parent, place) in enumerate((
                    (f"hip{side}{pair}", "base", own(hip)), (f"thigh{side}{pair}", f"hip{side}{pair}", own(knee)))):
                values, schemas = _free(robot, kinds[i], sign if i == 0 else 1.0, start[i])
                robot.joint(f"{child}_joint", kinds[i], parent, child, (place, np.zeros(3)), "XY"[i],
                            STILL if r.random() < 0.5 else own(turn), swapped[i], values, schemas)
        robot.random = r
    return robot.between(0.0, 9.81) if r.random() < 0.5 else 0.0


def fingers(robot: Robot) -> float:
    """A palm with fingers of two links that close on each other."""
    r = robot.random
    robot.link("base", np.zeros(3), 1.0, "", np.zeros(3), robot.rotation())
    count = int(r.integers(3, 6))
    for i in range(count):
        angle = 2.0 * math.pi * i / count + robot.between(-0.2, 0.2)
        out = np.array([math.cos(angle), math.sin(angle), 0.0])
        foot, parent, up = 0.09 * out, "base", np.array([0.0, 0.0, 0.08])
        knuckle = foot + 1.75 * up
        for k in range(2):
            name, kind = f"f{i}{k}", str(r.choice(KINDS)) if k else "Revolute"
            turn = about(np.array([0.0, 0.0, 1.0]), angle) if kind == "Revolute" else robot.rotation()
            collider = _capsule(np.zeros(3), 0.03, 0.1) if r.random() < 0.6 else _box(
                np.zeros(3), np.array([0.025, 0.025, 0.07]))
            place = knuckle + (1 + 2 * k) * up
            robot.link(name, place, robot.between(0.05, 0.2), collider, np.zeros(3), robot.rotation())
            values, schemas = _free(robot, kind, 1.0, WIDE * bool(r.random() < 0.5))
            if kind == "Revolute":
                values["float state:angular:physics:velocity"] = robot.between(-350.0, -60.0)
                values["float drive:angular:physics:targetPosition"] = robot.between(-40.0, -10.0)
            ends = (knuckle if k == 0 else up, -up)
            robot.joint(f"j{i}{k}", kind, parent, name, ends, "Y", np.round(turn, 7), bool(r.random() < 0.3), values,
                        schemas)
            parent = name
    return 0.0


FAMILIES: Mapping[str, tuple[int, int, Callable[[Robot], float]]] = {      # first seed, how many, what they are
    "mirrored legs": (0, 30, legs),
    "closing fingers": (1000, 30, fingers),
}


def self_touching_robot(seed: int, move: int | None = None) -> str:
    """The stage of a seed of one of the families; with a number, turned in the way of that number."""
    write = family_of(seed, FAMILIES)
    robot = Robot(np.random.default_rng([seed, DRAWS.get(seed, 32)]))
    return robot.text(move, write(robot))


# --- sleeping robots -------------------------------------------------------------------------------------------------

DT = 1 / 60
RESTED, APART, LAST = 200, 40, 330      # steps: the first edit, between edits at most, the last step
TURNED = 3e-7                           # rad: three float32 ulps
DRIVE = "drive:angular:physics:"
AXIS = "physxJointAxis:angular:"
TENDON = "physxTendon:t:"
JOINT_SCHEMAS = "PhysicsDriveAPI:angular PhysicsLimitAPI:angular PhysxJointAPI PhysxJointAxisAPI:angular"
Edit = tuple[int, str, str, float]      # step, prim, property, value


@dataclass(frozen=True, slots=True)
class SleepingRobots:
    """A stage, the same with its robots turned a little both ways, what is edited before which step, and who moves."""

    text: str
    turned: tuple[str, str]
    edits: tuple[Edit, ...]
    actors: tuple[str, ...]
    links: tuple[str, ...]


def sleeping_robots(seed: int) -> SleepingRobots:
    """The stage of a seed."""
    texts = []
    for turn in (0.0, TURNED, -TURNED):
        random = np.random.default_rng([seed, 7])       # the same robots in all three
        weightless, tendon, boxed = (bool(random.integers(2)) for _ in range(3))
        sizes = [int(random.integers(2, 5)) for _ in range(random.integers(1, 3))]
        robots = [_robot(random, f"R{i}", 3.0 * i, size, tendon and size > 2, turn) for i, size in enumerate(sizes)]
        boxes = [body("B", (-4.0, 0, 0.5), float__physxRigidBody_linearDamping="0.1")] if boxed else []
        texts.append(stage(*([] if weightless else [GROUND]), *robots, *boxes,
                           scene={"float physics:gravityMagnitude": "0"} if weightless else {}))
    chosen = random.integers(len(sizes))
    edits = tuple(_edits(random, f"/R{chosen}", sizes[chosen], tendon and sizes[chosen] > 2))
    links = [f"/R{i}/l{k}" for i, size in enumerate(sizes) for k in range(size)]
    actors, box = [f"/R{i}" for i in range(len(sizes))], ["/B"] if boxed else []
    return SleepingRobots(texts[0], (texts[1], texts[2]), edits, (*actors, *box), (*links, *box))


def author(stage: Usd.Stage, path: str, name: str, value: float) -> None:
    """Make an edit."""
    prim = stage.GetPrimAtPath(path)
    prim.CreateAttribute(name, Sdf.ValueTypeNames.Float, False).Set(value)


def _robot(random: Generator, name: str, y: float, size: int, tendon: bool, turn: float) -> str:
    """A chain of boxes along x that hinges about y join, 0.5 mm above the ground."""
    half = 0.2 + 0.1 * float(random.random())
    links, joints = "", ""
    for k in range(size):
        gap = (2 * half + 0.1) * k
        shape = resting_prim("Cube", "shape", "PhysicsCollisionAPI PhysxCollisionAPI", {
            "double size": f"{2 * half:.4f}", "float physxCollision:contactOffset": "0.02"})
        links += resting_prim("Xform", f"l{k}", "PhysicsRigidBodyAPI PhysicsMassAPI PhysxRigidBodyAPI", {
            "float physics:mass": f"{0.5 + float(random.random()):.4f}", "float physxRigidBody:angularDamping": "0.05",
            "float physxRigidBody:linearDamping": "0", **resting_placed((gap, 0, 0))}, shape)
    for k in range(size - 1):
        coupled = {f"float[] {TENDON}gearing": f"[{1 if k % 2 else -1}]"} if tendon else {}
        if tendon and k == 0:
            coupled |= {f"float {TENDON}stiffness": "5", f"float {TENDON}damping": "1",
                        f"float {TENDON}offset": "0", f"float {TENDON}restLength": "0"}
        schemas = f"{JOINT_SCHEMAS} PhysxTendonAxis{'Root' if k == 0 else ''}API:t" if tendon else JOINT_SCHEMAS
        values = {"stiffness": f"{5 + 20 * float(random.random()):.3f}", "damping": "2", "maxForce": "500",
                  "targetPosition": "0"}
        if random.integers(2):          # the edit of an unauthored value adds it
            values["targetVelocity"] = "0"
        joints += resting_prim("PhysicsRevoluteJoint", f"j{k}", schemas, {
            "rel physics:body0": f"</{name}/l{k}>", "rel physics:body1": f"</{name}/l{k + 1}>",
            "uniform token physics:axis": '"Y"', "point3f physics:localPos0": f"({half + 0.05:.5f}, 0, 0)",
            "point3f physics:localPos1": f"({-half - 0.05:.5f}, 0, 0)", "float physics:lowerLimit": "-60",
            "float physics:upperLimit": "60", **{f"float {DRIVE}{key}": value for key, value in values.items()},
            f"float {AXIS}armature": "0.01", f"float {AXIS}maxJointVelocity": "1000", **coupled})
    turned = f"({float(np.cos(turn / 2))!r}, 0, 0, {float(np.sin(turn / 2))!r})"
    return resting_prim("Xform", name, "PhysicsArticulationRootAPI PhysxArticulationAPI", {
        "float physxArticulation:sleepThreshold": "0.0002",
        **resting_placed((0, y, half + 0.0005), turned)}, links + joints)


def _edits(random: Generator, robot: str, size: int, tendon: bool) -> list[Edit]:
    """Three to five edits of values of a robot, of those that wake and of those that do not."""
    step, edits = RESTED, []
    for _ in range(random.integers(3, 6)):
        joint, link = (f"{robot}/{kind}{random.integers(count)}" for kind, count in (("j", size - 1), ("l", size)))
        kinds: list[tuple[str, str, float]] = [
            (joint, f"{DRIVE}stiffness", float(random.uniform(0, 30))),
            (joint, f"{DRIVE}damping", float(random.uniform(1, 5))),
            (joint, f"{DRIVE}maxForce", float(random.uniform(50, 500))),
            (joint, f"{DRIVE}targetPosition", float(random.uniform(-30, 30))),
            (joint, f"{DRIVE}targetVelocity", float(random.uniform(-30, 30))),
            (joint, "physics:lowerLimit", float(random.uniform(-80, -40))),
            (joint, "physics:upperLimit", float(random.uniform(40, 80))),
            (joint, f"{AXIS}armature", float(random.uniform(0.01, 0.1))),
            (joint, f"{AXIS}maxJointVelocity", float(random.uniform(300, 900))),
            (link, "physics:mass", float(random.uniform(0.5, 2))),
            (link, "physxRigidBody:linearDamping", float(random.uniform(0, 1))),
            (f"{link}/shape", "physxCollision:contactOffset", float(random.uniform(0.02, 0.03)))]
        if tendon:
            kinds += [(f"{robot}/j0", f"{TENDON}{name}", float(random.uniform(0.1, 2)))
                      for name in ("stiffness", "damping", "offset")]
        prim_path, name, value = kinds[random.integers(len(kinds))]
        edits.append((step, prim_path, name, float(np.float32(value))))
        step += int(random.integers(1, APART))
    return edits
