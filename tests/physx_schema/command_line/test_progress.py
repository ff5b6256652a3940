"""The line of progress: what it says, that it goes, and that nobody sees it in a pipe."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.places import STAGES
from support.terminal import MAIN, on_a_terminal

from physx_schema.command_line import progress as progress_module
from physx_schema.command_line.progress import Progress, progress, shortened

CLEAR = "\r\x1b[K"
# Shown at once and often, however fast the machine is.
IMPATIENT = ("import physx_schema.command_line.progress as line; line.PATIENCE, line.BEAT = 0.0, 0.001; " + MAIN)


@dataclass
class Part:
    what: str
    total: int = 0
    done: int = 0


def line(tasks: Sequence[Part]) -> Progress:
    return Progress("arm.usda", tasks, io.StringIO())


def test_line_names_the_open_tasks_with_their_counts_and_the_time() -> None:
    tasks = [Part("measuring", 12, 3), Part("compiling kernels", 5, 2), Part("linking")]
    assert line(tasks).text(4.0, 0.0) == "arm.usda: measuring 3 of 12: compiling kernels 2 of 5: linking, 4 s"


def test_rest_is_estimated_from_the_speed_since_a_task_was_first_seen() -> None:
    part = Part("step", 100, 20)
    shown = line([part])
    shown.text(10.0, 0.0)
    part.done = 40
    assert shown.text(12.0, 0.0) == "arm.usda: step 40 of 100, 12 s, about 6 s left"


def test_steps_of_an_inner_task_count_as_a_part_of_the_step_at_work() -> None:
    outer, inner = Part("measuring", 4), Part("trial", 10)
    shown = line([outer, inner])
    shown.text(0.0, 0.0)
    inner.done = 5          # an eighth of everything after 3 s
    assert shown.text(3.0, 0.0).endswith("about 21 s left")


def test_estimate_of_a_task_says_nothing_of_the_next_one() -> None:
    tasks = [Part("step", 10)]
    shown = line(tasks)
    shown.text(0.0, 0.0)
    tasks[:] = [Part("writing", 10, 5)]
    assert shown.text(9.0, 0.0) == "arm.usda: writing 5 of 10, 9 s"


def test_long_times_are_in_minutes() -> None:
    part = Part("step", 100)
    shown = line([part])
    shown.text(0.0, 0.0)
    part.done = 10
    assert shown.text(60.0, 0.0).endswith("60 s, about 9 min left")


def test_names_with_control_characters_are_escaped() -> None:
    assert line([Part("a\x1b[2Jb")]).text(1.0, 0.0) == "arm.usda: a\\x1b[2Jb, 1 s"


@pytest.mark.parametrize(("text", "shown"), [("abcdef", "abcdef"), ("abcdefg", "\N{HORIZONTAL ELLIPSIS}cdefg")])
def test_line_that_is_too_wide_keeps_its_end(text: str, shown: str) -> None:
    assert shortened(text, 6) == shown


class Terminal(io.StringIO):
    """A terminal that tells when it is written to."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        self.written.set()


def test_line_is_cleared_when_the_work_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress_module, "PATIENCE", 0.0)
    with progress("working"):
        assert terminal.written.wait(60.0)
    assert terminal.getvalue().startswith(f"{CLEAR}working, 1 s") and terminal.getvalue().endswith(CLEAR)


def test_work_that_ends_soon_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress_module, "PATIENCE", 600.0)
    with progress("working"):
        pass
    assert terminal.getvalue() == ""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(12):
        shutil.copy(STAGES / "clean_finger.usda", tmp_path / f"finger{number:02}.usda")
    return tmp_path


def test_check_of_many_files_counts_them_on_a_terminal_and_not_in_the_output(folder: Path) -> None:
    said = on_a_terminal("check", str(folder), code=IMPATIENT, stdout_piped=True, columns=400)
    assert said.code == 0 and "files: 5 of 12" in said.terminal
    assert said.piped.count("finger") == 12 and "\r" not in said.piped
    assert said.terminal.endswith(CLEAR)


def test_verify_says_what_it_measures_on_a_terminal(folder: Path) -> None:
    said = on_a_terminal("verify", str(folder / "finger00.usda"), code=IMPATIENT, stdout_piped=True, columns=400)
    assert all(part in said.terminal for part in ("verifying: measuring branches of /Robot", "until the robot settles"))
    assert "measuring branches of /Robot" not in said.piped and said.terminal.endswith(CLEAR)


@pytest.mark.parametrize("option", [(), ("-q",)])
def test_nothing_of_it_is_in_a_pipe(folder: Path, option: tuple[str, ...]) -> None:
    done = subprocess.run([sys.executable, "-c", IMPATIENT, "check", *option, str(folder)], capture_output=True,
                          text=True, check=True)
    assert done.stderr == ""


@pytest.mark.parametrize(("option", "environment"), [(("-q",), {}), ((), {"TERM": "dumb"})])
def test_silenced_command_and_dumb_terminal_show_none(folder: Path, option: tuple[str, ...],
                                                      environment: dict[str, str]) -> None:
    said = on_a_terminal("check", *option, str(folder), code=IMPATIENT, stdout_piped=True, **environment)
    assert said.terminal == ""
