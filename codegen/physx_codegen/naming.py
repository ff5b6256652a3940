"""Names: USD properties, Get and Create methods, keywords and tokens, as USD's own generator would choose them."""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Iterator

from .model import Attribute, Family, Library, Location, Property, SchemaClass

PLACEHOLDER = "__INSTANCE_NAME__"

# Parent types outside our definitions: USD identifier -> (TfType, module of pxr, class).
EXTERNAL_BASES = {
    "Typed": ("UsdTyped", "Usd", "Typed"),
    "Imageable": ("UsdGeomImageable", "UsdGeom", "Imageable"),
    "Xformable": ("UsdGeomXformable", "UsdGeom", "Xformable"),
    "Boundable": ("UsdGeomBoundable", "UsdGeom", "Boundable"),
    "Gprim": ("UsdGeomGprim", "UsdGeom", "Gprim"),
    "PointBased": ("UsdGeomPointBased", "UsdGeom", "PointBased"),
    "PhysicsJoint": ("UsdPhysicsJoint", "UsdPhysics", "Joint"),
}


def proper_case(text: str) -> str:
    """``physics:local-pos`` -> ``PhysicsLocalPos``."""
    return "".join(part[0].upper() + part[1:] for part in re.split(r"\W+", text) if part)


def camel_case(text: str) -> str:
    """``physics:local-pos`` -> ``physicsLocalPos``."""
    proper = proper_case(text)
    return proper[:1].lower() + proper[1:]


def identifier(text: str) -> str:
    """A token's Python name: itself where possible, else camel-cased with an underscore before a digit."""
    if text.isidentifier():
        return text
    text = camel_case(text)
    return f"_{text}" if text[:1].isdigit() else text


def local_name(cls: SchemaClass, prop: Property) -> str:
    """The name below the instance name, or the whole name outside multiple-apply schemas."""
    if cls.kind == "multiple-apply" or not cls.prefix or ":" in prop.name:
        return prop.name
    return f"{cls.prefix}:{prop.name}"


def usd_name(cls: SchemaClass, prop: Property) -> str:
    """The property name in generatedSchema.usda."""
    if cls.kind == "multiple-apply":
        return f"{cls.prefix}:{PLACEHOLDER}:{prop.name}"
    return local_name(cls, prop)


def shown_name(cls: SchemaClass, prop: Property) -> str:
    """The property name for people: ``physxTendon:<name>:stiffness``."""
    return usd_name(cls, prop).replace(PLACEHOLDER, "<name>")


def api_name(prop: Property) -> str:
    """What stands between Get and Attr."""
    return proper_case(prop.api or prop.name)


def suffix(prop: Property) -> str:
    """Attr or Rel."""
    return "Attr" if isinstance(prop, Attribute) else "Rel"


def keywords(properties: list[Property]) -> dict[str, str]:
    """Property name -> keyword of Apply: the last part of the name, or the method's name where that is not usable."""
    last = {prop.name: prop.name.rpartition(":")[2] for prop in properties}
    count = Counter(last.values())
    return {prop.name: last[prop.name] if count[last[prop.name]] == 1 and not reserved(last[prop.name])
            else camel_case(api_name(prop)) for prop in properties}


def reserved(word: str) -> bool:
    """Whether a word cannot be a keyword of Apply or Define."""
    return keyword.iskeyword(word) or word in {"prim", "name", "stage", "path"}


def type_name(library: Library, cls: SchemaClass) -> str:
    """The TfType name."""
    return f"{library.name}{cls.python_name}"


def path_method(cls: SchemaClass) -> str:
    """The name of the Is...Path method."""
    return f"Is{cls.name}Path"


def words(library: Library) -> Iterator[tuple[str, str, str, Location]]:
    """(name, value, doc, origin) of every token but the schema identifiers, with repetitions."""
    for cls in library.classes:
        if cls.kind == "multiple-apply" and cls.prefix:
            yield cls.prefix, cls.prefix, "", cls.loc
        for prop in cls.properties:
            start = f"{cls.prefix}_MultipleApplyTemplate_" if cls.kind == "multiple-apply" else ""
            name = start + proper_case(prop.name) if start else camel_case(local_name(cls, prop))
            yield name, usd_name(cls, prop), "", prop.loc
            if isinstance(prop, Attribute):
                values = (*prop.tokens, prop.default) if prop.type == "token" else prop.tokens
                yield from ((identifier(word), word, "", prop.loc) for word in values if word and isinstance(word, str))
    for token in library.tokens:
        yield token.name, token.value, token.doc, token.loc


def tokens(library: Library) -> list[tuple[str, str, str]]:
    """(name, value, doc) of every token, schema identifiers last, in the order USD's generator uses."""
    found = {name: (value, doc) for name, value, doc, _ in words(library)}
    identifiers = {cls.name: (cls.name, "") for cls in library.classes}
    for name in identifiers:
        found.pop(name, None)
    return [(name, *group[name]) for group in (found, identifiers)
            for name in sorted(group, key=lambda word: (word.lower(), word))]


def module_of(library: Library, name: str) -> Family:
    """The family that defines a class."""
    return next(family for family in library.families if any(cls.name == name for cls in family.classes))
