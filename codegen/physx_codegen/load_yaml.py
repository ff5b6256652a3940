"""A folder of YAML files to a frozen Library; every misplaced, misspelt or mistyped entry is reported with its line."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from . import fields, value_types
from .model import (
    Attribute,
    Family,
    Kind,
    Library,
    Location,
    Range,
    Relationship,
    SchemaClass,
    SchemaError,
    Token,
    Value,
)
from .yaml_source import Mapping, Source, leading_comment

WORD = re.compile(r"[A-Za-z_]\w*")
PROPERTY = re.compile(r"[A-Za-z_]\w*(:[A-Za-z_]\w*)*")
RANGE = re.compile(r"\s*([\[(])\s*([^,\s]+)\s*,\s*([^,\s]+)\s*([\])])\s*")
EXPECTED = {
    "text": "text", "word": "a name of letters, digits and underscores",
    "property": "letters, digits and underscores, with colons between parts",
    "kind": f"one of {', '.join(fields.KINDS)}",
    "flag": "true or false", "words": "a list of words", "names": "a list of names",
}


def libraries(root: Path) -> list[Path]:
    """The folders with definitions: `root` itself, or else its sub-folders that hold YAML files."""
    if any(root.glob("*.yaml")):
        return [root]
    return sorted({path.parent for path in root.glob("*/*.yaml")})


def load(folder: Path) -> Library:
    """Read all YAML files of a folder as one library. Raises SchemaError with every problem found."""
    reader = _Reader()
    library = reader.library(folder)
    if reader.problems:
        raise SchemaError(reader.problems)
    return library


def displayed(path: Path) -> str:
    """A path for messages: relative to the working directory where it lies below it."""
    path, here = path.resolve(), Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else path.as_posix()


def article(noun: str) -> str:
    """The noun after a or an."""
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def closest(word: str, allowed: Iterable[str]) -> str:
    """A suggestion for a misspelt word, or the words allowed."""
    lowered = {other.lower(): other for other in allowed}
    close = difflib.get_close_matches(word.lower(), lowered, n=1)
    return f"did you mean '{lowered[close[0]]}'?" if close else f"allowed: {', '.join(lowered.values()) or 'none'}"


def fits(raw: object, holds: fields.Holds) -> bool:
    """Whether a value is what its key holds."""
    if holds == "flag":
        return isinstance(raw, bool)
    if holds in {"words", "names"}:
        return isinstance(raw, list) and all(isinstance(item, str) and (item or holds == "words") for item in raw)
    if not isinstance(raw, str):
        return False
    if holds == "kind":
        return raw in fields.KINDS
    pattern = {"word": WORD, "property": PROPERTY}.get(holds)
    return bool(pattern.fullmatch(raw) if pattern else raw.strip())


class _Reader:
    """Collects problems while it turns mappings into model classes."""

    def __init__(self) -> None:
        self.problems: list[tuple[Location, str]] = []
        self.file = ""

    def report(self, line: int, message: str) -> None:
        self.problems.append((Location(self.file, line), message))

    def library(self, folder: Path) -> Library:
        """All files of the folder; exactly one of them names the library."""
        headers: list[tuple[Location, Mapping]] = []
        tokens: list[Token] = []
        families: list[Family] = []
        for path in sorted(folder.glob("*.yaml")):
            self.file = displayed(path)
            root = self.root(path)
            if root is None:
                continue
            if "name" in root.values or "plugin" in root.values:
                headers.append((Location(self.file, root.line), root))
            tokens += [self.token(entry) for entry in self.entries(root, "tokens", "token")]
            classes = tuple(self.schema_class(entry) for entry in self.entries(root, "classes", "class"))
            if classes:
                summary = leading_comment(path.read_text(encoding="utf-8"))
                families.append(Family(path.stem, path.name, classes, summary))
        return self.headed(folder, headers, tuple(tokens), tuple(families))

    def headed(
        self, folder: Path, headers: list[tuple[Location, Mapping]], tokens: tuple[Token, ...],
        families: tuple[Family, ...],
    ) -> Library:
        """The library itself, from the one file that names it."""
        if not headers:
            self.file = displayed(folder / "library.yaml")
            self.report(1, "no file of this folder names the library; write a library.yaml with name and plugin")
            headers = [(Location(self.file, 1), Mapping(1))]
        for location, _ in headers[1:]:
            self.problems.append((location, f"names the library again, after {headers[0][0]}; keep one of the two"))
        location, header = headers[0]
        self.file = location.file
        name, plugin, version = (self.text(header, key, fields.LIBRARY) for key in ("name", "plugin", "version"))
        package = self.text(header, "package", fields.LIBRARY) or folder.name
        schemas = self.words(header, "schemas", fields.LIBRARY)
        return Library(folder.name, name, plugin, version, schemas, location, tokens, families, package)

    def root(self, path: Path) -> Mapping | None:
        """The top mapping of a file, its keys checked."""
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            self.report(1, f"not UTF-8 text at byte {error.start}; save the file as UTF-8")
            return None
        except OSError as error:
            self.report(1, f"cannot be read: {error.strerror}; check the file and its permissions")
            return None
        source = Source(text)
        for line, message in source.problems:
            self.report(line, message)
        if not isinstance(source.root, Mapping):
            if source.root is not None or not source.problems:
                self.report(1, "holds no mapping; write keys such as 'classes:'")
            return None
        required = fields.LIBRARY if source.root.values.keys() & fields.LIBRARY.keys() else {}
        self.check_keys(source.root, "library", required)
        return source.root

    def check_keys(self, mapping: Mapping, place: str, required: dict[str, fields.Field] | None = None) -> None:
        """Report unknown, misplaced and missing keys."""
        table = fields.PLACES[place]
        for key, line in mapping.lines.items():
            if key in table:
                continue
            others = [other for other, keys in fields.PLACES.items() if key in keys]
            if others:
                owners = " or ".join(map(article, others))
                self.report(line, f"key '{key}' belongs to {owners}, not to {article(place)}; move it")
            else:
                self.report(line, f"unknown key '{key}' of {article(place)}; {closest(key, table)}")
        for key, entry in (table if required is None else required).items():
            if entry.required and key not in mapping.values:
                self.report(mapping.line, f"{article(place)} needs the key '{key}': {entry.doc}")

    def entries(self, mapping: Mapping, key: str, place: str) -> list[Mapping]:
        """The mappings in a list, their keys checked."""
        raw = mapping.values.get(key)
        if raw is None:
            return []
        if not isinstance(raw, list):
            self.report(mapping.lines[key], f"'{key}' is not a list; start each {place} with '- name: ...'")
            return []
        found = []
        for item in raw:
            if isinstance(item, Mapping):
                self.check_keys(item, place)
                found.append(item)
            else:
                self.report(mapping.lines[key], f"{item!r} in '{key}' is not {article(place)}; write '- {{name: ...}}'")
        return found

    def value(self, mapping: Mapping, key: str, table: dict[str, fields.Field]) -> Any:
        """The value of a key where it is what the table says; None where absent or wrong."""
        if key not in mapping.values or key not in table:
            return None
        raw, holds = mapping.values[key], table[key].holds
        if fits(raw, holds):
            return raw
        hint = " (quote it)" if isinstance(raw, bool | int | float) and holds in {"text", "word"} else ""
        hint = " (quote each)" if isinstance(raw, list) and holds in {"words", "names"} else hint
        shown = "a mapping" if isinstance(raw, Mapping) else repr(raw)
        self.report(mapping.lines[key], f"'{key}' is {shown}; give {EXPECTED[holds]}{hint}")
        return None

    def text(self, mapping: Mapping, key: str, table: dict[str, fields.Field]) -> str:
        """A text with its line ends folded where it is prose."""
        return str(self.value(mapping, key, table) or "").strip()

    def words(self, mapping: Mapping, key: str, table: dict[str, fields.Field]) -> tuple[str, ...]:
        """A list of words without repetition."""
        found = tuple(self.value(mapping, key, table) or ())
        for word in sorted({word for word in found if found.count(word) > 1}):
            self.report(mapping.lines[key], f"'{word}' stands twice in '{key}'; keep one")
        return found

    def token(self, entry: Mapping) -> Token:
        """A library token."""
        name, value, doc = (self.text(entry, key, fields.TOKEN) for key in ("name", "value", "doc"))
        return Token(name, value or name, doc, Location(self.file, entry.line))

    def schema_class(self, entry: Mapping) -> SchemaClass:
        """A class with its properties."""
        given: dict[str, Any] = {}
        for key, value in fields.CLASS.items():
            if value.holds in {"text", "word", "property"}:
                given[key] = self.text(entry, key, fields.CLASS)
            elif value.holds == "names":
                given[key] = self.words(entry, key, fields.CLASS)
        kind: Kind = self.value(entry, "kind", fields.CLASS) or "single-apply"
        attributes = [self.attribute(item) for item in self.entries(entry, "attributes", "attribute")]
        relationships = [self.relationship(item) for item in self.entries(entry, "relationships", "relationship")]
        given["python_name"] = given["python_name"] or given["name"]
        return SchemaClass(
            kind=kind, loc=Location(self.file, entry.line), properties=(*attributes, *relationships),
            key_lines=tuple(entry.lines.items()), **given)

    def attribute(self, entry: Mapping) -> Attribute:
        """An attribute; its default is converted to its type."""
        texts = {key: self.text(entry, key, fields.ATTRIBUTE) for key, value in fields.ATTRIBUTE.items()
                 if value.holds in {"text", "property"} and key != "range"}
        range_text = self.text(entry, "range", fields.ATTRIBUTE)
        return Attribute(
            loc=Location(self.file, entry.line), default=self.default(entry, texts["type"]),
            uniform=bool(self.value(entry, "uniform", fields.ATTRIBUTE)),
            tokens=self.words(entry, "tokens", fields.ATTRIBUTE),
            range=self.range(entry, range_text) if range_text else None, range_text=range_text, **texts)

    def relationship(self, entry: Mapping) -> Relationship:
        """A relationship."""
        texts = {key: self.text(entry, key, fields.RELATIONSHIP) for key, value in fields.RELATIONSHIP.items()
                 if value.holds in {"text", "property"}}
        return Relationship(
            loc=Location(self.file, entry.line), targets=self.words(entry, "targets", fields.RELATIONSHIP),
            many=bool(self.value(entry, "many", fields.RELATIONSHIP)), **texts)

    def default(self, entry: Mapping, type_name: str) -> Value | None:
        """The default in the attribute's type."""
        kind = value_types.TYPES.get(type_name)
        if kind is None:
            if type_name:
                self.report(entry.lines["type"], f"unknown type '{type_name}'; {closest(type_name, value_types.TYPES)}")
            return None
        raw = entry.values.get("default")
        if raw is None:
            if "default" in entry.values:
                self.report(entry.lines["default"], f"'default' is empty; give {value_types.describe(kind)}, or no key")
            return None
        try:
            if isinstance(raw, Mapping):
                raise ValueError("a mapping")
            return value_types.parse(kind, raw)
        except ValueError as error:
            takes = f"type {type_name} takes {value_types.describe(kind)}"
            self.report(entry.lines["default"], f"default: {error}; {takes}")
            return None

    def range(self, entry: Mapping, text: str) -> Range | None:
        """An interval in mathematical notation."""
        match = RANGE.fullmatch(text)
        if match is None:
            self.report(entry.lines["range"], f"range '{text}' is no interval; write one such as \"[0, inf)\"")
            return None
        opening, lower, upper, closing = match.groups()
        bounds = [self.bound(entry, bound) for bound in (lower, upper)]
        return Range(bounds[0], bounds[1], opening == "[", closing == "]")

    def bound(self, entry: Mapping, text: str) -> float | str:
        """A number, or the name of another attribute."""
        try:
            number = float(text)
        except ValueError:
            if not PROPERTY.fullmatch(text):
                self.report(entry.lines["range"], f"bound '{text}' is neither a number nor the name of an attribute")
            return text
        if math.isnan(number):
            self.report(entry.lines["range"], f"bound '{text}' is not a number; give one, or inf or -inf")
        return number
