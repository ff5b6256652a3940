"""Measure in real PhysX what the rules behaviour/... claim: where their examples end, and where with the remedies.

Needs the environment that `oracle.py` describes. Each example and remedy of the family runs for 5 s in steps of 1/60 s,
with what this package finds: the values of the proposed fix, and where PhysX ends with them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from oracle import load_oracle
from pxr import Sdf, Usd
from rule_stages import ROOT, STEP, at, body, joint, world

from physx_schema.checking import RULES, check
from physx_schema.checking.engine.finding import BEHAVIOUR, Finding
from physx_schema.checking.engine.layer_editor import LayerEditor
from physx_schema.checking.engine.usda import LIMITS, prim

STEPS = 300
# Not stepped: infinite gains make PhysX's state NaN, which ends some runs of the engine.
LEFT_OUT = ("behaviour/diverges",)


@dataclass(frozen=True, slots=True)
class Case:
    """A stage, and what is printed before its result."""

    label: str
    usda: str


def stage(prims: str) -> str:
    """The robot around the examples of rules, under gravity 9.81: a base fixed to the world, links a and b, a joint."""
    leader = "" if '"j1"' in prims else joint("Revolute", "j1", "/Robot/base", "/Robot/a", LIMITS)
    links = body("base", place=at()) + joint("Fixed", "anchor", "", "/Robot/base") + body("a", place=at()) + body(
        "b", place=at())
    return world(prim("Xform", "Robot", {}, ROOT, children=links + leader + prims), gravity="9.81")


def opened(usda: str) -> Usd.Stage:
    """The stage of a text."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(usda)
    return Usd.Stage.Open(layer)


def repaired(usda: str, findings: list[Finding]) -> str:
    """The stage with the repairs of these findings."""
    target = opened(usda)
    editor = LayerEditor(target)
    edits = [edit for finding in findings if finding.repair for edit in finding.repair.edits]
    for step in editor.steps(edits):
        step(editor.layer)
    return str(editor.layer.ExportToString())


def cases() -> Iterator[Case]:
    """Examples, remedies, and examples with the fix that their finding names."""
    for rule in RULES.values():
        if not rule.code.startswith(f"{BEHAVIOUR}/") or rule.code in LEFT_OUT:
            continue
        usda = stage(rule.example)
        found = [item for item in check(opened(usda), BEHAVIOUR).findings if item.code == rule.code]
        for item in found:
            print(f"{item.code}: {item.message}\n    fix: {item.fix}")
        yield Case(f"{rule.code}, example", usda)
        if any(item.repair for item in found):
            yield Case(f"{rule.code}, example with its fix", repaired(usda, found))
        yield Case(f"{rule.code}, remedy", stage(rule.remedy))


def shown(result: Any) -> str:
    """Positions of joints, degrees or m, after one step and at the end, and the heights and speeds of free bodies."""
    parts = []
    for name, first, last, speed in zip(result.get("dof_names", ()), *(
            (result["q"][1], result["q"][-1], result["qd"][1]) if "q" in result else ((), (), ())), strict=True):
        scale = 180.0 / math.pi if name != "slide" and not name.startswith("slide_") else 1.0
        parts.append(f"{name}: {first * scale:.4g} (moving {speed * scale:.4g}/s), at last {last * scale:.5g}")
    for path, pose, speed in zip(result["rigid_paths"], result.get("rigid_pose", [()])[-1],
                                 result.get("rigid_vel", [()])[-1], strict=False):
        parts.append(f"{path}: z {pose[2]:.4g}, {speed[2]:.4g} m/s")
    return "; ".join(parts)


def main() -> None:
    """Run every case in one engine process and print a line for each."""
    engine = load_oracle().engine
    items = list(cases())
    results = engine.run_jobs([engine.sim_job(item.usda, STEP, STEPS) for item in items])
    for item, result in zip(items, results, strict=True):
        print(f"{item.label:46} {shown(result)}")


if __name__ == "__main__":
    main()
