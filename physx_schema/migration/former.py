"""What `diff` says a property was called before, by class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from physx_generated import Definition

from physx_schema.migration.changes import Difference

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
