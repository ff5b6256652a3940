"""Layers of USD to a frozen Library: a schema.usda, as usdGenSchema takes it, or the files of an installed plugin.

Text that nests deeply is read by a process of its own first, as it may end USD or keep it busy without an end.

Of a plugin, generatedSchema.usda and plugInfo.json are read: the facts that USD's generator keeps.
"""

from __future__ import annotations

import codecs
import json
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from pxr import Sdf, Tf

from . import write_usda
from .installed_schemas import GENERATED, KINDS, PLUGIN, Installed, installed, plugin_json
from .model import Attribute, Family, Library, Location, Property, Relationship, SchemaClass, SchemaError, display_path
from .naming import PLACEHOLDER
from .usda_outline import Outline
from .usda_reader import Problems, UsdaReader, plain

SECONDS = 5             # and one for each MB of text
BYTES_A_SECOND = 1 << 20
READ = """
import resource, sys
from pxr import Sdf, Tf
text, seconds = sys.stdin.buffer.read().decode(), int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
try:
    Sdf.Layer.CreateAnonymous(".usda").ImportFromString(text)
except Tf.ErrorException:
    pass
"""


def failure(text: str) -> str:
    """How USD ends over a text, "" where it reads or refuses it."""
    seconds = SECONDS + len(text) // BYTES_A_SECOND
    process = subprocess.run([sys.executable, "-P", "-c", READ, str(seconds)], input=text.encode(), check=False,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if not process.returncode:
        return ""
    name = str(process.returncode)
    with suppress(ValueError):
        name = signal.Signals(-process.returncode).name
    return (f"USD does not finish reading the file within {seconds} s" if name in ("SIGXCPU", "SIGKILL") else
            f"USD crashes while it reads the file ({name})")


MAX_UNTESTED_BRACKETS = 500           # brackets that open: so many in one another end USD neither by depth nor by time
ERROR_LINE = re.compile(r":(\d+):\d+: (.*)", re.DOTALL)
NO_VALUE = re.compile(r"Error parsing simple value: .* at '(.*)' in <(.*)>")


def load_usda(path: Path) -> Library:
    """Read a file of schema classes as one library. Raises SchemaError with every problem found."""
    text = read_source(path)
    layer = parse_layer(path, text)
    outline = Outline(text)
    problems = Problems(display_path(path), outline)
    for prim_path in outline.variants:
        problems.report("variants are not allowed in a schema; remove them", prim_path)
    for line, name in outline.repeated:
        problems.entries.append((Location(problems.file, line),
                                 f"property '{name}' is defined twice; keep one of the two"))
    try:
        library = UsdaReader(layer, problems).library()
    except UnicodeDecodeError as error:             # escapes such as \xed can spell bytes that are no text
        _refuse(path, 1, f"escapes produce text that is not UTF-8, {error.object!r}; write the characters themselves")
    if problems.entries:
        raise SchemaError(problems.entries)
    return library


def read_source(path: Path) -> str:
    """The text of a file. Raises SchemaError."""
    if path.exists() and not path.is_file():
        _refuse(path, 1, "is not a regular file; use a schema.usda")
    try:
        content = path.read_bytes()
        if content.startswith(b"PXR-USDC"):
            _refuse(path, 1, "the file is binary; convert the file to text with usdcat -o schema.usda")
        if content.startswith(codecs.BOM_UTF8):
            _refuse(path, 1, "begins with a byte order mark, which USD cannot read; save the file as UTF-8 without "
                             "this mark")
        return content.decode("utf-8").replace("\r\n", "\n")     # how lines end is no part of any text
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        _refuse(path, line, f"not UTF-8 text at byte {error.start}; save the file as UTF-8")
    except OSError as error:
        _refuse(path, 1, f"cannot be read: {error.strerror}; check the file and its permissions")


def parse_layer(path: Path, text: str) -> Any:
    """The layer that USD makes of a text. Raises SchemaError with USD's own words."""
    if not text.startswith("#usda"):
        _refuse(path, 1, "does not begin with #usda 1.0; use a text layer of USD")
    if sum(map(text.count, "([{")) > MAX_UNTESTED_BRACKETS:
        fault = failure(text)
        if fault:
            _refuse(path, 1, f"{fault}; export the file again")
    layer = Sdf.Layer.CreateAnonymous(".usda")
    try:
        if layer.ImportFromString(text):
            return layer
        reason = "not a USD layer"
    except Tf.ErrorException as error:
        reason = " ".join(str(item.commentary) for item in error.args[-1:])
    match = ERROR_LINE.search(reason)
    line, words = (int(match.group(1)), match.group(2)) if match else (1, reason)
    words = "ends too early" if "pegtl" in words else " ".join(words.split())[:200]
    words = NO_VALUE.sub(r"\1 is not a value of the declared type, at <\2>", words)
    _refuse(path, line, f"not usda: {words}; correct the syntax there")


def _refuse(path: Path, line: int, message: str) -> NoReturn:
    raise SchemaError([(Location(display_path(path), line), message)], unreadable=True)


API_BASE = "UsdAPISchemaBase"
ROOTS = {API_BASE, "UsdTyped"}
NO_LOCATION = Location("", 0)


def load_generated(folder: Path) -> Library:
    """The library of a folder with plugInfo.json and generatedSchema.usda.

    Names, kinds, types, defaults, variability, tokens, built-ins and display texts are there, and the first sentence of
    the documentation; accessor names, ranges and units are not. Raises SchemaError.
    """
    plugin = _plugin(folder / PLUGIN)
    types = {_identifier(name, facts): (name, facts) for name, facts in plugin["Info"]["Types"].items()
             if "schemaKind" in facts or "UsdSchemaBase" in facts.get("alias", {})}     # others are no schemas
    path = next((path for path in _candidates(folder, plugin) if path.is_file()), folder / GENERATED).resolve()
    if not path.is_file():
        message = f"no such file; use a folder with {PLUGIN} and {GENERATED}"
        raise SchemaError([(Location(str(path), 1), message)])
    layer = parse_layer(path, read_source(path))
    prefix = _prefix({identifier: name for identifier, (name, _) in types.items()})
    reader = _Reader(path, prefix, types)
    classes = {spec.name: reader.schema_class(spec) for spec in layer.rootPrims if spec.name in types}
    missing = sorted(types.keys() - classes.keys())
    if missing:
        message = f"the file has no class {', '.join(missing)}, which {PLUGIN} names; generate both files together"
        raise SchemaError([(Location(str(path), 1), message)])
    declared = tuple(_without_inherited(cls, classes, types) for cls in classes.values())
    location = Location(str(folder / PLUGIN), 1)
    family = Family(write_usda.module_name(plugin["Name"]), GENERATED, declared)
    return Library(folder.name, prefix, plugin["Name"], "", (), location, families=(family,), package=plugin["Name"])


def _plugin(path: Path) -> dict[str, Any]:
    """The plugin that a plugInfo.json describes."""
    location = Location(str(path), 1)
    try:
        plugins = [dict(plugin) for plugin in plugin_json(path)["Plugins"]]
        matching = [plugin for plugin in plugins if plugin["Name"] and plugin["Info"].get("Types")]
    except (OSError, UnicodeDecodeError) as error:
        raise SchemaError([(location, f"cannot be read: {error}; use a readable {PLUGIN}")]) from None
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg}; write the file again with its generator"
        raise SchemaError([(Location(str(path), error.lineno), message)]) from None
    except (AttributeError, KeyError, TypeError, ValueError):
        raise SchemaError([(location,
                            "not a list of 'Plugins' with Name and Info; write the file again with its "
                            "generator")]) from None
    if len(matching) != 1:
        message = f"the file describes {len(matching)} plugins with types; use the folder of one library"
        raise SchemaError([(location, message)])
    return matching[0]


