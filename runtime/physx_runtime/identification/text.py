"""An identification as lines of text and as JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence

from physx_runtime.identification.result import MAX_MEAN_SQUARE, Identification, Identified
from physx_schema.reports.json_output import plain

HEADER = ("joint", "property", "authored", "identified", "95 % interval")


def identification_lines(result: Identification) -> Iterator[str]:
    """A table of properties, what is not determined, the delay, and whether the model explains the log."""
    yield from _aligned([HEADER, *map(_cells, result.table)])
    if result.delay is not None:
        milliseconds = 1e3 * result.dt
        yield (f"delay: {result.delay.value:.4g} steps ({result.delay.value * milliseconds:.4g} ms), between "
               f"{result.delay.low:.4g} and {result.delay.high:.4g}")
    for line in result.undetermined:
        yield f"not determined: {line}"
    for row in result.table:
        if row.reason:
            yield f"not determined: {row.path} {row.property}: {row.reason}"
    if result.missing_records:
        yield f"{result.missing_records} records with a missing number are left out"
    if result.left_out:
        starts = ", ".join(f"{start:g}" for start in result.left_out)
        yield f"windows left out, where sticking and slipping joints are not reproduced: from {starts} s"
    if result.prediction is not None:
        p = result.prediction
        yield (f"prediction of {p.seconds:.3g} s that were not fitted: error {p.identified:.3g} rms with identified "
               f"values, {p.authored:.3g} with authored values (measurement noise included)")
    yield _verdict(result)


def _verdict(result: Identification) -> str:
    prediction = "" if result.prediction is None else f", {result.prediction.mean_square:.3g} where not fitted"
    mean_square = f"mean square of residuals {result.mean_square:.3g}{prediction}"
    if result.explained:
        return f"the model explains the log at dt {result.dt:.6g} s: {mean_square}"
    return (f"the model does not explain the log at dt {result.dt:.6g} s: {mean_square}; at most {MAX_MEAN_SQUARE} is "
            "expected from noise; check joint names, units, contacts and effort limits")


def _cells(row: Identified) -> Sequence[str]:
    value = "not determined" if row.value is None else f"{row.value:.5g}"
    return row.path, row.property, f"{row.authored:.5g}", value, f"{row.low:.5g} to {row.high:.5g}"


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def identification_json(result: Identification) -> str:
    """Everything in a result, and whether the model explains the log."""
    facts = {item.name: plain(getattr(result, item.name)) for item in dataclasses.fields(result)}
    return json.dumps({"version": 1, "explained": result.explained, **facts}, indent=2, allow_nan=False)
