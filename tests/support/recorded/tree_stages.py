"""Stages about the shape of articulations: roots, loops, and trees by chance.

Stages about the shape of articulations: roots, anchors, loops, kinematic and disabled bodies, excluded joints.

Stages with several joints between two bodies and with loops: which joints PhysX makes where.

Articulations by chance: four links in prims that turn, scale, shear and mirror, joints of every type with states.
"""

from __future__ import annotations

import random

from support.recorded.scene_stages import ROOT, still
from support.stages.robots import base, joint, link, placed, prim

KINEMATIC = {"bool physics:kinematicEnabled": True}
DISABLED = {"bool physics:rigidBodyEnabled": False}
OFF = {"bool physics:jointEnabled": False}
EXCLUDED = {"bool physics:excludeFromArticulation": True}
PAIR = link("a") + link("b")
HINGE = joint("Revolute", "j", "a", "b")


def links(names: str) -> str:
    return "".join(map(link, names))


def chain(names: str, kinds: str = "") -> str:
    """Links joined one after the other by j0, j1 ..., revolute unless told."""
    letters = {"r": "Revolute", "p": "Prismatic", "d": "Distance", "x": "Revolute", "o": "Revolute"}
    values = {"x": EXCLUDED, "o": OFF}
    return links(names) + "".join(
        joint(letters[kind], f"j{i}", first, second, (), values.get(kind, {}))
        for i, (first, second, kind) in enumerate(zip(names, names[1:], kinds or "r" * len(names), strict=False)))


def kinematic(name: str = "k") -> str:
    return link(name, more=KINEMATIC)


def hinge(name: str, first: str, second: str, schemas: tuple[str, ...] = (), **more: object) -> str:
    return joint("Revolute", name, first, second, schemas, more)


def anchor(name: str, body: str, schemas: tuple[str, ...] = (), kind: str = "Fixed",
           more: dict[str, object] | None = None) -> str:
    return joint(kind, name, "", body, schemas, more)


def gear(first: str, second: str, hinges: tuple[str, str], more: dict[str, object] | None = None) -> str:
    bodies = {f"rel physics:body{i}": f"</Robot/{body}>" for i, body in enumerate((first, second)) if body}
    turned = {f"rel physics:hinge{i}": f"</Robot/{path}>" for i, path in enumerate(hinges)}
    return prim("PhysxPhysicsGearJoint", "g", (), {**bodies, **turned, **(more or {})})


def switched_off(*parts: str) -> str:
    """An articulation with articulationEnabled false."""
    text = still(*parts, schemas=(*ROOT, "PhysxArticulationAPI"))
    return text.replace('def Xform "a"', 'bool physxArticulation:articulationEnabled = 0\ndef Xform "a"', 1)


def tangle(seed: int) -> str:
    """Bodies with joints of every type, as many as a tree has or more, some excluded, with and without anchors.

    The names of bodies and joints say nothing about where they are.
    """
    choose = random.Random(seed)
    names = "abcdefgh"[:choose.randint(3, 8)]
    order = choose.sample(names, len(names))
    edges = [(order[i], order[choose.randrange(i)]) for i in range(1, len(order))]
    if seed % 2:
        edges += [(a, b) for a, b in (choose.sample(names, 2) for _ in range(choose.randint(1, 3)))
                  if (a, b) not in edges and (b, a) not in edges]
    numbers = choose.sample(range(len(edges)), len(edges))
    kinds = ("Revolute", "Prismatic", "Fixed", "Spherical", "", *(("Distance",) if seed % 3 == 0 else ()))
    joints = "".join(
        joint(choose.choice(kinds), f"j{number}", *choose.sample(edge, 2), (),
              EXCLUDED if choose.random() < 0.1 else {})
        for number, edge in zip(numbers, edges, strict=True))
    anchors = "".join(anchor(f"w{i}", choose.choice(names[:3]), kind=choose.choice(kinds))
                      for i in range(choose.choice((0, 0, 2, 3))))
    return still(links(names), joints, anchors)


