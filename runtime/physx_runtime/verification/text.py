"""A verification for people, as a table with reasons below it, and for programs, as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

from physx_runtime.verification.report import ALTERED, AS_AUTHORED, IGNORED, NOT_EVALUATED, Row, Verification
from physx_schema.cli.machine import plain
from physx_schema.cli.text import printable

VERSION = 1
HEADINGS = ("path", "property", "authored", "effective", "ideal", "verdict")
LEFT_ALIGNED = {"path", "property", "verdict"}
VERDICTS = (AS_AUTHORED, ALTERED, IGNORED, NOT_EVALUATED)


def verification_lines(verification: Verification) -> Iterator[str]:
    """The table, a sentence for every row that is not as authored, and one line of summary."""
    if verification.rows:
        yield from _table([HEADINGS, *map(_cells, verification.rows)])
        yield ""
    for row in verification.rows:
        if row.verdict != AS_AUTHORED:
            yield printable(f"{row.path}: {sentence(row, verification)}")
    yield from map(printable, map(str, verification.not_simulated))
    counts = ", ".join(f"{sum(row.verdict == verdict for row in verification.rows)} {verdict}" for verdict in VERDICTS)
    yield printable(f"{verification.source}: {counts}")


def sentence(row: Row, verification: Verification) -> str:
    """What became of a value and why, to read aloud."""
    start = f"{row.property} {number(row.authored)} authored"
    iterations = f"{verification.position_iterations}/{verification.velocity_iterations} iterations"
    if row.verdict == IGNORED:
        return f"{start}, without effect in PhysX, because {row.reason}"
    if row.verdict == NOT_EVALUATED:
        return f"{start}, not evaluated: {row.reason}"
    if row.effective is None or number(row.effective) == number(row.authored):
        return f"{start}, effective only in part in PhysX at {iterations}, because {row.reason}"
    return f"{start}, {number(row.effective)} effective in PhysX at {iterations}, because {row.reason}"


def number(value: float | None) -> str:
    """Four significant digits; a dash where there is no value."""
    return "-" if value is None or math.isnan(value) else f"{value:.4g}"


def _cells(row: Row) -> tuple[str, ...]:
    numbers = map(number, (row.authored, row.effective, row.ideal))
    return (printable(row.path), printable(row.property), *numbers, row.verdict)


def _table(lines: list[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [cell.ljust(width) if heading in LEFT_ALIGNED else cell.rjust(width)
                 for cell, width, heading in zip(line, widths, HEADINGS, strict=True)]
        yield "  ".join(cells).rstrip()


def verification_json(verification: Verification) -> str:
    """Everything measured; numbers that are none are strings ("NaN")."""
    return json.dumps({"version": VERSION, **plain(verification)}, indent=2, allow_nan=False)
