"""Imports point one way: each package may import only the packages below it, and pxr only where the table says."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = {
    "physx_codegen": ROOT / "codegen/physx_codegen",
    "physx_generated": ROOT / "generated/physx_generated",
    "physx_schema": ROOT / "physx_schema",
    "physx_runtime": ROOT / "runtime/physx_runtime",
}
MAY_IMPORT = {
    "physx_codegen": {"jinja2", "yaml", "click"},
    "physx_generated": {"pxr"},
    "physx_schema": {"pxr", "numpy", "click", "rich", "physx_generated"},
    "physx_runtime": {
        "pxr", "numpy", "numba", "llvmlite", "jinja2", "click", "rich", "matplotlib", "pytest", "physx_schema"},
}
# Files that may import more than their package, and why.
EXCEPTIONS = {
    "codegen/physx_codegen/load_usda.py": {"pxr"},      # reads anyone's schema.usda, along with the three that follow
    "codegen/physx_codegen/usda_reader.py": {"pxr"},
    "codegen/physx_codegen/usda_spec.py": {"pxr"},
    "codegen/physx_codegen/usd_values.py": {"pxr"},
    "codegen/physx_codegen/inherited.py": {"pxr"},      # reads the properties of installed parent types
    "codegen/physx_codegen/load_generated.py": {"pxr"},     # reads the layer of an installed plugin
    "codegen/physx_codegen/rehearsal.py": {"pxr"},      # the process of its own in which a new package is tried
    "codegen/physx_codegen/support": {"pxr"},           # travels into the generated package
    "generated/physx_generated": {"typing_extensions"},     # for type checkers alone, which bring it along
    "physx_schema/cli/formats/page.py": {"jinja2"},     # the page for a browser
}
# In the runtime, USD belongs to those who read stages and write results.
RUNTIME_PXR = {"packing", "session", "verification", "viewing", "demonstration", "pytest_plugin"}


def imported_packages(path: Path) -> set[str]:
    """The top-level packages a file imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module)
    return {name.partition(".")[0] for name in names}


def extra(path: Path) -> set[str]:
    """What the exceptions allow a file."""
    name = path.relative_to(ROOT).as_posix()
    return {word for start, words in EXCEPTIONS.items() if name.startswith(start) for word in words}


@pytest.mark.parametrize("package", SOURCES)
def test_imports_point_down(package: str) -> None:
    allowed = MAY_IMPORT[package] | {package} | set(sys.stdlib_module_names)
    wrong = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in SOURCES[package].rglob("*.py")
        for name in imported_packages(path) - allowed - extra(path)
    }
    assert not wrong, "\n".join(sorted(wrong))


def test_the_solver_and_its_algorithms_know_nothing_of_usd() -> None:
    runtime = SOURCES["physx_runtime"]
    users = [path.relative_to(runtime) for path in runtime.rglob("*.py") if "pxr" in imported_packages(path)]
    wrong = {str(path) for path in users if path.parts[0].removesuffix(".py") not in RUNTIME_PXR}
    assert not wrong, "\n".join(sorted(wrong))


def test_exceptions_name_files_that_exist() -> None:
    assert all((ROOT / name).exists() for name in EXCEPTIONS)


def test_an_upward_import_is_found(tmp_path: Path) -> None:
    path = tmp_path / "planted.py"
    path.write_text("import os.path\nfrom physx_runtime.model.topology import Model\n", encoding="utf-8")
    assert imported_packages(path) == {"os", "physx_runtime"}


def test_the_generators_docstring_names_every_module() -> None:
    folder = ROOT / "codegen/physx_codegen"
    text = (folder / "__init__.py").read_text(encoding="utf-8")
    named = set(re.findall(r":mod:`\.(\w+)`", text))
    assert named == {path.stem for path in folder.glob("*.py")} - {"__init__"}
