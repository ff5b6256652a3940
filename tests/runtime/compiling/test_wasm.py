"""Programs and expressions as WebAssembly, run by node."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.compiling.code import Algorithm, row_scalars, scalar_names, trace
from physx_runtime.compiling.program import Pass, PassSource, Program, program_layout, trace_program
from physx_runtime.compiling.wasm import emit_module
from physx_runtime.language.ops import Rows, floor, maximum, sqrt, where
from support.chromium import run_module

ROUNDS, N = 3, 4


def ran_once(algorithm: Algorithm, *x: float) -> list[float]:
    """The row x after one run on these numbers."""
    sizes = {"x": len(x)}
    code, _ = trace(algorithm, row_scalars(sizes))
    program = Program((Pass("only", code),), program_layout(sizes, {}), {}, tuple(scalar_names(sizes)))
    found: list[float] = run_module(emit_module(program, {}).binary, np.array(x, np.float32).tobytes(), 1)[0].tolist()
    return found[:len(x)]


def start(rows: Rows) -> Rows:
    """What the repeated pass needs."""
    return {"step": [rows["push"][0] * 0.5]}


def advance(rows: Rows) -> Rows:
    """The two change places, and one grows."""
    a, b = rows["x"]
    return {"x": [b, a + rows["step"][0]]}


def end(rows: Rows) -> Rows:
    """A condition, which guards nothing here."""
    a, b = rows["x"]
    return {"x": [where(a > 4.0, a - 4.0, a), b], "large": [a > 4.0]}


def test_passes_run_as_often_as_their_counts_say_and_rows_change_places() -> None:
    sources = (PassSource("start", start), PassSource("advance", advance, "n"),
               PassSource("end", end, guard="large"))
    module = emit_module(trace_program(sources, {"x": 2}, {"push": 1}), {})
    first = np.array([1.0, 2.0, 0.5], np.float32)
    found = run_module(module.binary, first.tobytes(), ROUNDS, [N])
    a, b = 1.0, 2.0
    for rows in found:
        for _ in range(N):
            a, b = b, a + 0.25
        a = a - 4.0 if a > 4.0 else a
        assert rows[:2].tolist() == [a, b]


def test_a_product_in_a_sum_is_rounded_once() -> None:
    """The product's last bits are all that the sum leaves."""
    def algorithm(rows: Rows) -> Rows:
        x, y = rows["x"][0], rows["x"][1]
        return {"x": [x, y, x * x - y, y - x * x, x * x + y]}

    third = np.float32(1 / 3)
    square = np.float32(third * third)
    found = ran_once(algorithm, third, square, 0.0, 0.0, 0.0)
    exact = float(third) * float(third) - float(square)
    assert exact != 0.0
    assert found[2:] == [exact, -exact, np.float32(float(third) ** 2 + float(square))]


@pytest.mark.parametrize("x", [-2.5, 0.25, 6.0])
def test_every_operation_is_that_of_float32(x: float) -> None:
    def algorithm(rows: Rows) -> Rows:
        a = rows["x"][0]
        inside = (a > -1.0) & ~(a > 5.0) | (a < -2.0)
        return {"x": [a, floor(a), sqrt(maximum(a, 0.0)), where(inside, abs(a), -a), a / 3.0, 1.0]}

    number = np.float32(x)
    wanted = [number, np.floor(number), np.sqrt(np.maximum(number, 0)), abs(number) if -1 < x <= 5 or x < -2 else -x,
              number / np.float32(3), 1.0]
    assert ran_once(algorithm, x, 0.0, 0.0, 0.0, 0.0, 0.0) == [float(value) for value in wanted]
