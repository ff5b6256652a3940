"""Findings that someone decided to live with, and why: on a prim, on a layer, or in pyproject.toml.

A prim's customData holds them as ``physxSchema:waive``, a dictionary of codes (or families, such as "DJ.007") with a
reason each; it counts for that prim alone. The same dictionary in the root layer's customLayerData counts for the whole
stage, an entry of ``[[tool.physx-schema.check.waive]]`` for the prims and files that it names.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pxr import Usd

from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.report import Waived
from physx_schema.checking.engine.rule import belongs

# Read by key: a whole dictionary may be nested deeper than USD can turn into Python.
KEY = "physxSchema:waive"
FAMILY = "waiver"           # of the findings about waivers, which cannot be waived


@dataclass(frozen=True, slots=True)
class Waiver:
    """A decision to live with findings of a code, or of all codes of a family."""

    code: str
    reason: str
    source: str                 # where it stands, for people
    path: str = "*"             # prims, as a pattern with * and ?; the whole stage by default
    file: str = "*"             # stages, as a pattern
    home: str = "/"             # the prim that a finding about the waiver itself is at
    local: bool = False         # `path` is one prim, whatever characters its name has

    def covers(self, finding: Finding) -> bool:
        """Whether it takes out a finding of a stage that its file pattern holds."""
        if not self.reason or not belongs(finding.code, self.code) or belongs(finding.code, FAMILY):
            return False
        return finding.path == self.path if self.local else fnmatch.fnmatchcase(finding.path, self.path)


@dataclass(frozen=True, slots=True)
class Applied:
    """Findings with waivers taken into account."""

    findings: tuple[Finding, ...]       # what is left
    waived: tuple[Waived, ...]
    used: frozenset[Waiver]


def waivers_of(stage: Any) -> Iterator[Waiver]:
    """The waivers that a stage carries, those of the layer first."""
    layer = stage.GetRootLayer()
    entries = stage.GetMetadataByDictKey("customLayerData", KEY)
    yield from _entries(entries, "/", f"customLayerData of {layer.GetDisplayName()}")
    for prim in Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()):
        if prim.HasAuthoredMetadata("customData"):
            path = str(prim.GetPath())
            yield from _entries(prim.GetCustomDataByKey(KEY), path, f"customData of {path}")


def _entries(entries: object, path: str, source: str) -> Iterator[Waiver]:
    if entries is None:
        return
    if not isinstance(entries, Mapping):
        yield Waiver("", "", source, path, home=path, local=path != "/")
        return
    for code, reason in sorted(entries.items()):
        said = reason.strip() if isinstance(reason, str) else ""
        pattern = "*" if path == "/" else path
        yield Waiver(str(code), said, source, pattern, home=path, local=path != "/")


def apply(waivers: Sequence[Waiver], findings: Iterable[Finding]) -> Applied:
    """Take the findings out that a waiver covers; the first that does counts as used."""
    by_code: dict[str, list[Waiver]] = {}
    left: list[Finding] = []
    waived: list[Waived] = []
    used: set[Waiver] = set()
    for finding in findings:
        if finding.code not in by_code:
            by_code[finding.code] = [item for item in waivers if belongs(finding.code, item.code)]
        waiver = next((item for item in by_code[finding.code] if item.covers(finding)), None)
        if waiver is None:
            left.append(finding)
        else:
            waived.append(Waived(finding, waiver.reason, waiver.source))
            used.add(waiver)
    return Applied(tuple(left), tuple(waived), frozenset(used))
