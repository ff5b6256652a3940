"""A generated package put to use in a process of its own: read by USD, parsed, imported, and looked up in the registry.

Run as a script by :mod:`.proof`, with the folder that holds the package; what the package should have comes in as JSON,
the faults that were found go out as JSON.
"""

from __future__ import annotations

import ast
import importlib
import json
import sys
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pxr import Plug, Sdf, Tf, Usd

Fault = dict[str, Any]                  # file, line, class, property, message; what is not known is left out
LAYERS = ("generatedSchema.usda", "schema.usda")


def main(folder: Path, expected: dict[str, Any]) -> list[Fault]:
    """Every fault of the first step that has any: reading, importing, registering."""
    package = folder / expected["package"]
    faults = [*unreadable_layers(package), *unreadable_modules(package)]
    faults = faults or list(failing_imports(folder, package))
    return faults or [fault for library in expected["libraries"] for fault in unregistered(library)]


def unreadable_layers(package: Path) -> Iterator[Fault]:
    """The usda files that Sdf cannot parse."""
    for path in sorted(path for name in LAYERS for path in package.rglob(name)):
        try:
            Sdf.Layer.OpenAsAnonymous(str(path))
        except Tf.ErrorException as error:
            raw = next((str(item.commentary) for item in error.args if str(path) in str(item.commentary)), cause(error))
            line, _, message = raw.partition(f"{path}:")[2].partition(":")
            yield {"file": path.relative_to(package).as_posix(), "line": int(line) if line.isdigit() else 1,
                   "message": " ".join((message.partition(":")[2] or raw).split())}


def unreadable_modules(package: Path) -> Iterator[Fault]:
    """The modules that are not Python."""
    for path in sorted(package.rglob("*.py")):
        try:
            ast.parse(path.read_bytes())
        except (SyntaxError, ValueError) as error:
            line, message = getattr(error, "lineno", None) or 1, getattr(error, "msg", None) or str(error)
            yield {"file": path.relative_to(package).as_posix(), "line": line, "message": message}


def failing_imports(folder: Path, package: Path) -> Iterator[Fault]:
    """The module that cannot be imported: what comes after the first one says nothing new."""
    sys.path.insert(0, str(folder))
    for path in sorted(package.rglob("*.py")):
        module = path.relative_to(folder).with_suffix("")
        name = ".".join(part for part in module.parts if part != "__init__")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                importlib.import_module(name)
        except Exception as error:      # whatever a module does
            frames = [(Path(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
            generated = [(file, line) for file, line in frames if file.is_relative_to(package) and is_generated(file)]
            file, line = generated[-1] if generated else (path, 1)
            yield {"file": file.relative_to(package).as_posix(), "line": line,
                   "message": f"{type(error).__name__}: {' '.join(cause(error).split())}"}
            return


def cause(error: Exception) -> str:
    """The words of an error; of USD's, which come in a list, the first."""
    return str(error.args[0].commentary) if isinstance(error, Tf.ErrorException) else str(error)


def is_generated(path: Path) -> bool:
    """Whether a module is made of definitions, and no copy of a support module."""
    return path.name == "__init__.py" or not path.name.startswith("_")


def unregistered(library: dict[str, Any]) -> Iterator[Fault]:
    """Classes of one library, and properties of theirs, that USD does not know from its plugin."""
    location = {"file": str(Path(library["folder"], "plugInfo.json")), "line": 1}
    if Plug.Registry().GetPluginWithName(library["plugin"]) is None:
        yield {**location, "message": f"USD does not load the plugin {library['plugin']}"}
        return
    registry = Usd.SchemaRegistry()
    for cls in library["classes"]:
        if Usd.SchemaRegistry.FindSchemaInfo(cls["name"]) is None:
            yield {**location, "class": cls["name"], "message": f"the schema registry has no {cls['name']}"}
            continue
        if not cls["defined"]:
            continue
        definition = (registry.FindConcretePrimDefinition(cls["name"])
                      or registry.FindAppliedAPIPrimDefinition(cls["name"]))
        known = set(definition.GetPropertyNames()) if definition else set()
        for name in (name for name in cls["properties"] if name not in known):
            yield {**location, "class": cls["name"], "property": name,
                   "message": f"the schema registry has no property {name} of {cls['name']}"}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), json.load(sys.stdin))))
