"""Sines and cosines in float32 are those of glibc's polynomials, which PhysX turns joints by.

What algorithms round to float32 has the same bits in machine code of either precision, and those of numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.polynomial import polynomial
from numpy.typing import NDArray
from physx_runtime.compiling.llvm.vectors import Vectors
from physx_runtime.compiling.program import PassSource, Program, trace_program
from physx_runtime.dynamics.rounded import sincos
from physx_runtime.language.ops import Rows, Single, sqrt
from support.compiled_program import compiled_program, text_of

Array = NDArray[Any]

# glibc sums these in float64 (s_sincosf_data.c): of x, x^3, x^5, x^7, and of 1, x^2 to x^8.
SINE = np.array([1.0, *map(float.fromhex, ("-0x1.555545995a603p-3", "0x1.1107605230bc4p-7", "-0x1.994eb3774cf24p-13"))])
COSINE = np.array([1.0, *map(float.fromhex, ("-0x1.ffffffd0c621cp-2", "0x1.55553e1068f19p-5", "-0x1.6c087e89a359dp-10",
                                             "0x1.99343027bf8c3p-16"))])
NUMBERS = 20000
# Of how many numbers the last bit differs: within a quarter turn of 0, and beyond, where the remainder is rounded too.
OTHERWISE = {0.4: 0.001, 0.78: 0.01, 6.2: 0.01}


def of_glibc(x: Array) -> tuple[Array, Array]:
    """(sin x, cos x) of float32 numbers, summed in float64 and rounded once."""
    turns = np.round(x.astype(np.float64) * 2.0 / np.pi)
    r = x.astype(np.float64) - turns * (np.pi / 2.0)
    sine, cosine = r * polynomial.polyval(r * r, SINE), polynomial.polyval(r * r, COSINE)
    quarter = turns.astype(int) % 4
    return (np.choose(quarter, [sine, cosine, -sine, -cosine]).astype(np.float32),
            np.choose(quarter, [cosine, -sine, -cosine, sine]).astype(np.float32))


@pytest.mark.parametrize("largest", OTHERWISE)
def test_sines_and_cosines_have_the_bits_of_glibc_nearly_always(largest: float) -> None:
    x = np.random.default_rng(0).uniform(-largest, largest, NUMBERS).astype(np.float32)
    for ours, theirs in zip(sincos(Single(x.astype(np.float64))), of_glibc(x), strict=True):
        found = np.asarray(ours.value, np.float32)
        assert (found != theirs).mean() <= OTHERWISE[largest]
        assert (np.abs(found - theirs) <= np.spacing(np.abs(theirs))).all()


# --- single numbers --------------------------------------------------------------------------------------------------

LANES, PARTS = 4, 2
ELEMENTS = {"float": np.float32, "double": np.float64}
INPUTS = {"a": 1, "b": 1}
STATE = {"made": 6}
THIRD = 1.0 / 3.0               # which float32 does not hold


def nothing(rows: Rows) -> Rows:
    """Nothing to prepare."""
    return {"made": list(rows["made"])}


def arithmetic(rows: Rows) -> Rows:
    """Sums, products and quotients of two numbers and of literals, each rounded to float32."""
    a, b = Single(rows["a"][0]), Single(rows["b"][0])
    sine, cosine = sincos(a)
    made = (a * b + a * 2.0 - b, -(a * b) * 0.5 + 1.0, 1.0 / sqrt(a * a + b * b), a * THIRD - b * 0.1, sine, cosine)
    return {"made": [x.value for x in made]}


def program() -> Program:
    """The arithmetic as a pass."""
    return trace_program((PassSource("start", nothing), PassSource("make", arithmetic, "n")), STATE, INPUTS)


def made(element: str, a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float64]:
    """What machine code makes of the numbers of all worlds, (6, worlds)."""
    whole = program()
    memory = np.zeros((len(whole.layout), LANES * PARTS), ELEMENTS[element])
    memory[whole.layout["a_0"]], memory[whole.layout["b_0"]] = a, b
    compiled_program(whole, Vectors(element, LANES), PARTS)(memory.ctypes.data, 1, 1)
    return memory[[whole.layout[f"made_{i}"] for i in range(6)]].astype(np.float64)


@pytest.mark.parametrize("element", ELEMENTS)
def test_single_numbers_have_the_bits_of_numpy_in_machine_code(element: str) -> None:
    random = np.random.default_rng(1)
    one, third, tenth = np.float32(1.0), np.float64(THIRD), np.float64(0.1)
    for _ in range(50):
        a, b = random.uniform(-1.5, 1.5, (2, LANES * PARTS)).astype(np.float32)
        by_literal = np.float32(a * third) - np.float32(b * tenth)
        expected = [a * b + a * np.float32(2) - b, -(a * b) * np.float32(0.5) + one, one / np.sqrt(a * a + b * b)]
        found = made(element, a, b)
        assert np.array_equal(found[:3], np.array(expected, np.float64))
        if element == "double":         # in float32 the literals are rounded first
            assert np.array_equal(found[3], by_literal.astype(np.float64))
        numbers = [x.value for x in sincos(Single(a.astype(np.float64)))]
        assert np.array_equal(found[4:], np.array(numbers, np.float64))


def test_what_is_made_of_single_numbers_is_computed_in_single_precision() -> None:
    text = text_of(program(), Vectors("double", LANES))
    assert text.count("fdiv <4 x float>") == 1 and "fneg <4 x float>" in text
