"""Derivatives of traced expressions: forward differentiation over the graph that records them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from physx_runtime.language.ops import Scalar, where
from physx_runtime.language.symbols import Graph, Symbol


def directional(outputs: Sequence[Scalar], seeds: Mapping[Symbol, Scalar]) -> list[Scalar]:
    """How `outputs` change as the seeded symbols change at the given rates, all of one graph.

    Where an expression has no derivative (the square root at 0, a decision at its boundary), 0 and the side that was
    chosen are taken.
    """
    symbols = [x for x in outputs if isinstance(x, Symbol)]
    if not symbols:
        return [0.0] * len(outputs)
    graph = symbols[0].graph
    rates: dict[int, Scalar] = {symbol.number: rate for symbol, rate in seeds.items()}
    for n in _ancestors(graph, [x.number for x in symbols], set(rates)):
        rate = _derivative(graph, n, rates)
        if rate is not None:
            rates[n] = rate
    return [rates.get(x.number, 0.0) if isinstance(x, Symbol) else 0.0 for x in outputs]


def _ancestors(graph: Graph, outputs: Sequence[int], leaves: set[int]) -> list[int]:
    """The nodes that outputs are made of, in order, without leaves and what those are made of."""
    visited: set[int] = set()
    stack = [n for n in outputs if n not in leaves]
    while stack:
        n = stack.pop()
        if n not in visited:
            visited.add(n)
            stack += [a for a in _arguments(graph, n) if a not in leaves]
    return sorted(visited)


def _arguments(graph: Graph, n: int) -> list[int]:
    if n in graph.slopes:
        return [graph.slopes[n][0]]
    op, args = graph.nodes[n]
    return [] if op in ("const", "input") else [int(a) for a in args]       # type: ignore[call-overload]


def _derivative(graph: Graph, n: int, rates: Mapping[int, Scalar]) -> Scalar | None:
    """The rate of a node, None where nothing it is made of changes."""
    arguments = _arguments(graph, n)
    if not any(a in rates for a in arguments):
        return None
    if n in graph.slopes:
        _, slope, sign = graph.slopes[n]
        return sign * (Symbol(graph, slope) * rates[arguments[0]])
    x = [Symbol(graph, a) for a in arguments]
    d: list[Scalar] = [rates.get(a, 0.0) for a in arguments]
    op, value = graph.nodes[n][0], Symbol(graph, n)
    if op in ("add", "sub"):
        return d[0] + d[1] if op == "add" else d[0] - d[1]
    if op == "mul":
        return d[0] * x[1] + x[0] * d[1]
    if op == "div":
        return (d[0] - value * d[1]) / x[1]
    if op == "sqrt":
        return where(value > 0.0, 0.5 / where(value > 0.0, value, 1.0), 0.0) * d[0]
    if op == "neg":
        return -d[0]
    if op in ("single", "rounded"):
        return d[0]
    if op == "abs":
        return where(x[0] < 0.0, -d[0], d[0])
    return where(x[0], d[1], d[2]) if op == "select" else None
