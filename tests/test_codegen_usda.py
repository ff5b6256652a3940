"""The generated plugin says what NVIDIA's wheel and USD's own generator say."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from physx_codegen.generate import generate
from pxr import Plug
from usd_files import plugin, schemas

import physx_schema as PhysxSchema

ROOT = Path(__file__).resolve().parents[1]
GENERATED = ROOT / "generated/physx_generated"
SMALL = ROOT / "tests/data/codegen/small"
OURS = schemas(GENERATED / "generatedSchema.usda")


@pytest.fixture(scope="module")
def wheel() -> Path:
    """The resources of NVIDIA's codeless schema."""
    spec = importlib.util.find_spec("physx_usd_schemas")
    if spec is None or spec.origin is None:
        pytest.skip("physx-usd-schemas is not installed (extra 'oracle')")
    return Path(spec.origin).parent / "PhysxSchema/resources"


def test_every_class_of_the_issue_is_defined() -> None:
    assert OURS.keys() >= {
        "PhysxTendonAxisAPI", "PhysxTendonAxisRootAPI", "PhysxTendonAttachmentAPI", "PhysxTendonAttachmentRootAPI",
        "PhysxTendonAttachmentLeafAPI", "PhysxMimicJointAPI", "PhysxJointAxisAPI", "PhysxDrivePerformanceEnvelopeAPI",
        "PhysxLimitAPI", "PhysicsJointStateAPI", "PhysxArticulationAPI", "PhysxRigidBodyAPI", "PhysxSceneAPI",
    }


@pytest.mark.parametrize("name", OURS)
def test_a_class_equals_the_wheels_property_by_property(name: str, wheel: Path) -> None:
    assert OURS[name] == schemas(wheel / "generatedSchema.usda")[name]


def test_plugin_types_equal_the_wheels(wheel: Path) -> None:
    ours, theirs = plugin(GENERATED / "plugInfo.json"), plugin(wheel / "plugInfo.json")
    assert ours["Name"] == theirs["Name"] and ours["Type"] == theirs["Type"]
    for name, value in ours["Info"]["Types"].items():
        assert theirs["Info"]["Types"][name] == value


def test_tokens_equal_the_wheels(wheel: Path) -> None:
    sys.path.insert(0, str(wheel.parent))
    try:
        theirs = vars(importlib.import_module("_tokens").Tokens)
    finally:
        sys.path.remove(str(wheel.parent))
    ours = {name: value for name, value in vars(PhysxSchema.Tokens).items() if not name.startswith("_")}
    assert ours.items() <= {name: value for name, value in theirs.items() if name != "allTokens"}.items()
    prefixes = {value.split(":")[0] for name, value in ours.items() if "_MultipleApplyTemplate_" in name}
    assert {value for value in theirs.values() if str(value).split(":")[0] in prefixes} <= set(ours.values())


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output for the small schema, on disk."""
    folder = tmp_path_factory.mktemp("small")
    for name, text in generate(SMALL / "schema").items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def usd_generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of USD's own generator for the same schema written as schema.usda."""
    script = Path(str(importlib.util.find_spec("pxr").origin)).parent / "Usd/usdGenSchema.py"     # type: ignore[union-attr]
    resources = [Path(found.resourcePath) for found in Plug.Registry().GetAllPlugins()]
    if not script.is_file() or not any((path / "usdPhysics/schema.usda").is_file() for path in resources):
        pytest.skip("this usd-core does not ship usdGenSchema with the schema sources")
    folder = tmp_path_factory.mktemp("usd")
    search = os.pathsep.join(map(str, resources))
    subprocess.run([sys.executable, str(script), str(SMALL / "schema.usda"), str(folder)], check=True,
                   capture_output=True, env=os.environ | {"PXR_AR_DEFAULT_SEARCH_PATH": search})
    return folder


def test_the_small_schema_equals_what_usds_generator_makes(small: Path, usd_generated: Path) -> None:
    made = schemas(small / "generatedSchema.usda")
    assert len(made) == 7 and made == schemas(usd_generated / "generatedSchema.usda")


def test_the_small_plugin_equals_what_usds_generator_makes(small: Path, usd_generated: Path) -> None:
    def types(folder: Path) -> Any:
        return plugin(folder / "plugInfo.json")["Info"]["Types"]

    assert types(small) == types(usd_generated)
