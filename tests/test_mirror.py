"""Tests lie where their sources do: the guard of solver/constraints/limit.py is solver/constraints/test_limit.py."""

from __future__ import annotations

from pathlib import Path

from support.imports import SOURCES
from support.places import ROOT

LARGE = 100         # lines; smaller sources may be guarded by the tests of their neighbours
# Large sources without a test at the mirrored path; may only fall.
UNGUARDED = 140
FOLDERS = {"physx_codegen": "codegen", "physx_schema": "physx_schema", "physx_runtime": "runtime"}


def mirrored(package: str, source: Path) -> Path:
    """The file that tests a source, below tests/; a leading underscore of its name is left out."""
    return Path(FOLDERS[package], source.parent, f"test_{source.stem.lstrip('_')}.py")


def large_sources() -> dict[Path, Path]:
    """The sources above LARGE lines by the path of their test."""
    paths = [(package, path) for package in FOLDERS for path in sorted(SOURCES[package].rglob("*.py"))
             if path.stem not in ("__init__", "__main__")]
    return {mirrored(package, path.relative_to(SOURCES[package])): path for package, path in paths
            if path.read_text(encoding="utf-8").count("\n") > LARGE}


def test_no_more_large_sources_are_without_a_test_at_the_mirrored_path() -> None:
    sources = large_sources()
    missing = [str(path) for path in sources if not (ROOT / "tests" / path).is_file()]
    assert len(missing) < len(sources)
    assert len(missing) <= UNGUARDED, "\n".join(missing)


def test_the_mirrored_path_of_a_source_is_in_the_folder_of_its_package() -> None:
    assert mirrored("physx_runtime", Path("solver/constraints/limit.py")) == Path(
        "runtime/solver/constraints/test_limit.py")
    assert mirrored("physx_codegen", Path("support/_base.py")) == Path("codegen/support/test_base.py")
