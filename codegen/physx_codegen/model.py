"""What the definitions say, as frozen data, and their problems: no Python, USD or JSON syntax in here."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

MAX_WORDS = 30       # words listed in a message


def display_path(path: Path) -> str:
    """A path for messages: relative to the working directory where it lies below it."""
    path, here = path.resolve(), Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else path.as_posix()


def one_line(text: str) -> str:
    """Text on one line, with control and direction characters as escapes."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def article(noun: str) -> str:
    """The noun after a or an."""
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def closest(word: str, allowed: Iterable[str]) -> str:
    """A suggestion for a misspelt word, or the words allowed, as many as a line can hold."""
    lowered = {other.lower(): other for other in allowed}
    close = difflib.get_close_matches(word.lower(), lowered, n=1)
    if close:
        return f"did you mean '{lowered[close[0]]}'?"
    words = list(lowered.values())
    more = f" and {len(words) - MAX_WORDS} more" if len(words) > MAX_WORDS else ""
    return f"allowed: {', '.join(words[:MAX_WORDS]) or 'none'}{more}"


Value = bool | int | float | str | tuple["Value", ...]
Kind = Literal["single-apply", "multiple-apply", "non-applied", "typed", "abstract", "base"]
API_KINDS: tuple[Kind, ...] = ("single-apply", "multiple-apply", "non-applied")
DICTIONARY, RAW = "dictionary", "usda"      # types of entries besides the Sdf value types


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A line of a definition file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class SchemaError(Exception):
    """Every problem found in the definitions, one line each, sorted by file and line.

    `unreadable` says that a file could not even be read as what it should be: no such file, no UTF-8, no YAML, no usda.
    """

    def __init__(self, problems: list[tuple[Location, str]], unreadable: bool = False) -> None:
        self.problems = sorted((location, one_line(message)) for location, message in problems)
        self.unreadable = unreadable
        super().__init__("\n".join(f"{location}: {message}" for location, message in self.problems))


@dataclass(frozen=True, slots=True)
class Range:
    """An interval of allowed values; a bound is a number or the name of another attribute of the class."""

    lower: float | str
    upper: float | str
    lower_closed: bool
    upper_closed: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """One key of metadata that the language has no field for; several are sorted by key, as USD keeps them."""

    key: str
    type: str                           # Sdf value type name, DICTIONARY, or RAW for text in usda syntax
    value: Value | tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute, named as in the YAML: without the class's prefix."""

    name: str
    type: str                           # Sdf value type name, such as "float[]"
    loc: Location
    default: Value | None = None
    uniform: bool = False
    tokens: tuple[str, ...] = ()
    range: Range | None = None
    range_text: str = ""                # as written
    unit: str = ""
    api: str | None = None              # overrides the name in Get...Attr; "" for no methods at all
    custom_get: bool = False            # the getter is written by hand in C++ (apiGetImplementation)
    override: bool = False              # changes a property of a built-in schema (apiSchemaOverride)
    display: str = ""
    group: str = ""
    doc: str = ""
    deprecated: str = ""
    renamed_from: str = ""
    retired: str = ""                   # the release that dropped it
    hidden: bool = False
    metadata: tuple[Entry, ...] = ()
    custom_data: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Relationship:
    """One relationship, named as in the YAML."""

    name: str
    loc: Location
    targets: tuple[str, ...] = ()
    many: bool = False
    api: str | None = None
    custom_get: bool = False
    override: bool = False
    display: str = ""
    group: str = ""
    doc: str = ""
    deprecated: str = ""
    renamed_from: str = ""
    retired: str = ""                   # the release that dropped it
    hidden: bool = False
    metadata: tuple[Entry, ...] = ()
    custom_data: tuple[Entry, ...] = ()


Property = Attribute | Relationship


@dataclass(frozen=True, slots=True)
class Token:
    """A word that no property or class brings along."""

    name: str
    value: str
    doc: str
    loc: Location


