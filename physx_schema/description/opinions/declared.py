"""Which schema declares a property, by the generated definitions: of a prim's schemas, or of all there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from pxr import Usd

from physx_schema.definitions import definitions
from physx_schema.description.model import AppliedSchema
from physx_schema.description.opinions.ownership import Owner
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.schemas import split_name


def applied_schemas(prims: Iterable[PrimOpinions]) -> Iterator[AppliedSchema]:
    """The API schemas whose definitions say where they belong or under which instance names they count."""
    for opinions in prims:
        for applied in opinions.applied:
            schema, instance = split_name(applied)
            definition = definitions().get(schema)
            if definition is not None and (definition.applies_to or definition.instances):
                host = {*_ancestors(opinions.type_name), *(split_name(name)[0] for name in opinions.applied)}
                yield AppliedSchema(opinions.path, schema, instance, frozenset(host))


@cache
def _ancestors(type_name: str) -> frozenset[str]:
    """A prim type's USD name and those of the types it derives from."""
    kind = Usd.SchemaRegistry.GetTypeFromSchemaTypeName(type_name)
    ancestors = () if kind.isUnknown else kind.GetAllAncestorTypes()
    names = map(Usd.SchemaRegistry.GetSchemaTypeName, ancestors)
    return frozenset({type_name, *filter(None, names)})


def elsewhere(name: str) -> Owner | None:
    """A schema that declares a property of this name, on whatever prim."""
    single, multiple = _index()
    if name in single:
        return single[name]
    head, _, rest = name.partition(":")
    for schema, bases in multiple.get(head, {}).items():
        base = next((base for base in bases if rest.endswith(f":{base}")), "")
        if base:
            return Owner(schema, rest.removesuffix(f":{base}"), base)
    return None


def names_like(name: str) -> Iterator[str]:
    """Names of properties in the namespace of one, whatever its case; under its instance name where it has one."""
    head, _, rest = name.partition(":")
    single, multiple = _index()
    yield from (other for other in single if other.partition(":")[0].lower() == head.lower())
    for prefix, schemas in multiple.items():
        if prefix.lower() == head.lower():
            yield from (f"{prefix}:{rest.partition(':')[0]}:{base}" for bases in schemas.values() for base in bases)


@cache
def _index() -> tuple[Mapping[str, Owner], Mapping[str, Mapping[str, tuple[str, ...]]]]:
    """Full property names of schemas without instances; of the others, prefix to schema to base names."""
    single: dict[str, Owner] = {}
    multiple: dict[str, dict[str, tuple[str, ...]]] = {}
    for schema, definition in definitions().items():
        if definition.kind == "multiple-apply":
            multiple.setdefault(definition.prefix, {})[schema] = tuple(definition.own)
        else:
            single |= {name: Owner(schema, "", name) for name in definition.own}
    return single, multiple


def declaring(schemas: Iterable[str], name: str) -> Owner | None:
    """The first of a prim's schemas, given as in apiSchemas, that declares the property."""
    for applied in schemas:
        schema, instance = split_name(applied)
        definition = definitions().get(schema)
        if definition is None:
            continue
        start = definition.start(instance) if instance else definition.start()
        base = name[len(start):]
        if name.startswith(start) and base in definition.by_name:
            return Owner(schema, instance, base)
    return None
