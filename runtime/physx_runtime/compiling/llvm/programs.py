"""Lowers programs and fragments to LLVM IR on explicit vectors: `emit_program`, `emit_fragment`,
`emit_gather_fragment`. A block is several vectors wide, each as wide as a register; a vector is one part of the block.

A repeated pass is one chain of dependent operations. Its code is cut into short spans, each of which runs for all parts
of the block in turn. The processor thus overlaps the chains of all parts. A span is a basic block, so LLVM carries no
loaded value across it, which would be spilled. Rare branches (passes.py) are skipped where no world of a register needs
them.

A gather fragment works on items stored lane by lane, such as contact patches, and on bodies stored anywhere. The rows
of the items are laid out as those of a block of worlds. Each lane has its own address for what it gathers and scatters;
shared operands have one row for all lanes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from physx_runtime.compiling.code import Code, RowScalar, row_of
from physx_runtime.compiling.llvm.vectors import (
    ATTRIBUTES,
    CACHE_LINE,
    ELEMENT_BITS,
    Arithmetic,
    Branching,
    Vectors,
    declarations,
)
from physx_runtime.compiling.passes import (
    RareBranch,
    find_branch_stores,
    fused_products,
    group_rare_branches,
    operands,
    stores_by_span,
)
from physx_runtime.compiling.program import Guard, Pass, Program, counts_of
from physx_runtime.compiling.schedule import IF_ZERO, UNLESS_ZERO, Fragment

# Operations in a span, by measurement: of repeated passes for each register of a block; of passes that run once,
# which need no overlap of parts.
REPEATED_SPAN_SIZE, SINGLE_SPAN_SIZE = 16, 100


def emit_program(program: Program, vectors: Vectors, parts: int = 1) -> Iterator[tuple[str, str]]:
    """(symbol, text) of every function, each a module of its own, so that several can be compiled at a time.

    The last is ``void program(ptr block, i64 rounds, i64 ...)``: `rounds` rounds, each with these counts. The block
    holds ``len(program.layout)`` rows of `parts` times `lanes` elements. A symbol carries its text's hash: caches key
    on names, not on text.
    """
    symbols: dict[str, str] = {}
    for name, text in _functions(program, vectors, parts):
        symbols[name], text = _module(name, text, vectors, f"_{name}")
        yield symbols[name], text
    text = _driver(program, vectors, parts)
    for name, symbol in symbols.items():
        text = text.replace(f"@{name}(", f"@{symbol}(")
    yield _module("program", text, vectors)


def _module(name: str, text: str, vectors: Vectors, suffix: str = "") -> tuple[str, str]:
    """(symbol, text) of the module of a function. suffix: the end of its symbol."""
    intrinsics = ["declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
                  f"declare i1 @llvm.vector.reduce.or.v{vectors.lanes}i1(<{vectors.lanes} x i1>)"]
    text = "\n".join([*declarations(vectors), *intrinsics, text, ATTRIBUTES])
    symbol = f"physx_program_{hashlib.sha256(text.encode()).hexdigest()[:20]}{suffix}"
    return symbol, text.replace(f"@{name}(", f"@{symbol}(")


def _functions(program: Program, vectors: Vectors, parts: int) -> Iterator[tuple[str, str]]:
    """(name, text) of the functions that the passes run."""
    for pass_ in program.passes:
        fused = fused_products(pass_.code)
        yield pass_.name, _emit_code(program, vectors, parts, pass_.name, pass_.code, fused, pass_.count)
        if pass_.guard:
            if pass_.count:
                raise NotImplementedError(f"pass {pass_.name!r} has a repeat count and a guard; a pass can have only "
                                          "one of these")
            other = f"{pass_.name}_otherwise"
            yield other, _emit_code(program, vectors, parts, other, pass_.guard.otherwise, fused, "")
            yield f"{pass_.name}_guard", _emit_guard(program, vectors, parts, pass_, pass_.guard, fused)


def _driver(program: Program, vectors: Vectors, parts: int) -> str:
    """The function that runs the rounds of a program; passes without repetition run for one part after the other.

    Scratch rows are on the stack and stay in the cache from block to block. The rows of the next block are prefetched
    while this one is computed.
    """
    width, part_indices = vectors.lanes * parts * ELEMENT_BITS[vectors.element] // 8, range(parts)
    block = len(program.layout) * width
    return "\n".join([
        *(line for pass_ in program.passes for line in _pass_declarations(pass_)),
        f"define void @program({', '.join(['ptr %x', 'i64 %rounds', *_counts(program)])}) #1 {{", "entry:",
        f"  %s = alloca [{max(1, len(program.scratch)) * width} x i8], align 64",
        *(f"  %{base}{part} = getelementptr {vectors.element}, ptr %{base}, i64 {part * vectors.lanes}"
          for part in part_indices for base in "xs"),
        "  %some = icmp sgt i64 %rounds, 0", "  br i1 %some, label %fetch, label %done", "fetch:",
        "  %at = phi i64 [ 0, %entry ], [ %beyond, %fetch ]", f"  %ahead = add i64 %at, {block}",
        "  %line = getelementptr i8, ptr %x, i64 %ahead",
        "  call void @llvm.prefetch.p0(ptr %line, i32 0, i32 2, i32 1)",
        f"  %beyond = add i64 %at, {CACHE_LINE}", f"  %far = icmp slt i64 %beyond, {block}",
        "  br i1 %far, label %fetch, label %loop", "loop:", "  %i = phi i64 [ 0, %fetch ], [ %next, %ended ]",
        *(line for pass_ in program.passes for line in _pass_calls(pass_, parts)), "  br label %ended",
        "ended:", "  %next = add i64 %i, 1",
        "  %more = icmp slt i64 %next, %rounds", "  br i1 %more, label %loop, label %done",
        "done:", "  ret void", "}", ""])


def _counts(program: Program) -> list[str]:
    return [f"i64 %{count}" for count in counts_of(program.passes)]


def _pass_declarations(pass_: Pass[Code]) -> list[str]:
    """The functions that `_calls` calls."""
    guard_declarations = [f"declare void @{pass_.name}_otherwise(ptr, ptr, i64)",
                          f"declare i1 @{pass_.name}_guard(ptr, ptr)"]
    return [f"declare void @{pass_.name}(ptr, ptr, i64)", *(guard_declarations if pass_.guard else [])]


def _pass_calls(pass_: Pass[Code], parts: int) -> list[str]:
    """The calls of a pass: for all parts at once where it is repeated, for each as its guard says where it is not."""
    if pass_.count:
        return [f"  call void @{pass_.name}(ptr %x, ptr %s, i64 %{pass_.count})"]
    lines = []
    for part in range(parts):
        call, other = (f"  call void @{name}(ptr %x{part}, ptr %s{part}, i64 1)"
                       for name in (pass_.name, f"{pass_.name}_otherwise"))
        if not pass_.guard:
            lines.append(call)
            continue
        at = f"{pass_.name}{part}"
        lines += [f"  %w.{at} = call i1 @{pass_.name}_guard(ptr %x{part}, ptr %s{part})",
                  f"  br i1 %w.{at}, label %whole.{at}, label %otherwise.{at}",
                  f"whole.{at}:", call, f"  br label %after.{at}",
                  f"otherwise.{at}:", other, f"  br label %after.{at}", f"after.{at}:"]
    return lines


def _emit_code(program: Program, vectors: Vectors, parts: int, name: str, code: Code, fused: Mapping[int, int],
               count: str) -> str:
    """Code in a counted loop; fused: sum -> the product that it absorbs."""
    single = not count
    lines = [f"define void @{name}(ptr %x, ptr %s, i64 %count) #1 {{", "entry:",
             "  %some = icmp sgt i64 %count, 0", "  br i1 %some, label %start, label %done", "start:"]
    emitters = [_Part(vectors, code, part, fused) for part in range(1 if single else parts)]
    for emitter in emitters:
        lines += _emit_pointers(program, emitter, parts)
    lines += ["  br label %loop", "loop:", "  %i = phi i64 [ 0, %start ], [ %next, %last ]"]
    spans = _instruction_spans(emitters[0], SINGLE_SPAN_SIZE if single else REPEATED_SPAN_SIZE * parts)
    branch_stores = emitters[0].branch_stores
    stored = {i: [(row, n) for row, n in span_stores if n not in branch_stores]
              for i, span_stores in stores_by_span(code, emitters[0].fused, spans).items()}
    for i, span in enumerate(spans):
        for emitter in emitters:
            last = i == len(spans) - 1 and emitter is emitters[-1]
            label = "last" if last else f"piece{i}.{emitter.part}"
            lines += [*emitter.emit_span(i, span, stored.get(i, [])), f"  br i1 %some, label %{label}, label %done",
                      f"{label}:"]
    lines += ["  %next = add i64 %i, 1", "  %more = icmp slt i64 %next, %count",
              "  br i1 %more, label %loop, label %done", "done:", "  ret void", "}", ""]
    return "\n".join(lines)


def _emit_guard(program: Program, vectors: Vectors, parts: int, pass_: Pass[Code], guard: Guard,
                fused: Mapping[int, int]) -> str:
    """Whether any lane of a part meets a condition of a guard."""
    code = Code(pass_.code.nodes, pass_.code.origins, (), tuple((f"{n}", n) for n in guard.conditions))
    code = code.pruned({row for row, _ in code.outputs})
    emitter, flags = _Part(vectors, code, 0, fused), f"<{vectors.lanes} x i1>"
    nodes = [n for span in _instruction_spans(emitter, SINGLE_SPAN_SIZE) for n in span]
    lines = [f"define i1 @{pass_.name}_guard(ptr %x, ptr %s) #1 {{", "entry:",
             *_emit_pointers(program, emitter, parts), *emitter.emit_span(0, nodes, []),
             f"  %any0 = or {flags} splat (i1 false), splat (i1 false)"]
    lines += [f"  %any{i} = or {flags} %any{i - 1}, {emitter.operand(n)}" for i, n in enumerate(guard.conditions, 1)]
    return "\n".join([*lines, f"  %found = call i1 @llvm.vector.reduce.or.v{vectors.lanes}i1({flags} "
                              f"%any{len(guard.conditions)})", "  ret i1 %found", "}", ""])


def _emit_pointers(program: Program, emitter: _Part, parts: int) -> list[str]:
    """The addresses of the rows that code reads and writes."""
    lines, vectors = [], emitter.vectors
    for row in dict.fromkeys([*emitter.code.inputs, *(row for row, _ in emitter.code.outputs)]):
        if row in program.scratch or row in program.layout:
            base, row_index = ("%s", program.scratch[row]) if row in program.scratch else ("%x", program.layout[row])
            offset = (row_index * parts + emitter.part) * vectors.lanes
            lines.append(f"  {emitter.pointer(row)} = getelementptr {vectors.element}, ptr {base}, i64 {offset}")
    return lines


def _instruction_spans(emitter: _Part, size: int) -> list[list[int]]:
    """The nodes that become instructions, `size` of them in a span; a branch is not cut."""
    spans: list[list[int]] = [[]]
    for unit in emitter.units():
        if len(spans[-1]) >= size:
            spans.append([])
        spans[-1] += unit
    return spans


class _Part(Arithmetic):
    """The arithmetic of one part of a block; every span loads the rows that it needs."""

    def __init__(self, vectors: Vectors, code: Code, part: int, fused: Mapping[int, int]) -> None:
        super().__init__(vectors, code, [], fused)
        self.part, self.tag = part, f"{part}."
        self._span_index = 0
        self._loads: dict[str, str] = {}        # a loaded value's name -> the line that loads it
        self._branch_suffix = ""                       # part of the names of what a branch loads
        absorbed = set(self.fused.values())
        instructions = [n for n in code.order if code.nodes[n][0] not in ("input", "const") and n not in absorbed]
        read = {n: operands(code, self.fused, n) for n in instructions}
        self._order, branches = group_rare_branches(code, read)
        self._branches = {branch.group[0]: branch for branch in branches}
        self.branch_stores = find_branch_stores(code, read, self._order, branches)

    def pointer(self, row: str) -> str:
        """The name of a row's address."""
        return f"%p{self.tag}{row}"

    def operand(self, n: int) -> str:
        if self.code.nodes[n][0] != "input":
            return super().operand(n)
        name, row = f"%l{self.tag}{self._span_index}.{n}", str(self.code.nodes[n][1][0])
        if name not in self._loads:
            name += self._branch_suffix
            self._loads.setdefault(name, f"  {name} = load {self._type}, {self._address(row)}")
        return name

    def units(self) -> Iterator[list[int]]:
        """The nodes that become instructions, in order, those of a branch together."""
        remaining = iter(self._order)
        for n in remaining:
            branch = self._branches.get(n)
            yield [n, *(next(remaining) for _ in branch.group[1:])] if branch else [n]

    def emit_span(self, index: int, nodes: Sequence[int], stores: Sequence[tuple[str, int]]) -> list[str]:
        """The instructions of one span; rows are stored after all loads."""
        self._span_index, self._loads = index, {}
        lines: list[str] = []
        remaining = iter(nodes)
        for n in remaining:
            if n in self._branches:
                lines += self._branch(self._branches[n])
                for _ in self._branches[n].group[1:]:
                    next(remaining)
            else:
                lines += self._instruction(n)
        loaded = len(self._loads)
        values = [self.operand(n) for _, n in stores]
        lines += list(self._loads.values())[loaded:]
        return lines + [f"  store {self._type} {value}, {self._address(row)}"
                        for value, (row, _) in zip(values, stores, strict=True)]

    def _instruction(self, n: int) -> list[str]:
        loaded = len(self._loads)
        instruction = self._operation(n, self.code.nodes[n][0], list(self.code.arguments(n)))
        return [*list(self._loads.values())[loaded:], *instruction]

    def _branch(self, branch: RareBranch) -> list[str]:
        """A branch's selections, and what they need where a lane asks for it."""
        at, kind = f"{self.tag}{branch.selections[0]}", self.vectors.type
        loaded = len(self._loads)
        after = [n for n in branch.selections if n not in self.branch_stores]
        false_values = {n: self.operand(self.code.arguments(n)[2]) for n in after}
        lines = [*list(self._loads.values())[loaded:], f"  br label %near{at}", f"near{at}:",
                 *self._bits(f"%any{at}", branch.condition),
                 f"  %some{at} = icmp ne i{self.vectors.lanes} %any{at}, 0",
                 f"  br i1 %some{at}, label %rare{at}, label %after{at}", f"rare{at}:"]
        loads_before, self._branch_suffix = dict(self._loads), f".{at}"
        for n in branch.nodes:
            lines += self._instruction(n)
        store_lines = []
        for n in branch.selections:
            loaded, name = len(self._loads), f"%c{self.tag}{n}"
            value, other = (self.operand(a) for a in self.code.arguments(n)[1:])
            lines += [*list(self._loads.values())[loaded:],
                      *self._select(name, branch.condition, value, false_values.get(n, other))]
            if n in self.branch_stores:
                store_lines.append(f"  store {self._type} {name}, {self._address(self.branch_stores[n])}")
        self._loads, self._branch_suffix = loads_before, ""
        return [*lines, *store_lines, f"  br label %after{at}", f"after{at}:",
                *(f"  {self.result(n)} = phi {kind} [ {false_values[n]}, %near{at} ], [ %c{self.tag}{n}, %rare{at} ]"
                  for n in after)]

    def _bits(self, name: str, condition: int) -> list[str]:
        """A bit for each lane; AVX2 has those of a comparison at once, but combines comparisons in another width."""
        op, parts = self.code.nodes[condition][0], self.code.arguments(condition)
        kind = f"i{self.vectors.lanes}"
        if op == "rarely":
            return self._bits(name, parts[0])
        if op == "not":
            return [*self._bits(f"{name}.0", parts[0]), f"  {name} = xor {kind} {name}.0, -1"]
        if op in ("and", "or"):
            return [*(line for i, part in enumerate(parts) for line in self._bits(f"{name}.{i}", part)),
                    f"  {name} = {op} {kind} {name}.0, {name}.1"]
        return [f"  {name} = bitcast <{self.vectors.lanes} x i1> {self.operand(condition)} to {kind}"]

    def _address(self, row: str) -> str:
        # element alignment: numpy promises no more for the caller's memory
        return f"ptr {self.pointer(row)}, align {ELEMENT_BITS[self.vectors.element] // 8}"


