"""The command ``physx-schema warm``; what it needs is imported when it runs."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

from physx_runtime.progress import followed
from physx_schema.command_line.options import is_quiet, quiet_option
from physx_schema.command_line.progress import progress
from physx_schema.command_line.usage import Failure
from physx_schema.errors import UnsupportedError, printable
from physx_schema.files import unwritable

LEVELS = ("x86-64-v2", "x86-64-v3", "x86-64-v4")


@click.command("warm")
@click.option("--pack", type=click.Path(file_okay=False, path_type=Path),
              help="Write bundles for a wheel to this folder instead, for this Python and every --level.")
@click.option("--level", "levels", type=click.Choice(LEVELS), multiple=True,
              help="Level of x86-64 processors, with --pack. May be repeated.  [default: those of this machine]")
@quiet_option
def warm_command(pack: Path | None, levels: tuple[str, ...]) -> None:
    """Compile in advance what every stage needs.

    The first simulation then waits for no compiler. Kernels go to the user's cache, where later runs find them. What
    is there already is not compiled again.
    """
    if levels and pack is None:
        raise click.UsageError("--level is for bundles; give --pack FOLDER too")
    if pack is None:
        _warm()
        return
    from physx_runtime.compiling.precompiled import machine_levels

    possible = machine_levels()
    refused = [level for level in levels if level not in possible]
    if refused:
        raise click.BadParameter(f"{refused[0]} has instructions that this machine lacks, which runs what it compiles; "
                                 f"use {' or '.join(possible) or 'an x86-64 machine'}", param_hint="--level")
    try:
        pack.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(pack, error) from None
    for level in levels or possible:
        _pack(pack, level)


def _warm() -> None:
    from physx_runtime.compiling.kernel_cache import cache_folder, unwritable_reason

    reason = unwritable_reason()
    if reason:
        raise UnsupportedError(f"kernel cache {cache_folder()} {reason}; set PHYSX_RUNTIME_CACHE to a folder to which "
                               "only you can write")
    from physx_runtime.compiling.numba_functions import kernel_counts
    from physx_runtime.first_use.scenes import call_kernels

    started = time.monotonic()
    with followed() as tasks, progress("kernels", tasks):
        call_kernels()
    (compiled, loaded), seconds = kernel_counts(), time.monotonic() - started
    done = (f"compiled {compiled} kernels in {seconds:.0f} s, {loaded} were ready" if compiled else
            f"nothing to compile, {loaded} kernels are ready")
    if not is_quiet():
        click.echo(printable(f"{done}; cache {cache_folder()}"))


def _pack(folder: Path, level: str) -> None:
    """Write the bundle of a level in a process of its own, which compiles for that level alone, and from nothing."""
    from physx_runtime.compiling.precompiled import file_name

    path = folder / file_name(level)
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": "", "PHYSX_RUNTIME_CACHE": cache,
                                    "PYTHONHASHSEED": "0"}
        with progress(f"kernels for {level}"):
            process = subprocess.run([sys.executable, "-m", "physx_runtime.first_use.pack", str(path)],
                                     env=environment, stderr=subprocess.PIPE, text=True, check=False)
    if process.returncode:
        last = (process.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise Failure(printable(f"{path}: not written, because the compilation ended with: {last}"))
    if not is_quiet():
        click.echo(printable(f"{path}: {path.stat().st_size / 1e6:.1f} MB"))
