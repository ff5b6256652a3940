"""Programs in machine code, without worlds around them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from physx_runtime.compiling.llvm import machine_code
from physx_runtime.compiling.llvm.programs import emit_program
from physx_runtime.compiling.llvm.vectors import Vectors
from physx_runtime.compiling.program import Program


def compiled_program(program: Program, vectors: Vectors, parts: int,
                     cpu: str = machine_code.HOST) -> Callable[..., None]:
    """A program as a function of a block's address, the number of rounds and the counts."""
    functions = dict(emit_program(program, vectors, parts))
    address = machine_code.load_functions(functions, cpu)[list(functions)[-1]]

    def run(block: int, *numbers: int) -> None:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * len(numbers))(address)(block, *numbers)

    return run


def text_of(program: Program, vectors: Vectors, parts: int = 1) -> str:
    """The IR of all its functions, one after the other: to be read, not to be compiled."""
    return "\n".join(text for _, text in emit_program(program, vectors, parts))


def assembly_of(program: Program, vectors: Vectors, parts: int = 1, cpu: str = machine_code.HOST) -> str:
    """The assembly of all its functions."""
    return "\n".join(machine_code.assembly(text, cpu) for _, text in emit_program(program, vectors, parts))
