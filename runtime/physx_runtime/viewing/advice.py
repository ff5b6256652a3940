"""The advice of a report: what matters most in one sentence of words, and at most three things to do.

The rank of findings is the checker's, the rank of measured values the verification's; both are those of the last line
of `check` and `verify`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from pxr import Usd

from physx_runtime.simulation.recording import Recording
from physx_runtime.verification.headline import gravest_ignored, largest_alteration
from physx_runtime.verification.report import ALTERED, IGNORED, NOT_EVALUATED, OTHER_ENGINE, Row, Verification
from physx_runtime.verification.text import remedy_text
from physx_runtime.viewing.motion import remedy_lines
from physx_runtime.viewing.text import listed, numeral
from physx_schema.checking import Finding, Report
from physx_schema.checking.effects import by_effect, effect_rank, effect_text, gravest, speaker
from physx_schema.checking.engine.causes import CauseGroup
from physx_schema.checking.engine.finding import BEHAVIOUR, DEFAULT_PROFILE, rank
from physx_schema.text import plural

MAX_ACTIONS = 3
MAX_EXPLANATION, MAX_FIX = 240, 220         # letters, unless one clause is longer
_UNUSED = effect_rank(Finding("unused", "warning", "", "", "", "", ""))
# Headlines of codes that say more than the effect that they share with others.
_HEADLINES = {"articulation/world-joint-outside": "the robot hangs on a soft joint to the world",
              "behaviour/sag": "joints sag below their targets", "behaviour/swings": "joints swing about their targets",
              "body/no-collider": "bodies pass through everything"}
ENCODED = "tn__"            # the beginning of names with letters that USD's names cannot have
_ENCODED = re.compile(rf"\b{ENCODED}\w+")
NO_NAMES: Mapping[str, str] = MappingProxyType({})
_PATH = re.compile(r"(?<![\w/])(?:/\w+)+/(\w+)")
# Words for the part of a property's name before its instance; a tendon is named by its instance.
_TENDON = "physxTendon"
_OWNERS = {"drive": "drive", "limit": "limit", "physxLimit": "limit", "physxMimicJoint": "mimic joint"}


@dataclass(frozen=True, slots=True)
class Copy:
    """A text that a button copies."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to do, with the commands or values for it."""

    text: str
    copies: tuple[Copy, ...]
    prim: str = ""                      # the name of the prim that it is about, "" for none


@dataclass(frozen=True, slots=True)
class Advice:
    """The first words of a report."""

    headline: str                       # what matters most
    explanation: str                    # its fault and effect, "" where the headline says all
    path: str                           # its prim, "" for none
    kind: str                           # the page's name for its gravity: "ok", "altered" or "ignored"
    counts: str                         # how many values act as authored, and how many findings there are
    actions: tuple[Action, ...]


def advise(stage: str, checked: Report, verification: Verification | None, recording: Recording | None,
           names: Mapping[str, str] = NO_NAMES) -> Advice:
    """The advice on a stage; stage: the path that its commands name. names: as `display_names`."""
    headline, explanation, path, kind = next(_facts(checked, verification, recording), ("", "", "", "ok"))
    counts = counts_text(checked, verification)
    if not headline:        # nothing changes the motion
        headline, _, counts = counts.partition("; ")
        counts = _sentence(counts)
    def displayed(text: str) -> str:
        return _ENCODED.sub(lambda match: names.get(match[0], match[0]), text)

    actions = [replace(action, text=displayed(action.text), prim=displayed(action.prim))
               for action in islice(_actions(stage, checked, verification), MAX_ACTIONS)]
    return Advice(displayed(headline), displayed(explanation), path, kind, counts, tuple(actions))


def display_names(stage: Usd.Stage) -> dict[str, str]:
    """The display names of prims whose own names USD encodes, such as "link_0.0" for "tn__link_00_XB"."""
    return {prim.GetName(): prim.GetDisplayName() for prim in stage.TraverseAll()
            if prim.GetName().startswith(ENCODED) and prim.GetDisplayName()}


