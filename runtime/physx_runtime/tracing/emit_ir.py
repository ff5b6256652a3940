"""A traced step as LLVM IR on explicit vectors: every value is a vector over the worlds of a block.

No fast-math flags and explicit fma, so a world's bits depend neither on the vector width nor on its neighbours.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass

from physx_runtime.tracing.body import Body, by_equation
from physx_runtime.tracing.program import StepProgram

BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
BODIES = ("begin", "position", "velocity", "finish")
BITS = {"float": 32, "double": 64}


@dataclass(frozen=True, slots=True)
class Vectors:
    """Element type ("float" | "double") and number of worlds in a vector."""

    element: str
    lanes: int

    @property
    def type(self) -> str:
        """LLVM's name of the vector type."""
        return f"<{self.lanes} x {self.element}>"

    @property
    def suffix(self) -> str:
        """Ending of the vector intrinsics' names."""
        return f"v{self.lanes}f{BITS[self.element]}"

    def literal(self, value: float) -> str:
        """A constant in every lane, exactly as the element type rounds it."""
        if self.element == "float":
            value = struct.unpack("f", struct.pack("f", value))[0]
        return f"splat ({self.element} 0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X})"


def emit_step(program: StepProgram, vectors: Vectors) -> tuple[str, str]:
    """(symbol, text) of ``void step(ptr block, i64 steps, i64 N, i64 V)`` over one block of worlds.

    The block holds ``len(layout)`` rows of `lanes` elements. The symbol carries the text's hash: numba's cache keys on
    names, not on text.
    """
    bodies = [_emit_body(program, vectors, name, getattr(program, name)) for name in BODIES]
    declarations = [f"declare {vectors.type} @llvm.fma.{vectors.suffix}({', '.join([vectors.type] * 3)})"]
    declarations += [f"declare {vectors.type} @llvm.{name}.{vectors.suffix}({vectors.type})"
                     for name in ("sqrt", "floor", "fabs")]
    text = "\n".join([*declarations, *bodies, DRIVER, ATTRIBUTES])
    symbol = "physx_step_" + hashlib.sha256(text.encode()).hexdigest()[:20]
    for name in (*BODIES, "step"):
        text = text.replace(f"@{name}(", f"@{symbol if name == 'step' else f'{symbol}_{name}'}(")
    return symbol, text


ATTRIBUTES = """
attributes #0 = { nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512" }
attributes #1 = { nounwind noinline "prefer-vector-width"="512" "min-legal-vector-width"="512" }
"""

