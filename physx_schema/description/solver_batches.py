"""Which objects PhysX solves together, and under how many iterations: all of a batch take the largest counts in it.

Free bodies and articulations share a batch wherever they are, joined by nothing. Kinematic bodies and what is asleep
are in none. Every rule is measured by `benchmarks/measure_iterations.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TypeVar

from physx_schema.description.model import ActorDescription, Description, Link, OutsideJoint, Scene
from physx_schema.description.opinions.reading import path_key

Described = TypeVar("Described", bound=ActorDescription)
# A batch takes no further island from so many bodies or articulations on (solverBatchSize, solverArticulationBatchSize
# of PxSceneDesc).
BODIES, ARTICULATIONS = 128, 16
# Sizes of the hash table in whose order PhysX hands objects to the solver: that of libstdc++.
_TABLE_SIZES = (13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933, 351061, 712697)


@dataclass(frozen=True, slots=True)
class SolverCounts:
    """Under how many iterations an object is solved, and whose counts these are."""

    path: str               # prim path of the articulation or the body
    position: int
    velocity: int
    position_from: str      # whose count it is: its own path where nothing raises it
    velocity_from: str
    own: tuple[int, int]    # what the object itself asks for, position and velocity, in the bounds of its scene

    @property
    def raised(self) -> str:
        """That these are not the object's own counts, and because of whom; empty where they are."""
        causes = {}
        if self.position != self.own[0]:
            causes["position"] = self.position_from
        if self.velocity != self.own[1]:
            causes["velocity"] = self.velocity_from
        if not causes:
            return ""
        names = list(dict.fromkeys(causes.values()))
        because = names[0] if len(names) == 1 else " and ".join(f"{path} ({name})" for name, path in causes.items())
        return (f"solved at {self.position}/{self.velocity} iterations instead of its own {self.own[0]}/{self.own[1]}, "
                f"because of {because}")


@dataclass(frozen=True, slots=True)
class _Solved:
    """An articulation or a free body with its own counts."""

    root: str               # path of the body or of the root link, which no two have in common
    path: str
    is_body: bool
    position: int
    velocity: int


@dataclass(eq=False, slots=True)
class _Island:
    """What joints outside articulations hold together; it falls asleep and wakes as a whole."""

    members: list[_Solved]
    joined: bool = False
    awake: bool = True


@dataclass(slots=True)
class _Islands:
    """The islands of a scene, and those awake in the solver's order: who falls asleep leaves its place to the last."""

    pgs: bool
    every: list[_Island] = field(default_factory=list)
    awake: list[_Island] = field(default_factory=list)

    def batches(self) -> Iterator[list[_Solved]]:
        """What is solved together. With PGS bodies that no joint holds do not fill a batch."""
        batch: list[_Solved] = []
        joined = False
        for island in self.awake:
            bodies = sum(item.is_body for item in batch)
            if len(batch) - bodies >= ARTICULATIONS or (bodies >= BODIES and (joined or not self.pgs)):
                yield batch
                batch, joined = [], False
            batch, joined = batch + island.members, joined or island.joined
        yield batch

    def rest(self, asleep: frozenset[str]) -> None:
        """Put islands to sleep whose members all are, and wake the others."""
        for island in reversed(self.awake[:]):
            if all(item.root in asleep for item in island.members):
                self._remove(island)
        for island in self.every:
            if not island.awake and not all(item.root in asleep for item in island.members):
                self._wake(island)

    def join(self, first: _Island, second: _Island) -> _Island:
        """Make one island of two: the larger one takes up the other, and wakes with it."""
        kept, gone = (first, second) if len(first.members) > len(second.members) else (second, first)
        for island, other in ((kept, gone), (gone, kept)):
            if other.awake and not island.awake:
                self._wake(island)
        if gone.awake:
            self._remove(gone)
        self.every.remove(gone)
        kept.members += gone.members
        return kept

    def _wake(self, island: _Island) -> None:
        island.awake = True
        self.awake.append(island)

    def _remove(self, island: _Island) -> None:
        island.awake = False
        place, last = self.awake.index(island), self.awake.pop()
        if last is not island:
            self.awake[place] = last


