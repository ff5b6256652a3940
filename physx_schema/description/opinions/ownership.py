"""Which schema a property name belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from physx_schema.description.opinions.coverage import NOT_EVALUATED
from physx_schema.description.opinions.schemas import SCHEMAS
from physx_schema.description.opinions.usd_physics import INSTANCE


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
    found = []
    for schema, facts in SCHEMAS.items():
        head, _, tail = facts.prefix.partition(INSTANCE)
        if not name.startswith(head):
            continue
        rest = name[len(head):]
        position = rest.rfind(tail) if tail else 0
        instance, base = (rest[:position], rest[position + len(tail):]) if tail else ("", rest)
        if tail and position < 1:
            continue
        if base and ":" not in base:
            known = base in facts.defaults or base in NOT_EVALUATED.get(schema, {})
            found.append(Owner(schema, instance, base, known))
    return tuple(sorted(found, key=lambda owner: not owner.known))
