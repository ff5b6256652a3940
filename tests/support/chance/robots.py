"""Random robots and free bodies as USDA text, for stages of several objects (`scenes`).

A robot is a prim of links and joints; links lie side by side, in folders or in one another, and are posed anywhere:
an articulation's joints put them where they belong. Sizes are in metres and kilograms until they are written.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from support.stages.parts import ROOT_API, Attributes, axis_values, drive, envelope, frames, limit, state
from support.stages.robots import prim

DEGREES = 180.0 / math.pi
Random = np.random.Generator


@dataclass(frozen=True, slots=True)
class Traits:
    """What a stage may have: probabilities, per link, joint, robot or body as the name says."""

    scale: float = 0.0          # of a link or a folder: uniform, uneven or mirrored
    swapped: float = 0.3        # of a joint
    nested: float = 0.3         # of a link: in its parent's prim
    folder: float = 0.2         # of a link: in a prim with a transform of its own
    colliders: float = 0.3      # of a link: mass by colliders
    instances: float = 0.0      # of colliders: in an instance
    coupled: float = 0.2        # of a robot: tendons and mimic joints
    envelope: float = 0.1       # of a driven joint
    floating: float = 0.4       # of a robot
    balls: float = 0.15         # of a joint: spherical or generic
    referenced: float = 0.0     # of a robot: from a file, with opinions over it
    units: float = 0.2          # of a stage
    scenes: float = 0.0         # of a stage: a second scene
    settings: float = 0.1       # of a scene: each setting
    steps: float = 0.2          # of a stage: another dt


@dataclass(frozen=True, slots=True)
class Units:
    """Stage units a metre and a kilogram."""

    length: float = 1.0
    mass: float = 1.0

    def inertia(self, value: float) -> float:
        return value * self.mass * self.length**2

    def effort(self, angular: bool) -> float:
        """Stage units a newton metre or a newton."""
        return self.mass * self.length * (self.length if angular else 1.0)

    def coordinate(self, angular: bool) -> float:
        """Stage units a radian or a metre, on stages."""
        return DEGREES if angular else self.length


def turned(random: Random, chance: float = 0.7) -> tuple[float, ...]:
    """A rotation (w, x, y, z)."""
    if random.random() > chance:
        return (1.0, 0.0, 0.0, 0.0)
    q = random.normal(size=4)
    return tuple(round(float(x), 7) for x in q / np.linalg.norm(q))


def vector(random: Random, reach: float) -> tuple[float, ...]:
    """Three numbers within a reach."""
    return tuple(round(float(x), 6) for x in random.uniform(-reach, reach, 3))


def scales(random: Random, kinds: tuple[str, ...] = ("uniform", "uneven", "mirrored")) -> tuple[float, ...]:
    """A scale along x, y and z."""
    kind, size = str(random.choice(kinds)), round(float(random.uniform(0.5, 2.0)), 3)
    if kind == "uniform":
        return (size,) * 3
    if kind == "uneven":
        return tuple(round(float(x), 3) for x in random.uniform(0.5, 2.0, 3))
    return tuple(size * float(x) for x in random.permutation([-1.0, 1.0, 1.0]))


def transform(random: Random, at: tuple[float, ...], scale: tuple[float, ...] | None = None,
              turn: tuple[float, ...] | None = None) -> Attributes:
    """A pose by one of the ways in which it is authored."""
    turn = turned(random) if turn is None else turn
    values: Attributes = {"double3 xformOp:translate": at}
    if random.random() < 0.3:
        angles = tuple(round(float(x), 4) for x in random.uniform(-90, 90, 3))
        values["float3 xformOp:rotateXYZ"] = angles
    else:
        values["quatf xformOp:orient"] = turn
    if scale:
        values["float3 xformOp:scale"] = scale
    values["uniform token[] xformOpOrder"] = [key.split(" ")[1] for key in values]
    return values


class RobotWriter:
    """One robot in the making."""

    def __init__(self, random: Random, name: str, traits: Traits, units: Units, owner: str = "") -> None:
        self.random, self.name, self.traits, self.units, self.owner = random, name, traits, units, owner
        self.count = int(random.integers(2, 7))
        self.parents = [-1, *(int(random.integers(i)) if self.chance(0.4) else i - 1 for i in range(1, self.count))]
        self.places = [f"/{name}"] * self.count
        self.schemas: list[list[str]] = [[] for _ in range(self.count)]
        self.extra: list[Attributes] = [{} for _ in range(self.count)]
        self.joints: list[tuple[str, list[str], Attributes]] = []
        self.bounded: set[int] = set()

    def chance(self, probability: float) -> bool:
        return bool(self.random.random() < probability)

    def write(self) -> str:
        """The robot's prim."""
        folders = self._places()
        for i in range(1, self.count):
            self._joint(i)
        if self.chance(self.traits.coupled):
            self._couple()
        inside = [""] * self.count
        for i in reversed(range(self.count)):
            text = self._link(i, inside[i])
            if folders[i]:
                scale = scales(self.random, ("uniform", "mirrored")) if self.chance(self.traits.scale) else None
                text = prim("Xform", folders[i], (), transform(self.random, self._at(1.0), scale), text)
            host = self.hosts[i]
            if host >= 0:
                inside[host] = text + inside[host]
            else:
                inside[i] = text
        links = "".join(inside[i] for i in range(self.count) if self.hosts[i] < 0)
        joints = "".join(prim(f"Physics{kind}Joint", f"{self.name}_j{i}", schemas, values)
                         for i, (kind, schemas, values) in enumerate(self.joints, 1))
        if not self.floating:
            joints += prim("PhysicsFixedJoint", "base", (), {"rel physics:body1": f"<{self.places[0]}>"})
        return prim("Xform", self.name, () if self.floating else self._root_schemas(), self._counts(
            not self.floating), links + prim("Scope", "joints", (), {}, joints))

    # --- links ---

    def _places(self) -> list[str]:
        """Where links lie, and which folders hold them."""
        self.floating = self.chance(self.traits.floating)
        self.hosts = [-1] * self.count
        folders = [""] * self.count
        for i in range(self.count):
            if i and self.chance(self.traits.nested):
                self.hosts[i] = self.parents[i]
            folders[i] = f"f{i}" if self.chance(self.traits.folder) else ""
            above = self.places[self.hosts[i]] if self.hosts[i] >= 0 else f"/{self.name}"
            self.places[i] = "/".join(filter(None, (above, folders[i], f"{self.name}_l{i}")))
        return folders

    def _at(self, reach: float) -> tuple[float, ...]:
        return tuple(x * self.units.length for x in vector(self.random, reach))

    def _root_schemas(self) -> tuple[str, ...]:
        return (ROOT_API, "PhysxArticulationAPI")

    def _counts(self, here: bool) -> Attributes:
        if not here:
            return {}
        return {"int physxArticulation:solverPositionIterationCount": int(self.random.choice([1, 4, 8, 16, 32])),
                "int physxArticulation:solverVelocityIterationCount": int(self.random.choice([0, 1, 4]))}

    def _link(self, i: int, children: str) -> str:
        r, t = self.random, self.traits
        scale = scales(r) if self.chance(t.scale) else None
        values = transform(r, self._at(1.0), scale)
        schemas = ["PhysicsRigidBodyAPI", "PhysxRigidBodyAPI", *self.schemas[i]]
        if i == 0 and self.floating:
            schemas += self._root_schemas()
            values |= self._counts(True)
            if self.chance(0.4):
                values |= {"vector3f physics:velocity": self._at(0.5),
                           "vector3f physics:angularVelocity": vector(r, 60.0)}
        if self.owner:
            values["rel physics:simulationOwner"] = f"<{self.owner}>"
        massed, massive = mass(r, t, self.units)
        schemas += ["PhysicsMassAPI"] if massed else []
        return prim("Xform", f"{self.name}_l{i}", schemas, values | massed | damping(r, self.units) | self.extra[i],
                    massive + children)

    # --- joints ---

    def _joint(self, child: int) -> None:
        r, t = self.random, self.traits
        draw = r.random()
        kind = "Revolute" if draw < 0.6 else "Prismatic" if draw < 0.85 else "Fixed"
        if self.chance(t.balls):
            kind = "Spherical" if self.chance(0.5) else ""
        ends = [self.places[self.parents[child]], self.places[child]]
        if self.chance(t.swapped):
            ends.reverse()
        values: Attributes = {f"rel physics:body{k}": f"<{path}>" for k, path in enumerate(ends)}
        values |= frames(self._at(0.25), self._at(0.25), turned(r), turned(r), str(r.choice(["X", "Y", "Z"])))
        schemas: list[str] = []
        self.joints.append((kind, schemas, values))
        if kind in ("Revolute", "Prismatic"):
            self._axis(child, "angular" if kind == "Revolute" else "linear")
        elif kind == "":
            self._generic(child)
        elif kind == "Spherical" and self.chance(0.5):
            cone = r.uniform(35.0, 90.0, 2)
            values |= {f"float physics:coneAngle{k}Limit": float(cone[k]) for k in (0, 1)}

    def _generic(self, child: int) -> None:
        _, schemas, values = self.joints[child - 1]
        free = str(self.random.choice(["XYZ", "XY", "YZ", "X", "Z"]))
        for token in ("transX", "transY", "transZ", *(f"rot{axis}" for axis in "XYZ" if axis not in free)):
            schemas.append(f"PhysicsLimitAPI:{token}")
            values |= limit(token, 1.0, -1.0)
        for axis in free:
            self._axis(child, f"rot{axis}")

    def _axis(self, child: int, token: str) -> None:
        """Drive, limits, state and properties of one axis."""
        r, (_, schemas, values) = self.random, self.joints[child - 1]
        angular = token != "linear"
        unit, effort = self.units.coordinate(angular), self.units.effort(angular)
        if token in ("angular", "linear") and self.chance(0.4):
            self._bound(child, -r.uniform(0.4, 1.0) * unit, r.uniform(0.4, 1.0) * unit)
        if self.chance(0.6):
            schemas.append(f"PhysicsDriveAPI:{token}")
            accelerates = self.chance(0.3)
            gain = (1.0 if angular else self.units.length) if accelerates else effort
            more = {"maxForce": r.uniform(1, 20) * effort} if self.chance(0.4) else {}
            values |= drive(token, "acceleration" if accelerates else "force",
                            stiffness=r.uniform(0, 30) * gain / unit, damping=r.uniform(0.1, 3) * gain / unit,
                            targetPosition=r.uniform(-0.5, 0.5) * unit, targetVelocity=r.uniform(-0.2, 0.2) * unit,
                            **more)
            if more and self.chance(self.traits.envelope):
                schemas.append(f"PhysxDrivePerformanceEnvelopeAPI:{token}")
                values |= envelope(token, maxActuatorVelocity=r.uniform(0.5, 4) * unit,
                                   velocityDependentResistance=r.uniform(0, 1) * effort / unit,
                                   speedEffortGradient=r.uniform(0.01, 0.2) * unit / effort)
        if self.chance(0.6):
            schemas.append(f"PhysicsJointStateAPI:{token}")
            reach = 0.35 if angular else 0.1
            values |= state(token, r.uniform(-reach, reach) * unit, r.uniform(-1, 1) * unit)
        if self.chance(0.4):
            schemas.append(f"PhysxJointAxisAPI:{token}")
            static = r.uniform(0, 2) * effort
            values |= axis_values(
                token, armature=r.uniform(0.01, 0.3) * self.units.mass * (self.units.length**2 if angular else 1.0),
                staticFrictionEffort=static, dynamicFrictionEffort=static * r.uniform(0.3, 1.0),
                viscousFrictionCoefficient=r.uniform(0, 0.3) * effort / unit)

    def _bound(self, child: int, low: float, high: float) -> None:
        self.joints[child - 1][2].update({"float physics:lowerLimit": low, "float physics:upperLimit": high})
        self.bounded.add(child)

    # --- tendons and mimic joints ---

    def _couple(self) -> None:
        single = [i for i in range(1, self.count) if self.joints[i - 1][0] in ("Revolute", "Prismatic")]
        if single and self.chance(0.5):
            chain = [i for i in self._chain(int(self.random.choice(single))) if i in single]
            for n, child in enumerate(chain[-int(self.random.integers(1, 4)):]):
                self._tendon_axis(child, n == 0)
        if self.chance(0.4):
            self._spatial_tendon(int(self.random.integers(1, self.count)))
        if len(single) > 1 and self.chance(0.5):
            follower, reference = (int(x) for x in self.random.choice(single, 2, replace=False))
            self._mimic(follower, reference)

    def _chain(self, link: int) -> list[int]:
        """Links from below the root to one."""
        chain = []
        while link > 0:
            chain.append(link)
            link = self.parents[link]
        return chain[::-1]

    def _spring(self) -> dict[str, float]:
        return {"stiffness": self.random.uniform(5, 40) * self.units.mass,
                "damping": self.random.uniform(0.2, 2) * self.units.mass}

    def _tendon_axis(self, child: int, root: bool) -> None:
        r, (kind, schemas, values), length = self.random, self.joints[child - 1], self.units.length
        angular, gearing = kind == "Revolute", self.random.uniform(0.3, 1.5)
        schemas.append(f"PhysxTendonAxis{'Root' if root else ''}API:{self.name}_t")
        name = f"physxTendon:{self.name}_t:"
        values[f"float[] {name}gearing"] = [gearing * length / self.units.coordinate(angular)]
        values[f"float[] {name}forceCoefficient"] = [gearing * r.uniform(0.7, 1.3) * (length if angular else 1.0)]
        if root:
            own = self._spring() | {name: r.uniform(-0.1, 0.1) * length for name in ("restLength", "offset")}
            if self.chance(0.5):
                own |= {"lowerLimit": -0.1 * length, "upperLimit": 0.12 * length,
                        "limitStiffness": r.uniform(5, 40) * self.units.mass}
            values.update({f"float {name}{key}": value for key, value in own.items()})

    def _spatial_tendon(self, leaf: int) -> None:
        r, length = self.random, self.units.length
        chain = [0, *self._chain(leaf)]
        path = chain if len(chain) < 3 else [chain[0], chain[len(chain) // 2], chain[-1]]
        for n, link in enumerate(path):
            kind, name = "Root" if n == 0 else "Leaf" if n == len(path) - 1 else "", f"{self.name}_s{n}"
            self.schemas[link].append(f"PhysxTendonAttachment{kind}API:{name}")
            own: dict[str, object] = {"point3f localPos": self._at(0.25)}
            if n == 0:
                spring = self._spring() | {"offset": 0.05 * length}
                own |= {f"float {key}": value for key, value in spring.items()}
            else:
                own |= {"rel parentLink": f"<{self.places[path[n - 1]]}>",
                        "token parentAttachment": f"{self.name}_s{n - 1}", "float gearing": r.uniform(0.6, 1.4)}
            if kind == "Leaf" and self.chance(0.7):
                own["float restLength"] = r.uniform(0.2, 0.8) * length
            self.extra[link].update({f"{key.split()[0]} physxTendon:{name}:{key.split()[1]}": value
                                     for key, value in own.items()})

    def _mimic(self, follower: int, reference: int) -> None:
        r = self.random
        units = [self.units.coordinate(self.joints[i - 1][0] == "Revolute") for i in (follower, reference)]
        for i, unit in zip((follower, reference), units, strict=True):
            if i not in self.bounded:
                self._bound(i, -2.5 * unit, 2.5 * unit)
        _, schemas, values = self.joints[follower - 1]
        schemas.append("PhysxMimicJointAPI:rotX")
        values["rel physxMimicJoint:rotX:referenceJoint"] = f"</{self.name}/joints/{self.name}_j{reference}>"
        own = {"gearing": float(r.choice([-1, 1])) * r.uniform(0.5, 1.5) * units[0] / units[1]}
        if self.chance(0.5):
            own |= {"naturalFrequency": r.uniform(5, 30), "dampingRatio": r.uniform(0.2, 1.2)}
        values.update({f"float physxMimicJoint:rotX:{key}": value for key, value in own.items()})


# --- bodies ----------------------------------------------------------------------------------------------------------

def mass(random: Random, traits: Traits, units: Units) -> tuple[Attributes, str]:
    """Mass properties of a body: authored, or colliders that give them."""
    if random.random() < traits.colliders:
        values: Attributes = {}
        if random.random() < 0.5:
            values["float physics:mass"] = random.uniform(0.5, 3) * units.mass
        elif random.random() < 0.5:
            values["float physics:density"] = random.uniform(300, 2000) * units.mass / units.length**3
        return values, collider(random, traits, units)
    amount = random.uniform(0.3, 2.0)
    a, b = (random.uniform(0.02, 0.1, 2) * amount).tolist()
    moments = (a, b, random.uniform(abs(a - b) + 0.01 * amount, a + b))
    return {"float physics:mass": amount * units.mass,
            "float3 physics:diagonalInertia": tuple(units.inertia(x) for x in moments),
            "quatf physics:principalAxes": turned(random),
            "point3f physics:centerOfMass": tuple(x * units.length for x in vector(random, 0.1))}, ""


def collider(random: Random, traits: Traits, units: Units) -> str:
    """One solid without contacts, by itself or in an instance."""
    if random.random() < traits.instances:
        place = transform(random, tuple(x * units.length for x in vector(random, 0.1)))
        return prim("Xform", "part", (), place).replace(
            'def Xform "part"', 'def Xform "part" (prepend references = @part.usda@\ninstanceable = true)')
    kind, size = str(random.choice(["Cube", "Sphere", "Capsule"])), round(float(random.uniform(0.1, 0.3)), 4)
    shape: Attributes = {"Cube": {"double size": size * units.length}, "Sphere": {"double radius": size * units.length},
                         "Capsule": {"double radius": 0.5 * size * units.length, "double height": size * units.length}
                         }[kind]
    return prim(kind, "solid", ("PhysicsCollisionAPI",), {
        "bool physics:collisionEnabled": False, **shape,
        **transform(random, tuple(x * units.length for x in vector(random, 0.1)))})


def damping(random: Random, units: Units) -> Attributes:
    """Properties of PhysxRigidBodyAPI that links and free bodies share."""
    r = random
    values: Attributes = {"float physxRigidBody:linearDamping": r.uniform(0, 0.5) if r.random() < 0.5 else 0.0,
                          "float physxRigidBody:angularDamping": r.uniform(0, 0.5) if r.random() < 0.5 else 0.05}
    if r.random() < 0.1:
        values["bool physxRigidBody:disableGravity"] = True
    if r.random() < 0.1:
        values["float physxRigidBody:maxAngularVelocity"] = r.uniform(30, 300)
    if r.random() < 0.1:
        values["float physxRigidBody:maxLinearVelocity"] = r.uniform(1, 5) * units.length
    return values


def free_body(random: Random, name: str, traits: Traits, units: Units, owner: str = "") -> str:
    """A rigid body outside articulations."""
    r = random
    massed, massive = mass(r, traits, units)
    at = tuple(x * units.length for x in vector(r, 4.0))
    scale = scales(r) if r.random() < traits.scale else None
    values = transform(r, at, scale) | massed | damping(r, units)
    if owner:
        values["rel physics:simulationOwner"] = f"<{owner}>"
    if r.random() < 0.6:
        values |= {"vector3f physics:velocity": tuple(x * units.length for x in vector(r, 1.0)),
                   "vector3f physics:angularVelocity": vector(r, 120.0)}
    if r.random() < 0.5:
        values |= {"int physxRigidBody:solverPositionIterationCount": int(r.choice([1, 4, 16, 48])),
                   "int physxRigidBody:solverVelocityIterationCount": int(r.choice([0, 1, 3]))}
    if r.random() < 0.15:
        values["bool physics:startsAsleep"] = True
    if r.random() < 0.1:
        values["bool physics:kinematicEnabled"] = True
    schemas = ("PhysicsRigidBodyAPI", "PhysxRigidBodyAPI", *(("PhysicsMassAPI",) if massed else ()))
    return prim("Xform", name, schemas, values, massive)
