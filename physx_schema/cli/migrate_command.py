"""The command `migrate`."""

from __future__ import annotations

import importlib
import json
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from physx_schema.command_line.options import force_option, isolation_option
from physx_schema.errors import UnsupportedError, printable
from physx_schema.files import require_layer_name
from physx_schema.migration import LayerChange, Migration, Note, migrate
from physx_schema.migration.changes import breaking
from physx_schema.migration.layer_files import copy, in_package, replace, why_not
from physx_schema.migration.report import layer_name
from physx_schema.outputs import files_of_layers
from physx_schema.reports.json_output import JSON_VERSION, plain
from physx_schema.text import plural

_DONE = ("renamed", "moved")         # kinds of notes that leave nothing to do


@click.command("migrate")
@click.argument("stages", nargs=-1, required=True, metavar="STAGE...")
@isolation_option
@click.option("--to", "release", help="Release of the schema to migrate to, such as 25.11.2.  [default: the newest]")
@click.option("--write", is_flag=True, help="Change the files in place.")
@click.option("-o", "--out", type=click.Path(path_type=Path),
              help="Write a migrated copy of the stage's root layer. For several stages, write the copies to this "
                   "folder.")
@click.option("--json", "json_output", is_flag=True, help="Write the changes and the remaining problems as JSON.")
@force_option
@click.option("--package", default="physx_generated", show_default=True,
              help="Package from `physx-schema generate`, by name or folder, with the former names and retired "
                   "classes.")
@click.option("--changes", type=click.Path(path_type=Path, exists=True, dir_okay=False),
              help="Output of `physx-schema diff OLD NEW --json`. Report where the stages use classes or properties "
                   "that this file lists as breaking.")
def migrate_command(
    stages: tuple[str, ...], release: str | None, write: bool, out: Path | None, json_output: bool, force: bool,
    package: str, changes: Path | None,
) -> None:
    """Rewrite stages that were authored with an older schema. Without --write or -o, only show the changes.

    All layers of the stages are migrated: sublayers, references, payloads and variants. Renamed, moved and retired
    properties and classes are rewritten if they have a one-to-one successor. Properties and classes
    without such a successor are reported and kept.

    Exit codes: 0 nothing left to do, 1 changes or problems remain, 2 usage, 3 unreadable file, 4 internal error.
    """
    if write and out:
        raise click.UsageError("--write and -o exclude each other; use one of them")
    try:
        migration = migrate(stages, release, _package(package), breaking(changes) if changes else ())
    except ValueError as error:
        raise click.UsageError(printable(str(error))) from None
    saved_files, blocked = _write_outputs(migration, stages, write, out, force)
    if json_output:
        click.echo(_json(migration, saved_files, blocked))
    else:
        _show(migration, saved_files, blocked, dry=not (write or out))
    todo = migration.changed if not (write or out) else ()
    raise click.exceptions.Exit(1 if todo or migration.open or blocked else 0)


def _package(name: str) -> ModuleType:
    """A package by name, or by its folder. Raises ValueError for what cannot be imported."""
    folder = Path(name)
    if folder.is_dir():
        sys.path.insert(0, str(folder.resolve().parent))
        name = folder.resolve().name
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ValueError(f"--package {name}: {error}; use an importable package or its folder") from None


def _write_outputs(
    migration: Migration, stages: Sequence[str], write: bool, out: Path | None, force: bool,
) -> tuple[list[str], list[str]]:
    """The files written, and why others that need it were not."""
    if write:
        reasons = [(change, _why_not(migration, change)) for change in migration.changed]
        ready = [change for change, reason in reasons if not reason]
        replace(ready)
        return sorted(change.name for change in ready), sorted(reason for _, reason in reasons if reason)
    if out is None:
        return [], []
    stages_by_path = {Path(stage).resolve(): stage for stage in stages}
    targets: list[tuple[LayerChange, Path]] = []
    problems: list[str] = []
    for change in migration.layers:
        stage = stages_by_path.get(Path(change.layer.realPath).resolve()) if change.layer.realPath else None
        if in_package(change.layer):
            problems += [why_not(change.layer)] if change.changed or stage is not None else []
        elif stage is not None:
            targets.append((change, out / Path(stage).name if len(stages_by_path) > 1 else out))
        elif change.changed:
            problems.append(f"{change.name}: the layer needs migration too and is not part of the copy; migrate the "
                            "layer with --write")
    parts = files_of_layers(change.layer for change in migration.layers)
    return _copies(targets, parts, force), sorted(problems)


def _why_not(migration: Migration, change: LayerChange) -> str:
    """Why a layer is not written in place: for a reason of its own, or as what lies on it belongs to another layer."""
    reason = why_not(change.layer)
    others = [other.name for other in migration.partners(change) if why_not(other.layer)]
    if reason or not others:
        return reason
    return (f"{change.name}: not written, because the values of this layer and of {others[0]} must change together; "
            f"make {others[0]} writable first")


def _copies(targets: Sequence[tuple[LayerChange, Path]], parts: Collection[Path], force: bool) -> list[str]:
    """Write copies. Raises UnsupportedError for a place that holds something already or cannot be written."""
    paths = [target for _, target in targets]
    for target in paths:
        require_layer_name(target)
        if paths.count(target) > 1:
            raise UnsupportedError(f"{target}: two stages have this name; migrate them one by one")
    copy({target: change for change, target in targets}, parts, force)
    return [str(target) for _, target in targets]


def _show(migration: Migration, saved_files: Sequence[str], blocked: Sequence[str], dry: bool) -> None:
    """For people: the change as a diff, what is left, what was written, and the counts."""
    for change in migration.changed if dry else ():
        for line in change.diff().splitlines():
            click.echo(printable(line))
    for line in (*_lines(migration.notes), *blocked, *(f"wrote {name}" for name in saved_files)):
        click.echo(printable(line))
    counts: Counter[str] = Counter(note.kind for note in migration.notes)
    done = plural(sum(counts[kind] for kind in _DONE), "change")
    outcome = f"{len(migration.changed)} would change" if dry else f"{len(saved_files)} written"
    click.echo(f"{plural(len(migration.layers), 'layer')}, {outcome}: {done}, "
               f"{plural(counts['conflict'], 'conflict')}, {counts['left']} left")


def _lines(notes: Sequence[Note]) -> Iterator[str]:
    for note in notes:
        if note.kind not in _DONE:
            where = f"{note.path}.{note.property}" if note.property not in ("", "apiSchemas", "typeName") else note.path
            yield f"{note.layer}: {where}: {note.kind}: {note.message}"
            yield f"    fix: {note.fix}"


def _json(migration: Migration, saved_files: Sequence[str], blocked: Sequence[str]) -> str:
    content: dict[str, Any] = {
        "version": JSON_VERSION,
        "layers": [{"path": layer_name(change.layer), "changed": change.changed} for change in migration.layers],
        "notes": plain(migration.notes), "written": list(saved_files), "not_written": list(blocked),
    }
    return json.dumps(content, indent=2)
