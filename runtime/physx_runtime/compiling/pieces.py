"""Straight-line code cut into pieces that registers can hold: each loads what it reads and stores what it has made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from physx_runtime.compiling.code import Code

Pieces = Sequence[Sequence[int]]


def cut(code: Code, fused: Mapping[int, int], size: int) -> list[list[int]]:
    """The nodes that become instructions, `size` of them a piece; fused: sum -> the product that it absorbs."""
    absorbed = set(fused.values())
    nodes = [n for n in code.order if code.nodes[n][0] not in ("input", "const") and n not in absorbed]
    return [nodes[i:i + size] for i in range(0, len(nodes), size)] or [[]]


def operands(code: Code, fused: Mapping[int, int], n: int) -> list[int]:
    """What a node's instruction reads, an absorbed product's factors among it."""
    found: list[int] = []
    for a in code.arguments(n):
        found += code.arguments(a) if fused.get(n) == a else (a,)
    return found


def last_readers(code: Code, fused: Mapping[int, int], pieces: Pieces) -> dict[str, int]:
    """Row scalar -> the last piece that loads it."""
    found: dict[str, int] = {}
    for i, piece in enumerate(pieces):
        for n in piece:
            for a in operands(code, fused, n):
                if code.nodes[a][0] == "input":
                    found[str(code.nodes[a][1][0])] = i
    return found


def stores(code: Code, fused: Mapping[int, int], pieces: Pieces) -> Mapping[int, list[tuple[str, int]]]:
    """Piece -> rows to store at its end: as soon as the new value is there and nothing needs the old one."""
    made = {n: i for i, piece in enumerate(pieces) for n in piece}
    needed = last_readers(code, fused, pieces)
    copies = [(row, str(code.nodes[n][1][0])) for row, n in code.outputs if code.nodes[n][0] == "input"]
    for _ in copies:                    # a copy loads its source when it is stored; a chain of them settles
        for row, source in copies:
            needed[source] = max(needed.get(source, 0), needed.get(row, 0))
    found: dict[int, list[tuple[str, int]]] = {}
    for row, n in code.outputs:
        found.setdefault(max(made.get(n, 0), needed.get(row, 0)), []).append((row, n))
    return found
