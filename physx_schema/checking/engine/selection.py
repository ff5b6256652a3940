"""Which codes are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.rule import RULE_FAILED, belongs


@dataclass(frozen=True, slots=True)
class Selection:
    """Codes or families to keep, all where none is named, and codes or families to leave out."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def has(self, code: str) -> bool:
        """Whether findings of a code are wanted. A failed rule is reported whatever is selected."""
        selected = not self.select or any(belongs(code, family) for family in self.select)
        ignored = any(belongs(code, family) for family in self.ignore)
        return (selected or belongs(code, RULE_FAILED.code)) and not ignored

    def of(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The wanted ones of some findings."""
        return (finding for finding in findings if self.has(finding.code))


EVERYTHING = Selection()
