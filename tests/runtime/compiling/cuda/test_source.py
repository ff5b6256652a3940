"""Straight-line code as C: exact constants, products fused where the other targets fuse them, rows stored in time."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from physx_runtime.compiling.code import row_scalars, trace
from physx_runtime.compiling.cuda.source import literal, statements
from physx_runtime.compiling.passes import fused_products

Rows = Mapping[str, Sequence[Any]]


def traced(algorithm: Any, **sizes: int) -> Any:
    return trace(algorithm, row_scalars(sizes))[0]


def rows_of(rows: Rows) -> Rows:
    """A product that a sum absorbs, one that two nodes need, and a difference of both kinds."""
    a, b, c = rows["x"]
    shared = a * c
    return {"y": [a * b + c, c - a * a * 2.0, shared, shared + b]}


@pytest.mark.parametrize("value", [0.1, -0.1, 1 / 3, 1e-40, -0.0, 3.4e38])
def test_a_literal_is_read_back_as_the_type_holds_it(value: float) -> None:
    single = struct.unpack("f", struct.pack("f", value))[0]
    for dtype, held in (("float32", single), ("float64", value)):
        text = literal(value, dtype).strip("()").removesuffix("f" if dtype == "float32" else "")
        assert float.fromhex(text) == held
        assert math.copysign(1.0, float.fromhex(text)) == math.copysign(1.0, value)


def test_infinite_literals_and_no_number_have_names() -> None:
    assert [literal(x, "float32") for x in (math.inf, -math.inf, math.nan)] == ["INFINITE", "(-INFINITE)", "NO_NUMBER"]


def test_products_are_fused_where_every_target_fuses_them_and_nowhere_else() -> None:
    code = traced(rows_of, x=3)
    text = "\n".join(statements(code, "float64", str))
    assert text.count("FUSED(") == len(fused_products(code)) == 2
    assert text.count(" * ") == 2               # a c, which an output needs, and a a, which another product does


def test_rows_that_change_places_are_read_before_they_are_written() -> None:
    lines = statements(traced(lambda rows: {"x": [rows["x"][1], rows["x"][0]]}, x=2), "float32", str)
    held: dict[str, str] = {"x_0": "first", "x_1": "second"}
    for line in lines:
        target, source = line.removeprefix("const real ").rstrip(";").split(" = ")
        held[target] = held[source]
    assert (held["x_0"], held["x_1"]) == ("second", "first")


def test_a_piece_loads_for_itself_and_a_fence_stands_between_two() -> None:
    def sums(rows: Rows) -> Rows:
        a, b = rows["x"]
        return {"y": [(a + b) + (a - b)]}

    lines = statements(traced(sums, x=2), "float32", str, size=1)
    assert lines.count("FENCE;") == 2
    assert sum(line.endswith("= x_0;") for line in lines) == 2
