"""What the reader could not turn into a fact."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from physx_schema.checking.finding import Finding
from physx_schema.checking.problem_repairs import repair
from physx_schema.checking.rule import Rule
from physx_schema.description import Description, Problem

_READ_ONCE = frozenset({"value/time-samples", "value/only-samples", "value/connected"})


def _code(problem: Problem, coupled: Collection[str]) -> str:
    """The code of a problem's finding: what drives a mimic joint or its limits belongs to the mimic rule."""
    limits = problem.property in ("physics:lowerLimit", "physics:upperLimit") and problem.path in coupled
    if problem.code in _READ_ONCE and (problem.property.startswith("physxMimicJoint:") or limits):
        return "DJ.007/time-samples"
    return problem.code


def reader_problems(description: Description) -> Iterator[Finding]:
    """One finding for each problem of the reader."""
    if not description.problems:
        return
    joined = _joined(description)
    values = {(item.path, item.property): item.value for item in description.authored}
    coupled = {path for item in description.mimic_declarations for path in (item.path, *item.references)}
    for problem in description.problems:
        if problem.code == "body/nested" and any(map(problem.path.startswith, joined.get(problem.path, ()))):
            continue        # a joint holds the two together
        yield Finding(
            _code(problem, coupled), problem.severity, problem.path, problem.property, problem.message, problem.why,
            problem.fix, repair=repair(problem, values),
        )


def _joined(description: Description) -> dict[str, list[str]]:
    """By body, what begins the paths below the bodies that a joint connects it with."""
    found: dict[str, list[str]] = {}
    pairs = [(item.links[link.parent].path, link.path) for item in description.articulations for link in item.links
             if link.parent >= 0]
    pairs += [(joint.body0, joint.body1) for joint in description.joints]
    for first, second in pairs:
        found.setdefault(first, []).append(second + "/")
        found.setdefault(second, []).append(first + "/")
    return found


RULES = (Rule("reader", reader_problems, (
    "DJ.007/time-samples", "DJ.011/beside", "DJ.011/loop", "articulation", "body", "collider", "group", "joint",
    "material", "pair", "scene", "schema", "stage", "tendon", "value",
)),)
