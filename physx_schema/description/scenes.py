"""Physics scenes, and iteration counts that their actors share.

Physics scenes: gravity and solver settings with PhysX's defaults filled in, and which scene a body is stepped by.

Which objects PhysX solves together, and under how many iterations: all of a batch take the largest counts in it.

Free bodies and articulations share a batch wherever they are, joined by nothing. Kinematic bodies and what is asleep
are in none. Every rule is measured by `experiments/measure_iterations.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, TypeVar

from pxr import Usd, UsdGeom

from physx_schema.description.model import (
    ActorDescription,
    Description,
    IterationBounds,
    Link,
    MaximalJoint,
    Scene,
    SceneContact,
)
from physx_schema.description.opinions.prim import PrimOpinions, retired_schema
from physx_schema.description.opinions.reading import ReadContext, path_key
from physx_schema.description.opinions.schemas import split_name
from physx_schema.description.opinions.view import SchemaView, unauthored
from physx_schema.description.records import Vec3
from physx_schema.description.units import as_number, as_vector, default_gravity

# Schemas that PhysX sees a scene with.
_ALLOWED_ON_SCENE = frozenset({
    "CollectionAPI", "MaterialBindingAPI", "PhysxResidualReportingAPI", "PhysxSceneQuasistaticAPI",
    "PhysxVehicleContextAPI",
})
_METADATA = ("upAxis", "metersPerUnit", "kilogramsPerUnit")
_MIN_BOUNCE_THRESHOLD = 1e-6        # length / s, the bounce threshold that PhysX takes for less
_UNIT = 1e-3        # how far the length of an authored gravity direction may be from 1 before it is worth a word


class Scenes:
    """The scenes of a stage by path, the one for bodies without an owner first."""

    def __init__(self, context: ReadContext) -> None:
        self._reading = context
        scenes = sorted(context.prims_with("PhysicsScene"), key=lambda opinions: path_key(opinions.path))
        usable = [opinions for opinions in scenes if not _is_hidden(context, opinions)]
        self.by_path: Mapping[str, Scene] = {opinions.path: _scene(context, opinions) for opinions in usable}
        for extra in usable[1:]:
            context.problem(
                "scene/several", extra.path, "",
                f"the stage has {len(usable)} scenes; the first by path is {usable[0].path}",
                f"PhysX simulates bodies without physics:simulationOwner in {usable[0].path}",
                "set physics:simulationOwner on the bodies that belong to this scene", "info",
            )
        self.default = next(iter(self.by_path.values()), None) or _default_scene(context)

    def bounds(self, path: str) -> IterationBounds:
        """Bounds on iterations in a scene."""
        return self.by_path.get(path, self.default).iterations

    def owner(self, body: SchemaView) -> str | None:
        """The path of the scene that steps a body ("" without any PhysicsScene), None where PhysX drops the body.

        `body` holds the properties of its PhysicsRigidBodyAPI.
        """
        targets = body.targets("simulationOwner")
        if not targets:
            return self.default.path
        known = [target for target in targets if target in self.by_path]
        if not known:
            self._reading.problem(
                "body/no-scene", body.path, body.name("simulationOwner"),
                f"{', '.join(targets)} is not a PhysicsScene that PhysX reads",
                "PhysX leaves the body out of the simulation",
                f"target {self.default.path}" if self.by_path else "remove the target, or define a PhysicsScene "
                                                                        "there",
            )
            return None
        if len(targets) > 1:
            self._reading.problem(
                "body/several-scenes", body.path, body.name("simulationOwner"),
                f"the relationship has {len(targets)} targets",
                f"PhysX simulates the body in the first PhysicsScene, {known[0]}", "keep one target", "warning",
            )
        return known[0]


def _is_hidden(context: ReadContext, opinions: PrimOpinions) -> bool:
    """Whether PhysX does not see a PhysicsScene for a schema applied to it."""
    if opinions.has("PhysxSceneAPI"):
        return False
    hiding = [applied for applied in opinions.applied if _hides(split_name(applied)[0])]
    if hiding:
        _report_hidden(context, opinions, ", ".join(hiding))
    return bool(hiding)


def _report_hidden(context: ReadContext, opinions: PrimOpinions, hiding: str) -> None:
    """Say that PhysX makes a scene of its own; it matters where that one has another gravity."""
    wanted = _times(*_authored_gravity(context, opinions))
    if not opinions.view("NewtonSceneAPI").flag("gravityEnabled"):
        wanted = (0.0, 0.0, 0.0)
    default = _default_scene(context).gravity
    differs = any(not math.isclose(a, b, rel_tol=_UNIT, abs_tol=_UNIT) for a, b in zip(wanted, default, strict=True))
    effect = (f"with Earth's gravity {_vector_text(default)} instead of the authored {_vector_text(wanted)}"
              if differs else "with the same gravity")
    context.problem(
        "scene/hidden", opinions.path, "apiSchemas", f"{hiding} is applied without PhysxSceneAPI",
        f"PhysX ignores this scene and drops the bodies that this scene owns; PhysX makes another scene {effect}",
        "also apply PhysxSceneAPI", "warning" if differs else "info",
    )


def _vector_text(vector: Vec3) -> str:
    return f"({', '.join(f'{number:g}' for number in vector)})"


def _hides(schema: str) -> bool:
    """Whether a schema is one that PhysX knows and does not expect on a scene; measured for every one of them."""
    known = schema.startswith("Newton") or Usd.SchemaRegistry.GetAPITypeFromSchemaTypeName(schema)
    return bool(known) and schema not in _ALLOWED_ON_SCENE and retired_schema(schema) is None


def _scene(context: ReadContext, opinions: PrimOpinions) -> Scene:
    gravity, source = _gravity(context, opinions)
    return _with_solver_settings(context, opinions.path, gravity, source, opinions.view("PhysxSceneAPI"))


def _with_solver_settings(context: ReadContext, path: str, gravity: Vec3, source: str, physx: SchemaView) -> Scene:
    """The scene with the solver's settings, which `physx` holds."""
    solver = physx.token("solverType")
    return Scene(
        path, gravity, context.meters_per_unit, context.kilograms_per_unit, _up_axis(context), solver,
        solver != "PGS" and physx.flag("enableExternalForcesEveryIteration"),
        not physx.flag("disableSleeping"), source, _bounds(physx), _contact(context.meters_per_unit, physx),
        frozenset(name for name in _METADATA if context.stage.HasAuthoredMetadata(name)),
    )


