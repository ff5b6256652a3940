"""Pages of docs/tasks and docs/tutorials do what they show: their code runs in order and prints what stands below."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.places import ROOT

from physx_schema.command_line.program import program

PAGES = sorted(path for path in (ROOT / "docs" / "tasks").glob("*.md") if path.name != "README.md")
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
FINGER = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)[0]
LONG = {"batches", "comparing", "contact", "drive_gains", "friction", "tuning"}     # they step or compile
FINDINGS = {0, 1}           # exit codes of commands that ran


def shown(page: Path) -> str:
    """All that a page says is printed."""
    return "".join(re.findall(r"```text\n(.*?)```", page.read_text(encoding="utf-8"), re.S))


def printed(page: Path) -> str:
    """What the page's Python code prints; its commands have to run."""
    names: dict[str, object] = {}
    out = io.StringIO()
    for kind, code in re.findall(r"```(python|sh)\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
        if kind == "python":
            with contextlib.redirect_stdout(out):
                exec(compile(code, str(page), "exec"), names)
            continue
        for line in code.splitlines():
            done = CliRunner().invoke(program(), line.split()[1:])
            assert done.exit_code in FINDINGS, f"{line}\n{done.output}"
    return out.getvalue()


@pytest.mark.parametrize("page", [
    pytest.param(page, id=page.stem, marks=pytest.mark.sweep if page in TUTORIALS or page.stem in LONG else ())
    for page in PAGES + TUTORIALS])
@pytest.mark.filterwarnings("ignore::physx_runtime.NotSimulatedWarning")
def test_a_page_prints_what_it_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(FINGER, {})
    assert printed(page) == shown(page)


def test_every_task_is_in_the_table() -> None:
    table = (ROOT / "docs" / "tasks" / "README.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"\]\((\w+)\.md\)", table)) == [page.stem for page in PAGES]
    assert len(PAGES) == 12
