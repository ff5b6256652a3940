"""One schema class to Python source: its definition, its methods, and the types of its keywords."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from . import docstrings, naming, value_types
from .docstrings import WIDTH
from .model import Attribute, Property, Relationship, SchemaClass, SchemaError
from .scope import Scope, per_class, python_class

SUPPORT = {
    "single-apply": "SingleApplyAPI", "multiple-apply": "MultipleApplyAPI", "non-applied": "NonAppliedAPI",
    "typed": "TypedSchema", "abstract": "TypedSchema",
}
MAKERS = {"single-apply": "Apply", "multiple-apply": "Apply", "typed": "Define"}
FACTS = ("applies_to", "instances", "includes", "equation", "semantics", "deprecated", "renamed_from", "retired")
PYTHON = value_types.python_text


@dataclass(frozen=True, slots=True)
class Accessor:
    """The Get and Create methods of one property."""

    api: str
    suffix: str                         # Attr or Rel
    local: str                          # the property's name in its definition
    annotation: str
    paragraphs: list[str]
    former: str = ""
    retired: str = ""                   # what to use instead, where it is no longer read
    bare: str = ""                      # arguments of CreateAttribute for a property whose name is the instance name

    @property
    def noun(self) -> str:
        """What the support modules call it."""
        return "attribute" if self.suffix == "Attr" else "relationship"

    @property
    def result(self) -> str:
        """What its methods return."""
        return f"Usd.{self.noun.capitalize()}"


@per_class
def builtins(scope: Scope, cls: SchemaClass) -> list[SchemaClass]:
    """Built-in API schemas of the same library with properties under the same names: their accessors come along.

    One whose keywords mean other properties than those of an earlier one stays away.
    """
    result: list[SchemaClass] = []
    words: dict[str, str] = {}
    for other in (scope.find(entry) for entry in cls.includes if ":" not in entry):
        compatible = other and other.kind == cls.kind and (
            cls.kind == "single-apply" or (cls.kind == "multiple-apply" and other.prefix == cls.prefix))
        if other is None or not compatible or scope.library_of(other) is not scope.library_of(cls):
            continue
        other_words = {word: name for name, word in keywords(scope, other).items()}
        if all(words.get(word, name) == name for word, name in other_words.items()):
            result.append(other)
            words |= other_words
    return result


@per_class
def is_shared(scope: Scope, cls: SchemaClass) -> bool:
    """Whether other classes have the accessors of this one as well."""
    return cls.name in scope.included and any(
        cls is builtin for other in scope.library_of(cls).classes for builtin in builtins(scope, other))


@per_class
def reflected(scope: Scope, cls: SchemaClass) -> list[SchemaClass]:
    """The API schemas whose accessors a class repeats. Raises SchemaError for one that is not defined along with it."""
    schemas = []
    for name in cls.reflected:
        other = scope.find(name)
        if other is None or other.kind != "single-apply":
            rule = "define the schema there, or remove the name"
            raise SchemaError([(cls.at("reflected"),
                                f"'{name}' in reflected is not a single-apply schema of these definitions; {rule}")])
        schemas.append(other)
    return schemas


def local_base(scope: Scope, cls: SchemaClass) -> SchemaClass | None:
    """The parent type, where it is defined along with the class; a root such as Typed is compiled."""
    base = scope.find(cls.base) if cls.base else None
    return base if base and base.kind != "base" else None


@per_class
def dependencies(scope: Scope, cls: SchemaClass) -> list[SchemaClass]:
    """The classes that have to be defined before this one."""
    base = local_base(scope, cls)
    classes = [*builtins(scope, cls), *reflected(scope, cls), *([base] if base else [])]
    return list({other.name: other for other in classes}.values())


@per_class
def inherited(scope: Scope, cls: SchemaClass) -> list[tuple[SchemaClass, Property]]:
    """Properties whose accessors come along, with the class that defines each."""
    properties: dict[str, tuple[SchemaClass, Property]] = {}
    for other in (*builtins(scope, cls), *reflected(scope, cls)):
        properties |= {naming.local_name(home, prop): (home, prop) for home, prop in inherited(scope, other)}
        properties |= {naming.local_name(other, prop): (other, prop) for prop in other.properties}
    return list(properties.values())


@per_class
def every_property(scope: Scope, cls: SchemaClass) -> list[tuple[SchemaClass, Property]]:
    """Every property under its USD name, those that come along first; own ones win."""
    properties = {naming.local_name(home, prop): (home, prop) for home, prop in inherited(scope, cls)}
    return list((properties | {naming.local_name(cls, prop): (cls, prop) for prop in cls.properties}).values())


@per_class
def keywords(scope: Scope, cls: SchemaClass) -> dict[str, str]:
    """USD name to keyword, of every property of a class; those that come along keep theirs."""
    inherited_keywords: dict[str, str] = {}
    for other in dependencies(scope, cls):
        inherited_keywords |= keywords(scope, other)
    return inherited_keywords | naming.keywords([(cls, prop) for prop in cls.properties], inherited_keywords)


def values_text(scope: Scope, cls: SchemaClass) -> dict[str, Any]:
    """What the template needs for the types of a class's keywords."""
    words = keywords(scope, cls)
    inherited_names = {name for other in dependencies(scope, cls) for name in keywords(scope, other)}
    properties = [(naming.local_name(cls, prop), prop) for prop in cls.properties]
    maker = MAKERS.get(cls.kind)
    users = [f":meth:`{cls.python_name}.{name}`" for name in (maker, "set") if name]
    return {
        "name": f"{cls.python_name}Values", "doc": [f"Keywords of {' and '.join(users)}."],
        "parents": ", ".join(f"{other.python_name}Values" for other in dependencies(scope, cls)) or "TypedDict",
        "keywords": [keyword_lines(words[name], annotation(prop, literal=True))
                     for name, prop in properties if name not in inherited_names and prop.name != naming.PLACEHOLDER],
    }