ANCHORS = {
    "body1 anchored": anchor("w", "a"),
    "body0 anchored": joint("Fixed", "w", "a", ""),
    "anchored by a revolute joint": anchor("w", "a", kind="Revolute"),
    "anchored by a spherical joint": anchor("w", "a", kind="Spherical"),
    "anchored by a distance joint": anchor("w", "b", kind="Distance"),
    "anchored by a generic joint": anchor("w", "b", kind=""),
    "anchored by an excluded joint": anchor("w", "b", more=EXCLUDED),
    "anchored by a disabled joint": anchor("w", "b", more=OFF),
    "anchored twice": anchor("w", "a") + anchor("v", "a"),
    "both anchored": anchor("w", "a") + anchor("v", "b"),
    "anchored to a prim without body": prim("Xform", "m") + joint("Fixed", "w", "m", "a"),
    "anchored to nothing": joint("Fixed", "w", "nope", "a"),
    "anchored to a disabled body": link("s", more=DISABLED) + joint("Revolute", "w", "s", "a"),
    "anchored to a kinematic body": kinematic() + joint("Revolute", "w", "k", "a"),
    "a joint without bodies": joint("Revolute", "w", "", ""),
    "a joint of a body with itself": joint("Revolute", "w", "a", "a"),
    "a second joint": hinge("w", "a", "b"),
    "a second joint the other way": hinge("w", "b", "a"),
    "a second joint of another type": joint("Fixed", "w", "a", "b"),
    "a second joint that is excluded": joint("Fixed", "w", "a", "b", (), EXCLUDED),
    "a distance joint beside": joint("Distance", "w", "a", "b"),
}
KINEMATICS = {
    "a kinematic body in the middle": (chain("abc", "ro") + kinematic() + hinge("k1", "b", "k")
                                       + hinge("k2", "k", "c")),
    "a kinematic body at the end of an anchored chain": (chain("ab") + kinematic() + hinge("k1", "b", "k")
                                                         + anchor("w", "a")),
    "a kinematic body at the anchored link": chain("ab") + kinematic() + hinge("k1", "b", "k") + anchor("w", "b"),
    "a kinematic body at the heaviest link": (chain("abcd") + kinematic() + hinge("k1", "b", "k") + anchor("w", "a")),
    "a link beyond a kinematic body": (chain("abc", "ro") + kinematic() + hinge("k1", "b", "k") + hinge("k2", "k", "c")
                                       + anchor("w", "a")),
    "a kinematic body that is anchored": chain("ab") + kinematic() + hinge("k1", "b", "k") + anchor("w", "k"),
    "a kinematic body behind an excluded joint": (chain("ab") + kinematic()
                                                  + joint("Revolute", "k1", "b", "k", (), EXCLUDED)),
    "a kinematic loop": chain("ab") + kinematic() + hinge("k1", "b", "k") + hinge("k2", "a", "k") + anchor("w", "a"),
    "two kinematic bodies": chain("ab") + kinematic() + kinematic("l") + hinge("k1", "b", "k") + hinge("k2", "k", "l")
    + anchor("w", "a"),
    "kinematic bodies alone": kinematic() + kinematic("l") + hinge("k1", "k", "l"),
    "a disabled body in the middle": (chain("abc", "ro") + link("s", more=DISABLED) + hinge("k1", "b", "s")
                                      + hinge("k2", "s", "c")),
}
SHAPES = {
    "an excluded joint in the middle": chain("abcd", "rxr"),
    "an excluded joint at the end": chain("abc", "rx"),
    "an excluded joint alone": chain("ab", "x"),
    "a disabled joint in the middle": chain("abcd", "ror"),
    "a disabled joint alone": chain("ab", "o"),
    "a distance joint in the middle": chain("abcd", "rdr"),
    "a distance joint alone": chain("ab", "d"),
    "a gear joint across a chain": chain("abcd") + gear("a", "d", ("j0", "j2")),
    "an excluded gear joint across a chain": chain("abcd") + gear("a", "d", ("j0", "j2"), EXCLUDED),
    "a gear joint without bodies": chain("abcd") + gear("", "", ("j0", "j2")),
    "one body": link("a"),
    "one anchored body": link("a") + anchor("w", "a"),
    "one body with an excluded anchor": link("a") + anchor("w", "a", more=EXCLUDED),
    "two trees": chain("ab") + links("cd") + hinge("k", "c", "d"),
    "a tree and a body": chain("ab") + link("c"),
    "an anchored tree and a floating one": chain("ab") + links("cd") + hinge("k", "c", "d") + anchor("w", "c"),
    "a chain of five": chain("abcde"),
    "a star": links("abcd") + "".join(hinge(f"j{x}", "a", x) for x in "bcd"),
}


