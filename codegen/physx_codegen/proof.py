"""A generated package is put to use in a process of its own before it is written; its faults are those of definitions.

:mod:`.validate` should have refused whatever fails here, so that a fault names the definition and what it made.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import naming
from .emit import EmitError, temp_folder
from .generate import packages_of
from .installed_schemas import PLUGIN_PATH, other_plugins
from .model import Library, Location, SchemaClass, SchemaError
from .render import Output

SCRIPT = Path(__file__).resolve().parent / "rehearsal.py"
PACKAGE = "rehearsed"                   # what the package is called meanwhile
DEFINED = ("single-apply", "multiple-apply", "typed")       # kinds with a definition in the schema registry
LOADED = (".py", ".usda", "plugInfo.json")                    # how the files end that a program or USD reads
IN_USDA, IN_PYTHON = re.compile(r'class (?:\w+ )?"(\w+)"'), re.compile(r"(?: {4})?class (\w+?)(?:Values|Accessors)?\(")
REMEDY = "change the definition, and report this as a bug: generate should name the reason"


def prove(libraries: Sequence[Library], files: Mapping[str, str]) -> None:
    """Use a package as USD and programs do. Raises SchemaError, by definition, and EmitError without a USD to use it.

    `files` is relative path to text, as `assemble` gives it.
    """
    if importlib.util.find_spec("pxr") is None:
        raise EmitError("USD is not installed, and the generated files cannot be tested; install usd-core")
    packages = packages_of(libraries)
    with temp_folder({f"{PACKAGE}/{name}": text for name, text in files.items() if name.endswith(LOADED)}) as folder:
        folders = {library.plugin: Output("", packages[library.plugin]).folder for library in libraries}
        faults = _run_rehearsal(folder, libraries, folders)
    problems = {(_location(libraries, folders, fault, files), _message(fault)) for fault in faults}
    if problems:
        raise SchemaError(sorted(problems))


def _run_rehearsal(folder: Path, libraries: Sequence[Library], folders: Mapping[str, str]) -> list[dict[str, Any]]:
    """What the other process finds. Raises EmitError where it does not come to its end."""
    expected = {"package": PACKAGE, "libraries": [
        {"plugin": library.plugin, "folder": folders[library.plugin], "classes": [
            {"name": cls.name, "defined": cls.kind in DEFINED,
             "properties": [naming.usd_name(cls, prop) for prop in cls.properties]} for cls in library.classes]}
        for library in libraries]}
    types = {naming.type_name(library, cls) for library in libraries for cls in library.classes}
    plugins = os.pathsep.join(map(str, other_plugins(types)))      # an earlier version of the same is not to be used
    process = subprocess.run(
        [sys.executable, "-P", "-B", str(SCRIPT), str(folder)], input=json.dumps(expected), capture_output=True,
        text=True, check=False, env=os.environ | {PLUGIN_PATH: plugins})
    if process.returncode:
        message = (process.stderr.strip().splitlines() or [f"it ended with {process.returncode}"])[-1]
        raise EmitError(f"the generated files could not be tested, and nothing was written: {message}")
    return json.loads(process.stdout.splitlines()[-1])         # type: ignore[no-any-return]


def _message(fault: Mapping[str, Any]) -> str:
    return (f"{fault['file']}:{fault['line']}, generated from this definition, does not work: {fault['message']}; "
            f"{REMEDY}")


def _location(
    libraries: Sequence[Library], folders: Mapping[str, str], fault: Mapping[str, Any], files: Mapping[str, str],
) -> Location:
    """The property, class or library that a fault comes from, by the line of the file that it shows in."""
    name = str(fault["file"])
    library = max((library for library in libraries if name.startswith(folders[library.plugin])),
                  key=lambda library: len(folders[library.plugin]), default=libraries[0])
    if "class" in fault:
        cls = library.find(str(fault["class"]))
        return _property_location(cls, [str(fault.get("property", ""))]) if cls else library.loc
    lines = files.get(name, "").splitlines()[:int(fault["line"])]
    pattern = IN_USDA if name.endswith(".usda") else IN_PYTHON
    heads = [(index, match[1]) for index, line in enumerate(lines) for match in [pattern.match(line)] if match]
    start, head = heads[-1] if heads else (0, "")
    cls = next((cls for cls in library.classes if head in (cls.name, cls.python_name)), None)
    return _property_location(cls, lines[start:]) if cls else library.loc


def _property_location(cls: SchemaClass, lines: Sequence[str]) -> Location:
    """The property that the last of some lines speaks of, else the class."""
    names = {naming.usd_name(cls, prop): prop for prop in cls.properties}
    for line in reversed(lines):
        matches = [prop for name, prop in names.items() if name in line.replace('"', " ").split()]
        if matches:
            return matches[0].loc
    return cls.loc
