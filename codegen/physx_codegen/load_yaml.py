"""A folder of YAML files to a frozen Library; every misplaced, misspelt or mistyped entry is reported with its line."""

from __future__ import annotations

from pathlib import Path

from . import fields, ranges, value_types
from .model import (
    Attribute,
    Family,
    Library,
    Location,
    Range,
    Relationship,
    SchemaClass,
    SchemaError,
    Token,
    Value,
)
from .wording import closest, display_path
from .yaml_reader import Reader
from .yaml_source import Mapping, leading_comment


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
                self.report(1, "no file of this folder names the library; write a library.yaml with name and plugin")
            headers = [(Location(self.file, 1), Mapping(1))]
        return self.build_library(folder, headers, tuple(tokens), tuple(families))

    def build_library(
        self, folder: Path, headers: list[tuple[Location, Mapping]], tokens: tuple[Token, ...],
        families: tuple[Family, ...],
    ) -> Library:
        """The library itself, from the one file that names it."""
        for location, _ in headers[1:]:
            self.problems.append((location, f"names the library again, after {headers[0][0]}; keep one of the two"))
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
                self.report(entry.lines["default"], f"'default' is empty; give {value_types.describe(kind)}, or no key")
            return None
        return self.parse_value(type_name, raw, entry.lines["default"], "default")

    def range(self, entry: Mapping, text: str) -> Range | None:
        """An interval in mathematical notation."""
        try:
            return ranges.parse(text)
        except ValueError as error:
            self.report(entry.lines["range"], str(error))
            return None
