"""Random stages that are awkward to read: graphs of bodies and joints of every kind, in any order and direction.

A stage is a function of its seed. Bodies lie in folders with transforms of their own; joints close loops, are excluded,
disabled, swapped or anchored; root APIs lie on bodies, joints and above; limits, drives and states are on any axis.
"""

from __future__ import annotations

import numpy as np

from support.stages.parts import ROOT_API, Attributes, axis_values, drive, frames, limit, scene, state
from support.stages.robots import HEAD, placed, prim

_KINDS = ("Revolute", "Prismatic", "Fixed", "Spherical", "", "Distance")
_AXES = ("rotX", "rotY", "rotZ")
_NAMES = ("a", "B", "_c", "d1", "d10", "d2", "e", "Z", "zz", "m")
Random = np.random.Generator


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
    return placed(tuple(map(float, random.uniform(-2, 2, 3))), (scale,) * 3, _turn(random))


def _turn(random: Random) -> tuple[float, ...]:
    if random.random() < 0.4:
        return (1.0, 0.0, 0.0, 0.0)
    turn = random.normal(size=4)
    return tuple(map(float, turn / np.linalg.norm(turn)))


def _in_folder(random: Random, folder: str, text: str) -> str:
    return prim("Xform", folder, (), _transform(random), text) if folder else text


def _body(random: Random, name: str, roots: set[str], inside: str) -> str:
    values: Attributes = _transform(random)
    if random.random() < 0.5:
        values |= {"float physics:mass": float(random.uniform(0.5, 5)),
                   "point3f physics:centerOfMass": tuple(map(float, random.uniform(-0.3, 0.3, 3)))}
    if random.random() < 0.4:
        values |= {"float3 physics:diagonalInertia": tuple(map(float, random.uniform(0.5, 3, 3))),
                   "quatf physics:principalAxes": _turn(random)}
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
                     _turn(random), _turn(random), str(random.choice(["X", "Y", "Z"])))
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
