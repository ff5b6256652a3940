"""Which codes are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from physx_schema.checking.catalogue import CODES, RULE_FAILED
from physx_schema.checking.finding import Finding
from physx_schema.checking.rule import belongs


@dataclass(frozen=True, slots=True)
class Choice:
    """Codes or families to keep, all where none is named, and codes or families to leave out.

    Raises ValueError for one that does not exist.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for family in (*self.select, *self.ignore):
            if not any(belongs(code, family) for code in CODES):
                families = {code.partition("/")[0] for code in CODES}
                close = get_close_matches(family, (*CODES, *families), 1)
                hint = f"did you mean {close[0]}?" if close else "`physx-schema check --list-rules` lists them"
                raise ValueError(f"there is no code or family {family!r}; {hint}")

    def has(self, code: str) -> bool:
        """Whether findings of a code are wanted. A failed rule is reported whatever is selected."""
        selected = not self.select or any(belongs(code, family) for family in self.select)
        return (selected or belongs(code, RULE_FAILED)) and not any(belongs(code, family) for family in self.ignore)

    def of(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The wanted ones of some findings."""
        return (finding for finding in findings if self.has(finding.code))


EVERYTHING = Choice()
