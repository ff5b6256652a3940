"""Which values move and which stay: what composes one prim moves together, or none of it does.

A value moves to another type where that type holds it exactly. Numbers go to any type of as many numbers that has every
one of them, bits of the smallest float included; `token` and `string` become each other. Integers are held between time
samples and floating-point numbers interpolated, so several samples pass from one to the other as little as a spline.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pxr import Sdf, Tf

from physx_schema.migration.composition import Composition
from physx_schema.migration.report import layer_name
from physx_schema.migration.rules import Rules, Successor

_NUMBERS = re.compile(r"(?P<of>uchar|u?int(?:64)?|half|float|double)(?P<count>[234]?)")
_ROLES = re.compile(r"(?:color|point|normal|vector|texCoord)(?P<count>[234])(?P<of>[hfd])")
_LETTERS = {"h": "half", "f": "float", "d": "double"}
_FLOATING = frozenset(_LETTERS.values())
_WORDS = ("token", "string")
_BLOCKS = tuple(getattr(Sdf, name) for name in ("ValueBlock", "AnimationBlock") if hasattr(Sdf, name))


@dataclass(frozen=True, slots=True)
class Shape:
    """What values of a type are made of."""

    of: str                             # "words" or the type of each number
    count: str = ""                     # how many numbers, empty for one
    array: bool = False

    def accepts(self, other: Shape) -> bool:
        """Whether values of another shape may become values of this one."""
        return (self.of == "words") == (other.of == "words") and (self.count, self.array) == (other.count, other.array)


def shape(type_name: str) -> Shape | None:
    """The shape of a type; None for one whose values go to no other type."""
    base = type_name.removesuffix("[]")
    array = base != type_name
    if base in _WORDS:
        return Shape("words", "", array)
    if match := _NUMBERS.fullmatch(base):
        return Shape(match["of"], match["count"], array)
    if match := _ROLES.fullmatch(base):
        return Shape(_LETTERS[match["of"]], match["count"], array)
    return None


def holds(type_name: str, attribute: Any) -> bool:
    """Whether a type holds every value of an attribute spec exactly."""
    if str(attribute.typeName) == type_name:
        return True
    old, new = shape(str(attribute.typeName)), shape(type_name)
    if old is None or new is None or not new.accepts(old) or attribute.HasInfo("spline"):
        return False
    is_interpolated = (new.of in _FLOATING) != (old.of in _FLOATING)
    samples = attribute.layer.ListTimeSamplesForPath(attribute.path)
    if is_interpolated and len(samples) > 1:
        return False
    scratch = _scratch(type_name)
    return all(_same(_cast(scratch, value), value) for value in _values(attribute))


def retype(attribute: Any, type_name: str) -> None:
    """Give an attribute spec another type that holds its values."""
    if str(attribute.typeName) == type_name:
        return
    layer, path, scratch = attribute.layer, attribute.path, _scratch(type_name)
    samples = [(time, layer.QueryTimeSample(path, time)) for time in layer.ListTimeSamplesForPath(path)]
    default = attribute.default if attribute.HasInfo("default") else None
    attribute.SetInfo("typeName", type_name)
    if default is not None:
        attribute.default = _cast(scratch, default)
    for time, value in samples:
        layer.SetTimeSample(path, time, _cast(scratch, value))


def _values(attribute: Any) -> Iterator[Any]:
    if attribute.HasInfo("default"):
        yield attribute.default
    for time in attribute.layer.ListTimeSamplesForPath(attribute.path):
        yield attribute.layer.QueryTimeSample(attribute.path, time)


def _scratch(type_name: str) -> Any:
    """An attribute spec of a type on a layer of its own, which it keeps alive."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    spec = Sdf.AttributeSpec(Sdf.CreatePrimInLayer(layer, "/scratch"), "value", Sdf.ValueTypeNames.Find(type_name))
    return layer, spec


def _cast(scratch: tuple[Any, Any], value: Any) -> Any:
    """The value as USD keeps it under the type of `scratch`; None where it cannot."""
    if isinstance(value, _BLOCKS):
        return value
    try:
        scratch[1].default = _plain(value)
    except (Tf.ErrorException, TypeError, ValueError, OverflowError):
        return None
    return scratch[1].default


def _plain(value: Any) -> Any:
    """Arrays and vectors of USD as lists and tuples, which USD takes for those of another precision."""
    if isinstance(value, str) or not hasattr(value, "__len__"):
        return value
    converted = [_plain(item) for item in value]
    return converted if type(value).__name__.endswith("Array") else tuple(converted)


def _is_sequence(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str)


def _same(first: Any, other: Any) -> bool:
    """Whether two values are the same numbers or words, in the same order."""
    if isinstance(other, _BLOCKS):
        return isinstance(first, type(other))
    if first is None or _is_sequence(first) != _is_sequence(other):
        return False
    if _is_sequence(first):
        return len(first) == len(other) and all(map(_same, first, other))
    return bool(first == other) or (first != first and other != other)       # NaN is not itself


Spec = tuple[str, Any]                  # identifier of a layer and path of a prim spec
Named = tuple[str, Any, str]            # the same and a property, empty for the prim spec as a whole


class Obstacle(NamedTuple):
    """Why something stays as it is."""

    message: str
    fix: str
    spreads: bool = False               # whether the same property stays in the other specs of the prim too


