"""The click group, filled with the commands of every package, and the meaning of its exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from importlib.metadata import EntryPoint, version
from types import TracebackType
from typing import Any

import click

from physx_schema.command_line.command_files import find_commands
from physx_schema.command_line.help import (
    COMMAND_GROUPS,
    CommandContext,
    HelpContext,
    first_sentence,
    in_groups,
)
from physx_schema.command_line.usage import Failure, usage_errors_in_a_line, usage_line
from physx_schema.diagnostics import captured
from physx_schema.errors import PhysxSchemaError, UnreadableError, printable
from physx_schema.files import recover

TRACEBACK = "PHYSX_SCHEMA_TRACEBACK"
# Modules that only some commands need, by the distribution that brings them.
DISTRIBUTIONS = {"jinja2": "jinja2", "llvmlite": "numba",
                 "mcp": "physx-schema[mcp]", "numba": "numba",
                 "viser": "physx-schema[view]", "yaml": "pyyaml"}
UNREAD = 141        # 128 + SIGPIPE: what a shell reports of a program whose reader has gone


class Boundary:
    """Turns what leaves a command into one line on stderr and the program's exit code; `passing` goes through."""

    def __init__(self, passing: tuple[type[Exception], ...] = ()) -> None:
        # A reader that stops early, such as head, is no fault: `exiting_on_broken_pipe` ends the program.
        self.passing = (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError, *passing)

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None,
    ) -> None:
        if isinstance(error, KeyboardInterrupt):
            raise Interrupted("interrupted") from None
        if error is None or not isinstance(error, Exception) or isinstance(error, self.passing):
            return
        if isinstance(error, ModuleNotFoundError) and error.name in DISTRIBUTIONS:
            raise Failure(missing(error)) from None
        if isinstance(error, PhysxSchemaError):
            raise (Unreadable if isinstance(error, UnreadableError) else Failure)(str(error)) from None
        if not os.environ.get(TRACEBACK):
            line = f"internal error: {type(error).__name__}: {error} (set {TRACEBACK}=1 to show the traceback)"
            raise Internal(" ".join(line.split())) from None


def missing(error: ImportError) -> str:
    """What is not installed, and how to have it."""
    name = error.name or ""
    remedy = f": pip install '{DISTRIBUTIONS[name]}'" if name in DISTRIBUTIONS else ""
    return f"{error}{remedy}"


@contextmanager
def exiting_on_broken_pipe() -> Iterator[None]:
    """End the program without a word, with code 141, once nobody reads its output any more, as head does not."""
    try:
        yield
    except BrokenPipeError:
        null_device = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):         # a stream that is no file
                os.dup2(null_device, stream.fileno())   # so that the interpreter's last flush succeeds
        os.close(null_device)
        sys.exit(UNREAD)


class Unreadable(Failure):
    """A file that is no readable USD stage."""

    exit_code = 3


class Internal(Failure):
    """A fault of this program."""

    exit_code = 4


class Interrupted(Failure):
    """Ended from the keyboard."""

    exit_code = 130     # 128 + SIGINT


class Program(click.Group):
    """A group of commands that are loaded when they are run, and that fail with one line and a code."""

    context_class = HelpContext

    def __init__(self, name: str, offered: tuple[EntryPoint, ...] = (), **attributes: Any) -> None:
        super().__init__(name, no_args_is_help=False, **attributes)
        self.offered = {entry.name: entry for entry in offered}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return sorted({*super().list_commands(ctx), *self.offered})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name; one that cannot be imported is reported and left out."""
        entry = self.offered.get(cmd_name)
        if entry is None:
            return super().get_command(ctx, cmd_name)
        try:
            command: click.Command = entry.load()
        except ImportError as error:
            click.echo(f"physx-schema: cannot load the command {cmd_name} of {entry.value}: {missing(error)}", err=True)
            return None
        command.context_class = CommandContext
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write all commands in groups, each with the first sentence of its help."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        shown = {name: command for name, command in commands.items() if command is not None and not command.hidden}
        width = max(map(len, shown), default=0)
        for heading, names in in_groups(shown, COMMAND_GROUPS).items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), first_sentence(shown[name])) for name in names])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the program's own options; without any argument, print the help as a usage error."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True, color=ctx.color)
            ctx.exit(Failure.exit_code)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str],
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named first; a misspelt one is refused with the one that was meant."""
        known = self.list_commands(ctx)
        close = get_close_matches(args[0], known, 1)
        if close and args[0] not in known:
            ctx.fail(f"no command {args[0]!r}; did you mean {close[0]!r}?")
        return super().resolve_command(ctx, args)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any,
    ) -> click.Context:
        """The context of the arguments; the program's own help is printed here."""
        with exiting_on_broken_pipe():
            try:
                return super().make_context(info_name, args, parent, **extra)
            except click.UsageError as error:
                raise Failure(usage_line(error, info_name or "")) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the chosen command, once what an earlier one that was cut off had written is taken back."""
        with exiting_on_broken_pipe(), Boundary(), captured(_announce), usage_errors_in_a_line(ctx):
            for line in recover():
                _announce(line)
            return super().invoke(ctx)


def _announce(line: str) -> None:
    """A line on stderr."""
    click.echo(printable(line), err=True)


def _print_version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        click.echo(f"physx-schema, version {version('physx-schema')}")
        context.exit()


_VERSION = click.Option(["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_print_version,
                        help="Show the version and exit.")


def program() -> Program:
    """The group with the commands of our packages and those that others offer by entry points."""
    return Program("physx-schema", find_commands(),
                   help="Author, check and simulate PhysX physics in USD.",
                   params=[_VERSION], context_settings={"help_option_names": ["-h", "--help"]})


def main() -> None:
    """Run the program with the arguments of the process."""
    with exiting_on_broken_pipe():
        program()(prog_name="physx-schema")
