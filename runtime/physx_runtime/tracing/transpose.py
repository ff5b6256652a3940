"""LLVM IR that moves numbers between rows of worlds side by side and arrays with one line a world.

Both ways through square tiles transposed in registers: a tile is as many rows as a register holds worlds.
"""

from __future__ import annotations

from physx_runtime.tracing.emit_ir import BITS, Vectors

# gather: lines of memory to rows; scatter: rows, each found by a table, to lines of memory
FUNCTIONS = ("gather", "scatter")


def emit_moves(vectors: Vectors) -> str:
    """`gather(rows, lines, size)` and `scatter(rows, table, lines, size)`; lines: one pointer a world.

    Rows that gather fills and tables that scatter reads are padded to whole tiles.
    """
    kind, flags, suffix = vectors.type, f"<{vectors.lanes} x i1>", vectors.suffix
    declarations = [f"declare {kind} @llvm.masked.load.{suffix}.p0(ptr, i32, {flags}, {kind})",
                    f"declare void @llvm.masked.store.{suffix}.p0({kind}, ptr, i32, {flags})"]
    return "\n".join([*declarations, *_function(vectors, "gather"), *_function(vectors, "scatter")])


def _function(vectors: Vectors, name: str) -> list[str]:
    """A loop over whole tiles, and the part of a tile that is left."""
    lanes = vectors.lanes
    arguments = ", ".join(["ptr %rows", *["ptr %table"] * (name == "scatter"), "ptr %lines", "i64 %size"])
    places, wide = ", ".join(f"i64 {i}" for i in range(lanes)), f"<{lanes} x i64>"
    return [f"define internal void @{name}({arguments}) #1 {{", "entry:",
            f"  %whole = and i64 %size, {-lanes}", "  %some = icmp ne i64 %whole, 0",
            "  br i1 %some, label %tile, label %rest", "tile:", "  %k = phi i64 [ 0, %entry ], [ %k.next, %tile ]",
            *_tile(vectors, name, "", masked=False), f"  %k.next = add i64 %k, {lanes}",
            "  %more = icmp slt i64 %k.next, %whole", "  br i1 %more, label %tile, label %rest", "rest:",
            "  %left = sub i64 %size, %whole", "  %none = icmp eq i64 %left, 0",
            "  br i1 %none, label %done, label %part", "part:", "  %k.part = add i64 %whole, 0",
            f"  %left.0 = insertelement {wide} poison, i64 %left, i64 0",
            f"  %left.all = shufflevector {wide} %left.0, {wide} poison, <{lanes} x i32> zeroinitializer",
            f"  %mask = icmp slt {wide} <{places}>, %left.all", *_tile(vectors, name, ".part", masked=True),
            "  br label %done", "done:", "  ret void", "}", ""]


def _tile(vectors: Vectors, name: str, tag: str, masked: bool) -> list[str]:
    """Load the tile at %k, transpose it, store it."""
    element, kind, lanes, scattering = vectors.element, vectors.type, vectors.lanes, name == "scatter"
    align = BITS[element] // 8
    guard = f", i32 {align}, <{lanes} x i1> %mask"
    lines = []
    for i in range(lanes):
        at = f"%at{i}{tag}"
        lines += [f"  {at} = add i64 %k{tag}, {i}",
                  *([f"  %e{i}{tag} = getelementptr i64, ptr %table, i64 {at}",
                     f"  %row{i}{tag} = load i64, ptr %e{i}{tag}"] if scattering else
                    [f"  %row{i}{tag} = mul i64 {at}, {lanes}"]),
                  f"  %p{i}{tag} = getelementptr {element}, ptr %rows, i64 %row{i}{tag}",
                  f"  %line{i}{tag} = getelementptr ptr, ptr %lines, i64 {i}",
                  f"  %start{i}{tag} = load ptr, ptr %line{i}{tag}",
                  f"  %m{i}{tag} = getelementptr {element}, ptr %start{i}{tag}, i64 %k{tag}"]
    for i in range(lanes):
        place = f"%p{i}{tag}" if scattering else f"%m{i}{tag}"
        lines.append(f"  %v0.{i}{tag} = load {kind}, ptr {place}, align {align}" if scattering or not masked else
                     f"  %v0.{i}{tag} = call {kind} @llvm.masked.load.{vectors.suffix}.p0(ptr {place}{guard}, "
                     f"{kind} zeroinitializer)")
    block, stage = 1, 0
    while block < lanes:
        lines += _stage(kind, lanes, block, stage, tag)
        block, stage = 2 * block, stage + 1
    for i in range(lanes):
        value, place = f"{kind} %v{stage}.{i}{tag}", f"%m{i}{tag}" if scattering else f"%p{i}{tag}"
        lines.append(f"  call void @llvm.masked.store.{vectors.suffix}.p0({value}, ptr {place}{guard})"
                     if scattering and masked else f"  store {value}, ptr {place}, align {align}")
    return lines


def _stage(kind: str, lanes: int, block: int, stage: int, tag: str) -> list[str]:
    """Swap the off-diagonal blocks of every 2 x 2 group of blocks (Eklundh's transposition)."""
    lines = []
    upper = [k if not k & block else lanes + k - block for k in range(lanes)]
    lower = [k + block if not k & block else lanes + k for k in range(lanes)]
    for i in range(lanes):
        first, second = (i, i | block) if not i & block else (i ^ block, i)
        mask = ", ".join(f"i32 {k}" for k in (lower if i & block else upper))
        lines.append(f"  %v{stage + 1}.{i}{tag} = shufflevector {kind} %v{stage}.{first}{tag}, "
                     f"{kind} %v{stage}.{second}{tag}, <{lanes} x i32> <{mask}>")
    return lines
