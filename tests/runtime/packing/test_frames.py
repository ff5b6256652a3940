"""Rotations have the length that PhysX's loader gives them in float32."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime import Simulation
from physx_runtime.packing.frames import rounded_frame, rounded_rotations
from support.stages.robots import opened

# Authored, and as ovphysx 0.7 reports it before the first step, x y z w.
AUTHORED = (0.6019998971108564, 0.637279683173387, -0.311480200456532, 0.3666753523438744)
REPORTED = np.float32([0.60199994, 0.63727975, -0.31148022, 0.36667538])
STAGE = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene" {{}}
def Cube "body" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{{
    quatd xformOp:orient = ({3}, {0}, {1}, {2})
    uniform token[] xformOpOrder = ["xformOp:orient"]
}}
"""


def test_a_rotation_is_loaded_with_the_bits_of_physx() -> None:
    assert np.array_equal(np.float32(rounded_frame(((0.0, 0.0, 0.0), AUTHORED))[1]), REPORTED)
    assert np.array_equal(rounded_rotations(np.array([AUTHORED, AUTHORED])), [REPORTED, REPORTED])


@pytest.mark.parametrize("again", [False, True], ids=["at first", "after a reset"])
def test_a_body_starts_with_the_rotation_of_physx(again: bool) -> None:
    sim = Simulation(opened(STAGE.format(*AUTHORED)))
    if again:
        sim.step(3)
        sim.reset()
    assert np.array_equal(sim.get("root_rotation")[0], REPORTED)


def test_a_rotation_in_float64_stays_as_authored() -> None:
    sim = Simulation(opened(STAGE.format(*AUTHORED)), dtype="float64")
    np.testing.assert_allclose(sim.get("root_rotation")[0], AUTHORED, rtol=0, atol=1e-15)
