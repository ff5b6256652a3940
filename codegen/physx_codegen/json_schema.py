"""The YAML language as JSON Schema, for completion and underlined typos in editors; made from :mod:`.fields`."""

from __future__ import annotations

import json
from typing import Any

from . import fields

JSON_SCHEMA_FILE = "physx-schema.schema.json"
TYPED = r"^[A-Za-z][A-Za-z0-9]*(\[\])? .+$"
# Letters of every script, by what is none: \w is ASCII alone in some readers of JSON Schema.
START, TAIL = r"[^\x00-@\[-^`{-\x7f]", r"[^\x00-/:-@\[-^`{-\x7f]*"
WORD = f"^{START}{TAIL}$"
PROPERTY = f"^{START}{TAIL}(:{START}{TAIL})*$"
SHAPES: dict[fields.Holds, dict[str, Any]] = {
    "text": {"type": "string", "minLength": 1},
    "word": {"type": "string", "pattern": WORD},
    "property": {"type": "string", "pattern": PROPERTY},
    "kind": {"enum": list(fields.KINDS)},
    "flag": {"type": "boolean"},
    "words": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    "names": {"type": "array", "items": {"type": "string", "minLength": 1}, "uniqueItems": True},
    "value": {},
    "prose": {"type": "string"},
    "method": {"type": "string"},
    "string": {"type": "string"},
    "entries": {"type": "object", "patternProperties": {TYPED: {}}, "additionalProperties": False},
}
LISTS = {"tokens": "token", "classes": "class", "attributes": "attribute", "relationships": "relationship"}


def schema() -> dict[str, Any]:
    """The whole language."""
    definitions = {name: mapping(table) for name, table in fields.TABLES.items()}
    library = definitions.pop("library")
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Schema definitions of physx-schema",
        "description": "One family of USD schema classes, or the library they belong to.",
        **library, "required": [], "definitions": definitions,
    }


def mapping(table: dict[str, fields.Field]) -> dict[str, Any]:
    """One kind of mapping."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [key for key, entry in table.items() if entry.required],
        "properties": {key: {**shape(key, entry), "description": entry.doc} for key, entry in table.items()},
    }


def shape(key: str, entry: fields.Field) -> dict[str, Any]:
    """What a key holds."""
    if entry.holds == "list":
        return {"type": "array", "items": {"$ref": f"#/definitions/{LISTS[key]}"}}
    return SHAPES[entry.holds]


def render_json_schema() -> str:
    """The file's text."""
    return json.dumps(schema(), indent=2) + "\n"