def _contact(meters_per_unit: float, physx: SchemaView) -> SceneContact:
    """Settings of all contacts; the defaults of lengths are ones in metres."""
    offset, correlation = (
        physx.clamped(name) / (1.0 if physx.authored(name) else meters_per_unit)
        for name in ("frictionOffsetThreshold", "frictionCorrelationDistance"))
    return SceneContact(max(physx.clamped("bounceThreshold"), _MIN_BOUNCE_THRESHOLD), offset, correlation,
                        physx.flag("invertCollisionGroupFilter"), physx.flag("solveArticulationContactLast"))


def _default_scene(context: ReadContext) -> Scene:
    """The scene that PhysX makes where the stage defines none."""
    gravity = _times(_down(_up_axis(context)), default_gravity(context.meters_per_unit))
    return _with_solver_settings(context, "", gravity, "", unauthored("PhysxSceneAPI"))


def _up_axis(context: ReadContext) -> str:
    return str(UsdGeom.GetStageUpAxis(context.stage))


def _down(up_axis: str) -> Vec3:
    """The direction of unauthored gravity: PhysX knows Y, and takes every other axis for Z."""
    return (0.0, -1.0, 0.0) if up_axis == "Y" else (0.0, 0.0, -1.0)


def _gravity(context: ReadContext, opinions: PrimOpinions) -> tuple[Vec3, str]:
    """Gravity as PhysX multiplies it out, neither value checked nor the direction normalised, and where it is from.

    Time samples alone count as authored, and PhysX reads its defaults of them: -inf and no direction.
    """
    view, newton = opinions.view("PhysicsScene"), opinions.view("NewtonSceneAPI")
    enabled = newton.flag("gravityEnabled")
    direction, magnitude = _authored_gravity(context, opinions)
    if not enabled:
        return (0.0, 0.0, 0.0), newton.name("gravityEnabled")
    _check_direction(context, opinions, direction, magnitude)
    for base, values in (("gravityMagnitude", (magnitude,)), ("gravityDirection", direction)):
        if not all(map(math.isfinite, values)):
            context.problem(
                "scene/gravity", opinions.path, view.name(base), f"{base} is {', '.join(f'{v:g}' for v in values)}",
                "the product of magnitude and direction is not finite; falling bodies have no valid position after the "
                "first step",
                "author finite numbers, or remove the opinion for Earth's gravity",
            )
    return _times(direction, magnitude), ""


