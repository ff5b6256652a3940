"""Options that commands share: trying files in another process first, replacing files, and silence; and progress.

Progress is a line of the terminal on what a command is busy with, which goes when it is done."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TextIO

import click

from physx_schema.description.trial import trusted_files
from physx_schema.engine_releases import LATEST, RELEASES
from physx_schema.errors import printable

force_option = click.option(
    "--force", is_flag=True, help="Replace output files that physx-schema did not write. Files of the stage are never "
                                  "replaced.")


def _isolate(context: click.Context, parameter: click.Parameter, value: str) -> None:
    # of the program's own context, which is closed where another option of the command is refused too
    context.find_root().with_resource(trusted_files(value == "off"))


isolation_option = click.option(
    "--isolate", type=click.Choice(("on", "off")), default="on", show_default=True, expose_value=False,
    callback=_isolate, help="Open files first in a separate process, to survive crashes of USD.")


PATIENCE = 2.0          # seconds after which a reader wonders whether anything goes on
BEAT = 0.5              # seconds between two looks at the clock
_QUIET = "physx_schema.quiet"
_CLEAR = "\r\x1b[K"     # to the line's start, and the line away


def _silence(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    silenced(context, value)


quiet_option = click.option("-q", "--quiet", is_flag=True, expose_value=False, callback=_silence,
                            help="Print only problems: no summary and no progress.")


engine_release_option = click.option(
    "--engine-release", type=click.Choice(RELEASES), help=f"Check for this release of ovphysx.  [default: {LATEST}]")


def silenced(context: click.Context, quiet: bool) -> None:
    """Tell the command of a context whether to say only what is wrong."""
    context.meta[_QUIET] = quiet


def is_quiet() -> bool:
    """Whether the command that runs was told to say only what is wrong."""
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(_QUIET))


class Progress:
    """The line of what is done, once that takes longer than anybody waits without a word; only on a terminal."""

    def __init__(self, what: str, stream: TextIO) -> None:
        self.what = what
        self._stream = stream
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Watch the clock, in a thread of its own."""
        self._thread.start()

    def end(self) -> None:
        """Take the line away."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        started, wait = monotonic(), PATIENCE
        while not self._ended.wait(wait):
            wait = BEAT
            self._write(f"{_CLEAR}{printable(self.what)}, {monotonic() - started:.0f} s")
        if wait == BEAT:
            self._write(_CLEAR)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


@contextmanager
def progress(what: str) -> Iterator[Progress]:
    """Show what the block does on stderr once it takes longer than 2 s, where stderr is a terminal and not silenced."""
    indicator = Progress(what, sys.stderr)
    if is_quiet() or not sys.stderr.isatty():
        yield indicator
        return
    indicator.start()
    try:
        yield indicator
    finally:
        indicator.end()
