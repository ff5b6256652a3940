"""What a robot does, in a few lines for commands that are about something else."""

from __future__ import annotations

from collections.abc import Iterator

from physx_schema.checking import check
from physx_schema.checking.engine.finding import BEHAVIOUR, location, rank
from physx_schema.text import plural

MAX_LINES = 5       # the severest first; a check has all


def behaviour_lines(stage: object) -> Iterator[str]:
    """A line for each finding about what the robot does, the severest first, and how many more there are.

    Raises UnreadableError for a stage that cannot be read.
    """
    report = check(stage, BEHAVIOUR)
    findings = sorted(report.findings, key=lambda finding: -rank(finding.severity))
    for item in findings[:MAX_LINES]:
        yield f"{item.severity} {item.code}: {location(item.path, item.property)}: {item.message}; {item.fix}"
    if len(findings) > MAX_LINES:
        more = plural(len(findings) - MAX_LINES, "more finding")
        yield f"and {more} on what the robot does; `physx-schema check --profile {BEHAVIOUR}` has all"
