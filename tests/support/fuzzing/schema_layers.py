"""Spoiled files as usdGenSchema takes them."""

from __future__ import annotations

from hypothesis import strategies as st

from support.fuzzing.definitions import require_files_or_lines
from support.fuzzing.spoiling import MARKS, NUMBERS, WORDS, spoiled, spoiled_lines
from support.places import SCHEMAS

SOUND = [(SCHEMAS / name / "schema.usda").read_text(encoding="utf-8") for name in ("everything", "small")]
PIECES = (*NUMBERS, *WORDS, *MARKS, "</Typed>", "</APISchemaBase>", "@a.usda@", "<..>", "rel", "over", "def", "class",
          "uniform", "custom", "dictionary", "double[]", "token", "customData = {", "inherits = None",
          'variantSet "v" = {', "timeSamples = { 1: 2 }", '"""', "#", "/*", "*/", "None", "[[", "@@@", "\\xed\\xa0")
CASES = st.one_of(
    *(spoiled_lines(text, PIECES) for text in SOUND),
    *(spoiled(text.encode(), [piece.encode() for piece in PIECES]) for text in SOUND))


def hold(case: bytes) -> None:
    """A schema.usda makes the same files twice, or is refused with a line and a reason each."""
    require_files_or_lines("schema.usda", case)
