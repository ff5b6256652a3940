"""Definitions in YAML: those that nobody would write, and sound ones that were spoiled."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import yaml
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from physx_codegen.generate import generate
from physx_codegen.model import SchemaError

from support.fuzzing.spoiling import MARKS, NUMBERS, WORDS, require_line, spoiled_lines
from support.places import SCHEMAS

SOUND = b"name: Toy\nplugin: toy\n" + (SCHEMAS / "small/schema/coil.yaml").read_bytes()
PIECES = (*NUMBERS, *WORDS, *MARKS, "- ", "&a", "*a", "!!python/object:os.system", "<<:", "? ", "yes", "2001-01-01",
          "[[[[", "kind: typed", "retired: '1.0'", "doc: |", "type: token[]", "range: '[a, b'",
          "includes: [ToyCoilAPI]")
TYPES = ("float", "double", "int", "bool", "string", "token", "asset", "float3", "quatf", "token[]", "int[]",
         "matrix4d", "point3f[]", "uint64", "timecode", "half", "dictionary", "rel", "opaque", "float[", "")
KINDS = ("single-apply", "multiple-apply", "non-applied", "typed", "abstract", "none", "")
scalar = (st.sampled_from((*NUMBERS, *WORDS)) | st.integers() | st.floats() | st.booleans() | st.none()
          | st.text(max_size=8))
value = st.recursive(scalar, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner,
                                                                                          max_size=2), max_leaves=5)
name = st.sampled_from(("size", "rate", "class", "None", "größe", "a:b", "ToyAPI", "ToyBAPI", "_x", "2d", "")
                       ) | scalar


def fields(required: dict[str, SearchStrategy[Any]], optional: dict[str, SearchStrategy[Any]]) -> SearchStrategy[Any]:
    """A mapping with these fields, in one of ten cases with a field that no schema knows."""
    drawn = st.fixed_dictionaries(required, optional=optional)
    return drawn | drawn | drawn.flatmap(lambda found: st.tuples(st.sampled_from(sorted(found) or ["x"]), value).map(
        lambda change: {**found, change[0]: change[1]}))


FACTS = {"doc": st.just("A toy.") | scalar, "deprecated": scalar, "retired": st.just("1.0") | scalar}
attribute = fields(
    {"name": name, "type": st.sampled_from(TYPES)},
    {**FACTS, "default": value, "tokens": st.lists(scalar, max_size=3), "uniform": st.booleans() | scalar,
     "range": st.sampled_from(("[0, 1]", "(0, inf)", "[size, rate]", "[1, 0]", "[nan, 1]", "[", "")) | scalar,
     "unit": scalar, "display": scalar, "group": scalar, "renamed_from": name, "api": name, "metadata": value,
     "custom_data": value})
schema_class = fields(
    {"name": st.sampled_from(("ToyAPI", "ToyBAPI", "Toy")) | name, "kind": st.sampled_from(KINDS)},
    {**FACTS, "prefix": st.sampled_from(("toy", "toy:in", "")) | scalar, "base": name, "equation": scalar,
     "includes": st.lists(name, max_size=2), "applies_to": st.lists(name, max_size=2),
     "instances": st.lists(name, max_size=2), "attributes": st.lists(attribute, max_size=3),
     "relationships": st.lists(fields({"name": name}, {**FACTS, "targets": st.lists(name, max_size=2)}), max_size=2)})
library = fields(
    {"name": st.just("Toy") | name, "plugin": st.just("toy") | name,
     "classes": st.lists(schema_class, min_size=1, max_size=3)},
    {"package": name, "doc": scalar, "schemas": st.just(["usd"]) | value,
     "tokens": st.lists(fields({"name": name}, {"value": scalar, "doc": scalar}), max_size=2)})
drawn = library.map(lambda found: yaml.safe_dump(found, allow_unicode=True, sort_keys=False).encode(
    "utf-8", "surrogatepass"))
CASES = drawn | spoiled_lines(SOUND.decode(), PIECES)


def hold(case: bytes) -> None:
    """Definitions make the same files twice, or are refused with a file, a line and a reason each."""
    require_files_or_lines("toy.yaml", case)


def require_files_or_lines(file: str, content: bytes) -> None:
    """A file of definitions is generated from, or refused line by line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / file
        path.write_bytes(content)
        try:
            made = generate(Path(folder))
        except SchemaError as error:
            assert error.problems
            for place, message in error.problems:
                assert place.file.startswith(folder) and place.line > 0, (place, message)
                require_line(ValueError(message))
        else:
            assert generate(Path(folder)) == made
