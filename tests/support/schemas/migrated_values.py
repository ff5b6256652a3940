"""What a migration has to keep, judged by the list of renames and by what USD resolves before and after.

A random schema, its successor and a stage of it: migrated, judged and migrated again.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from physx_codegen.definitions import read
from physx_codegen.diff import as_json, compare
from pxr import Sdf, Usd

from physx_schema.migration import migrate
from physx_schema.migration.changes import breaking
from support.chance.schema_changes import (
    AUTHORS,
    FILES,
    VARIANTS,
    Change,
    Property,
    Use,
    Writer,
    new_package,
    new_yaml,
    old_yaml,
    random_change,
    uses,
)

TIMES = (-1.0, 0.5, 1.0, 2.0, 5.0)      # before, between and after the samples
INTERPOLATED = 1e-3         # relative; between samples a half is interpolated in its own precision
FLOATS = {"half": np.float16, "float": np.float32, "double": np.float64}
INTEGERS = {"int": np.int32, "int64": np.int64}
COLLECTED = {"float3": "float", "color3f": "float", "double3": "double", "float[]": "float", "double[]": "double",
             "int[]": "int"}
LEFT = ("left", "conflict")


@dataclass(frozen=True)
class Judge:
    """Compares a stage's folder before and after a migration that said `notes`."""

    change: Change
    before: Path
    after: Path
    notes: Sequence[Any]

    def faults(self) -> Iterator[str]:
        """Every value that reads otherwise and is not named, and what was lost or called left for nothing."""
        stuck = set(self._stuck())
        for selection in (None, *VARIANTS):
            old, new = (selecting(folder / "root.usda", selection) for folder in (self.before, self.after))
            yield from (f"with {selection}: {text}" for text in Composed(self, old, new, stuck).faults())
        yield from self._lost()
        yield from (f"{note.path}.{note.property} is an author's own: {note.message}" for note in self.notes
                    if note.property in AUTHORS and note.kind in LEFT)

    def _stuck(self) -> Iterator[str]:
        """Old names with a value, anywhere, that the new schema cannot hold."""
        named = {use.cls.full(prop, use.instance): prop for use in uses(self.change) for prop in use.cls.properties}
        for layer in layers(self.before):
            for spec in properties(layer):
                prop = named.get(spec.name)
                if prop and not holds(prop, spec):
                    yield spec.name

    def _lost(self) -> Iterator[str]:
        """What a layer said and no longer says under any name."""
        present = {use.cls.full(prop, use.instance): use.cls.new_full(prop, use.instance)
                   for use in uses(self.change) for prop in use.cls.properties}
        for old, new in zip(layers(self.before), layers(self.after), strict=True):
            for spec in properties(old):
                names = {spec.name, present.get(spec.name) or spec.name}
                found = [new.GetPropertyAtPath(spec.path.GetParentPath().AppendProperty(name)) for name in names]
                if not any(other and raw(other) == raw(spec) for other in found):
                    yield f"{spec.path} of {Path(old.realPath).name} is gone, or says something else"

    def names(self, prim: Any, properties: Iterable[str]) -> bool:
        """Whether a note names one of these on what composes a prim."""
        stack = {(Path(spec.layer.realPath).name, str(spec.path)) for spec in prim.GetPrimStack()}
        return any(note.kind in LEFT and note.property in properties and (Path(note.layer).name, note.path) in stack
                   for note in self.notes)


