"""A Library as schema.usda: what usdGenSchema builds C++ from, and with our own facts in customData.

The keys by which schema.usda calls the model's fields come first, then values letter by letter as USD writes them.
"""

from __future__ import annotations

import keyword
import math
import re
import struct
from collections.abc import Iterable, Sequence
from decimal import Decimal

from . import fields, naming, value_types
from .model import DICTIONARY, RAW, Attribute, Entry, Kind, Library, Property, SchemaClass, Token, Value
from .value_types import TYPES, ValueType

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


CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")      # all but line feeds
KEYLESS = "comment"                                     # metadata that usda writes as its text alone
ESCAPES = {"\t": "\\t", "\r": "\\r"}
DECIMAL_EXPONENTS = range(-6, 15)                       # outside, USD writes 1e20


def value(type_name: str, raw: Value) -> str:
    """A value of an Sdf value type."""
    kind = TYPES[type_name]
    if kind.array and isinstance(raw, tuple):
        return f"[{', '.join(element(kind, item) for item in raw)}]"
    return element(kind, raw)


def element(kind: ValueType, raw: Value) -> str:
    """A value without array brackets."""
    if isinstance(raw, tuple):
        inner = ", ".join(element(kind, item) for item in raw)
        return f"( {inner} )" if raw and isinstance(raw[0], tuple) else f"({inner})"
    if isinstance(raw, bool):
        return str(int(raw))
    if isinstance(raw, str):
        return asset(raw) if kind.element == "asset" else quote(raw)
    return number(raw, kind.element)


def asset(path: str) -> str:
    """An asset path."""
    mark = "@@@" if "@" in path else "@"
    return f"{mark}{path}{mark}"


def quote(words: str) -> str:
    """A string: in single quotes where that saves escapes, in three where it has lines."""
    mark = "'" if '"' in words and "'" not in words else '"'
    escaped = CONTROL.sub(escape, words.replace("\\", "\\\\")).replace(mark, f"\\{mark}")
    return f"{mark * 3}{escaped}{mark * 3}" if "\n" in words else f"{mark}{escaped}{mark}"


def escape(match: re.Match[str]) -> str:
    """A control character."""
    return ESCAPES.get(match.group(), f"\\x{ord(match.group()):02x}")


def quote_list(words: Iterable[str]) -> str:
    """A list of strings."""
    return f"[{', '.join(map(quote, words))}]"


