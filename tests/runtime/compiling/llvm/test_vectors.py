"""The machine code of a step: packed operations only, registers of the processor's width, little on the stack."""

from __future__ import annotations

import re
from dataclasses import replace

import llvmlite.binding as llvm
import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime.compiling.code import Code
from physx_runtime.compiling.llvm.vectors import Arithmetic, Vectors
from physx_runtime.compiling.passes import fused_products
from physx_runtime.language.ops import where
from physx_runtime.language.symbols import Graph
from physx_runtime.model.topology import DofTopology, FixedTendonTopology, LinkTopology, Topology
from physx_runtime.solver.program import step_program
from support.chance.packed_models import Rows, random_tree
from support.compiled_program import assembly_of, compiled_program

# Processors of each instruction set: LLVM's name, bits of a register, how its registers are called.
AVX512, AVX2 = ("skylake-avx512", 512, "zmm"), ("haswell", 256, "ymm")
HALF = {"zmm": "ymm", "ymm": "xmm"}      # which hold float64's worlds where PhysX rounds them to float32
ELEMENTS = {"float": 32, "double": 64}
PARTS = 2
SCALAR = re.compile(r"\tv?(?:fn?m(?:add|sub)\d+|add|sub|mul|div|sqrt|max|min|round|rndscale|u?comi)s[sd]\b")
# Of the instructions of an iteration; a whole block in one piece spilled a fifth.
MOST_SPILLS = 0.06


def arm() -> Topology:
    """Seven joints, each with everything that acts on one dof."""
    links = (LinkTopology(-1, "root"), *(LinkTopology(i, "revolute") for i in range(7)))
    dofs = tuple(DofTopology(i + 1, "force", friction=True, limit=True, max_velocity=True) for i in range(7))
    return Topology(True, True, links, dofs)


def finger() -> Topology:
    """Three joints under a fixed tendon and a mimic joint."""
    links = (LinkTopology(-1, "root"), *(LinkTopology(i, "revolute") for i in range(3)))
    dofs = tuple(DofTopology(i + 1, "force", limit=True) for i in range(3))
    return Topology(True, True, links, dofs, (FixedTendonTopology((0, 1, 2)),), mimics=((2, 1),))


def ant() -> Topology:
    """A floating body on four legs of two joints with limits."""
    links = (LinkTopology(-1, "root"), *(LinkTopology(i if i % 2 else 0, "revolute") for i in range(8)))
    return Topology(False, True, links, tuple(DofTopology(i + 1, limit=True) for i in range(8)))


ROBOTS = {"arm": arm, "finger": finger, "ant": ant}


