"""Value types and names: what Sdf knows, the generator knows, and both write it the same way."""

from __future__ import annotations

from typing import Any

import pytest
from physx_codegen import docstrings, naming, value_types, write_usda
from physx_codegen.model import Attribute, Location, SchemaClass
from physx_codegen.value_types import RANGE
from physx_codegen.yaml_source import Source
from pxr import Sdf, Tf
from support.usd_versions import needs_type

DEFAULTS = {
    "float": [0, 1.5, -3, 1e10, 5e-5, 3.4028235e38, -1.17549435e-38, float("inf"), "-inf"],
    "double": [0.1, 1e300, float("-inf")],
    "int": [0, -7], "uint64": [2**64 - 1], "uchar": [255], "bool": [True, False],
    "token": ["", "word", 'with "quotes"', "back\\slash"], "string": ["two\nlines", "é"], "asset": ["a/b.usda", "a@b"],
    "float3": [[1, 2, float("inf")]], "int2": [[1, -2]], "quatf": [[1, 0, 0, 0.5]], "matrix2d": [[[1, 2], [3, 4]]],
    "float[]": [[], [1, 2.5]], "token[]": [["a", "b"]], "point3f[]": [[[0, 0, 0], [1, 2, 3]]], "bool[]": [[True]],
}


def sdf_value(type_name: str, text: str) -> Any:
    """What USD reads for a default written as `text`."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    assert layer.ImportFromString(f'#usda 1.0\ndef "a"\n{{\n    {type_name} b = {text}\n}}\n')
    return layer.GetAttributeAtPath("/a.b").default


def as_usd(type_name: str, value: Any) -> Any:
    """The value written by USD itself."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    spec = Sdf.AttributeSpec(Sdf.CreatePrimInLayer(layer, "/a"), "b", Sdf.ValueTypeNames.Find(type_name))
    kind = spec.typeName.type.pythonClass
    if "quat" in type_name:
        value = kind(*value)
    elif type_name == "asset":
        value = Sdf.AssetPath(value)
    elif "point3f[]" in type_name:
        value = kind([tuple(item) for item in value])
    elif "matrix" in type_name:
        value = kind(value)
    elif type_name in {"float3", "int2"}:
        value = kind(*value)
    spec.default = float(value) if isinstance(value, str) and type_name == "float" else value
    return spec.default


@pytest.mark.parametrize("type_name", value_types.TYPES)
def test_every_type_is_one_of_usds(type_name: str) -> None:
    needs_type(type_name)
    kind, ours = Sdf.ValueTypeNames.Find(type_name), value_types.TYPES[type_name]
    assert kind and str(kind) == type_name and kind.isArray == ours.array
    if len(ours.shape) == 1 and not ours.array and "quat" not in type_name:
        assert len(kind.defaultValue) == ours.shape[0]


def test_every_type_of_usd_is_known_but_for_opaque_and_new_ones() -> None:
    found = [getattr(Sdf.ValueTypeNames, name) for name in dir(Sdf.ValueTypeNames) if name[0].isupper()]
    unknown = {str(kind).removesuffix("[]") for kind in found if isinstance(kind, Sdf.ValueTypeName)}
    unknown -= value_types.TYPES.keys()
    assert unknown <= {"opaque", "group", "pathExpression", "duration"}     # the last is newer than the oldest USD here


@pytest.mark.parametrize(("type_name", "raw"), [(name, raw) for name, values in DEFAULTS.items() for raw in values])
def test_defaults_are_written_so_that_usd_reads_the_value(type_name: str, raw: Any) -> None:
    kind = value_types.TYPES[type_name]
    text = write_usda.value(kind.name, value_types.parse(kind, raw))
    assert sdf_value(type_name, text) == as_usd(type_name, raw)


@pytest.mark.parametrize(("text", "expected"), [
    ("a: 1e6", 1e6), ("a: -2.5E-3", -2.5e-3), ("a: 1.0", 1.0), ("a: .inf", float("inf")), ("a: '1e6'", "1e6"),
    ("a: 7", 7),
])
def test_numbers_are_read_as_people_write_them(text: str, expected: object) -> None:
    found = Source(text).root.values["a"]
    assert found == expected and type(found) is type(expected)


@pytest.mark.parametrize("text", ["[0, inf)", "(-inf, inf)", "[lowerLimit, inf]", " ( 0 , 1.5e3 ] ", "[-1,1]"])
def test_intervals_are_recognised(text: str) -> None:
    assert RANGE.fullmatch(text)


@pytest.mark.parametrize(("text", "proper", "camel"), [
    ("physics:localPos0s", "PhysicsLocalPos0s", "physicsLocalPos0s"), ("stiffness", "Stiffness", "stiffness"),
    ("physxResidualReporting:rmsResidual", "PhysxResidualReportingRmsResidual", "physxResidualReportingRmsResidual"),
    ("x", "X", "x"), ("a-b", "AB", "aB"),
])
def test_names_are_cased_like_usds(text: str, proper: str, camel: str) -> None:
    assert naming.proper_case(text) == proper and naming.camel_case(text) == camel


@pytest.mark.parametrize("word", ["GPU", "left-hand", "2d", "physx:word"])
def test_tokens_have_valid_python_names(word: str) -> None:
    assert naming.token_name(word).isidentifier() and Tf.IsValidIdentifier(naming.token_name(word))


@pytest.mark.parametrize(("names", "expected"), [
    ([("physics:position", "position")], ["position"]),
    ([("a:limit", ""), ("b:limit", "")], ["aLimit", "bLimit"]),
    ([("class", "category"), ("name", "label")], ["category", "label"]),
])
def test_keywords_are_the_last_part_of_a_name_where_usable(names: list[tuple[str, str]], expected: list[str]) -> None:
    place = Location("a.yaml", 1)
    owner = SchemaClass("AAPI", "single-apply", place)
    properties = [(owner, Attribute(name, "float", place, api=api or None)) for name, api in names]
    assert list(naming.keywords(properties).values()) == expected


def test_docstrings_keep_paragraphs_and_lists_apart() -> None:
    doc = "Pulls. And\n    more.\n\n    Second:\n    - one\n      and on\n    - two\n"
    assert docstrings.split_brief(doc) == ["Pulls.", "And more.", "Second:\n- one and on\n- two"]
    assert docstrings.split_brief(" \n ") == ["", ""]


def test_docstrings_can_hold_any_text() -> None:
    found = docstrings.docstring(["\0 is no source", 'a \\ and """'], 4)
    assert eval(found).startswith("\\x00 is no source\n\n    a \\ and '''")
