"""No modules of a package import each other, nor by way of others, wherever in a file the import stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.imports import SOURCES, circles, imports_within

BOOK = {
    "book/__init__.py": "from book import index\n",
    "book/index.py": "from . import chapter\n",
    "book/chapter.py": "import os\n\nfrom book.page import number\n",
    "book/page.py": "number = 1\n",
}
BACK = {
    "at the top": "from book.chapter import text\n",
    "by a relative path": "from .chapter import text\n",
    "as a module": "import book.chapter\n",
    "inside a function": "def text():\n    from book.chapter import text\n    return text\n",
    "for type checkers": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from book.chapter import Text\n",
    "by way of another module": "from book.index import chapter\n",
}


def book(folder: Path, **changed: str) -> Path:
    """A package in which each module imports the next; `changed` names modules with another text."""
    for name, text in (BOOK | {f"book/{name}.py": text for name, text in changed.items()}).items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "book"


@pytest.mark.parametrize("package", SOURCES)
def test_no_modules_import_each_other(package: str) -> None:
    found = circles(imports_within(SOURCES[package]))
    assert not found, "\n".join(" <-> ".join(group) for group in found)


def test_imports_are_found_by_the_modules_they_lead_to(tmp_path: Path) -> None:
    assert imports_within(book(tmp_path)) == {
        "book": {"book.index"}, "book.index": {"book.chapter"}, "book.chapter": {"book.page"}, "book.page": set()}
    assert circles(imports_within(tmp_path / "book")) == []


@pytest.mark.parametrize("back", BACK)
def test_a_planted_circle_is_found(back: str, tmp_path: Path) -> None:
    found = circles(imports_within(book(tmp_path, page=BACK[back])))
    assert len(found) == 1 and {"book.chapter", "book.page"} <= set(found[0])
