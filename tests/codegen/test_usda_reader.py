"""schema.usda files that USD's own generator takes are taken, with the same classes and properties."""

from __future__ import annotations

from pathlib import Path

import pytest
from physx_codegen import naming
from physx_codegen.load_usda import load_usda
from physx_codegen.model import Library, SchemaError
from physx_codegen.validate import validate
from pxr import Sdf
from support.schemas.usd_generator import usd_generated

HEAD = """#usda 1.0
(
    subLayers = [@usd/schema.usda@]
)
over "GLOBAL" (
    customData = {
        string libraryName = "tiny"
        string libraryPath = "."
        string libraryPrefix = "Tiny"
        bool skipCodeGeneration = CODELESS
        dictionary libraryTokens = { dictionary five = { VALUE } }
    }
)
{
}
"""
CLASS = """class "%s" (
    inherits = </APISchemaBase>
    customData = { token apiSchemaType = "singleApply" }
)
{
%s
}
"""
CASE_ALONE = "names that differ in case alone"
CASES = {
    CASE_ALONE: ("", CLASS % ("OneAPI", 'string x:description = ""')
                 + CLASS % ("TwoAPI", 'string x:Description = ""')),
    "a token whose value is an integer": ("int value = 5", CLASS % ("OneAPI", "float one:a = 1")),
    "a property declared twice in the same words": ("", CLASS % ("OneAPI", "bool x:enabled = 1\nbool x:enabled = 1")),
}


def written(folder: Path, value: str, classes: str, codeless: str = "true") -> Path:
    path = folder / "schema.usda"
    path.write_text(HEAD.replace("CODELESS", codeless).replace("VALUE", value) + classes, encoding="utf-8")
    return path


def read(path: Path) -> Library:
    return validate(load_usda(path))


@pytest.mark.parametrize("name", CASES)
def test_it_has_the_properties_that_usds_generator_gives_it(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, *CASES[name])
    ours = {cls.name: {naming.usd_name(cls, prop) for prop in cls.properties} for cls in read(path).classes}
    layer = Sdf.Layer.FindOrOpen(str(usd_generated(path, tmp_path / "usd") / "generatedSchema.usda"))
    assert ours == {prim.name: {prop.name for prop in prim.properties} for prim in layer.rootPrims}


def test_names_that_differ_in_case_alone_have_a_token_each(tmp_path: Path) -> None:
    found = {name: value for name, value, _ in naming.tokens(read(written(tmp_path, *CASES[CASE_ALONE])))}
    assert (found["xDescription"], found["x_Description"]) == ("x:description", "x:Description")


def test_names_that_differ_in_case_alone_are_refused_where_tokens_are_generated_in_cpp(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="token 'xDescription' is 'x:Description' here and 'x:description'"):
        read(written(tmp_path, *CASES[CASE_ALONE], codeless="false"))


def test_an_integer_is_the_text_of_its_digits(tmp_path: Path) -> None:
    (token,) = read(written(tmp_path, *CASES["a token whose value is an integer"])).tokens
    assert (token.name, token.value) == ("five", "5")


def test_a_property_declared_twice_in_other_words_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="property 'x:enabled' is defined twice"):
        read(written(tmp_path, "", CLASS % ("OneAPI", "bool x:enabled = 1\nbool x:enabled = 0")))
