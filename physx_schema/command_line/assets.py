"""The files that arguments of commands name, and the options of commands that work on many files."""

from __future__ import annotations

import functools
import glob
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from physx_schema.command_line.options import is_quiet
from physx_schema.description.trial import is_trusting
from physx_schema.errors import printable
from physx_schema.files import STAGE_SUFFIXES
from physx_schema.library.outcomes import Limits
from physx_schema.text import plural

if TYPE_CHECKING:
    from physx_schema.library.asset_run import Plan

TIME_LIMIT = 600.0      # seconds for an asset
PATHS_HELP = "PATH is a file, a folder with stages, a pattern such as 'assets/**/*.usda', or - for a list on stdin."


class Shard(click.ParamType[tuple[int, int]]):
    """One of several equal parts of a list, as 3/64."""

    name = "shard"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """The number of the part, from 1, and the number of parts."""
        number, _, count = str(value).partition("/")
        if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
            self.fail(f"{value!r} is not a part such as 3/64; the first of 64 parts is 1/64, the last is 64/64", param,
                      ctx)
        return int(number), int(count)


@dataclass(frozen=True, slots=True)
class AssetOptions:
    """How a command works on many files."""

    jobs: int | None = None
    shard: tuple[int, int] = (1, 1)
    limits: Limits | None = None        # as given; None for the default
    results: Path | None = None
    summary: bool = False
    ray: str | None = None              # the address of a cluster

    @property
    def worker_limits(self) -> Limits:
        """The limits of a file in a worker process."""
        return self.limits or Limits(TIME_LIMIT)

    @property
    def in_workers(self) -> bool:
        """Whether an option asks for worker processes."""
        return bool(self.jobs or self.results or self.limits or self.ray)

    def workers(self, count: int, few: int) -> int:
        """The number of worker processes for files; 0 to work in this process.

        few: the number of files for which workers take longer to start than the work takes.
        """
        if count < few and not self.in_workers:
            return 0
        return max(1, min(count, self.jobs or os.cpu_count() or 1))


def asset_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of many files, as its argument `assets`."""
    @click.option("-j", "--jobs", type=click.IntRange(min=1), help="Use this number of worker processes.  [default: "
                  "one for each core; none for few files]")
    @click.option("--shard", type=Shard(), default="1/1", metavar="I/N", help="Work on the I-th of N equal parts of "
                  "the files, such as 3/64.")
    @click.option("--time-limit", type=click.FloatRange(min=0.0, min_open=True), metavar="SECONDS",
                  help=f"Stop the work on a file after this time.  [default: {TIME_LIMIT:.0f}]")
    @click.option("--memory-limit", type=click.IntRange(min=64), metavar="MB",
                  help="Stop the work on a file that needs more memory.")
    @click.option("--results", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
                  help="Add the results to the Parquet dataset in this folder; leave out files with results. With "
                       "--force, do them again.")
    @click.option("--summary", is_flag=True, help="With --results: print a summary of the dataset, and write "
                                                  "_summary.html into its folder.")
    @click.option("--ray", metavar="ADDRESS", help="Use this Ray cluster, or auto, instead of worker processes.")
    @functools.wraps(command)
    def with_assets(jobs: int | None, shard: tuple[int, int], time_limit: float | None, memory_limit: int | None,
                    results: Path | None, summary: bool, ray: str | None, **values: Any) -> None:
        if jobs and ray:
            raise click.UsageError("--jobs counts worker processes, and --ray replaces them; give one of both")
        if summary and results is None:
            raise click.UsageError("--summary requires --results")
        limits = None
        if time_limit is not None or memory_limit is not None:
            limits = Limits(time_limit or TIME_LIMIT, memory_limit)
        command(assets=AssetOptions(jobs, shard, limits, results, summary, ray), **values)
    return with_assets


def listed(paths: Sequence[str], assets: AssetOptions) -> list[str]:
    """The files that arguments name, or a part of them, each once; that there are none is said."""
    files = list(dict.fromkeys(_files(paths)))
    if not files:
        click.echo("stdin lists no files, and nothing was done; write one path on each line", err=True)
    number, count = assets.shard
    return files[number - 1::count]


def plan_of(assets: AssetOptions, command: str, settings: dict[str, Any], workers: int, repeat: bool) -> Plan:
    """How worker processes do the work of a command; `settings` are the options that change its results."""
    from physx_schema.library.asset_run import Plan  # with multiprocessing, which few files do not need
    from physx_schema.library.content import identity
    from physx_schema.library.dataset import Dataset

    dataset = Dataset(assets.results) if assets.results else None
    return Plan(identity(command, settings), workers, assets.worker_limits, is_trusting(), dataset, repeat, assets.ray)


def print_known(count: int, assets: AssetOptions) -> None:
    """Say how many files have results in the dataset, and were left out."""
    if count and not is_quiet():
        click.echo(printable(f"{assets.results}: has results of {plural(count, 'file')} with the same layers, settings "
                             "and versions; --force repeats them"), err=True)


def print_summary(assets: AssetOptions) -> None:
    """Print the summary of the dataset and write its page, where that was asked for."""
    if assets.summary and assets.results:
        from physx_schema.library.dataset import Dataset
        from physx_schema.library.summary import write_summary

        for line in write_summary(Dataset(assets.results)):
            click.echo(printable(line))


def gravest(*codes: int) -> int:
    """The exit code of a run over several files, from those of the files."""
    return next((code for code in (4, 2, 3, 6, 1, 5) if code in codes), 0)


def _files(paths: Sequence[str]) -> Iterator[str]:
    """The files that arguments name: themselves, those in folders and patterns, and the lines of stdin for -."""
    for path in paths:
        if path == "-":
            yield from filter(None, (os.fsdecode(line).strip() for line in sys.stdin.buffer))
        elif set(path) & set("*?[") and not Path(path).exists():
            matches = sorted(name for name in glob.glob(path, recursive=True) if Path(name).is_file())  # noqa: PTH207
            if not matches:
                raise click.UsageError(f"{printable(path)} matches no file")
            yield from matches
        elif Path(path).is_dir():
            yield from _stages_in_folder(Path(path)) or [path]    # the check reports that it is not a stage
        else:
            yield path


def _stages_in_folder(folder: Path) -> list[str]:
    """The stages in a folder and in those inside it, hidden ones and environments of Python apart."""
    files: list[str] = []
    for directory, folders, names in os.walk(folder):
        folders[:] = [name for name in folders
                      if not name.startswith(".") and not (Path(directory) / name / "pyvenv.cfg").exists()]
        files += [str(Path(directory) / name) for name in names
                  if name.lower().endswith(STAGE_SUFFIXES) and not name.startswith(".")]
    return sorted(files)
