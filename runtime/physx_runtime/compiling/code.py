"""`trace` runs an algorithm once on symbols and records it as straight-line `Code` between named rows. The back ends
lower `Code` to LLVM IR, CUDA C, WebAssembly or Python. A `RowScalar` is one number of a row, such as "q_1".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from physx_runtime.language.ops import Rows
from physx_runtime.language.symbols import Graph, Symbol

# (operation, arguments): node numbers, the number of a "const" or the row scalar of an "input".
Node = tuple[str, tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Code:
    """Straight-line code: nodes as in `Graph`, only the live ones in `order`; outputs are (row scalar, node)."""

    nodes: tuple[Node, ...]
    origins: tuple[str, ...]            # the equation each node belongs to
    order: tuple[int, ...]
    outputs: tuple[tuple[str, int], ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        """Row scalars it loads."""
        return tuple(str(self.nodes[n][1][0]) for n in self.order if self.nodes[n][0] == "input")

    @property
    def operations(self) -> int:
        """Arithmetic operations, loads and constants left out."""
        return sum(self.nodes[n][0] not in ("input", "const") for n in self.order)

    def arguments(self, n: int) -> tuple[int, ...]:
        """Nodes that node `n` computes with; none for constants and inputs."""
        op, args = self.nodes[n]
        return () if op in ("input", "const") else args     # type: ignore[return-value]

    def assume_false(self, conditions: Collection[int]) -> Code:
        """The code for lanes in which none of these conditions holds; remaining values have the same bits."""
        nodes = list(self.nodes)
        replacements: dict[int, int] = {}                   # node -> the one that it comes to
        truth_values = dict.fromkeys(conditions, False)
        for n in self.order:
            op, _ = nodes[n]
            args = tuple(replacements.get(a, a) for a in self.arguments(n))
            if n in truth_values or not args:
                continue
            argument_values = [truth_values.get(a) for a in args]
            if op == "rarely" and argument_values[0] is not None:
                truth_values[n] = argument_values[0]
            elif op == "not" and argument_values[0] is not None:
                truth_values[n] = not argument_values[0]
            elif op in ("and", "or") and (op == "or") in argument_values:
                truth_values[n] = op == "or"
            elif op in ("and", "or") and (op == "and") in argument_values:
                replacements[n] = args[1 - argument_values.index(op == "and")]
            elif op == "select" and argument_values[0] is not None:
                replacements[n] = args[1 if argument_values[0] else 2]
            else:
                nodes[n] = op, args
        outputs = tuple((row, replacements.get(n, n)) for row, n in self.outputs)
        return Code(tuple(nodes), self.origins, self.order, outputs).pruned({row for row, _ in outputs})

    def renamed(self, names: Mapping[str, str]) -> Code:
        """The code with outputs of other names."""
        outputs = tuple((names.get(row, row), n) for row, n in self.outputs)
        return Code(self.nodes, self.origins, self.order, outputs)

    def pruned(self, rows: Collection[str]) -> Code:
        """The code reduced to the changed outputs in `rows` and the nodes that they need."""
        outputs = tuple((row, n) for row, n in self.outputs if row in rows and self.nodes[n] != ("input", (row,)))
        used: set[int] = set()
        stack, nodes = [n for _, n in outputs], self.nodes
        while stack:
            n = stack.pop()
            if n not in used:
                used.add(n)
                op, args = nodes[n]
                if op not in ("input", "const"):
                    stack += args       # type: ignore[arg-type]
        return Code(self.nodes, self.origins, tuple(sorted(used)), outputs)


def by_equation(code: Code) -> Iterator[tuple[int, str | None]]:
    """Nodes in order, each with the name of its equation where a new one begins."""
    last = None
    for n in code.order:
        op, origin = code.nodes[n][0], code.origins[n]
        new = origin != last and op not in ("const", "input")
        yield n, origin if new else None
        last = origin if new else last


# Rows by name, and perhaps more -> the rows that it makes or changes.
Algorithm = Callable[..., Rows]
# Row name -> for each of its scalars the row scalar to load, or a number known beforehand.
RowBindings = Mapping[str, Sequence[float | str]]


def scalar_names(rows: Mapping[str, int]) -> list[str]:
    """Row scalars by the sizes of rows: {"q": 2} -> ["q_0", "q_1"]."""
    return [f"{name}_{i}" for name, count in rows.items() for i in range(count)]


def row_scalars(rows: Mapping[str, int]) -> dict[str, list[float | str]]:
    """The scalars of every row, all of them to be loaded."""
    return {name: list(scalar_names({name: size})) for name, size in rows.items()}


class RowScalar(NamedTuple):
    """One number of a row; its name is the row's and which number of it it is: "q_1"."""

    row: str
    component: int

    @staticmethod
    def parse(name: str) -> RowScalar:
        """The scalar of a name."""
        row, _, component = name.rpartition("_")
        return RowScalar(row, int(component))


def row_of(scalar: str) -> str:
    """The row that a scalar is of: "q_1" -> "q"."""
    return scalar.rpartition("_")[0]


def trace(algorithm: Algorithm, bindings: RowBindings) -> tuple[Code, dict[str, int]]:
    """The recorded code of an algorithm, and the size of every row that it makes."""
    graph = Graph()
    result = algorithm({name: [graph.input(x) if isinstance(x, str) else x for x in values]
                        for name, values in bindings.items()})
    outputs = tuple((f"{name}_{i}", (x if isinstance(x, Symbol) else graph.constant(x)).number)
                    for name, values in result.items() for i, x in enumerate(values))
    code = Code(tuple(graph.nodes), tuple(graph.origins), tuple(range(len(graph.nodes))), outputs)
    return code, {name: len(values) for name, values in result.items()}
