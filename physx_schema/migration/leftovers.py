"""What a migration leaves without effect: moved values that nothing reads, orphans, and what `diff` calls breaking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from physx_generated._definition import Property
from pxr import Usd

from physx_schema.description import Opinion, describe
from physx_schema.migration.changes import Difference, Place, present, words
from physx_schema.migration.composition import Composition, Site
from physx_schema.migration.report import OPEN, ChangeKind, LayerChange, Note, Preview
from physx_schema.migration.rewrite import items, prim_specs
from physx_schema.migration.rules import Rules

Unread = Mapping[tuple[str, str], Opinion]          # by path and property
# Why PhysX does not read what has the right schema: it did not read it under the former name either.
CIRCUMSTANCES = frozenset({"idle", "dropped", "disabled", "no-drive", "soft-limit"})
OF_USERS = frozenset({"primvars", "inputs", "outputs", "userProperties"})    # namespaces that no schema lists


@dataclass(frozen=True, slots=True)
class _Spot:
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
        yield Note(change.name, "/", "", "left", "no stage could be composed of the migrated layer, so nothing shows "
                   "whether its values are used", "write it, then run check and describe on the stage")
    moved = any(note.became for change in changes for note in change.notes)
    unread = _unread(preview.stages[:read]) if read is not None and moved else {}
    layers = [preview.layer(change) for change in changes]
    wanted = {(layer.identifier, path) for layer in layers for spec in prim_specs(layer) if _is_concerned(spec)
              for path in (spec.path, spec.path.StripAllVariantSelections())}
    composition = Composition(preview.stages, wanted)
    for change, layer in zip(changes, layers, strict=True):
        became = {(note.path, name): note for note in change.notes for name in note.became}
        left = {(note.path, note.property) for note in change.notes if note.kind in OPEN}
        for spec in prim_specs(layer):
            if (layer.identifier, spec.path) not in wanted:
                continue
            spot = _spot(spec, layer, composition, rules)
            found = {**_orphans(spot, rules, differences, claimed=read is None),
                     **_unproven(spot, became, unread, rules), **_breaking(spot, differences, rules)}
            yield from (Note(change.name, spot.path, name, *said) for name, said in found.items()
                        if (spot.path, name) not in left)


def _is_concerned(spec: Any) -> bool:
    return bool(spec.properties or spec.typeName or spec.HasInfo("apiSchemas"))


def _unread(stages: Sequence[Any]) -> Unread:
    """What PhysX does not read of the migrated stages."""
    return {(opinion.path, opinion.property): opinion for stage in stages for opinion in describe(stage).unused}


def _spot(spec: Any, layer: Any, composition: Composition, rules: Rules) -> _Spot:
    named = composition.schemas(layer, spec.path)
    known = rules.standing.all_of(named)
    return _Spot(spec, str(spec.path), composition.sites(layer, spec.path), named, known,
                 rules.standing.properties(known))


Said = dict[str, tuple[ChangeKind, str, str]]       # property to kind, message and fix


def _unproven(spot: _Spot, became: Mapping[tuple[str, str], Note], unread: Unread, rules: Rules) -> Said:
    """Values that were moved and have no effect where they are now."""
    found: Said = {}
    for name in (prop.name for prop in spot.spec.properties if (spot.path, prop.name) in became):
        reasons = [unread[place] for site in spot.sites for place in [(str(site.prim.GetPath()), name)]
                   if place in unread]
        if name not in spot.defined:
            found[name] = "left", "is what no schema of the prim defines", "apply the schema that it belongs to"
        elif (gone := rules.find(name)) and not gone[0].schema:
            found[name] = "left", f"{name} is retired and has no successor one to one", gone[0].instead or "remove it"
        elif other := _foreign_words(spot.spec.properties[name], spot.defined[name]):
            found[name] = ("left", f"has {', '.join(other)}, which the schema does not allow",
                           "author one that it allows")
        elif reasons:
            kind: ChangeKind = "note" if reasons[0].code in CIRCUMSTANCES else "left"
            fix = reasons[0].suggestion or "remove it, or author it where it is read"
            found[name] = kind, f"PhysX does not read it on this stage: {reasons[0].reason}", fix
    return found


def _foreign_words(prop: Any, definition: Property) -> list[str]:
    """The words of a property that its definition does not allow."""
    allowed = getattr(definition, "tokens", ())
    return sorted({word for group in words(prop) for word in group if word not in allowed}) if allowed else []


def _breaking(spot: _Spot, differences: Sequence[Difference], rules: Rules) -> Said:
    """What has changed without a successor."""
    listed = items(spot.spec)
    place = Place(
        spot.spec, listed, rules.standing.all_of([*listed, str(spot.spec.typeName)]), spot.known,
        next((str(site.prim.GetTypeName()) for site in spot.sites), ""),
        lambda name: all(site.prim.GetProperty(name).IsAuthored() for site in spot.sites))
    found: Said = {}
    for item in present(differences, place):
        message = f"{item.difference.schema}: {item.difference.text}"
        _, before, _ = found.get(item.property, ("", "", ""))
        found[item.property] = "left", f"{before}; {message}" if before else message, item.fix
    return found


def _orphans(spot: _Spot, rules: Rules, differences: Sequence[Difference], *, claimed: bool) -> Said:
    """Properties in the namespace of a schema that does not define them (`claimed`), and of schemas that are gone."""
    removed = {item.schema for item in differences if item.change == "removed" and not item.property}
    gone = sorted(removed & {name.partition(":")[0] for name in spot.named})
    registered = _registered(frozenset(spot.named))
    found: Said = {}
    for entry in filter(rules.standing.misapplied, items(spot.spec) if claimed else ()):
        rule = "it has none" if ":" in entry else "it needs one"
        found["apiSchemas"] = "left", f"{entry}: wrong instance name, {rule}", "apply it as it is to be applied now"
    for name, prop in [(prop.name, prop) for prop in spot.spec.properties if ":" in prop.name]:
        if name in spot.defined or rules.is_former(name) or name in registered:
            continue
        claimant, former = rules.standing.claiming(name, spot.known), rules.standing.renamed(name, spot.known)
        owner = rules.standing.owner(name)
        if owner and owner not in spot.known and claimed:
            found[name] = "left", f"{owner} is not on the prim, so nothing reads it", f"apply {owner}, or remove it"
        elif claimant and claimed and not (prop.custom and not former):
            found[name] = "left", f"{claimant} has no such property", "author what replaces it, or remove it"
        elif former:
            was = rules.standing.definitions[former].renamed_from
            found[name] = ("left", f"no schema of the prim defines it; it may be of {former}, once {was}",
                           "give the file of `physx-schema diff OLD NEW --json` as --changes, or rename it by hand")
        elif gone and not prop.custom and name.partition(":")[0] not in OF_USERS:
            found[name] = ("left", f"no schema of the prim defines it; it may be of {', '.join(gone)}, which is gone",
                           "author what replaces it, or remove it")
    return found


@cache
def _registered(schemas: frozenset[str]) -> frozenset[str]:
    """What those of the schemas define that USD knows."""
    registry = Usd.SchemaRegistry()
    found = [registry.FindConcretePrimDefinition(name) for name in schemas]
    applied = [name for name in sorted(schemas) if registry.FindAppliedAPIPrimDefinition(name.partition(":")[0])]
    found += [registry.BuildComposedPrimDefinition("", applied)] if applied else []
    return frozenset(name for definition in found if definition for name in definition.GetPropertyNames())
