"""The keys of YAML definitions with their values; the source of loader, writer, JSON Schema and reference page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Holds = Literal[
    "text", "prose", "word", "property", "method", "string", "kind", "flag", "words", "names", "value", "list",
    "entries",
]


@dataclass(frozen=True, slots=True)
class Field:
    """One key of a mapping."""

    holds: Holds
    doc: str
    required: bool = False
    absent: bool = False                # the meaning of a flag without the key


METADATA = Field("entries", "Other USD metadata, such as {\"token kind\": group}.")
CUSTOM_DATA = Field("entries", "Other customData, such as {\"string note\": text}.")

LIBRARY = {
    "name": Field("word", "Prefix of the TfType names of all classes.", required=True),
    "plugin": Field("word", "Plugin name in plugInfo.json.", required=True),
    "version": Field("text", "Release that the schema definitions describe."),
    "schemas": Field("names", "Schema libraries that this library needs: names of libraries, or paths of schema.usda "
                     "files."),
    "package": Field("text", "Python sub-package for the generated files; a dot means no sub-package. The default "
                     "sub-package has the name of the folder with the definitions."),
    "doc": Field("prose", "Documentation of the library."),
    "path": Field("text", "Path of the library's headers in C++ include lines; a dot by default."),
    "tokens_prefix": Field("word", "Prefix of the C++ class of tokens; the library's name by default."),
    "codeless": Field("flag", "True if usdGenSchema generates no C++ classes; true by default.", absent=True),
    "export_api": Field("flag", "Whether api.h exports the C++ classes; true by default.", absent=True),
    "literal_identifier": Field("flag", "Whether token identifiers keep their spelling; true by default.", absent=True),
    "metadata": METADATA,
    "custom_data": CUSTOM_DATA,
}
FAMILY = {
    "tokens": Field("list", "Additional tokens of the library."),
    "classes": Field("list", "Schema classes that this file defines."),
}
TOKEN = {
    "name": Field("word", "Python name of the token.", required=True),
    "value": Field("string", "Value of the token (it can be empty); the default is the token's name."),
    "doc": Field("prose", "Documentation of the token."),
}
CLASS = {
    "name": Field("word", "USD identifier of the schema; API schemas end in API.", required=True),
    "kind": Field("kind", "Kind of schema: single-apply, multiple-apply or non-applied (API schemas), typed (prim "
                  "types), abstract (base classes of prim types), base (roots such as Typed).", required=True),
    "base": Field("word", "Parent of a prim type or of a non-applied API schema."),
    "prefix": Field("property", "Namespace of the properties."),
    "includes": Field("names", "Built-in API schemas, applied together under the same instance name."),
    "collections": Field("names", "Names of built-in collections, with the capital letters that method names need."),
    "applies_to": Field("names", "Schemas that a prim should have if this schema is applied; checks use this list, "
                        "USD does not enforce it."),
    "instances": Field("names", "Instance names that the simulation reads; USD also accepts other instance names."),
    "can_only_apply_to": Field("names", "Prim types that can have this schema in USD; all by default."),
    "auto_apply_to": Field("names", "Schemas to which USD applies this schema automatically."),
    "allowed_instances": Field("names", "Instance names that USD accepts; all by default."),
    "instance_rules": Field("entries", "Prim types that USD accepts for each instance name of the schema."),
    "python_name": Field("word", "Name of the Python class; the schema's name by default."),
    "doc": Field("prose", "Documentation; the first sentence is the summary."),
    "equation": Field("text", "Formula, written with property names."),
    "example": Field("text", "Python example for the reference page of the class."),
    "semantics": Field("text", "Page that explains the behaviour of the class."),
    "deprecated": Field("text", "Replacement for the class. If the class is retired, a Python warning names the "
                        "replacement."),
    "renamed_from": Field("word", "Former name of the class."),
    "retired": Field("text", "Release in which the class was removed."),
    "extends": Field("word", "Class of another library that had these properties before they were retired."),
    "tokens": Field("list", "Additional tokens of the class."),
    "fallback_types": Field("names", "Prim types that USD uses instead if it does not know this prim type, the best "
                            "one first."),
    "reflected": Field("names", "Built-in API schemas for which this class has accessor methods."),
    "file_name": Field("text", "Name of the C++ files, without suffix."),
    "extra_includes": Field("prose", "C++ include lines."),
    "extra_constructors": Field("prose", "Additional C++ constructors."),
    "extra_plug_info": Field("entries", "Additional keys in plugInfo.json."),
    "hidden": Field("flag", "Whether user interfaces hide the class."),
    "metadata": METADATA,
    "custom_data": CUSTOM_DATA,
    "attributes": Field("list", "Attributes of the class; the generated files keep the order of this list."),
    "relationships": Field("list", "Relationships of the class; the generated files keep the order of this list."),
}
ACCESSORS = {
    "api": Field("method", "Name in the Get and Create methods; the capitalised property name by default. An empty "
                 "name creates no Get and Create methods."),
    "custom_get": Field("flag", "Whether the C++ getter is hand-written."),
    "override": Field("flag", "Whether this entry changes a property of a built-in API schema."),
}
DISPLAY = {
    "display": Field("prose", "Name shown in user interfaces."),
    "group": Field("prose", "Group shown in user interfaces."),
    "hidden": Field("flag", "Whether user interfaces hide the property."),
    "doc": Field("prose", "Documentation; the first sentence is the summary."),
    "deprecated": Field("text", "Replacement for the property. If the property is retired, a Python warning names the "
                        "replacement."),
    "renamed_from": Field("property", "Former name of the property, unique in the class."),
    "retired": Field("text", "Release in which the property was removed."),
    "metadata": METADATA,
    "custom_data": CUSTOM_DATA,
}
ATTRIBUTE = {
    "name": Field("property", "Attribute name without the prefix of the class; it can contain a namespace.",
                  required=True),
    "type": Field("text", "Sdf value type, such as float or token[].", required=True),
    "default": Field("value", "Fallback value; write infinities as .inf and -.inf."),
    "uniform": Field("flag", "Whether the value is constant over time."),
    "tokens": Field("words", "Allowed values of a token attribute."),
    "range": Field("text", "Interval of allowed values, such as \"[0, inf)\". A bound of the interval can be the name "
                   "of another attribute."),
    "unit": Field("text", "Unit of the value, such as force / distance."),
    **ACCESSORS, **DISPLAY,
}
RELATIONSHIP = {
    "name": Field("property", "Relationship name without the prefix of the class.", required=True),
    "targets": Field("names", "Schemas that a target prim should have; checks use this list, USD does not enforce it."),
    "many": Field("flag", "Whether several targets are allowed."),
    **ACCESSORS, **DISPLAY,
}
KINDS = ("single-apply", "multiple-apply", "non-applied", "typed", "abstract", "base")
TABLES = {
    "library": LIBRARY | FAMILY,
    "class": CLASS,
    "attribute": ATTRIBUTE,
    "relationship": RELATIONSHIP,
    "token": TOKEN,
}