def iteration(code: str) -> list[str]:
    """The instructions of the position iteration."""
    body = code[code.index("_position:"):]
    body = body[:body.index(".Lfunc_end")]
    return [line for line in body.splitlines() if line.startswith("\t") and not line.startswith("\t.")]


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("target", [AVX512, AVX2], ids=["avx512", "avx2"])
@pytest.mark.parametrize("robot", ROBOTS)
def test_an_iteration_is_packed_operations_on_whole_registers(robot: str, target: tuple[str, int, str],
                                                              element: str) -> None:
    cpu, bits, register = target
    vectors = Vectors(element, bits // ELEMENTS[element])
    lines = iteration(assembly_of(step_program(ROBOTS[robot]()), vectors, PARTS, cpu))
    packed = [line for line in lines if re.match(r"\tv(fn?m(add|sub)\d+|add|sub|mul|max|min)p", line)]
    assert len(packed) > 0.3 * len(lines)
    whole = {"ps" if element == "float" else "pd": register}
    assert all(whole.get(line.split()[0][-2:], HALF[register]) in line for line in packed)
    assert not [line for line in lines if SCALAR.match(line)]
    assert not [line for line in lines if re.match(r"\t(call|v?(gather|extract|insert))", line)]


@pytest.mark.parametrize("element", ELEMENTS)
def test_an_iteration_of_an_arm_stays_in_registers(element: str) -> None:
    cpu, bits, register = AVX512
    lines = iteration(assembly_of(step_program(arm()), Vectors(element, bits // ELEMENTS[element]), PARTS, cpu))
    spilled = [line for line in lines if re.match(rf"\tvmov\w+\t%{register}\d+, .*\(%rsp\)", line)]
    assert len(spilled) < MOST_SPILLS * len(lines)


def stepped(t: Topology, rows: Rows, element: str, lanes: int, parts: int, cpu: str) -> NDArray[np.float64]:
    """State rows of the first world after one step of code for a processor."""
    program, dtype = step_program(t), {"float": np.float32, "double": np.float64}[element]
    x = np.zeros((len(program.layout), lanes * parts), dtype)
    for name, values in rows.items():
        for i, value in enumerate(values):
            x[program.layout[f"{name}_{i}"]] = value
    compiled_program(program, Vectors(element, lanes), parts, cpu)(x.ctypes.data, 1, 4, 1)
    assert (x[:, :1] == x).all(), "worlds alike came out different"
    return x[[program.layout[row] for row in program.state], 0]


@pytest.mark.skipif(not llvm.get_host_cpu_features().get("avx512f"), reason="this machine has no AVX-512")
@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("element", ELEMENTS)
def test_avx2_and_avx512_code_of_every_width_give_the_same_bits(element: str, floating: bool) -> None:
    t, rows = random_tree(11, floating=floating)
    wide = 512 // ELEMENTS[element]
    first = stepped(t, rows, element, wide, 2, AVX512[0])
    for lanes, parts, cpu in ((wide, 1, AVX512[0]), (wide // 2, 2, AVX2[0]), (wide // 2, 4, AVX512[0])):
        assert np.array_equal(first, stepped(t, rows, element, lanes, parts, cpu))


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("element", ELEMENTS)
def test_a_world_that_falls_asleep_changes_no_bit_of_one_that_does_not(element: str, floating: bool) -> None:
    t, rows = random_tree(11, floating=floating)
    t, dtype, lanes = replace(t, sleeping=True), {"float": np.float32, "double": np.float64}[element], 4
    program = step_program(t)
    assert program["end"].guard.otherwise.operations < program["end"].code.operations
    step = compiled_program(program, Vectors(element, lanes), PARTS)
    ends = []
    for counter in (0.4, 0.1):          # of the other worlds: only counted down, and added up
        x = np.zeros((len(program.layout), lanes * PARTS), dtype)
        for name, values in {**rows, "sleep_threshold": [5e-5]}.items():
            for i, value in enumerate(values):
                x[program.layout[f"{name}_{i}"]] = value
        counters = [row for name, row in program.layout.items() if name.startswith("wake_counter")]
        x[counters] = counter
        x[counters, 0] = 0.4
        step(x.ctypes.data, 3, 4, 1)
        ends.append(x[[program.layout[row] for row in program.state]])
    assert np.array_equal(ends[0][:, 0], ends[1][:, 0])
    assert not np.array_equal(ends[1][:, 0], ends[1][:, 1])


def test_a_part_of_a_body_rounds_as_the_whole_of_it() -> None:
    graph = Graph()
    a, b, c = (graph.input(row) for row in ("a_0", "b_0", "c_0"))
    product, condition = a * b, a < c
    outputs = (("x_0", (product + c).number), ("y_0", where(condition, product, c).number))
    whole = Code(tuple(graph.nodes), tuple(graph.origins), tuple(range(len(graph.nodes))), outputs)
    part, vectors = whole.assume_false([condition.number]), Vectors("float", 4)
    assert Arithmetic(vectors, part, []).fused      # by itself it would become one operation
    assert not Arithmetic(vectors, part, [], fused_products(whole)).fused


def test_rows_that_are_alike_are_kept_once_and_what_stays_the_same_is_computed_once() -> None:
    program = step_program(arm())
    loaded = [row for row in program["position"].code.inputs if row.startswith("minv_")]
    assert len(loaded) == 7 * 8 // 2
    ops = [program["position"].code.nodes[n][0] for n in program["position"].code.order]
    assert "div" not in ops


def test_a_steps_scratch_is_no_part_of_the_buffer() -> None:
    program = step_program(arm())
    assert not set(program.layout) & set(program.scratch)
    assert {row for row, _ in program["start"].code.outputs} - set(program.state) == set(program.scratch)