def emit_fragment(fragment: Fragment, vectors: Vectors) -> tuple[str, str]:
    """(symbol, text) of ``ptr fragment(ptr block, ptr operands)``, which returns where the next instruction starts.

    Operands are byte offsets into the block, in the fragment's order, after the count of a counted one.
    """
    if fragment in (UNLESS_ZERO, IF_ZERO):
        lines = _emit_skip(fragment, vectors)
    else:
        lines = _emit_counted(fragment, vectors) if fragment.counted else _emit_straight(fragment, vectors)
    text = "\n".join([*declarations(vectors), "define ptr @fragment(ptr %x, ptr %ops) #0 {", "entry:", *lines, "}",
                      ATTRIBUTES])
    symbol = "physx_fragment_" + hashlib.sha256(text.encode()).hexdigest()[:20]
    return symbol, text.replace("@fragment(", f"@{symbol}(")


def _operand_pointers(fragment: Fragment, prefix: str) -> list[str]:
    """Pointers to the operands' first rows."""
    lines = []
    for i, operand in enumerate(fragment.operands):
        lines += [f"  %o.{i} = getelementptr i64, ptr %ops, i64 {i + fragment.counted}",
                  f"  %f.{i} = load i64, ptr %o.{i}",
                  f"  %{prefix if operand.moving else 'b'}.{operand.name} = getelementptr i8, ptr %x, i64 %f.{i}"]
    return lines