class Plan:
    """What stays of the prim specs that the rules speak of; everything else of them moves."""

    def __init__(self, layers: Sequence[Any], rules: Rules, composition: Composition,
                 paths: Mapping[str, Sequence[Any]]) -> None:
        self.rules = rules
        self.composition = composition
        self._known: dict[Spec, set[str]] = {}
        self.stays: dict[Named, Obstacle] = {}
        for layer in layers:
            for path in paths[layer.identifier]:
                self.stays |= dict(self._obstacles(layer, path))
        self._spread({layer.identifier: layer for layer in layers})

    def obstacle(self, layer: Any, path: Any, name: str = "") -> Obstacle | None:
        """Why a property, or a prim spec with all that it says, stays as it is."""
        return self.stays.get((layer.identifier, path, name))

    def known(self, layer: Any, path: Any) -> set[str]:
        """The schemas of the prims that a prim spec takes part in, present names too, and without instance."""
        key = layer.identifier, path
        if key not in self._known:
            self._known[key] = self.full(self.composition.schemas(layer, path))
        return self._known[key]

    def full(self, schemas: set[str]) -> set[str]:
        """Schemas with all that comes with them, with and without instance names."""
        expanded = self.rules.index.all_of(schemas)
        return expanded | {name.partition(":")[0] for name in expanded}

    def successors(self, name: str, known: set[str]) -> list[tuple[Successor, str]]:
        """What a property becomes in the classes that are there; where none is, in the one that its name tells."""
        candidates = list(self.rules.successors(name))
        here = [item for item in candidates if full_former(*item) in known]
        return here or [item for item in candidates if item[0].full_name(item[1]) != name
                        and (item[0].certain or item[0].former in known)][:1]

    # --- one prim spec ---

    def _obstacles(self, layer: Any, path: Any) -> Iterator[tuple[Named, Obstacle]]:
        """What stays for reasons of its own."""
        known = self.known(layer, path)
        for prop in layer.GetPrimAtPath(path).properties:
            for successor, instance in self.successors(prop.name, known):
                obstacle = self._reason(layer, path, prop, successor, instance)
                if obstacle:
                    yield (layer.identifier, path, prop.name), obstacle
            lost = self._lost(layer, path, prop)
            if lost:
                yield (layer.identifier, path, ""), lost

    def _reason(self, layer: Any, path: Any, prop: Any, successor: Successor, instance: str) -> Obstacle | None:
        """Why a property does not become its successor."""
        known, name, former = self.known(layer, path), prop.name, full_former(successor, instance)
        if not successor.schema:
            return Obstacle(f"{name} is retired and has no one-to-one successor", successor.instead or "remove it")
        shared = sorted(successor.others & known)
        if shared:
            return Obstacle(f"{name} may belong to {shared[0]}, or be the former name of a property of "
                            f"{successor.former}",
                            f"author the property of {successor.former} under its current name", spreads=True)
        if former not in known and not self.rules.index.is_view(successor.former):
            if not self.composition.sites(layer, path) and not known:
                return Obstacle(f"this layer does not show if the prim has {former}",
                                "migrate a stage that uses this layer")
            return Obstacle(f"{former} is not applied to the prim, and the value had no effect",
                            f"apply {former} and migrate again, or remove the value")
        present, kind = successor.full_name(instance), type_of(prop)
        if kind == successor.type or (isinstance(prop, Sdf.AttributeSpec) and successor.type != "rel"
                                      and holds(successor.type, prop)):
            return None
        return Obstacle(f"{name} has the type {kind}; {present} has the type {successor.type}, which cannot store the "
                        "value",
                        f"author the value as {present}", spreads=True)

    def _lost(self, layer: Any, path: Any, prop: Any) -> Obstacle | None:
        """Why nothing of the prim moves: a value of a class that is to be renamed would not move along."""
        if not self.rules.suspect(prop.name):
            return None
        former = {self.rules.classes[name]: name for name in self.known(layer, path) if name in self.rules.classes}
        schema = self.rules.index.renamed(prop.name, former)
        if not schema:
            return None
        return Obstacle(f"{former[schema]} is kept: {prop.name} may belong to {former[schema]}, and the name of this "
                        f"property in {schema} is not known",
                        "pass the output of `physx-schema diff OLD NEW --json` as --changes, or rename the class and "
                        "the property by hand",
                        spreads=True)

    # --- all that compose a prim ---

    def _spread(self, layers: Mapping[str, Any]) -> None:
        """Have the same property stay in all specs of a prim, and with a prim spec all others of the prim."""
        spreading: dict[Spec, set[str]] = {}
        for (identifier, path, name), obstacle in self.stays.items():
            if obstacle.spreads:
                spreading.setdefault((identifier, path), set()).add(name)
        more = bool(spreading)
        while more:
            more = False
            for group in self.composition.groups:
                sources = {name: spec for spec in group for name in sorted(spreading.get(spec, ()))}
                for name, source in sources.items():
                    for spec in group:
                        if (*spec, name) not in self.stays and self._has(layers[spec[0]], spec[1], name):
                            obstacle = self.stays[(*source, name)]
                            self.stays[(*spec, name)] = _because(source, layers[source[0]], obstacle)
                            spreading.setdefault(spec, set()).add(name)
                            more = True

    def _has(self, layer: Any, path: Any, name: str) -> bool:
        """Whether a prim spec has a property; with no name, whether it is there, as it is."""
        return not name or bool(layer.GetPrimAtPath(path).properties.get(name))


def _because(source: Spec, layer: Any, obstacle: Obstacle) -> Obstacle:
    """The obstacle of another spec of the prim."""
    return Obstacle(f"kept, because {source[1]} in {layer_name(layer)} is kept: {obstacle.message}",
                    obstacle.fix, spreads=True)


def full_former(successor: Successor, instance: str) -> str:
    """The class that a property belonged to, as in apiSchemas."""
    return f"{successor.former}:{instance}" if instance else successor.former


def type_of(prop: Any) -> str:
    """The Sdf type of a property spec; "rel" for a relationship."""
    return str(prop.typeName) if isinstance(prop, Sdf.AttributeSpec) else "rel"