def keyword_lines(name: str, text: str) -> list[str]:
    """One entry of a TypedDict; a long list of tokens over several lines."""
    entry = f"{name}: {text}"
    if len(entry) + 8 <= WIDTH or "Literal[" not in entry:
        return [entry]
    start, _, remainder = entry.partition("Literal[")
    words, _, end = remainder.partition("]")
    return [f"{start}Literal[", *(f"    {line.rstrip()}" for line in wrapped(words, WIDTH - 14)), f"]{end}"]


def class_values(scope: Scope, cls: SchemaClass) -> dict[str, Any]:
    """What the template needs for a class."""
    words = keywords(scope, cls)
    retired = [(holder, prop) for holder in scope.holders.get(cls.name, ()) for prop in holder.properties]
    repeated = [(home, prop) for other in reflected(scope, cls) if other.name not in cls.includes or not cls.is_api
                for home, prop in every_property(scope, other)]
    accessor_properties = [*repeated, *((cls, prop) for prop in cls.properties), *retired]
    base_names = bases(scope, cls)
    mixin = f"{cls.python_name}Accessors" if is_shared(scope, cls) else ""
    return {
        "cls": cls, "library": scope.library_of(cls), "maker": MAKERS.get(cls.kind, ""),
        "getter": "get" if cls.is_api else "find",
        "mixin": mixin, "mixin_bases": ", ".join(base_names), "bases": mixin or ", ".join(base_names),
        "properties": [constructor(cls, prop, words[naming.local_name(cls, prop)]) for prop in cls.properties
                       if prop.name != naming.PLACEHOLDER],
        "retired_properties": [constructor(home, prop, "") for home, prop in retired],
        "inherited": [f"{other.python_name}.definition" for other in dependencies(scope, cls)],
        "facts": [(key, python_lines(key, getattr(cls, key))) for key in FACTS if getattr(cls, key)],
        "conflicts": conflicts(scope, cls), "path_method": naming.path_method(cls),
        "instead": instead(cls), "paragraphs": docstrings.class_paragraphs(cls),
        "methods": [accessor(home, prop) for home, prop in accessor_properties if naming.api_name(prop)],
        "collections": [collection(cls, entry) for entry in cls.includes if entry.startswith("CollectionAPI:")],
    }


def bases(scope: Scope, cls: SchemaClass) -> list[str]:
    """The base classes as written: accessors of built-in schemas or the support class, then the parent type."""
    local = local_base(scope, cls)
    if local:
        return [local.python_name]
    if cls.is_api and not cls.base:
        return [f"{other.python_name}Accessors" for other in builtins(scope, cls)] or [SUPPORT[cls.kind]]
    module, name = compiled_base(scope, cls)
    return ["DerivedAPI" if cls.is_api else "TypedSchema", f"{module}.{name}"]


def derives_from_compiled(scope: Scope, cls: SchemaClass) -> bool:
    """Whether a class has a parent in a module of pxr, besides the bases of all API schemas."""
    return bool(cls.base or not cls.is_api) and local_base(scope, cls) is None


def compiled_base(scope: Scope, cls: SchemaClass) -> tuple[str, str]:
    """The module of pxr and the class that a schema derives from. Raises SchemaError where Python has none."""
    if not cls.base or scope.find(cls.base):
        return "Usd", cls.base or "Typed"
    python_type = python_class(scope.installed_base(cls))
    if python_type is None:
        rule = "generate both from definitions in one folder"
        raise SchemaError([(cls.at("base"), f"base '{cls.base}' belongs to a plugin without Python classes; {rule}")])
    return python_type


def accessor(cls: SchemaClass, prop: Property) -> Accessor:
    """The Get and Create methods of a property."""
    bare = ""
    if prop.name == naming.PLACEHOLDER and isinstance(prop, Attribute):
        variability = "Uniform" if prop.uniform else "Varying"
        bare = f"sdf_type({PYTHON(prop.type)}), False, Sdf.Variability{variability}"
    return Accessor(
        naming.api_name(prop), naming.suffix(prop), naming.local_name(cls, prop), annotation(prop, literal=False),
        docstrings.property_paragraphs(cls, prop), naming.proper_case(prop.renamed_from), instead(prop), bare)


