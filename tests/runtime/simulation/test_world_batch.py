"""Ctrl-C ends a call of many steps soon, and that a call is made in parts changes no bit of what comes out."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Scene, Simulation
from physx_runtime.simulation import world_batch
from physx_runtime.simulation.world_batch import StepChunks
from support.places import BALL, FINGER
from support.stages.contact_scenes import SCENES
from support.stages.robots import opened

STEPS = 100
LONGEST = 30            # s that one step and the end of a process may take on a busy machine; so many steps take days
ENDLESS = """
import sys
from physx_runtime import Scene, Simulation
run = Scene(sys.argv[1]) if sys.argv[2] == "scene" else Simulation(sys.argv[1], path=sys.argv[2])
run.step(1)
print("stepped", flush=True)
run.step(10**12)
"""


@pytest.mark.parametrize("how", ["scene", "generic", "specialised"])
def test_ctrl_c_ends_a_call_of_endless_steps(how: str) -> None:
    with subprocess.Popen([sys.executable, "-c", ENDLESS, str(FINGER), how], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "stepped\n"
        process.send_signal(signal.SIGINT)
        try:
            assert "KeyboardInterrupt" in process.communicate(timeout=LONGEST)[1]
        finally:
            process.kill()


@pytest.mark.parametrize("path", ["generic", "specialised"])
@pytest.mark.parametrize("stage", [FINGER, BALL])
def test_steps_in_parts_are_those_of_one_call(stage: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one, parts = (Simulation(stage, worlds=3, path=path) for _ in range(2))
    monkeypatch.setattr(world_batch, "CALL_TIME", np.inf)
    one._group.batch._chunks.size = STEPS
    one.step(STEPS)
    monkeypatch.setattr(world_batch, "CALL_TIME", 0.0)
    parts.step(STEPS)
    for row in ("q", "v"):
        np.testing.assert_array_equal(one.get(row), parts.get(row))
    assert one._group.batch.steps_taken == parts._group.batch.steps_taken == STEPS


@pytest.mark.parametrize("name", ["ball in a corner", "tendon of a robot that lands"])
def test_scenes_step_in_parts_as_in_one_call(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    poses = []
    for wanted in (np.inf, 0.0):
        monkeypatch.setattr(world_batch, "CALL_TIME", wanted)
        scene = Scene(opened(SCENES[name].text), worlds=2)
        scene.step(STEPS)
        poses.append(scene.body_pose)
    np.testing.assert_array_equal(*poses)


def test_parts_add_up_and_take_the_time_that_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(world_batch, "perf_counter", lambda: clock[0])
    chunks, parts = StepChunks(), list[int]()
    for part in chunks.of(100_000):
        parts.append(part)
        clock[0] += 1e-4 * part
    assert sum(parts) == 100_000 and parts[:2] == [16, 128] and {*parts[2:-1]} <= {999, 1000}
    assert list(chunks.of(0)) == []
