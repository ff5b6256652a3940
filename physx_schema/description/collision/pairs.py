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


def read_groups(context: ReadContext) -> tuple[CollisionGroup, ...]:
    """Every collision group, by path."""
    prims = sorted(context.prims_with(_GROUP), key=lambda opinions: path_key(opinions.path))
    return tuple(_group(context, opinions) for opinions in prims)


def group_of_collider(context: ReadContext, groups: Iterable[CollisionGroup]) -> dict[str, str]:
    """The group of every collider that has one; PhysX keeps the first."""
    group_paths: dict[str, str] = {}
    for group in groups:
        for collider in group.colliders:
            if collider in group_paths:
                context.problem(
                    "group/several", collider, "",
                    f"the collider is in two collision groups, {group_paths[collider]} and {group.path}",
                    f"PhysX uses only {group_paths[collider]}", "keep each collider in one group", "warning",
                )
            else:
                group_paths[collider] = group.path
    return group_paths


def read_filtered_pairs(context: ReadContext) -> tuple[FilteredPair, ...]:
    """Every pair that PhysicsFilteredPairsAPI names, both prims existing."""
    return tuple(pair for opinions in context.prims_with(_PAIRS) for pair in _pairs(context, opinions))


def _group(context: ReadContext, opinions: PrimOpinions) -> CollisionGroup:
    view = opinions.view(_GROUP)
    filtered = []
    for target in view.targets("filteredGroups"):
        other = context.prims.get(target)
        if other is None or not other.has(_GROUP):
            context.problem(
                "group/missing-group", opinions.path, view.name("filteredGroups"),
                f"{target} is not a PhysicsCollisionGroup", "PhysX ignores the target",
                "target a PhysicsCollisionGroup",
            )
        else:
            filtered.append(target)
    return CollisionGroup(
        opinions.path, _members(context, opinions), tuple(filtered), bool(opinions.peek(view.name(
            "invertFilteredGroups"))), str(opinions.peek(view.name("mergeGroup")) or ""),
    )


def _members(context: ReadContext, opinions: PrimOpinions) -> tuple[str, ...]:
    """The colliders in the group's collection."""
    collection = Usd.CollectionAPI(opinions.prim, _COLLECTION)
    for name in ("includes", "excludes"):
        full = f"collection:{_COLLECTION}:{name}"
        for target in context.targets(opinions.prim, full):
            if not context.stage.GetPrimAtPath(Sdf.Path(target).GetPrimPath()):
                context.problem(
                    "group/missing-member", opinions.path, full,
                    f"there is no prim at {target}", "the collection ignores the path", "correct or remove the path",
                )
    try:
        query = collection.ComputeMembershipQuery()
    except Tf.ErrorException as error:
        context.problem(
            "group/missing-member", opinions.path, f"collection:{_COLLECTION}:includes",
            " ".join(str(error.args[0].commentary).split()), "USD finds no members of the group",
            "repair the collection",
        )
        return ()
    included = Usd.CollectionAPI.ComputeIncludedPaths(query, context.stage, Usd.TraverseInstanceProxies())
    paths = (str(path) for path in included)
    return tuple(sorted((path for path in paths if _is_collider(context, path)), key=path_key))


def _is_collider(context: ReadContext, path: str) -> bool:
    opinions = context.prims.get(path)
    return opinions is not None and opinions.has("PhysicsCollisionAPI")


def _pairs(context: ReadContext, opinions: PrimOpinions) -> Iterator[FilteredPair]:
    view = opinions.view(_PAIRS)
    targets = view.targets("filteredPairs")
    if targets and not _is_object(opinions):
        context.problem(
            "pair/no-object", opinions.path, "apiSchemas",
            f"{_PAIRS} is on a prim that is not a collider, rigid body or articulation",
            "PhysX filters no collision pairs of this prim",
            f"apply {_PAIRS} to the collider, the body or the articulation root",
        )
    for target in targets:
        if not context.stage.GetPrimAtPath(target):
            context.problem(
                "pair/missing-target", opinions.path, view.name("filteredPairs"), f"there is no prim at {target}",
                "PhysX ignores the target", "target a collider, a rigid body or an articulation",
            )
            continue
        if not _contains_object(context, target):
            context.problem(
                "pair/no-object", opinions.path, view.name("filteredPairs"),
                f"{target} is not a collider, rigid body or articulation, and no such prim is below {target}",
                "PhysX ignores the target", "target a collider, a rigid body or an articulation",
            )
        if _is_object(opinions):
            yield FilteredPair(opinions.path, target)


