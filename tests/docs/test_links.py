"""Links of the documentation lead to files, and to headings in them.

The documentation as a site.

Every term of the glossary has a file, and words that it replaces are not the names of anything.

The pictures of docs/physx_semantics.md show what its formulae and recordings of PhysX say.
"""

from __future__ import annotations

import ast
import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.imports import SOURCES
from support.places import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"```.*?```|`[^`\n]+`", re.S)


def anchors(page: Path) -> set[str]:
    """The names of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    wrong = []
    for link in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        file, _, anchor = link.partition("#")
        if "://" in file or file.startswith("mailto:"):
            continue
        target = page.parent / file if file else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            wrong.append(f"{page.name}: {link}")
    return wrong


def test_every_link_leads_somewhere() -> None:
    assert [link for page in PAGES for link in broken(page)] == []


def test_a_link_to_no_file_or_no_heading_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One heading\n[a](gone.md) [b](#one-heading) [c](#no-heading) [d](https://example.org)\n")
    assert broken(page) == ["page.md: gone.md", "page.md: #no-heading"]


# --- site ------------------------------------------------------------------------------------------------------------


@pytest.mark.sweep
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("material", reason="pip install '.[docs]' to build the site")
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)], cwd=ROOT,
                          env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tasks" / "drive_gains" / "index.html").is_file()


# --- glossary --------------------------------------------------------------------------------------------------------

GLOSSARY = ROOT / "docs" / "glossary.md"
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

MOST = 40_000       # bytes of a picture


@pytest.fixture
def drawing(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The program that draws them."""
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    return importlib.import_module("draw_physics")


@pytest.mark.sweep
@pytest.mark.parametrize(("axes", "iterations", "left"), [(1, (32, 0), 1.0), (3, (32, 0), 1 / 3), (1, (4, 4), 2.0)])
def test_a_tendon_pulls_by_its_axes_and_its_velocity_iterations(
        drawing: Any, axes: int, iterations: tuple[int, int], left: float) -> None:
    assert drawing.tendon_strength(axes, iterations) == pytest.approx(left, rel=0.01)


@pytest.mark.sweep
def test_a_drive_overshoots_as_the_page_says(drawing: Any) -> None:
    assert [round(100 * (drawing.driven(count)[1].max() - 1)) for count in (1, 4, 32)] == [21, 31, 34]
    time, position = drawing.driven(32)
    assert position == pytest.approx(drawing.driven_meant(time), abs=0.01)


@pytest.mark.sweep
def test_a_compliant_mimic_joint_is_the_spring_that_physx_was_measured_to_make_and_not_with_a_velocity_iteration(
        drawing: Any) -> None:
    assert [round(drawing.mimic_error((4, velocity))[1][5], 3) for velocity in (0, 1)] == [0.908, 0.972]


@pytest.mark.parametrize("name", ["tendon_stiffness", "drive_settling", "mimic_error"])
def test_pictures_are_small_and_shown(name: str) -> None:
    assert f"](pictures/{name}.png)" in (ROOT / "docs/physx_semantics.md").read_text(encoding="utf-8")
    assert (ROOT / f"docs/pictures/{name}.png").stat().st_size < MOST
