"""From a folder of definitions to the set of generated files: load, validate, render."""

from __future__ import annotations

from pathlib import Path

from .load_yaml import libraries, load
from .model import Library, Location, SchemaError
from .render import Place, render, support
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
    first = root_library([library for _, library in found])
    scope = Scope(tuple(library for _, library in found))
    files: dict[str, str] = {}
    for folder, library in found:
        source = schema.resolve().name if folder == schema else f"{schema.resolve().name}/{folder.name}"
        at_root = library is first
        made = render(scope, library, Place(source, "." if at_root else ".."))
        files |= {(name if at_root else f"{library.package}/{name}"): text for name, text in made.items()}
    return files | support()


def root_library(found: list[Library]) -> Library:
    """The library whose package is the output folder itself; with a single library, that one. Raises SchemaError."""
    roots = [library for library in found if library.package == "."] if len(found) > 1 else found
    if len(roots) == 1:
        return roots[0]
    listed = " and ".join(library.plugin for library in roots) or "no library"
    message = f"{listed} has 'package: .'; give that key to the one library whose package is the output folder itself"
    raise SchemaError([(found[0].loc, message)])
