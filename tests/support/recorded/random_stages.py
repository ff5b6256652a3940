"""Articulations by chance: four links in prims that turn, scale, shear and mirror, joints of every type with states."""

from __future__ import annotations

import random

from support.recorded.scene_stages import still
from support.recorded.tree_stages import anchor
from support.stages.robots import joint, link, placed, prim

COUNT = 40
NAMES = "abcd"
ROTATIONS = ("rotX", "rotY", "rotZ")
Values = dict[str, object]


def quaternion(choose: random.Random) -> tuple[float, ...]:
    parts = [choose.gauss(0.0, 1.0) for _ in range(4)]
    length = sum(part * part for part in parts) ** 0.5
    return tuple(part / length for part in parts)


def somewhere(choose: random.Random, kinds: str) -> Values:
    """A place with no scale (1), a uniform one (u), one of three lengths (n), or one that may mirror (m)."""
    kind = choose.choice(kinds)
    lengths = [round(choose.uniform(0.3, 3.0), 2) for _ in range(3)]
    signs = [choose.choice((-1, 1)) if kind == "m" else 1 for _ in range(3)]
    scale = {"1": (1, 1, 1), "u": (lengths[0],) * 3}.get(kind, tuple(
        length * sign for length, sign in zip(lengths, signs, strict=True)))
    return placed(tuple(round(choose.uniform(-2.0, 2.0), 2) for _ in range(3)), scale, quaternion(choose))


def states(choose: random.Random, kind: str) -> tuple[tuple[str, ...], Values]:
    """Joint states of a type of joint, and locks of some axes of a generic one."""
    if kind in ("Revolute", "Prismatic"):
        axis, size = ("angular", 40.0) if kind == "Revolute" else ("linear", 1.0)
        return (f"PhysicsJointStateAPI:{axis}",), {
            f"float state:{axis}:physics:position": round(choose.uniform(-size, size), 2)}
    if kind:
        return (), {}
    values: Values = {f"float state:{axis}:physics:position": round(choose.uniform(-40.0, 40.0), 2)
                      for axis in ROTATIONS}
    locked = choose.sample(ROTATIONS, choose.choice((0, 1, 2)))
    for axis in locked:
        values |= {f"float limit:{axis}:physics:low": 1.0, f"float limit:{axis}:physics:high": -1.0}
    schemas = [f"PhysicsJointStateAPI:{axis}" for axis in ROTATIONS] + [f"PhysicsLimitAPI:{axis}" for axis in locked]
    return tuple(schemas), values


def drawn_hinge(choose: random.Random, name: str, ends: tuple[str, str]) -> str:
    """A joint with frames by chance, sometimes swapped, sometimes to a prim inside a link."""
    kind = choose.choice(("Revolute", "Prismatic", "Fixed", "Spherical", ""))
    schemas, values = states(choose, kind)
    for side in "01":
        values[f"point3f physics:localPos{side}"] = tuple(round(choose.uniform(-1.0, 1.0), 2) for _ in range(3))
        values[f"quatf physics:localRot{side}"] = quaternion(choose)
    values["uniform token physics:axis"] = choose.choice("XYZ")
    targets = [end + ("/m" if choose.random() < 0.3 else "") for end in choose.sample(ends, 2)]
    return joint(kind, name, targets[0], targets[1], schemas, values)


def articulation(seed: int) -> str:
    choose = random.Random(seed)
    kind = choose.choice("1unm")
    parts, paths = "", []
    for i, name in enumerate(NAMES):
        mount = prim("Xform", "m", (), somewhere(choose, "1u" + kind))
        body = link(name, more=somewhere(choose, "1u" + kind), children=mount)
        grouped = choose.random() < 0.5
        parts += prim("Xform", f"g{i}", (), somewhere(choose, "1u" + kind), body) if grouped else body
        paths.append(f"top/g{i}/{name}" if grouped else f"top/{name}")
    joints = "".join(drawn_hinge(choose, f"j{i}", (paths[choose.randrange(i)], paths[i])) for i in range(1, len(paths)))
    return still(prim("Xform", "top", (), somewhere(choose, kind), parts), joints,
                 anchor("w", paths[0]) if choose.random() < 0.5 else "")


RANDOM_STAGES = {f"articulation {seed}": articulation(seed) for seed in range(COUNT)}
