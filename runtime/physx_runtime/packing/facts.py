"""Facts of a description as rows of their names."""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.model.rows import PARAMETER, Row, rows_of
from physx_schema.description.model import unlimited

Rows = dict[str, list[float]]


def fact_value(row: Row, fact: object) -> float:
    """What a fact says for a row; where there is none, and for magnitudes that PhysX takes as unlimited, neutral."""
    if fact is None:
        return row.neutral
    value = getattr(fact, row.fact or row.name)
    return row.neutral if row.clipped and unlimited(value) else float(value)


def fact_rows(owner: str, facts: Sequence[object], prefix: str = "") -> Rows:
    """The parameters of one kind of owner, in the order of `facts`, each called `prefix` and its name."""
    return {prefix + row.name: [fact_value(row, fact) for fact in facts] for row in rows_of(owner, PARAMETER)}
