"""How a remedy is proved: which effects are declared of it, and the stages before and after that PhysX steps.

A row says what the remedy of a rule does, its repair, and each further remedy that its findings name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from pxr import Usd

from physx_schema.checking import Report, check
from physx_schema.checking.engine.finding import Edit
from physx_schema.checking.engine.layer_editor import Fixes, LayerEditor, fix
from physx_schema.checking.engine.rule import Rule
from support.physx.effects import Effect, Unstepped
from support.stages.faulty_robots import stage
from support.stages.robots import opened

EVERY_PROFILE = "physx+simready+newton+driven+published"
WHOLE_STAGE = "physx+simready+newton+driven"        # for all repairs of a stage: those that PhysX can feel


@dataclass(frozen=True, slots=True)
class Also:
    """Another remedy that the finding names beside that of the rule's example."""

    words: str                          # of the finding's fix
    effects: tuple[Effect, ...]
    edits: tuple[Edit, ...] = ()        # that follow the words
    adds: str = ""                      # prims that follow the words
    after: str = ""                     # the whole stage that follows the words, where no edit does
    given: tuple[Edit, ...] = ()        # opinions of both stages
    loses: str = ""                     # the freedom that the words name


@dataclass(frozen=True, slots=True)
class Row:
    """What the remedy of a rule does."""

    effects: tuple[Effect, ...]
    repair: tuple[Effect, ...] = ()     # of the finding's own repair; none: the same
    loses: str = ""                     # the freedom that the remedy takes, as it says
    repair_loses: str = ""              # the same of the repair, where the two differ
    beside: str = ""                    # prims that show the effect
    stages: tuple[str, str] | None = None   # of a rule without an example: without and with the remedy
    also: tuple[Also, ...] = ()
    untried: str = ""                   # why other remedies of its findings are not stepped

    @property
    def stepped(self) -> bool:
        """Whether PhysX shows anything of the remedy."""
        return not any(isinstance(effect, Unstepped) for effect in self.effects)


@dataclass(frozen=True, slots=True)
class Trial:
    """A remedy to step: the stages before and after, and what is declared."""

    code: str
    kind: str                           # "remedy", "safe repair", "unsafe repair", or words of the finding's fix
    before: str
    after: str
    effects: tuple[Effect, ...]
    loses: str = ""

    def __str__(self) -> str:
        return f"{self.code}: {self.kind}"


def row(*effects: Effect, **more: Any) -> Row:
    """A row."""
    return Row(effects, **more)


def also(words: str, *effects: Effect, **more: Any) -> Also:
    """Another remedy."""
    return Also(words, effects, **more)


def trials(rule: Rule, declared: Row) -> Iterator[Trial]:
    """Everything of a rule that is stepped."""
    if not declared.stepped:
        return
    before, after = declared.stages or (stage(rule.example + declared.beside), stage(rule.remedy + declared.beside))
    yield Trial(rule.code, "remedy", before, after, declared.effects, declared.loses)
    fixes = repaired(before, rule.code)
    if fixes is not None:
        kind = "safe repair" if all(item.repair and item.repair.safe for item in fixes.repaired) else "unsafe repair"
        yield Trial(rule.code, kind, before, str(fixes.repaired_layer.ExportToString()),
                    declared.repair or declared.effects, declared.repair_loses or declared.loses)
    for item in declared.also:
        given = edited(before, item.given)
        added = edited(stage(rule.example + declared.beside + item.adds), item.given) if item.adds else given
        yield Trial(rule.code, item.words, given, item.after or edited(added, item.edits), item.effects, item.loses)


def repaired(text: str, code: str = "", unsafe: bool = True) -> Fixes | None:
    """The repairs of a stage's findings, or of those of one code; None where there are none."""
    def asked(stage: Usd.Stage) -> Report:
        report = check(stage, EVERY_PROFILE, (code,)) if code else check(stage, WHOLE_STAGE, ignore=("behaviour",))
        return replace(report, findings=tuple(item for item in report.findings if code in ("", item.code)))

    fixes = fix(opened(text), asked, unsafe)
    return fixes if fixes.repaired else None


def edited(text: str, edits: tuple[Edit, ...]) -> str:
    """A stage with edits."""
    editor = LayerEditor(opened(text))
    for edit in edits:
        for step in editor.steps([edit]):
            step(editor.layer)
    return str(editor.layer.ExportToString()) if edits else text
