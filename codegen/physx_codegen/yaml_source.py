"""YAML text to plain values that remember their lines; what YAML would swallow or readers differ about is reported."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.resolver import Resolver

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)      # the C parser is ten times faster; not in every build
WORDS = {"": None, "~": None, "null": None, "Null": None, "NULL": None,
         "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
INTEGER = re.compile(r"[-+]?(0|[1-9]\d*)|0x[\da-fA-F]+", re.ASCII)
FLOAT = re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][-+]?\d+)?", re.ASCII)     # YAML 1.1 reads 1e6 as text
SPECIAL_FLOAT = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
YAML_1_2_NUMBER = re.compile(r"[-+]?0\d+|0o[0-7]+", re.ASCII)        # numbers there, others or text in YAML 1.1
MAX_DIGITS = 20        # of the largest whole number that a type holds
MAX_DEPTH = 50         # of lists and mappings in one another, ten times what definitions have
TOO_DEEP = f"nests more than {MAX_DEPTH} lists and mappings; use fewer levels"
PARSER_LIMIT = "nesting depth"          # in what a newer parser says first, which reads ahead of its events
MAX_DISPLAY = 40              # characters of a value in a message


@dataclass(slots=True)
class Mapping:
    """A YAML mapping: values and the line of each key."""

    line: int
    values: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _OpenNode:
    """A list or mapping whose end has not come yet; of a mapping, the key that waits for its value."""

    container: Mapping | list[Any]
    has_key: bool = False
    key: str | None = None          # None for one that is not kept


class Source:
    """One YAML file as values; `problems` holds (line, message) of what YAML itself would let pass."""

    def __init__(self, text: str) -> None:
        self.problems: list[tuple[int, str]] = []
        self.broken = False             # whether the text is not YAML
        self.root: Any = None
        self._stack: list[_OpenNode] = []
        try:
            self._read(yaml.parse(text, Loader))
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            deep = PARSER_LIMIT in str(error.problem)
            self._break(line, TOO_DEEP if deep else
                        f"not YAML: {error.problem}; check indentation, quotes and brackets")
        except yaml.YAMLError as error:
            self._break(1, f"not YAML: {' '.join(str(error).split())}")

    def _break(self, line: int, message: str) -> None:
        self.broken, self.root = True, None
        self.problems.append((line, message))

    def _read(self, events: Iterable[yaml.Event]) -> None:
        """Put values together from events: whatever is nested stands on a list, not on Python's own stack."""
        documents = 0
        for event in events:
            line = event.start_mark.line + 1 if event.start_mark else 1
            documents += isinstance(event, yaml.DocumentStartEvent)
            if documents > 1:
                return self._break(line, "not YAML: another document begins; keep one document in a file")
            if len(self._stack) > MAX_DEPTH:
                return self._break(line, TOO_DEEP)
            self._refuse_marks(event, line)
            if isinstance(event, yaml.MappingStartEvent):
                self._stack.append(_OpenNode(Mapping(line)))
            elif isinstance(event, yaml.SequenceStartEvent):
                self._stack.append(_OpenNode([]))
            elif isinstance(event, yaml.CollectionEndEvent):
                self._add(self._stack.pop().container, line)
            elif isinstance(event, yaml.ScalarEvent):
                self._add_scalar(event, line)
            elif isinstance(event, yaml.AliasEvent):
                self._add(None, line)

    def _refuse_marks(self, event: yaml.Event, line: int) -> None:
        anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
        if anchor:
            self.problems.append((line, f"anchor or alias '{anchor}' is not allowed; write the values in each place"))
        if tag:
            self.problems.append((line,
                                  f"tag '{tag}' is not allowed, because definitions are plain data; remove the tag"))

    def _add_scalar(self, event: yaml.ScalarEvent, line: int) -> None:
        """A key as it is written, a value as what it is."""
        parent = self._stack[-1] if self._stack else None
        if parent is not None and isinstance(parent.container, Mapping) and not parent.has_key:
            parent.has_key, parent.key = True, self._new_key(parent.container, event.value, line)
        else:
            self._add(event.value if event.style else self._plain(event.value, line), line)

    def _new_key(self, mapping: Mapping, key: str, line: int) -> str | None:
        if key in mapping.values:
            self.problems.append((line, f"duplicate key '{key}', first on line {mapping.lines[key]}; keep one of "
                                  "the two"))
            return None
        mapping.values[key], mapping.lines[key] = None, line
        return key

    def _add(self, value: Any, line: int) -> None:
        """Give a value to what it stands in."""
        if not self._stack:
            self.root = value
            return
        parent = self._stack[-1]
        if isinstance(parent.container, list):
            parent.container.append(value)
        elif not parent.has_key:
            parent.has_key, parent.key = True, None
            self.problems.append((line, "a key is a list or mapping; use a single word"))
        else:
            if parent.key is not None:
                parent.container.values[parent.key] = value
            parent.has_key = False

    def _plain(self, text: str, line: int) -> Any:
        """What a value without quotes is; as text, and reported, where readers of YAML differ about that."""
        if text in WORDS:
            return WORDS[text]
        if SPECIAL_FLOAT.fullmatch(text):
            return float(text.replace(".", ""))
        short = text if len(text) <= MAX_DISPLAY else f"{text[:MAX_DISPLAY]} ..."
        if INTEGER.fullmatch(text):
            if len(text) > MAX_DIGITS:
                self.problems.append((line, f"{short} has {len(text)} digits, more than any type can store; change it"))
                return 0
            return int(text, 0)
        if FLOAT.fullmatch(text):
            if math.isinf(value := float(text)):
                self.problems.append((line, f"{short} is beyond the largest number; write .inf, or change it"))
            return value
        if _tag(text) or YAML_1_2_NUMBER.fullmatch(text):
            rule = "quote text, write true, false and decimal numbers"
            self.problems.append((line, f"'{short}' has different meanings in YAML 1.1 and YAML 1.2; {rule}"))
        return text


def _tag(text: str) -> str:
    """As what YAML 1.1 reads a value without quotes, "" for text."""
    known = Resolver.yaml_implicit_resolvers
    resolvers = (*known.get(text[:1], ()), *known.get(None, ()))
    return next((str(tag) for tag, pattern in resolvers if pattern.match(text)), "")


def leading_comment(text: str) -> str:
    """The comment at the top of a file as one paragraph, without the editor's modeline."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        if not line.startswith("# yaml-language-server"):
            lines.append(line.lstrip("# ").strip())
    return " ".join(lines)
