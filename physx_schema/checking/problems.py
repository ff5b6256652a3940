"""What the reader could not turn into a fact."""

from __future__ import annotations

from collections.abc import Iterator

from physx_schema.checking.finding import Finding
from physx_schema.description import Description


def reader_problems(description: Description) -> Iterator[Finding]:
    """One finding for each problem of the reader."""
    for problem in description.problems:
        yield Finding(
            problem.code, problem.severity, problem.path, problem.property, problem.message, problem.why, problem.fix,
        )


RULES = (("reader", reader_problems),)