def _row_pointers(fragment: Fragment, vectors: Vectors, moving: bool) -> list[str]:
    """Pointers to the single rows of operands."""
    touched = {*fragment.code.inputs, *(row for row, _ in fragment.code.outputs)}
    return [f"  %p.{x.name}_{i} = getelementptr {vectors.element}, ptr %b.{x.name}, i64 {i * vectors.lanes}"
            for x in fragment.operands if x.moving == moving for i in range(x.size) if f"{x.name}_{i}" in touched]


def _store(vectors: Vectors, emitter: Arithmetic, row: str, n: int) -> str:
    return f"  store {vectors.type} {emitter.operand(n)}, ptr %p.{row}, align {ELEMENT_BITS[vectors.element] // 8}"


def _end(fragment: Fragment) -> list[str]:
    return [f"  %following = getelementptr i64, ptr %ops, i64 {len(fragment.operands) + fragment.counted}",
            "  ret ptr %following"]


def _emit_straight(fragment: Fragment, vectors: Vectors) -> list[str]:
    emitter = Branching(vectors, fragment.code)
    return [*_operand_pointers(fragment, "b"), *_row_pointers(fragment, vectors, False), *emitter.lines(),
            *(_store(vectors, emitter, row, n) for row, n in fragment.code.outputs), *_end(fragment)]


