"""Where PhysX makes contacts and lets a ball rest, for offsets authored in every way."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.stages.offsets import MEASURED, PLANE_CONTACT, RADIUS, ball

NEAR = 2e-5         # m, around the distance at which contacts begin
RESTS = 1e-6        # m, float32 of a height


def test_contacts_begin_and_balls_rest_where_recorded(oracle_folder: Path) -> None:
    from scene_recorder import record

    reach = {asked: contact + PLANE_CONTACT for asked, (contact, _) in MEASURED.items()}
    inside = record([{"usd": ball(asked, far - NEAR, 0.0), "dt": 1 / 60, "steps": 1, "contacts": ["/ball"]}
                     for asked, far in reach.items()])
    outside = record([{"usd": ball(asked, far + NEAR, 0.0), "dt": 1 / 60, "steps": 1, "contacts": ["/ball"]}
                      for asked, far in reach.items()])
    resting = record([{"usd": ball(asked, 0.012), "dt": 1 / 60, "steps": 60} for asked in MEASURED])
    shown = {asked: (bool(near["contacts"][0]), bool(far["contacts"][0]), float(rest["pos"][-1, 0, 2]) - RADIUS)
             for asked, near, far, rest in zip(MEASURED, inside, outside, resting, strict=True)}
    assert shown == {asked: (True, False, pytest.approx(rest, abs=RESTS)) for asked, (_, rest) in MEASURED.items()}
