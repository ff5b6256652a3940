"""Random articulation stages as USDA text, for comparisons with real PhysX.

A stage is a function of its seed and of the features asked for; link poses agree with the joint frames at q = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from physx_schema.description.model import Articulation

Vector = NDArray[np.float64]

HEADER = """#usda 1.0
(
    defaultPrim = "World"
    metersPerUnit = 1.0
    kilogramsPerUnit = 1.0
    upAxis = "Z"
)
def Xform "World"
{
    def PhysicsScene "scene" (
        prepend apiSchemas = ["PhysxSceneAPI"]
    )
    {
        vector3f physics:gravityDirection = (0, 0, -1)
        float physics:gravityMagnitude = 9.81
        bool physxScene:enableGPUDynamics = 0
        uniform token physxScene:broadphaseType = "MBP"
        uniform token physxScene:solverType = "SOLVER"
    }
"""


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


@dataclass(frozen=True)
class RandomArticulation:
    """A stage with its start and solver counts; joint names are leaf names."""

    text: str
    positions: dict[str, float]     # rad or length
    velocities: dict[str, float]
    efforts: dict[str, float]


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
        self.poses: list[tuple[Vector, Vector]] = []
        self.link_text: list[tuple[list[str], list[str]]] = []      # applied schemas, properties
        self.joint_text: list[tuple[str, list[str], list[str]]] = []    # kind, applied schemas, properties
        self.parents: list[int] = []
        self.kinds: list[str] = []
        self.free: list[str] = []                                   # rotations of a spherical or generic joint

    def chance(self, probability: float) -> bool:
        return bool(self.random.random() < probability)

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
        start = {f"j{i}": 0.3 if self.kinds[i] == "Revolute" else 0.1 for i in joints}
        for i, kind in enumerate(self.kinds):
            if kind in ("Spherical", ""):
                start |= {f"j{i}:{'XYZ'.index(axis)}": 0.5 for axis in self.free[i]}
        return RandomArticulation(
            text, {j: s * float(self.random.uniform(-1, 1)) for j, s in start.items()},
            {j: 3.0 * s * float(self.random.uniform(-1, 1)) for j, s in start.items()},
            {j: float(self.random.uniform(-1, 1)) for j in start})

    def _link(self, position: Vector, rotation: Vector) -> None:
        r = self.random
        mass = r.uniform(0.3, 2.0)
        a, b = r.uniform(0.02, 0.1, 2) * mass
        inertia = (a, b, r.uniform(abs(a - b) + 0.01 * mass, a + b))
        lines = [f"float physics:mass = {mass:.5f}", f"float3 physics:diagonalInertia = {_tuple(inertia)}",
                 f"quatf physics:principalAxes = {_tuple(_normalized(self.quaternion()))}",
                 f"point3f physics:centerOfMass = {_tuple(r.uniform(-0.1, 0.1, 3))}",
                 f"double3 xformOp:translate = {_tuple(position, 12)}",
                 f"quatd xformOp:orient = {_tuple(rotation, 12)}",
                 'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]']
        damping = r.uniform(0, 0.5, 2) if self.chance(self.f.damping) else (0.0, 0.0)
        lines += [f"float physxRigidBody:linearDamping = {damping[0]:.4f}",
                  f"float physxRigidBody:angularDamping = {damping[1]:.4f}"]
        self.poses.append((position, rotation))
        self.link_text.append((["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI"], lines))

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
        rotation0, rotation1 = _normalized(self.quaternion()), _normalized(self.quaternion())
        at, turn = self.poses[parent]
        frame = _product(turn, rotation0)
        child_turn = _normalized(_product(frame, rotation1 * [1, -1, -1, -1]))
        child_at = at + _rotate(turn, position0) - _rotate(child_turn, position1)
        i = len(self.kinds)
        self._link(child_at, child_turn)
        self.parents.append(parent)
        self.kinds.append(kind)
        ends = [(parent, position0, rotation0), (i + 1, position1, rotation1)]
        if self.f.swapped and self.chance(self.f.swapped):
            ends.reverse()
        lines = [line for n, (link, position, rotation) in enumerate(ends) for line in (
            f"rel physics:body{n} = </World/art/l{link}>", f"point3f physics:localPos{n} = {_tuple(position)}",
            f"quatf physics:localRot{n} = {_tuple(rotation, 8)}")]
        if kind in ("Revolute", "Prismatic", "Spherical"):
            lines.append(f'uniform token physics:axis = "{"XYZ"[int(r.integers(3))]}"')
        self.joint_text.append((kind, [], lines))
        self.free.append(free)
        if kind == "Spherical":
            self._ball_features(i)
        elif kind == "":
            self._generic_features(i)
        elif kind != "Fixed":
            self._joint_features(i, self._degrees(i))

    def _joint_features(self, i: int, degrees: float) -> None:
        """Drive, limits and joint axis of one joint; `degrees` is 180/pi for a revolute joint, else 1."""
        r, (kind, _, lines) = self.random, self.joint_text[i]
        token = "angular" if kind == "Revolute" else "linear"
        self._drive(i, token, degrees)
        if self.chance(self.f.limit):
            low, high = -r.uniform(0.4, 1.0) * degrees, r.uniform(0.4, 1.0) * degrees
            lines += _floats("physics", {"lowerLimit": low, "upperLimit": high})
        self._axis_features(i, token, degrees)

    def _drive(self, i: int, token: str, degrees: float) -> None:
        r, (_, schemas, lines) = self.random, self.joint_text[i]
        if self.chance(self.f.drive):
            schemas.append(f"PhysicsDriveAPI:{token}")
            values = {"stiffness": r.uniform(0, 30) / degrees, "damping": r.uniform(0, 3) / degrees,
                      "targetPosition": r.uniform(-0.5, 0.5) * degrees,
                      "targetVelocity": r.uniform(-0.2, 0.2) * degrees}
            if self.chance(0.4):
                values["maxForce"] = r.uniform(1, 20)
            lines += _floats(f"drive:{token}:physics", values)
            if self.chance(0.3):
                lines.append(f'uniform token drive:{token}:physics:type = "acceleration"')

    def _axis_features(self, i: int, token: str, degrees: float) -> None:
        """Armature, friction and maximum velocity of one joint axis."""
        r, values = self.random, {}
        if self.chance(self.f.armature):
            values["armature"] = r.uniform(0.01, 0.3)
        if self.chance(self.f.friction):
            static = r.uniform(0, 2)
            values |= {"staticFrictionEffort": static, "dynamicFrictionEffort": static * r.uniform(0.3, 1),
                       "viscousFrictionCoefficient": r.uniform(0, 0.3) / degrees}
        if self.chance(self.f.max_velocity):
            values["maxJointVelocity"] = r.uniform(1, 4) * degrees
        if values:
            self.joint_text[i][1].append(f"PhysxJointAxisAPI:{token}")
            self.joint_text[i][2].extend(_floats(f"physxJointAxis:{token}", values))

    def _ball_features(self, i: int) -> None:
        """Cone and axis properties of a spherical joint."""
        if self.chance(self.f.limit):
            angles = self.random.uniform(35.0, 90.0, 2)
            cone = {"coneAngle0Limit": angles[0], "coneAngle1Limit": angles[1]}
            self.joint_text[i][2].extend(_floats("physics", cone))
        for token in ("rotX", "rotY", "rotZ"):
            self._axis_features(i, token, 57.29578)

    def _generic_features(self, i: int) -> None:
        """Locks, limits, drives and axis properties of a generic joint."""
        r, schemas, lines = self.random, self.joint_text[i][1], self.joint_text[i][2]
        for token in ("transX", "transY", "transZ", "rotX", "rotY", "rotZ"):
            free = token.startswith("rot") and token[-1] in self.free[i]
            bounds = (-r.uniform(40.0, 90.0), r.uniform(40.0, 90.0)) if free else (1.0, -1.0)
            if not free or self.chance(self.f.limit):
                schemas.append(f"PhysicsLimitAPI:{token}")
                lines += _floats(f"limit:{token}:physics", {"low": bounds[0], "high": bounds[1]})
            if free:
                self._drive(i, token, 57.29578)
                self._axis_features(i, token, 57.29578)

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
        r, degrees = self.random, self._degrees(j)
        self.joint_text[j][1].append(f"PhysxTendonAxis{'Root' if root else ''}API:ft")
        gearing = r.uniform(0.3, 1.5)
        lines = [f"float[] physxTendon:ft:gearing = [{gearing / degrees:.6f}]",
                 f"float[] physxTendon:ft:forceCoefficient = [{gearing * r.uniform(0.7, 1.3):.6f}]"]
        if root:
            lines += _floats("physxTendon:ft", {"stiffness": r.uniform(5, 40), "damping": r.uniform(0.2, 2),
                                                "restLength": r.uniform(-0.1, 0.1), "offset": r.uniform(-0.1, 0.1)})
        self.joint_text[j][2].extend(lines)

    def _spatial_tendon(self, leaf: int) -> None:
        r = self.random
        chain = [0, *(j + 1 for j in self._chain(leaf))]
        path = chain if len(chain) < 3 else [chain[0], chain[len(chain) // 2], chain[-1]]
        for n, link in enumerate(path):
            kind = "Root" if n == 0 else "Leaf" if n == len(path) - 1 else ""
            name = f"s{n}"
            self.link_text[link][0].append(f"PhysxTendonAttachment{kind}API:{name}")
            lines = [f"point3f physxTendon:{name}:localPos = {_tuple(r.uniform(-0.3, 0.3, 3))}"]
            if n == 0:
                values = {"stiffness": r.uniform(5, 40), "damping": r.uniform(0.2, 2), "offset": 0.05}
                lines += _floats(f"physxTendon:{name}", values)
            else:
                lines += [f"rel physxTendon:{name}:parentLink = </World/art/l{path[n - 1]}>",
                          f'token physxTendon:{name}:parentAttachment = "s{n - 1}"',
                          *_floats(f"physxTendon:{name}", {"gearing": r.uniform(0.6, 1.4)})]
            if kind == "Leaf":
                lines += _floats(f"physxTendon:{name}", {"restLength": r.uniform(0.2, 0.8)})
            self.link_text[link][1].extend(lines)

    def _mimic(self, follower: int, reference: int) -> None:
        r = self.random
        for j in (follower, reference):
            if not any("lowerLimit" in line for line in self.joint_text[j][2]):
                widest = 2.5 * self._degrees(j)
                self.joint_text[j][2].extend(_floats("physics", {"lowerLimit": -widest, "upperLimit": widest}))
        unit = self._degrees(follower) / self._degrees(reference)
        values = {"gearing": r.choice([-1, 1]) * r.uniform(0.5, 1.5) * unit}
        if self.chance(0.5):
            values |= {"naturalFrequency": r.uniform(5, 30), "dampingRatio": r.uniform(0.2, 1.2)}
        self.joint_text[follower][1].append("PhysxMimicJointAPI:rotX")
        target = f"rel physxMimicJoint:rotX:referenceJoint = </World/art/j{reference}>"
        self.joint_text[follower][2].extend([target, *_floats("physxMimicJoint:rotX", values)])

    def _degrees(self, j: int) -> float:
        """USD units a radian or length unit of a joint."""
        return 57.29578 if self.kinds[j] == "Revolute" else 1.0

    def _text(self) -> str:
        n, v = int(self.random.choice([1, 4, 8, 32])), int(self.random.choice([0, 1, 4]))
        head, root = HEADER.replace("SOLVER", self.f.solver), ["PhysicsArticulationRootAPI", "PhysxArticulationAPI"]
        counts = [f"int physxArticulation:solverPositionIterationCount = {n}",
                  f"int physxArticulation:solverVelocityIterationCount = {v}"]
        if self.f.floating:
            self.link_text[0] = ([*self.link_text[0][0], *root], [*self.link_text[0][1], *counts])
            out = [head, _prim("Xform", "art", [], [], close=False)]
        else:
            out = [head, _prim("Xform", "art", root, counts, close=False),
                   _prim("PhysicsFixedJoint", "base", [], ["rel physics:body1 = </World/art/l0>"])]
        for i, (schemas, lines) in enumerate(self.link_text):
            out.append(_prim("Xform", f"l{i}", schemas, lines))
        for i, (kind, schemas, lines) in enumerate(self.joint_text):
            out.append(_prim(f"Physics{kind}Joint", f"j{i}", schemas, lines))
        return "".join([*out, "}\n}\n"])


def random_articulation(seed: int, features: Features | None = None) -> RandomArticulation:
    """The random articulation of a seed."""
    return _Writer(seed, features or Features()).write()


# --- text and rotations --------------------------------------------------------------------------------------------

def _prim(kind: str, name: str, schemas: list[str], lines: list[str], close: bool = True) -> str:
    quoted = ", ".join(f'"{s}"' for s in schemas)
    head = f'def {kind} "{name}"' + (f" (\n    prepend apiSchemas = [{quoted}]\n)" if schemas else "")
    return head + "\n{\n" + "".join(f"    {line}\n" for line in lines) + ("}\n" if close else "")


def _floats(prefix: str, values: dict[str, float]) -> list[str]:
    return [f"float {prefix}:{name} = {value:.6f}" for name, value in values.items()]


def _tuple(values: object, digits: int = 6) -> str:
    return "(" + ", ".join(f"{float(x):.{digits}f}" for x in values) + ")"      # type: ignore[attr-defined]


def _normalized(q: Vector) -> Vector:
    return q / np.linalg.norm(q)


def _product(a: Vector, b: Vector) -> Vector:
    """Quaternions (w, x, y, z)."""
    w = a[0] * b[0] - a[1:] @ b[1:]
    return np.concatenate([[w], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])


def _rotate(q: Vector, x: Vector) -> Vector:
    t = 2.0 * np.cross(q[1:], x)
    return x + q[0] * t + np.cross(q[1:], t)
