"""A property as generatedSchema.usda declares it: what a class and its parents say, each field from the strongest."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

SENTENCE_END = re.compile(r"\. |\.\n")
BRIEF_LENGTH = 500
DOXYGEN = ((re.compile(r"\\em "), ""), (re.compile(r"\\li"), "-"), (re.compile(r"\\(?:ref|section) \S+ "), ""))


@dataclass(frozen=True, slots=True)
class Declared:
    """One property; texts are in usda syntax, empty where there is no opinion."""

    name: str
    type: str                           # Sdf value type name; "rel" for a relationship
    uniform: bool = False
    default: str = ""
    brief: str = ""
    override: bool = False              # changes a property of a built-in schema
    metadata: tuple[tuple[str, str], ...] = ()      # key, text

    def over(self, weaker: Declared | None) -> Declared:
        """This declaration, completed by a weaker one of the same property."""
        if weaker is None:
            return self
        metadata = tuple((dict(weaker.metadata) | dict(self.metadata)).items())
        default, brief = self.default or weaker.default, self.brief or weaker.brief
        return replace(self, default=default, brief=brief, metadata=metadata)


@dataclass(frozen=True, slots=True)
class FlatClass:
    """One class with everything of its parents."""

    builtins: tuple[str, ...]
    properties: dict[str, Declared]     # by name


def user_doc(doc: str, authored: str | None) -> str:
    """The userDocBrief that USD's generator gives: the one written, else the first sentence, cut where it is long."""
    text = SENTENCE_END.split(doc, maxsplit=1)[0].strip() if authored is None else authored.strip()
    if authored is None and len(text) > BRIEF_LENGTH:
        text = text[:BRIEF_LENGTH] + "..."
    elif authored is None and text and not text.endswith("."):
        text += "."
    for pattern, replacement in DOXYGEN:
        text = pattern.sub(replacement, text)
    return text
