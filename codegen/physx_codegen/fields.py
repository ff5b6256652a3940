"""Which keys the YAML has where, and what each one holds: the loader and the JSON Schema are made from this."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Holds = Literal["text", "word", "property", "kind", "flag", "words", "names", "value", "list"]


@dataclass(frozen=True, slots=True)
class Field:
    """One key of a mapping."""

    holds: Holds
    doc: str
    required: bool = False


LIBRARY = {
    "name": Field("word", "Prefix of the TfType names of all classes in this folder.", required=True),
    "plugin": Field("word", "Plugin name in plugInfo.json.", required=True),
    "version": Field("text", "Release whose names, types and defaults these files carry."),
    "schemas": Field("names", "Schema libraries that the classes build on."),
    "package": Field("text", "Python package below the output folder, a dot for that folder itself; the folder's name where absent."),
}
FAMILY = {
    "tokens": Field("list", "Words that no property or class brings along."),
    "classes": Field("list", "The schema classes of this family."),
}
TOKEN = {
    "name": Field("word", "Python name of the token.", required=True),
    "value": Field("text", "Value of the token; its name where absent."),
    "doc": Field("text", "What the token is for."),
}
CLASS = {
    "name": Field("word", "USD's identifier of the schema; API schemas end in API.", required=True),
    "kind": Field("kind", "single-apply, multiple-apply or typed (a concrete prim type).", required=True),
    "base": Field("word", "Parent type of a prim type."),
    "prefix": Field("property", "Namespace of the properties."),
    "includes": Field("names", "Built-in API schemas, applied along with this one under the same instance name."),
    "applies_to": Field("names", "Advisory: schemas of the prims that this one makes sense on."),
    "instances": Field("names", "Advisory: instance names that PhysX reads."),
    "python_name": Field("word", "Name of the Python class; the schema's name where absent."),
    "doc": Field("text", "What the schema does; the first sentence is the summary."),
    "equation": Field("text", "The law behind the numbers, in property names."),
    "semantics": Field("text", "Link to the page that explains the physics."),
    "deprecated": Field("text", "Why and what instead."),
    "renamed_from": Field("word", "The schema's former name."),
    "attributes": Field("list", "The attributes, in order."),
    "relationships": Field("list", "The relationships, in order."),
}
ATTRIBUTE = {
    "name": Field("property", "Name without the prefix; may carry a namespace of its own.", required=True),
    "type": Field("text", "Sdf value type, such as float or token[].", required=True),
    "default": Field("value", "Fallback value; .inf and -.inf for infinities."),
    "uniform": Field("flag", "Whether the attribute cannot vary over time."),
    "tokens": Field("words", "Allowed values of a token attribute."),
    "range": Field("text", 'Interval of allowed values, such as "[0, inf)"; a bound may name another attribute.'),
    "unit": Field("text", "Unit of the value."),
    "api": Field("text", "Name in Get...Attr and Create...Attr; the capitalised name where absent."),
    "display": Field("text", "Name shown in user interfaces."),
    "group": Field("text", "Group shown in user interfaces."),
    "doc": Field("text", "What the attribute does; the first sentence is the summary."),
    "deprecated": Field("text", "Why and what instead."),
    "renamed_from": Field("property", "The attribute's former name."),
}
RELATIONSHIP = {
    "name": Field("property", "Name without the prefix.", required=True),
    "targets": Field("names", "Advisory: schemas that a target should have."),
    "many": Field("flag", "Whether more than one target is allowed."),
    "api": Field("text", "Name in Get...Rel and Create...Rel; the capitalised name where absent."),
    "display": Field("text", "Name shown in user interfaces."),
    "group": Field("text", "Group shown in user interfaces."),
    "doc": Field("text", "What the relationship is for; the first sentence is the summary."),
}
KINDS = ("single-apply", "multiple-apply", "typed")
PLACES = {
    "library": LIBRARY | FAMILY,
    "class": CLASS,
    "attribute": ATTRIBUTE,
    "relationship": RELATIONSHIP,
    "token": TOKEN,
}
