"""Connected components of graphs of touching pairs, by union-find.

`connected_nodes` marks nodes connected with given ones, `incident_edges` the edges at given nodes.
"""

from __future__ import annotations

import numpy as np

from physx_runtime.arrays import Array, Flags
from physx_runtime.compiling.numba_functions import borrowing_entry


def connected_nodes(edges: Array, ends: Flags, seeds: Flags) -> Flags:
    """(n_node,) mask of the nodes that are connected with any of `seeds`.

    edges: (n_edge, 2) nodes; one with a negative node connects nothing. ends: (n_node,) nodes at which a component
    ends: as seeds they reach their neighbours only.
    """
    result = seeds.copy()
    _mark_connected(edges, ends, seeds, np.arange(len(seeds)), result)
    return result


@borrowing_entry
def _mark_connected(edges: Array, ends: Array, seeds: Array, roots: Array, result: Array) -> None:
    """Mark connected nodes in `result`; roots: initially every node its own."""
    # union-find with path halving; roots have the lowest number of their component
    for edge in range(len(edges)):
        a, b = edges[edge, 0], edges[edge, 1]
        if a < 0 or b < 0:
            continue
        if ends[a] or ends[b]:
            if (ends[a] and seeds[a]) or (ends[b] and seeds[b]):
                result[a] = result[b] = True
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
        if result[node]:
            result[roots[node]] = True
    for node in range(len(roots)):
        if result[roots[node]]:
            result[node] = True


def incident_edges(edges: Array, nodes: Flags, selected: Array | None = None) -> Flags:
    """Mask of edges with a node among `nodes`; negative nodes do not count.

    selected: rows of edges, with repetitions; all where None.
    """
    rows = np.arange(len(edges)) if selected is None else selected
    result = np.empty(len(rows), np.bool_)
    _mark_incident(edges, nodes, rows, result)
    return result


@borrowing_entry
def _mark_incident(edges: Array, nodes: Array, selected: Array, result: Array) -> None:
    for i in range(len(selected)):
        a, b = edges[selected[i], 0], edges[selected[i], 1]
        result[i] = (a >= 0 and nodes[a]) or (b >= 0 and nodes[b])