def _emit_counted(fragment: Fragment, vectors: Vectors) -> list[str]:
    """A counted fragment as a loop; rows that do not move are loaded before it, and stored after it if changed."""
    code, outputs = fragment.code, dict(fragment.code.outputs)
    invariant = {f"{x.name}_{i}" for x in fragment.operands if not x.moving for i in range(x.size)}
    carried = [row for row in code.inputs if row in invariant]
    emitter = Arithmetic(vectors, code, carried)
    arithmetic = emitter.lines()
    lines = ["  %count = load i64, ptr %ops", *_operand_pointers(fragment, "s"),
             *_row_pointers(fragment, vectors, False)]
    for row in carried:
        name = "first" if row in outputs else "r"
        lines.append(f"  %{name}.{row} = load {vectors.type}, ptr %p.{row}, align {ELEMENT_BITS[vectors.element] // 8}")
    lines += ["  br label %loop", "loop:", "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]"]
    moving = [x for x in fragment.operands if x.moving]
    lines += [f"  %b.{x.name} = phi ptr [ %s.{x.name}, %entry ], [ %n.{x.name}, %loop ]" for x in moving]
    lines += [f"  %r.{row} = phi {vectors.type} [ %first.{row}, %entry ], [ {emitter.operand(outputs[row])}, %loop ]"
              for row in carried if row in outputs]
    lines += [*_row_pointers(fragment, vectors, True), *arithmetic]
    lines += [_store(vectors, emitter, row, n) for row, n in code.outputs if row not in invariant]
    lines += [f"  %n.{x.name} = getelementptr {vectors.element}, ptr %b.{x.name}, i64 {x.size * vectors.lanes}"
              for x in moving]
    lines += ["  %next = add i64 %i, 1", "  %more = icmp slt i64 %next, %count",
              "  br i1 %more, label %loop, label %done", "done:"]
    return lines + [_store(vectors, emitter, row, n) for row, n in code.outputs if row in invariant] + _end(fragment)


