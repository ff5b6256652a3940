"""Definitions go from YAML to schema.usda and back, and from anyone's schema.usda to YAML and back, without loss."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import physx_codegen
import pytest
from physx_codegen import fields, load_yaml, value_types, write_usda, write_yaml
from physx_codegen.load_usda import load_usda
from physx_codegen.model import Attribute, Entry, Library, Relationship, SchemaClass
from support.places import ROOT, SCHEMAS
from support.schemas.authored import difference, specs
from support.schemas.packages import EVERYTHING, wheel_folder
from support.schemas.usd_generator import SOURCES
from support.usd_versions import needs_type, takes_validators

YAML = [ROOT / "schema/physx", ROOT / "schema/omni_physics", ROOT / "schema/legacy",
        SCHEMAS / "small/schema"]
OWN = [EVERYTHING, *(SCHEMAS / name / "schema.usda" for name in ("small", "unregistered"))]
USDA = [*OWN, *SOURCES.values()]


def as_usda(library: Library, folder: Path) -> Path:
    folder.mkdir(parents=True)
    path = folder / "schema.usda"
    path.write_text(write_usda.render(library), encoding="utf-8")
    return path


def as_yaml(library: Library, folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name, text in write_yaml.render(library).items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("folder", YAML, ids=lambda path: path.name)
def test_yaml_to_usda_to_yaml_loses_nothing(folder: Path, tmp_path: Path) -> None:
    library = load_yaml.load(folder)
    read = load_usda(as_usda(library, tmp_path / "usda"))
    assert difference(library, read) == ""
    assert difference(library, load_yaml.load(as_yaml(read, tmp_path / folder.name))) == ""


@pytest.mark.parametrize("path", USDA, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_usda_to_yaml_to_usda_loses_nothing(path: Path, tmp_path: Path) -> None:
    library = load_usda(path)
    read = load_yaml.load(as_yaml(library, tmp_path / "yaml"))
    assert difference(library, read) == ""
    written, original = specs(as_usda(read, tmp_path / "usda")), specs(path)
    assert written.keys() == original.keys()
    for place, said in original.items():
        assert written[place] == said, place


TEXTS = [
    "a: b", "# no comment", "a #b", "- x", "'", '"', "it's \"both\"", "\\", "\\n", "a\tb", "a\rb", "a\r\nb", "\x07b",
    "\x7f", "\x07f", "\x85", "\u2028", "\ufeff", "ünïcödé", "🙂", " leading", "trailing ", "\n", "a\n", "a\n\n", "\na",
    "a\n\nb", "  a\n b", "yes", "Off", "null", "~", "1e6", "1_000", "0x10", "12:30:45", "2020-01-01", ".inf", "=",
    "<<", "%", "@", "`", "!x", "&x", "*x", "{", "}", "[a", "a, b", "?", "? x", "|", ">", '"""', "'''", "@@@",
    'ends in quote"', "ends in backslash\\", "</path>", "word " * 60, "folded words, " * 30 + "\n  and indented",
    "x" * 300, 'a\n"']


@pytest.mark.parametrize(("package", "folder"), [
    ("newton_usd_schemas", "."), ("physx_usd_schemas", "PhysxSchema/resources"),
    ("physx_usd_schemas", "OmniUsdPhysicsDeformableSchema/resources"),
])
def test_an_installed_plugin_becomes_yaml_and_usda_without_loss(package: str, folder: str, tmp_path: Path) -> None:
    (library,) = physx_codegen.load(wheel_folder(package) / folder)
    assert len(library.classes) > 15
    read = load_usda(as_usda(library, tmp_path / "usda"))
    assert difference(library, read) == ""
    assert difference(library, load_yaml.load(as_yaml(read, tmp_path / "yaml"))) == ""


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_survives_both_ways(text: str, tmp_path: Path) -> None:
    library = load_usda(OWN[0])
    cls = library.families[0].classes[0]
    attribute = Attribute("spoken", "string", cls.loc, default=text, doc=text, display=text, tokens=(text, "b"),
                          custom_data=(Entry("note", "string", text), Entry("notes", "string[]", (text, text))))
    spoken = dataclasses.replace(cls, doc=text, properties=(attribute,), extra_includes=text)
    family = dataclasses.replace(library.families[0], classes=(spoken,))
    library = dataclasses.replace(library, doc=text, families=(family,))
    read = load_usda(as_usda(library, tmp_path / "usda"))
    assert difference(library, read) == ""
    assert difference(library, load_yaml.load(as_yaml(read, tmp_path / "yaml"))) == ""


