"""Random valid definitions, full of quotes, braces, keywords and clashes, make packages that say what they say."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from physx_codegen.generate import load_valid
from physx_codegen.generate_command import generate_command as command
from physx_codegen.model import SchemaError

SEEDS = 4
LIBRARIES = 12          # of one output: they are imported in one process
WORDS = ("class", "from", "None", "True", "def", "import", "lambda", "match", "self", "cls", "prim", "name", "stage",
         "path", "strict", "values", "set", "inf", "math", "Usd", "Sdf", "Get", "definition", "schemaKind", "größe",
         "ñ", "_hidden", "x1", "rate", "Rate", "colour", "weight", "__doc", "doc", "int", "double", "namespace")
PIECES = ("spins", "the", "prim", '"quoted"', "'single'", '"""', "'''", "\\", "\\n", "\\u0041", "{{ x }}",
          "{% if %}", "{# no #}", "{0}", "%s", "${HOME}", "#", "<b>", "@file@", "ünïcödé", "🙂", "a:b", "tab\there",
          "- item", "`x`", "two\nlines", "two\n\nparagraphs", "\x07", "|", "&amp;", "[x]")
TOKENS = ("class", "None", "from", "a b", "a-b", "", "2d", "ü", "x", '"', "'", "\\", "{{", "two\nlines", "a:b", "True")
TYPES: dict[str, Any] = {
    "float": lambda rng: rng.choice([0, 1.5, -2e30, math.inf, 1e-7]), "double": lambda rng: rng.random(),
    "int": lambda rng: rng.randrange(-9, 9), "bool": lambda rng: rng.random() < 0.5,
    "string": lambda rng: prose(rng), "token": lambda rng: rng.choice(TOKENS), "asset": lambda rng: "a/b.png",
    "float3": lambda rng: [rng.randrange(9) for _ in range(3)], "quatf": lambda rng: [1, 0, 0, 0],
    "token[]": lambda rng: rng.sample(TOKENS, 3), "string[]": lambda rng: [prose(rng), prose(rng)],
    "int[]": lambda rng: [rng.randrange(9) for _ in range(rng.randrange(4))], "matrix2d": lambda rng: [[1, 0], [0, 1]],
}


def prose(rng: random.Random) -> str:
    """Text that is one sentence, so that USD's summary of it is all of it."""
    return " ".join(rng.choice(PIECES) for _ in range(rng.randrange(1, 7))).strip()


def facts(rng: random.Random) -> dict[str, Any]:
    """What classes and properties have alike."""
    found: dict[str, Any] = {"doc": prose(rng)} if rng.random() < 0.8 else {}
    found |= {"deprecated": prose(rng)} if rng.random() < 0.2 else {}
    return found | ({"retired": "2.0"} if rng.random() < 0.1 else {})


def attribute(rng: random.Random, name: str) -> dict[str, Any]:
    kind = rng.choice(list(TYPES))
    found = {"name": name, "type": kind, **facts(rng)}
    found |= {"default": TYPES[kind](rng)} if rng.random() < 0.8 else {}
    if kind == "token" and rng.random() < 0.5:
        found["tokens"] = list(dict.fromkeys([found.get("default", "x"), *rng.sample(TOKENS, 3)]))
    for key in ("display", "group", "unit"):
        found |= {key: prose(rng)} if rng.random() < 0.3 else {}
    found |= {"metadata": {"string comment": prose(rng)}} if rng.random() < 0.3 else {}
    found |= {"custom_data": {"string note": prose(rng)}} if rng.random() < 0.2 else {}
    found |= {"renamed_from": rng.choice(WORDS)} if rng.random() < 0.1 else {}
    return found | ({"uniform": True} if rng.random() < 0.2 else {})


def schema_class(rng: random.Random, name: str, plain: list[str], applied: list[str]) -> dict[str, Any]:
    kind = rng.choice(("single-apply", "multiple-apply", "non-applied", "typed", "abstract"))
    found = {"name": name if kind in ("typed", "abstract") else f"{name}API", "kind": kind, **facts(rng)}
    names = rng.sample(WORDS, rng.randrange(6))
    cut = rng.randrange(len(names) + 1)
    if kind == "multiple-apply" or rng.random() < 0.8:
        found["prefix"] = f"{name}:in" if rng.random() < 0.3 else name
    found |= {"base": rng.choice(["ClipsAPI", *plain])} if kind == "non-applied" and rng.random() < 0.5 else {}
    found |= {"equation": prose(rng)} if rng.random() < 0.3 else {}
    found |= {"includes": rng.sample(applied, 1)} if kind == "single-apply" and applied and rng.random() < 0.4 else {}
    found["attributes"] = [attribute(rng, word) for word in names[:cut]]
    found["relationships"] = [{"name": word, **facts(rng)} for word in names[cut:]]
    return {key: value for key, value in found.items() if value != []}


