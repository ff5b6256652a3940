"""Run the code of the guides in docs/guides, and write its output into them.

    PYTHONPATH=tests python -m support.guides [NAME ...]      rewrites the ```text blocks of these guides, or of all

A guide's ```python and ```sh blocks run in order, in a folder with the `finger.usda` of the README. Blocks with a
title, such as ```yaml title="worlds.yaml", are written there as files. A ```text block shows the output of the code
before it. Blocks of other kinds do not run.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from click.testing import CliRunner

from physx_schema.command_line.program import program
from support.converter import stand_in
from support.places import ROOT

GUIDES = ROOT / "docs" / "guides"
OTHERS = {"index", "own_schema", "questions"}       # without code, or with tests elsewhere
BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.S | re.M)
RUN = ("python", "sh")
FINDINGS = {0, 1}           # exit codes of commands that ran
CONVERTED = ROOT / "tests" / "data" / "guides" / "arm.usda"     # arm.urdf, as urdf-usd-converter 0.3.4 converts it


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a guide: its kind, title, text and the place of the text in the page."""
    kind: str
    title: str
    text: str
    span: tuple[int, int]


def guides() -> list[Path]:
    return [page for page in sorted(GUIDES.glob("*.md")) if page.stem not in OTHERS]


def blocks(page: Path) -> list[Block]:
    return [Block(found[1], found[2] or "", found[3], found.span(3))
            for found in BLOCK.finditer(page.read_text(encoding="utf-8"))]


def prepare(folder: Path) -> None:
    """Write the files that the guides begin with into the current folder."""
    exec((ROOT / "examples" / "finger.py").read_text(encoding="utf-8") + "\nbuild()\n", {})
    exec(re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)[0], {})
    for name in ("leg.usda", "leg.npz"):
        shutil.copy(ROOT / "tests" / "data" / "identification" / name, name)


@contextlib.contextmanager
def robot_converter(folder: Path) -> Iterator[None]:
    """In the block the guides' robot is converted, by a stand-in where the converter is not installed."""
    if find_spec("urdf_usd_converter"):
        yield
        return
    with stand_in(folder, CONVERTED.read_text(encoding="utf-8"), "0.3.4"):
        yield


def shown_and_printed(page: Path, folder: Path) -> list[tuple[Block, str]]:
    """Each ```text block with the output of the code block before it."""
    names: dict[str, object] = {"__name__": "__main__"}
    found: list[tuple[Block, str]] = []
    ran = blocks(page)
    for block, after in zip(ran, [*ran[1:], None], strict=True):
        if block.title:
            (folder / block.title).write_text(block.text, encoding="utf-8")
        elif block.kind in RUN:
            out = (python(block.text, str(page), names) if block.kind == "python" else
                   "".join(command(line) for line in block.text.replace("\\\n", " ").splitlines()))
            shown = after is not None and after.kind == "text"
            assert shown or block.kind == "sh" or not out, f"{page.name} does not show what this prints:\n{block.text}"
            if after is not None and shown:
                found.append((after, out.replace(f"{folder}/", "")))
    return found


def python(code: str, name: str, names: dict[str, object]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, name, "exec"), names)
    return out.getvalue()


def command(line: str) -> str:
    """The output of one command, through the filters after `|`."""
    first, *filters = line.split(" | ")
    name, *arguments = shlex.split(first, comments=True)
    if name == "physx-schema":
        done = CliRunner().invoke(program(), arguments)
        code, out = done.exit_code, done.stdout if filters else done.output
    else:
        run = subprocess.run([sys.executable, "-m", name, *arguments], env=at_a_terminal(), capture_output=True,
                             text=True, check=False)
        code, out = run.returncode, run.stdout
    assert code in FINDINGS, f"{line}\n{out}"
    for one in filters:
        out = subprocess.run(shlex.split(one), input=out, capture_output=True, text=True, check=True).stdout
    return out


def at_a_terminal() -> dict[str, str]:
    """The environment of a reader's terminal: pytest does not shorten its lines where a CI service is named."""
    return {name: value for name, value in os.environ.items() if name not in {"CI", "BUILD_NUMBER"}} | {"COLUMNS": "80"}


def rewrite(page: Path) -> bool:
    """Write the output of a guide's code into its ```text blocks; whether any of them changed."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        folder = Path(name).resolve()
        prepare(folder)
        with robot_converter(folder):
            found = shown_and_printed(page, folder)
    text = page.read_text(encoding="utf-8")
    for block, printed in reversed(found):
        text = text[:block.span[0]] + printed + text[block.span[1]:]
    page.write_text(text, encoding="utf-8")
    return any(block.text != printed for block, printed in found)


def main() -> None:
    warnings.simplefilter("ignore")
    chosen = [GUIDES / f"{Path(name).stem}.md" for name in sys.argv[1:]] or guides()
    for page in chosen:
        print(f"{page.relative_to(ROOT)}: {'rewritten' if rewrite(page) else 'unchanged'}", flush=True)


if __name__ == "__main__":
    os.environ.setdefault("NO_COLOR", "1")
    main()
