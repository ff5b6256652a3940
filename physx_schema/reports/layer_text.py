"""Find specs in the text of a usda layer. USD's parser keeps no lines, so this scans the statements of the text.

Spec paths are those of Sdf, such as /Robot{arm=left}elbow. A text that the scanner does not understand has no specs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

REMOVING = ("delete", "reorder")        # edits of lists that add nothing
Span = tuple[int, int]          # offsets of the first character, and of the one after the last

_STRING = r'"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''
_ASSET = r"@@@(?:\\@@@|[^\n])*?@@@(?!@)|@[^@\n]*@"
_COMMENT = r"#[^\n]*|//[^\n]*|/\*.*?\*/"
_PATH = r"<[^<>\n]*>"
STRING = re.compile(_STRING, re.DOTALL)
_SKIPPED = re.compile(rf"(?:[\s;,]+|{_COMMENT})*", re.DOTALL)
# Brackets without other brackets or texts inside are one token: most arrays are.
_SIMPLE = r"[(\[{][^()\[\]{}\"'@#<>/]*[)\]}]"
_TOKEN = re.compile(rf"{_STRING}|{_ASSET}|{_COMMENT}|{_PATH}|{_SIMPLE}|[()\[\]{{}}]", re.DOTALL)
_ATOM = re.compile(rf"{_STRING}|{_ASSET}|{_PATH}|[^\s;,()\[\]{{}}=#\"'@<>]+", re.DOTALL)
_PRIM = re.compile(r"(?:def|over|class)\b")
_REORDER = re.compile(r"reorder\s+(?:nameChildren|properties|rootPrims|variantSets)\b")
_VARIANT_SET = re.compile(r"variantSet\b")
_EDIT = r"(?:prepend|append|add|delete|reorder)"
_PROPERTY = re.compile(rf"(?:(?:custom|uniform|varying|config|(?P<edit>{_EDIT}))\s+)*[\w:]+(?:\s*\[\s*\])?\s+"
                       r"(?P<name>[\w:]+)(?:\s*\.\s*(?P<part>\w+))?")
_METADATA = re.compile(rf"(?:(?P<edit>{_EDIT})\s+)?(?P<name>[\w:]+)")
_WORD = re.compile(r"[\w:]+")


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement that authors something: the spans of its name, and of its value where it has one."""

    name: Span
    value: Span | None = None
    part: str = ""              # "timeSamples" or "connect" after the name of an attribute, or one of REMOVING


@dataclass(slots=True)
class SpecText:
    """The statements of one prim spec, or of the layer itself."""

    name: Span | None = None    # of the prim's name, None for the layer
    properties: dict[str, list[Statement]] = field(default_factory=dict)
    metadata: dict[str, list[Statement]] = field(default_factory=dict)


class _UnknownSyntaxError(Exception):
    """The text is not what the scanner takes usda to be."""


def prim_specs(text: str, requested: Collection[str]) -> Mapping[str, SpecText]:
    """The requested prim specs of a text by path, "/" for the layer; none if a part of the text is not understood."""
    scanner = _Scanner(text, frozenset(requested))
    try:
        scanner.scan()
    except _UnknownSyntaxError:
        return {}
    return scanner.specs


