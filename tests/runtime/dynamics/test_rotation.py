"""The rotation of a substep is that by |h w| about w, by series for short turns and exactly beyond them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from physx_runtime.compiling.code import row_scalars, trace
from physx_runtime.compiling.passes import group_rare_branches
from physx_runtime.dynamics.rotation import MAX_SQUARE, substep_rotation

AXIS = np.array([0.6, -0.48, 0.64])
# Of numbers of size 1 in float64: a rounding of the series, the sine or the product each.
ROUNDED = 4e-16
SHORT = math.sqrt(MAX_SQUARE)


@pytest.mark.parametrize("half", [0.0, 1e-9, 1e-3, 0.1, 0.999 * SHORT, 1.001 * SHORT, 0.5, 1.5, 3.0])
def test_a_substep_turns_by_its_angle_about_its_axis(half: float) -> None:
    h = 0.02
    x, y, z, w = substep_rotation(h, tuple(2.0 * half / h * AXIS))
    assert np.abs(np.array([x, y, z]) - math.sin(half) * AXIS).max() <= ROUNDED
    assert abs(w - math.cos(half)) <= ROUNDED


def test_a_short_turn_takes_no_root_and_no_quotient() -> None:
    code, _ = trace(lambda rows: {"turn": substep_rotation(rows["h"][0], rows["w"])}, row_scalars({"h": 1, "w": 3}))
    read = {n: code.arguments(n) for n in code.order if code.nodes[n][0] not in ("input", "const")}
    left_out = {n for branch in group_rare_branches(code, read)[1] for n in branch.nodes}
    assert not [n for n in read if code.nodes[n][0] in ("sqrt", "div", "floor") and n not in left_out]
