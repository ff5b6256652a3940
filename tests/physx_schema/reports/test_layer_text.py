"""Specs found in the text of usda layers, against what USD's own parser reads there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pxr import Sdf
from support.nonempty import nonempty
from support.places import DATA

from physx_schema.reports.layer_text import prim_specs

TEXT = '''#usda 1.0
(
    doc = """def Xform "no" {
    """
    subLayers = [
        @weaker.usda@ (offset = 1; scale = 2)
    ]
    upAxis = "Z"
)

reorder rootPrims = ["d", "a"]

def Xform "a" (
    "a comment with ) and {"
    customData = {
        string note = "} def Xform \\"b\\" {"
    }
    delete apiSchemas = ["PhysicsMassAPI"]
    prepend apiSchemas = ["PhysicsRigidBodyAPI"]
    payload = @asset.usda@</x> (offset = 2)
    variants = {
        string v = "one"
    }
    prepend variantSets = "v"
)
{
    # } float x = 2
    /* } */ custom float x = 1 (
        doc = "{"
    )
    float[] y = [
        1, 2
    ]
    reorder nameChildren = ["c", "b"]
    variantSet "v" = {
        "one" (prepend apiSchemas = ["PhysicsMassAPI"]) {
            float in_variant = 2
            def Scope "inside"
            {
                rel z = </a> (doc = "text")
            }
        }
        "two" {
            def Scope "inside" { rel z = [</a>, </d>]; }
        }
    }

    over "b" { float x.timeSamples = { 0: 1, 1: 2 }; float x.connect = </a.x>; float x = 3; }
    def "c"
    {
        asset f = @a{b.usda@
        asset g = @@@a@b{.usda@@@
        prepend rel physics:body0 = </a/b>
        token[] none = []
        matrix4d m = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1) )
        string text = \'\'\'}
        } def "x" \'\'\'
    }
}
class "d"
{
}
'''


def lines_of(text: str, path: str, name: str = "") -> list[int]:
    """The lines of the statements on a property or on metadata of a prim spec, or of its name."""
    spec = prim_specs(text, [path]).get(path)
    if spec is None:
        return []
    statements = spec.properties.get(name) or spec.metadata.get(name) or []
    starts = [item.name[0] for item in statements] if name else [spec.name[0]] if spec.name else []
    return [text.count("\n", 0, start) + 1 for start in starts]


@pytest.mark.parametrize(("path", "name", "lines"), [
    ("/", "upAxis", [8]), ("/", "subLayers", [5]), ("/a", "", [13]), ("/a", "apiSchemas", [18, 19]),
    ("/a", "payload", [20]), ("/a", "x", [28]), ("/a", "y", [31]), ("/a{v=one}", "in_variant", [37]),
    ("/a{v=one}", "apiSchemas", [36]), ("/a{v=one}inside", "", [38]), ("/a{v=one}inside", "z", [40]),
    ("/a{v=two}inside", "z", [44]), ("/a/b", "", [48]), ("/a/b", "x", [48, 48, 48]), ("/a/c", "g", [52]),
    ("/a/c", "physics:body0", [53]), ("/d", "", [60]), ("/e", "", []), ("/b", "", []), ("/a/inside", "", [])])
def test_statement_is_on_its_line(path: str, name: str, lines: list[int]) -> None:
    assert Sdf.Layer.CreateAnonymous(".usda").ImportFromString(TEXT)
    assert lines_of(TEXT, path, name) == lines


@pytest.mark.parametrize(("part", "value"), [
    ("timeSamples", "{ 0: 1, 1: 2 }"), ("connect", "</a.x>"), ("", "3")])
def test_value_of_each_statement_on_an_attribute_is_known(part: str, value: str) -> None:
    (statement,) = [item for item in prim_specs(TEXT, ["/a/b"])["/a/b"].properties["x"] if item.part == part]
    assert statement.value and TEXT[slice(*statement.value)] == value


def test_value_ends_before_the_metadata_of_its_property() -> None:
    (statement,) = prim_specs(TEXT, ["/a{v=one}inside"])["/a{v=one}inside"].properties["z"]
    assert statement.value and TEXT[slice(*statement.value)] == "</a>"


@pytest.mark.parametrize("text", [
    "#usda 1.0\ndef Xform \"a\"\n{\n    float x = 1\n", "#usda 1.0\ndef \"a\"\n{\n    what is this?\n}\n",
    "#usda 1.0\n(\n    upAxis = \"Z\"\n", "#usda 1.0\nfloat x = 1\n",
    "#usda 1.0\ndef Xform \"a\"\n{\n    float x = [1\n}"])
def test_text_that_is_not_understood_has_no_specs(text: str) -> None:
    assert prim_specs(text, ["/", "/a"]) == {}


def _require_all_specs(layer: Sdf.Layer, text: str) -> None:
    """Every prim and property that USD reads in a text is found in it, under its own name."""
    paths: list[Sdf.Path] = []
    layer.Traverse(Sdf.Path.absoluteRootPath, paths.append)
    prims = [path for path in paths if path.IsPrimPath()]
    properties = [path for path in paths if path.IsPrimPropertyPath()]
    specs = prim_specs(text, {str(path.GetPrimOrPrimVariantSelectionPath()) for path in (*prims, *properties)})
    for path in prims:
        name = specs[str(path)].name
        assert name and text[slice(*name)] == path.name
    for path in properties:
        spec = specs[str(path.GetPrimOrPrimVariantSelectionPath())]
        assert {text[slice(*item.name)] for item in spec.properties[path.name]} == {path.name}


def _layers(paths: list[Path]) -> Iterator[tuple[Sdf.Layer, str]]:
    """The layers of text among files, with their text; files that USD refuses are left out."""
    for path in paths:
        layer = Sdf.Layer.CreateAnonymous(".usda")
        try:
            text = path.read_text("utf-8")
            if text.startswith("#usda") and layer.ImportFromString(text):
                yield layer, text
        except (UnicodeDecodeError, RuntimeError):
            continue


def test_every_spec_of_the_kept_layers_is_found() -> None:
    for layer, text in nonempty(_layers(sorted(DATA.rglob("*.usda")))):
        _require_all_specs(layer, text)


def test_every_spec_of_the_recorded_cases_is_found(case_stages: list[Path]) -> None:
    for layer, text in nonempty(_layers(case_stages)):
        _require_all_specs(layer, text)


def test_every_spec_of_an_exported_layer_with_variants_is_found() -> None:
    layer, exported = (Sdf.Layer.CreateAnonymous(".usda") for _ in range(2))
    assert layer.ImportFromString(TEXT)
    text = layer.ExportToString()
    assert exported.ImportFromString(text)
    _require_all_specs(exported, text)
