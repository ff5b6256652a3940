"""Repairs of stages: as a diff, as a copy, as a layer over the stage, or in the files themselves."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from pxr import Sdf

from physx_schema.checking.engine.finding import (
    Finding,
    RemoveProperty,
    RemoveSchema,
    RenameProperty,
    RenameSchema,
    edit_text,
    location,
)
from physx_schema.checking.engine.layer_editor import Check, Fixes, fix
from physx_schema.description.robot_files import require_layer
from physx_schema.description.stages import open_stage
from physx_schema.errors import UnreadableError, UnsupportedError, printable
from physx_schema.files import require_layer_name
from physx_schema.migration.layer_files import copy, in_package, lost_text, why_not, write_layer
from physx_schema.migration.layer_files import replace as replace_layers
from physx_schema.migration.report import LayerChange
from physx_schema.outputs import files_of, require_output
from physx_schema.reports.findings import summary
from physx_schema.text import plural

_REFUSED, _UNREADABLE = 2, 3


@dataclass(frozen=True, slots=True)
class RepairOptions:
    """What happens to repairs: shown as a diff unless one of the last three says where they go."""

    unsafe: bool = False
    in_place: bool = False
    copy: Path | None = None
    override: Path | None = None
    force: bool = False

    @property
    def dry(self) -> bool:
        """Whether nothing is written."""
        return not (self.in_place or self.copy or self.override)


def fix_stages(paths: Sequence[str], check_of: Callable[[str], Check], options: RepairOptions, strict: bool,
               fail_on: str) -> int:
    """Repair stages and say what was done; the exit code. Raises UsageError, and UnsupportedError for bad targets.

    check_of: what finds something on the stage at a path. strict, fail_on: as `Report.exit_code` takes them.
    """
    target = _require(paths, options)
    codes, repairs = [0], list[_Repaired]()
    for path in dict.fromkeys(paths):
        stamp = _stamp(path)
        try:
            fixed = _repair(path, check_of(path), options)
            repaired = _Repaired(path, stamp, fixed,
                                 lost_text(Path(path)) if fixed.changed and not fixed.override else "")
        except (UnreadableError, UnsupportedError) as error:
            click.echo(_printable_lines(str(error)), err=True, nl=False)
            codes.append(_UNREADABLE if isinstance(error, UnreadableError) else _REFUSED)
            continue
        if options.dry:
            click.echo(_printable_lines(repaired.fixed.diff()), nl=False)
            codes.append(_print_repairs(repaired, options, strict, fail_on))
        else:
            repairs.append(repaired)
    _write([repaired for repaired in repairs if repaired.fixed.changed or target is not None], options, target)
    codes += [_print_repairs(repaired, options, strict, fail_on) for repaired in repairs]
    return next((code for code in (_UNREADABLE, _REFUSED, 1, 5) if code in codes), 0)


@dataclass(frozen=True, slots=True)
class _Repaired:
    """What is repaired on the stage of a file, and of the file before: its `_stamp`, and what of its text is lost."""

    path: str
    stamp: tuple[int, int]
    fixed: Fixes
    lost: str


def _print_repairs(repaired: _Repaired, options: RepairOptions, strict: bool, fail_on: str) -> int:
    """Say what was repaired; the exit code for this file."""
    for line in _lines(repaired, options.dry):
        click.echo(printable(line))
    return (repaired.fixed.before if options.dry else repaired.fixed.report).exit_code(strict, fail_on)


def _require(paths: Sequence[str], options: RepairOptions) -> Path | None:
    """The file to write, None in place or for a dry run."""
    destinations = {"--in-place": options.in_place, "-o": options.copy, "--override": options.override}
    selected = [name for name, value in destinations.items() if value]
    if len(selected) > 1:
        raise click.UsageError(f"{' and '.join(selected)} exclude each other; use one of them")
    target = options.copy or options.override
    if target is None:
        return None
    if len(set(paths)) > 1:
        raise click.UsageError(f"{selected[0]} works with one stage at a time")
    require_layer_name(target)
    require_output(target, force=True)
    return target


def _repair(path: str, check: Check, options: RepairOptions) -> Fixes:
    if not options.dry:
        require_layer(path)
    stage = open_stage(path)
    root = stage.GetRootLayer()
    if in_package(root) and not options.dry and options.override is None:
        raise UnsupportedError(why_not(root))
    return fix(stage, check, options.unsafe, options.override is not None)


def _write(repaired: Sequence[_Repaired], options: RepairOptions, target: Path | None) -> None:
    """Put repaired layers where they belong, all or none. Raises UnsupportedError."""
    changes = [LayerChange(item.fixed.stage.GetRootLayer(), item.fixed.repaired_layer, ()) for item in repaired]
    if target is None:
        for item in repaired:
            if _stamp(item.path) != item.stamp:
                raise UnsupportedError(f"{item.path}: the file has changed in the meantime; run the command again")
        replace_layers(changes)
    elif changes:
        parts = files_of(repaired[0].fixed.stage)
        if options.copy:
            copy({target: changes[0]}, parts, options.force)
        else:
            write_layer(_over(changes[0].layer, changes[0].copy, target), target, parts, options.force)


def _over(root: Any, after: Any, target: Path) -> Any:
    """A layer over another one, which it names by a path relative to itself."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.TransferContent(after)
    name = Path(os.path.relpath(root.realPath, target.absolute().parent)).as_posix()
    layer.subLayerPaths[:] = [name if name.startswith(".") else f"./{name}"]
    return layer


def _stamp(path: str) -> tuple[int, int]:
    """What a change of a file changes."""
    try:
        status = Path(path).stat()
    except OSError:
        return (0, 0)       # opening the stage says why
    return (status.st_mtime_ns, status.st_size)


def _printable_lines(text: str) -> str:
    """A text of several lines with control characters as escapes."""
    return "".join(f"{printable(line)}\n" for line in text.splitlines())


def _edits_text(finding: Finding) -> str:
    """The edits of a finding's repair; another prim is named, properties that go with their schema are counted."""
    edits = finding.repair.edits if finding.repair else ()
    follow = [edit for edit in edits if isinstance(edit, RenameProperty | RemoveProperty)]
    if not any(isinstance(edit, RenameSchema | RemoveSchema) for edit in edits):
        follow = []
    texts = [("" if edit.path == finding.path else f"{edit.path}: ") + edit_text(edit)
             for edit in edits if edit not in follow]
    return "; ".join(texts) + (f", {plural(len(follow), 'property', 'properties')} with it" if follow else "")


def _lines(repaired: _Repaired, dry: bool) -> Iterator[str]:
    """What was repaired, what was not and why, and the counts."""
    path, fixed = repaired.path, repaired.fixed
    verb = "would fix" if dry else "fixed"
    for finding in fixed.repaired:
        yield f"{path}: {location(finding.path, finding.property)}: {verb} {finding.code}: {_edits_text(finding)}"
    for item in fixed.unrepaired:
        where = location(item.finding.path, item.finding.property)
        yield f"{path}: {where}: not fixed: {item.finding.code}: {item.finding.message} ({item.reason})"
    unsafe = sum(not item.repair.safe for item in fixed.repaired if item.repair)
    if repaired.lost:
        yield f"{path}: note: {repaired.lost}"
    outcome = f"{plural(len(fixed.repaired), 'finding')} {'would be fixed' if dry else 'fixed'}"
    yield f"{path}: {outcome}, {unsafe} of them unsafe; after the repairs: {summary(fixed.report)}"
