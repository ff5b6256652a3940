"""What the schema says about one class, as data: its definition, and the prose generated beside it."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

import physx_generated
from physx_generated import AuthoringError, Definition, Range, Relationship, legacy, omni_physics

from physx_schema.arguments import display
from physx_schema.field_text import fields_repr

WIDTH = 100


@dataclass(frozen=True, slots=True)
class PropertyDescription:
    """One attribute or relationship of a class."""

    name: str                           # in USD, with <name> for the instance name
    type: str                           # Sdf value type name, "rel" for a relationship
    keyword: str                        # of Apply, Define and set
    getter: str                         # the method that finds it
    doc: str = ""
    default: object = None              # None where it has none
    uniform: bool = False
    range: Range | None = None
    unit: str = ""
    tokens: tuple[str, ...] = ()        # the allowed values
    targets: tuple[str, ...] = ()       # schemas that targets of a relationship should have
    many: bool = False                  # whether a relationship takes several targets
    inherited_from: str = ""            # identifier of the built-in schema or parent type it comes from
    renamed_from: str = ""
    deprecated: str = ""                # what replaces it
    retired: str = ""                   # the release that dropped it

    @property
    def replaced_by(self) -> str:
        """What to use instead of a deprecated property."""
        return self.deprecated

    __repr__ = fields_repr

    def __str__(self) -> str:
        facts = [f"uniform {self.type}" if self.uniform else self.type]
        facts += [f"default {_display(self.default)}"] if self.default is not None else []
        facts += [f"range {self.range}"] if self.range else []
        facts += [f"unit {self.unit}"] if self.unit else []
        facts += ["one of " + ", ".join(word or "''" for word in self.tokens)] if self.tokens else []
        facts += [f"to {' or '.join(self.targets)}"] if self.targets else []
        facts += ["several targets"] if self.many else []
        facts += [f"from {self.inherited_from}"] if self.inherited_from else []
        lines = [f"{self.name}: {', '.join(facts)}", *_wrapped(self.doc)]
        return "\n".join([*lines, *_wrapped(_status(self.deprecated, self.retired))])


@dataclass(frozen=True, slots=True)
class ClassDescription:
    """Documentation and properties of one schema class; the result of `describe_class`."""

    name: str                           # in Python
    identifier: str                     # in USD
    library: str                        # "PhysxSchema"
    kind: str                           # single-apply, multiple-apply, non-applied, typed or abstract
    doc: str = ""
    equation: str = ""
    semantics: str = ""                 # where the meaning is documented at length
    prefix: str = ""                    # namespace of the properties of a multiple-apply schema
    applies_to: tuple[str, ...] = ()    # schemas of prims it has an effect on
    instances: tuple[str, ...] = ()     # instance names PhysX reads; empty where it reads any
    includes: tuple[str, ...] = ()      # built-in API schemas
    conflicts: tuple[str, ...] = ()     # schemas that cannot have the same instance name on a prim
    bases: tuple[str, ...] = ()         # Python names of the parent classes
    properties: tuple[PropertyDescription, ...] = ()
    renamed_from: str = ""
    deprecated: str = ""                # what replaces it
    retired: str = ""                   # the release that dropped it

    def __repr__(self) -> str:
        return f"ClassDescription({self.identifier!r}, kind={self.kind!r}, properties={len(self.properties)})"

    @property
    def replaced_by(self) -> str:
        """The class that replaces a deprecated class; empty if the class is not deprecated."""
        return self.deprecated

    def __str__(self) -> str:
        head = [f"{self.library}.{self.name} ({self.kind})", *_wrapped(self.doc)]
        head += [f"    {line}" for line in self.equation.splitlines()]
        for label, words in (("applies to", self.applies_to), ("instance names", self.instances),
                             ("built in", self.includes), ("cannot have the same instance name as", self.conflicts)):
            head += _wrapped(f"{label}: {', '.join(words)}") if words else []
        head += _wrapped(_status(self.deprecated, self.retired))
        return "\n\n".join(["\n".join(head), *map(str, self.properties)])


def describe_class(schema: str | type[Any]) -> ClassDescription:
    """Return the documentation, kind, equation and properties of a schema class, with their ranges and units.

    `schema` is one of:

    - a generated class
    - its name in Python, such as ``"PhysxTendonAxisRootAPI"`` or ``"OmniPhysics.BodyAPI"``
    - its USD identifier, such as ``"OmniPhysicsBodyAPI"``

    Raises AuthoringError if no class has this name; the message names the closest class.

    Example::

        print(describe_class("PhysxTendonAxisRootAPI"))
    """
    cls = _find(schema.removeprefix("PhysxSchema.")) if isinstance(schema, str) else schema
    definition = vars(cls).get("definition") if isinstance(cls, type) else None
    if not isinstance(definition, Definition):
        raise AuthoringError(f"{display(schema)} is not a class of this package; give a class such as "
                             "PhysxJointAxisAPI, or its name")
    texts = _property_texts(definition)
    return ClassDescription(
        cls.__name__, definition.identifier, definition.library, definition.kind,
        _documentation()[definition.identifier]["doc"],
        bases=tuple(base.__name__ for base in cls.__bases__),
        properties=tuple(_property(definition, prop, texts) for prop in definition.accessible.values()),
        **{key: getattr(definition, key) for key in (
            "equation", "semantics", "prefix", "applies_to", "instances", "includes", "conflicts", "renamed_from",
            "deprecated", "retired")})


def _find(name: str) -> type[Any]:
    names = dict(_names())
    if name in names:
        return names[name]
    lowered = {other.lower(): other for other in names}
    close = get_close_matches(name.lower(), lowered, 1)
    hint = f"did you mean '{lowered[close[0]]}'?" if close else "dir(physx_schema) lists the classes"
    raise AuthoringError(f"there is no schema class {display(name)}; {hint}")


def _names() -> Iterator[tuple[str, type[Any]]]:
    """Every name a class is known by, those of the present schema last, because they win."""
    for module, start in ((omni_physics, "OmniPhysics."), (legacy, ""), (physx_generated, "")):
        for name, cls in vars(module).items():
            definition = getattr(cls, "definition", None)
            if isinstance(definition, Definition):
                yield definition.identifier, cls
                yield name, cls
                yield start + name, cls


@cache
def _documentation() -> Mapping[str, dict[str, Any]]:
    """What the definitions say in prose, by USD identifier: "doc", and "properties" with "getter" and "doc" by name."""
    folders = (Path(next(iter(package.__path__))) for package in (legacy, omni_physics, physx_generated))
    files = (json.loads((folder / "documentation.json").read_text(encoding="utf-8")) for folder in folders)
    return {identifier: entry for file in files for identifier, entry in file["classes"].items()}


def _property_texts(definition: Definition) -> dict[str, dict[str, str]]:
    """Property name to the name of its Get method and its documentation; inherited ones first."""
    texts: dict[str, dict[str, str]] = {}
    for other in definition.inherited:
        texts |= _property_texts(other)
    texts |= _documentation()[definition.identifier]["properties"]
    return texts


def _property(definition: Definition, prop: Any, texts: dict[str, dict[str, str]]) -> PropertyDescription:
    display_name = definition.start("<name>") + prop.name
    text = texts.get(prop.name, {})
    home = next((other.identifier for other in definition.inherited if prop.name in other.by_name), "")
    common = {
        "keyword": prop.keyword_name, "getter": text.get("getter", ""), "doc": text.get("doc", ""),
        "inherited_from": "" if prop.name in definition.declared else home, "renamed_from": prop.renamed_from,
        "deprecated": prop.deprecated, "retired": prop.retired}
    if isinstance(prop, Relationship):
        return PropertyDescription(display_name, "rel", targets=prop.targets, many=prop.many, **common)
    return PropertyDescription(
        display_name, prop.type, default=prop.default, uniform=prop.uniform, range=prop.range, unit=prop.unit,
        tokens=prop.tokens, **common)


def _display(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_display, value))}]"
    return f"{value:g}" if isinstance(value, float) else str(value) or "''"


def _status(deprecated: str, retired: str) -> str:
    """What became of a class or property; empty where it is alive."""
    release = f"dropped in {retired}" if retired else ""
    return "; ".join(filter(None, (f"deprecated: {deprecated.rstrip('.')}" if deprecated else "", release)))


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent="    ")