class _Scanner:
    """Walks through the statements of a text once, and records those of the requested prim specs."""

    def __init__(self, text: str, requested: frozenset[str]) -> None:
        self.specs: dict[str, SpecText] = {}
        self._text, self._requested = text, requested
        self._open: list[tuple[str, str]] = []      # blocks: path of the prim, and name of the variant set or ""

    def scan(self) -> None:
        """Record the requested specs. Raises _UnknownSyntaxError."""
        at = self._skip(0)
        if self._text.startswith("(", at):
            at = self._metadata(at, "/")
        while (at := self._skip(at)) < len(self._text):
            if self._text.startswith("}", at) and self._open:
                self._open.pop()
                at += 1
            else:
                at = self._statement(at)
        if self._open:
            raise _UnknownSyntaxError

    def _statement(self, at: int) -> int:
        path, variant_set = self._open[-1] if self._open else ("/", "")
        if variant_set:
            return self._variant(at, path, variant_set)
        if _PRIM.match(self._text, at):
            return self._prim(at, path)
        if match := _REORDER.match(self._text, at):
            return self._value(self._equals(match.end()))
        if path == "/":
            raise _UnknownSyntaxError
        if match := _VARIANT_SET.match(self._text, at):
            (start, end), at = self._string(match.end())
            self._open.append((path, self._text[start:end]))
            return self._expect("{", self._equals(at))
        return self._property(at, path)

    def _prim(self, at: int, parent: str) -> int:
        """A prim up to its opening brace."""
        match = _PRIM.match(self._text, at)
        at = self._skip(match.end() if match else at)
        if type_name := _WORD.match(self._text, at):
            at = type_name.end()
        span, at = self._string(at)
        path = parent + ("" if parent.endswith(("/", "}")) else "/") + self._text[slice(*span)]
        if path in self._requested:
            self._spec(path).name = span
        return self._block(at, path)

    def _variant(self, at: int, path: str, variant_set: str) -> int:
        """A variant up to its opening brace."""
        span, at = self._string(at)
        return self._block(at, f"{path}{{{variant_set}={self._text[slice(*span)]}}}")

    def _block(self, at: int, path: str) -> int:
        at = self._skip(at)
        if self._text.startswith("(", at):
            at = self._metadata(at, path)
        self._open.append((path, ""))
        return self._expect("{", at)

    def _property(self, at: int, path: str) -> int:
        match = _PROPERTY.match(self._text, at)
        if match is None:
            raise _UnknownSyntaxError
        at, value = self._assigned(match.end())
        if path in self._requested:
            self._spec(path).properties.setdefault(match["name"], []).append(_statement(match, value, match["part"]))
        after = self._skip(at)
        return self._brackets(after) if self._text.startswith("(", after) else at

    def _metadata(self, at: int, path: str) -> int:
        """The metadata of a prim, a variant or the layer, in round brackets."""
        at += 1
        while not self._text.startswith(")", at := self._skip(at)):
            if comment := STRING.match(self._text, at):
                at = comment.end()
                continue
            match = _METADATA.match(self._text, at)
            if match is None:
                raise _UnknownSyntaxError
            at, value = self._assigned(match.end(), arc=True)
            if path in self._requested:
                self._spec(path).metadata.setdefault(match["name"], []).append(_statement(match, value))
        return at + 1

    def _spec(self, path: str) -> SpecText:
        return self.specs.setdefault(path, SpecText())

    # --- parts of statements ---

    def _assigned(self, at: int, arc: bool = False) -> tuple[int, Span | None]:
        """The end of a statement after its name, and the span of its value if it has one."""
        after = self._skip(at)
        if not self._text.startswith("=", after):
            return at, None
        start = self._skip(after + 1)
        end = self._value(start, arc)
        return end, (start, end)

    def _value(self, at: int, arc: bool = False) -> int:
        """The end of a value: an atom or brackets; in an arc, such as a payload, also a path and an offset."""
        if self._text.startswith(("(", "[", "{"), at):
            return self._brackets(at)
        match = _ATOM.match(self._text, at)
        if match is None:
            raise _UnknownSyntaxError
        at, arc = match.end(), arc and match[0].startswith(("@", "<"))
        while arc and self._text.startswith(("<", "("), after := self._skip(at)):
            path = _ATOM.match(self._text, after)
            at = path.end() if path else self._brackets(after)
        return at

    def _brackets(self, at: int) -> int:
        """The end of a value in brackets."""
        depth = 0
        for match in _TOKEN.finditer(self._text, at):
            token = match[0]
            if len(token) == 1:
                depth += 1 if token in "([{" else -1
            if depth == 0:
                return match.end()
        raise _UnknownSyntaxError

    def _string(self, at: int) -> tuple[Span, int]:
        """The span of a name without its quotes, and the end of the string."""
        match = STRING.match(self._text, self._skip(at))
        if match is None:
            raise _UnknownSyntaxError
        return (match.start() + 1, match.end() - 1), match.end()

    def _equals(self, at: int) -> int:
        return self._skip(self._expect("=", at))

    def _expect(self, sign: str, at: int) -> int:
        at = self._skip(at)
        if not self._text.startswith(sign, at):
            raise _UnknownSyntaxError
        return at + 1

    def _skip(self, at: int) -> int:
        match = _SKIPPED.match(self._text, at)
        return match.end() if match else at


def _statement(match: re.Match[str], value: Span | None, part: str | None = None) -> Statement:
    edit = match["edit"] if match["edit"] in REMOVING else ""
    return Statement(match.span("name"), value, part if part and part != "default" else edit)
