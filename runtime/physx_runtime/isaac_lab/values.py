"""Values of a configuration that is read as data: configuration objects, their classes, and what is not evaluated."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Data: TypeAlias = Any       # a value of a configuration: a number, text, container, object or NotEvaluated
Names: TypeAlias = MutableMapping[str, Data]        # the values of the names of a scope

MAX_ITEMS = 100_000         # of a text or a container that a configuration makes
MAX_BITS = 4096             # of a whole number
MAX_EXPRESSION = 80         # characters of an expression in a message


@dataclass(frozen=True, slots=True)
class Location:
    """A line of a configuration."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class NotEvaluated:
    """A value that only running the configuration would tell."""

    place: Location
    expression: str
    reason: str


@dataclass(frozen=True, slots=True)
class Entry:
    """The value of a field, and the line that gives it."""

    value: Data
    place: Location


@dataclass(frozen=True, slots=True)
class Imported:
    """A name of another module: of `module`, `name` in it, both with dots; empty where it is the module itself."""

    module: str
    name: str
    level: int = 0              # of a relative import

    @property
    def last(self) -> str:
        """The last part of the name."""
        return (self.name or self.module).rpartition(".")[2]


@dataclass(slots=True, eq=False)
class ConfigObject:
    """An object of a configuration class, with the fields that the configuration gives."""

    kinds: tuple[str, ...]      # names of its class and the classes that this derives from
    place: Location
    fields: dict[str, Entry] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The name of its class."""
        return self.kinds[0]

    def value(self, name: str, default: object = None) -> Data:
        """The value of a field, or the default where the configuration gives none."""
        return self.fields[name].value if name in self.fields else default


@dataclass(slots=True, eq=False)
class ConfigClass:
    """A configuration class that the configuration itself defines."""

    name: str
    place: Location
    bases: tuple[ConfigClass | str, ...]
    fields: dict[str, Entry]
    inner: dict[str, Data]                       # classes defined inside
    initialize: Callable[[ConfigObject], None] | None = None    # runs its __post_init__, where it has one

    def lineage(self) -> Iterator[ConfigClass]:
        """This class and the classes that it derives from, as far as they are defined here."""
        yield self
        for base in self.bases:
            if isinstance(base, ConfigClass):
                yield from base.lineage()

    @property
    def kinds(self) -> tuple[str, ...]:
        """Names of this class and of the classes that it derives from."""
        names = [item.name for item in self.lineage()]
        return tuple(dict.fromkeys([*names, *(base for item in self.lineage() for base in item.bases
                                              if isinstance(base, str))]))

    def instance(self) -> ConfigObject:
        """An object with copies of the defaults of all fields."""
        fields: dict[str, Entry] = {}
        for item in reversed(list(self.lineage())):
            fields |= item.fields
        return ConfigObject(self.kinds, self.place, copy.deepcopy(fields))


def plain(value: object) -> object:
    """A value without entries and with lists for tuples, as far as it is evaluated."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def unknown_parts(value: object) -> Iterator[NotEvaluated]:
    """What is not evaluated of a value and of its items."""
    if isinstance(value, NotEvaluated):
        yield value
    for item in (value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()):
        yield from unknown_parts(item)


def is_number(value: object) -> bool:
    """Whether a value is a number and no switch."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def shortened(text: str) -> str:
    """An expression in one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_EXPRESSION else f"{line[:MAX_EXPRESSION]} ..."
