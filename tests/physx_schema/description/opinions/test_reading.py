"""Reading is linear in the number of prims, by counts of function calls, which no machine changes.

Reading without the garbage collector keeps no garbage, and leaves the collector as it was.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from support.places import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

from reading_speed import CALLS_PER_PRIM, CALLS_TO_CHECK, articulations, calls

from physx_schema import check
from physx_schema.checking import stages
from physx_schema.description import describe, reader
from physx_schema.description.bodies import GROWTH, gc_disabled
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import ReadContext


@pytest.mark.parametrize(("work", "most"), [(describe, CALLS_PER_PRIM), (check, CALLS_TO_CHECK)])
@pytest.mark.parametrize(("small", "large"), [((5, 10), (20, 10)), ((1, 50), (1, 200))])
def test_calls_grow_with_the_prims_and_no_faster(
    work: Callable[[Any], object], most: float, small: tuple[int, int], large: tuple[int, int],
) -> None:
    first, second = calls(work, articulations(*small)), calls(work, articulations(*large))
    assert second < 4.2 * first
    assert second / (2 * large[0] * large[1]) < most


@pytest.mark.parametrize(("work", "module", "last"), [(describe, reader, "classify"), (check, stages, "waivers_of")])
def test_garbage_collector_is_off_meanwhile_and_on_again_whatever_is_raised(
    work: Callable[[Any], object], module: Any, last: str, monkeypatch: pytest.MonkeyPatch,
) -> None:
    enabled = []

    def failing(*_: object) -> None:
        enabled.append(gc.isenabled())
        raise RuntimeError

    monkeypatch.setattr(module, last, failing)
    with pytest.raises(RuntimeError):
        work(articulations(1, 2))
    assert (enabled, gc.isenabled()) == ([False], True)


def test_nothing_of_a_reading_waits_for_a_collection_and_its_result_counts_as_old() -> None:
    stage = articulations(2, 3)
    description = describe(stage)
    assert any(item is description for item in gc.get_objects(generation=2))
    before = _readings()
    gc.disable()
    try:
        describe(stage)
        assert _readings() == before
    finally:
        gc.enable()


def _readings() -> int:
    return sum(type(item) in (ReadContext, PrimOpinions) for item in gc.get_objects())


# --- uncollected -----------------------------------------------------------------------------------------------------

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