def rooted(*names: str) -> str:
    """A chain a-b-c with the root API on some of its bodies."""
    bodies = (link(name, schemas=ROOT if name in names else ()) for name in "abc")
    return "".join(bodies) + hinge("j1", "a", "b") + hinge("j2", "b", "c")


ROOTS = {
    **{f"the root API on {' and '.join(names)}": rooted(*names) for names in ("a", "b", "ab", "ac", "abc")},
    "the root API on a disabled body": link("a", schemas=ROOT, more=DISABLED) + link("b") + HINGE,
    "the root API on a kinematic body": link("a", schemas=ROOT, more=KINEMATIC) + link("b") + HINGE,
    "the root API on a body beside a kinematic one": (link("a", schemas=ROOT) + link("b") + kinematic() + HINGE
                                                      + hinge("k1", "b", "k")),
    "the root API on an anchored body": link("a", schemas=ROOT) + link("b") + HINGE + anchor("w", "a"),
    "the root API on the far body": link("a", schemas=ROOT) + link("b") + HINGE + anchor("w", "b"),
    "the root API on an anchor": PAIR + HINGE + anchor("w", "b", ROOT),
    "the root API on an anchor by body0": PAIR + HINGE + joint("Fixed", "w", "b", "", ROOT),
    "the root API on an excluded anchor": PAIR + HINGE + anchor("w", "a", ROOT, more=EXCLUDED),
    "the root API on a disabled anchor": PAIR + HINGE + anchor("w", "a", ROOT, more=OFF),
    "the root API on an anchor to a disabled body": (PAIR + link("s", more=DISABLED) + HINGE
                                                     + joint("Fixed", "w", "s", "a", ROOT)),
    "the root API on an anchor to a kinematic body": PAIR + kinematic() + HINGE + joint("Fixed", "w", "k", "a", ROOT),
    "the root API on an anchor to a prim": PAIR + prim("Xform", "m") + HINGE + joint("Fixed", "w", "m", "a", ROOT),
    "the root API on two anchors": PAIR + HINGE + anchor("v", "a", ROOT) + anchor("w", "b", ROOT),
    "the root API on an inner joint": PAIR + hinge("j", "a", "b", ROOT),
    "the root API on an anchor and its body": link("a", schemas=ROOT) + link("b") + HINGE + anchor("w", "a", ROOT),
    "the root API on an anchor and a later body": (link("z", schemas=ROOT) + link("b") + hinge("j", "z", "b")
                                                   + anchor("w", "b", ROOT)),
    "the root API above one body": prim("Xform", "in", ROOT, {}, link("b")) + link("a") + hinge("j", "a", "in/b"),
    "the root API above two bodies apart": (prim("Xform", "l", ROOT, {}, link("a"))
                                            + prim("Xform", "m", ROOT, {}, link("b")) + hinge("j", "l/a", "m/b")),
    "the root API above no body": prim("Xform", "in", ROOT) + PAIR + HINGE,
    "the root API above a joint": prim("Scope", "joints", ROOT, {}, HINGE) + PAIR,
    "the root API above an anchor": prim("Scope", "joints", ROOT, {}, anchor("w", "a")) + PAIR + HINGE,
    "the root API on a body of a body": link("a", schemas=ROOT, children=link("b")) + hinge("j", "a", "a/b"),
}
STAGES = {
    **{name: still(PAIR, HINGE, part) for name, part in ANCHORS.items()},
    **{name: still(part) for name, part in (KINEMATICS | SHAPES).items()},
    **{name: still(part, schemas=()) for name, part in ROOTS.items()},
    "a root in a root": still(link("a", schemas=ROOT), link("b"), HINGE),
    "a root in a disabled root": switched_off(link("a", schemas=ROOT), link("b"), HINGE),
    "a disabled articulation": switched_off(PAIR, HINGE),
    "a base and a loop": still(base(), links("ab"), hinge("j1", "base", "a"), hinge("j2", "a", "b"),
                               hinge("j3", "base", "b")),
    "a base and an excluded loop": still(base(), links("ab"), hinge("j1", "base", "a"), hinge("j2", "a", "b"),
                                         joint("Revolute", "j3", "base", "b", (), EXCLUDED)),
    "a loop through the world": still(chain("abc"), anchor("w", "a"), anchor("v", "c", kind="Revolute")),
    **{f"tangle {seed}": tangle(seed) for seed in range(60)},
}


