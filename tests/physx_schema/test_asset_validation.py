"""USD's own validation, NVIDIA's asset validators and the command line find what `check` finds, word for word."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from pxr import Plug, Usd, UsdValidation
from support.usd_versions import takes_validators

if not takes_validators:
    pytest.skip("this USD release does not support validators in Python", allow_module_level=True)

from support.doors import Said, by_asset_validator, by_command, by_python, by_usd, remarks_on, written
from support.stages.faulty_robots import stage
from support.stages.robots import opened

import physx_schema
from physx_schema.checking import RULES
from physx_schema.checking import stages as remarks_module
from physx_schema.checking.stages import NOT_EVALUATED, remarks
from physx_schema.command_line.program import program
from physx_schema.description.composition import REMARK
from physx_schema.validation import VALIDATOR

# Each of NVIDIA's validators: its module, and the variable that names an interpreter which has it and this package.
ASSET_VALIDATORS = (("usd_validation_nvidia", "USD_VALIDATION_PYTHON"),
                    ("omni.asset_validator", "ASSET_VALIDATOR_PYTHON"))


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return written(tmp_path_factory.mktemp("stages"))


def test_usds_own_validation_says_what_a_check_says(paths: list[Path]) -> None:
    parted = [path.read_text(encoding="utf-8") for path in paths
              if comparable(by_python(path)) != comparable(
                  [item for item in by_usd(path) if item[0] != NOT_EVALUATED])]
    assert parted == []


@pytest.mark.sweep
def test_the_command_line_says_what_a_check_says(paths: list[Path]) -> None:
    result = CliRunner().invoke(program(), ["check", "--format", "json", "--isolate", "off", *map(str, paths)])
    assert [comparable(items) for items in by_command(result.stdout)] == [comparable(by_python(path)) for path in paths]


@pytest.mark.sweep
@pytest.mark.parametrize(("module", "variable"), ASSET_VALIDATORS)
def test_an_asset_validator_says_what_a_check_says(module: str, variable: str, paths: list[Path]) -> None:
    python = shutil.which(os.environ.get(variable, ""))
    if not python or subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode:
        pytest.skip(f"no {module}; name an interpreter that has it and physx-schema in {variable}")
    said = by_asset_validator(python, module, paths)
    # An asset validator gathers issues by prim; the order is its own. USD gives some of its warnings once a process.
    assert [comparable(items) for items in said] == [comparable(remarks_on(path)) for path in paths]


def comparable(items: Said) -> Said:
    """Remarks in order, without warnings of USD's own."""
    return sorted(item for item in items if item[0] != REMARK)


def test_a_finding_is_at_its_property() -> None:
    found = opened(stage(RULES["joint/locked"].example))
    validator = UsdValidation.ValidationRegistry().GetOrLoadValidatorByName(VALIDATOR)
    errors = UsdValidation.ValidationContext([validator]).Validate(found)
    sites = [error.GetSites()[0] for error in errors if error.GetName() == "joint/locked"]
    assert [str(site.GetProperty().GetPath()) for site in sites] == ["/Robot/j2.physics:lowerLimit"]


def test_the_validator_is_found_by_the_keyword_of_the_package() -> None:
    found = UsdValidation.ValidationRegistry().GetValidatorMetadataForKeyword("PhysxSchema")
    assert [item.name for item in found] == [VALIDATOR]


def test_importing_the_package_registers_the_validators_plugin() -> None:
    assert Plug.Registry().GetPluginWithName("physx_schema.validation") is not None


ORDERS = {
    "registry before the package": "UsdValidation.ValidationRegistry(); import physx_schema",
    "all validators loaded before the package": (
        "UsdValidation.ValidationRegistry().GetOrLoadAllValidators(); import physx_schema"),
    "module before the package, registry after it": "import physx_schema; UsdValidation.ValidationRegistry()",
}
RUN = """
from pxr import Usd, UsdValidation
{order}
registry = UsdValidation.ValidationRegistry()
assert [item.name for item in registry.GetValidatorMetadataForKeyword("PhysxSchema")] == ["{validator}"]
context = UsdValidation.ValidationContext(registry.GetOrLoadAllValidators())
print(*(error.GetName() for error in context.Validate(Usd.Stage.Open("{path}"))))
"""


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS.keys())
def test_all_validators_of_usd_have_ours_whichever_came_first(order: str, tmp_path: Path) -> None:
    path = tmp_path / "robot.usda"
    path.write_text(stage(RULES["joint/limit-order"].example), encoding="utf-8")
    program = RUN.format(order=order, validator=VALIDATOR, path=path)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env={
        **os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
    assert "joint/limit-order" in done.stdout.split(), done.stderr


def test_every_remark_begins_with_its_code() -> None:
    for name in ("collider/mesh", "joint/locked", "DJ.007/self"):
        said = remarks(opened(stage(RULES[name].example)))
        assert said and all(item.text.startswith(f"{item.code}: ") for item in said)


def test_a_fault_of_the_check_is_a_remark(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(stage: Usd.Stage, profile: str) -> None:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(remarks_module, "check", fails)
    said = remarks(Usd.Stage.CreateInMemory())
    assert [(item.code, item.severity) for item in said] == [("rule-failed", "error")]
    assert "ZeroDivisionError: planted" in said[0].text


def test_a_stage_whose_metadata_cannot_be_read_is_a_remark() -> None:
    found = opened('#usda 1.0\n(\n    upAxis = {}\n)\n')
    assert [item.code for item in remarks(found)] == [remarks_module.UNREADABLE]


def test_what_was_not_evaluated_is_a_remark() -> None:
    found = opened(stage(RULES["collider/mesh"].example))
    said = [item for item in remarks(found) if item.code == NOT_EVALUATED]
    assert [(item.path, item.property, item.severity) for item in said] == [
        (item.path, item.property, "info") for item in physx_schema.check(found).not_evaluated]
    assert said