def instead(item: SchemaClass | Property) -> str:
    """What to use in place of what is no longer read; empty for what is, deprecated or not."""
    return (item.deprecated or f"dropped in {item.retired}") if item.retired else ""


def collection(cls: SchemaClass, entry: str) -> dict[str, str]:
    """The accessor of a built-in collection."""
    instance = entry.partition(":")[2]
    spelled = {word.lower(): word for word in cls.collections}.get(instance.lower(), instance)
    argument = f"f\"{{self._name}}:{instance}\"" if cls.kind == "multiple-apply" else PYTHON(instance)
    return {"name": naming.proper_case(spelled), "instance": instance, "argument": argument}


def annotation(prop: Property, literal: bool) -> str:
    """The Python type of a property's value."""
    if isinstance(prop, Relationship):
        return "Target | Items[Target]"
    return value_types.annotation(value_types.TYPES[prop.type], prop.tokens if literal else ())


def constructor(cls: SchemaClass, prop: Property, keyword: str) -> list[str]:
    """The Attribute or Relationship of a Definition as Python source, as many lines as it takes."""
    local = naming.local_name(cls, prop)
    arguments = [PYTHON(local)]
    if isinstance(prop, Relationship):
        arguments += [f"targets={PYTHON(prop.targets)}"] if prop.targets else []
        arguments += ["many=True"] if prop.many else []
    else:
        arguments += [PYTHON(prop.type)] + ([PYTHON(prop.default)] if prop.default is not None else [])
        arguments += ["uniform=True"] if prop.uniform else []
        arguments += [f"tokens={PYTHON(prop.tokens)}"] if prop.tokens else []
        arguments += [f"range={interval(cls, prop)}"] if prop.range else []
        arguments += [f"unit={PYTHON(prop.unit)}"] if prop.unit else []
    arguments += [f"{key}={PYTHON(getattr(prop, key))}" for key in ("deprecated", "renamed_from", "retired")
                  if getattr(prop, key)]
    arguments += [] if keyword in ("", local.rpartition(":")[2]) else [f"keyword={PYTHON(keyword)}"]
    return call(type(prop).__name__, arguments, 8)


def interval(cls: SchemaClass, attribute: Attribute) -> str:
    """A range as Python source, its attributes by their names in the definition."""
    limits = attribute.range
    if limits is None:
        return "None"
    names = {other.name: naming.local_name(cls, other) for other in cls.attributes}
    bounds = [names[bound] if isinstance(bound, str) else bound for bound in (limits.lower, limits.upper)]
    return f"Range({', '.join(map(PYTHON, (*bounds, limits.lower_closed, limits.upper_closed)))})"


def call(name: str, arguments: list[str], indent: int) -> list[str]:
    """A call with a trailing comma as lines: one where it fits, else filled, else one argument a line."""
    text = f"{name}({', '.join(arguments)}),"
    if len(text) + indent <= WIDTH:
        return [text]
    lines, line = [f"{name}("], ""
    for argument in arguments:
        if line and len(line) + len(argument) + indent + 6 > WIDTH:
            lines.append(f"    {line.rstrip()}")
            line = ""
        line += f"{argument}, "
    return [*lines, f"    {line.strip()}", "),"]


def python_lines(key: str, value: object) -> str:
    """An argument of a Definition; long ones in brackets, one part a line."""
    text = PYTHON(value)
    if len(key) + len(text) + 6 <= WIDTH:
        return text
    if isinstance(value, tuple):
        return "(\n" + "".join(f"        {PYTHON(item)},\n" for item in value) + "    )"
    parts = [part for line in str(value).splitlines(keepends=True) for part in wrapped(line, WIDTH - 16)]
    return "(\n" + "".join(f"        {PYTHON(part)}\n" for part in parts) + "    )"


def wrapped(line: str, width: int) -> list[str]:
    """A line in parts that fit and together are the line."""
    parts = [""]
    for word in re.split(r"(?<= )", line):
        if parts[-1] and len(parts[-1]) + len(word) > width:
            parts.append("")
        parts[-1] += word
    return parts


def conflicts(scope: Scope, cls: SchemaClass) -> tuple[str, ...]:
    """Other schemas of the same prefix with a property of the same name and another type."""
    if cls.kind != "multiple-apply":
        return ()
    types = {prop.name: getattr(prop, "type", "rel") for _, prop in every_property(scope, cls)}
    peers = (other for other in scope.library_of(cls).classes if other.kind == cls.kind and other.prefix == cls.prefix)
    return tuple(other.name for other in peers if any(
        types.get(prop.name, kind) != kind for _, prop in every_property(scope, other)
        for kind in [getattr(prop, "type", "rel")]))
