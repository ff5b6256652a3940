"""Tasks of long work: who follows sees those that are open, and others pay nothing."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator

import pytest
from physx_runtime import simulate, verify
from physx_runtime.progress import Task, counted, followed, task
from physx_runtime.simulation.recorder import Recorder
from physx_runtime.verification import stage as verification_stage
from support.places import STAGES

FINGER = str(STAGES / "clean_finger.usda")


def test_open_tasks_are_those_of_the_blocks_around_the_innermost_last() -> None:
    with followed() as tasks:
        with task("outer", 2), task("inner"):
            assert [item.what for item in tasks] == ["outer", "inner"]
        assert not tasks


def test_task_is_closed_by_an_error() -> None:
    with followed() as tasks:
        with pytest.raises(KeyError), task("failing"):
            raise KeyError
        assert not tasks


def test_counted_items_are_done_when_the_next_one_is_asked_for() -> None:
    with followed() as tasks:
        seen = [(item, tasks[0].done, tasks[0].total) for item in counted("letters", "abc")]
        assert (seen, list(tasks)) == ([("a", 0, 3), ("b", 1, 3), ("c", 2, 3)], [])


def test_followers_see_only_the_work_of_their_block() -> None:
    with followed() as outer, followed() as inner, task("work"):
        assert (len(outer), len(inner)) == (0, 1)


def test_without_a_follower_a_task_is_known_to_its_block_alone() -> None:
    with task("alone", 3) as current:
        current.done += 1
    with followed() as tasks:
        assert (current, list(tasks)) == (Task("alone", 3, 1), [])


def test_another_thread_may_read_the_tasks_and_count_their_steps() -> None:
    with followed() as tasks, task("parts", 2) as current:
        seen: list[Task] = []

        def work() -> None:
            current.done += 1
            seen.extend(tasks)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert seen == [Task("parts", 2, 1)]


def test_simulation_counts_its_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Task] = []
    record = Recorder.record

    with followed() as tasks:
        def noting(recorder: Recorder) -> None:
            seen.append(Task(tasks[-1].what, tasks[-1].total, tasks[-1].done))
            record(recorder)

        monkeypatch.setattr(Recorder, "record", noting)
        simulate(FINGER, steps=6, every=2)
    assert seen == [Task("step", 6, 0), Task("step", 6, 2), Task("step", 6, 4)]


def test_verification_tells_of_each_articulation_and_each_of_its_experiments(monkeypatch: pytest.MonkeyPatch) -> None:
    named: list[str] = []

    def noting(what: str, items: Collection[object]) -> Iterator[object]:
        named.append(what)
        return counted(what, items)

    monkeypatch.setattr(verification_stage, "counted", noting)
    verify(FINGER)
    assert named[:3] == ["measuring branches of /Robot", "experiment", "finding the cause of value"]
