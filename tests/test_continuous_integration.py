"""The hooks of pre-commit and the GitHub action check stages, and robots with their converters."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import pytest
import yaml
from support.places import ROOT

HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("file", "hooks"), [
    ("assets/robot.usda", ["physx-schema"]), ("a.usdz", ["physx-schema"]), ("robots/arm.urdf", ["physx-schema-robots"]),
    ("pom.xml", []), ("README.md", [])])
def test_hook_takes_files_by_their_suffix(file: str, hooks: list[str]) -> None:
    assert [hook["id"] for hook in HOOKS if re.search(hook["files"], file)] == hooks


def test_hooks_bring_one_usd_each() -> None:
    names = {hook["id"]: " ".join(hook["additional_dependencies"]) for hook in HOOKS}
    stages, robots = names["physx-schema"], names["physx-schema-robots"]
    assert "usd-core" in stages and "usd-core" not in robots
    assert "urdf-usd-converter" in robots and "mujoco-usd-converter" in robots


@pytest.mark.parametrize(("paths", "extra"), [
    ("assets/**/*.usda", "usd"), ("a.usda robots/*.urdf", "robots"), ("mjcf/arm.xml", "robots")])
def test_action_installs_the_converters_for_robots(paths: str, extra: str) -> None:
    step = next(step for step in ACTION["runs"]["steps"] if step["name"] == "Install")
    choice = step["run"].partition('"$PYTHON"')[0]
    done = subprocess.run(["bash", "-c", f"{choice}\necho $extra"], env={"PATHS": paths, "PATH": "/usr/bin:/bin"},
                          capture_output=True, text=True, check=True)
    assert done.stdout.strip() == extra
