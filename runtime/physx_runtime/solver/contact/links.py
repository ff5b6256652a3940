"""Links among what patches hold: what a patch is given of a link, and where its impulse goes.

As of joints outside articulations (`solver.island.links`): against what moves a patch acts among the joints between
actors, against what does not behind the constraints of the link's own joint.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import replace

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.solver.island import links
from physx_runtime.solver.island.links import read_pair
from physx_runtime.solver.island.plan import IslandPlan, Pair, TreePlan
from physx_runtime.solver.scheduled.sweeps import copy_rows

# An articulation and one of its links.
Held = tuple[int, int]
# Writes instructions of a position iteration, or of a velocity iteration where the argument is True.
Writer = Callable[[Schedule, bool], None]
# What patches read of a link in every iteration, but for its velocity, and once a step: by what they call it.
LINK_NAMES = {"position": "place", "response": "response", "travel": "travel", "turn": "turn"}


def write_velocities_at_start(p: IslandPlan, s: Schedule) -> None:
    """Velocities of links that contacts may hold, as patches are prepared by them."""
    for tree in p.trees.values():
        if tree.touching:
            links.read_velocities(tree, s, tree.touching, None)


def arranged(a: TreePlan, outer: list[int], inside: list[int], misread: list[Pair]) -> TreePlan:
    """The plan while patches hold these links besides those that joints hold; misread: those held to an ancestor."""
    return replace(a, p=replace(a.p, behind={}), outer=sorted({*a.outer, *outer}),
                   inside=sorted({*a.inside, *inside}), misread=misread, flags={})


def enter_openings(p: IslandPlan, inside: Iterable[Held], openings: list[tuple[int, Held]]) -> None:
    """Have noted where patches of these links with what does not move belong, behind joints of that kind."""
    for held in inside:
        enter_behind(p, held, functools.partial(_note, openings, held))


def enter_behind(p: IslandPlan, held: Held, write: Writer) -> None:
    """Have something written behind all that is behind the own joint of a link so far."""
    behind, node = p.trees[held[0]].p.behind, p.trees[held[0]].p.tree.last[held[1]]
    behind[node] = functools.partial(_write_both, behind[node], write) if node in behind else write


def _write_both(first: Writer, second: Writer, s: Schedule, final: bool) -> None:
    first(s, final)
    second(s, final)


def _note(openings: list[tuple[int, Held]], held: Held, s: Schedule, final: bool) -> None:
    openings.append((len(s.instructions), held))


def side_row(p: IslandPlan, held: Held, k: int, name: str, at_start: bool) -> Span:
    """The rows of a link that a patch calls `sideK_NAME`."""
    tree, link = p.trees[held[0]], held[1]
    if name == "cfm":
        return tree.p.at("cfm", link)
    if name == "impulse" or (name == "v" and not at_start):
        return p.row(f"side{k}_{name}")
    return tree.at("velocity" if name == "v" else LINK_NAMES[name], link)


def reading(p: IslandPlan, held: Held, k: int) -> Schedule:
    """Before a patch among the joints: the link's velocity after all impulses so far."""
    s, tree, link = Schedule(), p.trees[held[0]], held[1]
    out = p.row(f"side{k}_v")
    if links.grounded(tree.p, link):
        copy_rows(s, tree.at("velocity", link), out)
        return s
    links.sweep_twists(tree, s, link)
    links.see_link(tree, s, link, out)
    return s


def misreading(p: IslandPlan, held: Held, k: int, link: int) -> Schedule:
    """Before a patch of a link, at side k, and one below it: the velocities that PhysX reads of them."""
    s, tree = Schedule(), p.trees[held[0]]
    read_pair(tree, s, held[1], link, {held[1]: p.row(f"side{k}_v"), link: p.row(f"side{1 - k}_v")})
    return s


def raising(p: IslandPlan, held: Held, k: int) -> Schedule:
    """Behind it: its impulse, up the link's path."""
    s = Schedule()
    links.raise_impulse(p.trees[held[0]], s, held[1], p.row(f"side{k}_impulse"))
    return s


def seeing(p: IslandPlan, held: Held, k: int) -> Schedule:
    """Before a patch with what does not move: the link's velocity in the sweep of its articulation."""
    s = Schedule()
    links.see_link(p.trees[held[0]], s, held[1], p.row(f"side{k}_v"))
    return s


def taking(p: IslandPlan, held: Held, k: int, joins: bool) -> Schedule:
    """Behind it: its impulse on the link; joins: not the first of the link in this sweep."""
    s = Schedule()
    links.take_impulse(p.trees[held[0]], s, held[1], p.row(f"side{k}_impulse"), joins)
    return s
