"""Files that pages and sources name are there, and so are the helpers that tests, benchmarks and experiments import."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from support.places import ROOT

SOURCES = ("benchmarks", "codegen", "experiments", "docs", "examples", "physx_schema", "runtime", "schema")
NAMED = re.compile(r"(?<![\w./<-])(?:tests|benchmarks|experiments|docs|examples|physx_schema|schema"
                   r"|codegen/physx_codegen|generated/physx_generated|runtime/physx_runtime)"
                   r"/[\w./*-]*\w\.(?:py|md|json|yaml|usda|txt)\b")
MADE_ON_THE_WAY = {"schema/springs.yaml"}       # by the commands of docs/guides/own_schema.md


def pages_and_sources() -> list[Path]:
    """What may name files of this repository; the CHANGELOG names those of its time, tests name those they make."""
    inside = [path for folder in SOURCES for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".md"}]
    return [*inside, *(path for path in ROOT.glob("*.md") if path.name != "CHANGELOG.md"), ROOT / "pyproject.toml"]


def missing(text: str) -> set[str]:
    """The paths in a text that lead to no file; * stands for any name."""
    return {name for name in NAMED.findall(text) if not any(ROOT.glob(name))}


def helpers(path: Path) -> set[str]:
    """The modules of tests/support that a file imports names from."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return {str(node.module) for node in found if str(node.module).partition(".")[0] == "support"}


def test_every_path_that_is_named_is_there() -> None:
    wrong = [f"{path.relative_to(ROOT)} names {name}" for path in pages_and_sources()
             for name in missing(path.read_text(encoding="utf-8")) - MADE_ON_THE_WAY]
    assert not wrong, "\n".join(sorted(wrong))


def test_every_helper_that_is_imported_is_there() -> None:
    wrong = [f"{path.relative_to(ROOT)} imports {name}" for folder in ("tests", "benchmarks", "experiments")
             for path in (ROOT / folder).rglob("*.py") for name in helpers(path)
             if not (place := ROOT.joinpath("tests", *name.split("."))).is_dir()
             and not place.with_suffix(".py").is_file()]
    assert not wrong, "\n".join(sorted(wrong))


def test_a_path_that_leads_nowhere_is_found() -> None:
    assert missing("`tests/test_gone.py`, tests/test_layers.py, `docs/*.md`") == {"tests/test_gone.py"}


def test_helpers_are_found_wherever_they_are_imported(tmp_path: Path) -> None:
    path = tmp_path / "planted.py"
    path.write_text("import os\nfrom support.gone import a\n\ndef f():\n    from support.stages import robots\n")
    assert helpers(path) == {"support.gone", "support.stages"}