def _emit_skip(fragment: Fragment, vectors: Vectors) -> list[str]:
    """The start of the next instruction by a flag: here, or a number of words further."""
    targets = ("%behind", "%here") if fragment is IF_ZERO else ("%here", "%behind")
    return ["  %count = load i64, ptr %ops", *_operand_pointers(fragment, "b"),
            f"  %flags = load {vectors.type}, ptr %b.flag, align {ELEMENT_BITS[vectors.element] // 8}",
            f"  %set = fcmp une {vectors.type} %flags, zeroinitializer",
            f"  %bits = bitcast <{vectors.lanes} x i1> %set to i{vectors.lanes}",
            f"  %any = icmp ne i{vectors.lanes} %bits, 0",
            "  %here = getelementptr i64, ptr %ops, i64 2", "  %behind = getelementptr i64, ptr %here, i64 %count",
            f"  %following = select i1 %any, ptr {targets[0]}, ptr {targets[1]}", "  ret ptr %following"]


@dataclass(frozen=True, slots=True, eq=False)
class GatherFragment:
    """A fragment with operands that are rows of the items, shared by all lanes, or gathered by lane.

    lane_rows: rows of operands in the items. shared: operands that all lanes share. All others are gathered.
    """

    fragment: Fragment
    lane_rows: Mapping[str, int]
    shared: frozenset[str]

    @property
    def addressed(self) -> list[str]:
        """Operands with address words, in their order: gathered and shared ones."""
        return [x.name for x in self.fragment.operands if x.name not in self.lane_rows]


