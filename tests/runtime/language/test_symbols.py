"""Tracing records what an algorithm computes: folded, shared, refused where it branches, and compiled faithfully."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime.compiling.code import trace
from physx_runtime.compiling.llvm import machine_code
from physx_runtime.compiling.llvm.vectors import Vectors
from physx_runtime.compiling.python_source import python_function
from physx_runtime.language.ops import arctan2, maximum, rounded, sincos, where
from physx_runtime.language.symbols import Graph, TracingError
from physx_runtime.model.row_specs import input_rows
from physx_runtime.model.topology import Topology
from physx_runtime.solver.divergence import DIVERGED
from physx_runtime.solver.program import step_program
from physx_runtime.solver.settings import begin, finish, iterate
from physx_runtime.worlds import cpu
from support.chance.packed_models import Rows, random_tree
from support.compiled_program import assembly_of

# float64 rounding of a step: a few hundred operations on numbers of size 1 to 100.
F64_STEP = 1e-11


def test_a_structural_zero_folds_a_product_away() -> None:
    x = Graph().input("x_0")
    assert (x * 0.0).value == 0.0


def test_an_input_is_never_folded_even_where_it_will_be_zero() -> None:
    graph = Graph()
    assert (graph.input("x_0") * graph.input("zero_0")).value is None


def test_equal_expressions_share_one_node() -> None:
    graph = Graph()
    x, y = graph.input("x_0"), graph.input("y_0")
    assert (x * y + 1.0).number == (y * x + 1.0).number


def test_branching_on_a_symbol_names_file_and_line() -> None:
    x = Graph().input("x_0")
    with pytest.raises(TracingError, match=r"test_symbols\.py:\d+: .* use where"):
        bool(x > 0.0)


@pytest.mark.parametrize("compare", [lambda x: x == 0.0, lambda x: x != 0.0, lambda x: x in (0.0, 1.0)])
def test_comparing_a_symbol_for_equality_names_file_and_line(compare: Callable[[Any], bool]) -> None:
    with pytest.raises(TracingError, match=r"test_symbols\.py:\d+: .* use <"):
        compare(Graph().input("x_0"))


def test_where_on_a_decided_condition_takes_its_side() -> None:
    x = Graph().input("x_0")
    assert where(np.True_, x, 0.0) is x


def test_a_condition_between_constants_is_decided_by_tracing() -> None:
    graph = Graph()
    zero, x = graph.constant(0.0), graph.input("x_0")
    assert where(~(zero > 0.0) & (zero < 1.0), x, 0.0).number == x.number


def test_a_rounded_product_is_no_part_of_an_fma() -> None:
    x = Graph().input("x_0")
    assert rounded(x * x).number != (x * x).number
    assert rounded(x + 1.0).number == (x + 1.0).number      # nothing else would be fused


def test_maximum_keeps_a_nan() -> None:
    assert np.isnan(maximum(np.nan, 0.0))


def test_sincos_agrees_with_the_library() -> None:
    x = np.linspace(-1e3, 1e3, 100_001)
    sine, cosine = sincos(x)
    assert max(np.abs(sine - np.sin(x)).max(), np.abs(cosine - np.cos(x)).max()) < 4e-16


def test_arctan2_agrees_with_the_library() -> None:
    angle = np.linspace(-np.pi, np.pi, 100_001)
    size = 10.0 ** np.random.default_rng(0).uniform(-8, 8, angle.size)
    y, x = size * np.sin(angle), size * np.cos(angle)
    assert np.abs(arctan2(y, x) - np.arctan2(y, x)).max() < 1e-15


def test_arctan2_keeps_the_digits_of_small_angles() -> None:
    y = 10.0 ** np.linspace(-30, 0, 10_001)
    assert (np.abs(arctan2(y, 1.0) - np.arctan2(y, 1.0)) / y).max() < 1e-15


def test_arctan2_of_single_precision_stays_in_it() -> None:
    y, x = np.random.default_rng(0).normal(size=(2, 10_000)).astype("f")
    found = arctan2(y, x)
    assert found.dtype == np.float32
    assert np.abs(found - np.arctan2(y.astype(float), x.astype(float))).max() < 5e-7


@pytest.mark.parametrize(("y", "x"), [(0.0, 0.0), (0.0, -1.0), (-1.0, 0.0), (1.0, 0.0), (2.0, -2.0)])
def test_arctan2_traced_is_what_it_is_of_numbers(y: float, x: float) -> None:
    code, _ = trace(lambda rows: {"angle": [arctan2(rows["y"][0], rows["x"][0])]}, {"y": ["y_0"], "x": ["x_0"]})
    assert python_function(code, ["y_0", "x_0"])([y, x]) == [float(arctan2(y, x))] == [math.atan2(y, x)]


def run_reference(t: Topology, rows: Rows, n: int, v: int) -> dict[str, np.ndarray]:
    """The step's algorithms called on plain numbers."""
    state: dict[str, object] = {name: list(map(float, values)) for name, values in rows.items()}
    state |= begin(t, state)
    for i in range(n + v):
        state |= iterate(t, state, final=i >= n)
    state |= finish(t, state)
    return {name: np.array(state[name], float) for name in ("q", "v", "root_position", "root_rotation")}