@dataclass(frozen=True)
class Composed:
    """One stage before and after."""

    judge: Judge
    old: Any
    new: Any
    stuck: set[str]

    def faults(self) -> Iterator[str]:
        """What a reader of the new schema finds otherwise than one of the old schema did."""
        everything = Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)
        for prim in Usd.PrimRange(self.old.GetPseudoRoot(), everything):
            other = self.new.GetPrimAtPath(prim.GetPath())
            used = on_prim(self.judge.change, prim)
            expected = sorted(f"{use.cls.new_name}:{use.instance}" for use in used)
            found = sorted(f"{use.cls.new_name}:{use.instance}" for use in on_prim(self.judge.change, other, new=True))
            if expected != found:
                yield f"{prim.GetPath()} has {found} instead of {expected}"
            for use in used:
                for prop in use.cls.properties:
                    yield from self._property(prim, other, use, prop)
            yield from self._own(prim, other)

    def _property(self, prim: Any, other: Any, use: Use, prop: Property) -> Iterator[str]:
        old, new = use.cls.full(prop, use.instance), use.cls.new_full(prop, use.instance)
        place = f"{prim.GetPath()}.{old}"
        if not prim.GetProperty(old).IsAuthored():
            if new and prop.fallback != prop.new_fallback and not self.judge.names(prim, (old, new)):
                yield f"{place} has another fallback, which nothing says"
            return
        said = snapshot(prim, old)
        if new and same(self._expected(said), snapshot(other, new)):
            return
        if new and (old not in self.stuck or other.GetProperty(new).IsAuthored()):
            yield f"{place} was {said} and is {snapshot(other, new)} as {new}"
        elif not self.judge.names(prim, (old, new)):
            yield f"{place} is lost to the new schema, which nothing says"

    def _own(self, prim: Any, other: Any) -> Iterator[str]:
        for name in (*AUTHORS, "mine:targets"):
            if prim.HasProperty(name) and not same(self._expected(snapshot(prim, name)), snapshot(other, name)):
                yield f"{prim.GetPath()}.{name} was {snapshot(prim, name)} and is {snapshot(other, name)}"
        before, after = (list(map(str, item.GetPropertyOrder())) for item in (prim, other))
        allowed = [self._present(prim.GetPath().AppendProperty(name)) for name in before]
        if not listed(allowed, [str(prim.GetPath().AppendProperty(name)) for name in after]):
            yield f"{prim.GetPath()} has the order {after}, was {before}"

    def _expected(self, said: Mapping[str, Any]) -> dict[str, Any]:
        return {**said, "targets": [self._present(path) for path in said["targets"]]}

    def _present(self, path: Any) -> set[str]:
        """Where a path may lead now."""
        prim = self.old.GetPrimAtPath(path.GetPrimPath())
        if not path.IsPropertyPath():
            return {str(path)}
        here = {use.entry for use in on_prim(self.judge.change, prim)} if prim else set()
        for use in uses(self.judge.change):
            for prop in use.cls.properties:
                if use.cls.full(prop, use.instance) == path.name:
                    new = str(path.ReplaceName(use.cls.new_full(prop, use.instance) or path.name))
                    sure = use.entry in here and path.name not in self.stuck
                    return {new} if sure else {new, str(path)}
        return {str(path)}


def selecting(root: Path, variant: str | None) -> Any:
    """A stage with one variant selected wherever there is one of this name; as authored for None."""
    stage = Usd.Stage.Open(Sdf.Layer.FindOrOpen(str(root)), Sdf.Layer.CreateAnonymous())
    stage.SetEditTarget(stage.GetSessionLayer())
    for path in ("/A", "/B", "/D") if variant else ():
        prim = stage.GetPrimAtPath(path)
        if variant in prim.GetVariantSet("v").GetVariantNames():
            prim.GetVariantSet("v").SetVariantSelection(variant)
    return stage


def on_prim(change: Change, prim: Any, new: bool = False) -> list[Use]:
    """The classes of a prim with those that they bring; by their present names with `new`."""
    by_name = {cls.new_name if new else cls.name: cls for cls in change.classes}
    waiting = [str(prim.GetTypeName()), *map(str, prim.GetPrimTypeInfo().GetAppliedAPISchemas())]
    found: dict[str, Use] = {}
    while waiting:
        name, _, instance = waiting.pop().partition(":")
        if name in by_name:
            use = Use(by_name[name], instance)
            if use.entry not in found:
                found[use.entry] = use
                brought = [change.find(other) for other in use.cls.brings]
                waiting += [f"{cls.new_name if new else cls.name}:{instance}".rstrip(":") for cls in brought if cls]
    return list(found.values())


def snapshot(prim: Any, name: str) -> dict[str, Any]:
    """What a property says, as plain data."""
    prop = prim.GetProperty(name)
    if not prop:
        return {"values": None, "between": None, "targets": [], "note": None}
    note = prop.GetCustomDataByKey("note")
    if isinstance(prop, Usd.Relationship):
        return {"values": None, "between": None, "targets": prop.GetTargets(), "note": note}
    samples = {time: plain(prop.Get(time)) for time in prop.GetTimeSamples()}
    return {"values": (plain(prop.Get()), samples), "between": [plain(prop.Get(time)) for time in TIMES],
            "targets": prop.GetConnections(), "note": note}


