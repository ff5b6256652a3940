"""Rows that say the same of many prims, folded into one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from physx_runtime.verification.report import Row, Value
from physx_schema.cli.text import plural


@dataclass(frozen=True, slots=True)
class Fold:
    """Rows with one verdict and one reason, of properties that differ in their instance names at most."""

    rows: tuple[Row, ...]

    @property
    def name(self) -> str:
        """The property's name, * for an instance name where there are several; "" where prims are meant."""
        first, *others = dict.fromkeys(row.property for row in self.rows)
        return ":*:".join(_ends(first)) if others else first

    @property
    def place(self) -> str:
        """The prim, or how many there are."""
        paths = dict.fromkeys(row.path for row in self.rows)
        return self.rows[0].path if len(paths) == 1 else plural(len(paths), "prim")

    @property
    def authored(self) -> Value | None:
        """The authored value, None where the rows differ."""
        first, *others = dict.fromkeys(row.authored for row in self.rows)
        return None if others else first


def folded(rows: Iterable[Row]) -> Sequence[Fold]:
    """The rows in folds, in the order of their first rows."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.verdict, row.reason, *_ends(row.property)), []).append(row)
    return [Fold(tuple(group)) for group in groups.values()]


def _ends(name: str) -> tuple[str, str]:
    """A property's name without what stands between its first and its last part."""
    return name.partition(":")[0], name.rpartition(":")[2]