def _authored_gravity(context: ReadContext, opinions: PrimOpinions) -> tuple[Vec3, float]:
    """The direction and magnitude of gravity, PhysX's own where PhysX takes none from the prim."""
    view = opinions.view("PhysicsScene")
    magnitude, direction = view.number("gravityMagnitude"), view.vector("gravityDirection")
    if not _has_readable_value(opinions, view.name("gravityMagnitude"), as_number):
        magnitude = default_gravity(context.meters_per_unit)
    if not _has_readable_value(opinions, view.name("gravityDirection"), as_vector):
        direction = _down(_up_axis(context))
    return direction, magnitude


def _has_readable_value(opinions: PrimOpinions, name: str, convert: Callable[[Any], object]) -> bool:
    """Whether PhysX takes gravity from a property: a value that it cannot read is none."""
    if opinions.authors(name):
        return convert(opinions.peek(name)) is not None
    return name in opinions.properties and opinions.has_only_samples(name)


def _check_direction(context: ReadContext, opinions: PrimOpinions, direction: Vec3, magnitude: float) -> None:
    length = math.hypot(*direction)
    if length > 0.0 and not abs(length - 1.0) > _UNIT:
        return
    message = f"the direction {direction} has length {length:g}"
    why = ("PhysX does not replace a zero direction; there is no gravity" if length == 0.0 else
           f"PhysX does not normalise the direction; gravity is {length * magnitude:g} instead of {magnitude:g}")
    if math.isfinite(length):
        context.problem("scene/gravity-direction", opinions.path, "physics:gravityDirection", message, why,
                        "author a direction of length 1", "warning")


def _times(direction: Vec3, magnitude: float) -> Vec3:
    return direction[0] * magnitude, direction[1] * magnitude, direction[2] * magnitude


def _bounds(view: SchemaView) -> IterationBounds:
    return IterationBounds(
        (view.count("minPositionIterationCount"), view.count("maxPositionIterationCount")),
        (view.count("minVelocityIterationCount"), view.count("maxVelocityIterationCount")),
    )


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
    requested: tuple[int, int]    # what the object itself asks for, position and velocity, in the bounds of its scene

    @property
    def raised(self) -> str:
        """That these are not the object's own counts, and because of whom; empty where they are."""
        causes = {}
        if self.position != self.requested[0]:
            causes["position"] = self.position_from
        if self.velocity != self.requested[1]:
            causes["velocity"] = self.velocity_from
        if not causes:
            return ""
        names = list(dict.fromkeys(causes.values()))
        because = names[0] if len(names) == 1 else " and ".join(f"{path} ({name})" for name, path in causes.items())
        requested = "/".join(map(str, self.requested))
        return (f"solved with {self.position}/{self.velocity} position/velocity iterations instead of the "
                f"requested {requested}, because of {because}")


