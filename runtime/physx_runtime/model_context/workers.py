"""Calls of tools in processes of their own, which are ended when a call is cancelled, takes too long or crashes."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from typing import Any

from physx_runtime.model_context.bounds import MAX_ANSWER
from physx_runtime.model_context.tools import MAX_SECONDS

MAX_CONCURRENT = 2             # calls; further ones wait
MAX_LINE = 16 * MAX_ANSWER
PROGRAM = "physx_runtime.model_context.worker"


class Workers:
    """Processes that answer calls one at a time; one that is idle takes the next call."""

    def __init__(self, seconds: float = MAX_SECONDS) -> None:
        self._seconds = seconds
        self._idle, self._killed = list[Process](), list[Process]()
        self._free = asyncio.Semaphore(MAX_CONCURRENT)

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The answer of a tool; {"error": line} where its process took too long or crashed."""
        async with self._free:
            process = await self._acquire_process()
            try:
                async with asyncio.timeout(self._seconds):
                    line = await _exchange(process, json.dumps([tool, arguments]))
                if not line:
                    code = await process.wait()
                    return {"error": f"{tool} crashed (exit code {code}); see the server's stderr for details"}
                self._idle.append(process)
            except TimeoutError:
                return {"error": f"{tool} exceeded {self._seconds:g} s and was stopped; request less, or run "
                                 f"physx-schema {tool.partition('_')[0]}"}
            finally:
                if process not in self._idle:
                    self._kill(process)
        result: dict[str, Any] = json.loads(line)
        return result

    async def close(self) -> None:
        """End the idle processes, and wait until all are gone that were ended."""
        while self._idle:
            self._kill(self._idle.pop())
        for process in self._killed:
            await process.communicate()

    def _kill(self, process: Process) -> None:
        with suppress(ProcessLookupError):
            process.kill()
        self._killed = [*(killed for killed in self._killed if killed.returncode is None), process]

    async def _acquire_process(self) -> Process:
        while self._idle:
            process = self._idle.pop()
            if process.returncode is None:
                return process
        return await asyncio.create_subprocess_exec(sys.executable, "-P", "-m", PROGRAM, stdin=PIPE, stdout=PIPE,
                                                    limit=MAX_LINE)


async def _exchange(process: Process, line: str) -> bytes:
    """The line that answers one; b"" where the process ends."""
    assert process.stdin is not None and process.stdout is not None
    with suppress(ConnectionError):
        process.stdin.write(f"{line}\n".encode())
        await process.stdin.drain()
    return await process.stdout.readline()
