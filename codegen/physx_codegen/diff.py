"""What a change of schema means for stages and programs: every difference, as breaking, compatible or docs.

Also which property of a class's former version each property is now, where the prefix of the class has changed too.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal

from . import naming, usda, value_types
from .definitions import Source
from .model import Attribute, Library, Property, Relationship, SchemaClass
from .value_types import number_text


def former_names(
    old: SchemaClass, before: Collection[str], new: SchemaClass, after: Mapping[str, Property],
) -> dict[str, str]:
    """Full name of a property to its full name in the former class; without those that are new.

    `before` and `after` have the full names in the two classes. A property keeps its name below the prefix of its class
    unless `renamed_from` says what it was called. Generated files tell no prefix of a single-apply class: it is then
    the namespace of its properties under which most of them are found again.
    """
    if old.kind != new.kind:
        return {name: name for name in after if name in before}
    candidates = [_pairs_with_prefix(prefix, before, new, after) for prefix in _prefixes(old, before)]
    return max(candidates, key=len)              # the first, and so the shortest prefix, of those with as many


def _prefixes(cls: SchemaClass, names: Collection[str]) -> list[str]:
    """What the prefix of a class may be."""
    if cls.prefix or cls.kind != "single-apply" or not names:
        return [cls.prefix]
    shared = _common_prefix([name.split(":")[:-1] for name in names])
    return [":".join(shared[:count]) for count in range(len(shared) + 1)]


def _common_prefix(spaces: list[list[str]]) -> list[str]:
    """The words that all of these begin with."""
    shortest, longest = min(spaces), max(spaces)
    count = next((index for index, pair in enumerate(zip(shortest, longest, strict=False)) if pair[0] != pair[1]),
                 min(len(shortest), len(longest)))
    return shortest[:count]


def _pairs_with_prefix(
    prefix: str, before: Collection[str], new: SchemaClass, after: Mapping[str, Property],
) -> dict[str, str]:
    """The pairs where the properties had this prefix; a name is given away once."""
    pairs: dict[str, str] = {}
    for name, prop in after.items():
        same = _with_prefix(name, prop, new, prefix)
        earlier = same if same in before or not prop.renamed_from else _former(same, prop, new, prefix)
        if earlier in before and earlier not in pairs.values():
            pairs[name] = earlier
    return pairs


def _with_prefix(name: str, prop: Property, cls: SchemaClass, prefix: str) -> str:
    """A full name under another prefix of the class."""
    if cls.kind == "multiple-apply":
        return naming.usd_name(replace(cls, prefix=prefix), prop)
    start = f"{cls.prefix}:"
    return f"{prefix}:{name.removeprefix(start)}" if prefix and cls.prefix and name.startswith(start) else name


def _former(same: str, prop: Property, cls: SchemaClass, prefix: str) -> str:
    """What `renamed_from` calls a property, in full."""
    if cls.kind == "multiple-apply":
        former_class = replace(cls, prefix=prefix)
        return naming.usd_name(former_class, replace(prop, name=naming.former_name(former_class, prop)))
    space = same.rpartition(":")[0]
    return prop.renamed_from if ":" in prop.renamed_from or not space else f"{space}:{prop.renamed_from}"


Level = Literal["breaking", "compatible", "docs"]
LEVELS: tuple[Level, ...] = ("breaking", "compatible", "docs")
VERSION = 1                             # of the JSON
LIBRARY = ""                            # stands for the class where a difference belongs to none
FACTS: Mapping[str, str] = {
    "api": "accessor names", "range": "ranges", "unit": "units", "docs": "documentation beyond the first sentence",
    "advice": "advice", "deprecation": "deprecations",
}


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """One thing that is not as it was."""

    schema: str                         # identifier, of the new class where there is one
    property: str                       # full name, as in generatedSchema.usda; empty for the class itself
    change: str                         # "default", "type", "removed", ...
    level: Level
    text: str
    old: str = ""
    new: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Every difference between two schemas, sorted."""

    old: str
    new: str
    differences: tuple[Difference, ...]
    not_compared: tuple[str, ...]       # facts that one of the two sides cannot hold

    def count(self, level: Level) -> int:
        """How many differences are of this level."""
        return sum(item.level == level for item in self.differences)

    def down_to(self, level: Level) -> Comparison:
        """Without what matters less than `level`."""
        levels = LEVELS[:LEVELS.index(level) + 1]
        return replace(self, differences=tuple(item for item in self.differences if item.level in levels))


