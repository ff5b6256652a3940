"""Names of joints by regular expressions, as Isaac Lab matches them (isaaclab/utils/string.py)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")

MAX_PATTERN = 300           # characters
# A repetition of a repetition can take longer than anyone waits.
_REPEATED_REPETITION = re.compile(r"[+*}]\??\)[+*{]")


class MatchError(Exception):
    """Isaac Lab refuses the expressions; the message says why."""


def matched(patterns: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """The names that the expressions match as a whole, in their own order, each with its expression.

    Raises MatchError where a name has two expressions, or an expression no name.
    """
    matches: dict[str, str] = {}
    for pattern in patterns:
        require_pattern(pattern)
    for name in names:
        fitting = [pattern for pattern in patterns if re.fullmatch(pattern, name)]
        if len(fitting) > 1:
            raise MatchError(f"the joint {name} matches both {fitting[0]!r} and {fitting[1]!r}")
        if fitting:
            matches[name] = fitting[0]
    unmatched = [pattern for pattern in patterns if pattern not in matches.values()]
    if unmatched:
        raise MatchError(f"no joint matches {', '.join(map(repr, unmatched))}")
    return matches


def matched_values(values: Mapping[str, T], names: Sequence[str]) -> dict[str, T]:
    """The value of each name that an expression matches. Raises MatchError as `matched`."""
    return {name: values[pattern] for name, pattern in matched(list(values), names).items()}


def require_pattern(pattern: str) -> None:
    """Raise MatchError for a text that is not a regular expression, or could take too long."""
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise MatchError(f"{pattern[:MAX_PATTERN]!r} is not a regular expression: {error}") from None
    if len(pattern) > MAX_PATTERN or _REPEATED_REPETITION.search(pattern):
        raise MatchError(f"{pattern[:MAX_PATTERN]!r} is too long or repeats a repetition, and is not matched here")
