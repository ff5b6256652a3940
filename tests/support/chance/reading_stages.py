"""Random stages that are awkward to read: graphs, cables, and bodies with mass properties of every origin.

Random stages that are awkward to read: graphs of bodies and joints of every kind, in any order and direction.

A stage is a function of its seed. Bodies lie in folders with transforms of their own; joints close loops, are excluded,
disabled, swapped or anchored; root APIs lie on bodies, joints and above; limits, drives and states are on any axis.

Random articulations with branching spatial tendons, posed apart from their joints: a function of the seed.

Random articulations of bodies with mass properties of every origin, in sheared and mirrored prims.

Random articulations of bodies whose moments are equal or nearly so, and where rounding turns their axes.
"""

from __future__ import annotations

import numpy as np

from support.stages.parts import ROOT_API, Attributes, axis_values, drive, frames, limit, scene, state
from support.stages.robots import HEAD, placed, prim

_KINDS = ("Revolute", "Prismatic", "Fixed", "Spherical", "", "Distance")
_AXES = ("rotX", "rotY", "rotZ")
_NAMES = ("a", "B", "_c", "d1", "d10", "d2", "e", "Z", "zz", "m")
Random = np.random.Generator


def random_vector(random: Random, size: float = 1.0, above: float = 0.0) -> tuple[float, ...]:
    """Three numbers within a size of another one."""
    return tuple(map(float, random.uniform(-size, size, 3) + above))


def random_turn(random: Random, upright: float = 0.0) -> tuple[float, ...]:
    """A unit quaternion w, x, y, z; with a probability that of no rotation."""
    if upright and random.random() < upright:
        return (1.0, 0.0, 0.0, 0.0)
    turn = random.normal(size=4)
    return tuple(map(float, turn / np.linalg.norm(turn)))


# --- graphs ----------------------------------------------------------------------------------------------------------

def random_graph(seed: int) -> str:
    """The text of a stage."""
    random = np.random.default_rng(seed)
    names = [str(name) for name in random.permutation(_NAMES)[:int(random.integers(2, 8))]]
    parents = [int(random.integers(i)) if i and random.random() < 0.12 else -1 for i in range(len(names))]
    folders = [f"{random.choice(['S', 'p', 'zz'])}{name}" if random.random() < 0.4 else "" for name in names]
    places: list[str] = []
    for name, parent, folder in zip(names, parents, folders, strict=True):
        places.append("/".join(filter(None, (places[parent] if parent >= 0 else "", folder, name))))
    roots = _roots(random, names)
    inside = [""] * len(names)
    for i in reversed(range(1, len(names))):
        text = _in_folder(random, folders[i], _body(random, names[i], roots, inside[i]))
        inside[parents[i] if parents[i] >= 0 else i] = text + (inside[parents[i]] if parents[i] >= 0 else "")
    bodies = _in_folder(random, folders[0], _body(random, names[0], roots, inside[0])) + "".join(
        inside[i] for i in range(1, len(names)) if parents[i] < 0)
    joints = _joints(random, [f"/Robot/{place}" for place in places], roots)
    content = "".join(str(part) for part in random.permutation([bodies, *joints]))
    above = (ROOT_API,) if "Robot" in roots else ()
    return HEAD.format(meters=float(random.choice([1.0, 0.01])), kilograms=1.0) + scene(float(random.choice(
        [0.0, 3.0]))) + prim("Xform", "Robot", above, _transform(random), content)


def _roots(random: Random, names: list[str]) -> set[str]:
    """Where root APIs lie: above everything as a rule, else on a body or on a joint."""
    if random.random() < 0.7:
        return {"Robot"}
    count = 1 + int(random.random() < 0.3)
    return {str(random.choice(names)) if random.random() < 0.6 else f"j{random.integers(len(names))}"
            for _ in range(count)}


def _transform(random: Random) -> Attributes:
    """A pose with a scale; uneven scales only where nothing is turned below."""
    scale = float(random.choice([1.0, 1.0, 2.0, 0.5]))
    return placed(tuple(map(float, random.uniform(-2, 2, 3))), (scale,) * 3, random_turn(random, 0.4))


def _in_folder(random: Random, folder: str, text: str) -> str:
    return prim("Xform", folder, (), _transform(random), text) if folder else text


def _body(random: Random, name: str, roots: set[str], inside: str) -> str:
    values: Attributes = _transform(random)
    if random.random() < 0.5:
        values |= {"float physics:mass": float(random.uniform(0.5, 5)),
                   "point3f physics:centerOfMass": tuple(map(float, random.uniform(-0.3, 0.3, 3)))}
    if random.random() < 0.4:
        values |= {"float3 physics:diagonalInertia": tuple(map(float, random.uniform(0.5, 3, 3))),
                   "quatf physics:principalAxes": random_turn(random, 0.4)}
    if random.random() < 0.05:
        values["bool physics:rigidBodyEnabled"] = False
    if random.random() < 0.04:
        values["bool physics:kinematicEnabled"] = True
    shapes = "".join(prim(kind, f"s{i}", ("PhysicsCollisionAPI",), _transform(random)) for i, kind in enumerate(
        random.choice(["Cube", "Sphere", "Capsule", "Cylinder"], int(random.integers(0, 3)))))
    schemas = ("PhysicsRigidBodyAPI", "PhysicsMassAPI", *((ROOT_API,) if name in roots else ()))
    return prim("Xform", name, schemas, values, shapes + inside)


