"""How deep two colliders are inside each other, of simple shapes: by how far they reach along a few directions.

How colliders start: inside each other, or heavy ones on light ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.rule import Explains, Rule, finder
from physx_schema.description.filter import CollisionFilter, FilterShape
from physx_schema.description.frames import composed
from physx_schema.description.model import Description, Link
from physx_schema.description.records import Pose
from physx_schema.description.scenes import SolverBatches

Array = NDArray[np.float64]
_BOXES, _BALLS, _RODS = ("box", "bounding-box"), ("sphere", "bounding-sphere"), ("capsule", "cylinder", "cone")
SHAPE_KINDS = (*_BOXES, *_BALLS, *_RODS, "plane")
_PARALLEL_TOLERANCE = 1e-9       # of the product of two edges that point alike


@dataclass(frozen=True, slots=True)
class WorldShape:
    """A collider where it starts."""

    side: FilterShape
    center: Array       # world
    axes: Array         # (3, 3), rows: the shape's own axes; a plane's normal, a rod's axis first

    def project(self, directions: Array) -> tuple[Array, Array]:
        """From where to where it reaches along unit vectors, (n, 3); a plane from nowhere up to its surface."""
        shape, center = self.side.collider, directions @ self.center
        if shape.kind == "plane":
            upward = directions @ self.axes[0] > 1.0 - _PARALLEL_TOLERANCE
            return np.full_like(center, -math.inf), np.where(upward, center, math.inf)
        if shape.kind in _BALLS:
            return center - shape.radius, center + shape.radius
        if shape.kind in _BOXES:
            half = np.abs(directions @ self.axes.T) @ shape.half_extents
            return center - half, center + half
        axial = directions @ self.axes[0]
        rim = shape.radius * (1.0 if shape.kind == "capsule" else np.sqrt(np.maximum(0.0, 1.0 - axial * axial)))
        base, tip = -axial * shape.half_height, axial * shape.half_height
        top = 0.0 if shape.kind == "cone" else rim
        return center + np.minimum(base - rim, tip - top), center + np.maximum(base + rim, tip + top)

    @property
    def thickness(self) -> float:
        """The least that it measures, endless of a plane."""
        shape = self.side.collider
        if shape.kind == "plane":
            return math.inf
        if shape.kind in _BOXES:
            return 2.0 * min(shape.half_extents)
        diameter = 2.0 * shape.radius
        return min(diameter, 2.0 * shape.half_height) if shape.kind in ("cylinder", "cone") else diameter


def world_shapes(description: Description, links: Sequence[Link], collisions: CollisionFilter) -> dict[int, WorldShape]:
    """Colliders of simple shapes that may touch, by side."""
    poses = {link.path: link.pose for link in links}
    return {i: _world_shape(side, composed(poses[side.body], side.collider.pose) if side.body else side.collider.pose)
            for i, side in enumerate(collisions.shapes)
            if side.collider.kind in SHAPE_KINDS and (not side.body or side.body in poses)}


def _world_shape(side: FilterShape, pose: Pose) -> WorldShape:
    x, y, z, w = pose[1]
    rotation = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                         [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                         [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
    axis = side.collider.axis if side.collider.kind in (*_RODS, "plane") else 0
    return WorldShape(side, np.array(pose[0]), np.roll(rotation.T, -axis, axis=0))


def penetration_depth(first: WorldShape, second: WorldShape) -> tuple[float, Array]:
    """How far they overlap where they do so least, below 0 how far they are apart; and that way, towards the first."""
    directions = _directions(first, second)
    (low, high), (second_low, second_high) = first.project(directions), second.project(directions)
    overlaps = np.concatenate([second_high - low, high - second_low])
    index = int(overlaps.argmin())
    direction = directions[index] if index < len(directions) else -directions[index - len(directions)]
    return float(overlaps[index]), direction


def _directions(first: WorldShape, second: WorldShape) -> Array:
    """Unit vectors along one of which two shapes overlap least, (n, 3)."""
    planes = [item for item in (first, second) if item.side.collider.kind == "plane"]
    if planes:
        return planes[0].axes[:1]
    edges = np.array([(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
                      for a in first.axes.tolist() for b in second.axes.tolist()])
    directions = np.concatenate([first.axes, second.axes, edges, _offsets(first, second), _offsets(second, first)])
    lengths = np.sqrt((directions * directions).sum(axis=1))
    valid = lengths > _PARALLEL_TOLERANCE
    return np.asarray(directions[valid] / lengths[valid, None])


def _offsets(first: WorldShape, second: WorldShape) -> Array:
    """From one shape to the middle and the ends of another, which need not be nearest in its middle: (3, 3)."""
    collider = first.side.collider
    ends = np.array([[0.0], [-1.0], [1.0]]) * (second.side.collider.half_height * second.axes[0])
    points = second.center + ends
    # the point of a box, or of the middle of another shape, that is nearest
    half_extents = np.array(collider.half_extents if collider.kind in _BOXES else (collider.half_height, 0.0, 0.0))
    local = (points - first.center) @ first.axes.T
    closest = np.minimum(np.maximum(local, -half_extents), half_extents)
    return np.asarray(points - first.center - closest @ first.axes)


def overlapping_pairs(items: Mapping[int, WorldShape]) -> Iterator[tuple[int, int]]:
    """Sides whose balls around them, grown by their contact offsets, overlap, or touch a plane: by a sweep along x."""
    indices = np.array([i for i, item in items.items() if item.side.collider.kind != "plane"], np.int64)
    if not len(indices):
        return
    centers, radii = np.array([items[i].center for i in indices]), np.array([_radius(items[i]) for i in indices])
    yield from _plane_pairs(items, indices, centers, radii)
    order = np.argsort(centers[:, 0] - radii, kind="stable")
    indices, centers, radii = indices[order], centers[order], radii[order]
    ends = np.searchsorted(centers[:, 0] - radii, centers[:, 0] + radii, side="right")
    for index, end in enumerate(ends.tolist()):
        if end > index + 1:
            following = slice(index + 1, end)
            offsets = centers[following] - centers[index]
            overlapping = np.flatnonzero((offsets * offsets).sum(axis=1) <= (radii[following] + radii[index]) ** 2)
            for k in overlapping.tolist():
                yield int(indices[index]), int(indices[index + 1 + k])


def _plane_pairs(items: Mapping[int, WorldShape], indices: NDArray[np.int64], centers: Array,
                 radii: Array) -> Iterator[tuple[int, int]]:
    for i, plane in items.items():
        if plane.side.collider.kind == "plane":
            height = (centers - plane.center) @ plane.axes[0] - (plane.side.collider.contact_offset or 0.0)
            yield from ((i, j) for j in indices[height <= radii].tolist())


def _radius(item: WorldShape) -> float:
    """Of a ball around a collider and its contact offset."""
    shape = item.side.collider
    if shape.kind in _BOXES:
        size = math.hypot(*shape.half_extents)
    elif shape.kind == "capsule":
        size = shape.radius + shape.half_height
    else:
        size = math.hypot(shape.radius, shape.half_height) if shape.kind in _RODS else shape.radius
    return float(size + (shape.contact_offset or 0.0))


OVERLAP_RATIO = 0.1          # of the least that the thinner of two measures
MAX_RATIO = 16.0        # times the lower mass and the position iterations: it stays at 15.6 and sinks at 18.75 and more
SUPPORT_COSINE = 0.7        # cosine: one rests on the other rather than beside it
FLUNG = "PhysX throws the body out of the other body in the first steps; maxDepenetrationVelocity sets no limit"
_IDENTITY = (0.0, 0.0, 0.0, 1.0)


def _stacked(mass: str) -> str:
    """A cube of a mass on one of mass 1 on the ground."""
    ground = usda.prim("Cube", "ground", {"double size": "1", **usda.transform(translate="(0, 0, -0.5)")},
                       "PhysicsCollisionAPI")
    below = usda.body(usda.transform(translate="(0, 0, 0.5)"), name="below", children=usda.cube())
    return ground + below + usda.body({"float physics:mass": mass, **usda.transform(translate="(0, 0, 1.5)")},
                                      name="above", children=usda.cube())


def _cube_at_height(height: str, velocity_limit: str = "") -> str:
    """A cube at a height, over the ground."""
    ground = usda.prim("Plane", "ground", {"uniform token axis": '"Z"'}, "PhysicsCollisionAPI")
    limit = {"float physxRigidBody:maxDepenetrationVelocity": velocity_limit} if velocity_limit else {}
    return ground + usda.body({**usda.transform(translate=f"(0, 0, {height})"), **limit}, "PhysxRigidBodyAPI",
                              children=usda.cube())


OVERLAP = Rule("body/overlap", "warning", """
    Body that starts inside another body

    Two colliders overlap at the start by more than a tenth of the thinner collider's thickness. PhysX pushes the
    colliders apart at up to maxDepenetrationVelocity, 3 m/s by default. The rule does not check mesh colliders.

    Measured: A cube that starts 0.2 m deep in the ground rises at 3.06 m/s. With maxDepenetrationVelocity inf the cube
    rises at 3400 m/s.
    (`experiments/measure_contact_starts.py`)
    """,
    why="PhysX pushes the body out of the other body in the first steps",
    fix="move the two bodies apart, or filter this pair of bodies if the overlap is intended",
    example=_cube_at_height("0.3"),
    remedy=_cube_at_height("0.5"),
    explains=(Explains("remedy", ("body/overlap",)),),
)

MASS_RATIO = Rule("body/mass-ratio", "warning", """
    Heavy body on a light body

    With too few position iterations, a heavy body sinks through a light body below it. With more iterations the same
    light body can carry a heavier body.

    Measured: With 4 position iterations, a body of mass 1 carries a body of mass 60, but a body of mass 80 sinks
    through it. (`experiments/measure_contact_starts.py`)
    """,
    why="the solver cannot hold the heavy body up, and the heavy body sinks into the light body",
    fix="increase physxRigidBody:solverPositionIterationCount, or author masses closer to each other",
    example=_stacked("1000"),
    remedy=_stacked("100"),
)


@finder("starts", OVERLAP, MASS_RATIO)
def starts(description: Description) -> Iterator[Finding]:
    """Find the first deep overlap of each body, and bodies that start on lighter ones."""
    links = [*description.separate_bodies, *chain.from_iterable(
        item.links for item in description.articulations if item.enabled)]
    collisions = CollisionFilter(description)
    if not any(side.moves for side in collisions.shapes):
        return
    bodies, findings = {link.path: link for link in links}, dict[str, Finding]()
    loads, items = dict[tuple[str, str], None](), world_shapes(description, links, collisions)
    for i, j in overlapping_pairs(items):
        first, second = items[i], items[j]
        mover, partner = (first, second) if first.side.moves else (second, first)
        # of robots that all start at one place every pair of links overlaps
        if mover.side.body in findings or not collisions.can_collide(i, j):
            continue
        overlap, direction = penetration_depth(first, second)
        if overlap > OVERLAP_RATIO * min(first.thickness, second.thickness):
            findings[mover.side.body] = _overlap_finding(bodies, overlap, mover, partner)
        offsets = sum(item.side.collider.contact_offset or 0.0 for item in (first, second))
        if overlap > -offsets and first.side.moves and second.side.moves:
            loads |= dict.fromkeys(_load_pair(description, bodies, first, second, direction))
    yield from findings.values()
    yield from _too_heavy(description, bodies, loads)


def _overlap_finding(bodies: dict[str, Link], overlap: float, mover: WorldShape, partner: WorldShape) -> Finding:
    limits = [bodies[item.side.body].contact.max_depenetration_velocity for item in (mover, partner) if item.side.moves]
    is_unbounded = all(math.isinf(limit) for limit in limits)
    message = f"{mover.side.collider.path} starts {overlap:.3g} deep in {partner.side.collider.path}"
    return OVERLAP.at(mover.side.body, "", message, why=FLUNG if is_unbounded else OVERLAP.why)


def _load_pair(description: Description, bodies: dict[str, Link], one: WorldShape, other: WorldShape,
               direction: np.ndarray) -> Iterator[tuple[str, str]]:
    """The upper and the lower of two bodies outside articulations that touch, where one rests on the other."""
    first, second = bodies[one.side.body], bodies[other.side.body]
    gravity = np.array(description.scene_of(first).gravity)
    size = float(np.linalg.norm(gravity))
    if first.body is None or second.body is None or not 0.0 < size < math.inf:
        return
    cosine = float(direction @ -gravity) / size
    if abs(cosine) > SUPPORT_COSINE and _is_above(first, second, gravity) == (cosine > 0.0):
        yield (first.path, second.path) if cosine > 0.0 else (second.path, first.path)


def _is_above(first: Link, second: Link, gravity: np.ndarray) -> bool:
    center, other = (np.array(composed(link.pose, (link.center_of_mass, _IDENTITY))[0]) for link in (first, second))
    return bool((center - other) @ gravity < 0.0)


def _too_heavy(description: Description, bodies: dict[str, Link],
               loads: dict[tuple[str, str], None]) -> Iterator[Finding]:
    batches = SolverBatches(description) if loads else None
    for upper, lower in loads:
        ratio = bodies[upper].mass / bodies[lower].mass if bodies[lower].mass > 0.0 else 0.0
        if batches is not None and ratio > MAX_RATIO:
            count = batches.counts(bodies[upper]).position
            if ratio > MAX_RATIO * count:
                yield MASS_RATIO.at(upper, "physics:mass", f"the body has {ratio:.3g} times the mass of {lower} "
                                    f"below it, with {count} position iterations")
