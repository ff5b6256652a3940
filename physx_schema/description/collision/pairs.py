"""Which shapes may collide, and which pairs are reported.

Everything about collision on a stage: colliders by body, materials, groups and filtered pairs.

Which colliders do not collide: collision groups and filtered pairs.

Whose contacts PhysX reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pxr import Sdf, Tf, Usd

from physx_schema.description.collision.colliders import ColliderPart, ColliderReader
from physx_schema.description.collision.materials import Materials
from physx_schema.description.model import Collider, CollisionGroup, ContactReport, FilteredPair, PhysicsMaterial
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import ReadContext, path_key
from physx_schema.description.scenes import Scenes

_GROUP = "PhysicsCollisionGroup"
_PAIRS = "PhysicsFilteredPairsAPI"
_COLLECTION = "colliders"
_OBJECTS = ("PhysicsCollisionAPI", "PhysicsRigidBodyAPI", "PhysicsArticulationRootAPI")


def read_groups(reading: ReadContext) -> tuple[CollisionGroup, ...]:
    """Every collision group, by path."""
    found = sorted(reading.having(_GROUP), key=lambda opinions: path_key(opinions.path))
    return tuple(_group(reading, opinions) for opinions in found)


def group_of_collider(reading: ReadContext, groups: Iterable[CollisionGroup]) -> dict[str, str]:
    """The group of every collider that has one; PhysX keeps the first."""
    found: dict[str, str] = {}
    for group in groups:
        for collider in group.colliders:
            if collider in found:
                reading.problem(
                    "group/several", collider, "", f"in the collision groups {found[collider]} and {group.path}",
                    f"PhysX keeps it in {found[collider]} alone", "keep a collider in one group", "warning",
                )
            else:
                found[collider] = group.path
    return found


def read_filtered_pairs(reading: ReadContext) -> tuple[FilteredPair, ...]:
    """Every pair that PhysicsFilteredPairsAPI names, both prims existing."""
    return tuple(pair for opinions in reading.having(_PAIRS) for pair in _pairs(reading, opinions))


def _group(reading: ReadContext, opinions: PrimOpinions) -> CollisionGroup:
    view = opinions.view(_GROUP)
    filtered = []
    for target in view.targets("filteredGroups"):
        other = reading.prims.get(target)
        if other is None or not other.has(_GROUP):
            reading.problem(
                "group/missing-group", opinions.path, view.name("filteredGroups"),
                f"{target} is no PhysicsCollisionGroup", "PhysX filters nothing for it",
                "point it at a PhysicsCollisionGroup",
            )
        else:
            filtered.append(target)
    return CollisionGroup(
        opinions.path, _members(reading, opinions), tuple(filtered), bool(opinions.peek(view.name(
            "invertFilteredGroups"))), str(opinions.peek(view.name("mergeGroup")) or ""),
    )


def _members(reading: ReadContext, opinions: PrimOpinions) -> tuple[str, ...]:
    """The colliders in the group's collection."""
    collection = Usd.CollectionAPI(opinions.prim, _COLLECTION)
    for name in ("includes", "excludes"):
        full = f"collection:{_COLLECTION}:{name}"
        for target in reading.targets(opinions.prim, full):
            if not reading.stage.GetPrimAtPath(Sdf.Path(target).GetPrimPath()):
                reading.problem(
                    "group/missing-member", opinions.path, full,
                    f"there is no prim at {target}", "the collection leaves it out", "correct or remove the path",
                )
    try:
        query = collection.ComputeMembershipQuery()
    except Tf.ErrorException as error:
        reading.problem(
            "group/missing-member", opinions.path, f"collection:{_COLLECTION}:includes",
            " ".join(str(error.args[0].commentary).split()), "USD finds no members of the group",
            "repair the collection",
        )
        return ()
    included = Usd.CollectionAPI.ComputeIncludedPaths(query, reading.stage, Usd.TraverseInstanceProxies())
    paths = (str(path) for path in included)
    return tuple(sorted((path for path in paths if _is_collider(reading, path)), key=path_key))


def _is_collider(reading: ReadContext, path: str) -> bool:
    opinions = reading.prims.get(path)
    return opinions is not None and opinions.has("PhysicsCollisionAPI")


