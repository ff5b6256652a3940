"""simready-validate runs the checks: a profile of its own, our codes in its reports, a verdict a feature."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from support.places import ROOT
from support.stages.faulty_robots import stage
from support.stages.planted_faults import FAULTS, SOUND
from support.stages.robots import opened

from physx_schema.asset_validation import prefixed_code
from physx_schema.checking import RULES, check
from physx_schema.checking.engine.published import PUBLISHED_RULES
from physx_schema.checking.stages import UNREADABLE
from physx_schema.simready import CHECKS, PROFILE, Tier, tier

DRIVER = ROOT / "tests" / "support" / "simready_driver.py"


def files(folder: Path) -> list[Any]:
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.iterdir())]


def test_features_ask_for_requirements_that_the_tier_registers() -> None:
    registered = {*RULES, UNREADABLE, *map(prefixed_code, PUBLISHED_RULES)}
    features = files(tier.features_path)
    assert len(features) > 5
    assert {code for item in features for code in item["requirements"]} <= registered


def test_no_feature_of_another_engine_or_of_more_than_physics_is_claimed() -> None:
    names = {item["id"] for item in files(tier.features_path)}
    assert prefixed_code("FET_022_PHYSX") in names
    assert not names & {prefixed_code(name) for name in ("FET_022_NEWTON", "FET_004_MUJOCO", "FET_001_STANDARD")}


def test_our_own_codes_are_mandatory_and_published_features_optional() -> None:
    (profile,) = files(tier.profiles_path)
    ((_, content),) = profile[PROFILE].items()
    optional = {name: "optional" in item for item in content["features"] for name in item if name != "optional"}
    assert optional.pop(CHECKS) is False
    assert all(optional.values())


def test_the_package_names_its_tier() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["entry-points"]["simready.tier"]["physx_schema"].partition(":")
    assert isinstance(getattr(import_module(module), name), Tier)


# --- in simready-validate ---


def interpreter() -> str:
    """An interpreter that has simready-validate and this package."""
    python = shutil.which(os.environ.get("SIMREADY_PYTHON", ""))
    if not python or subprocess.run(
            [python, "-c", "import simready.validate"], capture_output=True, check=False).returncode:
        pytest.skip("no simready-validate; name an interpreter that has it and physx-schema in SIMREADY_PYTHON")
    return python


def validated(path: Path) -> dict[str, Any]:
    """What simready-validate says of each feature of our profile."""
    python = interpreter()
    out = path.with_suffix(".json")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run([Path(python).with_name("simready-validate"), "--profile", PROFILE, "--output", out, path],
                   capture_output=True, check=False, env=environment)
    (report,) = json.loads(out.read_text(encoding="utf-8")).values()
    return dict(report["features_summary"])


@pytest.mark.sweep
def test_simready_validate_fails_a_mimic_joint_that_follows_itself(tmp_path: Path) -> None:
    path = tmp_path / "robot.usda"
    path.write_text(stage(RULES["DJ.007/self"].example), encoding="utf-8")
    features = validated(path)
    assert "'DJ.007/self'" in features[CHECKS]["failing requirements"]
    assert "DJ.007/self: /Robot/" in features[CHECKS]["requirement_messages"]
    assert f"'{prefixed_code('DJ.007')}'" in features[prefixed_code("FET_022_PHYSX")]["optional requirements"]


@pytest.mark.sweep
def test_simready_validate_passes_the_sound_finger(tmp_path: Path) -> None:
    path = tmp_path / "finger.usda"
    path.write_text(SOUND.read_text(encoding="utf-8"), encoding="utf-8")
    features = validated(path)
    assert features[CHECKS]["passed"] and features[prefixed_code("FET_024_STANDARD")]["passed"]
    assert not any(item["blocking_failure"] for item in features.values())


# --- the same rules, as SimReady's own validator judges them ---

# Published codes that the installable validator evaluates outside of Isaac Sim.
EVALUATED = ("RB.001", "RB.003", "RB.005", "RB.007", "RB.009", "RB.011", "RB.012", "RB.MB.001", "RB.COL.001",
             "RB.COL.002", "RB.COL.004", "PHYSX.COL.001", "PHYSX.COL.002", "JT.001", "JT.002", "JT.003", "JT.ART.002",
             "JT.ART.003", "JT.ART.004", "BA.001", "UN.006", "UN.007", "DJ.011")
# Verdicts that differ, and why ours is meant.
DIFFERENT = {
    ("loop", "DJ.011"): "its rule passes over fixed joints, which close loops as others do",
    ("body-missing", "DJ.011"): "the joint leads to the world then, which the root does already",
    ("body-bare", "RB.007"): "it asks each collider of the body, and there is none; the text asks for a mass",
    ("mass-negative", "RB.007"): "it asks for any mass, ours for one that counts",
}


@pytest.mark.sweep
def test_published_rules_have_the_verdicts_of_simready_validate(tmp_path: Path) -> None:
    python = interpreter()
    stages = {item.name: item.text for item in FAULTS} | {"sound": SOUND.read_text(encoding="utf-8")}
    paths = [tmp_path / f"{name}.usda" for name in stages]
    for path, text in zip(paths, stages.values(), strict=True):
        path.write_text(text, encoding="utf-8")
    done = subprocess.run([python, str(DRIVER), *map(str, paths)], capture_output=True, text=True, check=True,
                          env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"})
    theirs = dict(zip(stages, json.loads(done.stdout.splitlines()[-1]), strict=True))
    parted = set()
    for name, text in stages.items():
        ours = {item.code for item in check(opened(text), "simready").published if item.state == "fail"}
        parted |= {(name, code) for code in EVALUATED if (code in ours) != (code in theirs[name])}
    assert parted == DIFFERENT.keys()
