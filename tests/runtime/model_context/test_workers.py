"""A call that is cancelled, takes too long or loses its client is ended with all that runs in it."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Awaitable
from pathlib import Path

import pytest
from physx_runtime.model_context.workers import PROGRAM, Workers
from support.stages.robots import finger

LONGEST = 60.0          # s that a process may take to end on a busy machine
CODE = "DJ.007/limits-clip"


@pytest.fixture
def stage(tmp_path: Path) -> str:
    """A robot that takes seconds to verify."""
    path = tmp_path / "finger.usda"
    path.write_text(finger())
    return str(path)


async def within(awaited: Awaitable[int]) -> int:
    return await asyncio.wait_for(awaited, LONGEST)


def test_a_worker_answers_one_call_after_another() -> None:
    async def asked() -> None:
        workers = Workers()
        first = await workers.call("explain_code", {"code": CODE})
        (process,) = workers._idle
        assert CODE in first["explanation"] and "error" in await workers.call("explain_code", {"code": "XX.999"})
        assert workers._idle == [process]
        await workers.close()
        assert process.returncode == -signal.SIGKILL

    asyncio.run(asked())


def test_a_cancelled_call_ends_its_process(stage: str) -> None:
    async def asked() -> None:
        workers = Workers()
        await workers.call("explain_code", {"code": CODE})
        (process,) = workers._idle
        call = asyncio.create_task(workers.call("verify_stage", {"path": stage}))
        await asyncio.sleep(0.2)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert await within(process.wait()) == -signal.SIGKILL and workers._idle == []
        await workers.close()

    asyncio.run(asked())


def test_a_call_that_takes_too_long_is_ended_and_refused(stage: str) -> None:
    async def asked() -> None:
        workers = Workers(seconds=0.01)
        answer = await workers.call("verify_stage", {"path": stage})
        assert "exceeded 0.01 s" in answer["error"] and workers._idle == []
        await workers.close()

    asyncio.run(asked())


def test_a_crash_is_an_error_in_the_answer(stage: str) -> None:
    async def asked() -> None:
        workers = Workers()
        await workers.call("explain_code", {"code": CODE})
        (process,) = workers._idle
        call = asyncio.create_task(workers.call("verify_stage", {"path": stage}))
        await asyncio.sleep(0.2)
        process.send_signal(signal.SIGSEGV)
        assert "crashed" in (await call)["error"]
        assert CODE in (await workers.call("explain_code", {"code": CODE}))["explanation"]
        await workers.close()

    asyncio.run(asked())


def test_a_worker_ends_with_its_stdin_in_the_middle_of_a_call(stage: str) -> None:
    with subprocess.Popen([sys.executable, "-m", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as worker:
        assert worker.stdin is not None and worker.stdout is not None
        worker.stdin.write(json.dumps(["explain_code", {"code": CODE}]) + "\n")
        worker.stdin.flush()
        assert CODE in worker.stdout.readline()
        worker.stdin.write(json.dumps(["verify_stage", {"path": stage}]) + "\n")
        worker.stdin.close()
        assert worker.wait(LONGEST) == 0 and worker.stdout.read() == ""
