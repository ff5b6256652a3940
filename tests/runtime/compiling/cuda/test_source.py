"""Straight-line code as C: exact constants, products fused where the other targets fuse them, rows stored in time.

Kernels of functions as CUDA C: NVRTC takes them, and what they read and write is where it is said to be.

Which design the kernels of a program take, and what each keeps in registers.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from physx_runtime.compiling.code import row_scalars, trace
from physx_runtime.compiling.cuda.cubin import find_nvrtc, kernel_resources
from physx_runtime.compiling.cuda.source import (
    DESIGN_VARIABLE,
    FILL,
    FUNCTION,
    IN_REGISTERS,
    MARK,
    MAX_REGISTER_ROWS,
    MOVE,
    RAISE,
    SHARED,
    STREAMED,
    choose_design,
    emit_function_kernel,
    forced_design,
    literal,
    max_rows,
    movement_source,
    registers_of,
    statements,
)
from physx_runtime.compiling.cuda.source import rows_of as program_rows
from physx_runtime.compiling.passes import fused_products
from physx_runtime.compiling.schedule import trace_function
from physx_runtime.direct.articulations import QUANTITIES, link_pose_data, link_velocity_data, root_pose_rows
from physx_runtime.quantities.state import cached_link_velocity
from physx_runtime.quantities.traced import structure
from physx_runtime.quantities.traced import traced as traced_rows
from physx_runtime.solver.program import step_layout, step_program
from support.chance.packed_models import packed_robot, random_tree

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


# --- function c ------------------------------------------------------------------------------------------------------

needs_nvrtc = pytest.mark.skipif(not find_nvrtc(), reason="NVRTC is not installed; it comes with the cuda extra")
ARCHITECTURES = ("sm_80", "sm_90", "sm_120")
START = (("dt", 1), ("start_q", 7), ("start_v", 7), ("start_rotation", 4))


@needs_nvrtc
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nvrtc_compiles_movements_and_they_spill_nothing(dtype: str) -> None:
    found = kernel_resources(movement_source(dtype), "sm_90")
    assert set(found) == {MOVE, FILL, RAISE, MARK}
    assert all(one.spill_stores == 0 for one in found.values())


@needs_nvrtc
@pytest.mark.sweep
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_nvrtc_compiles_every_quantity_of_an_arm(architecture: str) -> None:
    t, _ = packed_robot("arm")
    links = len(t.tree.links)
    jobs = [(quantity, (("root_axes", 4),) if "com_root" in quantity.__name__ else (), ())
            for quantity in QUANTITIES.values()]
    jobs += [(link_pose_data, (("link_frames", 7 * links),), ()), (link_velocity_data, (), ()),
             (cached_link_velocity, START, ()),
             (root_pose_rows, (("data", 7), ("center", 3)), ("root_position", "root_rotation"))]
    for quantity, given, written in jobs:
        source = emit_function_kernel(traced_rows(quantity, structure(t), given), step_layout(t), "float32", written)
        assert set(kernel_resources(source.text, architecture)) == {FUNCTION}


def test_results_that_become_rows_are_stored_when_nothing_needs_the_old_numbers() -> None:
    function = trace_function(lambda rows: {"q": [rows["q"][1], rows["q"][0] + rows["step"][0]], "sum": [rows["q"][0]]},
                              {"q": 2}, (("step", 1),))
    source = emit_function_kernel(function, {"q_0": 0, "q_1": 1}, "float32", ("q",))
    assert source.arrays == (("step", 1), ("sum", 1))
    body = source.text[source.text.index("OF_THREAD(step)"):]
    loads = [body.index(f"= {place};") for place in ("x[0 * LANES]", "x[1 * LANES]", "step[0 * step_row]")]
    stores = [body.index(f"{place} =") for place in ("x[0 * LANES]", "x[1 * LANES]", "to_sum[0 * to_sum_row]")]
    assert max(loads) < min(stores)


# --- kernel design ---------------------------------------------------------------------------------------------------


def test_a_small_robot_keeps_all_rows_in_registers_and_a_larger_one_streams_them() -> None:
    small, large = step_program(packed_robot("cart-pole")[0]), step_program(random_tree(1, 12, kinds="r")[0])
    assert max_rows(small) < MAX_REGISTER_ROWS < max_rows(large)
    assert (choose_design(small), choose_design(large)) == (IN_REGISTERS, STREAMED)


def test_a_design_can_be_forced_and_another_word_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(DESIGN_VARIABLE, raising=False)
    assert forced_design() == ""
    monkeypatch.setenv(DESIGN_VARIABLE, SHARED)
    assert forced_design() == SHARED
    monkeypatch.setenv(DESIGN_VARIABLE, "fast")
    with pytest.raises(ValueError, match=r"^PHYSX_RUNTIME_CUDA_DESIGN is 'fast'; set it to one of 'held', 'shared', "
                                         r"'streamed', or unset it$"):
        forced_design()


def test_registers_hold_all_rows_or_those_that_change_or_those_alive_throughout() -> None:
    code = step_program(packed_robot("arm")[0])["position"].code
    changed = {row for row, _ in code.outputs}
    held, shared, streamed = (set(registers_of(code, design)) for design in (IN_REGISTERS, SHARED, STREAMED))
    assert held == set(program_rows(code))
    assert shared == changed
    assert streamed < changed
