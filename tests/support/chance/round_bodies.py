"""Random articulations of bodies whose moments are equal or nearly so, and where rounding turns their axes."""

from __future__ import annotations

import numpy as np

from support.chance.weighed_bodies import SHAPES, random_turn, random_vector
from support.stages.parts import ROOT_API, frames, scene
from support.stages.robots import HEAD, placed, prim

Random = np.random.Generator
BODIES = 5
TURNS = ((1.0, 0.0, 0.0, 0.0), (0.5**0.5, 0.5**0.5, 0.0, 0.0), (0.5, 0.5, 0.5, 0.5))
NEARLY = (1e-7, 1e-6, 1e-5, 1e-3)


def round_stage(seed: int) -> str:
    """The text of a stage: five bodies of one to three colliders each on hinges of a base."""
    random = np.random.default_rng(1000 + seed)
    parts = [prim("Xform", "base", ("PhysicsRigidBodyAPI",), {}, prim("Cube", "s", ("PhysicsCollisionAPI",))),
             prim("PhysicsFixedJoint", "anchor", (), {"rel physics:body1": "</Robot/base>"})]
    for i in range(BODIES):
        ends = {"rel physics:body0": "</Robot/base>", "rel physics:body1": f"</Robot/b{i}>"}
        parts += [_round_body(random, i), prim("PhysicsRevoluteJoint", f"j{i}", (), {
            **ends, **frames(random_vector(random, 2.0), random_vector(random), random_turn(random),
                             random_turn(random))})]
    return HEAD.format(meters=1.0, kilograms=1.0) + scene(0.0) + prim("Xform", "Robot", (ROOT_API,), {},
                                                                      "".join(parts))


def _round_body(random: Random, index: int) -> str:
    count = 1 if random.random() < 0.6 else int(random.integers(2, 4))
    shapes = "".join(_round_collider(random, k, count) for k in range(count))
    values: dict[str, object] = {}
    if random.random() < 0.4:
        values["float physics:mass"] = float(random.uniform(0.5, 3.0))
    if random.random() < 0.2:
        values["point3f physics:centerOfMass"] = random_vector(random)
    if random.random() < 0.3:
        values["float3 physics:diagonalInertia"] = random_vector(random, 0.5, 1.5)
    size = 1.0 if random.random() < 0.5 else float(random.uniform(0.4, 2.5))
    return prim("Xform", f"b{index}", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"),
                {**values, **placed(random_vector(random, 2.0), (size, size, size), random_turn(random))}, shapes)


def _round_collider(random: Random, index: int, count: int) -> str:
    kind, axis = str(random.choice(SHAPES)), str(random.choice(["X", "Y", "Z"]))
    size = 1.0 if random.random() < 0.5 else float(random.uniform(0.4, 2.5))
    scale = (size, size, size)
    if random.random() < 0.15:
        scale = (size, size, size * (1.0 + float(random.choice(NEARLY))))
    if random.random() < 0.15:
        scale = (size, size, 2.0 * size)
    turn = random_turn(random) if random.random() < 0.75 else TURNS[int(random.integers(3))]
    place = (0.0, 0.0, 0.0) if count == 1 and random.random() < 0.5 else random_vector(random, 2.0)
    if count > 1 and random.random() < 0.3:
        place = (float(index), 0.0, 0.0)
    return prim(kind, f"s{index}", ("PhysicsCollisionAPI",),
                {"uniform token axis": axis, **placed(place, scale, turn)})
