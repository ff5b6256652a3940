"""Causes of findings: a repair of a cause also removes the findings that it explains.

A rule declares the findings that its findings explain (`Rule.explains`); this module finds the pairs on a stage. It
also groups equal findings on copies of one prim. Copies are prims that one spec defines through references, payloads,
inherits or instances, and prims with paths that differ only in numbers, such as /envs/env_0/a and /envs/env_1/a.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

from pxr import Sdf

from physx_schema.checking.engine.finding import Cause, Finding, rank
from physx_schema.checking.engine.rule import Explains, Extent, Rule, belongs
from physx_schema.description import Description, Opinion
from physx_schema.description.opinions.inactive import engine_of
from physx_schema.description.opinions.schemas import namespace, owners, split_name

SCHEMAS = "apiSchemas"      # the property of findings about applied schemas
_Key = tuple[str, ...]
_PATH = re.compile(r"/[\w/]+")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class CauseGroup:
    """A finding without a cause, and the findings that it explains directly or indirectly."""

    root: Finding
    copies: tuple[Finding, ...] = ()        # the same finding on other prims
    effects: tuple[Finding, ...] = ()       # other findings that its repair removes

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings of the group, the root first."""
        return self.root, *self.copies, *self.effects

    @property
    def severity(self) -> str:
        """The worst severity."""
        return max((finding.severity for finding in self.findings), key=rank)


def grouped(findings: Sequence[Finding]) -> tuple[CauseGroup, ...]:
    """The findings grouped by cause, in the order of the findings; causes outside the sequence are ignored."""
    first: dict[Cause, Finding] = {}
    for finding in findings:
        first.setdefault(_as_cause(finding), finding)
    members: dict[int, list[Finding]] = {}
    roots: dict[int, Finding] = {}
    for finding in findings:
        root = _root(finding, first)
        roots[id(root)] = root
        members.setdefault(id(root), []).append(finding)
    return tuple(_group(root, members[key]) for key, root in roots.items())


def _group(root: Finding, members: Iterable[Finding]) -> CauseGroup:
    copies: list[Finding] = []
    effects: list[Finding] = []
    for finding in members:
        if finding is not root:
            copied = (finding.code, finding.property) == (root.code, root.property) and finding.path != root.path
            (copies if copied else effects).append(finding)
    return CauseGroup(root, tuple(copies), tuple(effects))


def _root(finding: Finding, first: Mapping[Cause, Finding]) -> Finding:
    """The first finding of a chain of causes; findings of one code, prim and property are one cause."""
    passed = set[int]()
    while finding.cause is not None and finding.cause in first and id(finding) not in passed:
        passed.add(id(finding))
        finding = first[finding.cause]
    return finding


def _as_cause(finding: Finding) -> Cause:
    return Cause(finding.code, finding.path, finding.property)


def with_causes(
    findings: Sequence[Finding], rules: Mapping[str, Rule], stage: Any, description: Description,
) -> tuple[Finding, ...]:
    """The findings of a stage, each with its cause."""
    locations = _Locations(stage, description)
    causes = _declared(findings, rules, locations)
    copies: dict[Hashable, int] = {}
    for index, finding in enumerate(findings):
        if index not in causes:
            original = copies.setdefault(locations.copy_of(finding), index)
            if original != index:
                causes[index] = original
    return tuple(replace(finding, cause=_as_cause(findings[causes[index]])) if index in causes else finding
                 for index, finding in enumerate(findings))


def _declared(findings: Sequence[Finding], rules: Mapping[str, Rule], locations: _Locations) -> dict[int, int]:
    """The index of the cause for the index of a finding, as rules declare it."""
    sources: dict[tuple[Explains, Hashable], list[int]] = {}
    for index, finding in enumerate(findings):
        for explains in rules[finding.code].explains if finding.code in rules else ():
            for key in locations.of_cause(explains.extent, finding):
                sources.setdefault((explains, key), []).append(index)
    declared = tuple(dict.fromkeys(explains for explains, _ in sources))
    causes: dict[int, int] = {}
    for index, finding in enumerate(findings):
        for explains in (item for item in declared if _concerns(item, finding)):
            candidates = chain.from_iterable(
                sources.get((explains, key), ()) for key in locations.of_effect(explains.extent, finding))
            cause = next((other for other in candidates if _may_explain(findings, other, index, causes)), None)
            if cause is not None:
                causes[index] = cause
                break
    return causes


def _concerns(explains: Explains, finding: Finding) -> bool:
    name = finding.message if finding.property == SCHEMAS else finding.property
    named = not explains.properties or name.startswith(explains.properties)
    coded = any(belongs(finding.code, code) for code in explains.codes)
    return named and coded and finding.fix.startswith(explains.fix)


def _may_explain(findings: Sequence[Finding], cause: int, effect: int, causes: Mapping[int, int]) -> bool:
    """Whether a finding may explain another: among equal codes only the first may, and never in a cycle."""
    if findings[cause].code == findings[effect].code and cause >= effect:
        return False
    while cause in causes and cause != effect:
        cause = causes[cause]
    return cause != effect


