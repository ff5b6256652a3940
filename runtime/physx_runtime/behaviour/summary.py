"""The findings on a robot's behaviour in a few lines, for commands on other subjects."""

from __future__ import annotations

from collections.abc import Iterator

from physx_schema.checking import check
from physx_schema.checking.engine.finding import BEHAVIOUR, location, rank
from physx_schema.text import plural

MAX_LINES = 5       # the most severe first; a check lists all


def behaviour_lines(stage: object) -> Iterator[str]:
    """Return a line for each finding on the robot's behaviour, the most severe first, and the number of the others.

    Raises UnreadableError for a stage that cannot be read.
    """
    report = check(stage, BEHAVIOUR)
    findings = sorted(report.findings, key=lambda finding: -rank(finding.severity))
    for item in findings[:MAX_LINES]:
        yield f"{item.severity} {item.code}: {location(item.path, item.property)}: {item.message}; {item.fix}"
    if len(findings) > MAX_LINES:
        more = plural(len(findings) - MAX_LINES, "more finding")
        yield f"and {more} on the robot's behaviour; `physx-schema check --profile {BEHAVIOUR}` lists all"
