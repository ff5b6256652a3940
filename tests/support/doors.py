"""The same stages through every way in which other programs have them checked, and what each says of them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from pxr import Usd, UsdValidation

import physx_schema
from physx_schema.checking.stages import remarks
from physx_schema.validation import VALIDATOR
from support.places import STAGES
from support.stages.faulty_robots import examples, stage

Said = list[list[str]]      # code, severity and text of each remark
DRIVER = Path(__file__).with_name("asset_validator_driver.py")


def texts() -> dict[str, str]:
    """Stages by name: the example of every rule, and the small files of the tests."""
    named = {path.stem: path.read_text(encoding="utf-8") for path in STAGES.glob("*.usda")}
    return named | {rule.code: stage(rule.example) for rule in examples()}


def written(folder: Path) -> list[Path]:
    """The same as files, by number."""
    paths = [folder / f"{place}.usda" for place in range(len(texts()))]
    for path, text in zip(paths, texts().values(), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def by_python(path: Path) -> Said:
    """What `check` says of a stage."""
    return said_of(physx_schema.check(Usd.Stage.Open(str(path))))


def said_of(report: physx_schema.Report) -> Said:
    """The findings of a report."""
    return [[item.code, item.severity, f"{item.code}: {_where(item.path, item.property)}: {item.message}\n"
             f"why: {item.why}\nfix: {item.fix}"] for item in report.findings]


def by_command(reports: str) -> list[Said]:
    """What ``check --format json`` says, stage by stage."""
    return [[[item["code"], item["severity"], f"{item['code']}: {_where(item['path'], item['property'])}: "
              f"{item['message']}\nwhy: {item['why']}\nfix: {item['fix']}"] for item in report["findings"]]
            for report in json.loads(reports)["reports"]]


def by_usd(path: Path) -> Said:
    """What USD's own validation says of a stage."""
    validator = UsdValidation.ValidationRegistry().GetOrLoadValidatorByName(VALIDATOR)
    errors = UsdValidation.ValidationContext([validator]).Validate(Usd.Stage.Open(str(path)))
    types = UsdValidation.ValidationErrorType
    severities = {types.Error: "error", types.Warn: "warning", types.Info: "info"}
    return [[item.GetName(), severities[item.GetType()], item.GetMessage()] for item in errors]


def by_asset_validator(python: str, module: str, paths: list[Path]) -> list[Said]:
    """What an asset validator of NVIDIA's says, stage by stage, in its own environment."""
    result = subprocess.run([python, str(DRIVER), module, *map(str, paths)], capture_output=True, text=True, check=True)
    severities: Mapping[str, str] = {"FAILURE": "error", "WARNING": "warning", "INFO": "info"}
    return [[[code, severities[severity], text] for code, severity, text in issues]
            for issues in json.loads(result.stdout.splitlines()[-1])]


def remarks_on(path: Path) -> Said:
    """What every door has to say of a stage: its findings and what was not evaluated."""
    return [[item.code, item.severity, item.text] for item in remarks(Usd.Stage.Open(str(path)))]


def _where(path: str, name: str) -> str:
    return f"{path}.{name}" if name not in ("", "apiSchemas") else path
