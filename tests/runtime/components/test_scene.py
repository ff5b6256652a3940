"""The forty scenes recorded with SAPIEN 3.0.3, built through the components as there, move as there."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import physx_runtime.components as sapien
import physx_runtime.components.physx as px
import pytest
from support.components.sapien_scenes import NAMES, cases, recorded, simulated

# The recordings' own tolerances: rest height 1e-4 m, slide 1 mm, coordinates 1e-4 over 50 steps and 1e-3 over 300.
REST_HEIGHT, SLIDE = 1e-4, 1e-3
COORDINATE, LATE_COORDINATE, EARLY = 1e-4, 1e-3, 50
APEX = 0.01                 # of the height of a bounce
ROLL = 1e-3                 # m/s of a rolling ball
# What falls and turns alone differs by the rounding of newer PhysX alone.
FREE = 1e-5


# One of each kind; the others are left to the sweep.
SOON = ("box_on_plane", "sphere_bounce_h1.0_e0.8", "slope_25deg", "cylinder_upright", "convex_on_ground",
        "pusher_set_pose", "depenetration_0.5", "max_contact_impulse", "arm2_acceleration_m0.5_g1",
        "limit_revolute_unwrapped_-inf_inf", "joint_friction_0.5", "qf_persistence")


@pytest.fixture(autouse=True)
def _recordings(shared_cases: Path) -> None:
    """They are in the shared folder."""


@functools.cache
def moved(name: str) -> np.ndarray:
    """What the components do in a scene."""
    return simulated(name, sapien, px)


def test_every_recording_is_built() -> None:
    assert set(NAMES) == set(cases())


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=() if name in SOON else pytest.mark.sweep) for name in NAMES])
def test_it_moves_as_in_sapien(name: str) -> None:
    found, expected = moved(name), recorded(name)
    assert np.isfinite(found).all()
    if found.ndim == 2:
        half = found.shape[1] // 2
        wrong = abs(found - expected)[:, :half]
        assert wrong[:EARLY].max() < COORDINATE
        assert wrong.max() < LATE_COORDINATE
    else:
        wrong = abs(found - expected.reshape(found.shape))
        assert wrong[..., :3].max() < SLIDE
        assert wrong[-1, :, 2].max() < (REST_HEIGHT if name != "max_contact_impulse" else SLIDE)


@pytest.mark.parametrize("name", ["free_fall", "damping", "tumbling_box"])
def test_what_nothing_touches_moves_to_rounding_as_in_sapien(name: str) -> None:
    found, expected = moved(name), recorded(name)
    assert abs(found - expected.reshape(found.shape))[..., :3].max() < FREE


def test_a_bounce_reaches_the_height_that_it_reaches_in_sapien() -> None:
    case = cases()["sphere_bounce_h1.0_e0.8"]["result"]
    height = moved("sphere_bounce_h1.0_e0.8")[:, 0, 2] - 0.1
    assert height[case["impact_step"] + 1:].max() == pytest.approx(case["apex_after"], rel=APEX)


def test_a_sliding_ball_ends_up_rolling_at_five_sevenths_of_its_speed() -> None:
    velocity = moved("sphere_rolling")[-1, 0, 7]
    assert velocity == pytest.approx(5 / 7, abs=ROLL)
