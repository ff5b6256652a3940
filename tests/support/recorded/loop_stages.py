"""Stages with several joints between two bodies and with loops: which joints PhysX makes where."""

from __future__ import annotations

import random

from support.recorded.scene_stages import still
from support.recorded.tree_stages import EXCLUDED, HINGE, OFF, PAIR, anchor, chain, hinge, links, switched_off
from support.stages.robots import base, joint


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
