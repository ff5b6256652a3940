"""YAML text to plain values that remember their lines; what YAML would swallow is reported."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)      # the C parser is ten times faster; not in every build
FLOAT = re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+")          # YAML 1.1 reads 1e6 as text


@dataclass(slots=True)
class Mapping:
    """A YAML mapping: values and the line of each key."""

    line: int
    values: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)


class Source:
    """One YAML file as values; `problems` holds (line, message) of what YAML itself would let pass."""

    def __init__(self, text: str) -> None:
        self.problems: list[tuple[int, str]] = []
        self.broken = False             # whether the text is not YAML
        self.root: Any = None
        self._seen: set[int] = set()
        loader = Loader(text)
        try:
            node = loader.get_single_node()
            if "&" in text or "!" in text:          # a second pass over the text, hardly ever needed
                self._refuse_marks(text)
            if node is not None:
                self._construct = loader.construct_object
                self.root = self._value(node)
        except yaml.MarkedYAMLError as error:
            self.broken = True
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            self.problems.append((line, f"not YAML: {error.problem}; check indentation, quotes and brackets"))
        except yaml.YAMLError as error:
            self.broken = True
            self.problems.append((1, f"not YAML: {' '.join(str(error).split())}"))
        finally:
            loader.dispose()

    def _refuse_marks(self, text: str) -> None:
        for event in yaml.parse(text, Loader):
            line = event.start_mark.line + 1 if event.start_mark else 1
            anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
            if anchor:
                self.problems.append((line, f"anchor or alias '{anchor}'; write the values out where they apply"))
            if tag:
                self.problems.append((line, f"tag '{tag}'; definitions are plain data: remove it"))

    def _value(self, node: yaml.Node) -> Any:
        if id(node) in self._seen:
            return None                             # an alias, reported with its anchor
        self._seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node)
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item) for item in node.value]
        if isinstance(node, yaml.ScalarNode) and not node.style and FLOAT.fullmatch(node.value):
            return float(node.value)
        try:
            return self._construct(node)
        except ValueError:
            self.problems.append((node.start_mark.line + 1, f"'{node.value}' is not a value YAML can read; quote it"))
            return None

    def _mapping(self, node: yaml.MappingNode) -> Mapping:
        mapping = Mapping(node.start_mark.line + 1)
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                self.problems.append((line, "a key is a list or mapping; give a single word"))
                continue
            key = str(key_node.value)
            if key in mapping.values:
                self.problems.append((line, f"duplicate key '{key}', first on line {mapping.lines[key]}; keep one"))
                continue
            mapping.values[key] = self._value(value_node)
            mapping.lines[key] = line
        return mapping


def leading_comment(text: str) -> str:
    """The comment at the top of a file as one paragraph, without the editor's modeline."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        if not line.startswith("# yaml-language-server"):
            lines.append(line.lstrip("# ").strip())
    return " ".join(lines)
