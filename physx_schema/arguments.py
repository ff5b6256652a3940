"""Checks of arguments that entry points share: texts, choices, switches and mappings. Each raises ValueError with a
message of one line that names the argument, its value and what is allowed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from physx_generated._display import display as one_line

from physx_schema.errors import printable

MAX_NAMES = 60              # that a message lists
MAX_CHOICES = 8             # that a message lists although one of them is similar
MAX_NAME_LENGTH = 200       # characters; of a longer name no similar one is looked for
MIN_SIMILARITY = 0.7        # of two names, or of the last parts of two paths, as difflib counts it
ValueT = TypeVar("ValueT")


def display(value: object) -> str:
    """A value as a message shows it: short, in one line of characters that can be shown."""
    return printable(one_line(value))


def label(name: str) -> str:
    """A name or path as a message shows it: as it is, or quoted and short where that cannot be shown."""
    is_plain = 0 < len(name) <= MAX_NAME_LENGTH and name.isprintable()
    return name if is_plain else display(name)


def suggestion(name: str, candidates: Collection[str], otherwise: str = "choose from") -> str:
    """The advice for an unknown name: the candidate that was probably meant, else all of them."""
    close = _closest(name, candidates) if len(name) <= MAX_NAME_LENGTH else ""
    return f"did you mean {close}?" if close else f"{otherwise} {listed(candidates)}"


def listed(names: Iterable[str]) -> str:
    """Names with commas between; the first of them where there are many."""
    every = list(names)
    more = f" and {len(every) - MAX_NAMES} more" if len(every) > MAX_NAMES else ""
    return (", ".join(every[:MAX_NAMES]) or "none") + more


def _closest(name: str, candidates: Collection[str]) -> str:
    """The most similar candidate, or the one of which the last part of the path is most similar; "" for none."""
    whole = get_close_matches(name, candidates, 1, MIN_SIMILARITY)
    if whole:
        return whole[0]
    by_part = {candidate.rpartition("/")[2]: candidate for candidate in candidates}
    parts = get_close_matches(name.rpartition("/")[2], by_part, 1, MIN_SIMILARITY)
    return by_part[parts[0]] if parts else ""


def items_of(values: Any) -> tuple[Any, ...] | None:
    """The items of what can be iterated over, None for strings and for anything else."""
    if isinstance(values, str | bytes | type) or not isinstance(values, Iterable):
        return None
    try:
        return tuple(values)
    except TypeError:           # arrays without an axis
        return None


def required_text(argument: str, value: Any) -> str:
    """A string. Raises ValueError for anything else."""
    if not isinstance(value, str):
        raise ValueError(f"{argument} is {display(value)}; give a string")
    return value


def required_texts(argument: str, values: Any) -> tuple[str, ...]:
    """The strings of a collection. Raises ValueError for one string alone and for anything else."""
    texts = items_of(values)
    if texts is None:
        raise ValueError(f"{argument} is {display(values)}; give a list of strings")
    for text in texts:
        if not isinstance(text, str):
            raise ValueError(f"{argument} contains {display(text)}; give a list of strings")
    return texts


def required_choice(argument: str, value: Any, choices: Collection[str]) -> str:
    """One of some strings. Raises ValueError for anything else."""
    if not isinstance(value, str) or value not in choices:
        advice = f"allowed are {', '.join(map(repr, choices))}"
        if isinstance(value, str) and len(choices) > MAX_CHOICES:
            advice = suggestion(value, choices, "allowed are")
        raise ValueError(f"{argument} is {display(value)}; {advice}")
    return value


def required_flag(argument: str, value: Any) -> bool:
    """True or False, of NumPy too. Raises ValueError for anything else."""
    if type(value).__name__ not in ("bool", "bool_"):
        raise ValueError(f"{argument} is {display(value)}; give True or False")
    return bool(value)


def required_mapping(argument: str, value: Any) -> Mapping[str, Any]:
    """A mapping with strings as keys. Raises ValueError for anything else."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{argument} is {display(value)}; give a dict")
    for key in value:
        if not isinstance(key, str):
            raise ValueError(f"{argument} has the key {display(key)}; give strings as keys")
    return value


def required_instance(argument: str, value: Any, kind: type[ValueT], advice: str) -> ValueT:
    """An object of a class. Raises ValueError with this advice for anything else."""
    if not isinstance(value, kind):
        raise ValueError(f"{argument} is {display(value)}; {advice}")
    return value
