"""Scenes of shapes that touch move as recorded from real PhysX, within ten times what PhysX itself makes of 1e-7."""

from __future__ import annotations

import warnings

import pytest
from physx_runtime import NotSimulatedWarning, simulate
from support.physx.contact_scenes import GROWTHS, is_of, kept
from support.physx.recorded_scenes import apart
from support.stages.contact_scenes import SCENES
from support.stages.contact_scenes.shapes import SHAPES

# Of kinds of pairs and of couplings one each, soon compiled and stepped.
SOON = ("ball in a corner", "bounce threshold", "box slides into a corner", "cone falls on its rim",
        "cylinders and cones meet", "hulls meet", "mimic joint of a robot that lands",
        "tendon of a robot that lands")
# Times PhysX's growth where it is not GROWTHS, each with its reason and the error in growths.
WIDER = {
    # 13: it comes to rest along an edge of two boxes, where last bits decide whether a point is there twice
    ("capsule in a corner", "float64"): 15.0,
    # 45 and 11, from the 41st step on: chaos, in which five moved starts say little of what others grow to
    ("pile of balls", "float32"): 60.0,
    ("pile of capsules", "float32"): 20.0,
    # 26 of a velocity in the 40th step, as the first stones meet; from the 60th step on within ten
    ("pile of stones", "float32"): 30.0,
    # 11 of a velocity in the step in which two balls of each link land
    ("links of several shapes", "float32"): 15.0,
}


def misses(name: str, dtype: str) -> list[str]:
    """Where a scene is beyond its tolerance."""
    scene, real = SCENES[name], kept(name, dtype, WIDER.get((name, dtype), GROWTHS))
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotSimulatedWarning)
        ours = simulate(real.stage, scene.dt, scene.steps, dtype=dtype, kinematic_target=dict(scene.targets) or None)
    return apart(real, ours)


@pytest.mark.parametrize("name", SOON)
def test_a_contact_scene_moves_as_recorded(name: str) -> None:
    assert misses(name, "float32") == []


@pytest.mark.sweep
@pytest.mark.parametrize("name", SCENES)
def test_every_contact_scene_moves_as_recorded(name: str) -> None:
    assert misses(name, "float32") == []


@pytest.mark.sweep
@pytest.mark.parametrize("name", SHAPES)
def test_shapes_that_touch_move_as_recorded_in_float64_too(name: str) -> None:
    assert misses(name, "float64") == []


@pytest.mark.parametrize("name", SCENES)
def test_a_recording_is_of_the_scene_as_it_is_written(name: str) -> None:
    assert is_of(name), f"record it anew: python experiments/record_contact_scenes.py '{name}'"
