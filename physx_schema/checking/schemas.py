"""Applied schemas on prims, or under instance names, that their definitions do not foresee."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from physx_schema.checking.finding import Finding
from physx_schema.checking.rule import Rule
from physx_schema.definitions import definitions
from physx_schema.description import Description
from physx_schema.description.opinions.known import OTHER_SCHEMAS


def misplaced_schemas(description: Description) -> Iterator[Finding]:
    """Schemas where they do not belong; those that the description reads are judged by what became of them."""
    for applied in description.applied:
        if applied.schema not in OTHER_SCHEMAS:
            continue
        definition = definitions()[applied.schema]
        if definition.applies_to and not applied.host.intersection(definition.applies_to):
            wanted = " or ".join(definition.applies_to)
            yield Finding(
                "schema/host", "warning", applied.path, "apiSchemas",
                f"{applied.schema} is on a prim that is no {wanted}", "PhysX does not look for it there",
                f"apply {definition.applies_to[0]} too, or move it to a prim that has it",
            )
        if definition.instances and applied.instance not in definition.instances:
            close = get_close_matches(applied.instance, definition.instances, 1)
            yield Finding(
                "schema/instance", "error", applied.path, "apiSchemas",
                f"{applied.schema} instance {applied.instance!r} is not one of {', '.join(definition.instances)}",
                "PhysX does not read it under this name",
                f"did you mean {close[0]!r}?" if close else f"use one of {', '.join(definition.instances)}",
            )


RULES = (Rule("schemas", misplaced_schemas, ("schema/host", "schema/instance")),)
