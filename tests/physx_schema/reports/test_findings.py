"""What text folds: opinions of other engines, and what follows from a scene that PhysX does not see."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from physx_schema.checking import Finding
from physx_schema.reports.findings import finding_lines


def elsewhere(count: int) -> list[Finding]:
    return [Finding("unused/other-engine", "info", f"/a/b{index}", f"mjc:p{index}", f"message {index}", "why", "fix")
            for index in range(count)]


def heads(findings: Sequence[Finding], folding: bool = True) -> list[str]:
    return [line for line in finding_lines("s.usda", findings, folding) if not line.startswith(" ")]


def test_many_opinions_of_other_engines_are_one_line() -> None:
    assert heads(elsewhere(200)) == [
        "s.usda: 200 prims: info unused/other-engine: 200 opinions of other engines that PhysX does not read; list "
        "them with --select unused/other-engine"]


@pytest.mark.parametrize(("count", "folding"), [(5, True), (200, False)])
def test_few_of_them_and_those_asked_for_are_shown_one_by_one(count: int, folding: bool) -> None:
    assert len(heads(elsewhere(count), folding)) == count


def test_what_follows_from_a_hidden_scene_is_counted_with_it() -> None:
    scene = Finding("scene/hidden", "warning", "/scene", "apiSchemas", "hidden", "why", "fix")
    idle = [Finding("unused/idle", "warning", path, "physics:gravityMagnitude", "idle", "why", "fix")
            for path in ("/scene", "/scene", "/other")]
    assert heads([scene, *idle]) == [
        "s.usda: /scene: warning scene/hidden: hidden; 2 opinions on it without effect for that reason",
        "s.usda: /other.physics:gravityMagnitude: warning unused/idle: idle"]