@dataclass(frozen=True, slots=True)
class SchemaClass:
    """One API schema or prim type."""

    name: str                           # USD's identifier
    kind: Kind
    loc: Location
    base: str = ""                      # parent type of a prim type, or of a non-applied API schema
    prefix: str = ""
    includes: tuple[str, ...] = ()      # built-in API schemas, "CollectionAPI:name" with a fixed instance name
    applies_to: tuple[str, ...] = ()    # advisory
    instances: tuple[str, ...] = ()     # advisory
    can_only_apply_to: tuple[str, ...] = ()         # enforced by USD
    auto_apply_to: tuple[str, ...] = ()
    allowed_instances: tuple[str, ...] = ()         # enforced by USD
    python_name: str = ""               # the name where the YAML gives none
    doc: str = ""
    equation: str = ""
    example: str = ""                   # Python lines for the reference page
    semantics: str = ""
    deprecated: str = ""
    renamed_from: str = ""
    retired: str = ""                   # the release that dropped it
    extends: str = ""                   # the class of another library that its retired properties belonged to
    file_name: str = ""                 # of the C++ class
    tokens: tuple[Token, ...] = ()      # schemaTokens
    fallback_types: tuple[str, ...] = ()
    extra_includes: str = ""            # C++ #include lines
    extra_constructors: str = ""
    extra_plug_info: tuple[Entry, ...] = ()
    instance_rules: tuple[Entry, ...] = ()          # apiSchemaInstances
    collections: tuple[str, ...] = ()   # built-in collections as method names spell them, where that differs in case
    reflected: tuple[str, ...] = ()     # API schemas whose accessors the class repeats (reflectedAPISchemas)
    hidden: bool = False
    metadata: tuple[Entry, ...] = ()
    custom_data: tuple[Entry, ...] = ()
    properties: tuple[Property, ...] = ()           # attributes, then relationships, as written
    key_lines: tuple[tuple[str, int], ...] = ()     # where each key stands

    def at(self, key: str) -> Location:
        """The line of a key of this class."""
        return Location(self.loc.file, dict(self.key_lines).get(key, self.loc.line))

    @property
    def is_api(self) -> bool:
        """Whether this is an API schema."""
        return self.kind in API_KINDS

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes alone."""
        return tuple(prop for prop in self.properties if isinstance(prop, Attribute))


@dataclass(frozen=True, slots=True)
class Family:
    """One YAML file with classes; becomes one Python module."""

    name: str                           # file name without suffix
    file: str
    classes: tuple[SchemaClass, ...]
    summary: str = ""                   # the comment above the first key


@dataclass(frozen=True, slots=True)
class Library:
    """One folder of YAML files; becomes one USD plugin and one Python package."""

    folder: str
    name: str                           # prefix of TfType names
    plugin: str
    version: str
    schemas: tuple[str, ...]            # libraries it builds on
    loc: Location
    tokens: tuple[Token, ...] = ()
    families: tuple[Family, ...] = ()
    package: str = ""                   # Python package below the output folder, "." for the folder itself
    doc: str = ""
    path: str = "."                     # libraryPath: where C++ includes its headers from
    tokens_prefix: str = ""             # tokensPrefix; `name` where empty
    codeless: bool = True               # skipCodeGeneration
    export_api: bool = True             # useExportAPI
    literal_identifier: bool = True     # useLiteralIdentifier: tokens keep their spelling where C++ allows it
    metadata: tuple[Entry, ...] = ()    # of the layer
    custom_data: tuple[Entry, ...] = ()             # of GLOBAL

    @property
    def classes(self) -> tuple[SchemaClass, ...]:
        """The classes of all families, in order."""
        return tuple(cls for family in self.families for cls in family.classes)

    def find(self, name: str) -> SchemaClass | None:
        """The class with this identifier."""
        return next((cls for cls in self.classes if cls.name == name), None)
