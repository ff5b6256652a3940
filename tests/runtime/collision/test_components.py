"""Which nodes pairs connect, worked out by hand."""

from __future__ import annotations

import numpy as np
from physx_runtime.collision.components import connected_nodes, incident_edges

NONE = -1


def found(edges: list[tuple[int, int]], begun: set[int], ends: tuple[int, ...] = (), nodes: int = 6) -> list[int]:
    """The nodes that are reached."""
    flags = [np.isin(np.arange(nodes), list(some)) for some in (ends, begun)]
    return [int(i)
            for i in np.flatnonzero(connected_nodes(np.array(edges, np.int64).reshape(-1, 2), flags[0], flags[1]))]


def test_what_a_chain_of_pairs_connects_is_reached_from_either_end() -> None:
    chain = [(3, 1), (1, 4)]
    assert found(chain, {3}) == [1, 3, 4]
    assert found(chain, {4}) == [1, 3, 4]
    assert found(chain, {0}) == [0]


def test_a_pair_with_what_is_no_node_connects_nothing() -> None:
    assert found([(0, NONE), (NONE, 1), (1, 2)], {0}) == [0]


def test_an_end_reaches_its_neighbours_and_hands_nothing_on() -> None:
    pairs = [(0, 5), (5, 1), (1, 2)]
    assert found(pairs, {5}, ends=(5,)) == [0, 1, 2, 5]
    assert found(pairs, {0}, ends=(5,)) == [0]


def test_a_pair_is_held_by_either_of_its_nodes() -> None:
    edges, nodes = np.array([(0, 1), (1, 2), (NONE, 3), (NONE, 0)]), np.array([True, False, False, False])
    assert incident_edges(edges, nodes).tolist() == [True, False, False, True]
    assert incident_edges(edges, nodes, np.array([3, 1, 3])).tolist() == [True, False, True]
