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
    "version": Field("text", "Release that the definitions describe."),
    "schemas": Field("names", "Required schema libraries: names, or paths of schema.usda files."),
    "package": Field("text", "Sub-package of the output, or a dot for none; the definitions' folder by default."),
    "doc": Field("prose", "Documentation of the library."),
    "path": Field("text", "Path in C++ includes of the library's headers; a dot by default."),
    "tokens_prefix": Field("word", "Prefix of the C++ class of tokens; the library's name by default."),
    "codeless": Field("flag", "Whether usdGenSchema generates no C++ classes; true by default.", absent=True),
    "export_api": Field("flag", "Whether api.h exports the C++ classes; true by default.", absent=True),
    "literal_identifier": Field("flag", "Whether token identifiers keep their spelling; true by default.", absent=True),
    "metadata": METADATA,
    "custom_data": CUSTOM_DATA,
}
FAMILY = {
    "tokens": Field("list", "Additional words."),
    "classes": Field("list", "Schema classes of this family."),
}
TOKEN = {
    "name": Field("word", "Python name of the token.", required=True),
    "value": Field("string", "Value of the token, possibly empty; its name by default."),
    "doc": Field("prose", "Documentation of the token."),
}
CLASS = {
    "name": Field("word", "USD identifier of the schema; API schemas end in API.", required=True),
    "kind": Field("kind", "single-apply, multiple-apply or non-applied (API schemas), typed (prim type), "
                  "abstract (base of prim types) or base (root such as Typed).", required=True),
    "base": Field("word", "Parent of a prim type or of a non-applied API schema."),
    "prefix": Field("property", "Namespace of the properties."),
    "includes": Field("names", "Built-in API schemas, applied together under the same instance name."),
    "collections": Field("names", "Built-in collections with another case in method names."),
    "applies_to": Field("names", "Schemas of suitable prims; advice, not enforced by USD."),
    "instances": Field("names", "Instance names that the simulation reads; advice."),
    "can_only_apply_to": Field("names", "Prim types that USD accepts; all by default."),
    "auto_apply_to": Field("names", "Schemas to which USD applies this one automatically."),
    "allowed_instances": Field("names", "Instance names that USD accepts; all by default."),
    "instance_rules": Field("entries", "Prim types that USD accepts, per instance name."),
    "python_name": Field("word", "Name of the Python class; the schema's name by default."),
    "doc": Field("prose", "Documentation; the first sentence is the summary."),
    "equation": Field("text", "Formula in property names."),
    "example": Field("text", "Python lines for the reference page."),
    "semantics": Field("text", "Page that explains the behaviour."),
    "deprecated": Field("text", "Replacement. Python warns once the class is retired."),
    "renamed_from": Field("word", "Former name."),
    "retired": Field("text", "Release that dropped the class."),
    "extends": Field("word", "Class of another library with these retired properties."),
    "tokens": Field("list", "Words of this class."),
    "fallback_types": Field("names", "Prim types to use if this one is unknown, best first."),
    "reflected": Field("names", "Built-in API schemas with accessors on this class."),
    "file_name": Field("text", "Name of the C++ files, without suffix."),
    "extra_includes": Field("prose", "C++ include lines."),
    "extra_constructors": Field("prose", "Additional C++ constructors."),
    "extra_plug_info": Field("entries", "Additional keys in plugInfo.json."),
    "hidden": Field("flag", "Whether user interfaces hide the class."),
    "metadata": METADATA,
    "custom_data": CUSTOM_DATA,
    "attributes": Field("list", "Attributes in order."),
    "relationships": Field("list", "Relationships in order."),
}
ACCESSORS = {
    "api": Field("method", "Name in Get and Create; the capitalised name by default. Empty means no methods."),
    "custom_get": Field("flag", "Whether the C++ getter is hand-written."),
    "override": Field("flag", "Whether it changes a property of a built-in API schema."),
}
DISPLAY = {
    "display": Field("prose", "Name shown in user interfaces."),
    "group": Field("prose", "Group shown in user interfaces."),
    "hidden": Field("flag", "Whether user interfaces hide the property."),
    "doc": Field("prose", "Documentation; the first sentence is the summary."),
    "deprecated": Field("text", "Replacement. Python warns once the property is retired."),
    "renamed_from": Field("property", "Former name, unique in the class."),
    "retired": Field("text", "Release that dropped the property."),
    "metadata": METADATA,
    "custom_data": CUSTOM_DATA,
}
ATTRIBUTE = {
    "name": Field("property", "Name without the prefix; a namespace is allowed.", required=True),
    "type": Field("text", "Sdf value type, such as float or token[].", required=True),
    "default": Field("value", "Fallback value; .inf and -.inf are infinities."),
    "uniform": Field("flag", "Whether the value is constant over time."),
    "tokens": Field("words", "Allowed values of a token attribute."),
    "range": Field("text", 'Interval of allowed values, such as "[0, inf)". A bound can be another attribute.'),
    "unit": Field("text", "Unit, such as force / distance."),
    **ACCESSORS, **DISPLAY,
}
RELATIONSHIP = {
    "name": Field("property", "Name without the prefix.", required=True),
    "targets": Field("names", "Schemas of suitable targets; advice."),
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
