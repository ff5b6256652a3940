"""The server over its pipes: what it answers once, what it stops, and that it ends with its client."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from physx_runtime.model_context.tools import MAX_STEPS, TOOLS
from support.stages.robots import finger

pytest.importorskip("mcp", reason="pip install '.[mcp]'")

SERVE = "import sys; sys.argv[1:] = ['mcp']; from physx_runtime.program import main; main()"
LONGEST = 60.0          # s for the server to end on a busy machine
CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Client:
    """A client that speaks the protocol line by line."""

    def __init__(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        assert self.process.stdin is not None and self.process.stdout is not None
        self._to, self._from, self._count = self.process.stdin, self.process.stdout, 0

    def close(self) -> None:
        self._to.close()
        self._from.close()

    def tell(self, method: str, parameters: dict[str, Any], number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": parameters}
        self._to.write(json.dumps(message | ({} if number is None else {"id": number})) + "\n")
        self._to.flush()

    def begin(self, method: str, parameters: dict[str, Any]) -> int:
        self._count += 1
        self.tell(method, parameters, self._count)
        return self._count

    def ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        number = self.begin(method, parameters)
        while True:
            answer: dict[str, Any] = json.loads(self._from.readline())
            if answer.get("id") == number:
                result: dict[str, Any] = answer["result"]
                return result

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})


@pytest.fixture
def client() -> Iterator[Client]:
    made = Client()
    made.ask("initialize", CLIENT)
    made.tell("notifications/initialized", {})
    yield made
    made.process.kill()
    made.process.wait()
    made.close()


@pytest.fixture
def stage(tmp_path: Path) -> str:
    path = tmp_path / "finger.usda"
    path.write_text(finger())
    return str(path)


def test_tools_say_their_bounds(client: Client) -> None:
    listed = client.ask("tools/list", {})["tools"]
    assert [tool["name"] for tool in listed] == [tool.__name__ for tool in TOOLS]
    assert all("left_off" in tool["description"] for tool in listed if tool["name"] != "explain_code")


def test_an_answer_is_structured_and_no_text_repeats_it(client: Client, stage: str) -> None:
    result = client.call("describe_stage", path=stage)
    assert "revolute joint" in result["structuredContent"]["outline"]
    assert "revolute joint" not in json.dumps(result["content"])


def test_a_refusal_is_an_error_in_a_line(client: Client, stage: str) -> None:
    result = client.call("simulate_stage", path=stage, steps=10**12)
    assert result["isError"] and f"give 1 to {MAX_STEPS}" in result["content"][0]["text"]


def test_other_calls_are_answered_once_endless_ones_are_cancelled(client: Client, stage: str) -> None:
    client.call("explain_code", code="DJ.007")
    for number in [client.begin("tools/call", {"name": "verify_stage", "arguments": {"path": stage}})
                   for _ in range(10)]:
        client.tell("notifications/cancelled", {"requestId": number})
    assert client.call("explain_code", code="DJ.007/limits-clip")["structuredContent"]["explanation"]


def test_the_server_ends_with_its_stdin_in_the_middle_of_calls(client: Client, stage: str) -> None:
    for _ in range(3):
        client.begin("tools/call", {"name": "verify_stage", "arguments": {"path": stage}})
    client._to.close()
    assert client.process.wait(LONGEST) == 0
