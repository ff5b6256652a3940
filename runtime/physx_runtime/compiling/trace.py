"""Tracing: an algorithm run once on symbols, recorded as straight-line code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from physx_runtime.compiling.code import Code
from physx_runtime.language.ops import Rows
from physx_runtime.language.symbols import Graph, Symbol

# Rows by name, and perhaps more -> the rows that it makes or changes.
Algorithm = Callable[..., Rows]
# Row name -> for each of its scalars the row scalar to load, or a number known beforehand.
Given = Mapping[str, Sequence[float | str]]


def scalar_names(rows: Mapping[str, int]) -> list[str]:
    """Row scalars by the sizes of rows: {"q": 2} -> ["q_0", "q_1"]."""
    return [f"{name}_{i}" for name, count in rows.items() for i in range(count)]


def row_scalars(rows: Mapping[str, int]) -> dict[str, list[float | str]]:
    """The scalars of every row, all of them to be loaded."""
    return {name: list(scalar_names({name: size})) for name, size in rows.items()}


def row_of(scalar: str) -> str:
    """The row that a scalar is of: "q_1" -> "q"."""
    return scalar.rpartition("_")[0]


def trace(algorithm: Algorithm, given: Given) -> tuple[Code, dict[str, int]]:
    """The code of an algorithm, with all that it recorded, and the size of every row it makes."""
    graph = Graph()
    made = algorithm({name: [graph.input(x) if isinstance(x, str) else x for x in values]
                      for name, values in given.items()})
    outputs = tuple((f"{name}_{i}", (x if isinstance(x, Symbol) else graph.constant(x)).number)
                    for name, values in made.items() for i, x in enumerate(values))
    code = Code(tuple(graph.nodes), tuple(graph.origins), tuple(range(len(graph.nodes))), outputs)
    return code, {name: len(values) for name, values in made.items()}
