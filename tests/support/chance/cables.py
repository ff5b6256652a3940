"""Random articulations with branching spatial tendons, posed apart from their joints: a function of the seed."""

from __future__ import annotations

import numpy as np

from support.stages.robots import HEAD, placed, prim

Random = np.random.Generator

NAMES = ("base", "a", "b", "c", "d")
SCENE = prim("PhysicsScene", "scene", ("PhysxSceneAPI",), {
    "float physics:gravityMagnitude": 0.0, "bool physxScene:enableGPUDynamics": False,
    "uniform token physxScene:broadphaseType": "MBP"})


def cable_stage(seed: int, sheared: bool = False) -> str:
    """The text of a stage: up to four links on a base, and a tendon whose leaves have mostly no rest length.

    A sheared one has uneven scales above turned links.
    """
    random = np.random.default_rng(seed)
    names = NAMES[:int(random.integers(2, 6))]
    parents = [int(random.integers(i)) for i in range(1, len(names))]
    attached = _attachments(random, names)
    bodies = "".join(_cable_body(random, name, attached[name], sheared) for name in names)
    joints = "".join(_cable_joint(random, names[parent], name) for parent, name in zip(parents, names[1:], strict=True))
    if random.random() < 0.6:
        joints += prim("PhysicsFixedJoint", "anchor", (), {"rel physics:body1": "</Robot/base>"})
    values: dict[str, object] = {"int physxArticulation:solverPositionIterationCount": 4,
                                 "int physxArticulation:solverVelocityIterationCount": 0,
                                 **placed(_vector(random, 2.0), _scale(random, (1.0, 2.0), sheared),
                                          _cable_turn(random))}
    robot = prim("Xform", "Robot", ("PhysicsArticulationRootAPI", "PhysxArticulationAPI"), values, bodies + joints)
    return HEAD.format(meters=1.0, kilograms=1.0) + robot + SCENE


def _attachments(random: Random, names: tuple[str, ...]) -> dict[str, list[tuple[str, dict[str, object]]]]:
    """Applied schemas with their values by body: a root on the base, attachments on every link, ends as leaves."""
    found: dict[str, list[tuple[str, dict[str, object]]]] = {name: [] for name in names}
    found["base"].append(("PhysxTendonAttachmentRootAPI:t0", {
        **_place(random, "t0"), "float physxTendon:t0:stiffness": float(random.uniform(5, 20)),
        "float physxTendon:t0:offset": float(random.uniform(-0.2, 0.2))}))
    ways = [("base", "t0")]
    for i, name in enumerate(names[1:], 1):
        link, above = ways[int(random.integers(len(ways)))]
        leaf = i + 1 == len(names) or random.random() < 0.5
        own = f"t{i}"
        gearing = float(random.uniform(0.5, 1.5)) * (-1.0 if random.random() < 0.15 else 1.0)
        values = {**_place(random, own), f"rel physxTendon:{own}:parentLink": f"</Robot/{link}>",
                  f"token physxTendon:{own}:parentAttachment": above, f"float physxTendon:{own}:gearing": gearing}
        if leaf and random.random() < 0.4:
            values[f"float physxTendon:{own}:restLength"] = float(random.choice([-1.0, -1e-6, -3e38, 0.0, 1.5]))
        found[name].append((f"PhysxTendonAttachment{'Leaf' if leaf else ''}API:{own}", values))
        if not leaf:
            ways.append((name, own))
    return found


def _place(random: Random, name: str) -> dict[str, object]:
    return {f"point3f physxTendon:{name}:localPos": _vector(random, 0.5)}


def _cable_body(random: Random, name: str, attached: list[tuple[str, dict[str, object]]], sheared: bool) -> str:
    values: dict[str, object] = {"float physics:mass": float(random.uniform(0.5, 2)),
                                 "float3 physics:diagonalInertia": _vector(random, 0.2, 0.5)}
    if random.random() < 0.5:
        values["point3f physics:centerOfMass"] = _vector(random, 0.2)
    if random.random() < 0.5:
        values["quatf physics:principalAxes"] = _cable_turn(random)
    values |= placed(_vector(random, 2.0), _scale(random, (1.0, 0.5, 3.0), sheared), _cable_turn(random))
    for _, more in attached:
        values |= more
    return prim("Xform", name, ("PhysicsRigidBodyAPI", "PhysicsMassAPI", *(schema for schema, _ in attached)), values)


def _cable_joint(random: Random, above: str, below: str) -> str:
    kind, token = (("Revolute", "angular"), ("Prismatic", "linear"))[int(random.integers(2))]
    ends = (above, below) if random.random() < 0.7 else (below, above)
    values: dict[str, object] = {f"rel physics:body{i}": f"</Robot/{end}>" for i, end in enumerate(ends)}
    values |= {"point3f physics:localPos0": _vector(random, 0.5), "point3f physics:localPos1": _vector(random, 0.5),
               "quatf physics:localRot0": _cable_turn(random),
               "uniform token physics:axis": str(random.choice(["X", "Y", "Z"]))}
    schemas: tuple[str, ...] = ()
    if random.random() < 0.6:
        schemas = (f"PhysicsJointStateAPI:{token}",)
        values[f"float state:{token}:physics:position"] = float(
            random.uniform(-60, 60) if kind == "Revolute" else random.uniform(-0.5, 0.5))
    return prim(f"Physics{kind}Joint", f"j{below}", schemas, values)


def _scale(random: Random, even: tuple[float, ...], sheared: bool) -> tuple[float, ...]:
    return _vector(random, 0.75, 1.25) if sheared else (float(random.choice(even)),) * 3


def _vector(random: Random, size: float, above: float = 0.0) -> tuple[float, ...]:
    return tuple(map(float, random.uniform(-size, size, 3) + above))


def _cable_turn(random: Random) -> tuple[float, ...]:
    if random.random() < 0.3:
        return (1.0, 0.0, 0.0, 0.0)
    turn = random.normal(size=4)
    return tuple(map(float, turn / np.linalg.norm(turn)))
