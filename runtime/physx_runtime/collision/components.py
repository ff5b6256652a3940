"""What pairs hold together, however many lie between."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.scalar_code import scalar_entry

Array = NDArray[Any]


def reached(first: Array, second: Array, begun: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(n_node,) which nodes are in one component with any of those begun with.

    first, second: (n_edge,) the nodes of each edge.
    """
    roots = np.arange(len(begun), dtype=np.int64)
    _join(first, second, roots)
    found = np.zeros(len(begun), np.bool_)
    found[roots[begun]] = True
    return np.asarray(found[roots])


@scalar_entry
def _join(first: Any, second: Any, roots: Any) -> None:
    """Give all nodes of a component one root; roots: every node its own."""
    for edge in range(len(first)):
        a, b = first[edge], second[edge]
        while roots[a] != a:
            roots[a] = roots[roots[a]]
            a = roots[a]
        while roots[b] != b:
            roots[b] = roots[roots[b]]
            b = roots[b]
        roots[max(a, b)] = min(a, b)
    for node in range(len(roots)):
        roots[node] = roots[roots[node]]        # a root has no larger number than what it is the root of
