"""Random pairs of schemas, and the list of what each property of the first is in the second."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from physx_generated import Attribute, Definition
from physx_generated._definition import Relationship

SINGLE, MULTIPLE, TYPED = "single-apply", "multiple-apply", "typed"
TYPES = ("float", "double", "int", "int64", "token", "string", "float3", "double3", "color3f", "float[]", "int[]",
         "bool", "rel", "half")
OTHER = {"float": ("double", "int", "half"), "double": ("float", "string"), "int": ("float", "int64", "double"),
         "int64": ("int", "float"), "token": ("string", "float"), "string": ("token",), "float3": ("double3", "float"),
         "double3": ("float3",), "color3f": ("float3",), "float[]": ("double[]", "float"), "int[]": ("float[]",),
         "bool": ("int",), "rel": ("rel",), "half": ("float",)}
FALLBACKS = {"float": (1.0, 2.5), "double": (0.5, 3.0), "int": (1, 7), "int64": (2, 9), "token": ("on", "off"),
             "string": ("a", "b")}
WORDS = ("ratio", "speed", "teeth", "size", "depth", "gain", "mate", "lower", "upper", "load", "wear", "play")
NAMES = ("Gear", "Cog", "Slot", "Notch", "Pin", "Wheel", "Axle", "Shaft", "Belt", "Cam", "Key", "Nut")


@dataclass(frozen=True)
class Property:
    """A property then and now."""

    base: str                           # as in YAML, in the old schema
    type: str
    fallback: Any
    new_base: str                       # empty where it was removed
    new_type: str
    new_fallback: Any


@dataclass(frozen=True)
class Class:
    """A class then and now."""

    name: str
    kind: str
    prefix: str                         # of typed classes too, whose YAML writes it out
    new_name: str
    new_prefix: str
    properties: tuple[Property, ...]
    brings: tuple[str, ...] = ()        # old names of built-in classes, or of the parent of a type

    def full(self, prop: Property, instance: str) -> str:
        """A property's old name on a prim."""
        return _full(self.prefix, instance, prop.base)

    def new_full(self, prop: Property, instance: str) -> str:
        """Its present name; empty where it has none."""
        return _full(self.new_prefix, instance, prop.new_base) if prop.new_base else ""


def _full(prefix: str, instance: str, base: str) -> str:
    return ":".join(filter(None, (prefix, instance, base)))


@dataclass(frozen=True)
class Change:
    """Both schemas."""

    classes: tuple[Class, ...]

    def find(self, name: str) -> Class | None:
        """The class of an old name."""
        return next((item for item in self.classes if item.name == name), None)


def random_change(rng: random.Random) -> Change:
    """Three to five classes of every kind, some of which bring others."""
    names = rng.sample(NAMES, 10)
    kinds = [SINGLE, MULTIPLE, TYPED, *rng.choices((SINGLE, MULTIPLE, TYPED), k=rng.randrange(3))]
    classes: list[Class] = []
    for index, kind in enumerate(kinds):
        name, other = names[index], names[-1 - index]
        is_renamed, moves = rng.random() < 0.6, rng.random() < 0.6
        suffix = "" if kind == TYPED else "API"
        before = [item.name for item in classes if item.kind == (SINGLE if kind != MULTIPLE else MULTIPLE)]
        parents = [item.name for item in classes if item.kind == TYPED] if kind == TYPED else before
        brings = tuple(rng.sample(parents, 1)) if parents and rng.random() < 0.4 else ()
        prefix = name.lower()
        new_prefix = other.lower() if moves else prefix
        classes.append(Class(
            name + suffix, kind, prefix, (other if is_renamed else name) + suffix, new_prefix,
            random_properties(rng), brings))
    return Change(tuple(classes))


def random_properties(rng: random.Random) -> tuple[Property, ...]:
    """Two to five properties, most of which are the same under another name."""
    words = rng.sample(WORDS, len(WORDS))
    made = []
    for _ in range(rng.randrange(2, 6)):
        base, other, kind = words.pop(), words.pop(), rng.choice(TYPES)
        fallback = FALLBACKS.get(kind, (None,))[0]
        new_type = rng.choice(OTHER[kind]) if rng.random() < 0.25 else kind
        new_fallback = fallback if new_type == kind else FALLBACKS.get(new_type, (None,))[0]
        if new_type == kind and rng.random() < 0.15:
            new_fallback = FALLBACKS.get(kind, (None,))[-1]
        new_base = "" if rng.random() < 0.06 else other if rng.random() < 0.5 else base
        made.append(Property(base, kind, fallback, new_base, new_type, new_fallback))
    return tuple(made)


