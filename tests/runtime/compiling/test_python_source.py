"""A traced algorithm as a plain Python function gives what the algorithm gives on floats."""

from __future__ import annotations

import math

import pytest
from physx_runtime.compiling.code import row_scalars, scalar_names, trace
from physx_runtime.compiling.python_source import python_function
from physx_runtime.language.ops import Rows, floor, minimum, sincos, sqrt, where

SIZES = {"x": 2, "y": 1}


def mixed(rows: Rows) -> Rows:
    (a, b), y = rows["x"], rows["y"][0]
    s, c = sincos(a)
    return {"made": [sqrt(s * s + c * c), where((a < b) & ~(b <= y), -a, abs(b)), floor(minimum(a, y)), 2.0, b]}


@pytest.mark.parametrize("values", [(0.3, 0.7, 0.1), (0.7, 0.3, -4.2), (-2.5, 0.0, 9.0)])
def test_a_function_gives_what_its_algorithm_gives(values: tuple[float, float, float]) -> None:
    code, _ = trace(mixed, row_scalars(SIZES))
    made = python_function(code, scalar_names(SIZES))(values)
    assert made == mixed({"x": values[:2], "y": values[2:]})["made"]


@pytest.mark.parametrize(("a", "quotient"), [(1.0, math.inf), (-1.0, -math.inf), (0.0, math.nan)])
def test_a_quotient_by_0_is_that_of_machine_code(a: float, quotient: float) -> None:
    code, _ = trace(lambda rows: {"made": [rows["x"][0] / rows["x"][1]]}, row_scalars({"x": 2}))
    assert python_function(code, scalar_names({"x": 2}))([a, 0.0]) == pytest.approx([quotient], nan_ok=True)
