"""`isaac_lab_lines` writes what an Isaac Lab configuration does with a stage as a table with notes below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from physx_runtime.isaac_lab.report import OUTCOMES, IsaacLabReport, Note, Setting, SettingValue
from physx_runtime.isaac_lab.simulation import DEFAULT
from physx_schema.errors import printable
from physx_schema.text import plural

HEADINGS = ("path", "property", "authored", "Isaac Lab", "set by")
_RIGHT_ALIGNED = frozenset({"authored", "Isaac Lab"})


def isaac_lab_lines(report: IsaacLabReport, *, show_all: bool = False) -> Iterator[str]:
    """The overridden values, the fields that act, and a line for each reason why others do not.

    show_all: also list the values where the stage authors nothing or the same.
    """
    yield printable(_headline(report))
    settings = report.settings if show_all else report.overrides
    if settings:
        yield ""
        yield from map(printable, _table(list(_rows(settings))))
        yield ""
    acting = dict.fromkeys(item.field for item in report.settings if not item.no_effect and item.place != DEFAULT)
    if acting:
        yield printable(f"fields that act: {', '.join(acting)}")
    defaults = sum(item.place == DEFAULT for item in report.settings)
    if defaults:
        yield f"defaults of Isaac Lab that act: {plural(defaults, 'setting')} of the scene"
    yield from map(printable, _unused_lines(report.settings))
    for outcome in OUTCOMES:
        for line in _note_lines(report.notes_of(outcome)):
            yield printable(f"{outcome}: {line}")


def _headline(report: IsaacLabReport) -> str:
    """The configuration, its rules and its steps, and how many values it overrides."""
    step = "" if report.dt is None else f"; steps of {report.dt:.4g} s"
    step += "" if report.decimation is None else f", {report.decimation} for each action"
    count = len(report.overrides)
    return (f"{report.source}, by the rules of Isaac Lab {report.release}{step}: overrides "
            f"{plural(count, 'authored value')} of the stage")


def _rows(settings: Iterable[Setting]) -> Iterator[tuple[str, ...]]:
    """A row for equal settings of a property: the prim, or how many there are."""
    groups: dict[tuple[object, ...], list[Setting]] = {}
    for item in settings:
        key = item.property, item.authored, item.configured, item.field, item.place
        groups.setdefault(key, []).append(item)
    for items in groups.values():
        first = items[0]
        path = first.path if len(items) == 1 else plural(len(items), "prim")
        yield path, first.property, shown(first.authored), shown(first.configured), f"{first.place} {first.field}"


def shown(value: SettingValue) -> str:
    """A value in a table: numbers with four significant digits, a dash for nothing."""
    if value is None:
        return "-"
    return str(value) if isinstance(value, bool | str) else f"{value:.4g}"


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    lines = [HEADINGS, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [cell.rjust(width) if heading in _RIGHT_ALIGNED else cell.ljust(width)
                 for cell, width, heading in zip(line, widths, HEADINGS, strict=True)]
        yield "  ".join(cells).rstrip()


def _unused_lines(settings: Iterable[Setting]) -> Iterator[str]:
    """A line for each field whose value PhysX does not use, and why."""
    reasons: dict[tuple[str, str, str], list[Setting]] = {}
    for item in settings:
        if item.no_effect:
            reasons.setdefault((item.field, item.place, item.no_effect), []).append(item)
    for (field, place, reason), items in reasons.items():
        prims = items[0].path if len(items) == 1 else plural(len(items), "prim")
        yield f"ignored: {place}: {field}: {items[0].property} on {prims}: {reason}"


def _note_lines(notes: Sequence[Note]) -> Iterator[str]:
    """A line for each reason, with the fields that it is for."""
    reasons: dict[str, list[Note]] = {}
    for note in notes:
        reasons.setdefault(note.reason, []).append(note)
    for reason, items in reasons.items():
        fields = ", ".join(f"{note.field} {note.value}".rstrip() for note in items)
        place = next((f"{note.place}: " for note in items if note.place), "")
        yield f"{place}{fields}: {reason}"