@dataclass(frozen=True, slots=True)
class ClassFacts:
    """A class with its library and the retired properties that another library keeps for it."""

    library: Library
    cls: SchemaClass
    properties: Mapping[str, Property]  # by full name


def compare(old: Source, new: Source) -> Comparison:
    """How `new` differs from `old`; facts that one side cannot hold are left out and named."""
    carried = old.facts & new.facts
    before, after = compared_classes(old, new), compared_classes(new, old)
    differences = [*_token_differences(old, new), *_library_differences(old, new)]
    partners = _partners(before, after)
    for name, current in after.items():
        former = before.get(partners.get(name, name))
        if former is None:
            differences.append(Difference(name, "", "added", "compatible", f"class added{_already(current.cls)}"))
            continue
        differences += _class_differences(former, current, carried)
    matched = {partners.get(name, name) for name in after}
    differences += [_removed(item.cls) for name, item in before.items() if name not in matched]
    not_compared = tuple(text for key, text in FACTS.items() if key not in carried)
    return Comparison(old.name, new.name, tuple(sorted(set(differences))), not_compared)


def compared_classes(source: Source, other: Source) -> dict[str, ClassFacts]:
    """Identifier to class; a holder's properties go to the class it extends, unless `other` has holders apart."""
    classes = [(library, cls) for library in source.libraries for cls in library.classes]
    names = {cls.name for _, cls in classes}
    separate = {cls.name for library in other.libraries for cls in library.classes if not cls.extends}
    result: dict[str, ClassFacts] = {}
    retired: dict[str, dict[str, Property]] = {}
    for library, cls in classes:
        properties = {naming.usd_name(cls, prop): prop for prop in cls.properties}
        if cls.extends in names and cls.name not in separate:
            retired.setdefault(cls.extends, {}).update(properties)
        else:
            result[cls.name] = ClassFacts(library, cls, properties)
    for name, properties in retired.items():
        result[name] = replace(result[name], properties={**properties, **result[name].properties})
    return result


def _partners(before: Mapping[str, ClassFacts], after: Mapping[str, ClassFacts]) -> dict[str, str]:
    """New name to former name of classes that were renamed."""
    return {name: item.cls.renamed_from for name, item in after.items()
            if item.cls.renamed_from in before and name not in before}


def _removed(cls: SchemaClass) -> Difference:
    level: Level = "compatible" if cls.retired else "breaking"
    return Difference(cls.name, "", "removed", level, f"class removed{_already(cls)}")


def _already(item: SchemaClass | Property) -> str:
    return f", retired in {item.retired}" if item.retired else ""


def _token_differences(old: Source, new: Source) -> Iterator[Difference]:
    """Words of the libraries themselves; generated files do not list them."""
    if "api" not in old.facts & new.facts:
        return
    before, after = ({token.name: token for library in source.libraries for token in library.tokens}
                     for source in (old, new))
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            yield Difference(LIBRARY, name, "token removed", "breaking", "token removed", before[name].value)
        elif name not in before:
            yield Difference(LIBRARY, name, "token added", "compatible", "token added", "", after[name].value)
        else:
            yield from _fact(LIBRARY, name, "token value", "breaking", before[name].value, after[name].value)
            yield from _doc(LIBRARY, name, "docs", before[name].doc, after[name].doc)


def _library_differences(old: Source, new: Source) -> Iterator[Difference]:
    if len(old.libraries) == len(new.libraries) == 1 and "api" in old.facts & new.facts:
        first, second = old.libraries[0], new.libraries[0]
        yield from _fact(LIBRARY, "", "library name", "breaking", first.name, second.name)
        yield from _fact(LIBRARY, "", "plugin", "breaking", first.plugin, second.plugin)