NUMBERS = [0.1, 1 / 3, -2.5e-7, 65504.0, 1e4 + 1 / 3, 123456.789, 16777217.0, -0.0, 5.0, math.pi, math.inf]


@pytest.mark.parametrize("name", [kind.name for kind in value_types.TYPES.values() if kind.base != "none"])
def test_a_default_of_any_type_survives_both_ways(name: str, tmp_path: Path) -> None:
    needs_type(name)
    kind = value_types.TYPES[name]
    scalars = {"bool": [True, False], "int": [0, 1, 127], "word": ["a", "", "b/c.png"], "float": NUMBERS}[kind.base]
    scalars = ["", "//", "/a/b"] if name.startswith("path") else scalars       # USD makes relative ones absolute
    scalars = [0.1, -0.0] if name.startswith("half") or name.endswith(("h", "h[]")) else scalars
    library = load_usda(OWN[0])
    cls = library.families[0].classes[0]
    defaults = [value_types.parse(kind, shaped(kind.shape, scalar)) for scalar in scalars] if not kind.array else [
        value_types.parse(kind, [shaped(kind.shape, scalar) for scalar in scalars])]
    properties = tuple(Attribute(f"a{index}", name, cls.loc, default=default) for index, default in enumerate(defaults))
    family = dataclasses.replace(library.families[0], classes=(dataclasses.replace(cls, properties=properties),))
    library = dataclasses.replace(library, families=(family,))
    read = load_usda(as_usda(library, tmp_path / "usda"))
    assert difference(library, read) == ""
    assert difference(library, load_yaml.load(as_yaml(read, tmp_path / "yaml"))) == ""


def shaped(shape: tuple[int, ...], scalar: object) -> object:
    """A vector or matrix of one number."""
    return [shaped(shape[1:], scalar) for _ in range(shape[0])] if shape else scalar


@pytest.mark.skipif(not takes_validators, reason="the wheel of USD before 26.5 has no schema.usda of its own")
def test_schemas_of_usd_itself_are_among_those_converted() -> None:
    names = {path.parent.name for path in USDA}
    assert names >= {"usd", "usdGeom", "usdLux", "usdPhysics", "usdRender", "usdShade", "usdSkel", "usdVol"}


# Fields of relationships that work as those of attributes, which the test sees filled.
UNUSED = {"Relationship": {
    "custom_get", "override", "hidden", "custom_data", "retired", "deprecated", "renamed_from", "group"}}


def test_hard_limits_are_a_range() -> None:
    attributes = {prop.name: prop for prop in load_usda(OWN[0]).families[0].classes[0].attributes}
    assert attributes["limited"].range_text == "[0, 1]" and attributes["weights"].range_text == ""


def test_the_schema_with_every_key_fills_every_field() -> None:
    """A field that neither the hand-made schemas nor ours fill would not be covered by the tests above."""
    everything = [load_usda(OWN[0]), *map(load_yaml.load, YAML)]
    owners: list[object] = [*everything]
    for library in everything:
        owners += [*library.tokens, *library.classes, *(prop for cls in library.classes for prop in cls.properties)]
    for kind in (Library, SchemaClass, Attribute, Relationship):
        defaults = {field.name: field.default for field in dataclasses.fields(kind)}
        kept = [owner for owner in owners if isinstance(owner, kind)]
        unused = {name for name, default in defaults.items() if all(getattr(owner, name) == default for owner in kept)}
        assert unused <= UNUSED.get(kind.__name__, set()), f"{kind.__name__}: {unused}"


def test_every_key_of_the_language_is_written() -> None:
    table = {"library": Library, "class": SchemaClass, "attribute": Attribute, "relationship": Relationship}
    for place, kind in table.items():
        names = {field.name for field in dataclasses.fields(kind)}
        missing = {key for key, field in fields.TABLES[place].items() if field.holds != "list" and key not in names}
        assert not missing, f"{place}: {missing}"
