"""Reading without the garbage collector keeps no garbage, and leaves the collector as it was."""

from __future__ import annotations

import gc
import os
import subprocess
import sys

import pytest

from physx_schema.description.bodies import GROWTH, gc_disabled

CIRCLES = 20_000        # objects of one use, each of which holds itself
USES = 60
OBJECTS = 2             # memory of a list is its own and its items'


ADDED_UP = f"""
import gc, sys
from physx_schema.description.bodies import gc_disabled

def circles():
    for _ in range({CIRCLES}):
        item = []
        item.append(item)

with gc_disabled():
    pass
gc.collect()
start = most = sys.getallocatedblocks()
for _ in range({USES}):
    with gc_disabled():
        circles()
    most = max(most, sys.getallocatedblocks())
print(start, most)
"""


def test_what_each_use_leaves_does_not_add_up() -> None:
    # In a process of its own: how much may lie there until the next collection follows from what is held already.
    done = subprocess.run([sys.executable, "-c", ADDED_UP], capture_output=True, text=True, check=True,
                          env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
    start, most = map(int, done.stdout.split())
    assert start < USES * CIRCLES                   # what would be held without a collection
    assert most < GROWTH * (GROWTH * start + OBJECTS * CIRCLES)


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_as_before_whatever_is_raised(enabled: bool) -> None:
    was = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with pytest.raises(RuntimeError), gc_disabled():
            assert not gc.isenabled()
            raise RuntimeError
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was else gc.disable)()
