"""Rows of equal meaning as one: with one verdict and one reason, of properties that differ in their instance names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from physx_runtime.verification.report import Row, Value
from physx_schema.text import plural


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows with one verdict and one reason, of properties that differ in their instance names at most."""

    rows: tuple[Row, ...]

    @property
    def name(self) -> str:
        """The property's name, with * for several instance names; "" for prims."""
        first, *others = dict.fromkeys(row.property for row in self.rows)
        return ":*:".join(_ends(first)) if others else first

    @property
    def prim_text(self) -> str:
        """The prim, or how many there are."""
        paths = dict.fromkeys(row.path for row in self.rows)
        return self.rows[0].path if len(paths) == 1 else plural(len(paths), "prim")

    @property
    def authored(self) -> Value | None:
        """The authored value, None where the rows differ."""
        first, *others = dict.fromkeys(row.authored for row in self.rows)
        return None if others else first


def group_rows(rows: Iterable[Row]) -> Sequence[RowGroup]:
    """The rows in groups, in the order of their first rows."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.verdict, row.reason, *_ends(row.property)), []).append(row)
    return [RowGroup(tuple(group)) for group in groups.values()]


def _ends(name: str) -> tuple[str, str]:
    """The first and last part of a property's name."""
    return name.partition(":")[0], name.rpartition(":")[2]
