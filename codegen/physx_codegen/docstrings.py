"""Docstrings of generated classes and methods: sentences from the definitions, then the facts, wrapped."""

from __future__ import annotations

import re
import textwrap

from . import naming, usda, value_types
from .model import Property, Relationship, SchemaClass

WIDTH = 120
QUOTE = '"""'
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")       # but white space
ITEM = re.compile(r"[-*+] |\\li ")         # what begins an item of a list


def docstring(paragraphs: list[str], indent: int) -> str:
    """A docstring of wrapped paragraphs; the first line goes where the template stands."""
    pad = " " * indent
    escaped = [source_text(text) for text in paragraphs if text]
    blocks = ["\n".join(fill(line, pad) for line in text.splitlines()) for text in escaped]
    blocks[0] = fill(escaped[0], pad, first=3).lstrip()
    text = QUOTE + "\n\n".join(blocks)
    last = text.rsplit("\n", 1)[-1]
    one_line = len(blocks) == 1 and "\n" not in text and len(last) + indent + 3 <= WIDTH and not text.endswith('"')
    return text + QUOTE if one_line else f"{text}\n{pad}{QUOTE}"


def source_text(text: str) -> str:
    """Text as it stands between the quotes of a docstring; Python reads no source with null characters."""
    readable = CONTROL.sub(lambda match: f"\\x{ord(match.group()):02x}", text)
    return readable.replace("\\", "\\\\").replace(QUOTE, "'''")


def fill(text: str, pad: str, first: int = 0) -> str:
    """One paragraph wrapped to the line width; words such as links stay whole."""
    text = text.strip()
    if len(pad) + len(text) + first <= WIDTH:
        return pad + text
    return textwrap.fill(text, WIDTH - first, initial_indent=pad, subsequent_indent=pad,
                         break_long_words=False, break_on_hyphens=False)


def paragraphs(text: str) -> list[str]:
    """Prose as paragraphs, split at empty lines; within one, only items of lists keep lines of their own."""
    return [join_lines(part) for part in re.split(r"\n\s*\n", text.strip()) if part.strip()]


def join_lines(paragraph: str) -> str:
    """A paragraph whose lines end where items of a list begin."""
    lines: list[str] = []
    for line in (" ".join(line.split()) for line in paragraph.splitlines()):
        lines[-1:] = [line] if not lines else [lines[-1], line] if ITEM.match(line) else [f"{lines[-1]} {line}"]
    return "\n".join(lines)


def split_brief(doc: str) -> list[str]:
    """The first sentence, the rest of its paragraph, and the further paragraphs."""
    first, *further = paragraphs(doc) or [""]
    brief = usda.brief(first)
    return [brief, first[len(brief):].strip(), *further]


def class_doc(cls: SchemaClass) -> str:
    """The documentation of a class on one line; its name where it has none."""
    return " ".join(cls.doc.split()) or f"USD schema {cls.name}."


def property_doc(prop: Property) -> str:
    """The documentation of a property on one line; its name where it has none."""
    return " ".join(prop.doc.split()) or f"{prop.display or naming.api_name(prop)}."


def class_paragraphs(cls: SchemaClass) -> list[str]:
    """The class docstring: doc, equation, advice, deprecation."""
    doc = split_brief(cls.doc) if cls.doc else [class_doc(cls)]
    equation = "\n".join(f"``{line.strip()}``" for line in cls.equation.splitlines() if line.strip())
    facts = {
        "Applies to": cls.applies_to, "Can only be applied to": cls.can_only_apply_to,
        "Applied by USD to": cls.auto_apply_to, "Instance names": cls.instances or cls.allowed_instances,
        "Built in": cls.includes,
    }
    lines = [f"{label}: {', '.join(words)}." for label, words in facts.items() if words]
    lines += [f"See {cls.semantics}."] if cls.semantics else []
    return [*doc, equation, "\n".join(lines), deprecation(cls)]


def property_paragraphs(cls: SchemaClass, prop: Property) -> list[str]:
    """The docstring of a Get method: doc, then the facts."""
    doc = split_brief(prop.doc) if prop.doc else [property_doc(prop)]
    facts = [f"``{naming.display_name(cls, prop)}``"]
    if isinstance(prop, Relationship):
        facts += [f"relationship to {' or '.join(prop.targets)}" if prop.targets else "relationship"]
        facts += ["several targets" if prop.many else "one target"]
        return [*doc, f"{', '.join(facts)}.", deprecation(prop)]
    default = value_types.display_text(prop.default)
    facts += [("uniform " if prop.uniform else "") + prop.type, f"default {default}" if default else "no default"]
    facts += ["one of " + ", ".join(word or "''" for word in prop.tokens)] if prop.tokens else []
    facts += [f"range {prop.range_text}"] if prop.range_text else []
    facts += [f"unit {prop.unit}"] if prop.unit else []
    return [*doc, f"{', '.join(facts)}.", deprecation(prop)]


def deprecation(item: SchemaClass | Property) -> str:
    """The paragraph that says what to use instead; empty where the item is alive."""
    release = f" Dropped in {item.retired}." if item.retired else ""
    return f"Deprecated: {item.deprecated.rstrip('.')}.{release}" if item.deprecated else release.strip()
