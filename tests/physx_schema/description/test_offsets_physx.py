"""Where PhysX makes contacts and lets a ball rest, for offsets authored in every way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from support.stages.offsets import MEASURED, OTHER_CONTACT, PLAIN_PLANES, PLANES, RADIUS, Offsets, ball, ground

NEAR = 2e-5         # m, around the distance at which contacts begin
RESTS = 1e-6        # m, float32 of a height
OF_PLANES: Mapping[str, tuple[Mapping[Offsets, tuple[float, float]], bool]] = {
    "plain": (PLAIN_PLANES, False), "of PhysX": (PLANES, True)}


def test_contacts_begin_and_balls_rest_where_recorded(oracle_folder: Path) -> None:
    check(MEASURED, ball)


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
