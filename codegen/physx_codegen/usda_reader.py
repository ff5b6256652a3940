"""A usda layer of schema classes to the model, class by class; every problem is collected with its line."""

from __future__ import annotations

import re
from typing import Any

from pxr import Sdf

from . import fields, naming, ranges, usda_keys, value_types
from .installed_schemas import installed
from .model import Attribute, Family, Kind, Library, Property, Range, Relationship, SchemaClass, Value
from .usd_values import plain
from .usda_spec import CustomData, Problems, custom_data, metadata, tokens
from .wording import closest

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
        spec = self.layer.GetPrimAtPath(f"/{usda_keys.GLOBAL}")
        if not spec:
            message = 'no prim "GLOBAL" names the library; add over "GLOBAL" with customData libraryName'
            self.problems.report(message, "/")
        data = custom_data(self.problems, spec) if spec else CustomData(self.problems, "/GLOBAL", (), {})
        extension = data.inner(usda_keys.EXT)
        values = self._header(data, required=bool(spec))
        words = tokens(data.inner(usda_keys.LIBRARY_TOKENS))
        order = extension.pop(usda_keys.EXT_ORDER, tuple, ())
        ranks = {name: index for index, name in enumerate(order)}
        summaries = extension.inner(usda_keys.EXT_FAMILIES)
        values |= self._extension_values(extension, usda_keys.EXT_LIBRARY, fields.LIBRARY)
        extension.report_unknown([*usda_keys.EXT_LIBRARY, usda_keys.EXT_ORDER, usda_keys.EXT_FAMILIES])
        values["package"] = values["package"] or values["plugin"]
        self._other_prims()
        return Library(
            folder=values["plugin"], schemas=self._schemas(), loc=self.problems.at("/GLOBAL"),
            tokens=tuple(sorted(words, key=lambda token: (ranks.get(token.name, len(ranks)), token.name))),
            families=self._families(values["plugin"], summaries), doc=self.layer.documentation,
            metadata=metadata(self.problems, self.layer.pseudoRoot, usda_keys.LAYER_FIELDS),
            custom_data=data.remaining_entries(usda_keys.KNOWN_OF_LIBRARY), **values)

    def _header(self, data: CustomData, required: bool) -> dict[str, Any]:
        """What GLOBAL says with usdGenSchema's keys."""
        plugin = data.pop("libraryName", str, "")
        if required and not plugin:
            self.problems.report("customData of GLOBAL has no libraryName; give the name of the plugin", "/GLOBAL")
        name = data.pop("libraryPrefix", str, naming.proper_case(plugin))
        for key, word in (("libraryName", plugin), ("libraryPrefix", name)):
            if word and not naming.IDENTIFIER.fullmatch(word):
                message = f"{key} '{word}' is no name; use letters, digits and underscores"
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
            self.problems.report("sub-layers of a schema have no offset or scale; remove them", "/", "subLayers")
        return tuple(path.removesuffix("/schema.usda") if re.fullmatch(r"\w+/schema\.usda", path) else path
                     for path in self.layer.subLayerPaths)

    def _other_prims(self) -> None:
        for spec in self.layer.rootPrims:
            path = str(spec.path)
            if spec.name == usda_keys.GLOBAL:
                if spec.specifier == Sdf.SpecifierClass:
                    self.problems.report('GLOBAL is a class; write over "GLOBAL"', path)
                extra = metadata(self.problems, spec, {"specifier", "customData"})
                if extra or spec.properties:
                    self.problems.report("GLOBAL holds more than customData; remove the rest", path)
            elif spec.specifier != Sdf.SpecifierClass:
                message = f"'{spec.name}' is no class, and a schema defines classes only; write class or remove it"
                self.problems.report(message, path)

    def _families(self, plugin: str, summaries: CustomData) -> tuple[Family, ...]:
        """Classes by the family that each names; those without one make a family called as the plugin."""
        groups: dict[str, list[SchemaClass]] = {}
        for spec in self.classes.values():
            family, cls = self.schema_class(spec)
            groups.setdefault(family or usda_keys.module_name(plugin), []).append(cls)
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
        extension = data.inner(usda_keys.EXT)
        base = self._base(spec)
        kind = self._kind(spec, base, data)
        prefix = data.pop(usda_keys.PREFIX, str, "") or extension.pop(usda_keys.EXT_PREFIX, str, "")
        family = extension.pop(usda_keys.EXT_FAMILY, str, "")
        values = self._extension_values(extension, usda_keys.EXT_CLASS, fields.CLASS)
        extension.report_unknown([*usda_keys.EXT_CLASS, usda_keys.EXT_PREFIX, usda_keys.EXT_FAMILY])
        for field, (key, type_name) in usda_keys.CLASS.items():
            if type_name == "dictionary":
                values[field] = data.inner(key).entries()
            else:
                values[field] = data.pop(key, *((tuple, ()) if type_name == "token[]" else (str, "")))
        values["python_name"] = values["python_name"] or naming.proper_case(spec.name)
        words = tokens(data.inner(usda_keys.CLASS_TOKENS))
        self._structure(spec)
        properties = [self._property(prop, prefix) for prop in spec.properties]
        return family, SchemaClass(
            name=spec.name, kind=kind, loc=self.problems.at(path), prefix=prefix, includes=self._includes(spec),
            base="" if base in DIRECT_BASES else base, doc=spec.documentation, tokens=words, hidden=bool(spec.hidden),
            metadata=metadata(self.problems, spec, usda_keys.CLASS_FIELDS),
            custom_data=data.remaining_entries(usda_keys.KNOWN_OF_CLASS),
            properties=tuple(sorted(properties, key=lambda prop: isinstance(prop, Relationship))),
            key_lines=self._key_lines(path), **values)

    def _base(self, spec: Any) -> str:
        """The name of the one class that a class inherits."""
        path = str(spec.path)
        list_op = spec.GetInfo("inheritPaths")
        inherited = [target.name for target in list_op.GetAppliedItems()] if list_op else []
        if len(inherited) > 1:
            message = f"class '{spec.name}' inherits {' and '.join(inherited)}; a schema inherits one class: keep one"
            self.problems.report(message, path, "inherits")
        if not inherited and spec.name not in DIRECT_BASES:
            rule = "inherit </APISchemaBase>, </Typed> or a prim type"
            self.problems.report(f"class '{spec.name}' inherits nothing; {rule}", path)
        return inherited[0] if inherited else ""

    def _kind(self, spec: Any, base: str, data: CustomData) -> Kind:
        """The kind of a class by what it inherits, its type name and apiSchemaType."""
        path = str(spec.path)
        if spec.typeName not in {"", spec.name}:
            message = f"type '{spec.typeName}' of class '{spec.name}' differs from its name; write the same or none"
            self.problems.report(message, path)
        applied = data.pop(usda_keys.APPLY_TYPE, str, "")
        if not base and spec.name in DIRECT_BASES:
            return "base"
        if applied and applied not in usda_keys.APPLY_KINDS:
            suggestion = closest(applied, usda_keys.APPLY_KINDS)
            message = f"apiSchemaType '{applied}' is unknown; {suggestion}"
            self.problems.report(message, path, "customData", usda_keys.APPLY_TYPE)
            applied = ""
        if not self._is_api(base, spec.name):
            if applied:
                message = f"'{spec.name}' is a prim type and has no apiSchemaType; remove the key"
                self.problems.report(message, path, "customData", usda_keys.APPLY_TYPE)
            return "typed" if spec.typeName else "abstract"
        if spec.typeName:
            message = f"API schema '{spec.name}' has a type name; remove it, or inherit </Typed>"
            self.problems.report(message, path)
        return usda_keys.APPLY_KINDS[applied or "singleApply"]

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
            message = f"class '{spec.name}' holds the prim '{child.name}'; a schema has properties only: remove it"
            self.problems.report(message, str(child.path))

    def _key_lines(self, path: str) -> tuple[tuple[str, int], ...]:
        """Where the keys of YAML's name stand in this file."""
        keys: dict[str, tuple[str, ...]] = {field: ("customData", key) for field, (key, _) in usda_keys.CLASS.items()}
        keys |= {field: ("customData", usda_keys.EXT, field) for field in usda_keys.EXT_CLASS}
        keys |= {"base": ("inherits",), "includes": ("apiSchemas",), "kind": ("customData", usda_keys.APPLY_TYPE),
                 "prefix": ("customData", usda_keys.PREFIX), "hidden": ("hidden",), "doc": ("doc",)}
        lines = self.problems.outline.lines
        return tuple((field, lines[path, where]) for field, where in keys.items() if (path, where) in lines)

    def _property(self, spec: Any, prefix: str) -> Property:
        path = str(spec.path)
        data = custom_data(self.problems, spec)
        extension = data.inner(usda_keys.EXT)
        is_attribute = isinstance(spec, Sdf.AttributeSpec)
        keys = usda_keys.EXT_ATTRIBUTE if is_attribute else usda_keys.EXT_RELATIONSHIP
        values = self._extension_values(extension, keys, fields.ATTRIBUTE if is_attribute else fields.RELATIONSHIP)
        values["name"] = extension.pop(usda_keys.EXT_NAME, str, "") or usda_keys.short_name(spec.name, prefix)
        extension.report_unknown([*keys, usda_keys.EXT_NAME])
        if spec.custom:
            message = f"'{spec.name}' is custom, which properties of a schema are not; remove the word"
            self.problems.report(message, path)
        getter = data.pop(usda_keys.GETTER, str, "generated")
        if getter not in usda_keys.GETTERS:
            message = f"{usda_keys.GETTER} '{getter}' is unknown; {closest(getter, usda_keys.GETTERS)}"
            self.problems.report(message, path, "customData", usda_keys.GETTER)
        values |= {
            "loc": self.problems.at(path), "api": data.pop("apiName", str, None),
            "override": data.pop("apiSchemaOverride", bool, False), "custom_get": usda_keys.GETTERS.get(getter, False),
            "display": spec.displayName, "group": spec.displayGroup, "doc": spec.documentation,
            "hidden": bool(spec.hidden), "metadata": metadata(self.problems, spec, usda_keys.PROPERTY_FIELDS),
            "custom_data": data.remaining_entries(usda_keys.KNOWN_OF_PROPERTY),
        }
        return self._attribute(spec, path, values) if is_attribute else self._relationship(spec, path, values)

    def _relationship(self, spec: Any, path: str, values: dict[str, Any]) -> Relationship:
        if spec.variability != Sdf.VariabilityUniform:
            self.problems.report(f"relationship '{spec.name}' is varying; write rel alone", path)
        return Relationship(**values)

    def _attribute(self, spec: Any, path: str, values: dict[str, Any]) -> Attribute:
        text = values.pop("range") or ranges.from_limits(values["metadata"])
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
            message = f"default of '{spec.name}' is None; give a value of type {type_name} or none at all"
            self.problems.report(message, path)
            return None
        if isinstance(spec.default, Sdf.UnregisteredValue):
            self.problems.report(f"type '{type_name}' is unknown to the installed USD; install a newer one", path)
            return None
        value = plain(spec.default, type_name)
        if any(number != number for number in value_types.numbers(value)):
            self.problems.report(f"default of '{spec.name}' is not a number; give one, or inf or -inf", path)
        return value

    def _range(self, text: str, path: str) -> Range | None:
        try:
            return ranges.parse(text) if text else None
        except ValueError as error:
            self.problems.report(str(error), path, "customData", usda_keys.EXT, "range")
            return None
