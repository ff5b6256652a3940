"""Which schema a property name belongs to: of those that become facts, of a prim's, or of all there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from physx_schema.definitions import definitions
from physx_schema.description.opinions.coverage import NOT_EVALUATED
from physx_schema.description.opinions.schemas import INSTANCE, SCHEMAS, split_name


@dataclass(frozen=True, slots=True)
class Owner:
    """A schema whose prefix a property name carries."""

    schema: str
    instance: str
    base: str
    known: bool = True      # whether the schema has a property of this name

    @property
    def applied(self) -> str:
        """The schema as an entry of apiSchemas."""
        return f"{self.schema}:{self.instance}" if self.instance else self.schema


@lru_cache(1 << 14)
def owners(name: str) -> tuple[Owner, ...]:
    """Every schema the name may belong to, those that have such a property first."""
    matches = []
    for schema, facts in SCHEMAS.items():
        head, _, tail = facts.prefix.partition(INSTANCE)
        if not name.startswith(head):
            continue
        remainder = name[len(head):]
        position = remainder.rfind(tail) if tail else 0
        instance, base = (remainder[:position], remainder[position + len(tail):]) if tail else ("", remainder)
        if tail and position < 1:
            continue
        if base and ":" not in base:
            known = base in facts.defaults or base in NOT_EVALUATED.get(schema, {})
            matches.append(Owner(schema, instance, base, known))
    return tuple(sorted(matches, key=lambda owner: not owner.known))


def find_owner(name: str) -> Owner | None:
    """A schema that declares a property of this name, on whatever prim."""
    single, multiple = _index()
    if name in single:
        return single[name]
    head, _, remainder = name.partition(":")
    for schema, bases in multiple.get(head, {}).items():
        base = next((base for base in bases if remainder.endswith(f":{base}")), "")
        if base:
            return Owner(schema, remainder.removesuffix(f":{base}"), base)
    return None


def similar_names(name: str) -> Iterator[str]:
    """Names of properties in the namespace of one, whatever its case; under its instance name where it has one."""
    head, _, suffix = name.partition(":")
    single, multiple = _index()
    yield from (other for other in single if other.partition(":")[0].lower() == head.lower())
    for prefix, schemas in multiple.items():
        if prefix.lower() == head.lower():
            yield from (f"{prefix}:{suffix.partition(':')[0]}:{base}" for bases in schemas.values() for base in bases)


@cache
def _index() -> tuple[Mapping[str, Owner], Mapping[str, Mapping[str, tuple[str, ...]]]]:
    """Full property names of schemas without instances; of the others, prefix to schema to base names."""
    single: dict[str, Owner] = {}
    multiple: dict[str, dict[str, tuple[str, ...]]] = {}
    for schema, definition in definitions().items():
        if definition.kind == "multiple-apply":
            multiple.setdefault(definition.prefix, {})[schema] = tuple(definition.declared)
        else:
            single |= {name: Owner(schema, "", name) for name in definition.declared}
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