def run_compiled(t: Topology, rows: Rows, n: int, v: int, dtype: str, width: int, worlds: int = 1,
                 noise: float = 0.0) -> np.ndarray:
    """State rows after one compiled step, (rows, lanes); lanes beyond `worlds` start elsewhere by `noise`."""
    program = step_program(t)
    x = np.zeros((1, len(program.layout), width), dtype)
    for name, values in rows.items():
        for i, value in enumerate(values):
            x[0, program.layout[f"{name}_{i}"], :] = value
    for name in ("q", "v"):
        for i in range(len(rows[name])):
            x[0, program.layout[f"{name}_{i}"], worlds:] += noise
    cpu.compile_step(t, dtype, width)(x, 1, n, v)
    return x[0, [program.layout[row] for row in program.state if row != f"{DIVERGED}_0"], :]


@pytest.mark.parametrize("floating", [False, True])
def test_the_compiled_step_computes_what_the_algorithms_compute_on_floats(floating: bool) -> None:
    t, rows = random_tree(3, floating=floating, kinds="rrpf")
    expected = run_reference(t, rows, 4, 1)
    ours = run_compiled(t, rows, 4, 1, "float64", cpu.default_block_size(t, "float64"))[:, 0]
    assert np.abs(ours - np.concatenate(list(expected.values()))).max() < F64_STEP


def test_a_world_has_the_same_bits_whatever_runs_beside_it() -> None:
    t, rows = random_tree(4)
    width = cpu.default_block_size(t, "float32")
    alone = run_compiled(t, rows, 4, 1, "float32", width, worlds=1, noise=0.0)[:, 0]
    for noise in (0.3, np.nan):
        beside = run_compiled(t, rows, 4, 1, "float32", width, worlds=1, noise=noise)[:, 0]
        assert np.array_equal(alone, beside)


def test_a_world_has_the_same_bits_in_blocks_of_every_width() -> None:
    t, rows = random_tree(5)
    first = run_compiled(t, rows, 4, 1, "float32", 8)[:, 0]
    for width in (16, 32):
        assert np.array_equal(first, run_compiled(t, rows, 4, 1, "float32", width)[:, 0])


def test_a_diverged_world_shows_as_nan() -> None:
    t, rows = random_tree(6)
    rows["v"][0] = np.nan
    assert np.isnan(run_compiled(t, rows, 4, 1, "float32", 8)).any()


def test_zero_parameters_share_the_code_of_non_zero_ones() -> None:
    t, rows = random_tree(7)
    for name in input_rows(t):
        if name in ("stiffness", "damping", "armature", "static_friction", "dynamic_friction"):
            rows[name] = np.zeros_like(rows[name])
    expected = run_reference(t, rows, 2, 0)
    ours = run_compiled(t, rows, 2, 0, "float64", cpu.default_block_size(t, "float64"))[:, 0]
    assert np.abs(ours - np.concatenate(list(expected.values()))).max() < F64_STEP


def test_the_hot_loop_is_vector_code() -> None:
    """Packed multiplications and fmas are there; scalar ones are not."""
    t, _ = random_tree(8)
    code = assembly_of(step_program(t), Vectors("float", cpu.default_block_size(t, "float32")))
    assert re.search(r"v(fn?m(add|sub)\d+|mul)ps", code)
    assert not re.search(r"v?(fn?m(add|sub)\d+|mul|add|sub)ss\b", code)


def test_a_cached_step_is_loaded_without_tracing_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHYSX_RUNTIME_CACHE", str(tmp_path))
    made = []

    def make() -> Iterator[tuple[str, str]]:
        made.append(1)
        yield "half", "define i64 @half() {\n  ret i64 21\n}\n"
        yield "answer", ("declare i64 @half()\ndefine i64 @answer() {\n  %h = call i64 @half()\n"
                         "  %a = add i64 %h, %h\n  ret i64 %a\n}\n")

    for _ in range(2):
        address = machine_code.load_cached_function("question", make)
        assert ctypes.CFUNCTYPE(ctypes.c_int64)(address)() == 42
    assert len(made) == 1
