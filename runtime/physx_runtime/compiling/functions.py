"""Traced functions of a world: rows and given arrays in, arrays out.

Unlike the step, a function changes no row. It reads rows of the worlds' buffer, such as joint positions and masses, and
arrays its caller keeps one line a world (`given`), and makes arrays with one line a world (`results`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from physx_runtime.compiling.code import Body
from physx_runtime.language.ops import Rows, Scalar
from physx_runtime.language.symbols import Graph, Symbol
from physx_runtime.model.rows import input_rows, state_rows
from physx_runtime.model.topology import DofTopology, Topology

# Rows (and given arrays among them) -> results by name.
Algorithm = Callable[[Topology, Rows], Mapping[str, Sequence[Scalar]]]
Sizes = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Function:
    """Straight-line code of a function; every output of the body is called "result name_index"."""

    body: Body
    given: Sizes                        # arrays of the caller: name, numbers a world
    results: Sizes


def structure(t: Topology) -> Topology:
    """What a function of the equations of motion depends on: the tree, its joints and what pushes links from outside.

    How often forces act stays too, which reports of joint forces show. Whatever else acts on the joints is left out.
    The rows of link forces are there; a function that reads them is given them.
    """
    dofs = tuple(DofTopology(dof.link, axis=dof.axis) for dof in t.dofs)
    return Topology(t.fixed_base, t.forces_every_iteration, t.links, dofs, link_forces=True, pushes=t.pushes)


@functools.lru_cache(maxsize=256)
def trace_function(algorithm: Algorithm, t: Topology, given: Sizes = ()) -> Function:
    """Trace a function of the rows of a topology and of `given` arrays, which it finds among the rows."""
    graph = Graph()
    sizes = state_rows(t) | input_rows(t) | dict(given)
    rows = {name: [graph.input(f"{name}_{i}") for i in range(size)] for name, size in sizes.items()}
    made = algorithm(t, rows)
    outputs = tuple((f"{name}_{i}", (x if isinstance(x, Symbol) else graph.constant(x)).number)
                    for name, values in made.items() for i, x in enumerate(values))
    order = _as_needed(graph, [n for _, n in outputs])
    body = Body(tuple(graph.nodes), tuple(graph.origins), order, outputs)
    return Function(body, given, tuple((name, len(values)) for name, values in made.items()))


def _as_needed(graph: Graph, outputs: Sequence[int]) -> tuple[int, ...]:
    """The live nodes as they were recorded, but each input just before its first use: registers are few."""
    live: set[int] = set()
    stack = list(outputs)
    while stack:
        n = stack.pop()
        if n not in live:
            live.add(n)
            stack += _arguments(graph, n)
    order: list[int] = []
    placed: set[int] = set()
    for n in sorted(live):
        if graph.nodes[n][0] != "input":
            for needed in (*_arguments(graph, n), n):
                if needed not in placed:
                    placed.add(needed)
                    order.append(needed)
    return (*order, *sorted(live - placed))


def _arguments(graph: Graph, n: int) -> list[int]:
    op, args = graph.nodes[n]
    return [] if op in ("const", "input") else [int(a) for a in args]       # type: ignore[call-overload]