def _candidates(folder: Path, plugin: Mapping[str, Any]) -> list[Path]:
    """Where plugInfo.json says the schema lies, then beside it: placeholders may not have been filled."""
    resources = folder / str(plugin.get("Root", ".")) / str(plugin.get("ResourcePath", "."))
    return [resources / GENERATED, folder / GENERATED]


def _identifier(type_name: str, facts: Mapping[str, Any]) -> str:
    return str(facts.get("schemaIdentifier") or facts.get("alias", {}).get("UsdSchemaBase") or type_name)


def _prefix(names: Mapping[str, str]) -> str:
    """What TfType names begin with: the start that most of them have once the class's name is taken off."""
    starts: Counter[str] = Counter()
    for identifier, name in names.items():
        tails = (identifier[cut:] for cut in range(len(identifier)) if identifier[cut].isupper())
        tail = next((tail for tail in tails if name.endswith(tail)), "")
        starts[name.removesuffix(tail)] += 1
    return max(starts, key=lambda start: (starts[start], -len(start)))


class _Reader:
    """Specs of generatedSchema.usda to classes."""

    def __init__(self, path: Path, prefix: str, types: Mapping[str, tuple[str, Mapping[str, Any]]]) -> None:
        self.path = path
        self.prefix = prefix
        self.types = types
        self.identifiers = {name: identifier for identifier, (name, _) in types.items()}
        self.lines: dict[str, int] = {}
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if line.startswith("class ") and line.count('"') >= 2:
                self.lines.setdefault(line.split('"')[1], number)

    def schema_class(self, spec: Any) -> SchemaClass:
        """One class, with the properties of its parents."""
        type_name, facts = self.types[spec.name]
        loc = Location(str(self.path), self.lines.get(spec.name, 1))
        kind = KINDS.get(str(facts.get("schemaKind")))
        if kind is None:
            message = f"{spec.name} has the schemaKind {facts.get('schemaKind')!r}; known: {', '.join(KINDS)}"
            raise SchemaError([(loc, message)])
        multiple = kind == "multiple-apply"
        names = [prop.name.partition(f":{PLACEHOLDER}") for prop in spec.properties]
        prefix = next((start for start, marker, _ in names if marker and multiple), "")
        custom = spec.customData
        return SchemaClass(
            name=spec.name, kind=kind, loc=loc, base=self.base(facts), prefix=prefix,
            includes=tuple(name.removesuffix(f":{PLACEHOLDER}") for name in _applied(spec)),
            can_only_apply_to=tuple(facts.get("apiSchemaCanOnlyApplyTo", ())),
            auto_apply_to=tuple(facts.get("apiSchemaAutoApplyTo", ())),
            allowed_instances=tuple(facts.get("apiSchemaAllowedInstanceNames", ())),
            python_name=type_name.removeprefix(self.prefix), doc=_doc(spec, custom),
            hidden=bool(spec.hidden),
            properties=tuple(sorted((_property(item, f"{prefix}:{PLACEHOLDER}:" if prefix else "", loc)
                                     for item in spec.properties), key=lambda prop: isinstance(prop, Relationship))))

    def base(self, facts: Mapping[str, Any]) -> str:
        """The identifier of the parent type, empty where nothing comes from it: APISchemaBase and Typed."""
        parent = next(iter(facts.get("bases", ())), API_BASE)
        other = _installed(parent)
        return "" if parent in ROOTS else self.identifiers.get(parent) or (other.name if other else parent)


