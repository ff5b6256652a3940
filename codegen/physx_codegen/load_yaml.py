"""A folder of YAML files to a frozen Library; every misplaced, misspelt or mistyped entry is reported with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import fields, value_types
from .model import (
    DICTIONARY,
    RAW,
    Attribute,
    Entry,
    Family,
    Library,
    Location,
    Range,
    Relationship,
    SchemaClass,
    SchemaError,
    Token,
    Value,
    article,
    closest,
    display_path,
)
from .naming import IDENTIFIER, NAMESPACE
from .yaml_source import Mapping, Source, leading_comment

EXPECTED = {
    "text": "text", "prose": "text", "word": "a name of letters, digits and underscores",
    "property": "letters, digits and underscores, with colons between parts",
    "method": 'the name that follows Get and Create, or "" for no methods',
    "string": 'text, or "" for none',
    "kind": f"one of {', '.join(fields.KINDS)}",
    "flag": "true or false", "words": "a list of words", "names": "a list of names",
}
TEXTS = {"text", "word", "prose", "string"}
Table = dict[str, fields.Field]


def absent(entry: fields.Field) -> Any:
    """What the model holds for a key that is not given."""
    if entry.holds in {"words", "names", "entries"}:
        return ()
    return entry.absent if entry.holds == "flag" else None if entry.holds in {"method", "string", "kind"} else ""


DEFAULTS = {kind: {key: absent(entry) for key, entry in table.items() if entry.holds not in {"list", "value"}}
            for kind, table in fields.TABLES.items()}


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
    pattern = {"word": IDENTIFIER, "property": NAMESPACE}.get(holds)
    return bool(pattern.fullmatch(raw)) if pattern else holds in {"method", "prose", "string"} or bool(raw.strip())


class Reader:
    """Collects problems while mappings are read."""

    def __init__(self) -> None:
        self.problems: list[tuple[Location, str]] = []
        self.unreadable = False         # whether a file is not even YAML
        self.file = ""

    def report(self, line: int, message: str) -> None:
        """Note a problem of the current file."""
        self.problems.append((Location(self.file, line), message))

    def report_unreadable(self, message: str) -> None:
        """Note that the current file cannot be read at all."""
        self.unreadable = True
        self.report(1, message)

    def root(self, path: Path) -> Mapping | None:
        """The top mapping of a file, its keys checked."""
        self.file = display_path(path)
        if path.exists() and not path.is_file():
            self.report_unreadable("is not a regular file; use a file of definitions")
            return None
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            self.report_unreadable(f"not UTF-8 text at byte {error.start}; save the file as UTF-8")
            return None
        except OSError as error:
            self.report_unreadable(f"cannot be read: {error.strerror}; check the file and its permissions")
            return None
        source = Source(text)
        self.unreadable = self.unreadable or source.broken
        for line, message in source.problems:
            self.report(line, message)
        if not isinstance(source.root, Mapping):
            if source.root is not None or not source.problems:
                self.report(1, "the file has no keys; write keys such as 'classes:'")
            return None
        required = fields.LIBRARY if source.root.values.keys() & fields.LIBRARY.keys() else {}
        self.check_keys(source.root, "library", required)
        return source.root

    def check_keys(self, mapping: Mapping, kind: str, required: Table | None = None) -> None:
        """Report unknown, misplaced and missing keys."""
        table = fields.TABLES[kind]
        for key, line in mapping.lines.items():
            if key in table:
                continue
            owner_kinds = [other for other, keys in fields.TABLES.items() if key in keys]
            if owner_kinds:
                owners = " or ".join(map(article, owner_kinds))
                self.report(line, f"key '{key}' belongs to {owners}, not to {article(kind)}; move the key")
            else:
                self.report(line, f"unknown key '{key}' of {article(kind)}; {closest(key, table)}")
        for key, entry in (table if required is None else required).items():
            if entry.required and key not in mapping.values:
                self.report(mapping.line, f"{article(kind)} needs the key '{key}': {entry.doc}")

    def items(self, mapping: Mapping, key: str, kind: str) -> list[Mapping]:
        """The mappings in a list, their keys checked."""
        raw = mapping.values.get(key)
        if raw is None:
            return []
        if not isinstance(raw, list):
            self.report(mapping.lines[key], f"'{key}' is not a list; start each {kind} with '- name: ...'")
            return []
        mappings = []
        for item in raw:
            if isinstance(item, Mapping):
                self.check_keys(item, kind)
                mappings.append(item)
            else:
                self.report(mapping.lines[key], f"{item!r} in '{key}' is not {article(kind)}; write '- {{name: ...}}'")
        return mappings

    def value(self, mapping: Mapping, key: str, table: Table) -> Any:
        """The value of a key where it is what the table says; None where absent or wrong."""
        if key not in mapping.values or key not in table:
            return None
        raw, holds = mapping.values[key], table[key].holds
        if fits(raw, holds):
            return raw
        suggestion = " (quote it)" if isinstance(raw, bool | int | float) and holds in TEXTS else ""
        suggestion = " (quote each)" if isinstance(raw, list) and holds in {"words", "names"} else suggestion
        display = "a mapping" if isinstance(raw, Mapping) else repr(raw)
        self.report(mapping.lines[key], f"'{key}' is {display}; write {EXPECTED[holds]}{suggestion}")
        return None

    def read_fields(self, mapping: Mapping, kind: str) -> dict[str, Any]:
        """Every key of a place as the model holds it, but for lists of mappings and values of a type of their own."""
        table, values = fields.TABLES[kind], dict(DEFAULTS[kind])
        for key in mapping.values:
            if key in values:
                values[key] = self.field(mapping, key, table)
        return values

    def field(self, mapping: Mapping, key: str, table: Table) -> Any:
        """One key that is given, as the model holds it; as if it were not, where it is wrong."""
        holds = table[key].holds
        if holds in {"words", "names"}:
            return self.words(mapping, key, table)
        if holds == "entries":
            return self.entries(mapping, key)
        raw = self.value(mapping, key, table)
        if raw is None:
            return absent(table[key])
        return raw if holds in {"flag", "method", "string", "kind"} else str(raw).removesuffix("\n")   # ends a block

    def words(self, mapping: Mapping, key: str, table: Table) -> tuple[str, ...]:
        """A list of words without repetition."""
        words = tuple(self.value(mapping, key, table) or ())
        for word in sorted({word for word in words if words.count(word) > 1}):
            self.report(mapping.lines[key], f"'{word}' is in '{key}' twice; keep one")
        return words

    def entries(self, mapping: Mapping, key: str) -> tuple[Entry, ...]:
        """Typed entries, sorted by key as USD keeps them."""
        raw = mapping.values.get(key)
        if not isinstance(raw, Mapping):
            self.report(mapping.lines[key], f"'{key}' is {raw!r}; write a mapping such as {{\"string note\": text}}")
            return ()
        entries: dict[str, Entry] = {}
        for label, item in raw.values.items():
            entry = self.entry(label, item, raw.lines[label])
            if entry and entry.key in entries:
                self.report(raw.lines[label], f"'{entry.key}' is in '{key}' twice; keep one")
            elif entry:
                entries[entry.key] = entry
        return tuple(entries[name] for name in sorted(entries))

    def entry(self, label: str, raw: object, line: int) -> Entry | None:
        """An entry from a key such as ``string note`` and its value."""
        type_name, _, name = label.partition(" ")
        if not name:
            self.report(line, f"key '{label}' has no type; write the type and the name, such as 'string {label}'")
        elif type_name == DICTIONARY and isinstance(raw, Mapping):
            return Entry(name, DICTIONARY, self.entries(Mapping(line, {label: raw}, {label: line}), label))
        elif type_name == RAW and isinstance(raw, str):
            return Entry(name, RAW, raw)
        elif type_name in value_types.TYPES:
            value = self.parse_value(type_name, raw, line, name)
            return None if value is None else Entry(name, type_name, value)
        elif type_name in {DICTIONARY, RAW}:
            self.report(line, f"{name}: {raw!r} is not {'a mapping' if type_name == DICTIONARY else 'text'}; change it")
        else:
            suggestion = closest(type_name, [*value_types.TYPES, DICTIONARY])
            self.report(line, f"unknown type '{type_name}' of '{name}'; {suggestion}")
        return None

    def parse_value(self, type_name: str, raw: object, line: int, key: str) -> Value | None:
        """A value in a type that exists."""
        kind = value_types.TYPES[type_name]
        try:
            if isinstance(raw, Mapping):
                raise ValueError("a mapping")
            return value_types.parse(kind, raw)
        except ValueError as error:
            self.report(line, f"{key}: {error}; type {type_name} takes {value_types.describe(kind)}")
            return None


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
        raise SchemaError(reader.problems, reader.unreadable)
    return library


class _Reader(Reader):
    """Turns mappings into model classes."""

    def library(self, folder: Path) -> Library:
        """All files of the folder; exactly one of them names the library."""
        headers: list[tuple[Location, Mapping]] = []
        complete = True                                # whether every file could be read
        tokens: list[Token] = []
        families: list[Family] = []
        for path in sorted(folder.glob("*.yaml")):
            root = self.root(path)
            if root is None:
                complete = False
                continue
            if root.values.keys() & fields.LIBRARY.keys():
                headers.append((Location(self.file, root.line), root))
            tokens += self.tokens(root)
            classes = tuple(self.schema_class(entry) for entry in self.items(root, "classes", "class"))
            if classes:
                summary = leading_comment(path.read_text(encoding="utf-8"))
                families.append(Family(path.stem, path.name, classes, summary))
        if not headers:
            self.file = display_path(folder / "library.yaml")
            if complete:                               # else the name may stand in what could not be read
                self.report(1, "no file of this folder names the library; add a library.yaml with name and plugin")
            headers = [(Location(self.file, 1), Mapping(1))]
        return self.build_library(folder, headers, tuple(tokens), tuple(families))

    def build_library(
        self, folder: Path, headers: list[tuple[Location, Mapping]], tokens: tuple[Token, ...],
        families: tuple[Family, ...],
    ) -> Library:
        """The library itself, from the one file that names it."""
        for location, _ in headers[1:]:
            self.problems.append((location,
                                  f"the library is named again, after {headers[0][0]}; keep one"))
        location, header = headers[0]
        self.file = location.file
        values = self.read_fields(header, "library")
        values["package"] = values["package"] or folder.resolve().name
        values["path"] = values["path"] or "."
        return Library(folder=folder.resolve().name, loc=location, tokens=tokens, families=families, **values)

    def tokens(self, owner: Mapping) -> tuple[Token, ...]:
        """The words of a library or class."""
        result = []
        for entry in self.items(owner, "tokens", "token"):
            values = self.read_fields(entry, "token")
            values["value"] = values["name"] if values["value"] is None else values["value"]
            result.append(Token(loc=Location(self.file, entry.line), **values))
        return tuple(result)

    def schema_class(self, entry: Mapping) -> SchemaClass:
        """A class with its properties."""
        values = self.read_fields(entry, "class")
        values["kind"] = values["kind"] or "single-apply"
        values["python_name"] = values["python_name"] or values["name"]
        if values["base"] == "Typed" and values["kind"] in {"typed", "abstract"}:
            values["base"] = ""                      # what stands where no base is given
        attributes = [self.attribute(item) for item in self.items(entry, "attributes", "attribute")]
        relationships = [self.relationship(item) for item in self.items(entry, "relationships", "relationship")]
        return SchemaClass(
            loc=Location(self.file, entry.line), tokens=self.tokens(entry), properties=(*attributes, *relationships),
            key_lines=tuple(entry.lines.items()), **values)

    def attribute(self, entry: Mapping) -> Attribute:
        """An attribute; its default is converted to its type."""
        values = self.read_fields(entry, "attribute")
        text = values.pop("range")
        return Attribute(
            loc=Location(self.file, entry.line), default=self.default(entry, values["type"]),
            range=self.range(entry, text) if text else None, range_text=text, **values)

    def relationship(self, entry: Mapping) -> Relationship:
        """A relationship."""
        return Relationship(loc=Location(self.file, entry.line), **self.read_fields(entry, "relationship"))

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
                self.report(entry.lines["default"],
                            f"'default' is empty; write {value_types.describe(kind)}, or remove the key")
            return None
        return self.parse_value(type_name, raw, entry.lines["default"], "default")

    def range(self, entry: Mapping, text: str) -> Range | None:
        """An interval in mathematical notation."""
        try:
            return value_types.parse_range(text)
        except ValueError as error:
            self.report(entry.lines["range"], str(error))
            return None
