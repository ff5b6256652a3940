"""Programs of passes that have nothing to do with physics, on every target that runs on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime.compiling.cuda import source as source_module
from physx_runtime.compiling.cuda.source import DESIGNS, emit_kernels
from physx_runtime.compiling.llvm.programs import emit_program
from physx_runtime.compiling.llvm.vectors import Vectors
from physx_runtime.compiling.program import Pass, PassSource, Program, trace_program
from physx_runtime.compiling.schedule import Layout, Schedule, ScheduledProgram
from physx_runtime.language.ops import where
from physx_runtime.targets.cuda.driver import PitchedLines
from physx_runtime.targets.cuda.kernels import LoadedKernels, gpu_on_host
from physx_runtime.targets.host_driver import HostDriver
from physx_runtime.targets.interpreter import load_program
from support.compiled_program import compiled_program

Rows = Mapping[str, Any]

# An account: what is paid in, interest `n` times, a fee `m` times, and a report that differs for the rich.
STATE, INPUTS = {"account": 2, "report": 1}, {"payment": 1}
RICH = 100.0
LANES, PARTS = 4, 2
# Worlds of two parts of a block: none of the first is rich, some of the second are. All numbers are exact in float32.
PAYMENTS = np.array([1, 2, 3, 4, 5, 60, 7, 80], np.float32)
ROUNDS, N, M = 3, 4, 2


def pay(rows: Rows) -> Rows:
    """What the other passes need of the payment."""
    return {"account": [rows["account"][0] + rows["payment"][0], rows["account"][1]], "fee": [rows["payment"][0] * 0.5]}


def grow(rows: Rows) -> Rows:
    """Interest."""
    return {"account": [rows["account"][0] * 1.5, rows["account"][1]]}


def charge(rows: Rows) -> Rows:
    """A fee."""
    return {"account": [rows["account"][0], rows["account"][1] - rows["fee"][0]]}


def report(rows: Rows) -> Rows:
    """The last pass, with its condition."""
    rich = rows["account"][0] > RICH
    return {"account": [where(rich, rows["account"][0] * 0.125, rows["account"][0]), rows["account"][1]],
            "report": [where(rich, rows["report"][0] + rows["account"][1], rows["report"][0])], "rich": [rich]}


SOURCES = (PassSource("pay", pay), PassSource("grow", grow, "n"), PassSource("charge", charge, "m"),
           PassSource("report", report, guard="rich"))


def expected() -> NDArray[np.float32]:
    """The state of every world, (rows, worlds), by arithmetic in plain loops."""
    out = []
    for payment in PAYMENTS.tolist():
        balance, fees, told = 0.0, 0.0, 0.0
        for _ in range(ROUNDS):
            balance = float(np.float32((balance + payment) * 1.5**N))
            fees -= M * 0.5 * payment
            if balance > RICH:
                balance, told = balance / 8, told + fees
        out.append((balance, fees, told))
    return np.array(out, np.float32).T


def started(rows: int) -> NDArray[np.float32]:
    """A block of the worlds at their start."""
    x = np.zeros((rows, LANES * PARTS), np.float32)
    x[3] = PAYMENTS
    return x


def run(program: Program, *counts: int) -> NDArray[np.float32]:
    """The state after the program's rounds in machine code, with its counts N and M where none are given."""
    x = started(len(program.layout))
    numbers = ROUNDS, *(counts or (N, M))
    compiled_program(program, Vectors("float", LANES), PARTS)(x.ctypes.data, *numbers)
    return x[[program.layout[row] for row in program.state]]


def test_passes_run_as_often_as_their_counts_say() -> None:
    assert np.array_equal(run(trace_program(SOURCES, STATE, INPUTS)), expected())


def test_a_guard_saves_work_and_changes_no_bit() -> None:
    program = trace_program(SOURCES, STATE, INPUTS)
    guard = program["report"].guard
    assert guard is not None
    assert guard.otherwise.operations < program["report"].code.operations
    unguarded = replace(program, passes=tuple(replace(one, guard=None) for one in program.passes))
    assert np.array_equal(run(program), run(unguarded))


def test_a_guard_of_a_repeated_pass_is_refused() -> None:
    program = trace_program((SOURCES[0], PassSource("report", report, "n", guard="rich"), SOURCES[2]), STATE, INPUTS)
    with pytest.raises(NotImplementedError, match="pass 'report' has a repeat count and a guard"):
        list(emit_program(program, Vectors("float", LANES)))


def test_a_row_that_no_pass_changes_is_made_once() -> None:
    program = trace_program(SOURCES, STATE, INPUTS)
    assert "fee_0" in program.scratch
    assert "payment_0" not in program["charge"].code.inputs


def test_schedules_of_the_same_passes_do_the_same() -> None:
    layout = Layout()
    for name, size in {**STATE, **INPUTS, "fee": 1}.items():
        layout.add(name, size)
    schedules = {source.name: Schedule() for source in SOURCES}
    for source in SOURCES:
        schedules[source.name].do(source.algorithm, **layout.groups)
    passes = tuple(Pass(source.name, schedules[source.name], source.count) for source in SOURCES)
    x = started(layout.size)[None]
    load_program(ScheduledProgram(passes, {}, 3, layout.size), "float32", LANES * PARTS)(x, ROUNDS, N, M)
    assert np.array_equal(x[0, :3], expected())


def test_a_program_may_end_with_a_repeated_pass() -> None:
    program = trace_program((SOURCES[0], PassSource("charge", charge, "m")), STATE, INPUTS)
    assert np.array_equal(run(program, M)[1], expected()[1])


@pytest.mark.parametrize("design", DESIGNS)
def test_kernels_of_the_same_passes_do_the_same(design: str, cpp_compiler: str) -> None:
    program, gpu = trace_program(SOURCES, STATE, INPUTS), gpu_on_host(HostDriver())
    kernels = LoadedKernels(gpu, emit_kernels(program, "float32", design))
    lanes, size = source_module.LANES, 4
    x = np.zeros((1, len(program.layout), lanes), np.float32)
    x[0, 3, :len(PAYMENTS)] = PAYMENTS
    near, scratch = gpu.allocate(x.nbytes, "x"), gpu.allocate(kernels.source.scratch * lanes * size, "scratch")
    gpu.write(PitchedLines(near.address, x.nbytes), x)
    kernels.run(near, scratch, len(PAYMENTS), ROUNDS, {"n": N, "m": M})
    after = gpu.read(PitchedLines(near.address, x.nbytes), x.shape, "float32")
    assert np.array_equal(after[0, :3, :len(PAYMENTS)], expected())
    assert not after[0, :, len(PAYMENTS):].any()
