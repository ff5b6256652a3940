"""A fragment as LLVM IR on explicit vectors: a function of a block and of the operands of one instruction."""

from __future__ import annotations

import hashlib

from physx_runtime.compiling.branch_ir import Branching
from physx_runtime.compiling.fragment import IF_ZERO, UNLESS_ZERO, Fragment
from physx_runtime.compiling.vector_ir import ATTRIBUTES, ELEMENT_BITS, Arithmetic, Vectors, declarations


def emit_fragment(fragment: Fragment, vectors: Vectors) -> tuple[str, str]:
    """(symbol, text) of ``ptr fragment(ptr block, ptr operands)``, which returns where the next instruction starts.

    Operands are byte offsets into the block, in the fragment's order, after the count of a counted one.
    """
    if fragment in (UNLESS_ZERO, IF_ZERO):
        lines = _skipping(fragment, vectors)
    else:
        lines = _counted(fragment, vectors) if fragment.counted else _straight(fragment, vectors)
    text = "\n".join([*declarations(vectors), "define ptr @fragment(ptr %x, ptr %ops) #0 {", "entry:", *lines, "}",
                      ATTRIBUTES])
    symbol = "physx_fragment_" + hashlib.sha256(text.encode()).hexdigest()[:20]
    return symbol, text.replace("@fragment(", f"@{symbol}(")


def _bases(fragment: Fragment, prefix: str) -> list[str]:
    """Pointers to the operands' first rows."""
    lines = []
    for i, operand in enumerate(fragment.operands):
        lines += [f"  %o.{i} = getelementptr i64, ptr %ops, i64 {i + fragment.counted}",
                  f"  %f.{i} = load i64, ptr %o.{i}",
                  f"  %{prefix if operand.moving else 'b'}.{operand.name} = getelementptr i8, ptr %x, i64 %f.{i}"]
    return lines


def _rows(fragment: Fragment, vectors: Vectors, moving: bool) -> list[str]:
    """Pointers to the single rows of operands."""
    touched = {*fragment.code.inputs, *(row for row, _ in fragment.code.outputs)}
    return [f"  %p.{x.name}_{i} = getelementptr {vectors.element}, ptr %b.{x.name}, i64 {i * vectors.lanes}"
            for x in fragment.operands if x.moving == moving for i in range(x.size) if f"{x.name}_{i}" in touched]


def _store(vectors: Vectors, emitter: Arithmetic, row: str, n: int) -> str:
    return f"  store {vectors.type} {emitter.operand(n)}, ptr %p.{row}, align {ELEMENT_BITS[vectors.element] // 8}"


def _end(fragment: Fragment) -> list[str]:
    return [f"  %following = getelementptr i64, ptr %ops, i64 {len(fragment.operands) + fragment.counted}",
            "  ret ptr %following"]


def _straight(fragment: Fragment, vectors: Vectors) -> list[str]:
    emitter = Branching(vectors, fragment.code)
    return [*_bases(fragment, "b"), *_rows(fragment, vectors, False), *emitter.lines(),
            *(_store(vectors, emitter, row, n) for row, n in fragment.code.outputs), *_end(fragment)]


def _counted(fragment: Fragment, vectors: Vectors) -> list[str]:
    """The same in a loop; rows that stay are loaded before it, and stored after it where they change."""
    code, outputs = fragment.code, dict(fragment.code.outputs)
    steady = {f"{x.name}_{i}" for x in fragment.operands if not x.moving for i in range(x.size)}
    held = [row for row in code.inputs if row in steady]
    emitter = Arithmetic(vectors, code, held)
    arithmetic = emitter.lines()
    lines = ["  %count = load i64, ptr %ops", *_bases(fragment, "s"), *_rows(fragment, vectors, False)]
    for row in held:
        name = "first" if row in outputs else "r"
        lines.append(f"  %{name}.{row} = load {vectors.type}, ptr %p.{row}, align {ELEMENT_BITS[vectors.element] // 8}")
    lines += ["  br label %loop", "loop:", "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]"]
    moving = [x for x in fragment.operands if x.moving]
    lines += [f"  %b.{x.name} = phi ptr [ %s.{x.name}, %entry ], [ %n.{x.name}, %loop ]" for x in moving]
    lines += [f"  %r.{row} = phi {vectors.type} [ %first.{row}, %entry ], [ {emitter.operand(outputs[row])}, %loop ]"
              for row in held if row in outputs]
    lines += [*_rows(fragment, vectors, True), *arithmetic]
    lines += [_store(vectors, emitter, row, n) for row, n in code.outputs if row not in steady]
    lines += [f"  %n.{x.name} = getelementptr {vectors.element}, ptr %b.{x.name}, i64 {x.size * vectors.lanes}"
              for x in moving]
    lines += ["  %next = add i64 %i, 1", "  %more = icmp slt i64 %next, %count",
              "  br i1 %more, label %loop, label %done", "done:"]
    return lines + [_store(vectors, emitter, row, n) for row, n in code.outputs if row in steady] + _end(fragment)


def _skipping(fragment: Fragment, vectors: Vectors) -> list[str]:
    """Where the next instruction starts by a flag: here, or so many words behind."""
    ways = ("%behind", "%here") if fragment is IF_ZERO else ("%here", "%behind")
    return ["  %count = load i64, ptr %ops", *_bases(fragment, "b"),
            f"  %flags = load {vectors.type}, ptr %b.flag, align {ELEMENT_BITS[vectors.element] // 8}",
            f"  %set = fcmp une {vectors.type} %flags, zeroinitializer",
            f"  %bits = bitcast <{vectors.lanes} x i1> %set to i{vectors.lanes}",
            f"  %any = icmp ne i{vectors.lanes} %bits, 0",
            "  %here = getelementptr i64, ptr %ops, i64 2", "  %behind = getelementptr i64, ptr %here, i64 %count",
            f"  %following = select i1 %any, ptr {ways[0]}, ptr {ways[1]}", "  ret ptr %following"]
