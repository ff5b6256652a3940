"""Every message of the packages in one table, for reading them as a whole.

    PYTHONPATH=tests python -m support.messages [PATH ...] > messages.txt

A row is file:line | kind | text. The kind is the raised exception, or the call, name or statement that takes the text,
such as `problem`, `warn`, `help` or `return`. The message, reason and remedy of a finding are one row. A formatted
value is `{...}`. A good message has three parts: what is wrong; what is allowed; what to do.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, cast

from support.places import ROOT
from support.prose import PACKAGES

PLACEHOLDER = "{...}"
BETWEEN = " || "
MIN_WORDS = 3           # texts with fewer words are names, keys and labels
# Calls that only shape a text: the kind is what takes their result.
_SHAPING = frozenset({
    "join", "format", "ljust", "strip", "partition", "printable", "plural", "str", "dedent", "styled"})
_CODE_TEXT = re.compile(
    r"[{};]\n|\{%|\\[dws]|^\s*(?:(?:def|class) \w+[(:]|(?:#usda|float|uniform|import)\b|<\w)|!dbg|</|\breturn\b.*;"
    r"|\(\?P|\[\^")


class Message(NamedTuple):
    """The texts of one call, or of one statement without a call."""
    file: str
    line: int
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} | {self.kind} | {self.text}"


def messages(path: Path) -> list[Message]:
    """The messages of a module, by line."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name
    rows: dict[tuple[int, str], list[str]] = {}
    for node, parents in _literals(tree, ()):
        text = _text(node)
        if " " in text.strip() and not _CODE_TEXT.search(text):
            line, kind = _owner(parents)
            rows.setdefault((line, kind), []).append(" ".join(text.split()))
    return [Message(name, line, kind, BETWEEN.join(texts)) for (line, kind), texts in sorted(rows.items())
            if any(map(_is_message, texts))]


def _literals(node: ast.AST, parents: tuple[ast.AST, ...]) -> Iterator[tuple[ast.expr, tuple[ast.AST, ...]]]:
    """Every text of a module with the nodes around it, outermost first; neither docstrings nor parts of a text."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.JoinedStr) or (isinstance(child, ast.Constant) and isinstance(child.value, str)):
            if not isinstance(node, ast.Expr):
                yield child, (*parents, node)
        else:
            yield from _literals(child, (*parents, node))


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else PLACEHOLDER for part in node.values)
    return str(ast.literal_eval(node))


def _is_message(text: str) -> bool:
    return len(re.findall(r"(?<![\w.<%@$-])[A-Za-z][a-z']+(?![\w(=<.])", text)) >= MIN_WORDS


def _owner(parents: tuple[ast.AST, ...]) -> tuple[int, str]:
    """The line and kind of the call or statement that takes a text."""
    index = max(index for index, node in enumerate(parents) if isinstance(node, ast.stmt))
    statement, inner = cast("ast.stmt", parents[index]), parents[index + 1:]
    calls = [node for node in inner if isinstance(node, ast.Call) and _called(node) not in _SHAPING]
    if calls and any(isinstance(node, ast.keyword) and node.arg == "help" for node in inner):
        return calls[-1].lineno, "help"
    if isinstance(statement, ast.Raise):
        return statement.lineno, f"raise {_called(statement.exc)}" if isinstance(statement.exc, ast.Call) else "raise"
    if calls:
        return calls[-1].lineno, _called(calls[-1])
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        return statement.lineno, f"{ast.unparse(target)} ="
    return statement.lineno, "yield" if isinstance(statement, ast.Expr) else type(statement).__name__.lower()


def _called(call: ast.Call) -> str:
    """The last name of the function that is called."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ast.unparse(call.func)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", nargs="*", type=Path, default=PACKAGES)
    for path in parser.parse_args().paths:
        root = path.resolve()
        for file in sorted(root.rglob("*.py")) if root.is_dir() else [root]:
            for row in messages(file):
                print(row)


if __name__ == "__main__":
    main()