def _joints(random: Random, paths: list[str], roots: set[str]) -> list[str]:
    """A tree as a rule, some joints that close loops, and some to the world."""
    ends = [(paths[int(random.integers(i))], paths[i]) for i in range(1, len(paths)) if random.random() < 0.93]
    ends += [(str(first), str(second)) for first, second in (
        random.choice(paths, 2) for _ in range(int(random.random() < 0.3)))]
    ends += [("", str(random.choice(paths))) for _ in range(int(random.choice([0, 1, 1, 2], p=[0.4, 0.3, 0.2, 0.1])))]
    names = [str(name) for name in random.permutation([f"j{i}" for i in range(len(ends))])]
    return [_joint(random, name, pair, roots) for name, pair in zip(names, ends, strict=True)]


def _joint(random: Random, name: str, ends: tuple[str, str], roots: set[str]) -> str:
    kind = str(random.choice(_KINDS, p=[0.38, 0.2, 0.15, 0.1, 0.14, 0.03]))
    first, second = ends if random.random() < 0.7 else ends[::-1]
    values: Attributes = {f"rel physics:body{i}": f"<{path}>" for i, path in enumerate((first, second)) if path}
    values |= frames(tuple(map(float, random.uniform(-1, 1, 3))), tuple(map(float, random.uniform(-1, 1, 3))),
                     random_turn(random, 0.4), random_turn(random, 0.4), str(random.choice(["X", "Y", "Z"])))
    schemas: list[str] = [ROOT_API] if name in roots else []
    if random.random() < 0.07:
        values["bool physics:excludeFromArticulation"] = True
    if random.random() < 0.05:
        values["bool physics:jointEnabled"] = False
    if kind == "Spherical" and random.random() < 0.5:
        values |= {f"float physics:coneAngle{i}Limit": float(random.uniform(-5, 90)) for i in (0, 1)}
    if kind in ("Revolute", "Prismatic") and random.random() < 0.5:
        low, high = sorted(map(float, random.uniform(-90, 90, 2)))
        values |= {"float physics:lowerLimit": low, "float physics:upperLimit": high}
    tokens = {"Revolute": ("angular",), "Prismatic": ("linear",), "": _AXES}.get(kind, ())
    if kind == "":
        locked = dict.fromkeys(("transX", "transY", "transZ"), (1.0, -1.0))
        locked |= {axis: (1.0, -1.0) if random.random() < 0.4 else (-40.0, 55.0) for axis in _AXES
                   if random.random() < 0.6}
        schemas += [f"PhysicsLimitAPI:{axis}" for axis in locked]
        for axis, (low, high) in locked.items():
            values |= limit(axis, low, high)
    for token in tokens:
        if random.random() < 0.5:
            schemas += [f"{api}:{token}" for api in ("PhysicsDriveAPI", "PhysicsJointStateAPI", "PhysxJointAxisAPI")]
            gains = random.uniform(0.1, 20, 5)
            values |= drive(token, str(random.choice(["force", "acceleration"])), stiffness=float(gains[0]),
                            damping=float(gains[1]), maxForce=float(gains[2]), targetPosition=float(gains[3]))
            values |= state(token, float(random.uniform(-30, 30)), float(gains[4]))
            values |= axis_values(token, armature=float(gains[4]), staticFrictionEffort=float(gains[3]),
                                  dynamicFrictionEffort=float(gains[3] / 2))
    return prim(f"Physics{kind}Joint", name, schemas, values)


# --- cables ----------------------------------------------------------------------------------------------------------

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
                                 **placed(random_vector(random, 2.0), _scale(random, (1.0, 2.0), sheared),
                                          random_turn(random, 0.3))}
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
    return {f"point3f physxTendon:{name}:localPos": random_vector(random, 0.5)}


def _cable_body(random: Random, name: str, attached: list[tuple[str, dict[str, object]]], sheared: bool) -> str:
    values: dict[str, object] = {"float physics:mass": float(random.uniform(0.5, 2)),
                                 "float3 physics:diagonalInertia": random_vector(random, 0.2, 0.5)}
    if random.random() < 0.5:
        values["point3f physics:centerOfMass"] = random_vector(random, 0.2)
    if random.random() < 0.5:
        values["quatf physics:principalAxes"] = random_turn(random, 0.3)
    values |= placed(random_vector(random, 2.0), _scale(random, (1.0, 0.5, 3.0), sheared), random_turn(random, 0.3))
    for _, more in attached:
        values |= more
    return prim("Xform", name, ("PhysicsRigidBodyAPI", "PhysicsMassAPI", *(schema for schema, _ in attached)), values)


def _cable_joint(random: Random, above: str, below: str) -> str:
    kind, token = (("Revolute", "angular"), ("Prismatic", "linear"))[int(random.integers(2))]
    ends = (above, below) if random.random() < 0.7 else (below, above)
    values: dict[str, object] = {f"rel physics:body{i}": f"</Robot/{end}>" for i, end in enumerate(ends)}
    values |= {"point3f physics:localPos0": random_vector(random, 0.5),
               "point3f physics:localPos1": random_vector(random, 0.5),
               "quatf physics:localRot0": random_turn(random, 0.3),
               "uniform token physics:axis": str(random.choice(["X", "Y", "Z"]))}
    schemas: tuple[str, ...] = ()
    if random.random() < 0.6:
        schemas = (f"PhysicsJointStateAPI:{token}",)
        values[f"float state:{token}:physics:position"] = float(
            random.uniform(-60, 60) if kind == "Revolute" else random.uniform(-0.5, 0.5))
    return prim(f"Physics{kind}Joint", f"j{below}", schemas, values)


def _scale(random: Random, even: tuple[float, ...], sheared: bool) -> tuple[float, ...]:
    return random_vector(random, 0.75, 1.25) if sheared else (float(random.choice(even)),) * 3


# --- weighed bodies --------------------------------------------------------------------------------------------------

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


# --- round bodies ----------------------------------------------------------------------------------------------------

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