def _is_object(opinions: PrimOpinions) -> bool:
    return any(map(opinions.has, _OBJECTS))


def _contains_object(context: ReadContext, path: str) -> bool:
    """Whether a prim, or one below it, is something that collides."""
    opinions = context.prims.get(path)
    return (opinions is not None and _is_object(opinions)) or any(
        other.path.startswith(path + "/") for schema in _OBJECTS for other in context.prims_with(schema))


_REPORT = "PhysxContactReportAPI"
# What counts as unauthored; that is 1 m in the stage's units (tests/runtime/simulation/test_events.py).
_AS_UNAUTHORED = 1.0


def read_contact_reports(context: ReadContext) -> tuple[ContactReport, ...]:
    """The prims with PhysxContactReportAPI that PhysX heeds: not a collider of a body, which only makes a sensor."""
    return tuple(report for opinions in context.prims_with(_REPORT) for report in _report(context, opinions))


def _report(context: ReadContext, opinions: PrimOpinions) -> Iterator[ContactReport]:
    if not _is_actor(context, opinions.path) and not opinions.has("PhysicsArticulationRootAPI"):
        body = context.body_of(opinions.path)
        if body and context.prims[body].has(_REPORT):
            opinions.mark_used(_REPORT)      # what its body reports can be asked for by collider
        return
    view = opinions.view(_REPORT)
    threshold = view.number("threshold")
    if threshold == _AS_UNAUTHORED:
        threshold /= context.meters_per_unit
        if view.authored("threshold") and threshold != _AS_UNAUTHORED:
            context.problem(
                "report/threshold", opinions.path, view.name("threshold"), "the threshold is exactly 1",
                f"PhysX reads 1 as not authored and uses a threshold of {threshold:g}",
                "author 1.01, or another threshold",
                "warning",
            )
    targets = view.targets("reportPairs")
    for target in targets:
        if not _is_actor(context, target):
            context.problem(
                "report/partner", opinions.path, view.name("reportPairs"),
                f"{target} is not a body, link or static collider", "PhysX reports no contacts with this target",
                "target a body, a static collider, or each link of an articulation",
            )
    yield ContactReport(opinions.path, threshold, targets if view.authored("reportPairs") else None)


def _is_actor(context: ReadContext, path: str) -> bool:
    """Whether there is a body, a link or a static collider at a path."""
    opinions = context.prims.get(path)
    return opinions is not None and (opinions.has("PhysicsRigidBodyAPI") or (
        opinions.has("PhysicsCollisionAPI") and not context.body_of(path)))


@dataclass(frozen=True, slots=True)
class Collision:
    """What a stage says about collision."""

    by_body: Mapping[str, Sequence[ColliderPart]]
    static: tuple[Collider, ...]
    materials: tuple[PhysicsMaterial, ...]
    groups: tuple[CollisionGroup, ...]
    pairs: tuple[FilteredPair, ...]
    reports: tuple[ContactReport, ...]


def read_collision(context: ReadContext, scenes: Scenes) -> Collision:
    """Read the colliders of a stage in traversal order, and what decides about their contacts."""
    materials = Materials(context, scenes.default.path)
    groups = read_groups(context)
    reader = ColliderReader(context, scenes, materials, group_of_collider(context, groups))
    by_body: dict[str, list[ColliderPart]] = {}
    for opinions in context.prims_with("PhysicsCollisionAPI"):
        for part in reader.read(opinions):
            by_body.setdefault(part.fact.body, []).append(part)
    static = tuple(part.fact for part in by_body.pop("", ()))
    return Collision(by_body, static, tuple(materials.by_path.values()), groups, read_filtered_pairs(context),
                     read_contact_reports(context))