def emit_gather_fragment(gather: GatherFragment, vectors: Vectors) -> tuple[str, str]:
    """(symbol, text) of ``ptr fragment(ptr block, ptr operands)``, which returns where the next instruction starts.

    Operands are byte offsets: of the items' first row, then one for each shared operand, one a lane for each gathered.
    """
    emitter = _GatherArithmetic(vectors, gather)
    element, lanes = vectors.element, vectors.lanes
    lines = ["  %own.at = load i64, ptr %ops", "  %own = getelementptr i8, ptr %x, i64 %own.at"]
    touched = {*gather.fragment.code.inputs, *(row for row, _ in gather.fragment.code.outputs)}
    lines += [f"  %p.{x.name}_{i} = getelementptr {element}, ptr %own, i64 {(gather.lane_rows[x.name] + i) * lanes}"
              for x in gather.fragment.operands if x.name in gather.lane_rows for i in range(x.size)
              if f"{x.name}_{i}" in touched]
    word = 1
    for name in gather.addressed:
        width = 1 if name in gather.shared else lanes
        lines += [f"  %o.{name} = getelementptr i64, ptr %ops, i64 {word}",
                  f"  %f.{name} = load <{width} x i64>, ptr %o.{name}, align 8",
                  f"  %i.{name} = trunc <{width} x i64> %f.{name} to <{width} x i32>",
                  f"  %b.{name} = getelementptr i8, ptr %x, <{width} x i32> %i.{name}"]
        word += width
    lines += emitter.lines()
    for row, n in gather.fragment.code.outputs:
        lines += emitter.store(row, n)
    lines += [f"  %following = getelementptr i64, ptr %ops, i64 {word}", "  ret ptr %following"]
    pointer_types = f"<{lanes} x ptr>, i32, <{lanes} x i1>"
    suffix = f"{vectors.suffix}.v{lanes}p0"
    intrinsics = [f"declare {vectors.type} @llvm.masked.gather.{suffix}({pointer_types}, {vectors.type})",
                  f"declare void @llvm.masked.scatter.{suffix}({vectors.type}, {pointer_types})"]
    text = "\n".join([*declarations(vectors), *intrinsics, "define ptr @fragment(ptr %x, ptr %ops) #0 {", "entry:",
                      *lines,
                      "}", ATTRIBUTES])
    symbol = "physx_gathered_" + hashlib.sha256(text.encode()).hexdigest()[:20]
    return symbol, text.replace("@fragment(", f"@{symbol}(")


