"""Extras of the package: each of pyproject.toml is listed, and what is installed is not advised again."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Mapping

import pytest
from support.places import ROOT

from physx_schema.cli import installed_extras as module
from physx_schema.cli.installed_extras import PURPOSES, Extra, installed_extras

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
# What only extras bring, and a diagnosis does without.
HEAVY = ("viser", "gymnasium", "mujoco", "coal", "PIL", "imageio_ffmpeg", "numba", "mcp", "cuda", "sapien")


def installed(monkeypatch: pytest.MonkeyPatch, **versions: str) -> None:
    named = {name.replace("_", "-"): text for name, text in versions.items()}
    monkeypatch.setattr(module, "installed_version", lambda name: named.get(name, ""))


def test_every_extra_has_a_purpose_and_every_purpose_an_extra() -> None:
    assert set(PURPOSES) == set(EXTRAS)


def test_every_extra_of_the_installed_package_is_listed_with_its_distributions() -> None:
    listed = {extra.name: set(extra.versions) for extra in installed_extras()}
    assert set(listed) == set(EXTRAS)
    assert (listed["robots"], listed["film"]) == ({"urdf-usd-converter", "mujoco-usd-converter"}, {"imageio-ffmpeg"})


@pytest.mark.parametrize(("versions", "state"), [
    ({"viser": "1.0.3"}, "viser 1.0.3; adds a robot live in a browser"),
    ({"viser": ""}, "not installed; pip install 'physx-schema[view]' adds a robot live in a browser"),
    ({"viser": "", "trimesh": "4.0"}, "viser not installed; pip install 'physx-schema[view]' adds a robot live in a "
                                      "browser"),
])
def test_extra_says_what_is_installed_or_how_to_install_it(versions: Mapping[str, str], state: str) -> None:
    assert Extra("view", versions).state == state


def test_second_usd_is_never_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, usd_exchange="3.0.1")
    assert Extra("usd", {"usd-core": ""}).state == "not installed; usd-exchange is the USD here"


def test_converters_are_advised_beside_another_usd_only(monkeypatch: pytest.MonkeyPatch) -> None:
    robots = Extra("robots", {"urdf-usd-converter": ""})
    installed(monkeypatch, usd_core="26.11")
    assert robots.state.endswith("; use an environment without usd-core")
    installed(monkeypatch, usd_exchange="3.0.1")
    assert "environment" not in robots.state


def test_extra_of_an_older_python_is_not_advised() -> None:
    assert Extra("robots", {"urdf-usd-converter": ""}, supported=False).state.startswith("not for Python 3.")


def test_many_distributions_are_counted() -> None:
    assert Extra("dev", {f"p{number}": "1" for number in range(9)}).state == (
        "p0 1, p1 1, p2 1, p3 1 and 5 more; adds tests and linters")


def test_diagnosis_imports_none_of_the_extras() -> None:
    code = ("import sys; from physx_schema.cli.doctor_command import diagnose; list(diagnose()); "
            f"print(sorted({set(HEAVY)} & set(sys.modules)))")
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
