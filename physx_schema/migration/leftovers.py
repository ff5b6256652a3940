"""What a migration leaves without effect: moved values that nothing reads, orphans, and what `diff` calls breaking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from physx_generated._definition import Property
from pxr import Usd

from physx_schema.description import Opinion, describe
from physx_schema.migration.changes import Difference, MigratedSpec, present, words
from physx_schema.migration.composition import Composition, Site
from physx_schema.migration.report import OPEN, ChangeKind, LayerChange, Note, Preview
from physx_schema.migration.rewrite import items, prim_specs
from physx_schema.migration.rules import Rules

Unread = Mapping[tuple[str, str], Opinion]          # by path and property
# Why PhysX does not read what has the right schema: it did not read it under the former name either.
CONDITIONS = frozenset({"idle", "dropped", "disabled", "no-drive", "soft-limit"})
OF_USERS = frozenset({"primvars", "inputs", "outputs", "userProperties"})    # namespaces that no schema lists


@dataclass(frozen=True, slots=True)
class _SpecTarget:
    """A prim spec of a migrated layer, and the prims it takes part in."""

    spec: Any
    path: str
    sites: Sequence[Site]
    named: set[str]                     # schemas as they stand on the prims
    known: set[str]                     # those with parents, built-ins and present names
    defined: Mapping[str, Property]     # properties that they define, by full name


def remaining(
    stages: Sequence[Any], changes: Sequence[LayerChange], rules: Rules, differences: Sequence[Difference], *,
    read: int | None,
) -> Iterator[Note]:
    """What to report of the stages as they will be; PhysX's own reading of the first `read` counts, if not None."""
    preview = Preview(stages, changes)
    for change in preview.missing(changes):
        yield Note(change.name, "/", "", "left",
                   "no stage could be composed from the migrated layer; it is unknown if PhysX uses the migrated "
                   "values",
                   "write the layer, then run check and describe on the stage")
    moved = any(note.became for change in changes for note in change.notes)
    unread = _unread(preview.stages[:read]) if read is not None and moved else {}
    layers = [preview.layer(change) for change in changes]
    spec_keys = {(layer.identifier, path) for layer in layers for spec in prim_specs(layer) if _is_concerned(spec)
                 for path in (spec.path, spec.path.StripAllVariantSelections())}
    composition = Composition(preview.stages, spec_keys)
    for change, layer in zip(changes, layers, strict=True):
        became = {(note.path, name): note for note in change.notes for name in note.became}
        left = {(note.path, note.property) for note in change.notes if note.kind in OPEN}
        for spec in prim_specs(layer):
            if (layer.identifier, spec.path) not in spec_keys:
                continue
            target = _spec_target(spec, layer, composition, rules)
            notes = {**_orphans(target, rules, differences, claimed=read is None),
                     **_unproven(target, became, unread, rules), **_breaking(target, differences, rules)}
            yield from (Note(change.name, target.path, name, *message) for name, message in notes.items()
                        if (target.path, name) not in left)


def _is_concerned(spec: Any) -> bool:
    return bool(spec.properties or spec.typeName or spec.HasInfo("apiSchemas"))


def _unread(stages: Sequence[Any]) -> Unread:
    """What PhysX does not read of the migrated stages."""
    return {(opinion.path, opinion.property): opinion for stage in stages for opinion in describe(stage).unused}


def _spec_target(spec: Any, layer: Any, composition: Composition, rules: Rules) -> _SpecTarget:
    named = composition.schemas(layer, spec.path)
    known = rules.index.all_of(named)
    return _SpecTarget(spec, str(spec.path), composition.sites(layer, spec.path), named, known,
                       rules.index.properties(known))


Notes = dict[str, tuple[ChangeKind, str, str]]       # property to kind, message and fix


