"""Random stages of a schema, with everything that composes a prim: layers, arcs, variants, classes, list operations."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pxr import Gf, Sdf, Vt

from support.chance.schema_changes import MULTIPLE, TYPED, Change, Class, Property

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
