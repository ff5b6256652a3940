"""The server for language models: what its tools answer, faults and warnings included."""

from __future__ import annotations

import asyncio
import sys

import pytest
from physx_runtime.model_context import TOOLS, _answered, check_stage, describe_stage, explain_code
from support.places import ROOT

STAGE = str(ROOT / "tests/data/stages/out_of_range.usda")
SERVE = "import sys; sys.argv[1:] = ['mcp']; from physx_runtime.program import main; main()"


def test_findings_are_those_of_the_command() -> None:
    (report,) = check_stage(STAGE)["reports"]
    assert (report["path"], report["counts"]["error"]) == (STAGE, 1)


def test_outline_names_the_stage() -> None:
    assert describe_stage(STAGE)["outline"].startswith(STAGE)


def test_code_is_explained_and_another_is_refused() -> None:
    assert explain_code("DJ.007/limits-clip")["explanation"].startswith("DJ.007/limits-clip: ")
    assert explain_code("XX.999") == {"error": "there is no code XX.999"}


def test_file_that_is_no_stage_is_an_error_in_the_answer() -> None:
    assert _answered(describe_stage)("/none.usda")["error"].startswith("/none.usda: no such file")


def test_server_answers_over_its_pipes() -> None:
    mcp = pytest.importorskip("mcp")

    async def asked() -> tuple[list[str], str]:
        server = mcp.StdioServerParameters(command=sys.executable, args=["-c", SERVE])
        async with mcp.stdio_client(server) as pipes, mcp.ClientSession(*pipes) as session:
            await session.initialize()
            listed = await session.list_tools()
            answer = await session.call_tool("explain_code", {"code": "DJ.007/limits-clip"})
            return [tool.name for tool in listed.tools], answer.content[0].text

    names, text = asyncio.run(asked())
    assert names == [tool.__name__ for tool in TOOLS] and "limits-clip" in text
