"""A verification for people, as a table with reasons below it, and for programs, as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence

from physx_runtime.verification.report import (
    ALTERED,
    AS_AUTHORED,
    AS_AUTHORED_TOLERANCE,
    IGNORED,
    NOT_EVALUATED,
    Remedy,
    Row,
    Value,
    Verification,
    number,
)
from physx_runtime.verification.stage import Fold, folded
from physx_schema.cli.json_output import plain
from physx_schema.errors import printable
from physx_schema.text import painted, plural

FORMAT_VERSION = 2
HEADINGS = ("path", "property", "authored", "effective", "ideal", "verdict")
IN_PHYSX = "PhysX"      # the heading of what the real one makes of a number, where it was asked
LEFT_ALIGNED = {"path", "property", "verdict"}
MOST_OPENINGS = 5       # lines; JSON has all
VERDICTS = (AS_AUTHORED, ALTERED, IGNORED, NOT_EVALUATED)
# What a reader has to see first; what was not evaluated is in no table.
TABLED_VERDICTS = (ALTERED, IGNORED)


def verification_lines(verification: Verification, *, whole: bool = False) -> Iterator[str]:
    """The table, a sentence for what is altered, ignored or not evaluated, and one line of summary.

    What is ignored or not evaluated for one reason on many prims is one line, and in no table; so is what is as
    authored, but for `whole`. What is altered alike on several prims stands once.
    """
    folds = {verdict: _folds(verification, verdict) for verdict in VERDICTS}
    tabled = [fold.rows[0] for verdict in (*TABLED_VERDICTS, *([AS_AUTHORED] if whole else []))
              for fold in folds[verdict] if _has_number(fold)]
    if tabled:
        yield from _table(_lines(tabled, verification))
        yield ""
    if not any(row.effective is not None or row.property.startswith("drive:") for row in verification.rows):
        yield printable(f"{verification.source}: nothing to verify: no drives are authored, nor anything else that an "
                        "experiment measures")
    for fold in (*folds[ALTERED], *folds[IGNORED]):
        yield printable(f"{fold.place}{_others(fold, verification)}: {_fold_sentence(fold, verification)}")
    if not whole:
        for line in places(folds[AS_AUTHORED]):
            yield printable(f"as authored: {line}")
    for line in reasons(folds[NOT_EVALUATED]):
        yield printable(f"not evaluated: {line}")
    yield from map(printable, map(str, verification.not_simulated))
    widest = sorted(verification.openings, key=lambda opening: (-opening.authored, opening.path))
    yield from map(printable, map(str, widest[:MOST_OPENINGS]))
    if len(widest) > MOST_OPENINGS:
        yield f"and {len(widest) - MOST_OPENINGS} more joints that open less"
    for solved in verification.counts:
        if solved.raised:
            yield printable(f"{solved.path}: {solved.raised}")
    yield from map(printable, _engines(verification))
    counts = ", ".join(f"{sum(row.verdict == verdict for row in verification.rows)} {verdict}" for verdict in VERDICTS)
    yield printable(f"{verification.source}: {counts}")


def _engines(verification: Verification) -> Iterator[str]:
    """Where real PhysX makes something else of a number, where it was not asked, and how often it was."""
    if not verification.physx:
        return
    own = [row for row in verification.rows if not row.alike]
    yield from (difference(row) for row in own if row.engines_differ)
    for reason in dict.fromkeys(row.not_in_physx for row in own if row.not_in_physx):
        for line in places([Fold((row,)) for row in own if row.not_in_physx == reason]):
            yield f"not repeated in PhysX: {line}: {reason}"
    repeated = [row for row in verification.rows if row.in_physx is not None]
    differing = sum(row.engines_differ for row in repeated)
    yield (f"{plural(len(repeated), 'number')} measured in real PhysX too (ovphysx {verification.physx}): "
           f"{differing or 'none'} of them {'differ' if differing > 1 else 'differs'} by more than "
           f"{AS_AUTHORED_TOLERANCE:.0%}")


def difference(row: Row) -> str:
    """That real PhysX makes something else of a number than is simulated here."""
    return (f"{row.path}: {row.property} comes to {number(row.effective)} here and to {number(row.in_physx)} in PhysX: "
            "the engines differ")


def _folds(verification: Verification, verdict: str) -> list[Fold]:
    """The rows of a verdict; what has no measured value folds."""
    rows = [row for row in verification.rows if row.verdict == verdict]
    if verdict == ALTERED:
        return [Fold((row,)) for row in rows if not row.alike]
    if verdict == AS_AUTHORED:
        return [Fold((row,)) for row in rows]
    measured = [Fold((row,)) for row in rows if row.effective is not None]
    return [*measured, *folded(row for row in rows if row.effective is None)]


def reasons(folds: Iterable[Fold]) -> Iterator[str]:
    """A line for each reason why no experiment answers: which properties on which prims, and the reason."""
    places: dict[str, dict[str, list[str]]] = {}        # by reason, names by place
    for fold in folds:
        places.setdefault(fold.rows[0].reason, {}).setdefault(fold.place, []).append(fold.name)
    for reason, names in places.items():
        what = (f"{', '.join(found)} on {place}" if any(found) else place for place, found in names.items())
        yield f"{', '.join(what)}: {reason}"


def places(folds: Sequence[Fold]) -> Iterator[str]:
    """A line for prims that have the same properties: these, and the prim or how many there are."""
    names: dict[str, dict[str, None]] = {}      # by prim
    for fold in folds:
        names.setdefault(fold.rows[0].path, {})[fold.rows[0].property] = None
    prims: dict[tuple[str, ...], list[str]] = {}
    for path, several in names.items():
        prims.setdefault(tuple(several), []).append(path)
    for own, paths in prims.items():
        yield f"{', '.join(own)} on {paths[0] if len(paths) == 1 else plural(len(paths), 'prim')}"


def _others(fold: Fold, verification: Verification) -> str:
    """How many prims are alike to the one of a row."""
    count = len(verification.alike(fold.rows[0]))
    return f" and {count} alike" if count else ""


def _fold_sentence(fold: Fold, verification: Verification) -> str:
    """The sentence of a row, or of several that are ignored for one reason."""
    if len(fold.rows) == 1:
        return sentence(fold.rows[0], verification)
    return f"{_named(fold.name, fold.authored)}, without effect in PhysX, because {fold.rows[0].reason}"


def sentence(row: Row, verification: Verification) -> str:
    """What became of a value and why, to read aloud."""
    start = _named(row.property, row.authored) + ("" if row.intended is None else f" for {number(row.intended)}")
    iterations = f"{verification.iterations(row)} iterations"
    if row.verdict == IGNORED:
        return f"{start}, without effect in PhysX, because {row.reason}"
    if row.verdict == NOT_EVALUATED:
        return f"{start}, not evaluated: {row.reason}"
    if row.effective is None or number(row.effective) == number(row.authored):
        return f"{start}, effective only in part in PhysX at {iterations}, because {row.reason}"
    because = f"effective in PhysX at {iterations}, because {row.reason}"
    return f"{start}, {measured(row)} {because}{_advice(row)}"


def _advice(row: Row) -> str:
    """What to author instead."""
    return f"; {remedy_text(row.remedy, row.wanted)}" if row.remedy else ""


def remedy_text(remedy: Remedy, wanted: Value) -> str:
    """A remedy in words: what to author to get what is wanted."""
    if not remedy.feasible:
        return remedy.reason
    besides = [f"{change.property} {change.value:g} on {change.path}" for change in remedy.settings]
    besides += [] if remedy.dt is None else [f"steps of {remedy.dt:.4g} s"]
    told = f"author {' with '.join([f'{remedy.value:g}', ' and '.join(besides)] if besides else [f'{remedy.value:g}'])}"
    return f"{remedy.reason}; " * bool(remedy.reason) + f"{told} to get {number(wanted)}"


def _named(name: str, value: Value | None) -> str:
    """A property and its number, where it is one."""
    shown = number(value)
    return f"{name or 'the prim'} authored" if shown == "-" else f"{name} {shown} authored"


def measured(row: Row) -> str:
    """The effective value, with how far it may be off where the printed digits say more than is known."""
    off = row.uncertainty
    if off is None or isinstance(row.effective, tuple) or not row.effective or not math.isfinite(row.effective):
        return number(row.effective)
    last = 10.0 ** (math.floor(math.log10(abs(row.effective))) - 3)
    if off <= last:
        return number(row.effective)
    places = max(0, -math.floor(math.log10(off)))
    return f"{round(row.effective, places):.{places}f} +- {off:.1g}" if off < 1.0 else (
        f"{number(row.effective)} +- {off:.1g}")


def _has_number(fold: Fold) -> bool:
    return len(fold.rows) == 1 and number(fold.authored) != "-"


def _cells(row: Row) -> tuple[str, ...]:
    effective, ideal = measured(row), number(row.ideal)
    authored = number(row.authored) + ("" if row.intended is None else f" for {number(row.intended)}")
    return printable(row.path), printable(row.property), authored, effective, ideal, row.verdict


def _lines(rows: Sequence[Row], verification: Verification) -> list[tuple[str, ...]]:
    """Headings and cells, with a column for real PhysX before the verdict where it was asked."""
    lines = [HEADINGS, *map(_cells, rows)]
    if not verification.physx:
        return lines
    asked = [IN_PHYSX, *(number(row.in_physx) for row in rows)]
    return [(*line[:-1], own, line[-1]) for line, own in zip(lines, asked, strict=True)]


def _table(lines: list[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [cell.ljust(width) if heading in LEFT_ALIGNED else cell.rjust(width)
                 for cell, width, heading in zip(line, widths, lines[0], strict=True)]
        shown = "  ".join(cells).rstrip()
        yield painted(shown, "warning") if {*TABLED_VERDICTS} & {*line} else shown


def verification_json(verification: Verification) -> str:
    """Every row; numbers that are none are strings ("NaN")."""
    return json.dumps({"version": FORMAT_VERSION, **plain(verification)}, indent=2, allow_nan=False)
