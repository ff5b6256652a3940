"""Which property of a class's former version each property is now, also where the prefix of the class has changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from . import naming
from .model import Property, SchemaClass


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
    shared = _shared([name.split(":")[:-1] for name in names])
    return [":".join(shared[:count]) for count in range(len(shared) + 1)]


def _shared(spaces: list[list[str]]) -> list[str]:
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
