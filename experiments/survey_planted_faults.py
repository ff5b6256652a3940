"""Survey validators: which of 55 kinds of faults, planted one at a time in a sound finger, does each find?

    python experiments/survey_planted_faults.py            # a table in Markdown

A fault counts as found if a validator names something on the stage that it does not name without the fault. Ours is
asked twice: with the default profile, and with everything that the SimReady rules and a driven robot need. The others
run in environments of their own (`make validators`), which USD_VALIDATION_PYTHON, ASSET_VALIDATOR_PYTHON and
SIMREADY_PYTHON name; a validator without one has no column.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOUND = "sound"
OURS = "PhysxSchemaChecker"     # our own rule, in the environments of the others
PROFILE = "Robot-Body"          # of SimReady
PHYSICS = re.compile(r"((NEWTON|MUJOCO|PHYSX)\.)?(DJ|RB|JT|BA|COL|PMT|UN|MAT|MAS)\.")    # its codes about physics

Answers = Mapping[str, Sequence[str]]       # by stage: what is named there, each once
Validate = Callable[[str], set[str]]


# --- one validator, in a process of its own ---


def ours(profile: str) -> Validate:
    """This project."""
    from physx_schema import check
    return lambda path: {f"{item.code}{'' if item.severity != 'info' else ' (info)'}" for item in
                         check(path, profile).findings}


def native() -> Validate:
    """Every validator that usd-core registers."""
    from pxr import Usd, UsdValidation
    registry = UsdValidation.ValidationRegistry()
    names = [item.name for item in registry.GetAllValidatorMetadata() if not item.isSuite]
    context = UsdValidation.ValidationContext(registry.GetOrLoadValidatorsByName(
        [name for name in names if not name.startswith("physx_schema")]))
    return lambda path: {str(error.GetName()) for error in context.Validate(Usd.Stage.Open(path))}


def asset_validator(module: str) -> Validate:
    """All rules that an asset validator of NVIDIA's runs by default."""
    import importlib
    host = importlib.import_module(module)
    plugins = host.PluginManager()
    plugins.__enter__()
    engine = host.ValidationEngine()
    return lambda path: {f"{item.rule.__name__}: {item.message}" for item in engine.validate(path).issues()
                         if item.rule and item.rule.__name__ != OURS and item.severity.name != "INFO"}


def simready() -> Validate:
    """The physics of SimReady's profile for the body of a robot."""
    import logging

    import simready.validate as host
    logging.disable(logging.CRITICAL)
    host.initialize([], [], [])

    def validate(path: str) -> set[str]:
        result = host.validate_asset(host.AssetValidationConfig(path, PROFILE))
        issues = (item for item in (*result.issues, *result.soft_issues) if item.requirement)
        named = ((re.sub(r"com\.nvidia\.\w+\.", "", item.requirement.code), item.message) for item in issues)
        return {f"{code}: {message}" for code, message in named if PHYSICS.match(code)}
    return validate


VALIDATORS: Mapping[str, tuple[str, Callable[[], Validate]]] = {     # name: variable of its interpreter, what it does
    "physx-schema": ("", lambda: ours("physx+simready")),
    "physx-schema, driven": ("", lambda: ours("physx+simready+driven")),
    "usd-validation-nvidia": ("USD_VALIDATION_PYTHON", lambda: asset_validator("usd_validation_nvidia")),
    "omniverse-asset-validator": ("ASSET_VALIDATOR_PYTHON", lambda: asset_validator("omni.asset_validator")),
    "UsdValidation": ("", native),
    f"simready-validate, {PROFILE}": ("SIMREADY_PYTHON", simready),
}


def work(name: str, folder: Path) -> None:
    """Print what a validator names on each stage of a folder; an exception counts as an answer."""
    validate = VALIDATORS[name][1]()
    answers = {}
    for path in sorted(folder.glob("*/finger/finger.usda")):
        try:
            answers[path.parts[-3]] = sorted(text.replace(str(path.parent), "") for text in validate(str(path)))
        except Exception as error:      # whatever another validator raises is its answer
            answers[path.parts[-3]] = [f"raised {type(error).__name__}: {error}"]
    print("ANSWERS " + json.dumps(answers))


# --- all of them ---


@dataclass(frozen=True)
class Column:
    """What a validator named."""

    name: str
    answers: Answers

    def named(self, fault: str) -> list[str]:
        """What it names because of a fault."""
        return sorted(set(self.answers[fault]) - set(self.answers.get(f"{fault}.{SOUND}", self.answers[SOUND])))


def asked(name: str, folder: Path) -> Column | None:
    """The answers of a validator; None without an interpreter that has it."""
    variable = VALIDATORS[name][0]
    python = os.environ.get(variable, "") if variable else sys.executable
    if not python or not Path(python).exists():
        return None
    environment = dict(os.environ) if not variable else {
        key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run([python, __file__, "--worker", name, str(folder)], capture_output=True, text=True,
                          check=False, env=environment)
    line = next((line for line in done.stdout.splitlines() if line.startswith("ANSWERS ")), "")
    if not line:
        raise SystemExit(f"{name}: no answer (exit {done.returncode})\n{done.stderr[-2000:]}")
    return Column(name, json.loads(line.removeprefix("ANSWERS ")))


def cell(named: Sequence[str]) -> str:
    """What is named, in short: rules and codes, each once."""
    kinds = sorted({text.partition(": ")[0] for text in named})
    return ", ".join(kinds[:3]) + (f" and {len(kinds) - 3} more" if len(kinds) > 3 else "")


def table(columns: Sequence[Column], titles: Mapping[str, str]) -> list[str]:
    """Counts, then a row a fault."""
    sound = [len(column.answers[SOUND]) for column in columns]
    found = [sum(bool(column.named(name)) for name in titles) for column in columns]
    return [
        "| fault | " + " | ".join(column.name for column in columns) + " |", "|---|" + "---|" * len(columns),
        f"| **found, of {len(titles)}** | " + " | ".join(f"**{count}**" for count in found) + " |",
        "| **named on the sound finger** | " + " | ".join(f"**{count}**" for count in sound) + " |",
        *(f"| {title} | " + " | ".join(cell(column.named(name)) for column in columns) + " |"
          for name, title in titles.items()),
    ]


def main() -> None:
    """Plant every fault, ask every validator, print the table."""
    sys.path.insert(0, str(ROOT / "tests"))
    from support.stages.planted_faults import FAULTS
    from support.stages.planted_faults import SOUND as TWIN
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stages = {SOUND: TWIN.read_text(encoding="utf-8"), **{item.name: item.text for item in FAULTS},
                  **{f"{item.name}.{SOUND}": item.sound for item in FAULTS if item.basis}}
        for stem, text in stages.items():
            path = folder / stem / "finger" / "finger.usda"
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
        columns = [column for column in (asked(tool, folder) for tool in VALIDATORS) if column]
    print("\n".join(table(columns, {item.name: item.title for item in FAULTS})))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        work(sys.argv[2], Path(sys.argv[3]))
    else:
        main()
