"""Problems of the reader: each is a finding of the rule of its code."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.rule import Finder, ReaderRule, Rule
from physx_schema.checking.rules.bases import explained_problems
from physx_schema.description import Description, Problem

_READ_ONCE = frozenset({"value/time-samples", "value/only-samples", "value/connected"})


def reader(rules: Mapping[str, Rule]) -> Finder:
    """The finder of the rules that the reader judges."""
    reader_rules = {code: rule for code, rule in rules.items() if isinstance(rule, ReaderRule)}
    return Finder("reader", lambda description: _problems(description, reader_rules), tuple(reader_rules.values()))


def _problems(description: Description, rules: Mapping[str, ReaderRule]) -> Iterator[Finding]:
    if not description.problems:
        return
    prefixes = _joint_prefixes(description)
    values = {(item.path, item.property): item.value for item in description.authored}
    coupled = {path for item in description.mimic_declarations for path in (item.path, *item.references)}
    explained = explained_problems(description)
    for problem in description.problems:
        if (problem.code, problem.path) in explained:
            continue
        if problem.code == "body/nested" and any(map(problem.path.startswith, prefixes.get(problem.path, ()))):
            continue        # a joint holds the two together
        rule = rules[_code(problem, coupled)]
        yield rule.at(
            problem.path, problem.property, problem.message, why=problem.why, fix=problem.fix,
            severity=problem.severity, repair=rule.repair(problem, values),
        )


def _code(problem: Problem, coupled: Collection[str]) -> str:
    """The code of a problem's finding; animated mimic joints and limits of theirs belong to the mimic rule."""
    limits = problem.property in ("physics:lowerLimit", "physics:upperLimit") and problem.path in coupled
    if problem.code in _READ_ONCE and (problem.property.startswith("physxMimicJoint:") or limits):
        return "DJ.007/time-samples"
    return problem.code


def _joint_prefixes(description: Description) -> dict[str, list[str]]:
    """Return, by body, the path prefixes of the bodies that joints connect it with."""
    prefixes: dict[str, list[str]] = {}
    pairs = [(item.links[link.parent].path, link.path) for item in description.articulations for link in item.links
             if link.parent >= 0]
    pairs += [(joint.body0, joint.body1) for joint in description.joints]
    for first, second in pairs:
        prefixes.setdefault(first, []).append(second + "/")
        prefixes.setdefault(second, []).append(first + "/")
    return prefixes
