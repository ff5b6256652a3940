"""Contact and rest offsets are read as PhysX takes them, from its own schema and Newton's.

Where PhysX makes contacts and lets a ball rest, for offsets authored in every way.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from support.stages.collision_stages import (
    MEASURED,
    OTHER_CONTACT,
    PLAIN_PLANES,
    PLANES,
    RADIUS,
    Offsets,
    ground,
    offset_ball,
)
from support.stages.robots import described, link, opened, prim, robot

from physx_schema import describe
from physx_schema.description.model import Collider

EXACT = 1e-8        # m: of numbers in single floats
SHOWN = float.fromhex("0x1.652bd8p-8").hex()        # m, ovphysx: 2 dt dt 9.81


@pytest.mark.parametrize("asked", MEASURED, ids=str)
def test_offsets_are_those_that_physx_shows(asked: Offsets) -> None:
    assert offsets(describe(opened(offset_ball(asked, 0.1))).bodies[0].colliders[0]) == pytest.approx(
        MEASURED[asked], abs=EXACT)


@pytest.mark.parametrize("asked", PLAIN_PLANES, ids=str)
def test_offsets_of_a_plane_are_those_that_physx_shows(asked: Offsets) -> None:
    [plane] = describe(opened(ground(asked, False, 0.1))).static_colliders
    assert offsets(plane) == pytest.approx(PLAIN_PLANES[asked], abs=EXACT)


@pytest.mark.parametrize("asked", PLANES, ids=str)
def test_offsets_of_a_plane_of_physx_are_those_that_physx_shows(asked: Offsets) -> None:
    [plane] = describe(opened(ground(asked, True, 0.1))).static_colliders
    assert offsets(plane) == pytest.approx(PLANES[asked], abs=EXACT)


def test_an_automatic_offset_has_the_last_bits_that_physx_shows() -> None:
    """Twice the way of a step in single floats; in double ones it is two units of the last place less."""
    small = prim("Sphere", "shape", ("PhysicsCollisionAPI",), {"double radius": 0.01})
    [shape] = described(robot(link("a", children=small), schemas=())).bodies[0].colliders
    assert float(shape.contact_offset or 0.0).hex() == SHOWN


@pytest.mark.parametrize(("size", "gravity", "rate"), [(1e39, 9.8, "60"), (1.0, 3e38, "1e-30"), (1.0, 9.8, "1e200")])
def test_sizes_and_rates_beyond_single_floats_give_an_offset_without_a_warning(
        size: float, gravity: float, rate: str) -> None:
    scene = (f'def PhysicsScene "scene" (prepend apiSchemas = ["PhysxSceneAPI"])\n{{\n'
             f'float physics:gravityMagnitude = {gravity}\ndouble physxScene:timeStepsPerSecond = {rate}\n}}\n')
    ball = prim("Sphere", "shape", ("PhysicsCollisionAPI",), {"double radius": size})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        [shape] = describe(opened(robot(link("a", children=ball), schemas=()) + scene)).bodies[0].colliders
    assert not math.isnan(shape.contact_offset or 0.0)


def offsets(collider: Collider) -> tuple[float | None, float]:
    return collider.contact_offset, collider.rest_offset


@pytest.mark.parametrize(("asked", "unread"), [
    (Offsets(gap=0.01), set()), (Offsets(margin=0.02), set()), (Offsets(contact=0.03, margin=0.02), set()),
    (Offsets(contact=0.02, gap=0.01), {"newton:contactGap"}), (Offsets(contact=-1.0, gap=0.01), {"newton:contactGap"}),
    (Offsets(rest=0.01, margin=0.02), {"newton:contactMargin"}),
], ids=str)
def test_what_an_own_offset_hides_is_listed_as_unused(asked: Offsets, unread: set[str]) -> None:
    found = {opinion.property: opinion.code for opinion in describe(opened(offset_ball(asked, 0.1))).unused}
    assert found == dict.fromkeys(unread, "overridden")


@pytest.mark.parametrize("applied", [False, True])
def test_a_gap_on_a_plane_of_physx_is_listed_as_unused(applied: bool) -> None:
    found = {opinion.property for opinion in describe(opened(ground(Offsets(gap=0.01), applied, 0.1))).unused}
    assert found == ({"newton:contactGap"} if applied else set())


# --- offsets in PhysX ------------------------------------------------------------------------------------------------

NEAR = 2e-5         # m, around the distance at which contacts begin
RESTS = 1e-6        # m, float32 of a height
OF_PLANES: Mapping[str, tuple[Mapping[Offsets, tuple[float, float]], bool]] = {
    "plain": (PLAIN_PLANES, False), "of PhysX": (PLANES, True)}


def test_contacts_begin_and_balls_rest_where_recorded(oracle_folder: Path) -> None:
    check(MEASURED, offset_ball)


@pytest.mark.parametrize("kind", OF_PLANES)
def test_contacts_with_planes_begin_and_balls_rest_on_them_where_recorded(kind: str, oracle_folder: Path) -> None:
    measured, applied = OF_PLANES[kind]
    check(measured, lambda asked, gap, gravity: ground(asked, applied, gap, gravity))


def check(measured: Mapping[Offsets, tuple[float, float]], stage: Callable[[Offsets, float, float], str]) -> None:
    from scene_recorder import record

    reach = {asked: contact + OTHER_CONTACT for asked, (contact, _) in measured.items()}
    inside = record([{"usd": stage(asked, far - NEAR, 0.0), "dt": 1 / 60, "steps": 1, "contacts": ["/ball"]}
                     for asked, far in reach.items()])
    outside = record([{"usd": stage(asked, far + NEAR, 0.0), "dt": 1 / 60, "steps": 1, "contacts": ["/ball"]}
                      for asked, far in reach.items()])
    resting = record([{"usd": stage(asked, 0.012, 9.81), "dt": 1 / 60, "steps": 60} for asked in measured])
    shown = {asked: (bool(near["contacts"][0]), bool(far["contacts"][0]), float(rest["pos"][-1, 0, 2]) - RADIUS)
             for asked, near, far, rest in zip(measured, inside, outside, resting, strict=True)}
    assert shown == {asked: (True, False, pytest.approx(rest, abs=RESTS)) for asked, (_, rest) in measured.items()}