def _facts(checked: Report, verification: Verification | None,
           recording: Recording | None) -> Iterator[tuple[str, str, str, str]]:
    """Headline, explanation, prim and gravity of everything that changes the motion, the gravest first."""
    if recording is not None and recording.diverged:
        yield "The motion does not stay finite", _sentence(recording.diverged[0]), "", "ignored"
    cause = gravest(checked.causes)
    if cause is not None and effect_rank(speaker(cause)) < _UNUSED:
        yield _cause_fact(cause, checked)
    if verification is not None:
        text, rows = gravest_ignored(verification)
        if rows:
            yield (f"{_capitalised(text)}: {_prims_text([row.path for row in rows])}",
                   _sentence(f"{property_words(rows[0].property)} has no effect: {rows[0].reason}"), rows[0].path,
                   "ignored")
        row = largest_alteration(verification)
        if row is not None:
            yield _altered_fact(row)
    if cause is not None:
        yield _cause_fact(cause, checked)


def _cause_fact(cause: CauseGroup, checked: Report) -> tuple[str, str, str, str]:
    finding = speaker(cause)
    place = _prims_text(_prims_of_code(checked.causes, cause))
    effect = _HEADLINES.get(finding.code) or effect_text(finding)
    return (_capitalised(f"{effect}: {place}"), _brief(f"{finding.message}; {finding.why}", MAX_EXPLANATION),
            cause.root.path, "ignored" if cause.severity == "error" else "altered")


def _prims_of_code(causes: Sequence[CauseGroup], first: CauseGroup) -> list[str]:
    """The prims of a cause and of all others with its code, its own first."""
    return [item.path for cause in (first, *causes) if cause.root.code == first.root.code
            for item in (cause.root, *cause.copies)]


def _altered_fact(row: Row) -> tuple[str, str, str, str]:
    return (f"{_capitalised(_value_words(row))} acts as {numeral(row.effective)}, not {numeral(row.intended_effect)}",
            _brief(row.reason, MAX_EXPLANATION), row.path, "altered")


def leaf(path: str) -> str:
    """The name of a prim."""
    return PurePosixPath(path).name or "the stage"


def _prims_text(paths: Sequence[str]) -> str:
    """The first prim by name, and how many more there are."""
    prims = list(dict.fromkeys(paths))
    return leaf(prims[0]) + (f" and {plural(len(prims) - 1, 'more prim')}" if len(prims) > 1 else "")


def property_words(name: str) -> str:
    """A property as words: "physxTendon:flexor:restLength" is "rest length of flexor"."""
    parts = name.split(":")
    owner, words = _OWNERS.get(parts[0], ""), re.sub(r"(?<=[a-z])(?=[A-Z])", " ", parts[-1]).lower()
    if parts[0] == _TENDON and len(parts) > 2:
        return f"{words} of {parts[1]}"
    return f"{owner} {words}".strip() or "the value"


def _value_words(row: Row) -> str:
    """A value as words, with its prim."""
    words = property_words(row.property)
    return f"{words} {'at' if ' of ' in words else 'of'} {leaf(row.path)}"


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sentence(text: str) -> str:
    return f"{_capitalised(text.strip().rstrip('.'))}." if text.strip(" ;") else ""


def _named(text: str) -> str:
    """The text with the names of prims for their paths."""
    return _PATH.sub(r"\1", text)


def _brief(text: str, limit: int) -> str:
    """The first clauses of a text up to a number of letters, with the names of prims for their paths."""
    clauses = _named(text).split("; ")
    count = next((count for count in range(len(clauses), 1, -1) if len("; ".join(clauses[:count])) <= limit), 1)
    return _sentence("; ".join(clauses[:count]))


def counts_text(checked: Report, verification: Verification | None) -> str:
    """How many values act as authored, and what the check found, in one sentence."""
    counts = [plural(checked.count_causes(severity), severity) for severity in ("error", "warning")
              if checked.count_causes(severity)]
    return f"{_effect(verification)}; the check found {listed(counts) if counts else 'no errors'}."


def _effect(verification: Verification | None) -> str:
    """How many values act as authored."""
    if verification is None:
        return "No value was measured"
    total = len(verification.rows)
    measured = total - _count(verification, NOT_EVALUATED) - _count(verification, OTHER_ENGINE)
    counts = {verdict: _count(verification, verdict) for verdict in (ALTERED, IGNORED)}
    failed = [f"{count} {verdict}" for verdict, count in counts.items() if count]
    if not total:
        return "The stage has no values that verification measures"
    if not measured:
        return f"The {plural(total, 'authored value')} could not be measured"
    if not failed:
        subject = "The only measured value takes" if measured == 1 else f"All {measured} measured values take"
        return f"{subject} effect as authored"
    return f"{plural(measured, 'value')} measured: {listed(failed)}, the other values act as authored"


