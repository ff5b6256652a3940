"""Where things stand in usda text, and the types that dictionaries give their entries: USD's Python API tells neither.

Reads only files that USD has parsed already, so whatever it does not expect it steps over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

TOKEN = re.compile(
    r"""(?P<space>[\s;,]+|\#[^\n]*|//[^\n]*|/\*.*?\*/)
    |(?P<string>\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<asset>@@@.*?@@@|@[^@\n]*@)
    |(?P<path><[^>\n]*>)
    |(?P<mark>[()\[\]{}=])
    |(?P<word>[^\s()\[\]{}=,;"'@<\#]+)""", re.DOTALL | re.VERBOSE)
CLOSING = {"(": ")", "[": "]", "{": "}"}
SPECIFIERS = {"def", "over", "class"}
LIST_OPERATIONS = {"prepend", "append", "add", "delete", "reorder"}
MODIFIERS = LIST_OPERATIONS | {"custom", "uniform", "varying", "config"}
Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    line: int
    start: int
    end: int


class Outline:
    """Lines, types and texts by path and keys.

    The path is that of a prim or property, "/" for the layer; the keys lead through metadata and dictionaries:
    ``lines["/A.b", ("customData", "apiName")]``; no keys stand for the prim or property itself.
    """

    def __init__(self, text: str) -> None:
        self.lines: dict[tuple[str, Keys], int] = {}
        self.types: dict[tuple[str, Keys], str] = {}
        self.texts: dict[str, dict[str, list[str]]] = {}        # path, key: statements of metadata, list operations too
        self.variants: list[str] = []                           # prims with variant sets
        self.repeated: list[tuple[int, str]] = []               # line and name of properties declared twice, otherwise
        self._declared: dict[str, list[str]] = {}               # words of the first declaration of each property
        self._text = text
        self._tokens = list(_tokens(text))
        self._position = 0
        with suppress(IndexError):                  # ends before it is complete: lines so far are right
            self._layer()

    def line(self, path: str, *keys: str) -> int:
        """The line of a key, or of what holds it."""
        for count in range(len(keys), -1, -1):
            if (path, keys[:count]) in self.lines:
                return self.lines[path, keys[:count]]
        owner = path.rpartition(".")[0]
        return self.line(owner) if owner else 1

    def _peek(self) -> str:
        return self._tokens[self._position].text if self._position < len(self._tokens) else ""

    def _next(self) -> _Token:
        self._position += 1
        return self._tokens[self._position - 1]

    def _layer(self) -> None:
        if self._peek() == "(":
            self._metadata("/")
        while self._position < len(self._tokens):
            if self._peek() in SPECIFIERS:
                self._prim("/")
            else:
                self._value()

    def _prim(self, parent: str) -> None:
        line = self._next().line
        name = self._next()
        if name.kind == "word":                     # a type comes first
            name = self._next()
        path = f"{parent.rstrip('/')}/{name.text[1:-1]}"
        self.lines.setdefault((path, ()), line)
        if self._peek() == "(":
            self._metadata(path)
        if self._peek() == "{":
            self._contents(path)

    def _contents(self, path: str) -> None:
        self._next()
        while self._peek() != "}":
            if self._peek() in SPECIFIERS:
                self._prim(path)
            elif self._peek() == "variantSet":
                self.variants.append(path)
                self._next()
                self._next()
                self._skip_assignment()
            elif self._tokens[self._position].kind == "word":
                self._property(path)
            else:
                self._value()
        self._next()

    def _property(self, path: str) -> None:
        start, first = self._position, self._next()
        word = first
        while word.text in MODIFIERS:
            word = self._next()
        if first.text == "reorder":                 # of properties or children, not a property itself
            self.lines[path, ("propertyOrder",)] = first.line
            self._skip_assignment()
            return
        if self._peek() == "[":                     # an array type
            self._value()
        name, part, _ = self._next().text.partition(".")
        spec_path = f"{path}.{name}"
        self.lines.setdefault((spec_path, ()), first.line)
        self._skip_assignment()
        if self._peek() == "(":
            self._metadata(spec_path)
        words = [token.text for token in self._tokens[start:self._position]]
        old = self._declared.setdefault(spec_path, words) if not part and first.text not in LIST_OPERATIONS else words
        if old != words:
            self.repeated.append((first.line, name))

    def _skip_assignment(self) -> None:
        if self._peek() == "=":
            self._next()
            self._value()

    def _metadata(self, path: str) -> None:
        self._next()
        while self._peek() != ")":
            token = self._next()
            operation = token.text if token.text in LIST_OPERATIONS else ""
            key = self._next() if operation else token
            if self._peek() != "=":
                self.lines.setdefault((path, ("comment",)), token.line)
                continue
            self._next()
            start = self._tokens[self._position].start
            self.lines.setdefault((path, (key.text,)), token.line)
            if self._peek() == "{":
                self._dictionary(path, (key.text,))
            else:
                self._value()
            text = self._text[start:self._tokens[self._position - 1].end]
            statements = self.texts.setdefault(path, {}).setdefault(key.text, [])
            statements.append(f"{operation} {key.text} = {text}".lstrip())
        self._next()

    def _dictionary(self, path: str, keys: Keys) -> None:
        start = self._position
        self._value()
        end, self._position = self._position, start + 1
        while self._position < end - 1:
            type_name = self._next()
            if self._peek() == "[":
                self._value()
                type_name = _Token("word", type_name.text + "[]", type_name.line, 0, 0)
            name = self._next()
            if type_name.kind != "word" or name.kind not in {"word", "string"} or self._peek() != "=":
                break                               # not a dictionary of typed entries
            inner = (*keys, name.text.strip("\"'"))
            self.lines[path, inner], self.types[path, inner] = type_name.line, type_name.text
            self._next()
            if type_name.text == "dictionary" and self._peek() == "{":
                self._dictionary(path, inner)
            else:
                self._value()
        self._position = end

    def _value(self) -> None:
        """Step over one value: a token, or a group in brackets; after an asset its prim path and offset."""
        token = self._next()
        closing = CLOSING.get(token.text) if token.kind == "mark" else None
        while closing and self._peek() != closing:
            self._value()
        if closing:
            self._next()
        if token.kind == "asset" and self._position < len(self._tokens) and self._tokens[self._position].kind == "path":
            self._next()


def _tokens(text: str) -> Iterator[_Token]:
    line, position = 1, 0
    while match := TOKEN.match(text, position):
        kind = match.lastgroup or ""
        if kind != "space":
            yield _Token(kind, match.group(), line, position, match.end())
        line += match.group().count("\n")
        position = match.end()
