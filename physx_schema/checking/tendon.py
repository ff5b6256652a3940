"""Tendons that exist but do not do what their values suggest."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from physx_schema.checking.finding import Finding
from physx_schema.checking.rule import Rule
from physx_schema.checking.start_poses import start_poses
from physx_schema.description import Description, FixedTendon, SpatialTendon, Vec3, unlimited
from physx_schema.description.articulation.spatial_tendons import geared_lengths, place_in_link
from physx_schema.description.frames import composed
from physx_schema.description.poses import IDENTITY_POSE

SHORTEST_SEGMENT = 1e-3     # a shorter segment has no direction in PhysX and gives no force
_NOTICED = 1e-3             # m: how far from where it was authored an attachment is worth a word


def fixed_tendons(description: Description) -> Iterator[Finding]:
    """Fixed tendons whose signs, limits or gains defeat them."""
    for articulation in description.articulations:
        for tendon in articulation.fixed_tendons:
            yield from _signs(tendon)
            yield from _limits(tendon.path, tendon.prefix, tendon.limit_stiffness,
                               [(tendon.lower_limit, tendon.upper_limit)])
            yield from _gains(tendon)
            yield from _effects(tendon)


def spatial_tendons(description: Description) -> Iterator[Finding]:
    """Spatial tendons whose places, segments, limits or gains defeat them."""
    without_leaf = {(item.path, item.property) for item in description.problems if item.code == "tendon/no-leaf"}
    for articulation in description.articulations:
        poses = start_poses(articulation) if articulation.spatial_tendons else []
        for tendon in articulation.spatial_tendons:
            places = [place_in_link(articulation.links[item.link], item) for item in tendon.attachments]
            points = [composed(poses[item.link], (place, IDENTITY_POSE[1]))[0] for item, place in zip(
                tendon.attachments, places, strict=True)]
            meters = description.scene_of(articulation).meters_per_unit
            yield from _moved(tendon, places, meters)
            yield from _stretched(tendon, points, meters)
            yield from _segments(tendon, points)
            bounds = [(item.lower_limit, item.upper_limit) for item in tendon.attachments
                      if item.leaf and (item.path, item.prefix + "parentAttachment") not in without_leaf]
            yield from _limits(tendon.path, tendon.prefix, tendon.limit_stiffness, bounds)
            yield from _gains(tendon)
            yield from _gearings(tendon)


def _is_spring(tendon: FixedTendon | SpatialTendon) -> bool:
    return tendon.stiffness > 0.0 or tendon.limit_stiffness > 0.0


def _effects(tendon: FixedTendon) -> Iterator[Finding]:
    """Tendons whose arrays leave nothing of the force, or of the length."""
    if not tendon.axes or tendon.stiffness == tendon.damping == tendon.limit_stiffness == 0.0:
        return
    first = tendon.axes[0].path
    if not any(axis.force_coefficient for axis in tendon.axes):
        yield Finding(
            "tendon/no-gains", "warning", first, tendon.prefix + "forceCoefficient",
            "forceCoefficient is 0 on every axis", "the tendon exerts no force", "author a coefficient on an axis",
        )
    elif not any(axis.gearing for axis in tendon.axes):
        yield _unchanging(first, tendon.prefix, "gearing is 0 on every axis")


def _unchanging(path: str, prefix: str, found: str) -> Finding:
    return Finding(
        "tendon/no-gearing", "warning", path, prefix + "gearing", found,
        "the length does not change with the motion, so the tendon is a constant force", "author a gearing",
    )


def _gearings(tendon: SpatialTendon) -> Iterator[Finding]:
    """Attachments whose part of the length counts backwards, or all of them not at all."""
    worst: dict[int, str] = {}
    for end, item in enumerate(tendon.attachments):
        path = _path(tendon, end) if item.leaf else []
        gearings = [tendon.attachments[place].gearing for place in path]
        if path and not any(gearings) and _is_spring(tendon):
            yield _unchanging(item.path, item.prefix, "gearing is 0 on every attachment up to the root")
        severity = "error" if max(gearings, default=0.0) <= 0.0 else "warning"
        for place, gearing in zip(path, gearings, strict=True):
            if gearing < 0.0 and worst.get(place) != "error":
                worst[place] = severity
    for place, severity in worst.items() if _is_spring(tendon) else ():
        item = tendon.attachments[place]
        yield Finding(
            "tendon/sign", severity, item.path, item.prefix + "gearing", f"gearing {item.gearing:g} is below 0",
            "gearing does not scale the force, which pulls where the tendon is long: this part is pushed away from "
            "rest" + (", and the motion diverges" if severity == "error" else ""), "author a gearing above 0",
        )


def _path(tendon: SpatialTendon, end: int) -> list[int]:
    """The attachments from an end up to the root, without it."""
    found = []
    while tendon.attachments[end].parent >= 0:
        found.append(end)
        end = tendon.attachments[end].parent
    return found


def _signs(tendon: FixedTendon) -> Iterator[Finding]:
    """Axes that are pushed away from rest; where all are, the tendon diverges."""
    if not _is_spring(tendon):
        return
    products = [axis.gearing * axis.force_coefficient for axis in tendon.axes]
    diverges = max(products, default=0.0) <= 0.0
    for axis, product in zip(tendon.axes, products, strict=True):
        if product < 0.0:
            yield Finding(
                "tendon/sign", "error" if diverges else "warning", axis.path,
                f"physxTendon:{tendon.name}:forceCoefficient",
                f"forceCoefficient {axis.force_coefficient:g} and gearing have opposite signs",
                "gearing does not scale the force: this axis is pushed away from the tendon's rest length"
                + (", and the motion diverges" if diverges else ""),
                "give forceCoefficient the sign of gearing",
            )


def _limits(
    path: str, prefix: str, limit_stiffness: float, bounds: list[tuple[float, float]],
) -> Iterator[Finding]:
    free = bounds and all(unlimited(bound) for pair in bounds for bound in pair)
    if limit_stiffness > 0.0 and free:
        yield Finding(
            "tendon/limits-missing", "warning", path, prefix + "limitStiffness",
            f"limitStiffness {limit_stiffness:g} without lowerLimit or upperLimit", "it never acts",
            "author a limit, or remove limitStiffness",
        )
    if limit_stiffness == 0.0 and bounds and not free:
        yield Finding(
            "tendon/limit-stiffness-missing", "warning", path, prefix + "limitStiffness",
            "limits without limitStiffness", "the tendon passes its limits without resistance", "author limitStiffness",
        )


def _gains(tendon: FixedTendon | SpatialTendon) -> Iterator[Finding]:
    if not tendon.enabled:
        yield Finding(
            "tendon/disabled", "info", tendon.path, tendon.prefix + "tendonEnabled", "the tendon is switched off",
            "PhysX zeroes its stiffness, damping and limit stiffness", "set tendonEnabled to true to use it",
        )
    elif tendon.stiffness == tendon.damping == tendon.limit_stiffness == 0.0:
        yield Finding(
            "tendon/no-gains", "warning", tendon.path, tendon.prefix + "stiffness",
            "stiffness, damping and limitStiffness are all 0", "the tendon exerts no force", "author a stiffness",
        )


def _moved(tendon: SpatialTendon, places: Sequence[Vec3], meters: float) -> Iterator[Finding]:
    """Attachments that are elsewhere than their localPos says."""
    for item, place in zip(tendon.attachments, places, strict=True):
        apart = math.dist(place, item.local_position)
        if apart * meters > _NOTICED:
            yield Finding(
                "tendon/mass-frame", "warning", item.path, item.prefix + "localPos",
                f"{apart:.4g} from where it is in the link's own frame",
                "PhysX counts localPos from the centre of mass, along the principal axes",
                "author localPos from the centre of mass and along the principal axes, or author "
                "physics:centerOfMass and physics:principalAxes that leave the two frames one",
            )


def _stretched(tendon: SpatialTendon, points: Sequence[Vec3], meters: float) -> Iterator[Finding]:
    """Ends that start with a force because their rest length is another one than the length at the start."""
    for item, length in zip(tendon.attachments, geared_lengths(tendon.attachments, points), strict=True):
        if item.rest_from_poses and tendon.stiffness > 0.0 and abs(length - item.rest_length) * meters > _NOTICED:
            yield Finding(
                "tendon/rest-from-pose", "warning", item.path, item.prefix + "restLength",
                f"no rest length: {item.rest_length:.4g} between the authored poses, while the tendon starts at "
                f"{length:.4g}",
                "PhysX measures it before joint states and joint frames place the links, and with localPos in the "
                "links' own frames, so the tendon starts with a force",
                f"pose the links where their joints put them, or author restLength, {length:.6g} for no force",
            )


def _segments(tendon: SpatialTendon, points: Sequence[Vec3]) -> Iterator[Finding]:
    """Neighbours on one point; `points` are the attachments in the world."""
    for item, point in zip(tendon.attachments, points, strict=True):
        if item.parent < 0:
            continue
        parent, length = tendon.attachments[item.parent], math.dist(point, points[item.parent])
        if length <= SHORTEST_SEGMENT:
            yield Finding(
                "tendon/zero-length", "warning", item.path, item.prefix + "localPos",
                f"{length:g} from its parent attachment {parent.path}:{parent.name} where the simulation starts",
                f"a segment of at most {SHORTEST_SEGMENT:g} has no direction, so this part gives no force",
                "move one of the two attachments",
            )


_COMMON = (
    "tendon/sign", "tendon/limits-missing", "tendon/limit-stiffness-missing", "tendon/no-gains", "tendon/no-gearing",
    "tendon/disabled",
)

RULES = (
    Rule("fixed-tendon", fixed_tendons, _COMMON),
    Rule("spatial-tendon", spatial_tendons, (
        "tendon/mass-frame", "tendon/rest-from-pose", "tendon/zero-length", *_COMMON)),
)
