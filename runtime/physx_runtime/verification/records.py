"""`rows_of` lists a verification as rows of a dataset of results."""

from __future__ import annotations

from collections.abc import Iterator

from physx_runtime.verification.report import Value, Verification
from physx_runtime.verification.text import remedy_text
from physx_schema.library.columns import NOT_SIMULATED, VALUE
from physx_schema.library.outcomes import Row


def rows_of(verification: Verification) -> Iterator[Row]:
    """A row for each authored number, then for each part of the stage that is not simulated."""
    for row in verification.rows:
        yield {"kind": VALUE, "path": row.path, "property": row.property, "authored": _numbers(row.authored),
               "effective": _numbers(row.effective), "ideal": _numbers(row.ideal), "verdict": row.verdict,
               "message": row.reason or None, "unit": row.unit or None,
               "fix": row.remedy and remedy_text(row.remedy, row.intended_effect)}
    for part in verification.not_simulated:
        yield {"kind": NOT_SIMULATED, "code": part.code, "path": part.path, "property": part.property,
               "message": part.text}


def _numbers(value: Value | None) -> list[float] | None:
    """The numbers of a value, one for a scalar."""
    return None if value is None else [float(x) for x in (value if isinstance(value, tuple) else (value,))]