@dataclass(frozen=True, slots=True)
class _SolvedActor:
    """An articulation or a free body with its own counts."""

    root: str               # path of the body or of the root link, which no two have in common
    path: str
    is_body: bool
    position: int
    velocity: int


@dataclass(eq=False, slots=True)
class _Island:
    """What joints outside articulations hold together; it falls asleep and wakes as a whole."""

    members: list[_SolvedActor]
    joined: bool = False
    awake: bool = True


@dataclass(slots=True)
class _Islands:
    """The islands of a scene, and those awake in the solver's order: who falls asleep leaves its place to the last."""

    pgs: bool
    islands: list[_Island] = field(default_factory=list)
    awake: list[_Island] = field(default_factory=list)

    def batches(self) -> Iterator[list[_SolvedActor]]:
        """What is solved together. With PGS bodies that no joint holds do not fill a batch."""
        batch: list[_SolvedActor] = []
        joined = False
        for island in self.awake:
            bodies = sum(item.is_body for item in batch)
            if len(batch) - bodies >= ARTICULATIONS or (bodies >= BODIES and (joined or not self.pgs)):
                yield batch
                batch, joined = [], False
            batch, joined = batch + island.members, joined or island.joined
        yield batch

    def update_sleep(self, asleep: frozenset[str]) -> None:
        """Put islands to sleep whose members all are, and wake the others."""
        for island in reversed(self.awake[:]):
            if all(item.root in asleep for item in island.members):
                self._remove(island)
        for island in self.islands:
            if not island.awake and not all(item.root in asleep for item in island.members):
                self._wake(island)

    def join(self, first: _Island, second: _Island) -> _Island:
        """Make one island of two: the larger one takes up the other, and wakes with it."""
        larger, smaller = (first, second) if len(first.members) > len(second.members) else (second, first)
        for island, other in ((larger, smaller), (smaller, larger)):
            if other.awake and not island.awake:
                self._wake(island)
        if smaller.awake:
            self._remove(smaller)
        self.islands.remove(smaller)
        larger.members += smaller.members
        return larger

    def _wake(self, island: _Island) -> None:
        island.awake = True
        self.awake.append(island)

    def _remove(self, island: _Island) -> None:
        island.awake = False
        index, last = self.awake.index(island), self.awake.pop()
        if last is not island:
            self.awake[index] = last


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
        return len({(item.position, item.velocity) for scene in self._scenes for island in scene.islands
                    for item in island.members}) < 2

    @property
    def state(self) -> tuple[object, ...]:
        """The sleeping actors and the order of awake islands. Batches of one stage with equal states stay equal."""
        return (self._asleep, *(tuple(island.members[0].root for island in scene.awake) for scene in self._scenes))

    def update_sleep(self, asleep: frozenset[str]) -> None:
        """Take for asleep the bodies and articulations with these root links, and all others for awake."""
        if asleep != self._asleep:
            self._asleep = asleep
            self._counts.clear()
            for scene in self._scenes:
                scene.update_sleep(asleep)

    def counts(self, item: ActorDescription | Link) -> SolverCounts:
        """What an articulation or a free body is solved under now; its own counts where it is not being solved."""
        if not self._counts:
            for batch in chain.from_iterable(scene.batches() for scene in self._scenes):
                self._counts |= {item.root: _counts_of(item, batch) for item in batch}
        root, settings = (item.path, item.body) if isinstance(item, Link) else (item.links[0].path, item)
        requested = (settings.position_iterations, settings.velocity_iterations) if settings is not None else (0, 0)
        return self._counts.get(root, SolverCounts(item.path, *requested, item.path, item.path, requested))


def solver_counts(description: Description, actor: ActorDescription) -> SolverCounts:
    """What an articulation or a body is solved under at the start of a stage's simulation, itself being awake."""
    batches = SolverBatches(description)
    batches.update_sleep(batches.starting_asleep - {actor.links[0].path})
    return batches.counts(actor)