class SolverBatches:
    """The objects of a stage that are solved together, while some fall asleep and wake."""

    def __init__(self, description: Description) -> None:
        scenes = {scene.path: scene for scene in (*description.scenes, description.scene)}
        loose = description.separate_bodies
        self.starting_asleep = frozenset(
            link.path for link in loose if link.body is not None and link.body.starts_asleep)
        self._scenes = [_islands(description, loose, scene, self.starting_asleep) for scene in scenes.values()]
        self._asleep = self.starting_asleep
        self._counts: dict[str, SolverCounts] = {}

    @property
    def uniform(self) -> bool:
        """Whether all that is solved asks for the same counts, so that nobody raises another's."""
        return len({(item.position, item.velocity) for scene in self._scenes for island in scene.every
                    for item in island.members}) < 2

    def rest(self, asleep: frozenset[str]) -> None:
        """Take for asleep the bodies and articulations with these root links, and all others for awake."""
        if asleep != self._asleep:
            self._asleep = asleep
            self._counts.clear()
            for scene in self._scenes:
                scene.rest(asleep)

    def counts(self, item: ActorDescription | Link) -> SolverCounts:
        """What an articulation or a free body is solved under now; its own counts where it is not being solved."""
        if not self._counts:
            for batch in chain.from_iterable(scene.batches() for scene in self._scenes):
                self._counts |= {item.root: _counts_of(item, batch) for item in batch}
        root, settings = (item.path, item.body) if isinstance(item, Link) else (item.links[0].path, item)
        own = (settings.position_iterations, settings.velocity_iterations) if settings is not None else (0, 0)
        return self._counts.get(root, SolverCounts(item.path, *own, item.path, item.path, own))


def solver_counts(description: Description, actor: ActorDescription) -> SolverCounts:
    """What an articulation or a body is solved under at the start of a stage's simulation, itself being awake."""
    batches = SolverBatches(description)
    batches.rest(batches.starting_asleep - {actor.links[0].path})
    return batches.counts(actor)


def held_counts(description: Description) -> dict[str, SolverCounts]:
    """What every link and every body that moves by forces is solved under at the start, by path."""
    batches, found = SolverBatches(description), dict[str, SolverCounts]()
    for item in description.articulations:
        found |= dict.fromkeys((link.path for link in item.links), batches.counts(item))
    return found | {body.path: batches.counts(body) for body in description.separate_bodies if not body.kinematic}


def as_solved(actor: Described, counts: SolverCounts) -> Described:
    """The articulation or body with the counts that it is solved under for its own."""
    return replace(actor, position_iterations=counts.position, velocity_iterations=counts.velocity)


def _counts_of(item: _Solved, batch: Sequence[_Solved]) -> SolverCounts:
    """The largest counts of a batch; the object itself is named where it has them too."""
    position = max((item, *batch), key=lambda other: other.position)
    velocity = max((item, *batch), key=lambda other: other.velocity)
    return SolverCounts(item.path, position.position, velocity.velocity, position.path, velocity.path,
                        (item.position, item.velocity))


def _islands(description: Description, loose: Sequence[Link], scene: Scene, asleep: frozenset[str]) -> _Islands:
    """The islands of a scene as they are in its first step."""
    bodies = {link.path: _Solved(link.path, link.path, True, link.body.position_iterations,
                                 link.body.velocity_iterations)
              for link in loose if link.scene == scene.path and link.body is not None and not link.kinematic}
    robots = {item.links[0].path: item for item in description.articulations
              if item.enabled and item.links[0].scene == scene.path}
    solved = [bodies[path] for path in _in_order(description.body_paths) if path in bodies] + [
        _Solved(path, robots[path].path, False, robots[path].position_iterations, robots[path].velocity_iterations)
        for path in _in_order(robots)]
    every = [_Island([item], awake=item.root not in asleep) for item in solved]
    found = _Islands(scene.solver_type == "PGS", every, [island for island in every if island.awake])
    _join(found, description.separate_joints, {link.path: root for root, item in robots.items() for link in item.links})
    return found


def _join(islands: _Islands, joints: Iterable[OutsideJoint], roots: Mapping[str, str]) -> None:
    """Make islands of what joints outside articulations hold; `roots` gives the root of a link."""
    holding = {item.root: island for island in islands.every for item in island.members}
    for joint in joints:
        sides = [holding[root] for root in (roots.get(body, body) for body in (joint.body0, joint.body1))
                 if root in holding]
        for island in sides:
            island.joined = True
        if len(sides) == 2 and sides[0] is not sides[1]:
            kept = islands.join(*sides)
            holding |= {item.root: kept for item in kept.members}


def _in_order(paths: Iterable[str]) -> list[str]:
    """Rigid bodies, or roots of articulations, given in traversal order, in the order in which the solver takes them.

    PhysX puts them into a hash table by their place on the stage, from the first path to the last, and reads it out;
    links and kinematic bodies take places among the bodies.
    """
    places = {path: i for i, path in enumerate(paths)}
    size, table = _TABLE_SIZES[0], dict[int, list[str]]()

    def insert(path: str) -> None:
        table.setdefault(places[path] % size, []).append(path)

    for count, path in enumerate(sorted(places, key=path_key)):
        if count >= size:
            before, table = _read_out(table), {}
            size = next((larger for larger in _TABLE_SIZES if larger > size), 2 * size + 1)
            for item in before:
                insert(item)
        insert(path)
    return _read_out(table)


def _read_out(table: Mapping[int, list[str]]) -> list[str]:
    """The places last filled come first."""
    return [path for place in reversed(list(table.values())) for path in reversed(place)]
