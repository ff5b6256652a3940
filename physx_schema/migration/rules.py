"""What the definitions say about former names and retired things, made ready for looking up names on a layer.

What the schemas of a prim define, by the definitions of a package: parents, built-ins and former names included.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from physx_generated import Definition
from physx_generated._definition import PLACEHOLDER, Property

from physx_schema.migration.changes import Move, Renames


class SchemaIndex:
    """The definitions of a package, asked by the names that stand on prims."""

    def __init__(
        self, definitions: Mapping[str, Definition], former: Mapping[str, str], traced: Container[str] = (),
    ) -> None:
        self.definitions = definitions
        self.former = former                # name of a renamed class to its present one
        # What properties of renamed classes are and were called below prefixes that nothing tells, by present name.
        self.base_names = {name: _base_names(definitions[name]) for name in former.values() if name not in traced}
        self.all_base_names = frozenset().union(*self.base_names.values())

    def all_of(self, names: Iterable[str]) -> set[str]:
        """Types and applied schemas with their parents and built-ins, renamed ones under their present names too.

        Applied schemas are named as in apiSchemas.
        """
        schemas: set[str] = set()
        pending = [name for name in names if name]
        while pending:
            applied = pending.pop()
            if applied in schemas:
                continue
            schemas.add(applied)
            schema, colon, instance = applied.partition(":")
            present = self.former.get(schema)
            pending += [present + colon + instance] if present else []
            pending += self._built_ins(schema, instance)
        return schemas

    def _built_ins(self, schema: str, instance: str) -> list[str]:
        """What comes with a schema: parents, and built-ins, whose instance names go below its own."""
        definition = self.definitions.get(schema)
        if definition is None:
            return []
        inside = [other.identifier + (f":{instance}" if other.prefix else "") for other in definition.inherited]
        for entry in definition.includes:
            name, _, built_in_instance = entry.partition(":")
            both = ":".join(filter(None, (instance if definition.prefix else "", built_in_instance)))
            inside.append(f"{name}:{both}" if both else name)
        return inside

    def properties(self, applied: Iterable[str]) -> dict[str, Property]:
        """Full name of every property that these schemas define, to its definition."""
        properties: dict[str, Property] = {}
        for entry in applied:
            schema, _, instance = entry.partition(":")
            definition = self.definitions.get(schema)
            if definition is None or self.misapplied(entry):
                continue
            start = definition.start(instance)
            properties |= {start + prop.name: prop for prop in (*definition.properties, *definition.retired_properties)}
        return properties

    def claiming(self, name: str, applied: Iterable[str]) -> str:
        """The schema in whose namespace a property lies, one of these first; empty where it is in none of theirs."""
        space = name.rpartition(":")[0]
        for entry in (*sorted(applied), *sorted(self.definitions)):
            schema, _, instance = entry.partition(":")
            definition = self.definitions.get(schema)
            if definition is None:
                continue
            if definition.prefix and name.startswith(f"{definition.prefix}:{instance}".rstrip(":") + ":"):
                return entry
            if not definition.prefix and space in {other.rpartition(":")[0] for other in definition.by_name} - {""}:
                return entry
        return ""

    def owner(self, name: str) -> str:
        """The schema, on the prim or not, that has a property of this name; empty where none has."""
        for identifier, definition in sorted(self.definitions.items()):
            if not definition.prefix and name in definition.declared:
                return identifier
            remainder = name.removeprefix(f"{definition.prefix}:") if definition.prefix else name
            if remainder == name:
                continue
            if remainder in definition.declared:
                return identifier
            base = next((base for base in definition.declared if remainder.endswith(f":{base}")), "")
            if base:
                return f"{identifier}:{remainder.removesuffix(f':{base}')}"
        return ""

    def misapplied(self, entry: str) -> bool:
        """Whether an entry of apiSchemas has an instance name and must not, or has none and must."""
        schema, _, instance = entry.partition(":")
        definition = self.definitions.get(schema)
        return definition is not None and bool(definition.prefix) != bool(instance)

    def renamed(self, name: str, applied: Iterable[str]) -> str:
        """The renamed class among these that has a property like this one in another namespace; empty where none has.

        The namespace that a class had before its own name changed stands in no definition.
        """
        last = name.rpartition(":")[2]
        schemas = (entry.partition(":")[0] for entry in sorted(applied))
        return next((schema for schema in schemas if last in self.base_names.get(schema, ())), "")

    def is_view(self, schema: str) -> bool:
        """Whether a schema is on every prim, as one that is not applied is."""
        definition = self.definitions.get(schema)
        return definition is not None and definition.kind == "non-applied"


def _base_names(definition: Definition) -> frozenset[str]:
    """The last parts of the names that properties have and had."""
    names = {name for prop in definition.properties for name in (prop.name, prop.renamed_from)}
    return frozenset(name.rpartition(":")[2] for name in names) - {""}


_RELEASE = re.compile(r"\d+(\.\d+)*")


@dataclass(frozen=True, slots=True)
class Successor:
    """What becomes of a property: `name` under `schema`, or nothing where `schema` is empty."""

    former: str                         # the schema it belonged to
    schema: str = ""
    name: str = ""                      # below the instance name where `schema` is multiple-apply
    type: str = ""                      # Sdf type there; "rel" for a relationship
    prefix: str = ""                    # namespace of a multiple-apply schema
    per_axis: bool = False
    instead: str = ""                   # for people, where nothing replaces it one to one
    others: frozenset[str] = frozenset()            # living schemas that have a property of this name too
    certain: bool = True                # whether the name alone tells the schema

    def full_name(self, instance: str) -> str:
        """The property's name on a prim."""
        return f"{self.prefix}:{instance}:{self.name}" if self.prefix else self.name


