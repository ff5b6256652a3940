"""Importing the package: what it loads, and that everything public is there when asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support.places import ROOT

import physx_schema

HEAVY = ("numpy", "jinja2", "yaml", "click", "dataclasses", "difflib", "physx_runtime", "physx_codegen",
         "physx_schema.authoring", "physx_schema.checking", "physx_schema.description",
         "physx_schema.class_description")


def test_importing_loads_nothing_but_usd_and_the_classes() -> None:
    code = f"""
import sys
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'generated')!r}]
from pxr import Usd, UsdGeom, UsdPhysics
before = set(sys.modules)
import physx_schema
print(*sorted((set(sys.modules) - before) & set({HEAVY!r})))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == ""


@pytest.mark.parametrize("name", physx_schema.__all__)
def test_every_public_name_is_there_and_listed(name: str) -> None:
    assert getattr(physx_schema, name) is not None and name in dir(physx_schema)


def test_nothing_else_is_listed() -> None:
    assert {name for name in dir(physx_schema) if not name.startswith("__")} == set(physx_schema.__all__)


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="module 'physx_schema' has no attribute 'no_such_name'"):
        physx_schema.no_such_name  # noqa: B018


def test_modules_below_are_found_by_attribute() -> None:
    assert physx_schema.authoring.__name__ == "physx_schema.authoring"
    assert physx_schema.author is __import__("physx_schema.authoring.bodies", fromlist=["author"]).author
