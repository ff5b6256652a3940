"""What the applied schemas are on whose definitions say where they belong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from pxr import Usd

from physx_schema.definitions import definitions
from physx_schema.description.model import AppliedSchema
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
