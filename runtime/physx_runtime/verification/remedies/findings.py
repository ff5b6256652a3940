"""`findings_of` turns a verification into findings with repairs, in the form of a check's."""

from __future__ import annotations

from typing import Any

from physx_runtime.verification.remedies.search import edits_of
from physx_runtime.verification.report import ALTERED, NOT_EVALUATED, Row, Verification
from physx_runtime.verification.text import remedy_text, sentence
from physx_schema.checking import Report
from physx_schema.checking.engine.finding import Finding, Repair
from physx_schema.checking.engine.layer_editor import CannotError
from physx_schema.description.model import Opinion

CODES = {ALTERED: "verify/altered", "ignored": "verify/ignored"}
PRESERVED = "verify/kept"       # of a number as authored that the others' remedies would alter


def findings_of(stage: Any, verification: Verification) -> Report:
    """Findings about numbers without their intended effect, with the edits that repair them.

    A remedy that changes other settings too is an unsafe repair, since these affect everything else.
    """
    failed = [row for row in verification.rows if row.verdict in CODES or row.remedy is not None]
    unknown = (row for row in verification.rows if row.verdict == NOT_EVALUATED)
    return Report(verification.source, "physx", tuple(_finding(stage, row, verification) for row in failed),
                  not_evaluated=tuple(Opinion(row.path, row.property, row.reason) for row in unknown))


def _finding(stage: Any, row: Row, verification: Verification) -> Finding:
    fix = "" if row.remedy is None else remedy_text(row.remedy, row.intended_effect)
    return Finding(CODES.get(row.verdict, PRESERVED), "warning", row.path, row.property,
                   sentence(row, verification), row.reason, fix, repair=_repair(stage, row))


def _repair(stage: Any, row: Row) -> Repair | None:
    """The edits of a remedy; None where it has none, or needs another time step, which no stage authors."""
    remedy = row.remedy
    if remedy is None or not remedy.feasible or remedy.value is None or remedy.dt is not None:
        return None
    intended = row.intended_effect if isinstance(row.intended_effect, float) else None
    try:
        edits = edits_of(stage, (row.path, row.property), remedy.value, intended)
        setting_edits = [edit for change in remedy.settings
                         for edit in edits_of(stage, (change.path, change.property), change.value)]
    except CannotError:
        return None
    return Repair((*setting_edits, *edits), safe=not remedy.settings)
