"""From a folder of definitions to the set of generated files: load, validate, render."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .load_yaml import libraries, load
from .model import Library, Location, SchemaError
from .render import Place, bare_package, render, support
from .scope import Scope
from .validate import validate
from .wording import displayed


def generate(schema: Path) -> dict[str, str]:
    """Relative path to text of everything that the definitions below `schema` make.

    Raises SchemaError with every problem of every file.
    """
    folders = libraries(schema)
    if not folders:
        nothing = "holds no YAML files; give the folder with the definitions"
        raise SchemaError([(Location(displayed(schema), 1), nothing)])
    found: list[tuple[Path, Library]] = []
    problems: list[tuple[Location, str]] = []
    for folder in folders:
        try:
            found.append((folder, load(folder)))
        except SchemaError as error:
            problems += error.problems
    for _, library in found:
        try:
            validate(library, [peer for _, peer in found if peer is not library])
        except SchemaError as error:
            problems += error.problems
    if problems:
        raise SchemaError(problems)
    name = schema.resolve().name
    return assemble([(name if folder == schema else f"{name}/{folder.name}", library) for folder, library in found])


def assemble(found: Sequence[tuple[str, Library]]) -> dict[str, str]:
    """The files of validated libraries in one output folder; each comes with what banners call its definitions.

    Raises SchemaError for two libraries in one package, and for base types without Python classes.
    """
    scope = Scope(tuple(library for _, library in found))
    packages = packages_of(scope.libraries)
    files: dict[str, str] = {}
    if "." not in packages.values():
        files["__init__.py"] = bare_package(found[0][0].partition("/")[0])
    problems: list[tuple[Location, str]] = []
    for source, library in found:
        try:
            files |= render(scope, library, Place(source, packages[library.plugin]), packages)
        except SchemaError as error:
            problems += error.problems
    if problems:
        raise SchemaError(problems)
    return files | support()


def packages_of(libraries: Sequence[Library]) -> dict[str, str]:
    """Plugin name to package, the output folder itself for a single library. Raises SchemaError for a shared one."""
    if len(libraries) == 1:
        return {libraries[0].plugin: "."}
    owners: dict[str, Library] = {}
    plugins: dict[str, str] = {}
    problems: list[tuple[Location, str]] = []
    for library in libraries:
        package = library.package or library.folder
        if library.plugin in plugins:
            problems.append((library.loc, f"plugin '{library.plugin}' is also another library's; rename one"))
        elif package in owners:
            taken = f"package '{package}' is also that of {owners[package].plugin}"
            problems.append((library.loc, f"{taken}; give each library a 'package' of its own"))
        owners.setdefault(package, library)
        plugins[library.plugin] = package
    if problems:
        raise SchemaError(problems)
    return plugins
