"""Drives and soft limits of joints between bodies do what those of SAPIEN do."""

from __future__ import annotations

import numpy as np
import physx_runtime.components as ours
import physx_runtime.components.physx as our_physics
import pytest
from support.components.drive_scenes import simulated

SINGLE = 2e-6           # m, or of a quaternion's components: single precision over 50 steps

# Position and rotation w x y z after half a second in SAPIEN 3.0.3.
SAPIEN = {
    "spring": [0, 0, 0.2425617, 1, 0, 0, 0],
    "damped": [0.3096764, 0, 0.4231279, 1, 0, 0, 0],
    "acceleration": [0.2140645, 0, 0.9802142, 1, 0, 0, 0],
    "twist": [0, 0, 1, 0.9654076, 0.2397445, 0.100524, -0.02014763],
    "swing": [0, 0, 1, 0.9743474, 0.06462345, -0.03739485, 0.2123029],
    "soft_limit": [0, 0, 0.7910156, 1, 0, 0, 0],
    "dragged": [0.3445413, 0, 0.3127518, 1, 0, 0, 0],
    "at_a_link": [0.2500651, 1.787362e-08, 1.806368, 0.7906724, 7.298463e-08, 0.6122395, 0],
}


@pytest.mark.parametrize("name", SAPIEN)
def test_a_driven_box_is_where_sapien_has_it(name: str) -> None:
    assert simulated(name, ours, our_physics) == pytest.approx(np.array(SAPIEN[name]), abs=SINGLE)
