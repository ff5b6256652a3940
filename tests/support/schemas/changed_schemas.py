"""Copies of the YAML with other defaults and ranges, generated to take the place of the package in a child process."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml
from physx_codegen.emit import write
from physx_codegen.generate import generate

from support.places import ROOT

STEP = 0.125        # which changed numbers are multiples of: exact in single precision, and small against every range
CAP, FLOOR = 7.5, 0.25      # in place of inf and -inf

Change = Callable[[dict[str, Any]], None]       # of a class as its YAML has it, in place


def another(default: Any, attribute: Mapping[str, Any]) -> Any:
    """Another default that the attribute may have."""
    if isinstance(default, bool):
        return not default
    if isinstance(default, list):
        return [item + STEP for item in default]
    if isinstance(default, str):
        tokens = attribute.get("tokens", [])
        return tokens[(tokens.index(default) + 1) % len(tokens)] if tokens else default
    if math.isinf(default):
        return CAP if default > 0 else FLOOR
    step = 1 if attribute["type"].startswith(("int", "uint")) else STEP
    number = default - step if default + step > _greatest(attribute) else default + step
    return round(number / step) * step


def _greatest(attribute: Mapping[str, Any]) -> float:
    """The upper end of a range; infinite where that is another attribute."""
    end = str(attribute.get("range", "[0, inf)")).rpartition(",")[2].strip(" ])")
    return math.inf if end.isidentifier() else float(end)


def change_every_default(item: dict[str, Any]) -> None:
    """Give every attribute of a class another default where it has one."""
    for attribute in item.get("attributes", ()):
        if "default" in attribute:
            attribute["default"] = another(attribute["default"], attribute)


def generated(folder: Path, change: Change) -> Path:
    """A folder for the front of the path, with the `physx_generated` that the YAML makes once it is changed."""
    for path in sorted((ROOT / "schema").glob("*/*.yaml")):
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        for item in content.get("classes", ()):
            change(item)
        copy = folder / "schema" / path.relative_to(ROOT / "schema")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(yaml.safe_dump(content, sort_keys=False, width=10_000), encoding="utf-8")
    write({folder / "generated/physx_generated": generate(folder / "schema")})
    return folder / "generated"


def run(generated_folder: Path, *arguments: str) -> Any:
    """What Python prints as JSON on its last line where the package of that folder is the one that is imported."""
    path = os.pathsep.join([str(generated_folder), str(ROOT / "tests"), *filter(None, sys.path)])
    done = subprocess.run([sys.executable, "-W", "ignore", *arguments], capture_output=True, text=True,
                          check=False, env=os.environ | {"PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
