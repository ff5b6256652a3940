"""What pairs hold together, however many lie between."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.numba_functions import borrowing_entry

Array = NDArray[Any]
Flags = NDArray[np.bool_]


def reached(edges: Array, ends: Flags, begun: Flags) -> Flags:
    """(n_node,) which nodes are in one component with any of those begun with.

    edges: (n_edge, 2) nodes; one with a number below 0 connects nothing. ends: (n_node,) nodes at which a
    component ends: they reach their neighbours, if begun with, and no farther.
    """
    found = begun.copy()
    _reach(edges, ends, begun, np.arange(len(begun)), found)
    return found


@borrowing_entry
def _reach(edges: Any, ends: Any, begun: Any, roots: Any, found: Any) -> None:
    """Add what is reached to `found`; roots: every node its own."""
    for edge in range(len(edges)):
        a, b = edges[edge, 0], edges[edge, 1]
        if a < 0 or b < 0:
            continue
        if ends[a] or ends[b]:
            if (ends[a] and begun[a]) or (ends[b] and begun[b]):
                found[a] = found[b] = True
            continue
        while roots[a] != a:
            roots[a] = roots[roots[a]]
            a = roots[a]
        while roots[b] != b:
            roots[b] = roots[roots[b]]
            b = roots[b]
        roots[max(a, b)] = min(a, b)
    for node in range(len(roots)):
        roots[node] = roots[roots[node]]        # a root has no larger number than what it is the root of
        if found[node]:
            found[roots[node]] = True
    for node in range(len(roots)):
        if found[roots[node]]:
            found[node] = True


def held(edges: Array, nodes: Flags, chosen: Array | None = None) -> Flags:
    """Whether one of the nodes of edges is among these; numbers below 0 are of none.

    chosen: rows of edges, (n_edge,) with repetitions; all where None.
    """
    own = np.arange(len(edges)) if chosen is None else chosen
    found = np.empty(len(own), np.bool_)
    _hold(edges, nodes, own, found)
    return found


@borrowing_entry
def _hold(edges: Any, nodes: Any, chosen: Any, found: Any) -> None:
    for i in range(len(chosen)):
        a, b = edges[chosen[i], 0], edges[chosen[i], 1]
        found[i] = (a >= 0 and nodes[a]) or (b >= 0 and nodes[b])
