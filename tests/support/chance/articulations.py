"""Random articulation stages as USDA text, for comparisons with real PhysX.

A stage is a function of its seed and of the features asked for; link poses agree with the joint frames at q = 0.

What a random articulation may have, and what one is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from physx_schema.description.model import Articulation
from support.chance.usda_text import (
    GRAVITY,
    HEADER,
    ONCE,
    Vector,
    floats,
    normalized,
    prim,
    product,
    rotate,
    tuple_text,
)


@dataclass(frozen=True)
class Features:
    """What a random articulation may have; every probability is per joint or per articulation."""

    solver: str = "TGS"             # of the scene
    links: tuple[int, int] = (2, 6)
    floating: bool = False
    branching: float = 0.4
    prismatic: float = 0.25
    fixed: float = 0.1
    spherical: float = 0.0
    generic: float = 0.0            # of joints that would be spherical
    swapped: float = 0.0            # body0 is the child
    drive: float = 0.6
    limit: float = 0.4
    friction: float = 0.3
    armature: float = 0.4
    max_velocity: float = 0.1
    damping: float = 0.5
    fixed_tendon: float = 0.4
    spatial_tendon: float = 0.3
    mimic: float = 0.3
    # what follows draws from a random stream of its own, so that a seed stays what it is without it
    envelope: float = 0.0
    tendon_limits: float = 0.0      # of tendons
    leaves: float = 0.0             # of spatial tendons: a second leaf
    units: float = 0.0              # of stages: other units of length and mass, another up axis, gravity unauthored
    scale: float = 0.0              # of links: their prim is scaled
    once: float = 0.0               # of stages: forces once a step
    bodies: float = 0.0             # of links: softening, greatest velocities, no gravity
    disabled: float = 0.0           # of tendons


@dataclass(frozen=True)
class RandomArticulation:
    """A stage with its start and solver counts; joint names are leaf names."""

    text: str
    positions: dict[str, float]     # rad or length
    velocities: dict[str, float]
    efforts: dict[str, float]
    lengths: dict[str, float]       # metres a unit of a slider's position, 1 of angles


# --- articulations ---------------------------------------------------------------------------------------------------

DEGREES = 57.29578


__all__ = ["Features", "RandomArticulation", "engine_names", "random_articulation"]


def engine_names(articulation: Articulation) -> list[str]:
    """Leaf names of dofs as the engine gives them: joint, or joint:number where it is spherical or generic."""
    names = []
    for link in articulation.links:
        for place, dof in enumerate(link.joint.dofs if link.joint else ()):
            leaf, kind = dof.path.rsplit("/", 1)[-1], link.joint.kind if link.joint else ""
            number = {"spherical": place, "d6": int(np.argmax(np.abs(dof.axis)))}.get(kind)
            names.append(leaf if number is None else f"{leaf}:{number}")
    return names


class _Writer:
    """One random articulation in the making."""

    def __init__(self, seed: int, features: Features) -> None:
        self.random, self.f = np.random.default_rng(seed), features
        self.more = np.random.default_rng([seed, 1])
        self.rare = np.random.default_rng([seed, 2])
        strange = self.also(features.units)
        # length and mass units a metre and a kilogram
        self.L, self.M = (float(self.more.choice(x)) if strange else 1.0
                          for x in ((1.0, 10.0, 100.0), (0.5, 1.0, 50.0)))
        self.up = str(self.more.choice(["Y", "Z"])) if strange else "Z"
        self.strange, self.once = strange, self.also(features.once)
        self.scales: list[float] = []
        self.poses: list[tuple[Vector, Vector]] = []
        self.link_text: list[tuple[list[str], list[str]]] = []      # applied schemas, properties
        self.joint_text: list[tuple[str, list[str], list[str]]] = []    # kind, applied schemas, properties
        self.parents: list[int] = []
        self.kinds: list[str] = []
        self.free: list[str] = []                                   # rotations of a spherical or generic joint

    def chance(self, probability: float) -> bool:
        return bool(self.random.random() < probability)

    def also(self, probability: float) -> bool:
        """As `chance`, from the stream of later features."""
        return bool(probability and self.more.random() < probability)

    def quaternion(self) -> Vector:
        """A random rotation, (w, x, y, z), exactly as float32 text will hold it."""
        q = self.random.normal(size=4)
        return np.round(q / np.linalg.norm(q), 6)

    def write(self) -> RandomArticulation:
        count = int(self.random.integers(self.f.links[0], self.f.links[1] + 1))
        self._link(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
        for _ in range(count):
            self._child()
        joints = [i for i, kind in enumerate(self.kinds) if kind in ("Revolute", "Prismatic")]
        if joints:
            self._tendons_and_mimics(joints)
        text = self._text()
        start = {f"j{i}": 0.3 if self.kinds[i] == "Revolute" else 0.1 * self.L for i in joints}
        for i, kind in enumerate(self.kinds):
            if kind in ("Spherical", ""):
                start |= {f"j{i}:{'XYZ'.index(axis)}": 0.5 for axis in self.free[i]}
        return RandomArticulation(
            text, {j: s * float(self.random.uniform(-1, 1)) for j, s in start.items()},
            {j: 3.0 * s * float(self.random.uniform(-1, 1)) for j, s in start.items()},
            {j: float(self.random.uniform(-1, 1)) * self._effort(int(j[1:].split(":")[0])) for j in start},
            {j: 1.0 / self.L if self.kinds[int(j[1:].split(":")[0])] == "Prismatic" else 1.0 for j in start})

    def _link(self, position: Vector, rotation: Vector) -> None:
        r = self.random
        mass = r.uniform(0.3, 2.0)
        a, b = r.uniform(0.02, 0.1, 2) * mass
        inertia = np.array([a, b, r.uniform(abs(a - b) + 0.01 * mass, a + b)]) * self.M * self.L**2
        scale = round(float(self.more.uniform(0.5, 2.0)), 3) if self.also(self.f.scale) else 1.0
        self.scales.append(scale)
        ops = ["translate", "orient", *(["scale"] if scale != 1.0 else [])]
        lines = [f"float physics:mass = {mass * self.M:.5f}", f"float3 physics:diagonalInertia = {tuple_text(inertia)}",
                 f"quatf physics:principalAxes = {tuple_text(normalized(self.quaternion()))}",
                 f"point3f physics:centerOfMass = {self._at(len(self.poses), r.uniform(-0.1, 0.1, 3))}",
                 f"double3 xformOp:translate = {tuple_text(position * self.L, 12)}",
                 f"quatd xformOp:orient = {tuple_text(rotation, 12)}",
                 *([f"float3 xformOp:scale = {tuple_text([scale] * 3)}"] if scale != 1.0 else []),
                 "uniform token[] xformOpOrder = [" + ", ".join(f'"xformOp:{op}"' for op in ops) + "]"]
        damping = r.uniform(0, 0.5, 2) if self.chance(self.f.damping) else (0.0, 0.0)
        lines += [f"float physxRigidBody:linearDamping = {damping[0]:.4f}",
                  f"float physxRigidBody:angularDamping = {damping[1]:.4f}"]
        if self.f.bodies and self.rare.random() < self.f.bodies:
            lines += self._body()
        self.poses.append((position, rotation))
        self.link_text.append((["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI"], lines))

    def _body(self) -> list[str]:
        """Properties of a link that few authors set."""
        r, lines = self.rare, []
        if r.random() < 0.3:
            lines.append("bool physxRigidBody:disableGravity = 1")
        values = {"cfmScale": r.uniform(0, 0.2), "maxLinearVelocity": r.uniform(0.5, 5) * self.L,
                  "maxAngularVelocity": r.uniform(1, 10) * DEGREES}
        return lines + floats("physxRigidBody", {name: x for name, x in values.items() if r.random() < 0.5})

    def _enabled(self, name: str) -> list[str]:
        """Now and then a tendon is switched off."""
        off = self.f.disabled and self.rare.random() < self.f.disabled
        return [f"bool physxTendon:{name}:tendonEnabled = 0"] if off else []

    def _at(self, link: int, position: Vector) -> str:
        """A place in metres as a link's frame has it: in stage units, below the link's own scale."""
        return tuple_text(position * self.L / self.scales[link])

    def _child(self) -> None:
        r = self.random
        parent = int(r.integers(0, len(self.poses))) if self.chance(self.f.branching) else len(self.poses) - 1
        draw = r.random()
        kind = "Fixed" if draw < self.f.fixed else "Prismatic" if draw < self.f.fixed + self.f.prismatic else "Revolute"
        kind = "Spherical" if draw > 1.0 - self.f.spherical else kind
        free = "XYZ"
        if kind == "Spherical" and self.chance(self.f.generic):
            kind, free = "", str(r.choice(["XYZ", "XY", "XZ", "YZ", "X", "Y", "Z"]))
        position0, position1 = np.round(r.uniform(-0.3, 0.3, 3), 5), np.round(r.uniform(-0.3, 0.3, 3), 5)
        rotation0, rotation1 = normalized(self.quaternion()), normalized(self.quaternion())
        at, turn = self.poses[parent]
        frame = product(turn, rotation0)
        child_turn = normalized(product(frame, rotation1 * [1, -1, -1, -1]))
        child_at = at + rotate(turn, position0) - rotate(child_turn, position1)
        i = len(self.kinds)
        self._link(child_at, child_turn)
        self.parents.append(parent)
        self.kinds.append(kind)
        ends = [(parent, position0, rotation0), (i + 1, position1, rotation1)]
        if self.f.swapped and self.chance(self.f.swapped):
            ends.reverse()
        lines = [line for n, (link, position, rotation) in enumerate(ends) for line in (
            f"rel physics:body{n} = </World/art/l{link}>", f"point3f physics:localPos{n} = {self._at(link, position)}",
            f"quatf physics:localRot{n} = {tuple_text(rotation, 8)}")]
        if kind in ("Revolute", "Prismatic", "Spherical"):
            lines.append(f'uniform token physics:axis = "{"XYZ"[int(r.integers(3))]}"')
        self.joint_text.append((kind, [], lines))
        self.free.append(free)
        if kind == "Spherical":
            self._ball_features(i)
        elif kind == "":
            self._generic_features(i)
        elif kind != "Fixed":
            self._joint_features(i)

    def _unit(self, i: int) -> float:
        """Units of a joint's position that a radian or a metre is."""
        return self.L if self.kinds[i] == "Prismatic" else DEGREES

    def _effort(self, i: int) -> float:
        """Units of a joint's effort that a newton or a newton metre is."""
        return self.M * self.L * (1.0 if self.kinds[i] == "Prismatic" else self.L)

    def _joint_features(self, i: int) -> None:
        """Drive, limits and joint axis of one hinge or slider."""
        r, (kind, _, lines) = self.random, self.joint_text[i]
        token = "angular" if kind == "Revolute" else "linear"
        self._drive(i, token)
        if self.chance(self.f.limit):
            low, high = -r.uniform(0.4, 1.0) * self._unit(i), r.uniform(0.4, 1.0) * self._unit(i)
            lines += floats("physics", {"lowerLimit": low, "upperLimit": high})
        self._axis_features(i, token)

    def _drive(self, i: int, token: str) -> None:
        r, (_, schemas, lines), unit = self.random, self.joint_text[i], self._unit(i)
        if self.chance(self.f.drive):
            schemas.append(f"PhysicsDriveAPI:{token}")
            values = {"stiffness": r.uniform(0, 30) / unit, "damping": r.uniform(0, 3) / unit,
                      "targetPosition": r.uniform(-0.5, 0.5) * unit, "targetVelocity": r.uniform(-0.2, 0.2) * unit}
            if self.chance(0.4):
                values["maxForce"] = r.uniform(1, 20) * self._effort(i)
            accelerates = self.chance(0.3)
            # an acceleration drive's gains are in 1/s^2 and 1/s, per degree where it turns
            own = self.L if self.kinds[i] == "Prismatic" else 1.0
            gain = own if accelerates else self._effort(i)
            values |= {name: values[name] * gain for name in ("stiffness", "damping")}
            lines += floats(f"drive:{token}:physics", values)
            if accelerates:
                lines.append(f'uniform token drive:{token}:physics:type = "acceleration"')
            self._envelope(i, token)

    def _envelope(self, i: int, token: str) -> None:
        """A performance envelope, which PhysX reads beside a drive only."""
        if not self.also(self.f.envelope):
            return
        r, unit, effort = self.more, self._unit(i), self._effort(i)
        values = {"maxActuatorVelocity": r.uniform(0.5, 4.0) * unit}
        if r.random() < 0.5:
            values["velocityDependentResistance"] = r.uniform(0.1, 1.0) * effort / unit
        if r.random() < 0.5:
            values["speedEffortGradient"] = r.uniform(0.01, 0.2) * unit / effort
        if not any("maxForce" in line and f":{token}:" in line for line in self.joint_text[i][2]):
            self.joint_text[i][2].extend(floats(f"drive:{token}:physics", {"maxForce": r.uniform(1, 20) * effort}))
        self.joint_text[i][1].append(f"PhysxDrivePerformanceEnvelopeAPI:{token}")
        self.joint_text[i][2].extend(floats(f"physxDrivePerformanceEnvelope:{token}", values))

    def _axis_features(self, i: int, token: str) -> None:
        """Armature, friction and maximum velocity of one joint axis."""
        r, values, unit, effort = self.random, {}, self._unit(i), self._effort(i)
        if self.chance(self.f.armature):
            values["armature"] = r.uniform(0.01, 0.3) * effort / (self.L if self.kinds[i] == "Prismatic" else 1.0)
        if self.chance(self.f.friction):
            static = r.uniform(0, 2)
            values |= {"staticFrictionEffort": static * effort,
                       "dynamicFrictionEffort": static * r.uniform(0.3, 1) * effort,
                       "viscousFrictionCoefficient": r.uniform(0, 0.3) * effort / unit}
        if self.chance(self.f.max_velocity):
            values["maxJointVelocity"] = r.uniform(1, 4) * unit
        if values:
            self.joint_text[i][1].append(f"PhysxJointAxisAPI:{token}")
            self.joint_text[i][2].extend(floats(f"physxJointAxis:{token}", values))

    def _ball_features(self, i: int) -> None:
        """Cone and axis properties of a spherical joint."""
        if self.chance(self.f.limit):
            angles = self.random.uniform(35.0, 90.0, 2)
            cone = {"coneAngle0Limit": angles[0], "coneAngle1Limit": angles[1]}
            self.joint_text[i][2].extend(floats("physics", cone))
        for token in ("rotX", "rotY", "rotZ"):
            self._axis_features(i, token)

    def _generic_features(self, i: int) -> None:
        """Locks, limits, drives and axis properties of a generic joint."""
        r, schemas, lines = self.random, self.joint_text[i][1], self.joint_text[i][2]
        for token in ("transX", "transY", "transZ", "rotX", "rotY", "rotZ"):
            free = token.startswith("rot") and token[-1] in self.free[i]
            bounds = (-r.uniform(40.0, 90.0), r.uniform(40.0, 90.0)) if free else (1.0, -1.0)
            if not free or self.chance(self.f.limit):
                schemas.append(f"PhysicsLimitAPI:{token}")
                lines += floats(f"limit:{token}:physics", {"low": bounds[0], "high": bounds[1]})
            if free:
                self._drive(i, token)
                self._axis_features(i, token)

    def _chain(self, link: int) -> list[int]:
        """Joints from the root to a link."""
        joints = []
        while link > 0:
            joints.append(link - 1)
            link = self.parents[link - 1]
        return joints[::-1]

    def _tendons_and_mimics(self, joints: list[int]) -> None:
        r = self.random
        if self.chance(self.f.fixed_tendon):
            chain = [j for j in self._chain(int(r.choice(joints)) + 1) if self.kinds[j] in ("Revolute", "Prismatic")]
            axes = chain[-int(r.integers(1, min(3, len(chain)) + 1)):]
            for n, j in enumerate(axes):
                self._tendon_axis(j, n == 0)
        if self.chance(self.f.spatial_tendon):
            self._spatial_tendon(int(r.choice(joints)) + 1)
        pairs = [(a, b) for a in joints for b in joints if a != b]
        if pairs and self.chance(self.f.mimic):
            follower, reference = pairs[int(r.integers(len(pairs)))]
            self._mimic(follower, reference)

    def _tendon_axis(self, j: int, root: bool) -> None:
        r, prismatic = self.random, self.kinds[j] == "Prismatic"
        self.joint_text[j][1].append(f"PhysxTendonAxis{'Root' if root else ''}API:ft")
        gearing = r.uniform(0.3, 1.5)
        lever = 1.0 if prismatic else self.L       # length a radian, and torque a force
        lines = [f"float[] physxTendon:ft:gearing = [{gearing * self.L / self._unit(j):.6f}]",
                 f"float[] physxTendon:ft:forceCoefficient = [{gearing * r.uniform(0.7, 1.3) * lever:.6f}]"]
        if root:
            lines += floats("physxTendon:ft", self._spring() | {
                "restLength": r.uniform(-0.1, 0.1) * self.L, "offset": r.uniform(-0.1, 0.1) * self.L})
            lines += [*self._tendon_limits("ft", -0.2, 0.2, "limitStiffness"), *self._enabled("ft")]
        self.joint_text[j][2].extend(lines)

    def _spring(self) -> dict[str, float]:
        return {"stiffness": self.random.uniform(5, 40) * self.M, "damping": self.random.uniform(0.2, 2) * self.M}

    def _tendon_limits(self, name: str, low: float, high: float, *gains: str) -> list[str]:
        """Limits of a tendon's length in metres, apart by at least a third of what lies between `low` and `high`."""
        if not self.also(self.f.tendon_limits):
            return []
        a, b = self.more.uniform(0.0, 0.33, 2) * (high - low)
        values = {"lowerLimit": (low + a) * self.L, "upperLimit": (high - b) * self.L}
        values |= {gain: self.more.uniform(5, 40) * self.M for gain in gains}
        return floats(f"physxTendon:{name}", values)

    def _spatial_tendon(self, leaf: int) -> None:
        r = self.random
        chain = [0, *(j + 1 for j in self._chain(leaf))]
        path = chain if len(chain) < 3 else [chain[0], chain[len(chain) // 2], chain[-1]]
        for n, link in enumerate(path):
            kind = "Root" if n == 0 else "Leaf" if n == len(path) - 1 else ""
            name = f"s{n}"
            self.link_text[link][0].append(f"PhysxTendonAttachment{kind}API:{name}")
            lines = [f"point3f physxTendon:{name}:localPos = {self._at(link, r.uniform(-0.3, 0.3, 3))}"]
            if n == 0:
                values = self._spring() | {"offset": 0.05 * self.L}
                if self.f.tendon_limits:
                    values["limitStiffness"] = self.more.uniform(5, 40) * self.M
                lines += [*floats(f"physxTendon:{name}", values), *self._enabled(name)]
            else:
                lines += [f"rel physxTendon:{name}:parentLink = </World/art/l{path[n - 1]}>",
                          f'token physxTendon:{name}:parentAttachment = "s{n - 1}"',
                          *floats(f"physxTendon:{name}", {"gearing": r.uniform(0.6, 1.4)})]
            if kind == "Leaf":
                lines += floats(f"physxTendon:{name}", {"restLength": r.uniform(0.2, 0.8) * self.L})
                lines += self._tendon_limits(name, 0.2, 0.8)
            self.link_text[link][1].extend(lines)
        others = [link for link in range(1, len(self.poses)) if link not in path]
        if others and self.also(self.f.leaves):
            self._second_leaf(int(self.more.choice(others)), path[0])

    def _second_leaf(self, link: int, root: int) -> None:
        """Another leaf of the spatial tendon, right below its root."""
        r = self.more
        self.link_text[link][0].append("PhysxTendonAttachmentLeafAPI:other")
        self.link_text[link][1].extend([
            f"point3f physxTendon:other:localPos = {self._at(link, r.uniform(-0.3, 0.3, 3))}",
            f"rel physxTendon:other:parentLink = </World/art/l{root}>",
            'token physxTendon:other:parentAttachment = "s0"',
            *floats("physxTendon:other", {"gearing": r.uniform(0.6, 1.4), "restLength": r.uniform(0.2, 0.8) * self.L}),
            *self._tendon_limits("other", 0.2, 0.8)])

    def _mimic(self, follower: int, reference: int) -> None:
        r = self.random
        for j in (follower, reference):
            if not any("lowerLimit" in line for line in self.joint_text[j][2]):
                widest = 2.5 * self._unit(j)
                self.joint_text[j][2].extend(floats("physics", {"lowerLimit": -widest, "upperLimit": widest}))
        unit = self._unit(follower) / self._unit(reference)
        values = {"gearing": r.choice([-1, 1]) * r.uniform(0.5, 1.5) * unit}
        if self.chance(0.5):
            values |= {"naturalFrequency": r.uniform(5, 30), "dampingRatio": r.uniform(0.2, 1.2)}
        self.joint_text[follower][1].append("PhysxMimicJointAPI:rotX")
        target = f"rel physxMimicJoint:rotX:referenceJoint = </World/art/j{reference}>"
        self.joint_text[follower][2].extend([target, *floats("physxMimicJoint:rotX", values)])

    def _text(self) -> str:
        n, v = int(self.random.choice([1, 4, 8, 32])), int(self.random.choice([0, 1, 4]))
        header = HEADER.format(meters=1.0 / self.L, kilograms=1.0 / self.M, up=self.up, solver=self.f.solver,
                               gravity=("" if self.strange else GRAVITY) + (ONCE if self.once else ""))
        root = ["PhysicsArticulationRootAPI", "PhysxArticulationAPI"]
        counts = [f"int physxArticulation:solverPositionIterationCount = {n}",
                  f"int physxArticulation:solverVelocityIterationCount = {v}"]
        if self.f.floating:
            self.link_text[0] = ([*self.link_text[0][0], *root], [*self.link_text[0][1], *counts])
            out = [header, prim("Xform", "art", [], [], close=False)]
        else:
            out = [header, prim("Xform", "art", root, counts, close=False),
                   prim("PhysicsFixedJoint", "base", [], ["rel physics:body1 = </World/art/l0>"])]
        for i, (schemas, lines) in enumerate(self.link_text):
            out.append(prim("Xform", f"l{i}", schemas, lines))
        for i, (kind, schemas, lines) in enumerate(self.joint_text):
            out.append(prim(f"Physics{kind}Joint", f"j{i}", schemas, lines))
        return "".join([*out, "}\n}\n"])


def random_articulation(seed: int, features: Features | None = None) -> RandomArticulation:
    """The random articulation of a seed."""
    return _Writer(seed, features or Features()).write()
