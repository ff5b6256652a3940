"""One stage checked: what the rules find on it, less what its waivers take out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from physx_schema.checking.catalogue import FINDERS, RULES, selection_of
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.outcome import order, run
from physx_schema.checking.engine.profile import DEFAULT_PROFILE, parse_profile
from physx_schema.checking.engine.report import Report
from physx_schema.checking.engine.selection import Selection
from physx_schema.checking.engine.waiver import Waiver, apply, waivers_of
from physx_schema.checking.rules.waivers import faults
from physx_schema.description import Opinion, describe
from physx_schema.description.stages import open_stage
from physx_schema.description.uncollected import uncollected


def check(
    source: str | Path | Any, profile: str = DEFAULT_PROFILE, select: Sequence[str] = (), ignore: Sequence[str] = (),
    waivers: Sequence[Waiver] = (),
) -> Report:
    """Check a stage, given as a path or a Usd.Stage, against the rules of a profile.

    Profiles: "physx" (what the simulator does), "simready" (the published rules), "newton" (what Newton makes of the
    stage), "driven" (the published rules for driven joints), or several joined with +. `select` keeps the findings of
    some codes or families such as "DJ.007", `ignore` leaves some out; `waivers` count beside those on the stage. Raises
    UnreadableError for a path that is no readable USD file and ValueError for an unknown profile, code or family.
    """
    selection = selection_of(select, ignore)
    parse_profile(profile)      # refused before anything is read
    with uncollected():
        return _check(open_stage(source), profile, selection, waivers)


def _check(stage: Any, profile: str, selection: Selection, waivers: Sequence[Waiver]) -> Report:
    description = describe(stage)
    outcome = run(FINDERS, description, parse_profile(profile), selection)
    own = tuple(waivers_of(stage))
    applied = apply((*own, *waivers), outcome.findings)
    about_waivers = selection.of(faults(own, applied.used, outcome.codes, RULES))
    left = sorted((*applied.findings, *about_waivers), key=order)
    outcome = replace(outcome, findings=tuple(replace(item, layer=_layer(stage, item)) for item in left))
    unjudged = (Opinion(item.path, item.property, item.reason, item.fix, item.code) for item in outcome.unevaluated)
    return Report(
        description.source, profile, outcome.findings, description.unused, (*description.not_evaluated, *unjudged),
        outcome.verdicts, applied.waived,
    )


def _layer(stage: Any, finding: Finding) -> str:
    """The layer with the strongest opinion on what a finding is about, "" for the root layer."""
    prim = stage.GetPrimAtPath(finding.path) if finding.path.startswith("/") else None
    if not prim or prim.IsPseudoRoot():
        return ""
    item = prim.GetProperty(finding.property) if finding.property not in ("", "apiSchemas") else None
    stack = item.GetPropertyStack() if item else prim.GetPrimStack()
    if not stack or stack[0].layer == stage.GetRootLayer():
        return ""
    return str(stack[0].layer.realPath or stack[0].layer.GetDisplayName())
