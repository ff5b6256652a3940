"""The generated plugin says what USD's own generator says."""

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

ROOT = Path(__file__).resolve().parents[1]
SMALL = ROOT / "tests/data/codegen/small"


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
