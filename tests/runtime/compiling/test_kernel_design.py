"""Which design the kernels of a program take, and what each keeps in registers."""

from __future__ import annotations

import pytest
from physx_runtime.compiling.cuda.source import (
    DESIGN_VARIABLE,
    IN_REGISTERS,
    MAX_REGISTER_ROWS,
    SHARED,
    STREAMED,
    choose_design,
    forced_design,
    max_rows,
    registers_of,
)
from physx_runtime.compiling.cuda.source import (
    rows_of as program_rows,
)
from physx_runtime.solver.program import step_program
from support.chance.packed_robots import packed_robot
from support.chance.packed_trees import random_tree


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
    with pytest.raises(ValueError, match=r"^PHYSX_RUNTIME_CUDA_DESIGN is 'fast'; allowed are 'held', 'shared', "
                                         r"'streamed', or leave it unset$"):
        forced_design()


def test_registers_hold_all_rows_or_those_that_change_or_those_alive_throughout() -> None:
    code = step_program(packed_robot("arm")[0])["position"].code
    changed = {row for row, _ in code.outputs}
    held, shared, streamed = (set(registers_of(code, design)) for design in (IN_REGISTERS, SHARED, STREAMED))
    assert held == set(program_rows(code))
    assert shared == changed
    assert streamed < changed
