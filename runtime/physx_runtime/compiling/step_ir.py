"""A traced step as LLVM IR: vectors as wide as a register, several of them a block, in pieces that registers can hold.

An iteration is one chain of dependent operations. Its body is cut into short pieces, each of which runs for one part of
the block after the other, so that the processor works on the chains of all parts at once. A piece is a basic block:
the compiler neither moves nor keeps loaded values across it, which would only spill them to the stack.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from physx_runtime.compiling.code import Body
from physx_runtime.compiling.program import StepProgram
from physx_runtime.compiling.vector_ir import ATTRIBUTES, BITS, CACHE_LINE, Arithmetic, Vectors, declarations

BODIES = ("begin", "position", "velocity", "finish", "finish_awake")
# Operations in a piece, by measurement on 7 to 27 dofs; what is computed once needs no overlap of parts.
REPEATED_PIECE, SINGLE_PIECE = 32, 100


def emit_step(program: StepProgram, vectors: Vectors, parts: int = 1) -> tuple[str, str]:
    """(symbol, text) of ``void step(ptr block, i64 steps, i64 N, i64 V)`` over one block of worlds.

    The block holds ``len(program.layout)`` rows of `parts` times `lanes` elements. The symbol carries the text's hash:
    numba's cache keys on names, not on text.
    """
    names = BODIES if program.listening else BODIES[:-1]
    bodies = [_emit_body(program, vectors, name, parts) for name in names]
    bodies += [_emit_listening(program, vectors, parts)] if program.listening else []
    others = ["declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
              f"declare i1 @llvm.vector.reduce.or.v{vectors.lanes}i1(<{vectors.lanes} x i1>)"]
    text = "\n".join([*declarations(vectors), *others, *bodies, _driver(program, vectors, parts), ATTRIBUTES])
    symbol = "physx_step_" + hashlib.sha256(text.encode()).hexdigest()[:20]
    for name in (*BODIES, "listening", "step"):
        text = text.replace(f"@{name}(", f"@{symbol if name == 'step' else f'{symbol}_{name}'}(")
    return symbol, text


def _driver(program: StepProgram, vectors: Vectors, parts: int) -> str:
    """The loops of a step; what is computed once runs for one part after the other.

    Scratch rows lie on the stack, where they stay in the cache from block to block. The rows of the next block are
    fetched towards the cache while this one is stepped.
    """
    width, places = vectors.lanes * parts * BITS[vectors.element] // 8, range(parts)
    begin = [f"  call void @begin(ptr %x{part}, ptr %s{part}, i64 1)" for part in places]
    finish = [line for part in places for line in _finish(program, part)]
    block = len(program.layout) * width
    return "\n".join([
        "define void @step(ptr %x, i64 %steps, i64 %n, i64 %v) #1 {", "entry:",
        f"  %s = alloca [{max(1, len(program.scratch)) * width} x i8], align 64",
        *(f"  %{base}{part} = getelementptr {vectors.element}, ptr %{base}, i64 {part * vectors.lanes}"
          for part in places for base in "xs"),
        "  %some = icmp sgt i64 %steps, 0", "  br i1 %some, label %fetch, label %done", "fetch:",
        "  %at = phi i64 [ 0, %entry ], [ %beyond, %fetch ]", f"  %ahead = add i64 %at, {block}",
        "  %line = getelementptr i8, ptr %x, i64 %ahead",
        "  call void @llvm.prefetch.p0(ptr %line, i32 0, i32 2, i32 1)",
        f"  %beyond = add i64 %at, {CACHE_LINE}", f"  %far = icmp slt i64 %beyond, {block}",
        "  br i1 %far, label %fetch, label %loop", "loop:", "  %i = phi i64 [ 0, %fetch ], [ %next, %ended ]",
        *begin, "  call void @position(ptr %x, ptr %s, i64 %n)",
        "  call void @velocity(ptr %x, ptr %s, i64 %v)", *finish, "  br label %ended",
        "ended:", "  %next = add i64 %i, 1",
        "  %more = icmp slt i64 %next, %steps", "  br i1 %more, label %loop, label %done",
        "done:", "  ret void", "}", ""])


def _finish(program: StepProgram, part: int) -> list[str]:
    """The end of a step for one part: only counting down where no lane listens."""
    call = [f"  call void @{name}(ptr %x{part}, ptr %s{part}, i64 1)" for name in ("finish", "finish_awake")]
    if not program.listening:
        return call[:1]
    return [f"  %w{part} = call i1 @listening(ptr %x{part}, ptr %s{part})",
            f"  br i1 %w{part}, label %whole{part}, label %awake{part}",
            f"whole{part}:", call[0], f"  br label %after{part}",
            f"awake{part}:", call[1], f"  br label %after{part}", f"after{part}:"]


def _emit_body(program: StepProgram, vectors: Vectors, name: str, parts: int) -> str:
    """One body in a counted loop."""
    body: Body = getattr(program, name)
    single, whole = name not in ("position", "velocity"), program.finish if name == "finish_awake" else None
    lines = [f"define internal void @{name}(ptr %x, ptr %s, i64 %count) #1 {{", "entry:",
             "  %some = icmp sgt i64 %count, 0", "  br i1 %some, label %start, label %done", "start:"]
    emitters = [_Part(vectors, body, part, whole) for part in range(1 if single else parts)]
    for emitter in emitters:
        lines += _pointers(program, emitter, parts)
    lines += ["  br label %loop", "loop:", "  %i = phi i64 [ 0, %start ], [ %next, %last ]"]
    pieces = _pieces(emitters[0], SINGLE_PIECE if single else REPEATED_PIECE)
    stores = _stores(emitters[0], pieces)
    for i, piece in enumerate(pieces):
        for emitter in emitters:
            last = i == len(pieces) - 1 and emitter is emitters[-1]
            label = "last" if last else f"piece{i}.{emitter.part}"
            lines += [*emitter.piece(i, piece, stores.get(i, [])), f"  br i1 %some, label %{label}, label %done",
                      f"{label}:"]
    lines += ["  %next = add i64 %i, 1", "  %more = icmp slt i64 %next, %count",
              "  br i1 %more, label %loop, label %done", "done:", "  ret void", "}", ""]
    return "\n".join(lines)


def _emit_listening(program: StepProgram, vectors: Vectors, parts: int) -> str:
    """Whether any lane of a part needs all of `finish`."""
    conditions = program.listening
    body = Body(program.finish.nodes, program.finish.origins, (), tuple((f"{n}", n) for n in conditions))
    body = body.pruned({row for row, _ in body.outputs})
    emitter, flags = _Part(vectors, body, 0, program.finish), f"<{vectors.lanes} x i1>"
    nodes = [n for piece in _pieces(emitter, SINGLE_PIECE) for n in piece]
    lines = ["define internal i1 @listening(ptr %x, ptr %s) #1 {", "entry:", *_pointers(program, emitter, parts),
             *emitter.piece(0, nodes, []), f"  %any0 = or {flags} splat (i1 false), splat (i1 false)"]
    lines += [f"  %any{i} = or {flags} %any{i - 1}, {emitter.operand(n)}" for i, n in enumerate(conditions, 1)]
    return "\n".join([*lines, f"  %found = call i1 @llvm.vector.reduce.or.v{vectors.lanes}i1({flags} "
                              f"%any{len(conditions)})", "  ret i1 %found", "}", ""])


def _pointers(program: StepProgram, emitter: _Part, parts: int) -> list[str]:
    """The addresses of the rows that a body reads and writes."""
    lines, vectors = [], emitter.vectors
    for row in dict.fromkeys([*emitter.body.inputs, *(row for row, _ in emitter.body.outputs)]):
        if row in program.scratch or row in program.layout:
            base, at = ("%s", program.scratch[row]) if row in program.scratch else ("%x", program.layout[row])
            place = (at * parts + emitter.part) * vectors.lanes
            lines.append(f"  {emitter.pointer(row)} = getelementptr {vectors.element}, ptr {base}, i64 {place}")
    return lines


def _pieces(emitter: _Part, size: int) -> list[list[int]]:
    """The nodes that become instructions, `size` of them a piece."""
    absorbed = set(emitter.fused.values())
    nodes = [n for n in emitter.body.order
             if emitter.body.nodes[n][0] not in ("input", "const") and n not in absorbed]
    return [nodes[i:i + size] for i in range(0, len(nodes), size)] or [[]]


def _stores(emitter: _Part, pieces: Sequence[Sequence[int]]) -> Mapping[int, list[tuple[str, int]]]:
    """Piece -> rows to store at its end: as soon as the new value is there and nothing needs the old one."""
    body = emitter.body
    made = {n: i for i, piece in enumerate(pieces) for n in piece}
    needed: dict[str, int] = {}         # row -> the last piece that loads it
    for n, i in made.items():
        for a in emitter.operands(n):
            if body.nodes[a][0] == "input":
                needed[str(body.nodes[a][1][0])] = i
    copies = [(row, str(body.nodes[n][1][0])) for row, n in body.outputs if body.nodes[n][0] == "input"]
    for _ in copies:                    # a copy loads its source when it is stored; a chain of them settles
        for row, source in copies:
            needed[source] = max(needed.get(source, 0), needed.get(row, 0))
    stores: dict[int, list[tuple[str, int]]] = {}
    for row, n in body.outputs:
        stores.setdefault(max(made.get(n, 0), needed.get(row, 0)), []).append((row, n))
    return stores


class _Part(Arithmetic):
    """The arithmetic of one part of a block: every piece loads the rows that it needs."""

    def __init__(self, vectors: Vectors, body: Body, part: int, whole: Body | None = None) -> None:
        super().__init__(vectors, body, [], whole)
        self.part, self.tag = part, f"{part}."
        self._piece = 0
        self._loads: dict[str, str] = {}        # a loaded value's name -> the line that loads it

    def pointer(self, row: str) -> str:
        """The name of a row's address."""
        return f"%p{self.tag}{row}"

    def operand(self, n: int) -> str:
        if self.body.nodes[n][0] != "input":
            return super().operand(n)
        name, row = f"%l{self.tag}{self._piece}.{n}", str(self.body.nodes[n][1][0])
        self._loads.setdefault(name, f"  {name} = load {self.vectors.type}, {self._address(row)}")
        return name

    def operands(self, n: int) -> list[int]:
        """What a node's instruction reads, an absorbed product's factors among it."""
        found: list[int] = []
        for a in self.body.arguments(n):
            found += self.body.arguments(a) if self.fused.get(n) == a else (a,)
        return found

    def piece(self, number: int, nodes: Sequence[int], stores: Sequence[tuple[str, int]]) -> list[str]:
        """The instructions of one piece; rows are stored after everything is loaded."""
        self._piece, self._loads = number, {}
        lines: list[str] = []
        for n in nodes:
            loaded = len(self._loads)
            own = self._operation(n, self.body.nodes[n][0], list(self.body.arguments(n)))
            lines += [*list(self._loads.values())[loaded:], *own]
        loaded = len(self._loads)
        values = [self.operand(n) for _, n in stores]
        lines += list(self._loads.values())[loaded:]
        return lines + [f"  store {self.vectors.type} {value}, {self._address(row)}"
                        for value, (row, _) in zip(values, stores, strict=True)]

    def _address(self, row: str) -> str:
        # element alignment: numpy promises no more for the caller's memory
        return f"ptr {self.pointer(row)}, align {BITS[self.vectors.element] // 8}"
