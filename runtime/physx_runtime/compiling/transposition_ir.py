"""LLVM IR that moves numbers between rows of worlds side by side and arrays with one line a world.

Both ways through square tiles transposed in registers: a tile is as many rows as a register holds worlds.
"""

from __future__ import annotations

from physx_runtime.compiling.vector_ir import ELEMENT_BITS, Vectors

# gather: lines of memory to rows; scatter: rows, each found by a table, to lines of memory; scatter_long: the same,
# asking for the memory a little before it is written
GATHER, SCATTER, SCATTER_LONG = FUNCTIONS = ("gather", "scatter", "scatter_long")
# From so many numbers a line, the lines of a register's worlds together exceed what a processor's core keeps nearby.
LONG_LINE = 2048
TILES_AHEAD = 4       # tiles between asking and writing: memory answers after some hundred cycles


def emit_moves(vectors: Vectors) -> str:
    """`gather(rows, lines, size)` and `scatter(rows, table, lines, size)`; lines: one pointer a world."""
    return "\n".join(["declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
                      *(line for name in FUNCTIONS for line in _function(vectors, name))])


def ask_for(place: str) -> str:
    """Fetch the memory at a place, which will be written."""
    return f"  call void @llvm.prefetch.p0(ptr {place}, i32 1, i32 3, i32 1)"


def scatter_for(size: int) -> str:
    """The function that writes lines of so many numbers."""
    return SCATTER_LONG if size >= LONG_LINE else SCATTER


def _function(vectors: Vectors, name: str) -> list[str]:
    """A loop over tiles, of which the last may overlap the one before; lines shorter than a tile number by number."""
    lanes = vectors.lanes
    arguments = ", ".join(["ptr %rows", *["ptr %table"] * (name != GATHER), "ptr %lines", "i64 %size"])
    return [f"define internal void @{name}({arguments}) #1 {{", "entry:", f"  %last = sub i64 %size, {lanes}",
            "  %short = icmp slt i64 %last, 0", "  br i1 %short, label %single, label %tile", "tile:",
            "  %k = phi i64 [ 0, %entry ], [ %next, %tile ]", *_tile(vectors, name), f"  %whole = add i64 %k, {lanes}",
            "  %over = icmp sgt i64 %whole, %last", "  %next = select i1 %over, i64 %last, i64 %whole",
            "  %more = icmp slt i64 %k, %last", "  br i1 %more, label %tile, label %done", "single:",
            "  %some = icmp sgt i64 %size, 0", "  br i1 %some, label %number, label %done", "number:",
            "  %n = phi i64 [ 0, %single ], [ %n.next, %number ]", *_numbers(vectors, name),
            "  %n.next = add i64 %n, 1",
            "  %again = icmp slt i64 %n.next, %size", "  br i1 %again, label %number, label %done", "done:",
            "  ret void", "}", ""]


def _tile(vectors: Vectors, name: str) -> list[str]:
    """Load the tile at %k, transpose it, store it."""
    element, lanes, align = vectors.element, vectors.lanes, ELEMENT_BITS[vectors.element] // 8
    source, target = ("m", "p") if name == GATHER else ("p", "m")
    lines = []
    for i in range(lanes):
        lines += [f"  %at{i} = add i64 %k, {i}", *_row(vectors, name, f"{i}", f"%at{i}"), *_line(vectors, i, "%k")]
        if name == SCATTER_LONG:
            lines += [f"  %ahead{i} = getelementptr {element}, ptr %m{i}, i64 {TILES_AHEAD * lanes}",
                      ask_for(f"%ahead{i}")]
    lines += [f"  %v0.{i} = load {vectors.type}, ptr %{source}{i}, align {align}" for i in range(lanes)]
    block, stage = 1, 0
    while block < lanes:
        lines += _stage(vectors, block, stage)
        block, stage = 2 * block, stage + 1
    return lines + [f"  store {vectors.type} %v{stage}.{i}, ptr %{target}{i}, align {align}" for i in range(lanes)]


def _stage(vectors: Vectors, block: int, stage: int) -> list[str]:
    """Swap the off-diagonal blocks of every 2 x 2 group of blocks (Eklundh's transposition)."""
    kind, lanes, lines = vectors.type, vectors.lanes, []
    upper = [k if not k & block else lanes + k - block for k in range(lanes)]
    lower = [k + block if not k & block else lanes + k for k in range(lanes)]
    for i in range(lanes):
        first, second = (i, i | block) if not i & block else (i ^ block, i)
        mask = ", ".join(f"i32 {k}" for k in (lower if i & block else upper))
        lines.append(f"  %v{stage + 1}.{i} = shufflevector {kind} %v{stage}.{first}, {kind} %v{stage}.{second}, "
                     f"<{lanes} x i32> <{mask}>")
    return lines


def _numbers(vectors: Vectors, name: str) -> list[str]:
    """Move the number at %n of every line."""
    element, align = vectors.element, ELEMENT_BITS[vectors.element] // 8
    lines = _row(vectors, name, ".n", "%n")
    for i in range(vectors.lanes):
        source, target = (f"%m.n{i}", f"%q{i}") if name == GATHER else (f"%q{i}", f"%m.n{i}")
        lines += [f"  %q{i} = getelementptr {element}, ptr %p.n, i64 {i}", *_line(vectors, i, "%n", ".n"),
                  f"  %x{i} = load {element}, ptr {source}, align {align}",
                  f"  store {element} %x{i}, ptr {target}, align {align}"]
    return lines


def _row(vectors: Vectors, name: str, tag: str, index: str) -> list[str]:
    """%p: where the row of a number begins."""
    found = ([f"  %row{tag} = mul i64 {index}, {vectors.lanes}"] if name == GATHER else
             [f"  %e{tag} = getelementptr i64, ptr %table, i64 {index}", f"  %row{tag} = load i64, ptr %e{tag}"])
    return [*found, f"  %p{tag} = getelementptr {vectors.element}, ptr %rows, i64 %row{tag}"]


def _line(vectors: Vectors, lane: int, index: str, tag: str = "") -> list[str]:
    """%m: where a number of a world's line is."""
    return [f"  %line{tag}{lane} = getelementptr ptr, ptr %lines, i64 {lane}",
            f"  %start{tag}{lane} = load ptr, ptr %line{tag}{lane}",
            f"  %m{tag}{lane} = getelementptr {vectors.element}, ptr %start{tag}{lane}, i64 {index}"]
