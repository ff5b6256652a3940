"""What the README shows is what happens."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support.places import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"```(\w*)\n(.*?)```", README, re.S))


PROGRAM = "from physx_schema.cli import main; main()"
LONGEST = 300.0         # s that any of it may take on a busy machine
INTERRUPTED = 130       # exit code of a command that Ctrl-C ended
ASSERTION = "assert_authored_values(stage)"
# What the names in the table stand for.
NAMES = """
import numpy as np
from pxr import Usd
from physx_schema.authoring import *
import physx_schema as PhysxSchema, physx_runtime
from physx_runtime.pytest_plugin import *
stage = Usd.Stage.Open("finger.usda")
prims = [stage.GetPrimAtPath(f"/Finger/{name}") for name in ("knuckle", "middle_joint", "tip_joint")]
prim, array, dt = prims[0], np.full(3, 0.002), 1 / 60
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example finger, after the README's code has added a tendon and a mimic joint."""
    path = tmp_path_factory.mktemp("readme")
    python(path, (ROOT / "examples" / "finger.py").read_text(encoding="utf-8"))
    python(path, BLOCKS["python"])
    return path


def python(folder: Path, code: str, *arguments: str, expected: int = 0) -> str:
    """What a Python program prints, run in a folder."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], cwd=folder, capture_output=True, text=True,
                          check=False, timeout=LONGEST)
    assert done.returncode == expected, f"{code}\n{done.stdout}{done.stderr}"
    return done.stdout


def viewed(folder: Path, *arguments: str) -> str:
    """What `physx-schema view` prints when press Ctrl-C to end as soon as it has said its address."""
    environment = {**os.environ, "BROWSER": "true"}      # a program that opens nothing
    live = subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments], cwd=folder, env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    limit = threading.Timer(LONGEST, live.kill)
    limit.start()
    try:
        assert live.stdout is not None
        said = live.stdout.readline()
        live.send_signal(signal.SIGINT)
        rest, told = live.communicate()
    finally:
        limit.cancel()
        live.kill()
    assert live.returncode == INTERRUPTED, told
    return said + rest


@pytest.fixture(scope="module")
def verified(folder: Path) -> str:
    """What `physx-schema verify` prints for what the README's code has authored."""
    return python(folder, PROGRAM, "verify", "finger.usda", expected=1)


def test_shown_lines_of_verify_are_printed(verified: str) -> None:
    missing = [line for line in BLOCKS[""].splitlines() if line not in verified.splitlines()]
    assert not missing, verified


def test_what_the_code_authors_has_no_findings(folder: Path) -> None:
    assert python(folder, PROGRAM, "check", "--strict", "finger.usda").startswith("finger.usda: 0 errors, 0 warnings")


def table_code() -> list[str]:
    """Every piece of code in the table of things to do."""
    rows = re.findall(r"^\| (?!task \|)[^|]*\| (.*) \|$", README.partition("## Ten tasks")[2], re.M)
    return [code for row in rows for code in re.findall(r"`([^`]+)`", row)]


def test_python_in_the_table_runs_as_it_stands(folder: Path) -> None:
    calls = [code for code in table_code() if "(" in code]
    calls.remove(ASSERTION)         # which fails here, as it should: the tendon is altered
    assert len(calls) > 1
    python(folder, NAMES + "\n".join(calls))
    python(folder, f"{NAMES}\ntry:\n    {ASSERTION}\nexcept AssertionError:\n    raise SystemExit(7)", expected=7)


def test_commands_in_the_table_run_as_they_stand(folder: Path) -> None:
    commands = [code.removeprefix("physx-schema ") for code in table_code() if code.startswith("physx-schema ")]
    assert len(commands) > 5
    for command in commands:
        if command.startswith("view"):
            assert re.fullmatch(r"finger.usda: .*http://127.0.0.1:\d+.*\n", viewed(folder, *command.split()))
        else:
            python(folder, PROGRAM, *command.split(), expected=1 if command.startswith("verify") else 0)


def test_the_table_has_ten_things() -> None:
    assert len(table_code()) == 10


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"make (\w+)(?: |`)", README))
    assert targets == {"demo", "test", "docs"}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(f"\n{target}:" in makefile for target in targets)