class _GatherArithmetic(Arithmetic):
    """Arithmetic with the operands of a `GatherFragment`."""

    def __init__(self, vectors: Vectors, gather: GatherFragment) -> None:
        super().__init__(vectors, gather.fragment.code, [])
        self._gather = gather
        self._alignment = ELEMENT_BITS[vectors.element] // 8
        self._all_lanes = f"<{vectors.lanes} x i1> splat (i1 true)"

    def store(self, row: str, n: int) -> list[str]:
        """A result into its row."""
        kind = self.vectors.type
        if row_of(row) in self._gather.lane_rows:
            return [f"  store {kind} {self.operand(n)}, ptr %p.{row}, align {self._alignment}"]
        lines, pointers = self._lane_pointers(row, f"out{row}")
        return [*lines, f"  call void @llvm.masked.scatter.{self.vectors.suffix}.v{self.vectors.lanes}p0("
                        f"{kind} {self.operand(n)}, {pointers}, i32 {self._alignment}, {self._all_lanes})"]

    def _load(self, n: int, row: str) -> list[str]:
        name, kind, lanes = row_of(row), self.vectors.type, self.vectors.lanes
        if name in self._gather.lane_rows:
            return super()._load(n, row)
        if name in self._gather.shared:
            element = self.vectors.element
            return [f"  %e.{n} = extractelement <1 x ptr> %b.{name}, i32 0",
                    f"  %l.{n} = load {element}, ptr %e.{n}, align {self._alignment}",
                    f"  %v.{n} = insertelement {kind} poison, {element} %l.{n}, i32 0",
                    f"  %t{n} = shufflevector {kind} %v.{n}, {kind} poison, <{lanes} x i32> zeroinitializer"]
        lines, pointers = self._lane_pointers(row, f"in{n}")
        return [*lines, f"  %t{n} = call {kind} @llvm.masked.gather.{self.vectors.suffix}.v{lanes}p0("
                        f"{pointers}, i32 {self._alignment}, {self._all_lanes}, {kind} poison)"]

    def _lane_pointers(self, row: str, name: str) -> tuple[list[str], str]:
        """Where a row lies in every lane."""
        (operand, index), lanes = RowScalar.parse(row), self.vectors.lanes
        return ([f"  %g.{name} = getelementptr {self.vectors.element}, <{lanes} x ptr> %b.{operand}, i64 {index}"],
                f"<{lanes} x ptr> %g.{name}")
