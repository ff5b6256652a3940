"""The whole loop of a schema change, as docs/changing_a_schema.md tells it: its files are written, its commands run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.places import ROOT

PAGE = ROOT / "docs/changing_a_schema.md"
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str, str]]:
    """Language, file name and text of every code block."""
    return [(found[1], found[2] or "", found[3]) for found in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]


def console(text: str) -> list[tuple[str, str]]:
    """Each command and what it prints."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


@pytest.fixture
def program(tmp_path: Path) -> dict[str, str]:
    """An environment in which `physx-schema` and `python` are those of this checkout."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, code in (("python", ""), ("physx-schema", " -c 'from physx_schema.cli import main; main()'")):
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{code} "$@"\n', encoding="utf-8")
        (tools / name).chmod(0o755)
    path = os.pathsep.join(filter(None, sys.path))
    return os.environ | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": path}


def test_every_command_of_the_page_does_what_the_page_says(tmp_path: Path, program: dict[str, str]) -> None:
    project = tmp_path / "project"
    project.mkdir()
    ran = 0
    for language, name, text in blocks():
        if name:
            (project / name).parent.mkdir(exist_ok=True)
            (project / name).write_text(text, encoding="utf-8")
        for command, printed in console(text) if language == "console" else ():
            result = subprocess.run(command, shell=True, cwd=project, env=program, text=True, check=False,
                                    capture_output=True)
            code = f"[exit {result.returncode}]\n" if result.returncode else ""
            said = result.stderr.replace(f"{project}{os.sep}", "") + result.stdout + code
            assert said.rstrip() == printed.rstrip(), command
            ran += 1
    assert ran == 11
