"""Random trees of one to five links as USDA text, most of them welded together, thrown into the air.

A stage is a function of its seed: links posed anyhow, fixed and moving joints with either link as body0, damping,
maximum velocities, gravity off for some links, pushes, TGS, PGS and forces once a step, any iteration counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from support.chance.usda_text import Vector, product, rotate
from support.stages.robots import prim

GRAVITY = 10.0
HEAD = '#usda 1.0\n(\n    metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = "Z"\n)\n'
ROOT_SCHEMAS = ("PhysicsArticulationRootAPI", "PhysxArticulationAPI")
SCENES: tuple[dict[str, object], ...] = (
    {}, {}, {"uniform token physxScene:solverType": "PGS"},
    {"bool physxScene:enableExternalForcesEveryIteration": False})


def thrown_tree(seed: int, nudge: int | None = None) -> str:
    """The stage of a seed; a nudge changes each mass and the root's start by one step of float32, up or down."""
    return _Writer(seed, nudge).write()


class _Writer:
    """One random tree in the making."""

    def __init__(self, seed: int, nudge: int | None) -> None:
        self.random = np.random.default_rng(seed)
        self.nudge = None if nudge is None else np.random.default_rng([seed, nudge])
        self.poses: list[tuple[Vector, Vector]] = []
        self.parts: list[str] = []

    def chance(self, probability: float) -> bool:
        return bool(self.random.random() < probability)

    def one_of(self, *values: Any) -> Any:
        return values[int(self.random.integers(len(values)))]

    def vector(self, size: float) -> tuple[float, ...]:
        return written(self.random.uniform(-size, size, 3))

    def quaternion(self) -> Vector:
        """A random rotation, (w, x, y, z)."""
        q = self.random.normal(size=4)
        return np.asarray(q / np.linalg.norm(q))

    def started(self, values: Vector | tuple[float, ...]) -> tuple[float, ...]:
        """Numbers of the start as PhysX holds them, or their neighbours."""
        single = np.asarray(values, dtype=np.float32)
        if self.nudge is not None:
            side = np.where(self.nudge.random(single.shape) < 0.5, np.inf, -np.inf).astype(np.float32)
            single = np.nextafter(single, side)
        return tuple(float(f"{x:.9g}") for x in single)

    def write(self) -> str:
        count, held, moving = int(self.random.integers(1, 6)), self.chance(0.12), self.chance(0.4)
        scene = SCENES[int(self.random.integers(len(SCENES)))]
        counts = self.counts()
        alone = count == 1 and not held
        for i in range(count):
            self.link(i, moving, ROOT_SCHEMAS if alone else (), counts if alone else {})
        if held:
            position, rotation = self.poses[0]
            self.parts.append(prim("PhysicsFixedJoint", "anchor", (), {
                "rel physics:body1": "</R/l0>", "point3f physics:localPos0": written(position, 9),
                "quatf physics:localRot0": written(rotation, 9)}))
        return HEAD + prim("PhysicsScene", "scene", ("PhysxSceneAPI",), {
            "vector3f physics:gravityDirection": (0, 0, -1), "float physics:gravityMagnitude": GRAVITY, **scene,
        }) + prim("Xform", "R", () if alone else ROOT_SCHEMAS, {} if alone else counts, "".join(self.parts))

    def counts(self) -> dict[str, object]:
        """Authored iteration counts, if any."""
        if not self.chance(0.6):
            return {}
        return {"int physxArticulation:solverPositionIterationCount": self.one_of(1, 2, 4, 7, 16, 32),
                "int physxArticulation:solverVelocityIterationCount": self.one_of(0, 0, 1, 2)}

    def link(self, i: int, moving: bool, schemas: tuple[str, ...], attributes: dict[str, object]) -> None:
        """A link, and its joint to one of those before it."""
        if i == 0:
            self.poses.append((self.random.uniform(-1.0, 1.0, 3), self.quaternion()))
            attributes = {**attributes, "vector3f physics:velocity": self.started(self.vector(2.0)),
                          "vector3f physics:angularVelocity": self.started(self.vector(200.0))}
        else:
            self.joint(i, moving)
        position, rotation = self.poses[i]
        push = self.push() if self.chance(0.3) else {}
        mass = float(10.0 ** self.random.uniform(-1.0, 1.0))
        applied = (*schemas, "PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI",
                   *(("PhysxForceAPI",) if push else ()))
        self.parts.append(prim("Xform", f"l{i}", applied, {
            **attributes, **self.moderation(), **push, "float physics:mass": self.started((mass,))[0],
            "float3 physics:diagonalInertia": written(mass * self.random.uniform(0.1, 0.2, 3)),
            "point3f physics:centerOfMass": self.vector(0.2),
            "quatf physics:principalAxes": written(self.quaternion(), 7),
            "double3 xformOp:translate": self.started(position) if i == 0 else written(position, 9),
            "quatd xformOp:orient": written(rotation, 12),
            "uniform token[] xformOpOrder": ["xformOp:translate", "xformOp:orient"]}))

    def joint(self, i: int, moving: bool) -> None:
        """A joint between link i and one before it, whose frames meet; adds the link's pose."""
        parent, reverse = int(self.random.integers(i)), self.chance(0.25)
        near, far = self.random.uniform(-0.5, 0.5, (2, 3))
        near_turn, far_turn = self.quaternion(), self.quaternion()
        position, rotation = self.poses[parent]
        turned = product(product(rotation, near_turn), far_turn * [1.0, -1.0, -1.0, -1.0])
        self.poses.append((position + rotate(rotation, near) - rotate(turned, far), turned))
        kind, axis = "Fixed", dict[str, object]()
        if moving and self.chance(0.5):
            kind, axis = self.one_of("Revolute", "Prismatic"), {"uniform token physics:axis": self.one_of(*"XYZ")}
        sides = [(parent, near, near_turn), (i, far, far_turn)]
        frames = {f"{key}{side}": value
                  for side, (body, place, turn) in enumerate(reversed(sides) if reverse else sides)
                  for key, value in (("rel physics:body", f"</R/l{body}>"),
                                     ("point3f physics:localPos", written(place, 7)),
                                     ("quatf physics:localRot", written(turn, 7)))}
        self.parts.append(prim(f"Physics{kind}Joint", f"j{i}", (), {**frames, **axis}))

    def moderation(self) -> dict[str, object]:
        """What slows a link down or lets it float."""
        choices: dict[str, tuple[float, Callable[[], object]]] = {
            "bool physxRigidBody:disableGravity": (0.3, lambda: self.chance(0.7)),
            "float physxRigidBody:linearDamping": (0.4, lambda: self.one_of(0.1, 1.0, 5.0)),
            "float physxRigidBody:angularDamping": (0.4, lambda: self.one_of(0.0, 0.5, 5.0, 100.0)),
            "float physxRigidBody:maxLinearVelocity": (0.2, lambda: round(self.random.uniform(1.0, 4.0), 3)),
            "float physxRigidBody:maxAngularVelocity": (0.2, lambda: round(self.random.uniform(50.0, 300.0), 1)),
        }
        return {name: value() for name, (share, value) in choices.items() if self.chance(share)}

    def push(self) -> dict[str, object]:
        """A force and a torque on a link, in every step."""
        return {"vector3f physxForce:force": self.vector(10.0), "vector3f physxForce:torque": self.vector(1.0),
                "uniform token physxForce:mode": self.one_of("force", "acceleration"),
                "bool physxForce:worldFrameEnabled": self.chance(0.5)}


def written(values: Vector, digits: int = 5) -> tuple[float, ...]:
    """Numbers rounded to significant digits."""
    return tuple(float(f"{x:.{digits}g}") for x in values)
