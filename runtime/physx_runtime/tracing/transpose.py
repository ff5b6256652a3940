"""LLVM IR that moves numbers between rows of worlds side by side and arrays with one line a world.

Both ways through square tiles transposed in registers: a tile is as many rows of as many worlds as a register holds.
"""

from __future__ import annotations

from physx_runtime.tracing.emit_ir import BITS, Vectors

# gather: lines of memory to rows; scatter: rows, each found by a table, to lines of memory
FUNCTIONS = ("gather", "scatter")


def emit_moves(vectors: Vectors, tile: int) -> str:
    """`gather(rows, lines, size)` and `scatter(rows, table, lines, size)`; lines: one pointer a world.

    `tile` divides the number of lanes. Rows that gather fills and tables that scatter reads are padded to whole tiles.
    """
    kind, flags = f"<{tile} x {vectors.element}>", f"<{tile} x i1>"
    suffix = f"v{tile}f{BITS[vectors.element]}"
    declarations = [f"declare {kind} @llvm.masked.load.{suffix}.p0(ptr, i32, {flags}, {kind})",
                    f"declare void @llvm.masked.store.{suffix}.p0({kind}, ptr, i32, {flags})"]
    return "\n".join([*declarations, *_loops(vectors, tile, "gather"), *_loops(vectors, tile, "scatter")])


def _loops(vectors: Vectors, tile: int, name: str) -> list[str]:
    """A function with a loop over tiles of numbers and in it one over groups of worlds."""
    scattering = name == "scatter"
    arguments = ", ".join(["ptr %rows", *["ptr %table"] * scattering, "ptr %lines", "i64 %size"])
    places, wide = ", ".join(f"i64 {i}" for i in range(tile)), f"<{tile} x i64>"
    lines = [f"define internal void @{name}({arguments}) #1 {{", "entry:",
             "  %some = icmp sgt i64 %size, 0", "  br i1 %some, label %tile, label %done", "tile:",
             "  %k = phi i64 [ 0, %entry ], [ %k.next, %tile.end ]", "  %left = sub i64 %size, %k",
             f"  %left.0 = insertelement {wide} poison, i64 %left, i64 0",
             f"  %left.all = shufflevector {wide} %left.0, {wide} poison, <{tile} x i32> zeroinitializer",
             f"  %mask = icmp slt {wide} <{places}>, %left.all"]
    for i in range(tile):
        lines += [f"  %at{i} = add i64 %k, {i}"]
        lines += [f"  %entry{i} = getelementptr i64, ptr %table, i64 %at{i}",
                  f"  %row{i} = load i64, ptr %entry{i}"] if scattering else [
                      f"  %row{i} = mul i64 %at{i}, {vectors.lanes}"]
    lines += ["  br label %group", "group:", "  %g = phi i64 [ 0, %tile ], [ %g.next, %group ]"]
    lines += _tile(vectors, tile, name)
    lines += [f"  %g.next = add i64 %g, {tile}", f"  %more = icmp slt i64 %g.next, {vectors.lanes}",
              "  br i1 %more, label %group, label %tile.end", "tile.end:", f"  %k.next = add i64 %k, {tile}",
              "  %again = icmp slt i64 %k.next, %size", "  br i1 %again, label %tile, label %done", "done:",
              "  ret void", "}", ""]
    return lines


def _tile(vectors: Vectors, tile: int, name: str) -> list[str]:
    """Load a tile, transpose it, store it."""
    element, kind, flags = vectors.element, f"<{tile} x {vectors.element}>", f"<{tile} x i1>"
    suffix, align = f"v{tile}f{BITS[element]}", BITS[element] // 8
    lines = []
    for i in range(tile):
        lines += [f"  %in{i} = add i64 %row{i}, %g", f"  %p{i} = getelementptr {element}, ptr %rows, i64 %in{i}",
                  f"  %lane{i} = add i64 %g, {i}", f"  %line{i} = getelementptr ptr, ptr %lines, i64 %lane{i}",
                  f"  %start{i} = load ptr, ptr %line{i}", f"  %m{i} = getelementptr {element}, ptr %start{i}, i64 %k"]
    for i in range(tile):
        lines.append(f"  %v0.{i} = load {kind}, ptr %p{i}, align {align}" if name == "scatter" else
                     f"  %v0.{i} = call {kind} @llvm.masked.load.{suffix}.p0(ptr %m{i}, i32 {align}, {flags} %mask, "
                     f"{kind} zeroinitializer)")
    block, stage = 1, 0
    while block < tile:
        lines += _stage(kind, tile, block, stage)
        block, stage = 2 * block, stage + 1
    for i in range(tile):
        value = f"{kind} %v{stage}.{i}"
        lines.append(f"  call void @llvm.masked.store.{suffix}.p0({value}, ptr %m{i}, i32 {align}, {flags} %mask)"
                     if name == "scatter" else f"  store {value}, ptr %p{i}, align {align}")
    return lines


def _stage(kind: str, tile: int, block: int, stage: int) -> list[str]:
    """Swap the off-diagonal blocks of every 2 x 2 group of blocks (Eklundh's transposition)."""
    lines = []
    upper = [k if not k & block else tile + k - block for k in range(tile)]
    lower = [k + block if not k & block else tile + k for k in range(tile)]
    for i in range(tile):
        first, second = (i, i | block) if not i & block else (i ^ block, i)
        mask = ", ".join(f"i32 {k}" for k in (lower if i & block else upper))
        lines.append(f"  %v{stage + 1}.{i} = shufflevector {kind} %v{stage}.{first}, {kind} %v{stage}.{second}, "
                     f"<{tile} x i32> <{mask}>")
    return lines