Successors = tuple[Successor, ...]


_Fields = tuple[str, str, str, str, bool, str]        # the fields of Successor after `former`


@dataclass(frozen=True, slots=True)
class Rules:
    """Former names to what they became."""

    index: SchemaIndex = field(default_factory=lambda: SchemaIndex({}, {}))
    classes: Mapping[str, str] = field(default_factory=dict)            # renamed
    moved: Mapping[str, Move] = field(default_factory=dict)             # retired, with a successor
    retired: Mapping[str, str] = field(default_factory=dict)            # retired, with what to use instead
    single: Mapping[str, Successors] = field(default_factory=dict)      # by full name
    multiple: Mapping[tuple[str, str], Successors] = field(default_factory=dict)    # by prefix and base name
    traced: frozenset[str] = frozenset()                                # renamed classes with all their former names

    def schema(self, name: str) -> bool:
        """Whether something is to be said about a class."""
        return name in self.classes or name in self.moved or name in self.retired

    def find(self, name: str) -> tuple[Successor, str] | None:
        """What becomes of a property and the instance name it is under; None where it is as it should be."""
        return next(self.successors(name), None)

    def successors(self, name: str) -> Iterator[tuple[Successor, str]]:
        """What becomes of a property in every class that it may be of, with the instance name it is under."""
        yield from ((item, "") for item in self.single.get(name, ()))
        head, _, remainder = name.partition(":")
        instance, _, base = remainder.rpartition(":")
        while instance:
            yield from ((item, instance) for item in self.multiple.get((head, base), ()))
            instance, _, before = instance.rpartition(":")
            base = f"{before}:{base}"

    def is_former(self, name: str) -> bool:
        """Whether a property has another name now, or none."""
        return any(not item.schema or item.full_name(instance) != name for item, instance in self.successors(name))

    def suspect(self, name: str) -> bool:
        """Whether a property may be of a renamed class, under a prefix that nothing tells."""
        return (name.rpartition(":")[2] in self.index.all_base_names - {""} and ":" in name and not self.find(name)
                and not self.index.owner(name))


def rules(
    definitions: Iterable[Definition], moves: Iterable[Move], version: str | None = None,
    prefixes: Mapping[str, str] | None = None, renames: Renames | None = None, traced: frozenset[str] = frozenset(),
) -> Rules:
    """The rules that lead to `version`, a release such as "25.11.2", or to the newest that the definitions know.

    `prefixes` has what prefixes multiple-apply schemas had before, `renames` former and present names of properties,
    and `traced` the renamed classes that nothing is missing of there. Raises ValueError for text that is no release.
    """
    newest = None if version is None else release(version)
    known = {definition.identifier: definition for definition in definitions}
    gone = {name for name, item in known.items() if is_retired_by(item.retired, newest)}
    living = _living(known, gone, newest)
    moving = {move.schema: move for move in moves if move.successor in known}
    table = _Table(living)
    for definition in known.values():
        for name, fields in _successors(definition, definition.identifier in gone, moving, known, newest):
            table.add(definition, definition.prefix, name, fields)
    for identifier, prefix in (prefixes or {}).items():
        if identifier in known and known[identifier].prefix:
            _add_former_prefix(prefix, known[identifier], table)
    for identifier, names in (renames or {}).items():
        if identifier in known and identifier not in gone:
            _add_former_names(names, known[identifier], table)
    former = {item.renamed_from: name for name, item in known.items() if item.renamed_from}
    return Rules(
        SchemaIndex(known, former, traced), former,
        {name: moving[name] for name in gone if name in moving},
        {name: known[name].deprecated for name in gone if name not in moving}, table.single, table.multiple, traced)


