"""Schemas of the installed USD and of registered plugins, read from their plugInfo.json files without importing pxr.

A declared property is what generatedSchema.usda says of it: each field from the strongest of a class and its parents.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from .model import Kind

USDA = "schema.usda"                        # the definitions
GENERATED = "generatedSchema.usda"          # what USD reads of them
PLUGIN = "plugInfo.json"                    # what makes a folder a plugin
ATTRIBUTES = "attributes.json"              # types of attributes, for programs without USD
DOCUMENTATION = "documentation.json"        # prose of classes and properties, and the methods that get them


PLUGIN_PATH = "PXR_PLUGINPATH_NAME"
# Where distributions of USD keep their plugins, seen from the folder pxr: usd-core, usd-exchange, a build of OpenUSD.
USD_PLUGINS = ("pluginfo", "../usd_exchange.libs/usd", "../../usd")
KINDS: dict[str, Kind] = {
    "singleApplyAPI": "single-apply", "multipleApplyAPI": "multiple-apply", "nonAppliedAPI": "non-applied",
    "concreteTyped": "typed", "abstractTyped": "abstract", "abstractBase": "base",
}


@dataclass(frozen=True, slots=True)
class Installed:
    """A schema that a plugin declares."""

    name: str                           # USD's identifier
    kind: Kind
    tf_type: str
    plugin: str
    folder: str                         # where its plugInfo.json lies; generatedSchema.usda lies beside it


@cache
def installed() -> dict[str, Installed]:
    """Identifier to schema; empty where no USD is installed."""
    return {schema.name: schema for path in _plug_infos() for schema in _declared(path)}


def _plug_infos() -> Iterator[Path]:
    yield from _usd_plug_infos()
    yield from _other_plug_infos()


def _usd_plug_infos() -> Iterator[Path]:
    spec = importlib.util.find_spec("pxr")
    for root in spec.submodule_search_locations or () if spec else ():
        for folder in USD_PLUGINS:
            yield from sorted(Path(os.path.normpath(Path(root, folder))).glob(f"*/resources/{PLUGIN}"))


def _other_plug_infos() -> Iterator[Path]:
    for entry in filter(None, os.environ.get(PLUGIN_PATH, "").split(os.pathsep)):
        path = Path(entry)
        yield from [path] if path.is_file() else sorted(path.rglob(PLUGIN))


@cache
def part_of_usd() -> dict[str, Installed]:
    """Identifier to schema of those that come with USD itself."""
    return {schema.name: schema for path in _usd_plug_infos() for schema in _declared(path)}


def schema_files() -> list[Path]:
    """The files by which the installed USD and the plugins that the environment names declare their schemas."""
    paths = (path for info in _plug_infos() for path in (info, info.with_name("generatedSchema.usda")))
    return [path for path in paths if path.is_file()]


def other_plugins(types: Collection[str]) -> list[Path]:
    """The plugInfo.json files that the environment names, but for those that declare one of these TfTypes."""
    return [path for path in _other_plug_infos() if not any(schema.tf_type in types for schema in _declared(path))]


def _declared(path: Path) -> Iterator[Installed]:
    for plugin in _plugins(path):
        types = plugin.get("Info", {}).get("Types", {})
        for tf_type, info in types.items():
            kind = KINDS.get(info.get("schemaKind", ""))
            name = info.get("schemaIdentifier") or info.get("alias", {}).get("UsdSchemaBase")
            if kind and name:
                yield Installed(name, kind, tf_type, plugin.get("Name", ""), str(path.parent))


def _plugins(path: Path) -> list[dict[str, Any]]:
    """The plugins of a file; none where it is no such file, which is USD's to report."""
    try:
        content = plugin_json(path)
    except (OSError, ValueError):
        return []
    plugins = content.get("Plugins", []) if isinstance(content, dict) else []
    return [plugin for plugin in plugins if isinstance(plugin, dict)]


def plugin_json(path: Path) -> Any:
    """What a plugInfo.json holds; its comment lines are USD's own addition to JSON.

    Raises OSError, UnicodeDecodeError, and JSONDecodeError with the line in the file.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    return json.loads("\n".join("" if line.lstrip().startswith("#") else line for line in lines))


SENTENCE_END = re.compile(r"\. |\.\n")
BRIEF_LENGTH = 500
DOXYGEN = ((re.compile(r"\\em "), ""), (re.compile(r"\\li"), "-"), (re.compile(r"\\(?:ref|section) \S+ "), ""))


@dataclass(frozen=True, slots=True)
class Declared:
    """One property; texts are in usda syntax, empty where there is no opinion."""

    name: str
    type: str                           # Sdf value type name; "rel" for a relationship
    uniform: bool = False
    default: str = ""
    brief: str = ""
    override: bool = False              # changes a property of a built-in schema
    metadata: tuple[tuple[str, str], ...] = ()      # key, text

    def over(self, weaker: Declared | None) -> Declared:
        """This declaration, completed by a weaker one of the same property."""
        if weaker is None:
            return self
        metadata = tuple((dict(weaker.metadata) | dict(self.metadata)).items())
        default, brief = self.default or weaker.default, self.brief or weaker.brief
        return replace(self, default=default, brief=brief, metadata=metadata)


@dataclass(frozen=True, slots=True)
class FlatClass:
    """One class with everything of its parents."""

    builtins: tuple[str, ...]
    properties: dict[str, Declared]     # by name


def user_doc(doc: str, authored: str | None) -> str:
    """The userDocBrief that USD's generator gives: the one written, else the first sentence, cut where it is long."""
    text = SENTENCE_END.split(doc, maxsplit=1)[0].strip() if authored is None else authored.strip()
    if authored is None and len(text) > BRIEF_LENGTH:
        text = text[:BRIEF_LENGTH] + "..."
    elif authored is None and text and not text.endswith("."):
        text += "."
    for pattern, replacement in DOXYGEN:
        text = pattern.sub(replacement, text)
    return text