def same(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether two snapshots say the same; targets of the first are the paths that each may be."""
    return bool(old["values"] == new["values"] and old["note"] == new["note"]
                and listed(old["targets"], list(map(str, new["targets"]))) and close(old["between"], new["between"]))


def listed(allowed: Sequence[set[str]], found: Sequence[str]) -> bool:
    """Whether each path is one that may stand there.

    One that has two names leads to what no class reads, so that either may stand there, or both from several layers.
    """
    unsure = {name for names in allowed if len(names) > 1 for name in names}
    sure = [name for names in allowed if len(names) == 1 for name in names if name not in unsure]
    return (list(dict.fromkeys(name for name in found if name not in unsure)) == list(dict.fromkeys(sure))
            and all(names & set(found) for names in allowed))


def close(one: Any, other: Any) -> bool:
    """Whether interpolated values are the same but for the precision they are interpolated in."""
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(close, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return one == other or abs(one - other) <= INTERPOLATED * max(abs(one), abs(other))
    return bool(one == other)


def plain(value: Any) -> Any:
    """A value of USD as numbers, words and tuples."""
    return tuple(map(plain, value)) if hasattr(value, "__len__") and not isinstance(value, str) else value


def holds(prop: Property, spec: Any) -> bool:
    """Whether the new schema can hold what a spec of a property says."""
    if not prop.new_base or prop.type == prop.new_type:
        return bool(prop.new_base)
    if {prop.type, prop.new_type} <= {"token", "string"}:
        return True
    samples = spec.layer.ListTimeSamplesForPath(spec.path)
    old, new = (COLLECTED.get(kind, kind) for kind in (prop.type, prop.new_type))
    is_single = [kind not in COLLECTED for kind in (prop.type, prop.new_type)]
    if is_single[0] != is_single[1] or not {old, new} <= FLOATS.keys() | INTEGERS.keys():
        return False
    if (old in FLOATS) != (new in FLOATS) and len(samples) > 1:
        return False
    values = [spec.layer.QueryTimeSample(spec.path, time) for time in samples]
    values += [spec.default] if spec.HasDefaultValue() else []
    return all(isinstance(value, Sdf.ValueBlock) or exact(value, new) for value in values)


def exact(value: Any, kind: str) -> bool:
    """Whether numbers are the same in another precision."""
    numbers = plain(value) if hasattr(value, "__len__") else (value,)
    make = (FLOATS | INTEGERS)[kind]
    with np.errstate(over="ignore"):
        return all(fits(number, make) for number in numbers)


def fits(number: Any, make: Any) -> bool:
    """Whether a type of numpy has a number."""
    try:
        return bool(make(number).item() == number)
    except OverflowError:
        return False


def layers(folder: Path) -> list[Any]:
    """The layers of a stage in order of their files."""
    return [Sdf.Layer.FindOrOpen(str(folder / f"{name}.usda")) for name in FILES]


def properties(layer: Any) -> list[Any]:
    """Every property spec of a layer."""
    paths: list[Any] = []
    layer.Traverse(Sdf.Path.absoluteRootPath, paths.append)
    return [layer.GetPropertyAtPath(path) for path in paths if path.IsPropertyPath() and layer.GetPropertyAtPath(path)]


def raw(spec: Any) -> Any:
    """What a property spec says but for its targets, which may have other names."""
    if isinstance(spec, Sdf.RelationshipSpec):
        return len(spec.targetPathList.GetAppliedItems()) > 0, dict(spec.customData)
    samples = [(time, plain(spec.layer.QueryTimeSample(spec.path, time)))
               for time in spec.layer.ListTimeSamplesForPath(spec.path)]
    default = plain(spec.default) if spec.HasDefaultValue() else None
    return "block" if isinstance(default, Sdf.ValueBlock) else default, samples, dict(spec.customData)


# --- random migrations -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A stage in its folder with the schemas that it goes from and to."""

    change: Change
    folder: Path

    def faults(self) -> Iterator[str]:
        """What the migration of the stage got wrong; it is written in a folder of its own."""
        shutil.copytree(self.folder / "stage", self.folder / "migrated")
        root = self.folder / "migrated/root.usda"
        first = self._migrated(root)
        for change in first.changed:
            change.layer.TransferContent(change.copy)       # what --write leaves in the file
            change.layer.Save()
        yield from Judge(self.change, self.folder / "stage", self.folder / "migrated", first.notes).faults()
        again = self._migrated(root)
        yield from (f"a second run changes {change.name}" for change in again.changed)

    def _migrated(self, root: Path) -> Any:
        return migrate([Usd.Stage.Open(str(root))], schema=new_package(self.change),
                       differences=breaking(self.folder / "changes.json"))


def random_case(seed: int, folder: Path) -> Case:
    """Write the schemas, what `diff` says of them, and a stage."""
    rng = random.Random(seed)
    change = random_change(rng)
    for name, text in (("old", old_yaml(change)), ("new", new_yaml(change))):
        (folder / name).mkdir(parents=True)
        (folder / name / "parts.yaml").write_text(text, encoding="utf-8")
    found = compare(*(read(str(folder / name)) for name in ("old", "new")))
    (folder / "changes.json").write_text(as_json(found), encoding="utf-8")
    (folder / "stage").mkdir()
    Writer(change, folder / "stage", rng).write()
    return Case(change, folder)
