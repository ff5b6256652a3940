"""Random articulations of bodies with mass properties of every origin, in sheared and mirrored prims."""

from __future__ import annotations

import numpy as np

from support.stages.parts import ROOT_API, frames, scene
from support.stages.robots import HEAD, placed, prim

Random = np.random.Generator
SHAPES = ("Cube", "Sphere", "Capsule", "Cylinder", "Cone")


def weighed_stage(seed: int) -> str:
    """The text of a stage: five bodies on hinges of a base, each below up to two turned and unevenly scaled prims."""
    random = np.random.default_rng(seed)
    mirrored = 0.2 if seed % 2 else 0.0
    parts = [prim("Xform", "base", ("PhysicsRigidBodyAPI",), {}, prim("Cube", "s", ("PhysicsCollisionAPI",))),
             prim("PhysicsFixedJoint", "anchor", (), {"rel physics:body1": "</Robot/base>"})]
    for i in range(5):
        text, path = _weighed_body(random, i, mirrored), f"b{i}"
        for depth in range(int(random.integers(0, 3))):
            text = prim("Xform", f"f{i}_{depth}", (), _weighed_transform(random, mirrored), text)
            path = f"f{i}_{depth}/{path}"
        ends = {"rel physics:body0": "</Robot/base>", "rel physics:body1": f"</Robot/{path}>"}
        places = frames(random_vector(random, 2.0), random_vector(random), random_turn(random), random_turn(random))
        parts += [text, prim("PhysicsRevoluteJoint", f"j{i}", (), {**ends, **places})]
    robot = prim("Xform", "Robot", (ROOT_API,), {}, "".join(parts))
    return HEAD.format(meters=1.0, kilograms=1.0) + scene(0.0) + robot


def _weighed_body(random: Random, index: int, mirrored: float) -> str:
    shapes = "".join(prim(str(random.choice(SHAPES)), f"s{k}", *_weighed_collider(random, mirrored))
                     for k in range(int(random.integers(0, 3))))
    values = _mass(random, (0.6, 0.5, 0.4))
    if "float3 physics:diagonalInertia" in values or random.random() < 0.2:
        values["quatf physics:principalAxes"] = random_turn(random)
    return prim("Xform", f"b{index}", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"),
                {**values, **_weighed_transform(random, mirrored)}, shapes)


def _weighed_collider(random: Random, mirrored: float) -> tuple[tuple[str, ...], dict[str, object]]:
    values = {**_weighed_transform(random, mirrored), "uniform token axis": str(random.choice(["X", "Y", "Z"]))}
    if random.random() < 0.5:
        return ("PhysicsCollisionAPI",), values
    return ("PhysicsCollisionAPI", "PhysicsMassAPI"), {**values, **_mass(random, (0.5, 0.7, 0.3))}


def _mass(random: Random, chances: tuple[float, float, float]) -> dict[str, object]:
    """Some of mass, centre of mass and moments."""
    values: dict[str, object] = {}
    if random.random() < chances[0]:
        values["float physics:mass"] = float(random.uniform(0.5, 3.0))
    if random.random() < chances[1]:
        values["point3f physics:centerOfMass"] = random_vector(random)
    if random.random() < chances[2]:
        values["float3 physics:diagonalInertia"] = random_vector(random, 0.5, 1.5)
    return values


def _weighed_transform(random: Random, mirrored: float) -> dict[str, object]:
    scale = random.uniform(0.4, 2.5, 3) * np.where(random.random(3) < mirrored, -1.0, 1.0)
    return placed(random_vector(random, 2.0), tuple(map(float, scale)), random_turn(random))


def random_vector(random: Random, size: float = 1.0, above: float = 0.0) -> tuple[float, ...]:
    """Three numbers within a size of another one."""
    return tuple(map(float, random.uniform(-size, size, 3) + above))


def random_turn(random: Random) -> tuple[float, ...]:
    """A unit quaternion w, x, y, z."""
    turn = random.normal(size=4)
    return tuple(map(float, turn / np.linalg.norm(turn)))
