"""How colliders start: inside each other, or heavy ones on light ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain

import numpy as np

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.rule import Rule, finder
from physx_schema.checking.rules.contact_reach import Placed, depth, near_pairs, placed
from physx_schema.description.collision_filter import CollisionFilter
from physx_schema.description.frames import composed
from physx_schema.description.model import Description, Link
from physx_schema.description.solver_batches import SolverBatches

DEEP = 0.1          # of the least that the thinner of two measures
HEAVY = 16.0        # times the lower mass and the position iterations: it stays at 15.6 and sinks at 18.75 and more
UPWARD = 0.7        # cosine: one rests on the other rather than beside it
FLUNG = "it is flung away as the simulation starts: maxDepenetrationVelocity sets no bound"
_UNTURNED = (0.0, 0.0, 0.0, 1.0)


def _stacked(mass: str) -> str:
    """A cube of a mass on one of mass 1 on the ground."""
    ground = usda.prim("Cube", "ground", {"double size": "1", **usda.placed(translate="(0, 0, -0.5)")},
                       "PhysicsCollisionAPI")
    below = usda.body(usda.placed(translate="(0, 0, 0.5)"), name="below", children=usda.cube())
    return ground + below + usda.body({"float physics:mass": mass, **usda.placed(translate="(0, 0, 1.5)")},
                                      name="above", children=usda.cube())


def _inside(height: str, more: str = "") -> str:
    """A cube at a height, over the ground."""
    ground = usda.prim("Plane", "ground", {"uniform token axis": '"Z"'}, "PhysicsCollisionAPI")
    limit = {"float physxRigidBody:maxDepenetrationVelocity": more} if more else {}
    return ground + usda.body({**usda.placed(translate=f"(0, 0, {height})"), **limit}, "PhysxRigidBodyAPI",
                              children=usda.cube())


OVERLAP = Rule("body/overlap", "warning", """
    Body that starts inside another

    Two colliders that may meet overlap where the stage starts, by more than a tenth of the thinner one. The first steps
    push them apart by at most maxDepenetrationVelocity, 3 m/s unauthored: the body is moved, though it does not keep
    that velocity. Where both have no bound (inf, or 0, which PhysX refuses) they are flung apart. Judged are spheres,
    capsules, boxes, cylinders, cones, planes and bounding shapes.

    Measured: A cube that starts 0.2 m deep in the ground rises by 3.06 m/s and comes to rest on it, 0.01 m deep by 0.6,
    with a maxDepenetrationVelocity of 0.5 by 0.51. With inf, and with 0, it leaves the ground at 3 400 m/s.
    (`benchmarks/measure_contact_starts.py`)
    """,
    why="it is pushed out as the simulation starts",
    fix="move them apart, or filter the pair where they are meant to overlap",
    example=_inside("0.3"),
    remedy=_inside("0.5"),
)

MASS_RATIO = Rule("body/mass-ratio", "warning", """
    Heavy body on a light one

    The upper of two bodies that start on each other is so much heavier than the lower one that the solver's iterations
    do not hold it up: it sinks into the lower one and passes it. How heavy it may be grows with the position iterations
    of what is solved together.

    Measured: A cube sinks through one of mass 1 on the ground if it weighs 20 under one iteration, 80 under 4, 150
    under 8, 300 under 16, 600 under 32 and 2 000 under 64; it stays on it with 10, 60, 100, 200, 300 and 1 000, up to
    46 mm deep under one iteration and 14 under more.
    (`benchmarks/measure_contact_starts.py`)
    """,
    why="the lower one cannot hold it up under these iterations",
    fix="author more physxRigidBody:solverPositionIterationCount, or masses that are nearer to each other",
    example=_stacked("1000"),
    remedy=_stacked("100"),
)


@finder("starts", OVERLAP, MASS_RATIO)
def starts(description: Description) -> Iterator[Finding]:
    """Pairs that start deep in each other, the first of each body, and bodies that start on too light ones."""
    links = [*description.separate_bodies, *chain.from_iterable(
        item.links for item in description.articulations if item.enabled)]
    found = CollisionFilter(description)
    if not any(side.moves for side in found.sides):
        return
    bodies, told = {link.path: link for link in links}, dict[str, Finding]()
    loads, items = dict[tuple[str, str], None](), placed(description, links, found)
    for i, j in near_pairs(items):
        one, other = items[i], items[j]
        mover, partner = (one, other) if one.side.moves else (other, one)
        # of robots that all start at one place every pair of links overlaps
        if mover.side.body in told or not found.meet(i, j):
            continue
        deep, way = depth(one, other)
        if deep > DEEP * min(one.thickness, other.thickness):
            told[mover.side.body] = _told(bodies, deep, mover, partner)
        offsets = sum(item.side.collider.contact_offset or 0.0 for item in (one, other))
        if deep > -offsets and one.side.moves and other.side.moves:
            loads |= dict.fromkeys(_load(description, bodies, one, other, way))
    yield from told.values()
    yield from _too_heavy(description, bodies, loads)


def _told(bodies: dict[str, Link], deep: float, mover: Placed, partner: Placed) -> Finding:
    limits = [bodies[item.side.body].contact.max_depenetration_velocity for item in (mover, partner) if item.side.moves]
    flung = all(math.isinf(limit) for limit in limits)
    message = f"{mover.side.collider.path} starts {deep:.3g} deep in {partner.side.collider.path}"
    return OVERLAP.at(mover.side.body, "", message, why=FLUNG if flung else OVERLAP.why)


def _load(description: Description, bodies: dict[str, Link], one: Placed, other: Placed,
          way: np.ndarray) -> Iterator[tuple[str, str]]:
    """The upper and the lower of two bodies outside articulations that touch, where one rests on the other."""
    first, second = bodies[one.side.body], bodies[other.side.body]
    gravity = np.array(description.scene_of(first).gravity)
    size = float(np.linalg.norm(gravity))
    if first.body is None or second.body is None or not 0.0 < size < math.inf:
        return
    rise = float(way @ -gravity) / size
    if abs(rise) > UPWARD and _is_above(first, second, gravity) == (rise > 0.0):
        yield (first.path, second.path) if rise > 0.0 else (second.path, first.path)


def _is_above(first: Link, second: Link, gravity: np.ndarray) -> bool:
    one, other = (np.array(composed(link.pose, (link.center_of_mass, _UNTURNED))[0]) for link in (first, second))
    return bool((one - other) @ gravity < 0.0)


def _too_heavy(description: Description, bodies: dict[str, Link],
               loads: dict[tuple[str, str], None]) -> Iterator[Finding]:
    batches = SolverBatches(description) if loads else None
    for upper, lower in loads:
        ratio = bodies[upper].mass / bodies[lower].mass if bodies[lower].mass > 0.0 else 0.0
        if batches is not None and ratio > HEAVY:
            count = batches.counts(bodies[upper]).position
            if ratio > HEAVY * count:
                yield MASS_RATIO.at(upper, "physics:mass", f"{ratio:.3g} times as heavy as {lower} below it, under "
                                    f"{count} position iterations")