def number(raw: float, type_name: str) -> str:
    """The shortest text that gives the number back in its type, which `value_types.rounded` has kept it in."""
    if isinstance(raw, int) or not math.isfinite(raw):
        return str(raw)
    if type_name.startswith("half") or type_name.endswith("h"):
        (raw,) = struct.unpack("<e", struct.pack("<e", raw))
        return f"{raw:.6g}"
    if raw == int(raw) and 0 < abs(raw) < 1e15:
        return f"{raw:.0f}"
    sign, digits, exponent = Decimal(repr(raw)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0") or "0"
    point = len(digits) + int(exponent)                 # of the decimal point, counted from the first digit
    if point - 1 not in DECIMAL_EXPONENTS:
        text = f"{text[0]}{'.' if text[1:] else ''}{text[1:]}e{point - 1}"
    elif point <= 0:
        text = "0." + "0" * -point + text if text != "0" else "0"
    elif len(text) > point:
        text = f"{text[:point]}.{text[point:]}"
    else:
        text = text.ljust(point, "0")
    return f"-{text}" if sign else text


INDENT = "    "
EXT_TYPES: dict[fields.Holds, str] = {"flag": "bool", "names": "string[]"}
ORDER = "propertyOrder"                 # a statement among the properties, not in their metadata


def render(library: Library, note: str = "") -> str:
    """The text of schema.usda; `note` becomes a comment on the second line."""
    header = [*metadata_lines(library.metadata), *doc_line(library.doc)]
    if library.schemas:
        layers = (name if "/" in name or "." in name else f"{name}/schema.usda" for name in library.schemas)
        header += ["subLayers = [", *(f"{INDENT}@{layer}@," for layer in layers), "]"]
    lines = ["#usda 1.0", *([f"# {note}"] if note else []), *bracketed("", header), ""]
    lines += [*bracketed(f'over "{GLOBAL}"', custom_lines(library_data(library))), "{", "}"]
    for family in library.families:
        name = "" if family.name == module_name(library.plugin) else family.name
        for cls in family.classes:
            lines += ["", *class_lines(cls, name)]
    return "\n".join(lines) + "\n"


def library_data(library: Library) -> list[Entry]:
    """customData of GLOBAL."""
    entries = [Entry("libraryName", "string", library.plugin)]
    if library.name != naming.proper_case(library.plugin):
        entries.append(Entry("libraryPrefix", "string", library.name))
    if library.path != "." or not library.codeless:
        entries.append(Entry("libraryPath", "string", library.path))
    entries += [Entry("tokensPrefix", "string", library.tokens_prefix)] if library.tokens_prefix else []
    entries += [Entry("skipCodeGeneration", "bool", True)] if library.codeless else []
    entries += [Entry("useExportAPI", "bool", False)] if not library.export_api else []
    entries += [Entry("useLiteralIdentifier", "bool", False)] if not library.literal_identifier else []
    entries += token_entries(LIBRARY_TOKENS, library.tokens)
    extension = [Entry("version", "string", library.version)] if library.version else []
    extension += [Entry("package", "string", library.package)] if library.package != library.plugin else []
    names = [token.name for token in library.tokens]
    extension += [Entry(EXT_ORDER, "string[]", tuple(names))] if names != sorted(names) else []
    summaries = [Entry(family.name, "string", family.summary) for family in library.families if family.summary]
    extension += [Entry(EXT_FAMILIES, DICTIONARY, sort_entries(summaries))] if summaries else []
    return [*entries, *ext_data(extension), *library.custom_data]


def token_entries(key: str, tokens: Sequence[Token]) -> list[Entry]:
    """libraryTokens or schemaTokens."""
    entries = []
    for token in tokens:
        inner = [Entry("doc", "string", token.doc)] if token.doc else []
        inner += [Entry("value", "string", token.value)] if token.value != token.name else []
        entries.append(Entry(token.name, DICTIONARY, tuple(inner)))
    return [Entry(key, DICTIONARY, sort_entries(entries))] if entries else []


def ext_data(entries: Iterable[Entry]) -> list[Entry]:
    """Our own dictionary, where there is something to put there."""
    value = sort_entries(entries)
    return [Entry(EXT, DICTIONARY, value)] if value else []


def ext_entries(owner: SchemaClass | Property, keys: Iterable[str], table: dict[str, fields.Field]) -> list[Entry]:
    """Our own facts of a class or property, by the names of the YAML language."""
    values = {key: getattr(owner, "range_text" if key == "range" else key) for key in keys}
    if isinstance(owner, Attribute) and owner.range_text == value_types.range_from_limits(owner.metadata):
        values.pop("range")                         # USD's own limits say it already
    return [Entry(key, EXT_TYPES.get(table[key].holds, "string"), value) for key, value in values.items() if value]


def class_lines(cls: SchemaClass, family: str) -> list[str]:
    """One class, with the name of its family where the file holds several."""
    header = doc_line(cls.doc)
    parent = cls.base or ("APISchemaBase" if cls.is_api else "Typed")
    header += [f"inherits = </{parent}>"] if cls.kind != "base" else []
    header += [f"prepend apiSchemas = {text('token[]', cls.includes)}"] if cls.includes else []
    header += ["hidden = true"] if cls.hidden else []
    header += metadata_lines(entry for entry in cls.metadata if entry.key != ORDER)
    header += custom_lines(class_data(cls, family))
    type_name = f"{cls.name} " if cls.kind == "typed" else ""
    order = [f"{INDENT}reorder properties = {text(entry.type, entry.value)}"
             for entry in cls.metadata if entry.key == ORDER]
    body = [f"{INDENT}{line}" for prop in cls.properties for line in property_lines(cls, prop)]
    return [*bracketed(f"class {type_name}{quote(cls.name)}", header), "{", *order, *body, "}"]


def class_data(cls: SchemaClass, family: str) -> list[Entry]:
    """customData of a class."""
    applied = next((key for key, kind in APPLY_KINDS.items() if kind == cls.kind), "")
    entries = [Entry(APPLY_TYPE, "token", applied)] if applied else []
    if cls.kind == "multiple-apply" and cls.prefix:
        entries.append(Entry(PREFIX, "token", cls.prefix))
    for field, (key, type_name) in CLASS.items():
        value = getattr(cls, field)
        if value and (field != "python_name" or value != naming.proper_case(cls.name)):
            entries.append(Entry(key, type_name, value))
    entries += token_entries(CLASS_TOKENS, cls.tokens)
    extension = ext_entries(cls, EXT_CLASS, fields.CLASS)
    if cls.kind != "multiple-apply" and cls.prefix:
        extension.append(Entry(EXT_PREFIX, "string", cls.prefix))
    extension += [Entry(EXT_FAMILY, "string", family)] if family else []
    return [*entries, *ext_data(extension), *cls.custom_data]


def property_lines(cls: SchemaClass, prop: Property) -> list[str]:
    """One property."""
    name = naming.local_name(cls, prop)
    if isinstance(prop, Attribute):
        default = "" if prop.default is None else f" = {text(prop.type, prop.default)}"
        declaration = f"{'uniform ' if prop.uniform else ''}{prop.type} {name}{default}"
        header = [f"allowedTokens = {text('token[]', prop.tokens)}"] if prop.tokens else []
    else:
        declaration, header = f"rel {name}", []
    header += [f"displayName = {quote(prop.display)}"] if prop.display else []
    header += [f"displayGroup = {quote(prop.group)}"] if prop.group else []
    header += ["hidden = true"] if prop.hidden else []
    header += [*doc_line(prop.doc), *metadata_lines(prop.metadata), *custom_lines(property_data(cls, prop, name))]
    return bracketed(declaration, header)


def property_data(cls: SchemaClass, prop: Property, name: str) -> list[Entry]:
    """customData of a property."""
    entries = [Entry("apiName", "string", prop.api)] if prop.api is not None else []
    entries += [Entry("apiSchemaOverride", "bool", True)] if prop.override else []
    entries += [Entry(GETTER, "string", "custom")] if prop.custom_get else []
    is_attribute = isinstance(prop, Attribute)
    keys = EXT_ATTRIBUTE if is_attribute else EXT_RELATIONSHIP
    extension = ext_entries(prop, keys, fields.ATTRIBUTE if is_attribute else fields.RELATIONSHIP)
    if short_name(name, cls.prefix) != prop.name:
        extension.append(Entry(EXT_NAME, "string", prop.name))
    return [*entries, *ext_data(extension), *prop.custom_data]


def bracketed(start: str, header: list[str]) -> list[str]:
    """A declaration with its metadata in brackets."""
    if not header:
        return [start] if start else []
    return [f"{start} (".lstrip(), *(f"{INDENT}{line}" for line in header), ")"]


def doc_line(doc: str) -> list[str]:
    """Documentation as one line of metadata, which may hold line ends."""
    return [f"doc = {quote(doc)}"] if doc else []


def metadata_lines(entries: Iterable[Entry]) -> list[str]:
    """Metadata that no field holds."""
    return [line for entry in entries for line in (
        [text(entry.type, entry.value)] if entry.key == KEYLESS else entry_lines(entry, ""))]


def custom_lines(entries: Sequence[Entry]) -> list[str]:
    """customData, its keys sorted as USD does."""
    return entry_lines(Entry("customData", DICTIONARY, sort_entries(entries)), "") if entries else []


def entry_lines(entry: Entry, type_name: str) -> list[str]:
    """One entry; inside a dictionary the type comes first."""
    is_nested = bool(type_name)
    key = entry.key if not is_nested or entry.key.isidentifier() else quote(entry.key)
    start = f"{type_name} {key} = ".lstrip()
    if entry.type != DICTIONARY:
        return [f"{start}{text(entry.type, entry.value)}"]
    items = entry.value if isinstance(entry.value, tuple) else ()
    inner = [line for item in items if isinstance(item, Entry) for line in entry_lines(item, item.type)]
    return [f"{start}{{", *(f"{INDENT}{line}" for line in inner), "}"]


def sort_entries(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Entries by key."""
    return tuple(sorted(entries, key=lambda entry: entry.key))


def text(type_name: str, raw: object) -> str:
    """A value in usda syntax."""
    return str(raw) if type_name == RAW else value(type_name, raw)        # type: ignore[arg-type]