def initial_solver_counts(description: Description) -> dict[str, SolverCounts]:
    """What every link and every body that moves by forces is solved under at the start, by path."""
    batches, counts = SolverBatches(description), dict[str, SolverCounts]()
    for item in description.articulations:
        counts |= dict.fromkeys((link.path for link in item.links), batches.counts(item))
    return counts | {body.path: batches.counts(body) for body in description.separate_bodies if not body.kinematic}


def with_solver_counts(actor: Described, counts: SolverCounts) -> Described:
    """The articulation or body with the counts that it is solved under for its own."""
    return replace(actor, position_iterations=counts.position, velocity_iterations=counts.velocity)


def _counts_of(item: _SolvedActor, batch: Sequence[_SolvedActor]) -> SolverCounts:
    """The largest counts of a batch; the object itself is named where it has them too."""
    position = max((item, *batch), key=lambda other: other.position)
    velocity = max((item, *batch), key=lambda other: other.velocity)
    return SolverCounts(item.path, position.position, velocity.velocity, position.path, velocity.path,
                        (item.position, item.velocity))


def _islands(description: Description, loose: Sequence[Link], scene: Scene, asleep: frozenset[str]) -> _Islands:
    """The islands of a scene as they are in its first step."""
    bodies = {link.path: _SolvedActor(link.path, link.path, True, link.body.position_iterations,
                                      link.body.velocity_iterations)
              for link in loose if link.scene == scene.path and link.body is not None and not link.kinematic}
    robots = {item.links[0].path: item for item in description.articulations
              if item.enabled and item.links[0].scene == scene.path}
    solved = [bodies[path] for path in _solver_order(description.body_paths) if path in bodies] + [
        _SolvedActor(path, robots[path].path, False, robots[path].position_iterations, robots[path].velocity_iterations)
        for path in _solver_order(robots)]
    all_islands = [_Island([item], awake=item.root not in asleep) for item in solved]
    graph = _Islands(scene.solver_type == "PGS", all_islands, [island for island in all_islands if island.awake])
    _join(graph, description.separate_joints, {link.path: root for root, item in robots.items() for link in item.links})
    return graph


def _join(islands: _Islands, joints: Iterable[MaximalJoint], roots: Mapping[str, str]) -> None:
    """Make islands of what joints outside articulations hold; `roots` gives the root of a link."""
    island_of = {item.root: island for island in islands.islands for item in island.members}
    for joint in joints:
        joined = [island_of[root] for root in (roots.get(body, body) for body in (joint.body0, joint.body1))
                  if root in island_of]
        for island in joined:
            island.joined = True
        if len(joined) == 2 and joined[0] is not joined[1]:
            merged = islands.join(*joined)
            island_of |= {item.root: merged for item in merged.members}


def _solver_order(paths: Iterable[str]) -> list[str]:
    """Rigid bodies, or roots of articulations, given in traversal order, in the order in which the solver takes them.

    PhysX puts them into a hash table by their place on the stage, from the first path to the last, and reads it out;
    links and kinematic bodies take places among the bodies.
    """
    indices = {path: i for i, path in enumerate(paths)}
    size, table = _TABLE_SIZES[0], dict[int, list[str]]()

    def insert(path: str) -> None:
        table.setdefault(indices[path] % size, []).append(path)

    for count, path in enumerate(sorted(indices, key=path_key)):
        if count >= size:
            before, table = _read_out(table), {}
            size = next((larger for larger in _TABLE_SIZES if larger > size), 2 * size + 1)
            for item in before:
                insert(item)
        insert(path)
    return _read_out(table)


def _read_out(table: Mapping[int, list[str]]) -> list[str]:
    """The places last filled come first."""
    return [path for bucket in reversed(list(table.values())) for path in reversed(bucket)]
