"""Facts of a description as rows of their names."""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.model.rows import PARAMETER, Row, rows_of
from physx_schema.description.model import unlimited

RowValues = dict[str, list[float]]


def fact_values(row: Row, facts: Sequence[object]) -> list[float]:
    """What facts say for a row; where one is None, and for magnitudes that PhysX takes as unlimited, neutral."""
    name, neutral = row.fact or row.name, row.neutral
    values = [neutral if fact is None else getattr(fact, name) for fact in facts]
    return [neutral if unlimited(value) else value for value in values] if row.clipped else values


def fact_rows(owner: str, facts: Sequence[object], prefix: str = "") -> RowValues:
    """The parameters of one kind of owner, in the order of `facts`, each called `prefix` and its name."""
    return {prefix + row.name: fact_values(row, facts) for row in rows_of(owner, PARAMETER)}
