"""What rare conditions alone need is jumped over, and no world's result depends on whether it was."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime.compiling.llvm.machine_code import load_function
from physx_runtime.compiling.llvm.programs import emit_fragment
from physx_runtime.compiling.llvm.vectors import Vectors
from physx_runtime.compiling.passes import group_rare_branches
from physx_runtime.compiling.program import PassSource, Program, trace_program
from physx_runtime.compiling.schedule import Operand, trace_fragment
from physx_runtime.language.ops import Rows, sqrt, unlikely, where
from support.compiled_program import compiled_program, text_of

LANES, PARTS, LIMIT = 4, 2, 10.0
STATE, INPUTS = {"x": 2}, {"speed": 1}


def start(rows: Rows) -> Rows:
    """Nothing to prepare."""
    return {"x": list(rows["x"])}


def bounce(rows: Rows) -> Rows:
    """A point that comes back from the limit, and how far it has been beyond; both are rare."""
    x, most = rows["x"]
    moved = x + rows["speed"][0]
    beyond = unlikely((moved > LIMIT) | (moved < -LIMIT))
    depth = sqrt(moved * moved) - LIMIT
    return {"x": [where(beyond, moved - 2.0 * where(moved > 0.0, depth, -depth), moved),
                  where(beyond, most + depth, most)]}


def program() -> Program:
    """The bounces as a repeated pass."""
    return trace_program((PassSource("start", start), PassSource("bounce", bounce, "n")), STATE, INPUTS)


def run(speeds: list[float], rounds: int) -> NDArray[np.float32]:
    """x after so many rounds in machine code, (2, worlds)."""
    made = program()
    memory = np.zeros((len(made.layout), LANES * PARTS), np.float32)
    memory[made.layout["speed_0"]] = speeds
    compiled_program(made, Vectors("float", LANES), PARTS)(memory.ctypes.data, 1, rounds)
    return memory[[made.layout[f"x_{i}"] for i in range(2)]]


def by_hand(speed: float, rounds: int) -> tuple[float, float]:
    """The same in a plain loop; all numbers are exact in float32."""
    x = most = 0.0
    for _ in range(rounds):
        x += speed
        if abs(x) > LIMIT:
            depth = abs(x) - LIMIT
            x, most = x - np.sign(x) * 2.0 * depth, most + depth
    return x, most


@pytest.mark.parametrize("speeds", [[1.0] * 8, [11.0, 1.0, 1.0, -2.0, 1.0, 1.0, 1.0, 1.0], [-12.0, 11.0] * 4])
def test_worlds_that_ask_and_worlds_that_do_not_have_their_own_result(speeds: list[float]) -> None:
    expected = np.array([by_hand(speed, 3) for speed in speeds], np.float32).T
    assert np.array_equal(run(speeds, 3), expected)


def test_what_only_a_rare_value_needs_is_in_its_branch() -> None:
    code = program()["bounce"].code
    read = {n: code.arguments(n) for n in code.order if code.nodes[n][0] not in ("input", "const")}
    order, (branch,) = group_rare_branches(code, read)
    assert sorted(order) == sorted(read)
    assert sorted(code.nodes[n][0] for n in branch.nodes) == ["add", "lt", "mul", "mul", "neg", "select", "sqrt", "sub",
                                                              "sub"]
    assert list(branch.selections) == [n for _, n in code.outputs]
    assert all(order.index(a) < order.index(n) for n in read for a in read[n] if a in read)


def branch_count(made: Program) -> int:
    """Jumps over rare code in all that is emitted."""
    return text_of(made, Vectors("float", LANES), PARTS).count("\nrare")


def test_every_part_of_a_block_jumps_for_itself() -> None:
    assert branch_count(program()) == PARTS


def stores_in_branch(made: Program, row: str) -> list[bool]:
    """Of every store of a row in the repeated pass, whether it stands in a branch."""
    text, inside, found = text_of(made, Vectors("float", LANES), 1), False, []
    body = text[text.index("_bounce("):]
    for line in body[:body.index("\n}")].splitlines():
        if line.startswith(("rare", "after")):
            inside = line.startswith("rare")
        elif line.startswith("  store") and f"{row}," in line:
            found.append(inside)
    return found


def test_a_row_that_rare_lanes_alone_change_is_stored_in_their_branch_alone() -> None:
    assert stores_in_branch(program(), "x_1") == [True]
    assert stores_in_branch(program(), "x_0") == [False]        # all lanes move


def test_a_row_that_is_read_behind_the_branch_is_stored_behind_it() -> None:
    def read_later(rows: Rows) -> Rows:
        made = bounce(rows)
        return {"x": [made["x"][0] + rows["x"][1], made["x"][1]]}

    made = trace_program((PassSource("start", start), PassSource("bounce", read_later, "n")), STATE, INPUTS)
    assert branch_count(made) == PARTS
    assert stores_in_branch(made, "x_1") == [False]


def test_a_value_that_others_need_too_is_not_left_out() -> None:
    def shared(rows: Rows) -> Rows:
        depth = sqrt(rows["x"][0] + rows["speed"][0])
        return {"x": [where(unlikely(depth > LIMIT), depth, rows["x"][0]), rows["x"][1]]}

    assert branch_count(trace_program((PassSource("start", start), PassSource("shared", shared, "n")), STATE,
                                      INPUTS)) == 0


@pytest.mark.parametrize("speeds", [[1.0, 2.0, -3.0, 4.0], [1.0, 2.0, -13.0, 4.0]])
def test_fragments_jump_over_rare_branches_alike(speeds: list[float]) -> None:
    fragment = trace_fragment(bounce, (), (Operand("x", 2), Operand("speed", 1)), False)
    symbol, text = emit_fragment(fragment, Vectors("float", LANES))
    memory = np.zeros((3, LANES), np.float32)
    memory[2] = speeds
    places = np.array([operand.name == "speed" for operand in fragment.operands]) * 2 * memory[0].nbytes
    function = ctypes.CFUNCTYPE(ctypes.c_void_p, *[ctypes.c_void_p] * 2)(load_function(symbol, text))
    function(memory.ctypes.data, places.astype(np.int64).ctypes.data)
    assert "br i1" in text
    np.testing.assert_array_equal(memory[:2].T, [by_hand(speed, 1) for speed in speeds])