def _class_differences(former: ClassFacts, current: ClassFacts, carried: frozenset[str]) -> Iterator[Difference]:
    old, new = former.cls, current.cls
    name = new.name
    if new.retired and not old.retired:
        yield Difference(name, "", "retired", "breaking", f"class retired in {new.retired}{_instead(new)}")
        return                          # nothing reads it any more, whatever else became of it
    if old.name != name:
        yield Difference(name, "", "renamed", "breaking", f"class renamed, was {old.name}", old.name, name)
    yield from _fact(name, "", "kind", "breaking", old.kind, new.kind)
    yield from _fact(name, "", "base", "breaking", _base(old), _base(new))
    if new.kind == old.kind == "multiple-apply":
        yield from _fact(name, "", "prefix", "breaking", old.prefix, new.prefix)
    renamed = old.name != name and old.python_name == old.name and new.python_name == name
    if not renamed:
        yield from _fact(name, "", "type name", "breaking", naming.type_name(former.library, old),
                         naming.type_name(current.library, new))
    yield from _members(name, "", "built-in", old.includes, new.includes, "breaking", "compatible")
    yield from _allowed(name, "", "prim type", old.can_only_apply_to, new.can_only_apply_to)
    yield from _allowed(name, "", "instance name", old.allowed_instances, new.allowed_instances)
    yield from _members(name, "", "automatic application to", old.auto_apply_to, new.auto_apply_to, "breaking",
                        "breaking")
    if "advice" in carried:
        for change, first, second in (("applies to", old.applies_to, new.applies_to),
                                      ("instances", old.instances, new.instances)):
            yield from _fact(name, "", change, "compatible", ", ".join(first), ", ".join(second))
    yield from _shared(name, "", old, new, carried)
    if "docs" in carried and {"unit", "range"} <= carried:
        yield from _fact(name, "", "equation", "docs", old.equation, new.equation)
        yield from _fact(name, "", "example", "docs", old.example, new.example)
        yield from _fact(name, "", "semantics", "docs", old.semantics, new.semantics)
    yield from _property_differences(former, current, carried)


def _base(cls: SchemaClass) -> str:
    """The parent, where a prim type without one derives from Typed."""
    return cls.base or ("" if cls.is_api else "Typed")


def _instead(item: SchemaClass | Property) -> str:
    return f": {item.deprecated}" if item.deprecated else ""


def _property_differences(former: ClassFacts, current: ClassFacts, carried: frozenset[str]) -> Iterator[Difference]:
    """Properties by full name; under another prefix of the class they are still the same ones."""
    pairs = former_names(former.cls, former.properties, current.cls, current.properties)
    is_multiple_apply = current.cls.kind == "multiple-apply"        # as "prefix"
    for name, prop in current.properties.items():
        if name not in pairs:
            yield Difference(current.cls.name, name, "added", "compatible", f"{_noun(prop)} added{_already(prop)}")
            continue
        earlier = pairs[name]
        old = former.properties[earlier]
        same_word = old.name == prop.name or earlier == name
        if earlier != name and not (is_multiple_apply and same_word):
            yield Difference(current.cls.name, name, "renamed", "breaking", f"{_noun(prop)} renamed, was {earlier}",
                             earlier, name)
        yield from _pair(current.cls.name, name, old, prop, carried if same_word else carried - {"api"})
    for name, prop in former.properties.items():
        if name not in pairs.values():
            level: Level = "compatible" if prop.retired else "breaking"
            yield Difference(current.cls.name, name, "removed", level, f"{_noun(prop)} removed{_already(prop)}")


def _noun(prop: Property) -> str:
    return "attribute" if isinstance(prop, Attribute) else "relationship"


def _pair(schema: str, name: str, old: Property, new: Property, carried: frozenset[str]) -> Iterator[Difference]:
    """One property in both schemas."""
    if new.retired and not old.retired:
        yield Difference(schema, name, "retired", "breaking", f"{_noun(new)} retired in {new.retired}{_instead(new)}")
        return
    if "api" in carried:
        yield from _fact(schema, name, "accessor", "breaking", _accessor(old), _accessor(new))
    if isinstance(old, Attribute) and isinstance(new, Attribute):
        yield from _attribute(schema, name, old, new, carried)
    elif isinstance(old, Relationship) and isinstance(new, Relationship):
        if "advice" in carried:
            yield from _fact(schema, name, "targets", "compatible", ", ".join(old.targets), ", ".join(new.targets))
            yield from _fact(schema, name, "several targets", "compatible" if new.many else "breaking",
                             str(old.many), str(new.many))
    else:
        yield from _fact(schema, name, "type", "breaking", _noun(old), _noun(new))
    yield from _shared(schema, name, old, new, carried)


def _accessor(prop: Property) -> str:
    return "" if prop.api == "" else f"Get{naming.api_name(prop)}{naming.suffix(prop)}"


def _attribute(schema: str, name: str, old: Attribute, new: Attribute, carried: frozenset[str]) -> Iterator[Difference]:
    yield from _fact(schema, name, "type", "breaking", old.type, new.type)
    yield from _fact(schema, name, "variability", "breaking", _variability(old), _variability(new))
    yield from _fact(schema, name, "default", "breaking", _value(old.default), _value(new.default))
    yield from _allowed(schema, name, "token", old.tokens, new.tokens)
    if "range" in carried and old.range != new.range:
        level: Level = "compatible" if value_types.range_contains(new.range, old.range) else "breaking"
        yield from _fact(schema, name, "range", level, old.range_text or "any", new.range_text or "any")
    if "unit" in carried:
        yield from _fact(schema, name, "unit", "docs", old.unit, new.unit)


