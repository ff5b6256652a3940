"""The order in which PhysX solves an articulation's contacts with static shapes.

PhysX sorts them by link (FeatherstoneArticulation::prepareStaticConstraintsTGS) with a quicksort (PxSort.h). It is not
stable, so the same steps are done here.
"""

from __future__ import annotations

import numpy as np

from physx_runtime.arrays import Array, Integer
from physx_runtime.compiling.numba_functions import borrowing_code, borrowing_entry

SELECTION_LENGTH = 5           # length of runs that are sorted by selection


def sorted_by_link(links: Array) -> Array:
    """Indices of an articulation's static contacts, given in input order, in the order of solving.

    links: (n,) the link of each.
    """
    order = np.arange(len(links))
    _sort(order, len(links), np.asarray(links, np.int64), sort_buffer(len(links)))
    return order


def sort_buffer(count: int) -> Array:
    """Scratch memory of `sort_by_link` for so many contacts."""
    return np.empty((count + 1, 2), np.int64)


@borrowing_code
def sort_by_link(order: Array, count: Integer, links: Array, runs: Array) -> None:
    """Sort the first `count` of `order`, indices into `links`; runs: memory of `sort_buffer`."""
    # runs up to 5 are sorted by selection  (PxSort.h; FeatherstoneArticulation::prepareStaticConstraintsTGS)
    runs[0, 0], runs[0, 1], waiting = 0, count - 1, 1
    while waiting:
        waiting -= 1
        first, last = runs[waiting, 0], runs[waiting, 1]
        if last - first < SELECTION_LENGTH:
            _select(order, first, last, links)
            continue
        middle = _partition(order, first, last, links)
        runs[waiting, 0], runs[waiting, 1] = first, middle - 1
        runs[waiting + 1, 0], runs[waiting + 1, 1] = middle + 1, last
        waiting += 2


@borrowing_entry
def _sort(order: Array, count: Integer, links: Array, runs: Array) -> None:
    sort_by_link(order, count, links, runs)


@borrowing_code
def _select(order: Array, first: Integer, last: Integer, links: Array) -> None:
    for i in range(first, last):
        smallest = i
        for j in range(i + 1, last + 1):
            if links[order[j]] < links[order[smallest]]:
                smallest = j
        order[i], order[smallest] = order[smallest], order[i]


@borrowing_code
def _partition(order: Array, first: Integer, last: Integer, links: Array) -> Integer:
    """Partition about the median of three; return its index."""
    # median of three, stored at last - 1  (PxSortInternals.h)
    middle = (first + last) // 2
    _order_pair(order, first, middle, links)
    _order_pair(order, first, last, links)
    _order_pair(order, middle, last, links)
    order[middle], order[last - 1] = order[last - 1], order[middle]
    median, i, j = links[order[last - 1]], first, last - 1
    # Hoare's partition  (PxSortInternals.h)
    while True:
        i += 1
        while links[order[i]] < median:
            i += 1
        j -= 1
        while median < links[order[j]]:
            j -= 1
        if i >= j:
            break
        order[i], order[j] = order[j], order[i]
    order[i], order[last - 1] = order[last - 1], order[i]
    return i


@borrowing_code
def _order_pair(order: Array, i: Integer, j: Integer, links: Array) -> None:
    if links[order[j]] < links[order[i]]:
        order[i], order[j] = order[j], order[i]