def _unproven(target: _SpecTarget, became: Mapping[tuple[str, str], Note], unread: Unread, rules: Rules) -> Notes:
    """Values that were moved and have no effect where they are now."""
    notes: Notes = {}
    for name in (prop.name for prop in target.spec.properties if (target.path, prop.name) in became):
        reasons = [unread[key] for site in target.sites for key in [(str(site.prim.GetPath()), name)]
                   if key in unread]
        if name not in target.defined:
            notes[name] = "left", "no schema of the prim defines this property", "apply the schema of the property"
        elif (rule := rules.find(name)) and not rule[0].schema:
            notes[name] = "left", f"{name} is retired and has no one-to-one successor", rule[0].instead or "remove it"
        elif other := _foreign_words(target.spec.properties[name], target.defined[name]):
            notes[name] = ("left", f"the value {', '.join(other)} is not allowed by the schema",
                           "author an allowed value")
        elif reasons:
            kind: ChangeKind = "note" if reasons[0].code in CONDITIONS else "left"
            fix = reasons[0].suggestion or "author the value on a prim where PhysX reads it, or remove the value"
            notes[name] = kind, f"PhysX does not read the value on this stage: {reasons[0].reason}", fix
    return notes


def _foreign_words(prop: Any, definition: Property) -> list[str]:
    """The words of a property that its definition does not allow."""
    allowed = getattr(definition, "tokens", ())
    return sorted({word for group in words(prop) for word in group if word not in allowed}) if allowed else []


def _breaking(target: _SpecTarget, differences: Sequence[Difference], rules: Rules) -> Notes:
    """What has changed without a successor."""
    listed = items(target.spec)
    migrated = MigratedSpec(
        target.spec, listed, rules.index.all_of([*listed, str(target.spec.typeName)]), target.known,
        next((str(site.prim.GetTypeName()) for site in target.sites), ""),
        lambda name: all(site.prim.GetProperty(name).IsAuthored() for site in target.sites))
    notes: Notes = {}
    for item in present(differences, migrated):
        message = f"{item.difference.schema}: {item.difference.text}"
        _, before, _ = notes.get(item.property, ("", "", ""))
        notes[item.property] = "left", f"{before}; {message}" if before else message, item.fix
    return notes


def _orphans(target: _SpecTarget, rules: Rules, differences: Sequence[Difference], *, claimed: bool) -> Notes:
    """Properties in the namespace of a schema that does not define them (`claimed`), and of schemas that are gone."""
    removed = {item.schema for item in differences if item.change == "removed" and not item.property}
    absent = sorted(removed & {name.partition(":")[0] for name in target.named})
    registered = _registered(frozenset(target.named))
    notes: Notes = {}
    for entry in filter(rules.index.misapplied, items(target.spec) if claimed else ()):
        rule = "a single-apply schema has no instance name" if ":" in entry else "a multiple-apply schema needs one"
        notes["apiSchemas"] = "left", f"{entry}: wrong instance name; {rule}", "correct the instance name"
    for name, prop in [(prop.name, prop) for prop in target.spec.properties if ":" in prop.name]:
        if name in target.defined or rules.is_former(name) or name in registered:
            continue
        claimant, former = rules.index.claiming(name, target.known), rules.index.renamed(name, target.known)
        owner = rules.index.owner(name)
        if owner and owner not in target.known and claimed:
            notes[name] = "left", (f"{owner} is not applied to the prim, and nothing reads the "
                                   "property"), f"apply {owner}, or remove the property"
        elif claimant and claimed and not (prop.custom and not former):
            notes[name] = ("left", f"{claimant} has no property with this name",
                           "author the replacement of the property, or remove it")
        elif former:
            was = rules.index.definitions[former].renamed_from
            notes[name] = ("left", f"no schema of the prim defines the property; it may belong to {former}, formerly "
                           f"{was}",
                           "pass the output of `physx-schema diff OLD NEW --json` as --changes, or rename the property "
                           "by hand")
        elif absent and not prop.custom and name.partition(":")[0] not in OF_USERS:
            notes[name] = ("left",
                           "no schema of the prim defines the property; it may belong to "
                           f"{', '.join(absent)}, which was removed",
                           "author the replacement of the property, or remove it")
    return notes


@cache
def _registered(schemas: frozenset[str]) -> frozenset[str]:
    """What those of the schemas define that USD knows."""
    registry = Usd.SchemaRegistry()
    notes = [registry.FindConcretePrimDefinition(name) for name in schemas]
    applied = [name for name in sorted(schemas) if registry.FindAppliedAPIPrimDefinition(name.partition(":")[0])]
    notes += [registry.BuildComposedPrimDefinition("", applied)] if applied else []
    return frozenset(name for definition in notes if definition for name in definition.GetPropertyNames())