class _Table:
    """Successors by name, in order of their classes."""

    def __init__(self, living: Mapping[tuple[str, str], set[str]]) -> None:
        self.living = living
        self.single: dict[str, Successors] = {}
        self.multiple: dict[tuple[str, str], Successors] = {}

    def add(self, definition: Definition, prefix: str, former: str, fields: _Fields) -> None:
        """One more successor of a name, below the instance name of a multiple-apply class with this prefix."""
        others = frozenset(self.living.get((prefix, former), set()) - {definition.identifier})
        sure = not others and (definition.kind != "typed" or ":" in former)
        entry = Successor(definition.identifier, *fields, others, sure)
        if prefix:
            before = self.multiple.get((prefix, former), ())
            self.multiple[prefix, former] = before if entry in before else (*before, entry)
        else:
            before = self.single.get(former, ())
            self.single[former] = before if entry in before else (*before, entry)


def _add_former_prefix(prefix: str, definition: Definition, table: _Table) -> None:
    """The properties of a class under its former prefix, by their names then and now."""
    for name, prop in definition.declared.items():
        for former in filter(None, (name, _former(prop) if prop.renamed_from else "")):
            fields = (definition.identifier, name, _type(prop), definition.prefix, False, "")
            table.add(definition, prefix, former, fields)


def _add_former_names(names: Mapping[str, str], definition: Definition, table: _Table) -> None:
    """The properties of a class under the full names that they had."""
    for former, present in names.items():
        prefix, placed, base = former.partition(f":{PLACEHOLDER}:")
        start = f"{definition.prefix}:{PLACEHOLDER}:" if definition.prefix else ""
        prop = definition.declared.get(present.removeprefix(start))
        is_same_kind = bool(placed) == bool(definition.prefix)
        still_declared = former != present and former.removeprefix(start) in definition.declared
        if prop is None or not is_same_kind or still_declared:
            continue
        fields = (definition.identifier, prop.name, _type(prop), definition.prefix, False, "")
        table.add(definition, prefix if placed else "", base if placed else former, fields)


def release(text: str) -> tuple[int, ...]:
    """The numbers of a release. Raises ValueError."""
    if not _RELEASE.fullmatch(text):
        raise ValueError(f"{text!r} is not a release; use numbers with dots, such as 25.11.2")
    return tuple(map(int, text.split(".")))


def is_retired_by(retired: str, newest: tuple[int, ...] | None) -> bool:
    """Whether something retired in a release is gone in another; in any where that is None."""
    return bool(retired) and (newest is None or release(retired) <= newest)


def _living(
    known: Mapping[str, Definition], gone: set[str], newest: tuple[int, ...] | None,
) -> dict[tuple[str, str], set[str]]:
    """Prefix and name of properties that are in use to the classes that have them."""
    classes: dict[tuple[str, str], set[str]] = {}
    for definition in known.values():
        for prop in definition.properties:
            if definition.identifier not in gone and not is_retired_by(prop.retired, newest):
                classes.setdefault((definition.prefix, prop.name), set()).add(definition.identifier)
    return classes


def _successors(
    definition: Definition, gone: bool, moving: Mapping[str, Move], known: Mapping[str, Definition],
    newest: tuple[int, ...] | None,
) -> Iterable[tuple[str, _Fields]]:
    """Former names of one class's properties, and what became of each."""
    move = moving.get(definition.identifier)
    for prop in (*definition.properties, *definition.retired_properties):
        if prop.renamed_from and not gone:
            former = _former(prop)
            yield former, (definition.identifier, prop.name, _type(prop), definition.prefix, False, "")
        if not gone and not is_retired_by(prop.retired, newest):
            continue
        if move and prop.name in move.properties:
            target, name = known[move.successor], move.properties[prop.name]
            yield prop.name, (move.successor, name, _type(target.by_name[name]), target.prefix, move.per_axis, "")
        else:
            yield prop.name, ("", "", "", "", False, prop.deprecated or definition.deprecated)


def _former(prop: Property) -> str:
    """A former name as on the prim: with the namespace that the present name has, unless it has one of its own."""
    space, _, _ = prop.name.rpartition(":")
    return prop.renamed_from if ":" in prop.renamed_from or not space else f"{space}:{prop.renamed_from}"


def _type(prop: Property) -> str:
    return str(getattr(prop, "type", "rel"))
