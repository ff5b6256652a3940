"""A Library as schema.usda: what usdGenSchema builds C++ from, and with our own facts in customData."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import fields, naming, ranges, usda_keys, usda_text
from .model import DICTIONARY, RAW, Attribute, Entry, Library, Property, SchemaClass, Token

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
    lines += [*bracketed(f'over "{usda_keys.GLOBAL}"', custom_lines(library_data(library))), "{", "}"]
    for family in library.families:
        name = "" if family.name == usda_keys.module_name(library.plugin) else family.name
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
    entries += token_entries(usda_keys.LIBRARY_TOKENS, library.tokens)
    extension = [Entry("version", "string", library.version)] if library.version else []
    extension += [Entry("package", "string", library.package)] if library.package != library.plugin else []
    names = [token.name for token in library.tokens]
    extension += [Entry(usda_keys.EXT_ORDER, "string[]", tuple(names))] if names != sorted(names) else []
    summaries = [Entry(family.name, "string", family.summary) for family in library.families if family.summary]
    extension += [Entry(usda_keys.EXT_FAMILIES, DICTIONARY, sort_entries(summaries))] if summaries else []
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
    return [Entry(usda_keys.EXT, DICTIONARY, value)] if value else []


def ext_entries(owner: SchemaClass | Property, keys: Iterable[str], table: dict[str, fields.Field]) -> list[Entry]:
    """Our own facts of a class or property, by the names of the YAML language."""
    values = {key: getattr(owner, "range_text" if key == "range" else key) for key in keys}
    if isinstance(owner, Attribute) and owner.range_text == ranges.from_limits(owner.metadata):
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
    return [*bracketed(f"class {type_name}{usda_text.quote(cls.name)}", header), "{", *order, *body, "}"]


def class_data(cls: SchemaClass, family: str) -> list[Entry]:
    """customData of a class."""
    applied = next((key for key, kind in usda_keys.APPLY_KINDS.items() if kind == cls.kind), "")
    entries = [Entry(usda_keys.APPLY_TYPE, "token", applied)] if applied else []
    if cls.kind == "multiple-apply" and cls.prefix:
        entries.append(Entry(usda_keys.PREFIX, "token", cls.prefix))
    for field, (key, type_name) in usda_keys.CLASS.items():
        value = getattr(cls, field)
        if value and (field != "python_name" or value != naming.proper_case(cls.name)):
            entries.append(Entry(key, type_name, value))
    entries += token_entries(usda_keys.CLASS_TOKENS, cls.tokens)
    extension = ext_entries(cls, usda_keys.EXT_CLASS, fields.CLASS)
    if cls.kind != "multiple-apply" and cls.prefix:
        extension.append(Entry(usda_keys.EXT_PREFIX, "string", cls.prefix))
    extension += [Entry(usda_keys.EXT_FAMILY, "string", family)] if family else []
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
    header += [f"displayName = {usda_text.quote(prop.display)}"] if prop.display else []
    header += [f"displayGroup = {usda_text.quote(prop.group)}"] if prop.group else []
    header += ["hidden = true"] if prop.hidden else []
    header += [*doc_line(prop.doc), *metadata_lines(prop.metadata), *custom_lines(property_data(cls, prop, name))]
    return bracketed(declaration, header)


def property_data(cls: SchemaClass, prop: Property, name: str) -> list[Entry]:
    """customData of a property."""
    entries = [Entry("apiName", "string", prop.api)] if prop.api is not None else []
    entries += [Entry("apiSchemaOverride", "bool", True)] if prop.override else []
    entries += [Entry(usda_keys.GETTER, "string", "custom")] if prop.custom_get else []
    is_attribute = isinstance(prop, Attribute)
    keys = usda_keys.EXT_ATTRIBUTE if is_attribute else usda_keys.EXT_RELATIONSHIP
    extension = ext_entries(prop, keys, fields.ATTRIBUTE if is_attribute else fields.RELATIONSHIP)
    if usda_keys.short_name(name, cls.prefix) != prop.name:
        extension.append(Entry(usda_keys.EXT_NAME, "string", prop.name))
    return [*entries, *ext_data(extension), *prop.custom_data]


def bracketed(start: str, header: list[str]) -> list[str]:
    """A declaration with its metadata in brackets."""
    if not header:
        return [start] if start else []
    return [f"{start} (".lstrip(), *(f"{INDENT}{line}" for line in header), ")"]


def doc_line(doc: str) -> list[str]:
    """Documentation as one line of metadata, which may hold line ends."""
    return [f"doc = {usda_text.quote(doc)}"] if doc else []


def metadata_lines(entries: Iterable[Entry]) -> list[str]:
    """Metadata that no field holds."""
    return [line for entry in entries for line in (
        [text(entry.type, entry.value)] if entry.key == usda_text.KEYLESS else entry_lines(entry, ""))]


def custom_lines(entries: Sequence[Entry]) -> list[str]:
    """customData, its keys sorted as USD does."""
    return entry_lines(Entry("customData", DICTIONARY, sort_entries(entries)), "") if entries else []


def entry_lines(entry: Entry, type_name: str) -> list[str]:
    """One entry; inside a dictionary the type comes first."""
    is_nested = bool(type_name)
    key = entry.key if not is_nested or entry.key.isidentifier() else usda_text.quote(entry.key)
    start = f"{type_name} {key} = ".lstrip()
    if entry.type != DICTIONARY:
        return [f"{start}{text(entry.type, entry.value)}"]
    items = entry.value if isinstance(entry.value, tuple) else ()
    inner = [line for item in items if isinstance(item, Entry) for line in entry_lines(item, item.type)]
    return [f"{start}{{", *(f"{INDENT}{line}" for line in inner), "}"]


def sort_entries(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Entries by key."""
    return tuple(sorted(entries, key=lambda entry: entry.key))


def text(type_name: str, value: object) -> str:
    """A value in usda syntax."""
    return str(value) if type_name == RAW else usda_text.value(type_name, value)        # type: ignore[arg-type]
