"""Physics opinions that nothing uses."""

from __future__ import annotations

from collections.abc import Iterator

from physx_schema.checking.finding import Finding
from physx_schema.checking.mimic import is_orphan
from physx_schema.checking.retired import RETIRED
from physx_schema.checking.rule import Rule
from physx_schema.description import Description

_ERRORS = frozenset({"misspelt-property", "misspelt-schema", "wrong-instance", "no-instance"})
_NOTES = frozenset({"other-engine"})    # meant for another engine
_REPORTED = frozenset({"dropped", RETIRED})     # the reader, and a rule of their own, say more about them


def unused_opinions(description: Description) -> Iterator[Finding]:
    """One finding for each unused opinion: an error where it was plainly meant to work, else a warning."""
    for opinion in description.unused:
        if is_orphan(opinion) or opinion.code in _REPORTED:
            continue
        severity = "error" if opinion.code in _ERRORS else "info" if opinion.code in _NOTES else "warning"
        fix = opinion.suggestion or "remove it, or author it where it is read"
        if opinion.code in ("misspelt-property", "misspelt-schema", "wrong-instance") and opinion.suggestion:
            fix = f"did you mean {opinion.suggestion!r}?"
        yield Finding(
            f"unused/{opinion.code or 'idle'}", severity, opinion.path, opinion.property, opinion.reason,
            "it has no effect on the simulation", fix,
        )


RULES = (Rule("unused", unused_opinions, ("unused",)),)
