"""Fragments on things side by side that touch others anywhere, against the same equations in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.compiling.llvm.programs import GatherFragment
from physx_runtime.compiling.schedule import Operand, trace_fragment
from physx_runtime.language.ops import Rows, sqrt
from physx_runtime.targets.interpreter import load_gather_fragments, run_blocks

OWN, OTHER, SHARED, LANES_AT = 8, 4, 0, 64      # first rows of what is shared, of the others, and of the things


def push(rows: Rows) -> Rows:
    """Numbers of a thing and of what it touches, changed by each other."""
    (a, b), (x, y), (h,) = rows["own"], rows["side"], rows["h"]
    return {"own": [a + h * x, b - y], "side": [x * sqrt(a), y + h * b]}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("lanes", [1, 4, 8, 16])
def test_every_lane_works_on_its_own_and_on_what_it_touches(lanes: int, dtype: str) -> None:
    operands = Operand("own", 2), Operand("side", 2), Operand("h", 1)
    code = GatherFragment(trace_fragment(push, (), operands, False), {"own": 1}, frozenset({"h"}))
    assert code.addressed == ["side", "h"]
    memory = np.random.default_rng(0).random(LANES_AT + 3 * lanes).astype(dtype)
    places = OTHER + 2 * np.random.default_rng(1).permutation(lanes + 5)[:lanes]
    expected, h = memory.copy(), memory[SHARED]
    for lane, place in enumerate(places):
        a, b = LANES_AT + lanes + lane, LANES_AT + 2 * lanes + lane
        x, y = memory[place], memory[place + 1]
        expected[a], expected[b] = memory[a] + h * x, memory[b] - y
        expected[place], expected[place + 1] = x * np.sqrt(memory[a]), y + h * memory[b]
    [address] = load_gather_fragments([(code, lanes)], dtype)
    words = np.r_[address, LANES_AT * memory.itemsize, places * memory.itemsize, SHARED, 0].astype(np.int64)
    run_blocks(memory, [words], (1,))
    np.testing.assert_allclose(memory, expected, rtol=4 * np.finfo(dtype).eps)     # one rounding less: fma
