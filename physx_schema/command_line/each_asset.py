"""Commands of one file, made commands of many: each file in a worker process, the output in the order of the files."""

from __future__ import annotations

import functools
import io
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import click

from physx_schema.command_line.assets import (
    AssetOptions,
    asset_options,
    gravest,
    listed,
    plan_of,
    print_known,
    print_summary,
)
from physx_schema.command_line.options import is_quiet, silenced
from physx_schema.command_line.program import Boundary, Unreadable
from physx_schema.command_line.progress import progress
from physx_schema.diagnostics import captured
from physx_schema.errors import printable
from physx_schema.library.columns import DONE, FAILED, UNREADABLE
from physx_schema.library.outcomes import Done, Known, Lost, Row

FEW = 2                     # files from which on worker processes are worth their start
_ROWS = "physx_schema.rows"
Command = Callable[..., None]
Option = Callable[[str, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Text:
    """What a command prints of a file."""

    output: str
    errors: str


def each_asset(*results: str, prepare: Callable[[dict[str, Any]], None] | None = None,
               single: Collection[str] = (), adapt: Option | None = None) -> Callable[[Command], Command]:
    """Make a command with the argument `stage` a command of many files.

    results: the options that change results, by the names of their parameters. prepare: refuses options that do not
    suit many files. single: options for one file alone. adapt: the options of one of several files.
    """
    def of_many(command: Command) -> Command:
        @click.argument("paths", nargs=-1, required=True, metavar="PATH...")
        @asset_options
        @functools.wraps(command)
        def with_paths(paths: tuple[str, ...], assets: AssetOptions, **options: Any) -> None:
            files = listed(paths, assets)
            workers = assets.workers(len(files), FEW)
            if not workers:
                for path in files:
                    command(stage=path, **options)
                return
            current = click.get_current_context().command
            for parameter in current.params:
                if parameter.name in single and options[parameter.name]:
                    raise click.UsageError(f"{parameter.opts[-1]} works only with one file, and without --jobs, "
                                           "--results, --ray and limits")
            if prepare is not None:
                prepare(options)
            name = current.name or ""
            work = CommandWork(command.__module__, command.__name__, tuple(options.items()), is_quiet(),
                               adapt, bool(assets.results))
            settings = {key: options[key] for key in results}
            code = _run(files, name, work, settings, assets, workers, bool(options.get("force")))
            print_summary(assets)
            raise click.exceptions.Exit(code)
        with_paths.single = command     # type: ignore[attr-defined]
        return with_paths
    return of_many


def record(rows: Callable[[], Iterator[Row]]) -> None:
    """Keep rows of findings and measured values, if the command that runs has a dataset for them."""
    context = click.get_current_context(silent=True)
    recorded = context.meta.get(_ROWS) if context else None
    if recorded is not None:
        recorded += rows()


@dataclass(frozen=True, slots=True)
class CommandWork:
    """A command on one file in a worker process; its value is what the command prints."""

    module: str
    function: str
    options: tuple[tuple[str, Any], ...]
    quiet: bool
    adapt: Option | None
    recording: bool

    def __call__(self, path: str) -> Done[Text]:
        """What the command prints, its exit code and its rows."""
        command: click.Command = getattr(import_module(self.module), self.function)
        single = command.callback.single        # type: ignore[union-attr]
        options = dict(self.options)
        if self.adapt is not None:
            options = self.adapt(path, options)
        output, errors, outcome, message = io.StringIO(), io.StringIO(), DONE, ""
        with click.Context(command) as context, redirect_stdout(output), redirect_stderr(errors):
            silenced(context, self.quiet)
            rows: list[Row] = []
            if self.recording:
                context.meta[_ROWS] = rows
            try:
                with Boundary(), captured(lambda line: click.echo(printable(line), err=True)):
                    single(stage=path, **options)
                code = 0
            except click.exceptions.Exit as end:
                code = end.exit_code
            except click.ClickException as fault:
                fault.show()
                code, message = fault.exit_code, fault.format_message()
                outcome = UNREADABLE if isinstance(fault, Unreadable) else FAILED
        return Done(Text(output.getvalue(), errors.getvalue()), code, outcome, message, tuple(rows))


def _run(files: Sequence[str], name: str, work: CommandWork, settings: dict[str, Any], assets: AssetOptions,
         workers: int, repeat: bool) -> int:
    """Run a command on files and print its outputs in their order; return the gravest exit code."""
    from physx_schema.library.asset_run import run_assets  # with multiprocessing, which few files do not need

    answers = dict[str, Done[Text] | Known | Lost]()
    codes, known, waiting = set[int](), 0, iter(files)
    following = next(waiting, None)
    plan = plan_of(assets, name, settings, workers, repeat)
    with progress(f"{name}, files:") as indicator:
        indicator.total = len(files)
        for path, answer in run_assets(files, work, plan):
            indicator.done += 1
            answers[path] = answer
            while following in answers:
                codes.add(_print(str(following), name, answers[str(following)]))
                known += isinstance(answers.pop(str(following)), Known)
                following = next(waiting, None)
    print_known(known, assets)
    return gravest(*codes)


def _print(path: str, name: str, answer: Done[Text] | Known | Lost) -> int:
    """Print what a command made of a file; return the exit code."""
    if isinstance(answer, Known):
        return answer.exit_code
    if isinstance(answer, Lost):
        click.echo(printable(f"{path}: {name} {answer.reason}"), err=True)
        return answer.exit_code
    click.echo(answer.value.output, nl=False)
    click.echo(answer.value.errors, nl=False, err=True)
    return answer.exit_code
