"""Every term of the glossary has a file, and words that it replaces are not the names of anything."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from support.imports import SOURCES
from support.places import ROOT

GLOSSARY = ROOT / "docs" / "reference" / "glossary.md"
FOLDERS = {"physx_runtime": ROOT / "runtime", "physx_schema": ROOT}
# Private words that say nothing to who knows the field, as any part of a name that the code defines.
REPLACED = frozenset((
    "alike", "anew", "apart", "asked", "astray", "begun", "beside", "born", "bring", "chosen", "ear", "everyone",
    "found", "fresh", "given", "heard", "heed", "held", "hush", "kept", "lanes", "least", "loosened", "made", "met",
    "most", "nobody", "nowhere", "openings", "own", "parted", "place", "places", "push", "pushed", "pushes", "put",
    "reach", "roster", "rub", "said", "seen", "shares", "stirred", "theirs", "told", "tell", "turn", "turned",
    "unsaid", "wanted", "way", "whose", "wish", "wishes", "written"))
# Names with one of them that are right, and why.
RIGHT = {
    "put_to_sleep": "PhysX's putToSleep",
    "_put_to_sleep": "the same",
    "NOT_FOUND": "CUDA's CUDA_ERROR_NOT_FOUND",
    "in_place": "the option --in-place",
    "place": "components have it as SAPIEN's joints do",
    **dict.fromkeys(("alike", "openings", "own", "wanted"), "a former public name, which warns"),
}
LANES = ("compiling", "targets")        # where a lane is LLVM's


def terms() -> list[list[str]]:
    """The cells of each line: term, what it is, whose word, file."""
    lines = [line for line in GLOSSARY.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def definitions(source: str) -> Iterator[str]:
    """Every name that a module defines: of functions, classes, parameters, variables and attributes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def replaced_names(path: Path) -> set[str]:
    """The names with a private word that a file, or its own name, has."""
    lanes = {"lanes"} if not {*LANES}.isdisjoint(path.parts) else set()
    names = {path.stem, *definitions(path.read_text(encoding="utf-8"))} - RIGHT.keys()
    return {name for name in names if REPLACED & words(name) - lanes}


def test_every_term_names_a_file_that_is_there() -> None:
    found = terms()
    paths = [cells[3].strip("`") for cells in found]
    assert len(found) > 60
    assert not [path for path in paths if not (FOLDERS[path.partition("/")[0]] / path).is_file()]


def test_terms_are_in_the_order_of_the_alphabet() -> None:
    names = [cells[0].lower() for cells in terms()]
    assert names == sorted(names)


def test_no_name_of_the_code_has_a_replaced_word() -> None:
    packages = SOURCES.keys() - {"physx_generated"}         # whose names are of USD and PhysX
    paths = [path for package in packages for path in sorted(SOURCES[package].rglob("*.py"))]
    wrong = {str(path.relative_to(ROOT)): sorted(names) for path in paths if (names := replaced_names(path))}
    assert len(paths) > 500
    assert wrong == {}


def test_replaced_words_are_seen_in_every_kind_of_name(tmp_path: Path) -> None:
    path = tmp_path / "wishes.py"
    path.write_text("class HeardEdits:\n    def tell(self, lanes, places=None):\n        self.born = found = 1\n",
                    encoding="utf-8")
    assert replaced_names(path) == {"wishes", "HeardEdits", "tell", "lanes", "places", "born", "found"}


# --- drawn physics ---------------------------------------------------------------------------------------------------
