"""Imports point one way: packages, and the rooms of a package, import what the tables say, and few of them pxr.

A room is a folder, or a module beside the folders. The files of a folder and of the folders inside it are at home with
each other; which of them may import which is for test_layers to say.

No modules of a package import each other, nor by way of others, wherever in a file the import stands.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from support.imports import SOURCES, circles, imports_within
from support.places import ROOT

MAY_IMPORT = {
    "physx_codegen": {"jinja2", "yaml", "click"},
    "physx_generated": {"pxr"},
    "physx_schema": {"pxr", "numpy", "click", "rich", "physx_generated"},
    "physx_runtime": {
        "pxr", "numpy", "numba", "llvmlite", "jinja2", "click", "rich", "pytest", "physx_schema"},
}
# Files that may import more than their package, and why.
EXCEPTIONS = {
    "codegen/physx_codegen/load_usda.py": {"pxr"},      # reads anyone's schema.usda, and the layers of plugins
    "codegen/physx_codegen/usda_reader.py": {"pxr"},    # the classes of such a layer
    "codegen/physx_codegen/inherited.py": {"pxr"},      # reads the properties of installed parent types
    "codegen/physx_codegen/rehearsal.py": {"pxr"},      # the process of its own in which a new package is tried
    "codegen/physx_codegen/support": {"pxr"},           # travels into the generated package
    "generated/physx_generated": {"typing_extensions"},     # for type checkers alone, which bring it along
    "physx_schema/files.py": {"physx_codegen"},         # one place puts files in place, where nothing is needed for it
    "physx_schema/reports/page.py": {"jinja2"},     # the page for a browser
    "physx_schema/library/columns.py": {"pyarrow"},     # the columns of results as Arrow has them
    "physx_schema/library/dataset.py": {"pyarrow"},     # results as Parquet
    "runtime/physx_runtime/model_context/mcp_command.py": {"mcp"},  # the protocol that it speaks
    "runtime/physx_runtime/live_view/server.py": {"viser", "websockets"},      # the page of a live view
    "runtime/physx_runtime/envs/vector_env.py": {"gymnasium"},      # the environment that it derives from
    "runtime/physx_runtime/viewing/film/writing.py": {"PIL", "imageio_ffmpeg"},     # the formats of films
    "runtime/physx_runtime/fleet/shards.py": {"pyarrow"},       # numbers of worlds as Parquet
    "physx_schema/library/ray_pool.py": {"ray"},        # a cluster as the distributor of work
    "runtime/physx_runtime/isaac_lab/yaml_files.py": {"yaml"},      # what Isaac Lab writes beside a training
    "runtime/physx_runtime/simulation/variation.py": {"yaml"},      # what worlds differ in, as people write it
    "runtime/physx_runtime/verification/engines/physx/worker.py": {"ovphysx", "ovstage"},   # a process of its own
}
# In the runtime, USD belongs to those who read stages and write results.
RUNTIME_PXR = {"components", "conversion", "isaac_lab", "packing", "session", "verification", "viewing", "live_view",
               "demonstration", "first_use", "pytest_plugin"}

# What a room may import of its own package, the lowest first: only rooms above it in the table.
ROOMS = {
    "physx_schema": {
        "installed_usd": "",
        "errors": "",
        "arguments": "errors",
        "field_text": "",
        "files": "errors",
        "text": "errors",
        "terminal": "errors",
        "former_names": "",
        "engine_releases": "",
        "definitions": "",
        "attachment_sides": "",
        "diagnostics": "errors",
        "class_description": "arguments field_text",
        "description.model": "definitions former_names text",
        "description.opinions": "definitions description.model errors",
        "description.collision": "definitions description.model description.opinions",
        "description.articulation": "definitions description.model description.opinions",
        "description": "arguments definitions diagnostics engine_releases errors files",
        "outputs": "description errors files",
        "migration": "definitions description errors files outputs",
        "checking.engine": "arguments description errors field_text files former_names migration text",
        "checking.rules": "checking.engine definitions description migration",
        "checking": "arguments description diagnostics engine_releases errors files",
        "validation": "checking",
        "asset_validation": "checking",
        "simready": "asset_validation checking",
        "authoring": "arguments checking definitions description errors files",
        "reports": "checking description errors former_names text",
        "library": "description diagnostics engine_releases errors files outputs text",
        "command_line":
            "checking description diagnostics engine_releases errors files library migration outputs reports text",
        "cli":
            "checking command_line definitions description diagnostics errors files installed_usd migration outputs "
            "reports terminal text",
    },
    "physx_runtime": {
        "arrays": "",
        "progress": "",
        "start": "",
        "program": "start",
        "language": "arrays",
        "model": "",
        "dynamics": "arrays language model",
        "compiling": "language progress",
        "collision": "arrays compiling language model",        # kinds of bodies
        "solver.constraints": "dynamics language model",
        "solver.articulation": "dynamics language model solver.constraints",
        "solver.body": "dynamics language model",
        "solver.maximal_joint": "dynamics language model",
        "solver.scheduled": "arrays compiling dynamics language model solver.articulation solver.constraints",
        "solver.island": "compiling dynamics language model solver.body solver.scheduled solver.maximal_joint",
        "solver.contact":
            "arrays collision compiling dynamics language model solver.scheduled solver.island solver.maximal_joint",
        "solver": "arrays compiling dynamics language model",
        "targets": "arrays compiling",
        "packing": "arrays collision dynamics model",
        "worlds": "arrays collision compiling model solver targets",
        "simulation": "arrays collision dynamics model packing progress solver targets worlds",
        "quantities": "arrays compiling dynamics language model packing simulation solver targets worlds",
        "direct": "arrays dynamics language model packing quantities simulation targets worlds",
        "simulation.answers": "direct quantities",      # hands out both; the simulation itself needs neither
        "session": "arrays compiling dynamics language model packing simulation solver worlds",
        "components": "arrays model packing quantities simulation",     # written to stages, which are stepped
        "behaviour": "arrays packing progress quantities simulation worlds",
        "isaac_lab": "",
        "verification": "arrays dynamics isaac_lab language model packing progress simulation solver worlds",
        # a page carries the step itself, traced to WebAssembly
        "viewing.live": "compiling dynamics language model packing simulation solver worlds",
        "viewing.film": "arrays compiling simulation",       # pixels are loops
        # lengths of recorded tendons
        "viewing": "arrays packing progress simulation solver.constraints verification",
        "envs": "arrays simulation viewing",
        "fleet": "arrays packing simulation",
        "live_view": "arrays packing quantities session simulation viewing",
        "conversion": "arrays quantities",
        "first_use": "collision compiling progress simulation viewing",
        "demonstration": "progress simulation verification viewing",
        "commands": "behaviour isaac_lab packing progress simulation verification viewing",
        "identification": "arrays commands model packing simulation viewing",
        "model_context": "simulation verification",
        "pytest_plugin": "simulation verification",
    },
}


def imported_packages(path: Path) -> set[str]:
    """The top-level packages a file imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module)
    return {name.partition(".")[0] for name in names}


