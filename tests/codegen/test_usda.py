"""What is generated is letter by letter what USD's own generator makes, for every schema of USD and for ours."""

from __future__ import annotations

import difflib
import os
import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from physx_codegen import naming, plug_info, usda, write_usda
from physx_codegen.load_usda import load_usda
from physx_codegen.load_yaml import load
from physx_codegen.model import Library
from physx_codegen.scope import Scope
from pxr import Sdf
from support.places import ROOT, SCHEMAS
from support.schemas.packages import EVERYTHING, wheel_folder
from support.schemas.usd_generator import SOURCES, plugin, schemas, usd_generated

OURS = {path.name: path for path in sorted((ROOT / "schema").iterdir()) if path.is_dir()}
FOREIGN = {**SOURCES, "small": SCHEMAS / "small/schema.usda", "everything": EVERYTHING}
ALONE = {"kinds": SCHEMAS / "kinds/schema"}
NAMES = [*FOREIGN, *ALONE, *OURS]
CODE = [name for name in FOREIGN if name not in {"small", "usdSemantics"}]


@cache
def ours() -> Scope:
    """Our own libraries."""
    return Scope(tuple(load(path) for path in OURS.values()))


def scope(name: str) -> Scope:
    """What the definitions of one name can refer to."""
    return ours() if name in OURS else Scope((library(name),))


@cache
def library(name: str) -> Library:
    """The definitions of one name."""
    if name in OURS:
        return next(found for found in ours().libraries if found.folder == name)
    return load(ALONE[name]) if name in ALONE else load_usda(FOREIGN[name])


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Name to folder with the output of usdGenSchema, which test processes share."""
    root = tmp_path_factory.mktemp("usd")
    shared = root.parent.parent if "PYTEST_XDIST_WORKER" in os.environ else root
    sources: dict[str, Path] = dict(FOREIGN)
    for name in (*OURS, *ALONE):
        sources[name] = root / "sources" / library(name).plugin / "schema.usda"
        sources[name].parent.mkdir(parents=True)
        sources[name].write_text(write_usda.render(library(name)), encoding="utf-8")

    def made(name: str) -> Path:
        done = shared / f"usdGenSchema-{name}"
        if not done.is_dir():
            found = usd_generated(sources[name], root / name, [root / "sources"])
            with suppress(OSError):                 # another process was faster
                found.rename(done)
        return done

    return made


def comparable(text: str, found: Library) -> list[str]:
    """The lines of a generatedSchema.usda without comments, and without what usdGenSchema loses.

    It looks documentation up by the last part of a property's name, and so finds none, or another property's, for one
    with a namespace of its own in a multiple-apply schema.
    """
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString("#usda 1.0\n" + text.partition("\n")[2])
    for cls in found.classes:
        for prop in cls.properties if cls.kind == "multiple-apply" else ():
            if ":" in prop.name or any(other.name.endswith(f":{prop.name}") for other in cls.properties):
                spec = layer.GetPrimAtPath(f"/{cls.name}").properties[naming.usd_name(cls, prop)]
                spec.ClearInfo("customData")
    names = [prop.name for cls in found.classes if cls.kind == "multiple-apply" for prop in cls.properties]
    kept = str(layer.ExportToString()) if any(":" in name for name in names) else text
    return [line for line in kept.splitlines(keepends=True)[1:] if not line.startswith("# ")]


@pytest.mark.parametrize("name", NAMES)
def test_generated_schema_is_usds_letter_by_letter(name: str, theirs: Any) -> None:
    found = library(name)
    made = usda.text(scope(name), found, "a note")
    expected = (theirs(name) / "generatedSchema.usda").read_text(encoding="utf-8")
    difference = difflib.unified_diff(comparable(expected, found), comparable(made, found), "usdGenSchema", "ours")
    assert not (shown := "".join(list(difference)[:60])), shown


def test_yaml_and_usda_of_one_schema_make_the_same(tmp_path: Path) -> None:
    made = []
    for name, found in (("yaml", load(SCHEMAS / "small/schema")), ("usda", library("small"))):
        path = tmp_path / f"{name}.usda"
        path.write_text(usda.text(Scope((found,)), found, "a note"), encoding="utf-8")
        made.append(schemas(path))
    assert len(made[0]) == 7 and made[0] == made[1]


@pytest.mark.parametrize("name", NAMES)
def test_plugin_types_are_usds(name: str, theirs: Any, tmp_path: Path) -> None:
    found = library(name)
    made = tmp_path / "plugInfo.json"
    made.write_text(plug_info.text(scope(name), found, "a note"), encoding="utf-8")
    expected = plugin(theirs(name) / "plugInfo.json")
    assert plugin(made)["Info"]["Types"] == expected["Info"]["Types"]
    assert plugin(made)["Name"] == expected["Name"]


@pytest.mark.parametrize("name", CODE)
def test_tokens_are_usds_in_usds_order(name: str, theirs: Any) -> None:
    text = (theirs(name) / "tokens.cpp").read_text(encoding="utf-8")
    expected = re.findall(r'^    (\w+)\("((?:[^"\\]|\\.)*)", TfToken::Immortal\)', text, re.MULTILINE)
    assert [(word, value) for word, value, _ in naming.tokens(library(name))] == expected and expected


@pytest.mark.parametrize("name", CODE)
def test_accessors_have_the_names_of_compiled_ones(name: str, theirs: Any) -> None:
    found = library(name)
    for cls in found.classes:
        text = (theirs(name) / f"wrap{cls.python_name}.cpp").read_text(encoding="utf-8")
        expected = set(re.findall(r'\.def\("Get(\w+(?:Attr|Rel))"', text))
        reflected = [prop for other in cls.reflected for prop in Scope((found,)).homes[other][1].properties]
        named = [prop for prop in (*cls.properties, *reflected) if naming.api_name(prop)]
        assert {naming.api_name(prop) + naming.suffix(prop) for prop in named} == expected, cls.name


def without_docs(path: Path) -> dict[str, str]:
    """Class to its text, properties in order and with all metadata but documentation."""
    layer = Sdf.Layer.OpenAsAnonymous(str(path))
    found = {}
    for prim in layer.rootPrims:
        for spec in (prim, *prim.properties):
            spec.ClearInfo("customData")
        found[prim.name] = str(prim.GetAsText())
    return found


@pytest.mark.parametrize("name,wheels", [("physx", "PhysxSchema"), ("omni_physics", "OmniUsdPhysicsDeformableSchema")])
def test_generated_schema_is_the_wheels_but_for_documentation(name: str, wheels: str, tmp_path: Path) -> None:
    published = wheel_folder() / wheels / "resources/generatedSchema.usda"
    path = tmp_path / "generatedSchema.usda"
    path.write_text(usda.text(ours(), library(name), "a note"), encoding="utf-8")
    theirs = without_docs(published)
    made = without_docs(path)
    assert len(made) > 15 and made.keys() == theirs.keys()
    for cls, text in theirs.items():
        assert made[cls] == text
