"""Results of many items from worker processes: complete, whatever happens to a worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.pool_tasks import act

from physx_schema.library.outcomes import Limits, Lost
from physx_schema.library.worker_pool import results_of


def run(items: list[str], workers: int = 2, limits: Limits | None = None) -> list[str | Lost]:
    results = dict(results_of(act, items, workers, limits))
    assert sorted(results) == list(range(len(items)))
    return [results[index] for index in range(len(items))]


@pytest.mark.parametrize("workers", (1, 3))
def test_every_item_has_its_result_for_any_number_of_workers(workers: int) -> None:
    items = [f"item {i}" for i in range(20)]
    assert run(items, workers) == [item.upper() for item in items]


def test_no_items_have_no_results() -> None:
    assert run([]) == []


def test_a_crash_costs_its_own_item_alone() -> None:
    assert run(["a", "crash", "b"]) == ["A", Lost("crashed", "ended its process with SIGSEGV"), "B"]


def test_an_exit_is_a_crash() -> None:
    assert run(["exit 7"]) == [Lost("crashed", "ended its process with exit code 7")]


def test_a_hang_is_ended_at_the_limit_of_time() -> None:
    assert run(["a", "hang", "b"], limits=Limits(seconds=1.0)) == ["A", Lost("timeout", "took longer than 1 s"), "B"]


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's")
def test_memory_beyond_the_limit_is_refused() -> None:
    assert run(["allocate 3000", "a"], limits=Limits(megabytes=2000)) == [
        Lost("memory", "needs more than 2000 MB of memory"), "A"]


def test_an_exception_is_told_in_a_line() -> None:
    assert run(["raise"]) == [Lost("failed", "internal error: ValueError: no such value")]


def test_an_item_whose_worker_was_killed_is_done_by_another(tmp_path: Path) -> None:
    item = f"crash-once {tmp_path / 'marker'}"
    assert run([item]) == [item.upper()]


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="signals are Unix's")
def test_workers_end_with_a_parent_that_was_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text("from support.pool_tasks import act\n"
                      "from physx_schema.library.worker_pool import results_of\n"
                      "if __name__ == '__main__':\n"
                      "    for index, result in results_of(act, ['a', 'hang', 'hang'], 2):\n"
                      "        print(result, flush=True)\n")
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, start_new_session=True,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert parent.stdout is not None and parent.stdout.readline() == b"A\n"
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    for _ in range(100):                # until the last of its session has ended
        try:
            os.killpg(parent.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    os.killpg(parent.pid, signal.SIGKILL)
    pytest.fail("a worker outlived its parent")