class _Locations:
    """Locations of findings as keys that a cause and its effects share."""

    def __init__(self, stage: Any, description: Description) -> None:
        self._stage = stage
        self._description = description
        self._instances: dict[str, str] = {}
        self._originals: dict[str, tuple[str, str]] = {}

    def of_cause(self, extent: Extent, finding: Finding) -> Iterator[_Key]:
        """The keys of a finding as a cause."""
        match extent:
            case "prim" | "below" | "target":
                yield (finding.path,)
            case "schema":
                yield from self._schemas_of_cause(finding)
            case _:
                yield from self.of_effect(extent, finding)

    def of_effect(self, extent: Extent, finding: Finding) -> Iterator[_Key]:
        """The keys of a finding as an effect."""
        match extent:
            case "prim":
                yield (finding.path,)
            case "below":
                yield from ((path,) for path in _upwards(finding.path))
            case "target":
                yield from ((path,) for target in self._targets.get((finding.path, finding.property), ())
                            for path in _upwards(target))
            case "instance":
                instance = self._instance(finding.path)
                if instance:
                    yield (instance,)
            case "schema":
                yield from self._schemas_of_effect(finding)
            case "engine":
                yield (self._engine(finding),)
            case "remedy":
                yield finding.property, finding.fix
            case "stage":
                yield ("",)

    def copy_of(self, finding: Finding) -> Hashable:
        """A key that equal findings on copies of one prim share."""
        copy, original = self._original(finding.path)
        texts = (finding.path, finding.message, finding.why, finding.fix)
        if copy:
            own = re.compile(re.escape(copy) + r"(?!\w)")
            texts = tuple(own.sub(lambda match: original, text) for text in texts)      # type: ignore[assignment]
        return (finding.code, finding.severity, finding.property, finding.layer, *map(_unnumbered, texts))

    def _original(self, path: str) -> tuple[str, str]:
        """The copy that a prim belongs to, and its original, a prim of a layer; "" for none."""
        if path not in self._originals:
            prim: Any = self._stage.GetPrimAtPath(path) if path.startswith("/") else None
            specs = prim.GetPrimStack() if prim and not prim.IsPseudoRoot() else ()
            defining = next((spec for spec in reversed(specs) if spec.specifier != Sdf.SpecifierOver), None)
            self._originals[path] = ("", "") if defining is None else _without_common_end(
                path, str(defining.path.StripAllVariantSelections()), defining.layer.identifier)
        return self._originals[path]

    def _instance(self, path: str) -> str:
        """The instance that contains or is a prim, "" for none."""
        if path not in self._instances:
            prim: Any = self._stage.GetPrimAtPath(path) if path.startswith("/") else None
            while prim and not prim.IsInstance() and not prim.IsPseudoRoot():
                prim = prim.GetParent()
            self._instances[path] = str(prim.GetPath()) if prim and prim.IsInstance() else ""
        return self._instances[path]

    def _engine(self, finding: Finding) -> str:
        """The other engine that a finding is about."""
        name = finding.message if finding.property in ("", SCHEMAS) else finding.property
        return engine_of(name)

    def _schemas_of_cause(self, finding: Finding) -> Iterator[_Key]:
        opinion = self._opinions.get((finding.path, finding.property, finding.message))
        if opinion is None:
            return
        yield finding.path, finding.code, _bare_reason(opinion)
        if finding.property != SCHEMAS:
            yield from ((finding.path, finding.code, schema) for schema in filter(None, (opinion.schema,)))
            return
        for applied in filter(None, {opinion.schema, opinion.suggestion, opinion.reason.partition(": ")[0]}):
            yield finding.path, applied
            yield finding.path, f"{namespace(split_name(applied)[0])}:"

    def _schemas_of_effect(self, finding: Finding) -> Iterator[_Key]:
        opinion = self._opinions.get((finding.path, finding.property, finding.message))
        if opinion is None:
            return
        if finding.property != SCHEMAS:
            yield from ((finding.path, schema) for schema in filter(None, (opinion.schema,)))
            yield from ((finding.path, owner.applied) for owner in owners(finding.property))
            yield finding.path, f"{finding.property.partition(':')[0]}:"
            yield from ((finding.path, finding.code, schema) for schema in filter(None, (opinion.schema,)))
        yield finding.path, finding.code, _bare_reason(opinion)

    @cached_property
    def _opinions(self) -> Mapping[tuple[str, str, str], Opinion]:
        return {(item.path, item.property, item.reason): item for item in self._description.unused}

    @cached_property
    def _targets(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """The targets of relationships, by prim and name."""
        return {(item.path, item.property): tuple(map(str, item.value)) for item in self._description.authored
                if item.type_name == "rel" and isinstance(item.value, Sequence)}


def _upwards(path: str) -> Iterator[str]:
    """A path and its ancestors."""
    if path.startswith("/"):
        yield from map(str, Sdf.Path(path).GetPrimPath().GetPrefixes()[::-1])
        yield "/"


def _without_common_end(path: str, original: str, layer: str) -> tuple[str, str]:
    """A prim's path and its original's, without their common end, the original with its layer; "" if both are equal."""
    if path == original:
        return "", ""
    copy_names, original_names = path.split("/"), original.split("/")
    while len(copy_names) > 2 and len(original_names) > 2 and copy_names[-1] == original_names[-1]:
        copy_names.pop()
        original_names.pop()
    return "/".join(copy_names), f"{layer}<{'/'.join(original_names)}>"


def _bare_reason(opinion: Opinion) -> str:
    """The reason without a schema name at its beginning."""
    return opinion.reason.removeprefix(f"{opinion.schema}: ") if opinion.property == SCHEMAS else opinion.reason


def _unnumbered(text: str) -> str:
    """A text with # in place of numbers in paths."""
    return _PATH.sub(lambda match: _NUMBER.sub("#", match[0]), text)
