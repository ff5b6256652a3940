"""How the model's fields are called in schema.usda: usdGenSchema's customData keys, and our own under OWN."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

from . import fields
from .model import DICTIONARY, Kind

EXT = "physxSchema"                     # the dictionary of customData with the facts that usdGenSchema has no key for
GLOBAL = "GLOBAL"
APPLY_KINDS: dict[str, Kind] = {
    "nonApplied": "non-applied", "singleApply": "single-apply", "multipleApply": "multiple-apply"}

# Field of the model -> (key, type). What takes more than copying is left to the reader and the writer.
LIBRARY = {
    "plugin": ("libraryName", "string"),
    "name": ("libraryPrefix", "string"),
    "path": ("libraryPath", "string"),
    "tokens_prefix": ("tokensPrefix", "string"),
    "codeless": ("skipCodeGeneration", "bool"),
    "export_api": ("useExportAPI", "bool"),
    "literal_identifier": ("useLiteralIdentifier", "bool"),
}
LIBRARY_TOKENS, CLASS_TOKENS = "libraryTokens", "schemaTokens"
CLASS = {
    "python_name": ("className", "string"),
    "file_name": ("fileName", "string"),
    "can_only_apply_to": ("apiSchemaCanOnlyApplyTo", "token[]"),
    "auto_apply_to": ("apiSchemaAutoApplyTo", "token[]"),
    "allowed_instances": ("apiSchemaAllowedInstanceNames", "token[]"),
    "instance_rules": ("apiSchemaInstances", DICTIONARY),
    "fallback_types": ("fallbackTypes", "token[]"),
    "reflected": ("reflectedAPISchemas", "token[]"),
    "extra_includes": ("extraIncludes", "string"),
    "extra_constructors": ("extraConstructors", "string"),
    "extra_plug_info": ("extraPlugInfo", DICTIONARY),
}
APPLY_TYPE, PREFIX = "apiSchemaType", "propertyNamespacePrefix"
PROPERTY = {"api": ("apiName", "string"), "override": ("apiSchemaOverride", "bool")}
GETTER, GETTERS = "apiGetImplementation", {"generated": False, "custom": True}
KNOWN_OF_LIBRARY = (LIBRARY_TOKENS, EXT, *(key for key, _ in LIBRARY.values()))
KNOWN_OF_CLASS = (APPLY_TYPE, PREFIX, CLASS_TOKENS, EXT, *(key for key, _ in CLASS.values()))
KNOWN_OF_PROPERTY = (GETTER, EXT, *(key for key, _ in PROPERTY.values()))

# Fields that schema.usda has a place for outside customData.
SPEC_FIELDS = {
    "name", "kind", "base", "prefix", "includes", "tokens", "doc", "hidden", "metadata", "custom_data", "schemas",
    "attributes", "relationships", "type", "default", "uniform", "display", "group", "custom_get"}


def extension_keys(table: dict[str, fields.Field], known: Iterable[str]) -> tuple[str, ...]:
    """The keys of the YAML language that schema.usda has no place for: they are kept under OWN by the same names."""
    return tuple(key for key in table if key not in SPEC_FIELDS and key not in known)


EXT_LIBRARY = extension_keys(fields.LIBRARY, LIBRARY)
EXT_CLASS = extension_keys(fields.CLASS, CLASS)
EXT_ATTRIBUTE = extension_keys(fields.ATTRIBUTE, PROPERTY)
EXT_RELATIONSHIP = extension_keys(fields.RELATIONSHIP, PROPERTY)
EXT_NAME, EXT_FAMILY, EXT_FAMILIES, EXT_ORDER, EXT_PREFIX = "name", "family", "families", "token_order", "prefix"

# Metadata with fields of its own, and what cannot stand in a schema at all.
LAYER_FIELDS = {"documentation", "subLayers", "subLayerOffsets"}
CLASS_FIELDS = {"specifier", "typeName", "documentation", "inheritPaths", "apiSchemas", "customData", "hidden"}
PROPERTY_FIELDS = {
    "typeName", "default", "variability", "custom", "documentation", "allowedTokens", "displayName", "displayGroup",
    "hidden", "customData"}
TEXT_NAMES = {"doc", "inherits", "apiSchemas", "variants", "variantSets"}       # what usda calls some of these fields
FORBIDDEN = {
    "references", "payload", "specializes", "variantSelection", "variantSetNames", "active", "instanceable", "kind",
    "clips", "clipSets", "timeSamples", "connectionPaths", "targetPaths", "spline"}
IN_TEXT = {                             # what messages call a field
    "documentation": "doc", "inheritPaths": "inherits", "variantSetNames": "variantSets", "targetPaths": "a target",
    "connectionPaths": "a connection"}
MODULES = {"tokens", "library"}         # names that a family's module cannot have


def short_name(name: str, prefix: str) -> str:
    """A property's name as YAML has it: without the class's prefix where nothing else stands between."""
    local_name = name.removeprefix(f"{prefix}:") if prefix else name
    return name if ":" in local_name else local_name


def module_name(plugin: str) -> str:
    """A plugin's name as the name of a family and so of a module."""
    word = re.sub(r"\W", "_", plugin)
    return f"{word}_" if keyword.iskeyword(word) or word in MODULES else word
