"""The program: what a command loads, what runs without USD, and the process that is started before USD is imported.

What `physx_runtime` offers: every public name is found and listed, before any of them is used.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import physx_runtime
import pytest
from physx_runtime import start
from support.places import ROOT

STAGE = str(ROOT / "tests/data/stages/clean_finger.usda")
SOURCES = [str(ROOT / name) for name in ("", "codegen", "generated", "runtime")]
CHECK = """
import sys
from physx_runtime.program import main
sys.argv[1:] = ["check", sys.argv[1]]
try:
    main()
finally:
    print(*sorted({"numba", "llvmlite", "jinja2", "matplotlib", "yaml", "PIL", "rich"} & set(sys.modules)))
"""
USELESS = "raise ImportError('no USD here', name='pxr')\n"


def run(*arguments: str, code: str = "from physx_runtime.program import main; main()",
        **environment: str) -> subprocess.CompletedProcess[str]:
    """A process of its own, as a shell starts it."""
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False,
                          env=os.environ | environment)


def test_check_loads_no_compiler_template_plot_or_yaml() -> None:
    done = run(STAGE, code=CHECK)
    assert (done.stderr, done.stdout.splitlines()[-1]) == ("", "")
    assert done.stdout.splitlines()[-2].endswith("0 errors, 0 warnings, 0 info, 0 not evaluated")


@pytest.fixture
def without_usd(tmp_path: Path) -> str:
    """A PYTHONPATH by which pxr cannot be imported."""
    (tmp_path / "pxr").mkdir()
    (tmp_path / "pxr/__init__.py").write_text(USELESS, encoding="utf-8")
    return os.pathsep.join([str(tmp_path), *SOURCES])


@pytest.mark.parametrize("command", ["check", "describe", "simulate"])
def test_command_that_needs_usd_says_in_a_line_what_is_wrong_with_it(without_usd: str, command: str) -> None:
    done = run(command, STAGE, PYTHONPATH=without_usd)
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    assert "is incomplete (no USD here); pip install --force-reinstall usd-core" in line


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("generate", "--help"), ("convert", "--help"),
                                       ("diff", "--help")])
def test_what_needs_no_usd_runs_without(without_usd: str, arguments: tuple[str, ...]) -> None:
    done = run(*arguments, PYTHONPATH=without_usd)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout


def test_help_without_usd_says_why_commands_are_missing(without_usd: str) -> None:
    said = run("--help", PYTHONPATH=without_usd).stdout
    assert "is incomplete" in " ".join(said.split()) and "\n  generate " in said and "\n  simulate " not in said


@pytest.mark.parametrize(("arguments", "started"), [
    (["check", STAGE], True), (["simulate", STAGE, "--isolate", "on"], True),
    (["check", "--isolate=off", STAGE], False), (["check", "--isolate", "off", STAGE], False),
    (["check", "--help"], False), (["generate"], False), (["demo"], False), ([], False),
])
def test_process_that_opens_files_is_started_for_commands_that_want_it(arguments: list[str], started: bool) -> None:
    trial = start.start_trial(arguments)
    assert (trial is not None) == started
    if trial is not None:
        with trial:
            trial.kill()


LATE = """
import os, signal, sys
last = sys.argv.pop(1)
class Late:
    def find_spec(self, name, path=None, target=None):
        if name == last:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Late())
from physx_runtime.program import main
main()
"""


@pytest.mark.parametrize("imported", ["click", "pxr", "physx_schema.checking.catalogue", "physx_runtime.verification"])
def test_interrupt_during_any_import_is_a_line_and_ends_with_130(imported: str) -> None:
    done = run(imported, "verify", STAGE, code=LATE)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", physx_runtime.__all__)
def test_every_public_name_is_a_class_or_function_of_the_package(name: str) -> None:
    found = getattr(physx_runtime, name)
    assert isinstance(found, type) == (name[0].isupper())
    assert (found.__name__, found.__module__.partition(".")[0]) == (name, "physx_runtime")


def test_a_fresh_process_lists_the_public_names_and_nothing_else() -> None:
    code = "import physx_runtime; print(*(name for name in dir(physx_runtime) if not name.startswith('__')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == sorted(physx_runtime.__all__)


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="module 'physx_runtime' has no attribute 'no_such_name'"):
        physx_runtime.no_such_name  # noqa: B018