def library(rng: random.Random, name: str, foreign: list[str]) -> dict[str, Any]:
    """A library with up to four classes, some of which derive from `foreign` non-applied ones, of another library."""
    classes: list[dict[str, Any]] = []
    for index in range(rng.randrange(1, 5)):
        plain = [item["name"] for item in classes if item["kind"] == "non-applied"]
        applied = [item["name"] for item in classes if item["kind"] == "single-apply"]
        classes.append(schema_class(rng, f"{name.title()}{'ABCD'[index]}", [*plain, *foreign], applied))
    tokens = [{"name": word, "value": prose(rng), "doc": prose(rng)} for word in rng.sample(WORDS, rng.randrange(3))]
    return {"name": name.title(), "plugin": f"{name}Plugin", "package": name, "doc": prose(rng), "schemas": ["usd"],
            "tokens": tokens, "classes": classes}


def definitions(rng: random.Random, folder: Path) -> dict[str, dict[str, Any]]:
    """Valid definitions in sub-folders; where words clash so that a definition is refused, another one is drawn."""
    made: dict[str, dict[str, Any]] = {}
    while len(made) < LIBRARIES:
        name = f"lib{'abcdefghijklmnop'[len(made)]}"
        every = [item for other in made.values() for item in other["classes"]]
        foreign = [item["name"] for item in every if item["kind"] == "non-applied"]
        drawn = library(rng, name, foreign)
        (folder / name).mkdir(parents=True, exist_ok=True)
        text = yaml.safe_dump(drawn, allow_unicode=True, sort_keys=False)
        (folder / name / "library.yaml").write_text(text, encoding="utf-8")
        try:
            load_valid(folder)
        except SchemaError:
            continue
        made[name] = drawn
    return made


LOOK = """
import importlib, inspect, json, sys
from pxr import Sdf, Usd
import made
wanted = json.load(sys.stdin)
for name in wanted:
    importlib.import_module("made." + name)
registry, found = Usd.SchemaRegistry(), {}
def shown(value):
    return [shown(item) for item in value] if hasattr(value, "__len__") and not isinstance(value, str) else (
        getattr(value, "path", value) if not hasattr(value, "GetReal") else
        [value.GetReal(), *value.GetImaginary()])
for name, classes in wanted.items():
    module = importlib.import_module("made." + name)
    for cls, names in classes.items():
        assert getattr(module, cls).__doc__
        definition = registry.FindConcretePrimDefinition(cls) or registry.FindAppliedAPIPrimDefinition(cls)
        for prop in names if definition else ():
            found[cls + "." + prop] = [
                definition.GetPropertyDocumentation(prop),
                shown(definition.GetAttributeFallbackValue(prop)) if definition.GetSpecType(prop)
                == Sdf.SpecTypeAttribute else None]
print(json.dumps(found))
"""


def full_name(cls: dict[str, Any], prop: dict[str, Any]) -> str:
    middle = ":__INSTANCE_NAME__" if cls["kind"] == "multiple-apply" else ""
    return f"{cls['prefix']}{middle}:{prop['name']}" if cls.get("prefix") else prop["name"]


def properties(cls: dict[str, Any]) -> list[dict[str, Any]]:
    return [*cls.get("attributes", []), *cls.get("relationships", [])]


@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_random_definitions_say_is_in_the_schema_registry(seed: int, tmp_path: Path) -> None:
    made = definitions(random.Random(seed), tmp_path / "schema")
    result = CliRunner().invoke(command, ["--from", str(tmp_path / "schema"), "--out", str(tmp_path / "made")])
    assert result.exit_code == 0, result.output
    wanted = {name: {cls["name"]: [full_name(cls, prop) for prop in properties(cls)] for cls in drawn["classes"]}
              for name, drawn in made.items()}
    done = subprocess.run([sys.executable, "-W", "error::RuntimeWarning", "-c", LOOK], input=json.dumps(wanted),
                          capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found
    for cls in (cls for drawn in made.values() for cls in drawn["classes"]):
        for prop in (prop for prop in properties(cls) if f"{cls['name']}.{full_name(cls, prop)}" in found):
            doc, default = found[f"{cls['name']}.{full_name(cls, prop)}"]
            assert doc.removesuffix(".") == prop.get("doc", "").removesuffix("."), prop
            assert_same(default, prop.get("default"))


def assert_same(found: Any, wanted: Any) -> None:
    """Equality but for the precision of a float."""
    if isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            assert_same(one, other)
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-6)
    else:
        assert found == wanted
