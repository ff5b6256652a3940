"""`verification_lines` writes a verification as a table with reasons below it; `verification_json` writes it as JSON.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from physx_runtime.isaac_lab.text import isaac_lab_lines
from physx_runtime.verification.headline import headline
from physx_runtime.verification.report import (
    ALTERED,
    AS_AUTHORED,
    AS_AUTHORED_TOLERANCE,
    IGNORED,
    NOT_EVALUATED,
    OTHER_ENGINE,
    Change,
    Remedy,
    Row,
    Value,
    Verification,
    number,
)
from physx_runtime.verification.row_groups import RowGroup, group_rows
from physx_schema.errors import printable
from physx_schema.reports.json_output import plain
from physx_schema.terminal import table_rows
from physx_schema.text import plural, styled

FORMAT_VERSION = 2
HEADINGS = ("path", "property", "authored", "effective", "ideal", "verdict")
IN_PHYSX = "PhysX"      # heading of values in real PhysX, where it was run
LEFT_ALIGNED = {"path", "property", "verdict"}
AS_AUTHORED_UNDER_LOAD = f"{AS_AUTHORED}, also under the stage's loads"
MAX_SETTINGS = 3            # prims in a sentence that one setting is advised for
MAX_JOINT_ERRORS = 5       # lines; JSON has all
VERDICTS = (AS_AUTHORED, ALTERED, IGNORED, NOT_EVALUATED, OTHER_ENGINE)
# What a reader has to see first; what was not evaluated is in no table.
TABLED_VERDICTS = (ALTERED, IGNORED)


def verification_lines(verification: Verification, *, show_all: bool = False) -> Iterator[str]:
    """The table, a sentence for what is altered, ignored or not evaluated, and one line of summary.

    Rows ignored or not evaluated for one reason are one line, outside the table. So are rows as authored, without
    `show_all`. Rows altered equally on several prims appear once.
    """
    if verification.isaac_lab is not None:
        yield from isaac_lab_lines(verification.isaac_lab, show_all=show_all)
        yield ""
    groups = {verdict: _row_groups(verification, verdict) for verdict in VERDICTS}
    tabled = [group.rows[0] for verdict in (*TABLED_VERDICTS, *([AS_AUTHORED] if show_all else []))
              for group in groups[verdict] if _has_number(group)]
    if tabled:
        yield from _table(_lines(tabled, verification))
        yield ""
    if not any(row.effective is not None or row.property.startswith("drive:") for row in verification.rows):
        yield printable(f"{verification.source}: nothing to verify; no experiment measures an authored value")
    for group in (*groups[ALTERED], *groups[IGNORED]):
        yield printable(f"{group.prim_text}{_equivalents_text(group, verification)}: "
                        f"{_group_sentence(group, verification)}")
    if not show_all:
        for heading, loaded in ((AS_AUTHORED, False), (AS_AUTHORED_UNDER_LOAD, True)):
            for line in property_lines([group for group in groups[AS_AUTHORED] if bool(group.rows[0].loads) is loaded]):
                yield printable(f"{heading}: {line}")
    for line in reason_lines(groups[NOT_EVALUATED]):
        yield printable(f"not evaluated: {line}")
    for line in reason_lines(groups[OTHER_ENGINE]):
        yield printable(f"for another engine: {line}")
    yield from map(printable, map(str, verification.not_simulated))
    largest = sorted(verification.joint_errors, key=lambda opening: (-opening.authored, opening.path))
    yield from map(printable, map(str, largest[:MAX_JOINT_ERRORS]))
    if len(largest) > MAX_JOINT_ERRORS:
        yield f"and {len(largest) - MAX_JOINT_ERRORS} more joints with smaller errors"
    for solved in verification.counts:
        if solved.raised:
            yield printable(f"{solved.path}: {solved.raised}")
    yield from map(printable, _engines(verification))
    counts = Counter(row.verdict for row in verification.rows)
    named = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS
                      if verdict != OTHER_ENGINE or counts[verdict])
    first = headline(verification)
    yield printable(f"{verification.source}: {first}{'; ' if first else ''}{named}")


def _engines(verification: Verification) -> Iterator[str]:
    """Lines on numbers that differ in real PhysX, on those not repeated there, and on their count."""
    if not verification.physx:
        return
    rows = [row for row in verification.rows if not row.equivalent_to]
    yield from (difference(row) for row in rows if row.engines_differ)
    for reason in dict.fromkeys(row.not_in_physx for row in rows if row.not_in_physx):
        for line in property_lines([RowGroup((row,)) for row in rows if row.not_in_physx == reason]):
            yield f"not repeated in PhysX: {line}: {reason}"
    repeated = [row for row in verification.rows if row.in_physx is not None]
    differing = sum(row.engines_differ for row in repeated)
    yield (f"{plural(len(repeated), 'value')} also measured in real PhysX (ovphysx {verification.physx}): "
           f"{differing or 'none'} of them {'differ' if differing > 1 else 'differs'} by more than "
           f"{AS_AUTHORED_TOLERANCE:.0%}")


def difference(row: Row) -> str:
    """A sentence on a value in real PhysX that differs from the one simulated here."""
    return (f"{row.path}: {row.property} is effectively {number(row.effective)} here and {number(row.in_physx)} in "
            "PhysX; the engines differ")


def _row_groups(verification: Verification, verdict: str) -> list[RowGroup]:
    """The rows of a verdict; rows without a measured value are grouped."""
    rows = [row for row in verification.rows if row.verdict == verdict]
    if verdict == ALTERED:
        return [RowGroup((row,)) for row in rows if not row.equivalent_to]
    if verdict == AS_AUTHORED:
        return [RowGroup((row,)) for row in rows]
    measured = [RowGroup((row,)) for row in rows if row.effective is not None]
    return [*measured, *group_rows(row for row in rows if row.effective is None)]


def reason_lines(groups: Iterable[RowGroup]) -> Iterator[str]:
    """A line for each reason why no experiment answers: which properties on which prims, and the reason."""
    names_by_prim: dict[str, dict[str, list[str]]] = {}        # by reason, names by place
    for group in groups:
        names_by_prim.setdefault(group.rows[0].reason, {}).setdefault(group.prim_text, []).append(group.name)
    for reason, names in names_by_prim.items():
        phrases = (f"{', '.join(properties)} on {prim}" if any(properties) else prim for prim,
                   properties in names.items())
        yield f"{', '.join(phrases)}: {reason}"


def property_lines(groups: Sequence[RowGroup]) -> Iterator[str]:
    """A line for each group of prims with the same properties: these, and the prim or the number of prims."""
    names: dict[str, dict[str, None]] = {}      # by prim
    for group in groups:
        names.setdefault(group.rows[0].path, {})[group.rows[0].property] = None
    prims: dict[tuple[str, ...], list[str]] = {}
    for path, several in names.items():
        prims.setdefault(tuple(several), []).append(path)
    for properties, paths in prims.items():
        yield f"{', '.join(properties)} on {paths[0] if len(paths) == 1 else plural(len(paths), 'prim')}"


def _equivalents_text(group: RowGroup, verification: Verification) -> str:
    """Text on the number of prims equal to that of a row."""
    count = len(verification.equivalent_rows(group.rows[0]))
    return f" and {count} equivalent" if count else ""


def _group_sentence(group: RowGroup, verification: Verification) -> str:
    """The sentence of a row, or of several that are ignored for one reason."""
    if len(group.rows) == 1:
        return sentence(group.rows[0], verification)
    return f"{_authored_phrase(group.name, group.authored)}, without effect in PhysX, because {group.rows[0].reason}"


def sentence(row: Row, verification: Verification) -> str:
    """A sentence on the effect of a value and its reason."""
    start = _authored_phrase(row.property,
                             row.authored) + ("" if row.intended is None else f" for {number(row.intended)}")
    counts = verification.iterations(row)
    iterations = f" at {counts} iterations" if counts else ""
    if row.verdict == IGNORED:
        return f"{start}, without effect in PhysX, because {row.reason}"
    if row.verdict == NOT_EVALUATED:
        return f"{start}, not evaluated: {row.reason}"
    if row.effective is None or number(row.effective) == number(row.authored):
        return f"{start}, only partly effective in PhysX{iterations}, because {row.reason}"
    because = f"effective in PhysX{iterations}, because {row.reason}"
    return f"{start}, {measured(row)} {because}{_advice(row)}"


def _advice(row: Row) -> str:
    """What to author instead."""
    return f"; {remedy_text(row.remedy, row.intended_effect)}" if row.remedy else ""


def remedy_text(remedy: Remedy, intended: Value) -> str:
    """A remedy in words: what to author for the intended effect."""
    if not remedy.feasible:
        return remedy.reason
    additional = list(_settings(remedy.settings))
    additional += [] if remedy.dt is None else [f"steps of {remedy.dt:.4g} s"]
    values = [f"{remedy.value:g}", " and ".join(additional)] if additional else [f"{remedy.value:g}"]
    instruction = f"author {' with '.join(values)}"
    return f"{remedy.reason}; " * bool(remedy.reason) + f"{instruction} to get {number(intended)}"


def _settings(changes: Sequence[Change]) -> Iterator[str]:
    """What to author besides, each number with its prims; of many, the first ones and how many more."""
    prims: dict[tuple[str, float], list[str]] = {}
    for change in changes:
        prims.setdefault((change.property, change.value), []).append(change.path)
    for (name, value), paths in prims.items():
        rest = len(paths) - MAX_SETTINGS
        named = ", ".join(paths[:MAX_SETTINGS]) + (f" and {rest} more" if rest > 0 else "")
        yield f"{name} {value:g} on {named}"


def _authored_phrase(name: str, value: Value | None) -> str:
    """A property and its number, where it is one."""
    text = number(value)
    return f"{name or 'the prim'} authored" if text == "-" else f"{name} {text} authored"


def measured(row: Row) -> str:
    """The effective value, with its uncertainty where that exceeds the printed digits."""
    error = row.uncertainty
    if error is None or isinstance(row.effective, tuple) or not row.effective or not math.isfinite(row.effective):
        return number(row.effective)
    last_digit = 10.0 ** (math.floor(math.log10(abs(row.effective))) - 3)
    if error <= last_digit:
        return number(row.effective)
    decimals = max(0, -math.floor(math.log10(error)))
    return f"{round(row.effective, decimals):.{decimals}f} +- {error:.1g}" if error < 1.0 else (
        f"{number(row.effective)} +- {error:.1g}")


def _has_number(group: RowGroup) -> bool:
    return len(group.rows) == 1 and number(group.authored) != "-"


def _cells(row: Row) -> tuple[str, ...]:
    effective, ideal = measured(row), number(row.ideal)
    authored = number(row.authored) + ("" if row.intended is None else f" for {number(row.intended)}")
    return printable(row.path), printable(row.property), authored, effective, ideal, row.verdict


def _lines(rows: Sequence[Row], verification: Verification) -> list[tuple[str, ...]]:
    """Headings and cells, with a column for real PhysX before the verdict if it was run."""
    lines = [HEADINGS, *map(_cells, rows)]
    if not verification.physx:
        return lines
    column = [IN_PHYSX, *(number(row.in_physx) for row in rows)]
    return [(*line[:-1], cell, line[-1]) for line, cell in zip(lines, column, strict=True)]


def _table(lines: list[tuple[str, ...]]) -> Iterator[str]:
    for cells, printed in zip(lines, table_rows(lines, LEFT_ALIGNED), strict=True):
        for text in printed:
            yield styled(text, "warning") if {*TABLED_VERDICTS} & {*cells} else text


def verification_json(verification: Verification) -> str:
    """Every row as JSON; numbers that are not finite are strings ("NaN")."""
    fields = plain(verification)
    if verification.isaac_lab is None:
        del fields["isaac_lab"]
    return json.dumps({"version": FORMAT_VERSION, **fields}, indent=2, allow_nan=False)
