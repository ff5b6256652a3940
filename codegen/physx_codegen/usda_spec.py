"""Specs of a usda layer, their metadata and customData, with the line of each; problems are collected."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from pxr import Sdf, Vt

from . import usda_keys, value_types
from .model import DICTIONARY, RAW, Entry, Location, Token
from .usd_values import guess_type, plain
from .usda_outline import Outline
from .wording import closest

MIN_SIMILARITY = 0.9         # of 1: a letter or two in a long word
EXPECTED = {str: "text", bool: "true or false", tuple: "a list of words", dict: "a dictionary"}


class Problems:
    """Collects problems of one file."""

    def __init__(self, file: str, outline: Outline) -> None:
        self.file = file
        self.outline = outline
        self.entries: list[tuple[Location, str]] = []

    def at(self, path: str, *keys: str) -> Location:
        """Where a key of a spec stands."""
        return Location(self.file, self.outline.line(path, *keys))

    def report(self, message: str, path: str, *keys: str) -> None:
        """Note a problem."""
        self.entries.append((self.at(path, *keys), message))


class CustomData:
    """A dictionary of customData from which known keys are taken; what is left is kept as entries."""

    def __init__(self, problems: Problems, path: str, keys: tuple[str, ...], values: dict[str, Any]) -> None:
        self.problems, self.path, self.keys, self.values = problems, path, keys, values

    def pop(self, key: str, kind: type, default: Any) -> Any:
        """The value of a key, removed; `absent` where it is not given or of another type, which is reported."""
        if key not in self.values:
            return default
        value = self.values.pop(key)
        if kind is tuple and isinstance(value, Vt.TokenArray | Vt.StringArray):
            return tuple(value)
        if kind is not tuple and isinstance(value, kind):
            return value
        display = "a dictionary" if isinstance(value, dict) else str(value)
        self.problems.report(f"{key} is {display}; give {EXPECTED[kind]}", self.path, *self.keys, key)
        return default

    def inner(self, key: str) -> CustomData:
        """A dictionary within this one, removed."""
        return CustomData(self.problems, self.path, (*self.keys, key), dict(self.pop(key, dict, {})))

    def entries(self) -> tuple[Entry, ...]:
        """What is left, with types."""
        entries = [self._entry(key, value) for key, value in sorted(self.values.items())]
        return tuple(entry for entry in entries if entry)

    def remaining_entries(self, known: Iterable[str]) -> tuple[Entry, ...]:
        """What is left, with types; what looks like a known key misspelt is reported, as USD would pass over it."""
        for key in sorted(self.values):
            close = difflib.get_close_matches(key, known, n=1, cutoff=MIN_SIMILARITY)
            if close:
                message = f"unknown key '{key}' of customData; did you mean '{close[0]}'? Else give it another name"
                self.problems.report(message, self.path, *self.keys, key)
        return self.entries()

    def report_unknown(self, allowed: list[str]) -> None:
        """Report every key that is left."""
        for key in sorted(self.values):
            where = self.keys[-1]
            message = f"unknown key '{key}' of {where}; {closest(key, allowed)}"
            self.problems.report(message, self.path, *self.keys, key)

    def _entry(self, key: str, value: Any) -> Entry | None:
        if isinstance(value, dict):
            return Entry(key, DICTIONARY, CustomData(self.problems, self.path, (*self.keys, key), value).entries())
        declared = self.problems.outline.types.get((self.path, (*self.keys, key)), "")
        type_name = str(Sdf.ValueTypeNames.Find(declared)) if declared else guess_type(value)
        if type_name not in value_types.TYPES:
            message = f"entry '{key}' of type {declared or type(value).__name__} cannot be kept; give it a plain type"
            self.problems.report(message, self.path, *self.keys, key)
            return None
        return Entry(key, type_name, plain(value, type_name))


def custom_data(problems: Problems, spec: Any) -> CustomData:
    """The customData of a spec."""
    return CustomData(problems, str(spec.path), ("customData",), dict(spec.customData))


def tokens(data: CustomData) -> tuple[Token, ...]:
    """libraryTokens or schemaTokens: each a dictionary with value and doc, both optional."""
    result = []
    for name in sorted(data.values):
        entry = data.inner(name)
        number = entry.values.get("value")
        if isinstance(number, int) and not isinstance(number, bool):        # USD's generator writes its digits
            entry.values["value"] = str(number)
        value, doc = entry.pop("value", str, name), entry.pop("doc", str, "")
        entry.report_unknown(["value", "doc"])
        result.append(Token(name, value, doc, data.problems.at(data.path, *data.keys, name)))
    return tuple(result)


def metadata(problems: Problems, spec: Any, known: set[str]) -> tuple[Entry, ...]:
    """Metadata that no field of the model holds; what a schema cannot have is reported."""
    path, entries = str(spec.path), []
    keys = set(spec.ListInfoKeys())
    for key in sorted(keys - known):
        text_name = usda_keys.IN_TEXT.get(key, key)
        if key in usda_keys.FORBIDDEN:
            display = text_name if " " in text_name else f"'{text_name}'"
            message = f"{display} cannot be given in a schema: USD ignores it there; remove it"
            problems.report(message, path, text_name)
        else:
            entries += _metadata_entries(problems, spec, path, key)
    unlisted = problems.outline.texts.get(path, {}).keys() - keys - known - usda_keys.TEXT_NAMES
    for key in sorted(unlisted):
        entries += _raw_entries(problems, path, key)   # a field that USD has no definition of, and does not list
    return tuple(sorted(entries, key=lambda entry: entry.key))


def _raw_entries(problems: Problems, path: str, key: str) -> list[Entry]:
    """A field as the file has it, list operations included."""
    return [Entry(start, RAW, text) for start, _, text in (
        statement.partition(" = ") for statement in problems.outline.texts.get(path, {}).get(key, []))]


def _metadata_entries(problems: Problems, spec: Any, path: str, key: str) -> list[Entry]:
    value, raw = _info(spec, key), _raw_entries(problems, path, key)
    if isinstance(value, dict):
        return [Entry(key, DICTIONARY, CustomData(problems, path, (key,), value).entries())]
    if isinstance(value, list | Vt.TokenArray | Vt.StringArray) and all(isinstance(item, str) for item in value):
        return [Entry(key, "token[]", tuple(value))]
    is_word = isinstance(value, str) and bool(raw) and str(raw[0].value)[0] not in "\"'"
    if isinstance(value, bool | int | float | str | Sdf.AssetPath) and not is_word:
        type_name = guess_type(value)
        return [Entry(key, type_name, plain(value, type_name))]
    if not raw:
        problems.report(f"'{key}' holds a value that cannot be kept; remove it", path, key)
    return raw                                  # beyond Python, or a word of usda's grammar


def _info(spec: Any, key: str) -> Any:
    try:
        return spec.GetInfo(key)
    except TypeError:                               # a C++ type that Python does not know
        return None
