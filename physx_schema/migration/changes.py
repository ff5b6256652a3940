"""What `physx-schema diff --json` says breaks stages, and what it says a property was called before, by class.

Also where retired things went that a new name alone does not tell: the one list of moves between classes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from physx_generated import Definition
from pxr import Sdf

from physx_schema.files import read_text

PLACEHOLDER = "__INSTANCE_NAME__"
# Differences that concern programs alone; a rename is rewritten, and what is left of it is reported as such.
NOT_ON_STAGES = frozenset({"accessor", "type name", "plugin", "library name", "token value", "renamed", "prefix"})


@dataclass(frozen=True, slots=True)
class Difference:
    """One breaking line of `diff`."""

    schema: str
    property: str                       # full name, with USD's placeholder for the instance name; "" for the class
    change: str
    text: str
    old: str
    new: str


class MigratedSpec(NamedTuple):
    """A prim spec as it will be."""

    spec: Any
    listed: Sequence[str]               # its own apiSchemas
    local_schemas: set[str]                       # what these and its own type bring
    known: set[str]                     # every schema of the prims that it takes part in, with instance names
    type_name: str                      # of those prims
    authored: Callable[[str], bool]     # whether every one of those prims has a value for a property


class Match(NamedTuple):
    """A difference on a prim spec: the property, or what says the schema."""

    property: str
    difference: Difference
    fix: str


def breaking(path: Path) -> list[Difference]:
    """The breaking lines of a file that `physx-schema diff --json` wrote.

    Raises ValueError, and UnsupportedError for no readable file.
    """
    try:
        content = json.loads(read_text(path))
        lines = [item for item in content["differences"] if item["level"] == "breaking"]
        return [Difference(*(str(item[key]) for key in Difference.__slots__)) for item in lines]
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise ValueError(f"{path}: not the output of `physx-schema diff OLD NEW --json`: {error}") from None


def former_prefixes(differences: Sequence[Difference]) -> dict[str, str]:
    """Identifier to the prefix that its properties had before."""
    return {item.schema: item.old for item in differences if item.change == "prefix"}


def present(differences: Sequence[Difference], migrated: MigratedSpec) -> Iterator[Match]:
    """The differences that a prim spec has."""
    for item in differences:
        if item.change in NOT_ON_STAGES:
            continue
        if item.property:
            yield from _on_properties(item, migrated)
        else:
            yield from _on_schemas(item, migrated)


def _on_schemas(item: Difference, migrated: MigratedSpec) -> Iterator[Match]:
    entries = [name for name in migrated.listed if name.partition(":")[0] == item.schema]
    if item.change.startswith("automatic application"):
        if str(migrated.spec.typeName) in (item.old, item.new):
            yield Match("typeName", item, f"apply or remove {item.schema} by hand")
    elif entries and any(_concerns(item, name.partition(":")[2], migrated) for name in entries):
        yield Match("apiSchemas", item, f"choose a replacement for {', '.join(entries)}")
    elif str(migrated.spec.typeName) == item.schema:
        yield Match("typeName", item, f"choose a replacement for {item.schema}")


def _concerns(item: Difference, instance: str, migrated: MigratedSpec) -> bool:
    """Whether a difference between classes makes a difference where the class is applied under an instance name."""
    words = item.new.split(", ")
    if item.change == "kind":
        return bool(instance) != (item.new == "multiple-apply") or item.new not in ("single-apply", "multiple-apply")
    if item.change == "built-in removed":
        return not any(name.partition(":")[0] == item.old.partition(":")[0] for name in migrated.known)
    if item.change == "instance name removed":
        return instance == item.old
    if item.change == "instance names":
        return instance not in words
    if item.change == "prim type removed":
        return migrated.type_name == item.old
    if item.change == "prim types":
        return migrated.type_name not in words
    return True


def _on_properties(item: Difference, migrated: MigratedSpec) -> Iterator[Match]:
    for name in sorted(_names(item, migrated)):
        prop = migrated.spec.properties.get(name)
        if item.change == "default":
            is_here = any(entry.partition(":")[0] == item.schema for entry in migrated.local_schemas)
            if is_here and not migrated.authored(name):
                yield Match(name, item,
                            "the stage has no authored value; author "
                            f"{item.old or 'a value'} to keep the former default")
        elif prop and _is_affected(item, prop):
            yield Match(name, item,
                        f"replace {name} by hand with the current property of {item.schema}, or remove {name}")


def _names(item: Difference, migrated: MigratedSpec) -> set[str]:
    """The property under every instance name that its schema is applied with."""
    instances = {name.partition(":")[2] for name in migrated.known if name.partition(":")[0] == item.schema}
    return {item.property.replace(PLACEHOLDER, instance) for instance in instances}


def _is_affected(item: Difference, prop: Any) -> bool:
    """Whether what a property spec says is what has changed."""
    is_attribute = isinstance(prop, Sdf.AttributeSpec)
    if item.change == "type":
        return (str(prop.typeName) if is_attribute else "rel") != item.new
    if item.change == "variability":
        return item.new == "uniform" and bool(prop.layer.GetNumTimeSamplesForPath(prop.path))
    if item.change == "token removed":
        return any(item.old in words for words in words(prop))
    if item.change == "tokens":
        return any(word not in item.new.split(", ") for words in words(prop) for word in words)
    if item.change == "several targets":
        return len(prop.targetPathList.GetAppliedItems()) > 1
    return True


def words(prop: Any) -> Iterator[Sequence[str]]:
    """Every value of an attribute as a list of words."""
    layer, path = prop.layer, prop.path
    values = [layer.QueryTimeSample(path, time) for time in layer.ListTimeSamplesForPath(path)]
    for value in [prop.default, *values]:
        yield [value] if isinstance(value, str) else list(value) if hasattr(value, "__iter__") else []


@dataclass(frozen=True, slots=True)
class Move:
    """Retired properties of a class and the class that has them now; a retired class moves along."""

    schema: str
    successor: str
    properties: Mapping[str, str]       # name as on the prim to name of the successor's property
    reason: str                         # why the value means the same there
    per_axis: bool = False              # the successor is applied once for each free axis of the joint


MOVES: tuple[Move, ...] = (
    Move(
        "PhysxJointAPI", "PhysxJointAxisAPI",
        {"physxJoint:maxJointVelocity": "maxJointVelocity", "physxJoint:armature": "armature"},
        "PhysX applied the value to every axis of the joint that has no PhysxJointAxisAPI. The units are the same: "
        "degrees per time on angular axes, distance per time on linear axes",
        per_axis=True,
    ),
    Move(
        "PhysxSceneAPI", "PhysxSceneAPI",
        {"physxScene:gpuMaxSoftBodyContacts": "physxScene:gpuMaxDeformableVolumeContacts"},
        "both properties set the size of the same buffer, counted in contacts, with the same default",
    ),
)


Renames = Mapping[str, Mapping[str, str]]       # identifier to former and present full names


def renames(differences: Sequence[Difference], known: Mapping[str, Definition]) -> dict[str, dict[str, str]]:
    """Every property with a former name or another type, under its present full name too where only the type differs.

    A `diff` that does not look for properties under another prefix calls them removed: they are found again by the
    definitions of the class.
    """
    result: dict[str, dict[str, str]] = {}
    for item in differences:
        if item.property and item.change == "renamed":
            result.setdefault(item.schema, {})[item.old] = item.property
    for schema, names in _removed(differences).items():
        if schema in known and known[schema].kind == "single-apply" and schema not in result:
            result[schema] = _match_renamed(names, known[schema])
    for item in differences:
        present = result.setdefault(item.schema, {})
        if item.property and item.change == "type" and item.property not in present.values():
            present[item.property] = item.property
    return {schema: names for schema, names in result.items() if names}


def traced(differences: Sequence[Difference]) -> frozenset[str]:
    """The renamed classes whose former versions `diff` has seen, so that all of their former names are known."""
    return frozenset(item.schema for item in differences if item.change == "renamed" and not item.property)


def _removed(differences: Sequence[Difference]) -> dict[str, list[str]]:
    """Full names of removed properties by class, but for classes of another kind than before."""
    removed: dict[str, list[str]] = {}
    for item in differences:
        if item.property and item.change == "removed":
            removed.setdefault(item.schema, []).append(item.property)
    other = {item.schema for item in differences if item.change == "kind"}
    return {schema: names for schema, names in removed.items() if schema not in other}


def _match_renamed(removed: Sequence[str], definition: Definition) -> dict[str, str]:
    """Former to present names under the namespace that most properties are found again in."""
    spaces = sorted({name.rpartition(":")[0] for name in removed} - {""})
    best: dict[str, str] = {}
    for space in spaces:
        names = {}
        for prop in definition.properties:
            base = prop.renamed_from or prop.name.rpartition(":")[2]
            former = base if ":" in base else f"{space}:{base}"
            if former in removed and former not in names:
                names[former] = prop.name
        best = names if len(names) > len(best) else best
    return best
