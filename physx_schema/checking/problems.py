"""What the reader could not turn into a fact."""

from __future__ import annotations

from collections.abc import Iterator

from physx_schema.checking.finding import Finding
from physx_schema.checking.rule import Rule
from physx_schema.description import Description


def reader_problems(description: Description) -> Iterator[Finding]:
    """One finding for each problem of the reader."""
    for problem in description.problems:
        yield Finding(
            problem.code, problem.severity, problem.path, problem.property, problem.message, problem.why, problem.fix,
        )


RULES = (Rule("reader", reader_problems, (
    "articulation", "body", "collider", "group", "joint", "material", "pair", "scene", "schema", "stage", "tendon",
    "value",
)),)