# --- as definitions ---

def old_yaml(change: Change) -> str:
    """The first schema."""
    lines = ["name: Parts", "plugin: parts", "version: 1.0.0", "schemas: [usd, usdGeom]", "classes:"]
    for cls in change.classes:
        lines += _class_yaml(cls, cls.name, cls.prefix, cls.brings)
        lines += _properties_yaml([(_written(cls, cls.prefix, prop.base), prop.type, prop.fallback, "")
                                   for prop in cls.properties])
    return "\n".join(lines) + "\n"


def new_yaml(change: Change) -> str:
    """The second schema, with what things were called."""
    lines = ["name: Parts", "plugin: parts", "version: 2.0.0", "schemas: [usd, usdGeom]", "classes:"]
    present = {cls.name: cls.new_name for cls in change.classes}
    for cls in change.classes:
        former = cls.name if cls.new_name != cls.name else ""
        lines += _class_yaml(cls, cls.new_name, cls.new_prefix, [present[name] for name in cls.brings], former)
        lines += _properties_yaml([(_written(cls, cls.new_prefix, prop.new_base), prop.new_type, prop.new_fallback,
                                    former_base(cls, prop)) for prop in cls.properties if prop.new_base])
    return "\n".join(lines) + "\n"


def former_base(cls: Class, prop: Property) -> str:
    """What `renamed_from` says; a type's property, which has no prefix, is renamed with its namespace."""
    if cls.kind == TYPED:
        before = _full(cls.prefix, "", prop.base)
        return before if before != _full(cls.new_prefix, "", prop.new_base) else ""
    return prop.base if prop.base != prop.new_base else ""


def _written(cls: Class, prefix: str, base: str) -> str:
    return _full(prefix, "", base) if cls.kind == TYPED else base


def _class_yaml(cls: Class, name: str, prefix: str, brings: Any, former: str = "") -> list[str]:
    lines = [f"- name: {name}", f"  kind: {cls.kind}", "  doc: One."]
    lines += [f"  renamed_from: {former}"] if former else []
    if cls.kind == TYPED:
        return [*lines, f"  base: {brings[0] if brings else 'Xform'}"]
    return [*lines, f"  prefix: {prefix}", f"  includes: [{', '.join(brings)}]"] if brings else [
        *lines, f"  prefix: {prefix}"]


def _properties_yaml(properties: list[tuple[str, str, Any, str]]) -> list[str]:
    lines = []
    for key, chosen in (("attributes", [item for item in properties if item[1] != "rel"]),
                        ("relationships", [item for item in properties if item[1] == "rel"])):
        lines += [f"  {key}:"] if chosen else []
        for name, kind, fallback, former in chosen:
            facts = [f'name: "{name}"', "doc: One."]
            facts += [f'renamed_from: "{former}"'] if former else []
            facts += [f'type: "{kind}"'] if kind != "rel" else []
            facts += [f"default: {json.dumps(fallback)}"] if fallback is not None else []
            lines.append(f"  - {{{', '.join(facts)}}}")
    return lines


def new_package(change: Change) -> ModuleType:
    """What `generate` makes of the second schema, as far as a migration asks it."""
    made: dict[str, Definition] = {}
    present = {cls.name: cls.new_name for cls in change.classes}
    for cls in change.classes:
        brings = tuple(present[name] for name in cls.brings)
        made[cls.new_name] = Definition(
            library="Parts", identifier=cls.new_name, kind=cls.kind,
            prefix=cls.new_prefix if cls.kind == MULTIPLE else "",
            properties=tuple(sorted((_defined(cls, prop) for prop in cls.properties if prop.new_base),
                                    key=lambda prop: isinstance(prop, Relationship))),
            inherited=tuple(made[name] for name in brings), includes=brings if cls.kind != TYPED else (),
            renamed_from=cls.name if cls.new_name != cls.name else "")
    package = ModuleType("parts")
    for name, definition in made.items():
        setattr(package, name, type(name, (), {"definition": definition}))
    return package


def _defined(cls: Class, prop: Property) -> Attribute | Relationship:
    name = prop.new_base if cls.kind == MULTIPLE else _full(cls.new_prefix, "", prop.new_base)
    former = former_base(cls, prop)
    if prop.new_type == "rel":
        return Relationship(name, renamed_from=former)
    return Attribute(name, prop.new_type, prop.new_fallback, renamed_from=former)
