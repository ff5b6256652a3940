"""Every term of the glossary has a file, and words that it replaces are not the names of anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from support.imports import SOURCES
from support.places import ROOT

GLOSSARY = ROOT / "docs" / "glossary.md"
FOLDERS = {"physx_runtime": ROOT / "runtime", "physx_schema": ROOT}
# Names that classes once had, which nobody would search for.
REPLACED = frozenset((
    "Alike", "AlikeInScene", "AlikeIslands", "Anchored", "Around", "Births", "Drowsiness", "Ear", "FixedPairs",
    "GroundedWorlds", "Heard", "Lanes", "LastKnown", "MetPairs", "Occupant", "Resting", "RestRows", "Roster", "Sorter",
    "ToldRows", "TouchingWorlds"))


def terms() -> list[list[str]]:
    """The cells of each line: term, what it is, whose word, file."""
    lines = [line for line in GLOSSARY.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def identifiers(source: str) -> Iterator[str]:
    """Every name that a module defines or uses."""
    for node in ast.walk(ast.parse(source)):
        for field in ("id", "attr", "name", "arg", "asname"):
            if isinstance(name := getattr(node, field, None), str):
                yield name


def replaced_names(path: Path) -> set[str]:
    return REPLACED.intersection(identifiers(path.read_text(encoding="utf-8")))


def test_every_term_names_a_file_that_is_there() -> None:
    found = terms()
    paths = [cells[3].strip("`") for cells in found]
    assert len(found) > 60
    assert not [path for path in paths if not (FOLDERS[path.partition("/")[0]] / path).is_file()]


def test_terms_are_in_the_order_of_the_alphabet() -> None:
    names = [cells[0].lower() for cells in terms()]
    assert names == sorted(names)


def test_no_replaced_word_is_a_name_of_the_code() -> None:
    paths = [path for package in ("physx_schema", "physx_runtime") for path in sorted(SOURCES[package].rglob("*.py"))]
    wrong = {path.name: names for path in paths if (names := replaced_names(path))}
    assert paths
    assert wrong == {}


def test_a_replaced_word_is_found(tmp_path: Path) -> None:
    path = tmp_path / "lanes.py"
    path.write_text("class WorldBatch:\n    def of(self, lanes: 'Lanes', Ear=None): return Ear\n", encoding="utf-8")
    assert replaced_names(path) == {"Ear"}
