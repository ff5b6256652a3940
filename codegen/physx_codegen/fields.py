"""Which keys the YAML has where, and what each one holds: the loader, the writer, the JSON Schema and the reference
page are made from this."""

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
    absent: bool = False                # what a flag means where the key is not given


METADATA = Field("entries", "USD metadata that no other key holds, each key with its type: {\"token kind\": group}.")
CUSTOM_DATA = Field("entries", "customData that no other key holds, each key with its type: {\"string note\": text}.")

LIBRARY = {
    "name": Field("word", "Prefix of the TfType names of all classes in this folder.", required=True),
    "plugin": Field("word", "Plugin name in plugInfo.json.", required=True),
    "version": Field("text", "Release whose names, types and defaults these files carry."),
    "schemas": Field("names", "Schema libraries that the classes build on: names, or paths of schema.usda files."),
    "package": Field("text", "Python package below the output folder, a dot for that folder itself; "
                     "the folder's name where absent."),
    "doc": Field("prose", "What the library is for; the documentation of schema.usda."),
    "path": Field("text", "Where C++ sources include the library's headers from; a dot where absent."),
    "tokens_prefix": Field("word", "Prefix of the C++ class of tokens; the library's name where absent."),
    "codeless": Field("flag", "Whether usdGenSchema makes no C++ classes; true where absent.", absent=True),
    "export_api": Field("flag", "Whether api.h exports the C++ classes; true where absent.", absent=True),
    "literal_identifier": Field("flag", "Whether tokens keep their spelling as identifiers; true where absent.",
                                absent=True),
    "metadata": METADATA,
    "custom_data": CUSTOM_DATA,
}
FAMILY = {
    "tokens": Field("list", "Words that no property or class brings along."),
    "classes": Field("list", "The schema classes of this family."),
}
TOKEN = {
    "name": Field("word", "Python name of the token.", required=True),
    "value": Field("string", "Value of the token, which may be empty; its name where absent."),
    "doc": Field("prose", "What the token is for."),
}
CLASS = {
    "name": Field("word", "USD's identifier of the schema; API schemas end in API.", required=True),
    "kind": Field("kind", "single-apply, multiple-apply or non-applied (API schemas), typed (a concrete prim type), "
                  "abstract (a prim type to derive from) or base (a root such as Typed).", required=True),
    "base": Field("word", "Parent type of a prim type, or of a non-applied API schema."),
    "prefix": Field("property", "Namespace of the properties."),
    "includes": Field("names", "Built-in API schemas, applied along with this one under the same instance name."),
    "collections": Field("names", "Built-in collections as method names spell them, where that differs in case."),
    "applies_to": Field("names", "Advisory: schemas of the prims that this one makes sense on."),
    "instances": Field("names", "Advisory: instance names that the simulation reads."),
    "can_only_apply_to": Field("names", "Prim types that USD lets the schema be applied to; all where absent."),
    "auto_apply_to": Field("names", "Schemas that USD applies this one to by itself."),
    "allowed_instances": Field("names", "Instance names that USD allows; all where absent."),
    "instance_rules": Field("entries", "Per instance name, a dictionary with the prim types it can be applied to."),
    "python_name": Field("word", "Name of the Python class; the schema's name where absent."),
    "doc": Field("prose", "What the schema does; the first sentence is the summary."),
    "equation": Field("text", "The law behind the numbers, in property names."),
    "example": Field("text", "Python lines that use the class, for its reference page."),
    "semantics": Field("text", "Link to the page that explains the physics."),
    "deprecated": Field("text", "What to use instead: documented now, warned about once the class is retired."),
    "renamed_from": Field("word", "The schema's former name."),
    "retired": Field("text", "The release that dropped the class; deprecated says what replaces it."),
    "extends": Field("word", "The class of another library that these retired properties belonged to."),
    "tokens": Field("list", "Words that belong to this class."),
    "fallback_types": Field("names", "Prim types to use where this one is not known, the best first."),
    "reflected": Field("names", "Built-in API schemas whose accessors the class repeats."),
    "file_name": Field("text", "Name of the C++ files of the class, without suffix."),
    "extra_includes": Field("prose", "C++ include lines."),
    "extra_constructors": Field("prose", "C++ constructors beyond the usual ones."),
    "extra_plug_info": Field("entries", "What plugInfo.json says of the class besides the usual keys."),
    "hidden": Field("flag", "Whether user interfaces hide the class."),
    "metadata": METADATA,
    "custom_data": CUSTOM_DATA,
    "attributes": Field("list", "The attributes, in order."),
    "relationships": Field("list", "The relationships, in order."),
}
ACCESSORS = {
    "api": Field("method", "Name in Get and Create; the capitalised name where absent, no methods at all where empty."),
    "custom_get": Field("flag", "Whether the getter is written by hand in C++."),
    "override": Field("flag", "Whether the entry changes a property of a built-in API schema."),
}
DISPLAY = {
    "display": Field("prose", "Name shown in user interfaces."),
    "group": Field("prose", "Group shown in user interfaces."),
    "hidden": Field("flag", "Whether user interfaces hide the property."),
    "doc": Field("prose", "What the property does; the first sentence is the summary."),
    "deprecated": Field("text", "What to use instead: documented now, warned about once it is retired."),
    "renamed_from": Field("property", "The property's former name, which no other property of the class has."),
    "retired": Field("text", "The release that dropped the property; deprecated says what replaces it."),
    "metadata": METADATA,
    "custom_data": CUSTOM_DATA,
}
ATTRIBUTE = {
    "name": Field("property", "Name without the prefix; may carry a namespace of its own.", required=True),
    "type": Field("text", "Sdf value type, such as float or token[].", required=True),
    "default": Field("value", "Fallback value; .inf and -.inf for infinities."),
    "uniform": Field("flag", "Whether the attribute cannot vary over time."),
    "tokens": Field("words", "Allowed values of a token attribute."),
    "range": Field("text", 'Interval of allowed values, such as "[0, inf)"; a bound may name another attribute.'),
    "unit": Field("text", "Unit of the value."),
    **ACCESSORS, **DISPLAY,
}
RELATIONSHIP = {
    "name": Field("property", "Name without the prefix.", required=True),
    "targets": Field("names", "Advisory: schemas that a target should have."),
    "many": Field("flag", "Whether more than one target is allowed."),
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
