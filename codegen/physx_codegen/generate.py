"""From a folder of definitions to the set of generated files: load, validate, render."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from pathlib import Path

from .definitions import library_paths, load_all
from .model import Library, Location, SchemaError
from .render import Output, bare_package, render, support
from .scope import Scope
from .validate import validate


def generate(source: Path) -> dict[str, str]:
    """Relative path to text of the package and plugin that definitions make: a schema.usda, YAML files, or several.

    Raises SchemaError with every problem of every file.
    """
    return assemble(load_valid(source))


def load_valid(source: Path) -> list[tuple[str, Library]]:
    """The libraries below `source`, each with what banners call its definitions.

    Raises SchemaError with every problem of every file.
    """
    paths = library_paths(source)
    libraries = load_all(paths)
    problems: list[tuple[Location, str]] = []
    for library in libraries:
        try:
            validate(library, [peer for peer in libraries if peer is not library])
        except SchemaError as error:
            problems += error.problems
    if problems:
        raise SchemaError(problems)
    return [(label(source, path), library) for path, library in zip(paths, libraries, strict=True)]


def label(source: Path, path: Path) -> str:
    """What banners call the definitions of one place: the folder, below the one that holds several."""
    folder = (path if path.is_dir() else path.parent).resolve()
    root = source.resolve()
    return f"{root.name}/{folder.name}" if folder.parent == root else folder.name


def assemble(sources: Sequence[tuple[str, Library]]) -> dict[str, str]:
    """The files of validated libraries in one output folder; each comes with what banners call its definitions.

    Raises SchemaError for two libraries in one package, and for base types without Python classes.
    """
    scope = Scope(tuple(library for _, library in sources))
    packages = packages_of(scope.libraries)
    files: dict[str, str] = {}
    if "." not in packages.values():
        files["__init__.py"] = bare_package(scope, packages, sources[0][0].partition("/")[0])
    problems: list[tuple[Location, str]] = []
    for source, library in sources:
        try:
            files |= render(scope, library, Output(source, packages[library.plugin]), packages)
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
    namesakes: dict[str, Library] = {}
    problems: list[tuple[Location, str]] = []
    for library in libraries:
        package = library.package or library.folder
        if package != "." and not is_importable(package):
            rule = "set 'package' to a name that Python can import"
            problems.append((library.loc, f"package '{package}' cannot be a folder of the output; {rule}"))
        first = namesakes.setdefault(library.plugin, library)
        if first is not library:
            rule = "rename one of the two plugins, or move generated files out of the folder of the definitions"
            problems.append((library.loc, f"plugin '{library.plugin}' is also the plugin of {first.loc}; {rule}"))
        elif package in owners:
            conflict = f"package '{package}' is also the package of {owners[package].plugin}"
            problems.append((library.loc, f"{conflict}; give each library another 'package'"))
        owners.setdefault(package, library)
        plugins[library.plugin] = package
    if problems:
        raise SchemaError(problems)
    return plugins


def is_importable(package: str) -> bool:
    """Whether a folder of this name can be a package beside what every output folder holds."""
    usable = package.isidentifier() and not keyword.iskeyword(package)
    return usable and not package.startswith("_") and package not in {"tokens", "reference"}
