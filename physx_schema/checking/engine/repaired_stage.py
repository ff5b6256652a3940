"""Repairs made on a copy of a stage's root layer, or in a layer over it, until none is left that helps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pxr import Sdf, Usd, UsdUtils

from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.layer_editor import CannotError, LayerEditor, Step
from physx_schema.checking.engine.repair import Edit
from physx_schema.checking.engine.report import Report
from physx_schema.migration.report import layer_name
from physx_schema.migration.text import unified

MOST_PASSES = 8         # a repair may bring out another finding; rules that undo each other end here
Check = Callable[[Any], Report]
Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Left:
    """A finding that was not repaired, and why."""

    finding: Finding
    reason: str


@dataclass(slots=True)
class Fixed:
    """A stage with repairs; nothing is written yet."""

    stage: Any                          # the stage as it is
    after: Any                          # a layer of its own: the root layer with repairs, or a layer over it
    over: bool                          # whether `after` is a layer over the root layer
    before: Report
    report: Report                      # of the repaired stage
    made: list[Finding] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        """Whether anything was repaired."""
        return bool(self.made)

    def diff(self) -> str:
        """The change as a unified diff of usda text; the whole of a layer over the root layer."""
        root, text = self.stage.GetRootLayer(), self.after.ExportToString().splitlines()
        if self.over:
            return unified([], text, "/dev/null", f"over {layer_name(root)}") if self.changed else ""
        return unified(root.ExportToString().splitlines(), text, layer_name(root), f"{layer_name(root)} (fixed)")


def fix(stage: Any, check: Check, unsafe: bool = False, override: bool = False) -> Fixed:
    """Repair what `check` finds on a stage, as far as its findings say how; unsafe repairs where asked for.

    A repair that does not make its finding go away is left out, and the others are made again without it.
    """
    useless: dict[Key, str] = {}
    while True:
        fixed, made, reasons = _attempt(stage, check, unsafe, override, dict(useless))
        still = {_key(item) for item in fixed.report.findings} & made.keys()
        if not still:
            return _settled(fixed, made, reasons)
        useless |= dict.fromkeys(still, "its repair does not make it go away")


def _attempt(
    stage: Any, check: Check, unsafe: bool, override: bool, reasons: dict[Key, str],
) -> tuple[Fixed, dict[Key, Finding], dict[Key, str]]:
    """Repairs pass by pass; what was made, and why the others were not."""
    after, work = _layers(stage.GetRootLayer(), override)
    editor = LayerEditor(Usd.Stage.Open(work), override)
    before = report = check(editor.stage)
    made: dict[Key, Finding] = {}
    for _ in range(MOST_PASSES):
        ready = [item for item in report.findings
                 if item.repair and (item.repair.safe or unsafe) and _key(item) not in {*made, *reasons}]
        done = _one_pass(editor, after, ready, reasons)
        if not done:
            break
        made |= {_key(item): item for item in done}
        report = check(editor.stage)
    source = str(stage.GetRootLayer().realPath or before.source)
    return Fixed(stage, after, override, replace(before, source=source), replace(report, source=source)), made, reasons


def _one_pass(editor: LayerEditor, after: Any, ready: Iterable[Finding], reasons: dict[Key, str]) -> list[Finding]:
    """Make the repairs that do not meddle with one another; the others wait for the next pass."""
    touched: set[tuple[str, str]] = set()
    done: list[Finding] = []
    for finding in ready:
        edits = finding.repair.edits if finding.repair else ()
        places = {place for edit in edits for place in _places(edit)}
        if touched & places:
            continue
        try:
            steps = editor.steps(edits)
        except CannotError as error:
            reasons[_key(finding)] = str(error)
            continue
        _carry_out(steps, editor.layer, after)
        touched |= places
        done.append(finding)
    return done


def _carry_out(steps: Iterable[Step], *layers: Any) -> None:
    steps = list(steps)
    for layer in layers:
        with Sdf.ChangeBlock():
            for step in steps:
                step(layer)


def _places(edit: Edit) -> tuple[tuple[str, str], ...]:
    """What an edit touches: properties of a prim, or its schemas."""
    names = [getattr(edit, word) for word in ("name", "to") if hasattr(edit, word)]
    schemas = hasattr(edit, "schema")
    return ((edit.path, "apiSchemas"),) if schemas else tuple((edit.path, name) for name in names)


def _settled(fixed: Fixed, made: dict[Key, Finding], reasons: dict[Key, str]) -> Fixed:
    fixed.made = list(made.values())
    for item in fixed.report.findings:
        unknown = "no repair is known" if item.repair is None else (
            "its repair was not reached" if item.repair.safe else "its repair is unsafe")
        fixed.left.append(Left(item, reasons.get(_key(item), unknown)))
    return fixed


def _layers(root: Any, override: bool) -> tuple[Any, Any]:
    """The layer to write and the one to work on, which finds other files wherever it is itself."""
    after, work = (Sdf.Layer.CreateAnonymous(".usda") for _ in range(2))
    if override:
        for layer in (after, work):
            for key in root.pseudoRoot.ListInfoKeys():
                if key not in ("subLayers", "subLayerOffsets", "documentation", "comment"):
                    layer.pseudoRoot.SetInfo(key, root.pseudoRoot.GetInfo(key))
            layer.subLayerPaths.append(root.identifier)
        return after, work
    for layer in (after, work):
        layer.TransferContent(root)
    if root.realPath:
        folder = Path(root.realPath).parent
        UsdUtils.ModifyAssetPaths(work, lambda path: _absolute(path, folder))
    return after, work


def _absolute(path: str, folder: Path) -> str:
    """An asset path of a layer as one that means the same file from anywhere."""
    target = folder / path
    return str(target) if path.startswith(("./", "../")) or (path and target.exists()) else path


def _key(finding: Finding) -> Key:
    return finding.code, finding.path, finding.property, finding.message