def _variability(attribute: Attribute) -> str:
    return "uniform" if attribute.uniform else "varying"


def _value(value: Any) -> str:
    """A default as people read it; text keeps its quotes, so that an empty one is not taken for none."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return f"({', '.join(map(_value, value))})"
    return repr(value) if isinstance(value, str | bool) else number_text(value)


def _shared(
    schema: str, name: str, old: SchemaClass | Property, new: SchemaClass | Property, carried: frozenset[str],
) -> Iterator[Difference]:
    """What classes, attributes and relationships have alike."""
    if not isinstance(old, SchemaClass) and not isinstance(new, SchemaClass):
        yield from _fact(schema, name, "display", "compatible", old.display, new.display)
        yield from _fact(schema, name, "group", "compatible", old.group, new.group)
    yield from _fact(schema, name, "hidden", "compatible", str(old.hidden), str(new.hidden))
    if "deprecation" in carried:
        level: Level = "docs" if old.deprecated and new.deprecated else "compatible"
        yield from _fact(schema, name, "deprecated", level, old.deprecated, new.deprecated)
    yield from _doc(schema, name, "docs" if "docs" in carried else "brief", old.doc, new.doc)


def _doc(schema: str, name: str, carried: str, old: str, new: str) -> Iterator[Difference]:
    """Documentation; where one side has the first sentence only, those are compared."""
    first, second = (" ".join((text if carried == "docs" else usda.brief(text)).split()) for text in (old, new))
    if first != second and (carried == "docs" or (first and second)):
        yield Difference(schema, name, "doc", "docs", "documentation reworded" if first and second else
                         "documentation added" if second else "documentation removed", first, second)


def _allowed(
    schema: str, name: str, noun: str, old: tuple[str, ...], new: tuple[str, ...],
) -> Iterator[Difference]:
    """Lists where an empty one allows everything."""
    if bool(old) != bool(new):
        level: Level = "breaking" if new else "compatible"
        yield from _fact(schema, name, f"{noun}s", level, ", ".join(old) or "any", ", ".join(new) or "any")
    else:
        yield from _members(schema, name, noun, old, new, "breaking", "compatible")


def _members(
    schema: str, name: str, noun: str, old: tuple[str, ...], new: tuple[str, ...], removed: Level, added: Level,
) -> Iterator[Difference]:
    for word in old:
        if word not in new:
            yield Difference(schema, name, f"{noun} removed", removed, f"{noun} {word!r} removed", word)
    for word in new:
        if word not in old:
            yield Difference(schema, name, f"{noun} added", added, f"{noun} {word!r} added", "", word)
    if old != new and sorted(old) == sorted(new):
        yield from _fact(schema, name, f"order of {noun}s", "compatible", ", ".join(old), ", ".join(new))


def _fact(schema: str, name: str, change: str, level: Level, old: str, new: str) -> Iterator[Difference]:
    if old != new:
        yield Difference(schema, name, change, level, f"{change} {old or '(none)'} -> {new or '(none)'}", old, new)


def text(comparison: Comparison) -> str:
    """For people: what breaks first, one line each under its class, what was not compared, and the counts."""
    lines: list[str] = []
    for level in LEVELS:
        selected = [item for item in comparison.differences if item.level == level]
        if selected:
            lines += [f"{level}:"]
        for schema, group in groupby(selected, key=lambda item: item.schema):
            lines += [f"  {schema or '(library)'}"]
            lines += [f"    {item.property + ': ' if item.property else ''}{item.text}" for item in group]
    if comparison.not_compared:
        lines += [f"not compared, because one side does not have them: {', '.join(comparison.not_compared)}"]
    counts = Counter(item.level for item in comparison.differences)
    lines += [f"{comparison.old} -> {comparison.new}: " + ", ".join(f"{counts[level]} {level}" for level in LEVELS)]
    return "\n".join(" ".join(line.splitlines()) if "\n" in line else line for line in lines)


def as_json(comparison: Comparison) -> str:
    """For programs: versioned and sorted."""
    fields = ("schema", "property", "change", "level", "text", "old", "new")
    return json.dumps({
        "version": VERSION, "old": comparison.old, "new": comparison.new,
        "counts": {level: comparison.count(level) for level in LEVELS},
        "not_compared": list(comparison.not_compared),
        "differences": [{field: getattr(item, field) for field in fields} for item in comparison.differences],
    }, indent=2)
