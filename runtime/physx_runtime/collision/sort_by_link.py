"""The order in which an articulation's contacts with what does not move are solved.

PhysX sorts them by link (FeatherstoneArticulation::prepareStaticConstraintsTGS) with a quicksort (PxSort.h), which also
changes the order of those of one link: it is done here step by step as there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.numba_functions import borrowing_code, borrowing_entry

Array = NDArray[Any]

SHORT = 5           # runs up to which it sorts by selection


def sorted_by_link(links: Array) -> Array:
    """Indices of an articulation's constraints with what does not move, given in input order, as they are solved.

    links: (n,) the link of each.
    """
    order = np.arange(len(links))
    _sort(order, len(links), np.asarray(links, np.int64), room_to_sort(len(links)))
    return order


def room_to_sort(count: int) -> Array:
    """Memory that `sort_by_link` needs for so many."""
    return np.empty((count + 1, 2), np.int64)


@borrowing_code
def sort_by_link(order: Any, count: Any, links: Any, runs: Any) -> None:
    """Sort the first `count` of `order`, indices into `links`; runs: memory of `room_to_sort`."""
    runs[0, 0], runs[0, 1], left = 0, count - 1, 1
    while left:
        left -= 1
        first, last = runs[left, 0], runs[left, 1]
        if last - first < SHORT:
            _select(order, first, last, links)
            continue
        middle = _part(order, first, last, links)
        runs[left, 0], runs[left, 1] = first, middle - 1
        runs[left + 1, 0], runs[left + 1, 1] = middle + 1, last
        left += 2


@borrowing_entry
def _sort(order: Any, count: Any, links: Any, runs: Any) -> None:
    sort_by_link(order, count, links, runs)


@borrowing_code
def _select(order: Any, first: Any, last: Any, links: Any) -> None:
    for i in range(first, last):
        least = i
        for j in range(i + 1, last + 1):
            if links[order[j]] < links[order[least]]:
                least = j
        order[i], order[least] = order[least], order[i]


@borrowing_code
def _part(order: Any, first: Any, last: Any, links: Any) -> Any:
    """Put what is less than the median of three before it, the rest behind: where it is then."""
    middle = (first + last) // 2
    _put_right(order, first, middle, links)
    _put_right(order, first, last, links)
    _put_right(order, middle, last, links)
    order[middle], order[last - 1] = order[last - 1], order[middle]
    median, i, j = links[order[last - 1]], first, last - 1
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
def _put_right(order: Any, i: Any, j: Any, links: Any) -> None:
    if links[order[j]] < links[order[i]]:
        order[i], order[j] = order[j], order[i]