def _count(verification: Verification, verdict: str) -> int:
    return sum(row.verdict == verdict for row in verification.rows)


def _actions(stage: str, checked: Report, verification: Verification | None) -> Iterator[Action]:
    """Things to do, the most useful first."""
    serious = [cause for cause in by_effect(checked.causes) if rank(cause.severity) > rank("info")]
    first = gravest(serious)
    manual = {cause.root.code: cause for cause in reversed(serious) if cause.root.repair is None}
    if first is not None and first.root.repair is None:
        del manual[first.root.code]
        yield _manual_action(first, serious)
    repairable = [finding for finding in checked.findings if finding.repair is not None]
    if repairable:
        yield _repair_action(stage, repairable)
    yield from _remedy_actions(stage, verification)
    yield from (_manual_action(cause, serious) for cause in reversed(manual.values()))
    if not serious and not (verification and verification.failed):
        yield Action("Turn its values while it moves.", (Copy("copy command", f"physx-schema view {_quoted(stage)}"),))


def _manual_action(cause: CauseGroup, causes: Sequence[CauseGroup]) -> Action:
    """What the author alone can decide, with the command that explains it."""
    root, prims = cause.root, dict.fromkeys(_prims_of_code(causes, cause))
    others = f"and {plural(len(prims) - 1, 'more prim')}: " if len(prims) > 1 else ""
    return Action(others + _brief(root.fix, MAX_FIX),
                  (Copy("copy command", f"physx-schema explain {root.code}"), Copy("copy path", root.path)),
                  leaf(root.path))


def _repair_action(stage: str, findings: Sequence[Finding]) -> Action:
    """The command that repairs findings: all safe ones, and where there is none the others."""
    safe = [finding for finding in findings if finding.repair is not None and finding.repair.safe]
    repairs, flag = (safe, "") if safe else (findings, " --unsafe-fixes")
    profile = (f" --profile {DEFAULT_PROFILE}+{BEHAVIOUR}"
               if any(finding.code.startswith(f"{BEHAVIOUR}/") for finding in repairs) else "")
    command = f"physx-schema check --fix{flag}{profile} {_quoted(stage)} -o {_quoted(_copy_path(stage, 'repaired'))}"
    text = f"Repair {plural(len(repairs), 'finding')} in a copy of the stage"
    return Action(text + ("." if safe else ", and look at the change: it may not be what you intend."),
                  (Copy("copy command", command),))


def _remedy_actions(stage: str, verification: Verification | None) -> Iterator[Action]:
    """The values that verification found to have the intended effects."""
    rows = [row for row in verification.rows if row.remedy and row.remedy.feasible] if verification else []
    if not rows:
        return
    farthest = largest_alteration(verification) if verification else None
    first = farthest if farthest in rows else rows[0]
    instruction = remedy_text(first.remedy, first.intended_effect) if first.remedy else ""
    text = f"{_capitalised(_value_words(first))}: {_named(instruction)}"
    text += f". Likewise {plural(len(rows) - 1, 'more value')}" if len(rows) > 1 else ""
    flag = " --unsafe-fixes" if first.remedy and first.remedy.settings else ""
    command = f"physx-schema verify --fix{flag} {_quoted(stage)} -o {_quoted(_copy_path(stage, 'intended'))}"
    lines = [line for row in rows for line in remedy_lines((row,))]
    yield Action(f"{text}.", (Copy("copy command", command), Copy("copy values", "\n".join(dict.fromkeys(lines)))))


def _quoted(path: str) -> str:
    return shlex.quote(path)


def _copy_path(stage: str, word: str) -> str:
    """The name of a file next to the stage's."""
    path = Path(stage)
    return path.with_name(f"{path.stem}_{word}{path.suffix}").as_posix()


def command_path(source: str) -> str:
    """A stage's file as a command names it: from the working folder where it is below that, else its name alone."""
    path = Path(source)
    try:
        return path.resolve().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.name