def imported_modules(path: Path) -> set[str]:
    """The modules that a file imports from, and the packages that they lie in."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    names = {name for node in nodes if isinstance(node, ast.ImportFrom | ast.Import)
             for name in ([f"{node.module}.{alias.name}" for alias in node.names] if isinstance(node, ast.ImportFrom)
                          else [alias.name for alias in node.names])}
    return {".".join(name.split(".")[:count]) for name in names for count in range(1, len(name.split(".")) + 1)}


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


def test_the_runtime_knows_nothing_of_the_commands_of_the_schema_package() -> None:
    users = [str(path.relative_to(ROOT)) for path in SOURCES["physx_runtime"].rglob("*.py")
             if imported_modules(path) & {"physx_schema.cli"}]
    assert users == []


def room_of(module: str, rooms: Iterable[str]) -> str:
    """The innermost room that a module lies in; the package itself has none."""
    inside = module.partition(".")[2]
    homes = [room for room in rooms if f"{inside}.".startswith(f"{room}.")]
    if inside and not homes:
        raise AssertionError(f"{module} lies in no room; give it a line in ROOMS")
    return max(homes, key=len, default="")


def allowed(room: str, rooms: Mapping[str, str]) -> set[str]:
    """What a room may import: what its line says with the rooms inside those, and what it lies in or holds."""
    said = rooms[room].split()
    return {other for other in rooms if any(f"{other}.".startswith(f"{name}.") for name in said)
            or f"{other}.".startswith(f"{room}.") or f"{room}.".startswith(f"{other}.")}


def wrong_ways(imports: Mapping[str, Iterable[str]], rooms: Mapping[str, str]) -> dict[str, list[str]]:
    """What no line of the table allows, with the modules that do it."""
    found: dict[str, list[str]] = {}
    for module, others in imports.items():
        room = room_of(module, rooms)
        for other in others if room else ():        # the package itself offers what is in its rooms
            above = room_of(other, rooms)
            if above not in allowed(room, rooms):
                found.setdefault(f"{room} imports {above or 'the package'}", []).append(f"{module}: {other}")
    return found


@pytest.mark.parametrize("package", ROOMS)
def test_rooms_import_what_their_lines_say(package: str) -> None:
    assert wrong_ways(imports_within(SOURCES[package]), ROOMS[package]) == {}


@pytest.mark.parametrize("package", ROOMS)
def test_a_line_names_rooms_of_earlier_lines(package: str) -> None:
    rooms = list(ROOMS[package])
    assert [f"{room}: {name}" for at, (room, said) in enumerate(ROOMS[package].items()) for name in said.split()
            if name not in rooms[:at]] == []


@pytest.mark.parametrize("package", ROOMS)
def test_a_line_allows_nothing_that_is_not_needed(package: str) -> None:
    rooms = ROOMS[package]
    needed: dict[str, set[str]] = {room: set() for room in rooms}
    for module, others in imports_within(SOURCES[package]).items():
        if room := room_of(module, rooms):
            needed[room] |= {room_of(other, rooms) for other in others}
    unneeded = [f"{room} no longer imports {name}; take it off its line"
                for room, said in rooms.items() for name in said.split()
                if not any(f"{other}.".startswith(f"{name}.") for other in needed[room])]
    assert not unneeded, "\n".join(unneeded)


@pytest.mark.parametrize("package", ROOMS)
def test_every_folder_has_a_line_and_every_line_a_room(package: str) -> None:
    folder, rooms = SOURCES[package], ROOMS[package]
    outer = {room.partition(".")[0] for room in rooms}
    assert {path.parent.name for path in folder.glob("*/__init__.py")} <= outer
    places = [folder.joinpath(*room.split(".")) for room in rooms]
    assert [str(path) for path in places if not path.is_dir() and not path.with_suffix(".py").is_file()] == []


@pytest.mark.parametrize(("planted", "said"), [
    ({"physx_runtime.dynamics.rnea": {"physx_runtime.solver.sleep"}}, "dynamics imports solver"),
    ({"physx_runtime.dynamics.rnea": {"physx_runtime.solver.constraints.drive"}},
     "dynamics imports solver.constraints"),
    ({"physx_runtime.solver.constraints.drive": {"physx_runtime.solver.articulation.step"}},
     "solver.constraints imports solver.articulation"),
    ({"physx_runtime.session.session": {"physx_runtime.commands"}}, "session imports commands"),
    ({"physx_runtime.session.session": {"physx_runtime"}}, "session imports the package"),
])
def test_a_planted_import_of_an_upper_room_is_found(planted: dict[str, set[str]], said: str) -> None:
    assert list(wrong_ways(planted, ROOMS["physx_runtime"])) == [said]


@pytest.mark.parametrize("imports", [
    {"physx_runtime": {"physx_runtime.session.session"}},
    {"physx_runtime.session.session": {"physx_runtime.session.actors", "physx_runtime.solver.constraints.drive"}},
    {"physx_runtime.solver.sleep": {"physx_runtime.solver.articulation.step"}},
    {"physx_runtime.solver.articulation.step": {"physx_runtime.solver.settings"}},
])
def test_what_lies_in_a_room_below_or_in_the_same_may_be_imported(imports: dict[str, set[str]]) -> None:
    assert wrong_ways(imports, ROOMS["physx_runtime"]) == {}


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


# --- circles ---------------------------------------------------------------------------------------------------------

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