# The loops of a step; the iteration bodies hold their own loop.
DRIVER = """
define void @step(ptr %x, i64 %steps, i64 %n, i64 %v) #0 {
entry:
  %some = icmp sgt i64 %steps, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @begin(ptr %x, i64 1)
  call void @position(ptr %x, i64 %n)
  call void @velocity(ptr %x, i64 %v)
  call void @finish(ptr %x, i64 1)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %steps
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""


def _emit_body(program: StepProgram, vectors: Vectors, name: str, body: Body) -> str:
    """One body in a counted loop; rows that it both reads and writes are carried in registers."""
    outputs = dict(body.outputs)
    carried = [row for row in body.inputs if row in outputs]
    lines = [f"define internal void @{name}(ptr %x, i64 %count) #1 {{", "entry:",
             "  %some = icmp sgt i64 %count, 0", "  br i1 %some, label %start, label %done", "start:"]
    for row in (*body.inputs, *(row for row in outputs if row not in carried)):
        lines.append(f"  %p.{row} = getelementptr {vectors.element}, ptr %x, i64 {program.layout[row] * vectors.lanes}")
    lines += [f"  %first.{row} = {_load(vectors, row)}" for row in carried]
    lines += ["  br label %loop", "loop:", "  %i = phi i64 [ 0, %start ], [ %next, %loop ]"]
    emitter = Arithmetic(vectors, body, carried)
    values = emitter.lines()
    for row in carried:
        last = emitter.operand(outputs[row])
        lines.append(f"  %r.{row} = phi {vectors.type} [ %first.{row}, %start ], [ {last}, %loop ]")
    lines += values
    lines += ["  %next = add i64 %i, 1", "  %more = icmp slt i64 %next, %count",
              "  br i1 %more, label %loop, label %store", "store:"]
    lines += [f"  store {vectors.type} {emitter.operand(n)}, ptr %p.{row}, align {BITS[vectors.element] // 8}"
              for row, n in body.outputs]
    lines += ["  br label %done", "done:", "  ret void", "}", ""]
    return "\n".join(lines)


def _load(vectors: Vectors, row: str) -> str:
    # element alignment: numpy promises no more for the caller's memory
    return f"load {vectors.type}, ptr %p.{row}, align {BITS[vectors.element] // 8}"


class Arithmetic:
    """Lines for the nodes of a body; a product used once, by a sum, becomes part of an fma."""

    def __init__(self, vectors: Vectors, body: Body, carried: list[str]) -> None:
        self.vectors, self.body, self.carried = vectors, body, set(carried)
        self.users: dict[int, int] = {}
        for n in body.order:
            op, args = body.nodes[n]
            if op not in ("input", "const"):
                for a in args:
                    self.users[int(a)] = self.users.get(int(a), 0) + 1      # type: ignore[call-overload]
        for _, n in body.outputs:
            self.users[n] = self.users.get(n, 0) + 1
        self.fused = self._choose_fused()

    def _choose_fused(self) -> dict[int, int]:
        """Sum -> the product it absorbs."""
        fused: dict[int, int] = {}
        for n in self.body.order:
            op, args = self.body.nodes[n]
            if op in ("add", "sub"):
                for a in reversed([int(x) for x in args]):      # type: ignore[call-overload]
                    if self.body.nodes[a][0] == "mul" and self.users[a] == 1:
                        fused[n] = a
                        break
        return fused

    def operand(self, n: int) -> str:
        op, args = self.body.nodes[n]
        if op == "const":
            return self.vectors.literal(float(args[0]))     # type: ignore[arg-type]
        return f"%r.{args[0]}" if op == "input" and args[0] in self.carried else f"%t{n}"

    def lines(self) -> list[str]:
        absorbed = set(self.fused.values())
        lines: list[str] = []
        for n, equation in by_equation(self.body):
            op, args = self.body.nodes[n]
            if equation:
                lines.append(f"  ; {equation}")
            if op == "input":
                if args[0] not in self.carried:
                    lines.append(f"  %t{n} = {_load(self.vectors, str(args[0]))}")
            elif op != "const" and n not in absorbed:
                lines += self._operation(n, op, [int(a) for a in args])     # type: ignore[call-overload]
        return lines

    def _operation(self, n: int, op: str, args: list[int]) -> list[str]:
        kind, x = self.vectors.type, [self.operand(a) for a in args]
        if n in self.fused:
            return self._fma(n, op, args)
        if op in BINARY:
            return [f"  %t{n} = {BINARY[op]} {kind} {x[0]}, {x[1]}"]
        if op == "neg":
            return [f"  %t{n} = fneg {kind} {x[0]}"]
        if op in ("sqrt", "floor", "abs"):
            name = "fabs" if op == "abs" else op
            return [f"  %t{n} = call {kind} @llvm.{name}.{self.vectors.suffix}({kind} {x[0]})"]
        flags = f"<{self.vectors.lanes} x i1>"
        if op in ("lt", "le", "eq"):
            return [f"  %t{n} = fcmp o{op} {kind} {x[0]}, {x[1]}"]
        if op in ("and", "or"):
            return [f"  %t{n} = {op} {flags} {x[0]}, {x[1]}"]
        if op == "not":
            return [f"  %t{n} = xor {flags} {x[0]}, splat (i1 true)"]
        if op == "select":
            return [f"  %t{n} = select {flags} {x[0]}, {kind} {x[1]}, {kind} {x[2]}"]
        raise NotImplementedError(f"operation {op} has no vector form")

    def _fma(self, n: int, op: str, args: list[int]) -> list[str]:
        """a b + c, a b - c or c - a b in one rounding."""
        product = self.fused[n]
        other = args[0] if args[1] == product else args[1]
        a, b = (self.operand(int(m)) for m in self.body.nodes[product][1])      # type: ignore[call-overload]
        c, kind, lines = self.operand(other), self.vectors.type, []
        if op == "sub":
            negated = a if args[1] == product else c
            lines.append(f"  %n{n} = fneg {kind} {negated}")
            a, c = (f"%n{n}", c) if args[1] == product else (a, f"%n{n}")
        lines.append(f"  %t{n} = call {kind} @llvm.fma.{self.vectors.suffix}({kind} {a}, {kind} {b}, {kind} {c})")
        return lines
