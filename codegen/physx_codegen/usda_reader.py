"""A usda layer of schema classes to the model, class by class; every problem is collected with its line.

Below the classes: specs of the layer with their metadata and customData, and values from USD as plain data.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any

from pxr import Gf, Sdf, Vt

from . import fields, naming, value_types, write_usda
from .installed_schemas import installed
from .model import (
    DICTIONARY,
    RAW,
    Attribute,
    Entry,
    Family,
    Kind,
    Library,
    Location,
    Property,
    Range,
    Relationship,
    SchemaClass,
    Token,
    Value,
    closest,
)
from .usda_outline import Outline
from .value_types import round_to_type


def plain(value: Any, type_name: str) -> Value:
    """A value of an Sdf value type: numbers, text, or tuples of these."""
    element = type_name.removesuffix("[]")
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return float(value) if element in {"float", "double", "half", "timecode", "duration"} else value
    if isinstance(value, float):
        return round_to_type(value, element)
    if isinstance(value, Sdf.AssetPath):
        return str(value.path)
    if isinstance(value, Sdf.PathExpression):
        return str(value.GetText())
    if hasattr(value, "GetReal"):
        return tuple(plain(item, element) for item in (value.GetReal(), *value.GetImaginary()))
    if hasattr(value, "GetValue"):                  # a time code or duration
        return float(value.GetValue())
    return tuple(plain(item, element) for item in value)


def guess_type(value: Any) -> str:
    """The Sdf value type of a value whose declared type is unknown; empty where there is none."""
    if isinstance(value, Gf.Vec3d):
        return "double3"
    type_name = Sdf.GetValueTypeNameForValue(value)
    return str(type_name) if type_name else ""


MIN_SIMILARITY = 0.9         # of 1: a letter or two in a long word
EXPECTED = {str: "text", bool: "true or false", tuple: "a list of words", dict: "a dictionary"}


class Problems:
    """Collects problems of one file."""

    def __init__(self, file: str, outline: Outline) -> None:
        self.file = file
        self.outline = outline
        self.entries: list[tuple[Location, str]] = []

    def at(self, path: str, *keys: str) -> Location:
        """Where a key of a spec stands."""
        return Location(self.file, self.outline.line(path, *keys))

    def report(self, message: str, path: str, *keys: str) -> None:
        """Note a problem."""
        self.entries.append((self.at(path, *keys), message))


class CustomData:
    """A dictionary of customData from which known keys are taken; what is left is kept as entries."""

    def __init__(self, problems: Problems, path: str, keys: tuple[str, ...], values: dict[str, Any]) -> None:
        self.problems, self.path, self.keys, self.values = problems, path, keys, values

    def pop(self, key: str, kind: type, default: Any) -> Any:
        """The value of a key, removed; `absent` where it is not given or of another type, which is reported."""
        if key not in self.values:
            return default
        value = self.values.pop(key)
        if kind is tuple and isinstance(value, Vt.TokenArray | Vt.StringArray):
            return tuple(value)
        if kind is not tuple and isinstance(value, kind):
            return value
        display = "a dictionary" if isinstance(value, dict) else str(value)
        self.problems.report(f"{key} is {display}; write {EXPECTED[kind]}", self.path, *self.keys, key)
        return default

    def inner(self, key: str) -> CustomData:
        """A dictionary within this one, removed."""
        return CustomData(self.problems, self.path, (*self.keys, key), dict(self.pop(key, dict, {})))

    def entries(self) -> tuple[Entry, ...]:
        """What is left, with types."""
        entries = [self._entry(key, value) for key, value in sorted(self.values.items())]
        return tuple(entry for entry in entries if entry)

    def remaining_entries(self, known: Iterable[str]) -> tuple[Entry, ...]:
        """What is left, with types; what looks like a known key misspelt is reported, as USD would pass over it."""
        for key in sorted(self.values):
            close = difflib.get_close_matches(key, known, n=1, cutoff=MIN_SIMILARITY)
            if close:
                message = f"unknown key '{key}' of customData; did you mean '{close[0]}'? Otherwise rename the key"
                self.problems.report(message, self.path, *self.keys, key)
        return self.entries()

    def report_unknown(self, allowed: list[str]) -> None:
        """Report every key that is left."""
        for key in sorted(self.values):
            where = self.keys[-1]
            message = f"unknown key '{key}' of {where}; {closest(key, allowed)}"
            self.problems.report(message, self.path, *self.keys, key)

    def _entry(self, key: str, value: Any) -> Entry | None:
        if isinstance(value, dict):
            return Entry(key, DICTIONARY, CustomData(self.problems, self.path, (*self.keys, key), value).entries())
        declared = self.problems.outline.types.get((self.path, (*self.keys, key)), "")
        type_name = str(Sdf.ValueTypeNames.Find(declared)) if declared else guess_type(value)
        if type_name not in value_types.TYPES:
            message = f"entry '{key}' of type {declared or type(value).__name__} cannot be kept; use a plain type"
            self.problems.report(message, self.path, *self.keys, key)
            return None
        return Entry(key, type_name, plain(value, type_name))


def custom_data(problems: Problems, spec: Any) -> CustomData:
    """The customData of a spec."""
    return CustomData(problems, str(spec.path), ("customData",), dict(spec.customData))


def tokens(data: CustomData) -> tuple[Token, ...]:
    """libraryTokens or schemaTokens: each a dictionary with value and doc, both optional."""
    result = []
    for name in sorted(data.values):
        entry = data.inner(name)
        number = entry.values.get("value")
        if isinstance(number, int) and not isinstance(number, bool):        # USD's generator writes its digits
            entry.values["value"] = str(number)
        value, doc = entry.pop("value", str, name), entry.pop("doc", str, "")
        entry.report_unknown(["value", "doc"])
        result.append(Token(name, value, doc, data.problems.at(data.path, *data.keys, name)))
    return tuple(result)


def metadata(problems: Problems, spec: Any, known: set[str]) -> tuple[Entry, ...]:
    """Metadata that no field of the model holds; what a schema cannot have is reported."""
    path, entries = str(spec.path), []
    keys = set(spec.ListInfoKeys())
    for key in sorted(keys - known):
        text_name = write_usda.IN_TEXT.get(key, key)
        if key in write_usda.FORBIDDEN:
            display = text_name if " " in text_name else f"'{text_name}'"
            message = f"{display} is not allowed in a schema, and USD ignores it; remove it"
            problems.report(message, path, text_name)
        else:
            entries += _metadata_entries(problems, spec, path, key)
    unlisted = problems.outline.texts.get(path, {}).keys() - keys - known - write_usda.TEXT_NAMES
    for key in sorted(unlisted):
        entries += _raw_entries(problems, path, key)   # a field that USD has no definition of, and does not list
    return tuple(sorted(entries, key=lambda entry: entry.key))


def _raw_entries(problems: Problems, path: str, key: str) -> list[Entry]:
    """A field as the file has it, list operations included."""
    return [Entry(start, RAW, text) for start, _, text in (
        statement.partition(" = ") for statement in problems.outline.texts.get(path, {}).get(key, []))]


def _metadata_entries(problems: Problems, spec: Any, path: str, key: str) -> list[Entry]:
    value, raw = _info(spec, key), _raw_entries(problems, path, key)
    if isinstance(value, dict):
        return [Entry(key, DICTIONARY, CustomData(problems, path, (key,), value).entries())]
    if isinstance(value, list | Vt.TokenArray | Vt.StringArray) and all(isinstance(item, str) for item in value):
        return [Entry(key, "token[]", tuple(value))]
    is_word = isinstance(value, str) and bool(raw) and str(raw[0].value)[0] not in "\"'"
    if isinstance(value, bool | int | float | str | Sdf.AssetPath) and not is_word:
        type_name = guess_type(value)
        return [Entry(key, type_name, plain(value, type_name))]
    if not raw:
        problems.report(f"'{key}' has a value that cannot be kept; remove it", path, key)
    return raw                                  # beyond Python, or a word of usda's grammar


def _info(spec: Any, key: str) -> Any:
    try:
        return spec.GetInfo(key)
    except TypeError:                               # a C++ type that Python does not know
        return None


PY_TYPES = {"text": str, "prose": str, "word": str, "property": str, "flag": bool, "names": tuple}
DIRECT_BASES = {"APISchemaBase", "Typed"}


class UsdaReader:
    """Turns the specs of one layer into model classes."""

    def __init__(self, layer: Any, problems: Problems) -> None:
        self.layer = layer
        self.problems = problems
        self.classes = {spec.name: spec for spec in layer.rootPrims if spec.specifier == Sdf.SpecifierClass}

    def library(self) -> Library:
        """The whole layer."""
        spec = self.layer.GetPrimAtPath(f"/{write_usda.GLOBAL}")
        if not spec:
            message = 'no prim "GLOBAL" names the library; add over "GLOBAL" with customData libraryName'
            self.problems.report(message, "/")
        data = custom_data(self.problems, spec) if spec else CustomData(self.problems, "/GLOBAL", (), {})
        extension = data.inner(write_usda.EXT)
        values = self._header(data, required=bool(spec))
        words = tokens(data.inner(write_usda.LIBRARY_TOKENS))
        order = extension.pop(write_usda.EXT_ORDER, tuple, ())
        ranks = {name: index for index, name in enumerate(order)}
        summaries = extension.inner(write_usda.EXT_FAMILIES)
        values |= self._extension_values(extension, write_usda.EXT_LIBRARY, fields.LIBRARY)
        extension.report_unknown([*write_usda.EXT_LIBRARY, write_usda.EXT_ORDER, write_usda.EXT_FAMILIES])
        values["package"] = values["package"] or values["plugin"]
        self._other_prims()
        return Library(
            folder=values["plugin"], schemas=self._schemas(), loc=self.problems.at("/GLOBAL"),
            tokens=tuple(sorted(words, key=lambda token: (ranks.get(token.name, len(ranks)), token.name))),
            families=self._families(values["plugin"], summaries), doc=self.layer.documentation,
            metadata=metadata(self.problems, self.layer.pseudoRoot, write_usda.LAYER_FIELDS),
            custom_data=data.remaining_entries(write_usda.KNOWN_OF_LIBRARY), **values)

    def _header(self, data: CustomData, required: bool) -> dict[str, Any]:
        """What GLOBAL says with usdGenSchema's keys."""
        plugin = data.pop("libraryName", str, "")
        if required and not plugin:
            self.problems.report("customData of GLOBAL has no libraryName; add the name of the plugin", "/GLOBAL")
        name = data.pop("libraryPrefix", str, naming.proper_case(plugin))
        for key, word in (("libraryName", plugin), ("libraryPrefix", name)):
            if word and not naming.IDENTIFIER.fullmatch(word):
                message = f"{key} '{word}' is not a name; use letters, digits and underscores"
                self.problems.report(message, "/GLOBAL", "customData", key)
        return {
            "plugin": plugin, "name": name, "path": data.pop("libraryPath", str, "") or ".",
            "tokens_prefix": data.pop("tokensPrefix", str, ""),
            "codeless": data.pop("skipCodeGeneration", bool, False),
            "export_api": data.pop("useExportAPI", bool, True),
            "literal_identifier": data.pop("useLiteralIdentifier", bool, True),
        }

    def _schemas(self) -> tuple[str, ...]:
        """The sub-layers: `usdGeom` for usdGeom/schema.usda, else the path."""
        if any(not offset.IsIdentity() for offset in self.layer.subLayerOffsets):
            self.problems.report("offsets and scales of sub-layers are not allowed in a schema; remove them",
                                 "/", "subLayers")
        return tuple(path.removesuffix("/schema.usda") if re.fullmatch(r"\w+/schema\.usda", path) else path
                     for path in self.layer.subLayerPaths)

    def _other_prims(self) -> None:
        for spec in self.layer.rootPrims:
            path = str(spec.path)
            if spec.name == write_usda.GLOBAL:
                if spec.specifier == Sdf.SpecifierClass:
                    self.problems.report('GLOBAL is a class; write over "GLOBAL"', path)
                extra = metadata(self.problems, spec, {"specifier", "customData"})
                if extra or spec.properties:
                    self.problems.report("GLOBAL has more than customData; remove everything except customData", path)
            elif spec.specifier != Sdf.SpecifierClass:
                message = (f"'{spec.name}' is not a class, and a schema has only classes; write class, or remove this "
                           "prim")
                self.problems.report(message, path)

    def _families(self, plugin: str, summaries: CustomData) -> tuple[Family, ...]:
        """Classes by the family that each names; those without one make a family called as the plugin."""
        groups: dict[str, list[SchemaClass]] = {}
        for spec in self.classes.values():
            family, cls = self.schema_class(spec)
            groups.setdefault(family or write_usda.module_name(plugin), []).append(cls)
        file = self.problems.file.rpartition("/")[2]
        texts = {name: summaries.pop(name, str, "") for name in groups}
        summaries.report_unknown(sorted(groups))
        return tuple(Family(name, file, tuple(classes), texts[name]) for name, classes in groups.items())

    def _extension_values(self, data: CustomData, keys: tuple[str, ...], table: dict[str, fields.Field]) -> dict[str,
                                                                                                                 Any]:
        """Our own facts, by the names of the YAML language."""
        return {key: data.pop(key, PY_TYPES[table[key].holds], {"flag": False, "names": ()}.get(table[key].holds, ""))
                for key in keys}

    def schema_class(self, spec: Any) -> tuple[str, SchemaClass]:
        """The name of a class's family, where it has one, and the class."""
        path = str(spec.path)
        data = custom_data(self.problems, spec)
        extension = data.inner(write_usda.EXT)
        base = self._base(spec)
        kind = self._kind(spec, base, data)
        prefix = data.pop(write_usda.PREFIX, str, "") or extension.pop(write_usda.EXT_PREFIX, str, "")
        family = extension.pop(write_usda.EXT_FAMILY, str, "")
        values = self._extension_values(extension, write_usda.EXT_CLASS, fields.CLASS)
        extension.report_unknown([*write_usda.EXT_CLASS, write_usda.EXT_PREFIX, write_usda.EXT_FAMILY])
        for field, (key, type_name) in write_usda.CLASS.items():
            if type_name == "dictionary":
                values[field] = data.inner(key).entries()
            else:
                values[field] = data.pop(key, *((tuple, ()) if type_name == "token[]" else (str, "")))
        values["python_name"] = values["python_name"] or naming.proper_case(spec.name)
        words = tokens(data.inner(write_usda.CLASS_TOKENS))
        self._structure(spec)
        properties = [self._property(prop, prefix) for prop in spec.properties]
        return family, SchemaClass(
            name=spec.name, kind=kind, loc=self.problems.at(path), prefix=prefix, includes=self._includes(spec),
            base="" if base in DIRECT_BASES else base, doc=spec.documentation, tokens=words, hidden=bool(spec.hidden),
            metadata=metadata(self.problems, spec, write_usda.CLASS_FIELDS),
            custom_data=data.remaining_entries(write_usda.KNOWN_OF_CLASS),
            properties=tuple(sorted(properties, key=lambda prop: isinstance(prop, Relationship))),
            key_lines=self._key_lines(path), **values)

    def _base(self, spec: Any) -> str:
        """The name of the one class that a class inherits."""
        path = str(spec.path)
        list_op = spec.GetInfo("inheritPaths")
        inherited = [target.name for target in list_op.GetAppliedItems()] if list_op else []
        if len(inherited) > 1:
            message = f"class '{spec.name}' inherits {' and '.join(inherited)}; a schema inherits one class; keep one"
            self.problems.report(message, path, "inherits")
        if not inherited and spec.name not in DIRECT_BASES:
            rule = "inherit </APISchemaBase>, </Typed> or a prim type"
            self.problems.report(f"class '{spec.name}' inherits nothing; {rule}", path)
        return inherited[0] if inherited else ""

    def _kind(self, spec: Any, base: str, data: CustomData) -> Kind:
        """The kind of a class by what it inherits, its type name and apiSchemaType."""
        path = str(spec.path)
        if spec.typeName not in {"", spec.name}:
            message = (f"type '{spec.typeName}' of class '{spec.name}' differs from its name; write the same type, or "
                       "none")
            self.problems.report(message, path)
        applied = data.pop(write_usda.APPLY_TYPE, str, "")
        if not base and spec.name in DIRECT_BASES:
            return "base"
        if applied and applied not in write_usda.APPLY_KINDS:
            suggestion = closest(applied, write_usda.APPLY_KINDS)
            message = f"apiSchemaType '{applied}' is unknown; {suggestion}"
            self.problems.report(message, path, "customData", write_usda.APPLY_TYPE)
            applied = ""
        if not self._is_api(base, spec.name):
            if applied:
                message = f"'{spec.name}' is a prim type and has no apiSchemaType; remove the key"
                self.problems.report(message, path, "customData", write_usda.APPLY_TYPE)
            return "typed" if spec.typeName else "abstract"
        if spec.typeName:
            message = f"API schema '{spec.name}' has a type name; remove it, or inherit </Typed>"
            self.problems.report(message, path)
        return write_usda.APPLY_KINDS[applied or "singleApply"]

    def _is_api(self, base: str, name: str) -> bool:
        """Whether a class with this base is an API schema."""
        visited: set[str] = set()
        while base in self.classes and base not in DIRECT_BASES and base not in visited:
            visited.add(base)
            list_op = self.classes[base].GetInfo("inheritPaths")
            bases = [target.name for target in list_op.GetAppliedItems()] if list_op else []
            base = bases[0] if bases else ""
        if base in DIRECT_BASES:
            return base == "APISchemaBase"
        known = installed().get(base)
        return "applied" in known.kind or "apply" in known.kind if known else name.endswith("API")

    def _includes(self, spec: Any) -> tuple[str, ...]:
        items = spec.GetInfo("apiSchemas")
        if not items:
            return ()
        if items.isExplicit or items.appendedItems or items.deletedItems or items.addedItems or items.orderedItems:
            message = "apiSchemas can only be prepended in a schema; write prepend apiSchemas"
            self.problems.report(message, str(spec.path), "apiSchemas")
        return tuple(items.prependedItems)

    def _structure(self, spec: Any) -> None:
        """Report what a schema class cannot hold."""
        for child in spec.nameChildren:
            message = f"class '{spec.name}' contains the prim '{child.name}'; a schema has only properties; remove it"
            self.problems.report(message, str(child.path))

    def _key_lines(self, path: str) -> tuple[tuple[str, int], ...]:
        """Where the keys of YAML's name stand in this file."""
        keys: dict[str, tuple[str, ...]] = {field: ("customData", key) for field, (key, _) in write_usda.CLASS.items()}
        keys |= {field: ("customData", write_usda.EXT, field) for field in write_usda.EXT_CLASS}
        keys |= {"base": ("inherits",), "includes": ("apiSchemas",), "kind": ("customData", write_usda.APPLY_TYPE),
                 "prefix": ("customData", write_usda.PREFIX), "hidden": ("hidden",), "doc": ("doc",)}
        lines = self.problems.outline.lines
        return tuple((field, lines[path, where]) for field, where in keys.items() if (path, where) in lines)

    def _property(self, spec: Any, prefix: str) -> Property:
        path = str(spec.path)
        data = custom_data(self.problems, spec)
        extension = data.inner(write_usda.EXT)
        is_attribute = isinstance(spec, Sdf.AttributeSpec)
        keys = write_usda.EXT_ATTRIBUTE if is_attribute else write_usda.EXT_RELATIONSHIP
        values = self._extension_values(extension, keys, fields.ATTRIBUTE if is_attribute else fields.RELATIONSHIP)
        values["name"] = extension.pop(write_usda.EXT_NAME, str, "") or write_usda.short_name(spec.name, prefix)
        extension.report_unknown([*keys, write_usda.EXT_NAME])
        if spec.custom:
            message = f"'{spec.name}' is custom, which is not allowed in a schema; remove the word custom"
            self.problems.report(message, path)
        getter = data.pop(write_usda.GETTER, str, "generated")
        if getter not in write_usda.GETTERS:
            message = f"{write_usda.GETTER} '{getter}' is unknown; {closest(getter, write_usda.GETTERS)}"
            self.problems.report(message, path, "customData", write_usda.GETTER)
        values |= {
            "loc": self.problems.at(path), "api": data.pop("apiName", str, None),
            "override": data.pop("apiSchemaOverride", bool, False), "custom_get": write_usda.GETTERS.get(getter, False),
            "display": spec.displayName, "group": spec.displayGroup, "doc": spec.documentation,
            "hidden": bool(spec.hidden), "metadata": metadata(self.problems, spec, write_usda.PROPERTY_FIELDS),
            "custom_data": data.remaining_entries(write_usda.KNOWN_OF_PROPERTY),
        }
        return self._attribute(spec, path, values) if is_attribute else self._relationship(spec, path, values)

    def _relationship(self, spec: Any, path: str, values: dict[str, Any]) -> Relationship:
        if spec.variability != Sdf.VariabilityUniform:
            self.problems.report(f"relationship '{spec.name}' is varying; write only rel", path)
        return Relationship(**values)

    def _attribute(self, spec: Any, path: str, values: dict[str, Any]) -> Attribute:
        text = values.pop("range") or value_types.range_from_limits(values["metadata"])
        return Attribute(
            type=str(spec.typeName), default=self._default(spec, path), range=self._range(text, path), range_text=text,
            uniform=spec.variability == Sdf.VariabilityUniform, tokens=tuple(spec.allowedTokens or ()), **values)

    def _default(self, spec: Any, path: str) -> Value | None:
        type_name = str(spec.typeName)
        if type_name not in value_types.TYPES:
            self.problems.report(f"unknown type '{type_name}'; {closest(type_name, value_types.TYPES)}", path)
            return None
        if not spec.HasDefaultValue():
            return None
        if isinstance(spec.default, Sdf.ValueBlock):
            message = f"default of '{spec.name}' is None; write a value of type {type_name}, or no default"
            self.problems.report(message, path)
            return None
        if isinstance(spec.default, Sdf.UnregisteredValue):
            self.problems.report(f"the installed USD does not know type '{type_name}'; install a newer release", path)
            return None
        value = plain(spec.default, type_name)
        if any(number != number for number in value_types.numbers(value)):
            self.problems.report(f"default of '{spec.name}' is not a number; write a number, inf or -inf", path)
        return value

    def _range(self, text: str, path: str) -> Range | None:
        try:
            return value_types.parse_range(text) if text else None
        except ValueError as error:
            self.problems.report(str(error), path, "customData", write_usda.EXT, "range")
            return None