def _pairs(reading: ReadContext, opinions: PrimOpinions) -> Iterator[FilteredPair]:
    view = opinions.view(_PAIRS)
    targets = view.targets("filteredPairs")
    if targets and not _is_object(opinions):
        reading.problem(
            "pair/no-object", opinions.path, "apiSchemas",
            f"{_PAIRS} on what is no collider, rigid body or articulation",
            "PhysX filters nothing for it", "apply it to the collider, the body or the articulation root",
        )
    for target in targets:
        if not reading.stage.GetPrimAtPath(target):
            reading.problem(
                "pair/missing-target", opinions.path, view.name("filteredPairs"), f"there is no prim at {target}",
                "PhysX filters nothing for it", "point it at a collider, a rigid body or an articulation",
            )
            continue
        if not _holds_object(reading, target):
            reading.problem(
                "pair/no-object", opinions.path, view.name("filteredPairs"),
                f"{target} is no collider, rigid body or articulation, nor above one",
                "PhysX filters nothing for it", "point it at a collider, a rigid body or an articulation",
            )
        if _is_object(opinions):
            yield FilteredPair(opinions.path, target)


def _is_object(opinions: PrimOpinions) -> bool:
    return any(map(opinions.has, _OBJECTS))


def _holds_object(reading: ReadContext, path: str) -> bool:
    """Whether a prim, or one below it, is something that collides."""
    found = reading.prims.get(path)
    return (found is not None and _is_object(found)) or any(
        other.path.startswith(path + "/") for schema in _OBJECTS for other in reading.having(schema))


_REPORT = "PhysxContactReportAPI"
# What counts as unauthored; that is 1 m in the stage's units (tests/runtime/simulation/test_contact_events.py).
_AS_UNAUTHORED = 1.0


def read_contact_reports(reading: ReadContext) -> tuple[ContactReport, ...]:
    """The prims with PhysxContactReportAPI that PhysX heeds: not a collider of a body, which only makes a sensor."""
    return tuple(report for opinions in reading.having(_REPORT) for report in _report(reading, opinions))


def _report(reading: ReadContext, opinions: PrimOpinions) -> Iterator[ContactReport]:
    if not _is_actor(reading, opinions.path) and not opinions.has("PhysicsArticulationRootAPI"):
        body = reading.body_of(opinions.path)
        if body and reading.prims[body].has(_REPORT):
            opinions.mark(_REPORT)      # what its body reports can be asked for by collider
        return
    view = opinions.view(_REPORT)
    threshold = view.number("threshold")
    if threshold == _AS_UNAUTHORED:
        threshold /= reading.meters_per_unit
        if view.authored("threshold") and threshold != _AS_UNAUTHORED:
            reading.problem(
                "report/threshold", opinions.path, view.name("threshold"), "a threshold of exactly 1",
                f"PhysX takes it for unauthored and reports from {threshold:g} on", "author 1.01, or what is wanted",
                "warning",
            )
    targets = view.targets("reportPairs")
    for target in targets:
        if not _is_actor(reading, target):
            reading.problem(
                "report/partner", opinions.path, view.name("reportPairs"),
                f"{target} is no body, link or static collider", "PhysX reports no contacts with it",
                "name a body, a static collider, or each link of an articulation",
            )
    yield ContactReport(opinions.path, threshold, targets if view.authored("reportPairs") else None)


def _is_actor(reading: ReadContext, path: str) -> bool:
    """Whether there is a body, a link or a static collider at a path."""
    found = reading.prims.get(path)
    return found is not None and (found.has("PhysicsRigidBodyAPI") or (
        found.has("PhysicsCollisionAPI") and not reading.body_of(path)))


@dataclass(frozen=True, slots=True)
class Collision:
    """What a stage says about collision."""

    by_body: Mapping[str, Sequence[ColliderPart]]
    static: tuple[Collider, ...]
    materials: tuple[PhysicsMaterial, ...]
    groups: tuple[CollisionGroup, ...]
    pairs: tuple[FilteredPair, ...]
    reports: tuple[ContactReport, ...]


def read_collision(reading: ReadContext, scenes: Scenes) -> Collision:
    """Read the colliders of a stage in traversal order, and what decides about their contacts."""
    materials = Materials(reading, scenes.default.path)
    groups = read_groups(reading)
    reader = ColliderReader(reading, scenes, materials, group_of_collider(reading, groups))
    by_body: dict[str, list[ColliderPart]] = {}
    for opinions in reading.having("PhysicsCollisionAPI"):
        for part in reader.read(opinions):
            by_body.setdefault(part.fact.body, []).append(part)
    static = tuple(part.fact for part in by_body.pop("", ()))
    return Collision(by_body, static, tuple(materials.by_path.values()), groups, read_filtered_pairs(reading),
                     read_contact_reports(reading))