# --- loop stages -----------------------------------------------------------------------------------------------------


def between(count: int, swapped: bool = False) -> str:
    """Hinges j, j1, j2 ... between a and b; every second with its bodies exchanged."""
    return PAIR + HINGE + "".join(
        hinge(f"j{i}", *("ba" if swapped and i % 2 else "ab")) for i in range(1, count))


def knot(seed: int) -> str:
    """Bodies with up to four joints between two of them, of every type and in both directions, and some loops."""
    choose = random.Random(1000 + seed)
    names = "abcdef"[:choose.randint(2, 6)]
    order = choose.sample(names, len(names))
    edges = [(order[i], order[choose.randrange(i)]) for i in range(1, len(order))]
    edges += [tuple(choose.sample(names, 2)) for _ in range(choose.choice((0, 0, 1, 2)))]
    edges = [edge for edge in edges for _ in range(choose.choice((1, 1, 2, 3, 4)))]
    kinds = ("Revolute", "Prismatic", "Fixed", "Spherical", "", *(("Distance",) if seed % 3 == 0 else ()))
    numbers = choose.sample(range(len(edges)), len(edges))
    joints = "".join(
        joint(choose.choice(kinds), f"j{number}", *choose.sample(edge, 2), (),
              EXCLUDED if choose.random() < 0.1 else OFF if choose.random() < 0.05 else {})
        for number, edge in zip(numbers, edges, strict=True))
    anchors = "".join(anchor(f"w{i}", choose.choice(names), kind=choose.choice(kinds))
                      for i in range(choose.choice((0, 1, 2, 3))))
    return still(links(names), joints, anchors)


TWICE = hinge("k0", "base", "b") + hinge("k1", "base", "b")
LOOP_STAGES = {
    **{f"{count} hinges between two bodies": still(between(count)) for count in (2, 3, 4, 5)},
    **{f"{count} hinges in both directions": still(between(count, True)) for count in (2, 3, 4, 5)},
    "joints of four kinds": still(PAIR, *(joint(kind, f"j{kind}", "a", "b") for kind in (
        "Prismatic", "Revolute", "Spherical", "Fixed"))),
    "a loop closed twice": still(base(), links("ab"), hinge("j0", "base", "a"), hinge("j1", "a", "b"), TWICE),
    "a loop closed three times": still(base(), links("ab"), hinge("j0", "base", "a"), hinge("j1", "a", "b"), TWICE,
                                       hinge("k2", "b", "base")),
    "three hinges, then a chain": still(chain("abc"), hinge("k1", "a", "b"), hinge("k2", "a", "b")),
    "a chain, then three hinges": still(chain("abc"), hinge("k1", "b", "c"), hinge("k2", "c", "b")),
    "three hinges, one excluded": still(PAIR, HINGE, hinge("k", "a", "b"),
                                        joint("Revolute", "l", "a", "b", (), EXCLUDED)),
    "three hinges, one disabled": still(PAIR, HINGE, joint("Revolute", "k", "a", "b", (), OFF), hinge("l", "a", "b")),
    "three joints to the world": still(PAIR, HINGE, *(anchor(f"w{i}", "a") for i in range(3))),
    "a switched-off articulation with a loop": switched_off(links("abc"), hinge("j0", "a", "b"), hinge("j1", "b", "c"),
                                                           hinge("j2", "c", "a"), hinge("j3", "c", "a")),
    **{f"knot {seed}": knot(seed) for seed in range(80)},
}


# --- random stages ---------------------------------------------------------------------------------------------------

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
