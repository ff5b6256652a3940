"""Notebooks without Jupyter: their cells as text, run in order in one namespace.

As a program, ``python notebooks.py NOTEBOOK`` runs one and prints what its cells end with, as a prompt does.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any


def cells(path: Path) -> list[dict[str, Any]]:
    """The cells of a notebook, as its file has them."""
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return found


def code_of(path: Path) -> list[str]:
    """The text of every cell of code."""
    return ["".join(cell["source"]) for cell in cells(path) if cell["cell_type"] == "code"]


def run(path: Path) -> dict[str, Any]:
    """Run every cell of code, showing the value that a cell ends with; the names that the notebook made."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, code in enumerate(code_of(path), 1):
        where, tree = f"{path.name}, cell {number}", ast.parse(code)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, where, "exec"), names)
        if isinstance(last, ast.Expr):
            shown = eval(compile(ast.Expression(last.value), where, "eval"), names)
            if shown is not None:
                print(repr(shown))
    return names


if __name__ == "__main__":
    run(Path(sys.argv[1]))