@cache
def _installed(type_name: str) -> Installed | None:
    """The schema of another plugin with this TfType name."""
    return next((schema for schema in installed().values() if schema.tf_type == type_name), None)


def _applied(spec: Any) -> list[str]:
    list_op = spec.GetInfo("apiSchemas")
    return list(list_op.GetAppliedItems()) if list_op else []


def _doc(spec: Any, custom: Mapping[str, Any]) -> str:
    return str(custom.get("userDocBrief") or custom.get("userDoc") or spec.documentation)


def _property(spec: Any, prefix: str, loc: Location) -> Property:
    shared: dict[str, Any] = {
        "name": spec.name.removeprefix(prefix), "loc": loc, "display": spec.displayName, "group": spec.displayGroup,
        "doc": _doc(spec, spec.customData), "hidden": bool(spec.hidden)}
    if isinstance(spec, Sdf.RelationshipSpec):
        return Relationship(**shared)
    type_name = str(spec.typeName)
    default = plain(spec.default, type_name) if spec.HasDefaultValue() else None
    return Attribute(type=type_name, default=default, uniform=spec.variability == Sdf.VariabilityUniform,
                     tokens=tuple(spec.allowedTokens or ()), **shared)


def _without_inherited(cls: SchemaClass, classes: Mapping[str, SchemaClass], types: Mapping[str, Any]) -> SchemaClass:
    """The class without what its parents bring: generatedSchema.usda repeats it unchanged."""
    parent = classes.get(cls.base)
    inherited = parent.properties if parent else _external_properties(_base_type(types[cls.name][1]))
    inherited_keys = {normalized(prop) for prop in inherited}
    return replace(cls, properties=tuple(prop for prop in cls.properties if normalized(prop) not in inherited_keys),
                   includes=tuple(name for name in cls.includes if parent is None or name not in parent.includes))


def normalized(prop: Property) -> Property:
    """The property without place and wording, which differ between releases of the same facts."""
    return replace(prop, loc=NO_LOCATION, doc="", display="", group="")


def _base_type(facts: Mapping[str, Any]) -> str:
    return str(next(iter(facts.get("bases", ())), API_BASE))


@cache
def _external_properties(type_name: str) -> tuple[Property, ...]:
    """What a prim type of the installed USD has, parents included; nothing for a type that USD does not know."""
    known = _installed(type_name)
    path = Path(known.folder) / GENERATED if known else None
    if known is None or path is None or not path.is_file():
        return ()
    layer = Sdf.Layer.OpenAsAnonymous(str(path))        # specs live as long as their layer
    spec = layer.GetPrimAtPath(f"/{known.name}")
    return tuple(_property(item, "", NO_LOCATION) for item in spec.properties) if spec else ()
