"""Where findings are in files: the line, the column and the text of a value, of a name or of a robot's element.

Each file is read once for all of its findings. A finding in a file without text, such as a usdc, has no region.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from physx_schema.checking.engine.authored_specs import FIELDS_OF_CODES, is_named
from physx_schema.checking.engine.causes import SCHEMAS
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.rule import belongs
from physx_schema.description.robot_sources import Origins, Position, origins_of
from physx_schema.reports.layer_text import REMOVING, STRING, Span, SpecText, Statement, prim_specs

LARGEST_SEARCHED_FILE = 1 << 26         # bytes of a file that is searched
_WIDEST = 500               # characters of a line that are kept on each side of a region
_PARTS = {"timeSamples": "timeSamples", "connectionPaths": "connect"}
_OF_NAMES = ("unused", "schema")        # families about the presence of an opinion, not about its value
# Attributes of a robot's elements that give a property, by the last word of the property.
_ATTRIBUTES = {"lowerLimit": ("lower", "range"), "upperLimit": ("upper", "range"), "mass": ("value", "mass"),
               "axis": ("xyz", "axis")}
_TAG = re.compile(r"<([\w:.-]+)")
_ATTRIBUTE = re.compile(r"\s+([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


@dataclass(frozen=True, slots=True)
class TextRegion:
    """A text in a file, with the lines around it. Of long lines the part near the text is kept."""

    line: int                   # counted from 1
    column: int                 # in characters, counted from 1
    before: str                 # the line up to the text
    text: str
    after: str                  # the rest of the line
    previous: str               # the line before
    following: str              # the line after

    @property
    def end_column(self) -> int:
        """The column after the last character."""
        return self.column + len(self.text)


class TextRegions:
    """The regions of the findings on one stage; source: the file of its root layer, or of a robot."""

    def __init__(self, source: str, findings: Iterable[Finding]) -> None:
        by_file: dict[str, list[Finding]] = {}
        for finding in findings:
            by_file.setdefault(finding.layer or source, []).append(finding)
        self._regions = {_key(finding): region for file, items in by_file.items()
                        for finding, region in _regions(file, items)}

    def of(self, finding: Finding) -> TextRegion | None:
        """The region of one of the findings; None where it has none."""
        return self._regions.get(_key(finding))


def _key(finding: Finding) -> tuple[str, ...]:
    return finding.layer, finding.spec_path, finding.path, finding.property, finding.code, finding.message


def _regions(file: str, findings: Sequence[Finding]) -> Iterator[tuple[Finding, TextRegion]]:
    """The findings in a file that have a region in it."""
    origins = origins_of(file)
    if not origins and not any(finding.spec_path for finding in findings):
        return
    text = _read(file)
    spans = _robot_spans(text, findings, origins) if origins else _layer_spans(text, findings)
    line, passed = 1, 0
    for (start, end), finding in sorted(spans, key=lambda item: item[0]):
        line += text.count("\n", passed, start)
        passed = start
        yield finding, _region(text, start, end, line)


def _read(file: str) -> str:
    """The text of a file, "" for a file that is none, or too large."""
    path = Path(file)
    try:
        return path.read_text(encoding="utf-8") if path.stat().st_size <= LARGEST_SEARCHED_FILE else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _region(text: str, start: int, end: int, line: int) -> TextRegion:
    first, last = text.rfind("\n", 0, start) + 1, _line_end(text, end)
    previous = text.rfind("\n", 0, max(first - 1, 0)) + 1
    return TextRegion(
        line, start - first + 1, text[max(first, start - _WIDEST):start], text[start:end],
        text[end:min(last, end + _WIDEST)], text[previous:min(max(first - 1, 0), previous + _WIDEST)],
        text[last + 1:min(_line_end(text, last + 1), last + 1 + _WIDEST)])


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


# --- layers ---

def _layer_spans(text: str, findings: Sequence[Finding]) -> Iterator[tuple[Span, Finding]]:
    specs = prim_specs(text, {finding.spec_path for finding in findings}) if text.startswith("#usda") else {}
    for finding in findings:
        spec = specs.get(finding.spec_path)
        span = _span(text, spec, finding) if spec else None
        if span is not None:
            yield span, finding


def _span(text: str, spec: SpecText, finding: Finding) -> Span | None:
    """The span of a finding's value, or of a name if the value is on several lines or the finding is about the name."""
    name = "customLayerData" if (finding.spec_path, finding.property) == ("/", "customData") else finding.property
    statements = spec.properties.get(name) or spec.metadata.get(name)
    if not statements:
        return spec.name
    if name == SCHEMAS:
        return _schema_span(text, statements, finding.message)
    statement = _statement(statements, finding.code)
    value = statement.value
    if value is None or text.find("\n", *value) >= 0 or any(belongs(finding.code, family) for family in _OF_NAMES):
        return statement.name
    return value


def _statement(statements: Sequence[Statement], code: str) -> Statement:
    """The statement about what a code is about: time samples, a connection, else the value."""
    parts = (*(_PARTS[field] for field in FIELDS_OF_CODES.get(code, ())), "")
    ordered = [item for part in parts for item in statements if item.part == part]
    return next((item for item in ordered if item.value), (ordered or statements)[0])


def _schema_span(text: str, statements: Sequence[Statement], message: str) -> Span:
    """The span of the applied schema that a message names, else of the word apiSchemas."""
    ordered = sorted(statements, key=lambda item: item.part in REMOVING)
    names = [match for item in ordered if item.value for match in STRING.finditer(text, *item.value)]
    named = [match for match in names if is_named(match[0][1:-1], message)]
    of_type = [match for match in names if is_named(match[0][1:-1].partition(":")[0], message)]
    if named or len(of_type) == 1:      # of several instances of a type a message names the one that it is about
        longest = max(named or of_type, key=lambda match: len(match[0]))
        return longest.start() + 1, longest.end() - 1
    return ordered[0].name


# --- robots ---

def _robot_spans(text: str, findings: Sequence[Finding], origins: Origins) -> Iterator[tuple[Span, Finding]]:
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    for finding in findings:
        element = origins.name(finding.path) if finding.path.startswith("/") else finding.path
        position = origins.position(element, finding.property)
        span = _element_span(text, lines, position, finding.property) if position else None
        if span is not None:
            yield span, finding


def _element_span(text: str, lines: Sequence[int], position: Position, name: str) -> Span | None:
    """The span of the attribute of an element that gives a property, else of the element's tag."""
    line, column = position
    tag = _TAG.match(text, lines[line - 1] + column - 1) if line <= len(lines) else None
    if tag is None:
        return None
    attributes = _ATTRIBUTES.get(name.rpartition(":")[2], ())
    end = tag.end()
    while match := _ATTRIBUTE.match(text, end):
        end = match.end()
        if match[1] in attributes and "\n" not in match[0].lstrip():
            return match.span(2) if match[2] is not None else match.span(3)
    return tag.span(1)
