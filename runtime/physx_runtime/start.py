"""What is started before USD is imported, and what still runs where there is none."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from importlib.metadata import EntryPoint, version
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from itertools import pairwise
from pathlib import Path
from typing import TextIO

import click

# Commands that open files from unknown sources.
OPENING_COMMANDS = ("check", "convert", "describe", "identify", "migrate", "report", "simulate", "tune", "verify",
                    "view")
INFO_OPTIONS = ("-h", "--help", "--list-rules")      # options with which they open none
NO_USD_EXIT_CODE = 2            # exit code of a command that needs a USD where there is none


def prepare_program() -> Callable[[], None]:
    """What runs the program with the arguments of the process, once all that it needs is imported."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        return lambda: click.echo(f"physx-schema, version {version('physx-schema')}")
    warnings.showwarning = _show_warning
    # a result that is not finite says so itself, with its prim; NumPy names an operation of ours, once for each line
    warnings.filterwarnings("ignore", r"(divide by zero|overflow|underflow|invalid value) encountered", RuntimeWarning)
    trial = start_trial(arguments)
    try:
        from physx_schema.command_line.program import main as run
    except ImportError as error:
        if error.name != "pxr":
            raise
        return partial(WithoutUsd(str(error)), prog_name="physx-schema")
    if trial is not None:
        from physx_schema.description.trial import adopt

        adopt(trial)
    return run


def start_trial(arguments: Sequence[str]) -> subprocess.Popen[bytes] | None:
    """The process that opens files first, begun where a command will want it: its imports then go on beside ours."""
    trusted = "--isolate=off" in arguments or ("--isolate", "off") in pairwise(arguments)
    spec = find_spec("physx_schema")
    opens_nothing = {*INFO_OPTIONS} & {*arguments} or {*OPENING_COMMANDS}.isdisjoint(arguments[:1])
    if trusted or opens_nothing or not spec or not spec.origin:
        return None
    program = Path(spec.origin).with_name("description") / "trial_process.py"
    return subprocess.Popen([sys.executable, "-P", str(program)], bufsize=0, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


class WithoutUsd(click.Group):
    """The commands that need no USD; of any other it says why it does not run."""

    def __init__(self, fault: str) -> None:
        super().__init__("physx-schema", help=f"Author, check and simulate PhysX physics in USD.\n\n{fault}")
        self.fault = fault
        self.entries: dict[str, list[EntryPoint]] = {}
        for entry in _find_commands():
            self.entries.setdefault(entry.name, []).append(entry)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands that run."""
        return [name for name, entries in sorted(self.entries.items()) if _load_command(entries) is not None]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name; ends the program where it needs USD."""
        command = _load_command(self.entries.get(cmd_name, []))
        if cmd_name in self.entries and command is None:
            click.echo(self.fault, err=True)
            ctx.exit(NO_USD_EXIT_CODE)
        return command


def _find_commands() -> Iterable[EntryPoint]:
    """All commands, by the file of physx_schema that finds them: the package itself imports USD.

    The generator's are there twice, also where another package has a command of the same name that needs USD.
    """
    package = find_spec("physx_schema")
    if package is None or package.origin is None:
        return ()
    path = Path(package.origin).with_name("command_line") / "command_files.py"
    spec = spec_from_file_location("command_files", path)
    if spec is None or spec.loader is None:
        return ()
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    commands: Iterable[EntryPoint] = (*module.find_commands(), *module.commands_of(module.PACKAGES[0]))
    return commands


def _load_command(entries: Iterable[EntryPoint]) -> click.Command | None:
    """The first of these commands that needs no USD, None where all need it."""
    for entry in entries:
        with suppress(ImportError):
            command: click.Command = entry.load()
            return command
    return None


def _show_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning as its text: where in a library it was given tells the reader of a terminal nothing."""
    click.echo(str(message), err=True)
