"""Reading without the garbage collector keeps no garbage, and leaves the collector as it was."""

from __future__ import annotations

import gc
import sys

import pytest

from physx_schema.description.uncollected import GROWTH, uncollected

CIRCLES = 20_000        # objects of one use, each of which holds itself
USES = 60
OBJECTS = 2             # memory of a list is its own and its items'


def circles() -> None:
    """Leave objects that hold themselves, which only the collector frees."""
    for _ in range(CIRCLES):
        item: list[object] = []
        item.append(item)


def test_what_each_use_leaves_does_not_add_up() -> None:
    with uncollected():
        pass
    gc.collect()
    start = most = sys.getallocatedblocks()
    for _ in range(USES):
        with uncollected():
            circles()
        most = max(most, sys.getallocatedblocks())
    assert start < USES * CIRCLES                   # what would be held without a collection
    assert most < GROWTH * (GROWTH * start + OBJECTS * CIRCLES)


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_as_before_whatever_is_raised(enabled: bool) -> None:
    was = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with pytest.raises(RuntimeError), uncollected():
            assert not gc.isenabled()
            raise RuntimeError
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was else gc.disable)()
