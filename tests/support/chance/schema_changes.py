"""Random pairs of schemas, and stages of them.

Random pairs of schemas, and the list of what each property of the first is in the second.

Random stages of a schema, with everything that composes a prim: layers, arcs, variants, classes, list operations.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from physx_generated import Attribute, Definition
from physx_generated._definition import Relationship
from pxr import Gf, Sdf, Vt

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


# --- old stages ------------------------------------------------------------------------------------------------------

FILES = ("root", "sub", "part", "load")
VARIANTS = ("one", "two", "three")
INSTANCES = ("left", "a:b")
AUTHORS = ("mine", "mine:size", "primvars:load")
NUMBERS = {"float": (0.1, 2.5, 1e30), "double": (0.1, 0.5, 44.0), "half": (0.1, 3.0), "int": (3, 17, 16777217),
           "int64": (4, 2**40 + 1), "token": ("on", "off", "odd"), "string": ("on", "a b"), "bool": (True, False)}


@dataclass(frozen=True)
class Use:
    """A class as it is applied on the stage."""

    cls: Class
    instance: str

    @property
    def entry(self) -> str:
        """As in apiSchemas."""
        return f"{self.cls.name}:{self.instance}" if self.instance else self.cls.name


def uses(change: Change) -> list[Use]:
    """Every class under every instance name."""
    return [Use(cls, instance) for cls in change.classes
            for instance in (INSTANCES if cls.kind == MULTIPLE else ("",))]


class Writer:
    """Writes the layers of one stage."""

    def __init__(self, change: Change, folder: Path, rng: random.Random) -> None:
        self.rng = rng
        self.folder = folder
        self.layers = {name: Sdf.Layer.CreateNew(str(folder / f"{name}.usda")) for name in FILES}
        everything = uses(change)
        self.uses = rng.sample(everything, min(len(everything), 4))
        self.types = [cls.name for cls in change.classes if cls.kind == TYPED]
        self.names = [use.cls.full(prop, use.instance) for use in self.uses for prop in use.cls.properties]

    def write(self) -> str:
        """The path of the root layer."""
        rng = self.rng
        self._prims("part", ("/R", "/R/k", "/R/_shape"), types=True)
        self._prims("load", ("/P", "/P/k"), types=True)
        self._prims("sub", ("/A", "/A/x", "/B", "/B/k", "/_shape"), types=False)
        self._prims("root", ("/_shape", "/A", "/A/x", "/B", "/C", "/C/k", "/D", "/E", "/F"), types=True)
        root = self.layers["root"]
        root.subLayerPaths.append("./sub.usda")
        for path, arc in (("/B", "reference"), ("/C", "payload"), ("/D", "inherit"), ("/E", "internal"),
                          ("/F", "specialize")):
            if rng.random() < 0.7:
                add_arc(root.GetPrimAtPath(path), arc)
        part = self.layers["part"]
        if rng.random() < 0.4:
            part.GetPrimAtPath("/R/k").inheritPathList.prependedItems = [Sdf.Path("/R/_shape")]
        if rng.random() < 0.3:
            root.GetPrimAtPath("/B").instanceable = True
        for path in rng.sample(("/A", "/B", "/D"), 2):
            self._variants(root.GetPrimAtPath(path), ["/A", "/B"])
        if rng.random() < 0.3:
            self._variants(part.GetPrimAtPath("/R"), ["/R", "/R/k"])
        for layer in self.layers.values():
            layer.Save()
        return str(self.folder / "root.usda")

    def _prims(self, file: str, paths: tuple[str, ...], types: bool) -> None:
        for path in paths:
            spec = Sdf.CreatePrimInLayer(self.layers[file], path)
            is_class = path.rpartition("/")[2].startswith("_")
            if types:
                spec.specifier = Sdf.SpecifierClass if is_class else Sdf.SpecifierDef
                if self.rng.random() < 0.5:
                    spec.typeName = self.rng.choice([*self.types, "Xform"])
            if self.rng.random() < 0.75:
                self._fill(spec, [path] if is_class else list(paths))      # else the targets are out of an arc's scope

    def _variants(self, spec: Any, paths: list[str]) -> None:
        rng = self.rng
        variants = Sdf.VariantSetSpec(spec, "v")
        spec.variantSetNameList.prependedItems = ["v"]
        for name in VARIANTS[:rng.randrange(1, 4)]:
            inside = Sdf.VariantSpec(variants, name).primSpec
            self._fill(inside, paths)
            if rng.random() < 0.4:
                child = Sdf.PrimSpec(inside, "k", Sdf.SpecifierOver)
                self._fill(child, paths)
            if rng.random() < 0.3 and spec.layer == self.layers["root"]:
                add_arc(inside, "reference")
        if rng.random() < 0.7:
            spec.variantSelections["v"] = "one"

    # --- what a prim spec says ---

    def _fill(self, spec: Any, paths: list[str]) -> None:
        rng = self.rng
        entries = [use.entry for use in self.uses if use.cls.kind != TYPED]
        if entries and rng.random() < 0.6:
            spec.SetInfo("apiSchemas", random_list(rng, entries))
        for use in self.uses:
            for prop in use.cls.properties:
                if rng.random() < 0.3 and use.cls.full(prop, use.instance) not in spec.properties:
                    self._property(spec, use, prop, paths)
        if rng.random() < 0.2:
            spec.SetInfo("propertyOrder", rng.sample(self.names, min(3, len(self.names))))
        if rng.random() < 0.3:
            own = Sdf.AttributeSpec(spec, rng.choice(AUTHORS), Sdf.ValueTypeNames.Float)
            own.default = rng.random()
            own.connectionPathList.prependedItems = self._targets(paths)[:1]
        if rng.random() < 0.3:
            Sdf.RelationshipSpec(spec, "mine:targets").targetPathList.appendedItems = self._targets(paths)

    def _property(self, spec: Any, use: Use, prop: Property, paths: list[str]) -> None:
        rng, name = self.rng, use.cls.full(prop, use.instance)
        if prop.type == "rel":
            made = Sdf.RelationshipSpec(spec, name, custom=rng.random() < 0.3)
            made.targetPathList.prependedItems = self._targets(paths)
        else:
            made = Sdf.AttributeSpec(spec, name, Sdf.ValueTypeNames.Find(prop.type))
            made.custom = rng.random() < 0.2
            if rng.random() < 0.85:
                made.default = Sdf.ValueBlock() if rng.random() < 0.05 else random_value(rng, prop.type)
            if rng.random() < 0.2:
                for time in rng.sample((0.0, 1.0, 4.0), rng.randrange(1, 3)):
                    spec.layer.SetTimeSample(made.path, time, random_value(rng, prop.type))
            if rng.random() < 0.15:
                made.connectionPathList.prependedItems = self._targets(paths)[:1]
        if rng.random() < 0.2:
            made.customData = {"note": rng.randrange(9)}

    def _targets(self, paths: list[str]) -> list[Any]:
        rng = self.rng
        found = [Sdf.Path(rng.choice(paths)) for _ in range(2)]
        return list(dict.fromkeys(path.AppendProperty(rng.choice([*self.names, "mine"])) if rng.random() < 0.7 else path
                                  for path in found))


def add_arc(spec: Any, arc: str) -> None:
    """One arc to what the other layers or the root itself hold."""
    if arc == "payload":
        spec.payloadList.prependedItems = [Sdf.Payload("./load.usda", "/P")]
    elif arc == "inherit":
        spec.inheritPathList.prependedItems = [Sdf.Path("/_shape")]
    elif arc == "specialize":
        spec.specializesList.prependedItems = [Sdf.Path("/_shape")]
    else:
        spec.referenceList.prependedItems = [
            Sdf.Reference("./part.usda", "/R") if arc == "reference" else Sdf.Reference("", "/A/x")]


def random_list(rng: random.Random, entries: list[str]) -> Any:
    """A list operation on some of the entries."""
    made = Sdf.TokenListOp()
    chosen = rng.sample(entries, rng.randrange(1, len(entries) + 1))
    field = rng.choice(("explicitItems", "prependedItems", "prependedItems", "appendedItems", "deletedItems"))
    setattr(made, field, chosen)
    if field != "explicitItems" and rng.random() < 0.3:
        other = rng.choice([name for name in ("prependedItems", "appendedItems", "deletedItems") if name != field])
        rest = [entry for entry in entries if entry not in chosen]
        if rest:
            setattr(made, other, rest[:1])
    return made


def random_value(rng: random.Random, kind: str) -> Any:
    """A value of a type; some fit no other."""
    if kind == "float[]":
        return Vt.FloatArray([rng.choice(NUMBERS["float"]) for _ in range(rng.randrange(3))])
    if kind == "int[]":
        return Vt.IntArray([rng.choice(NUMBERS["int"]) for _ in range(rng.randrange(3))])
    if kind == "double3":
        return Gf.Vec3d(*(rng.choice(NUMBERS["double"]) for _ in range(3)))
    if kind in ("float3", "color3f"):
        return Gf.Vec3f(*(rng.choice(NUMBERS["float"]) for _ in range(3)))
    return rng.choice(NUMBERS[kind])
