"""Specs of a usda layer, their metadata and customData, with the line of each; problems are collected."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from pxr import Sdf, Vt

from . import usda_keys, value_types
from .model import DICTIONARY, RAW, Entry, Location, Token
from .usd_values import guessed_type, plain
from .usda_outline import Outline
from .wording import closest

ALIKE = 0.9         # of 1: a letter or two in a long word
EXPECTED = {str: "text", bool: "true or false", tuple: "a list of words", dict: "a dictionary"}


class Problems:
    """Collects problems of one file."""

    def __init__(self, file: str, outline: Outline) -> None:
        self.file = file
        self.outline = outline
        self.found: list[tuple[Location, str]] = []

    def at(self, path: str, *keys: str) -> Location:
        """Where a key of a spec stands."""
        return Location(self.file, self.outline.line(path, *keys))

    def report(self, message: str, path: str, *keys: str) -> None:
        """Note a problem."""
        self.found.append((self.at(path, *keys), message))


class CustomData:
    """A dictionary of customData from which known keys are taken; what is left is kept as entries."""

    def __init__(self, problems: Problems, path: str, keys: tuple[str, ...], values: dict[str, Any]) -> None:
        self.problems, self.path, self.keys, self.values = problems, path, keys, values

    def take(self, key: str, kind: type, absent: Any) -> Any:
        """The value of a key, removed; `absent` where it is not given or of another type, which is reported."""
        if key not in self.values:
            return absent
        value = self.values.pop(key)
        if kind is tuple and isinstance(value, Vt.TokenArray | Vt.StringArray):
            return tuple(value)
        if kind is not tuple and isinstance(value, kind):
            return value
        shown = "a dictionary" if isinstance(value, dict) else str(value)
        self.problems.report(f"{key} is {shown}; give {EXPECTED[kind]}", self.path, *self.keys, key)
        return absent

    def inner(self, key: str) -> CustomData:
        """A dictionary within this one, removed."""
        return CustomData(self.problems, self.path, (*self.keys, key), dict(self.take(key, dict, {})))

    def entries(self) -> tuple[Entry, ...]:
        """What is left, with types."""
        found = [self._entry(key, value) for key, value in sorted(self.values.items())]
        return tuple(entry for entry in found if entry)

    def rest(self, known: Iterable[str]) -> tuple[Entry, ...]:
        """What is left, with types; what looks like a known key misspelt is reported, as USD would pass over it."""
        for key in sorted(self.values):
            close = difflib.get_close_matches(key, known, n=1, cutoff=ALIKE)
            if close:
                message = f"unknown key '{key}' of customData; did you mean '{close[0]}'? Else give it another name"
                self.problems.report(message, self.path, *self.keys, key)
        return self.entries()

    def refuse(self, allowed: list[str]) -> None:
        """Report every key that is left."""
        for key in sorted(self.values):
            where = self.keys[-1]
            message = f"unknown key '{key}' of {where}; {closest(key, allowed)}"
            self.problems.report(message, self.path, *self.keys, key)

    def _entry(self, key: str, value: Any) -> Entry | None:
        if isinstance(value, dict):
            return Entry(key, DICTIONARY, CustomData(self.problems, self.path, (*self.keys, key), value).entries())
        written = self.problems.outline.types.get((self.path, (*self.keys, key)), "")
        type_name = str(Sdf.ValueTypeNames.Find(written)) if written else guessed_type(value)
        if type_name not in value_types.TYPES:
            message = f"entry '{key}' of type {written or type(value).__name__} cannot be kept; give it a plain type"
            self.problems.report(message, self.path, *self.keys, key)
            return None
        return Entry(key, type_name, plain(value, type_name))


def custom_data(problems: Problems, spec: Any) -> CustomData:
    """The customData of a spec."""
    return CustomData(problems, str(spec.path), ("customData",), dict(spec.customData))


def tokens(data: CustomData) -> tuple[Token, ...]:
    """libraryTokens or schemaTokens: each a dictionary with value and doc, both optional."""
    found = []
    for name in sorted(data.values):
        entry = data.inner(name)
        number = entry.values.get("value")
        if isinstance(number, int) and not isinstance(number, bool):        # USD's generator writes its digits
            entry.values["value"] = str(number)
        value, doc = entry.take("value", str, name), entry.take("doc", str, "")
        entry.refuse(["value", "doc"])
        found.append(Token(name, value, doc, data.problems.at(data.path, *data.keys, name)))
    return tuple(found)


def metadata(problems: Problems, spec: Any, known: set[str]) -> tuple[Entry, ...]:
    """Metadata that no field of the model holds; what a schema cannot have is reported."""
    path, found = str(spec.path), []
    listed = set(spec.ListInfoKeys())
    for key in sorted(listed - known):
        written = usda_keys.IN_TEXT.get(key, key)
        if key in usda_keys.FORBIDDEN:
            shown = written if " " in written else f"'{written}'"
            message = f"{shown} cannot be given in a schema: USD ignores it there; remove it"
            problems.report(message, path, written)
        else:
            found += _metadata_entries(problems, spec, path, key)
    others = problems.outline.texts.get(path, {}).keys() - listed - known - usda_keys.TEXT_NAMES
    for key in sorted(others):
        found += _as_written(problems, path, key)   # a field that USD has no definition of, and does not list
    return tuple(sorted(found, key=lambda entry: entry.key))


def _as_written(problems: Problems, path: str, key: str) -> list[Entry]:
    """A field as the file has it, list operations included."""
    return [Entry(start, RAW, text) for start, _, text in (
        statement.partition(" = ") for statement in problems.outline.texts.get(path, {}).get(key, []))]


def _metadata_entries(problems: Problems, spec: Any, path: str, key: str) -> list[Entry]:
    value, written = _info(spec, key), _as_written(problems, path, key)
    if isinstance(value, dict):
        return [Entry(key, DICTIONARY, CustomData(problems, path, (key,), value).entries())]
    if isinstance(value, list | Vt.TokenArray | Vt.StringArray) and all(isinstance(item, str) for item in value):
        return [Entry(key, "token[]", tuple(value))]
    is_word = isinstance(value, str) and bool(written) and str(written[0].value)[0] not in "\"'"
    if isinstance(value, bool | int | float | str | Sdf.AssetPath) and not is_word:
        type_name = guessed_type(value)
        return [Entry(key, type_name, plain(value, type_name))]
    if not written:
        problems.report(f"'{key}' holds a value that cannot be kept; remove it", path, key)
    return written                                  # beyond Python, or a word of usda's grammar


def _info(spec: Any, key: str) -> Any:
    try:
        return spec.GetInfo(key)
    except TypeError:                               # a C++ type that Python does not know
        return None
