"""A Library as YAML files: the library's own file, and one file per family.

Values become text that our own reader gives back unchanged: plain where it can be, quoted where it must.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from . import fields
from .model import DICTIONARY, Attribute, Entry, Family, Library, Property, SchemaClass, Token
from .value_types import number_text
from .yaml_source import Source

WIDTH = 120
STEP = "  "
UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
SAFE = re.compile(r"[A-Za-z_][\w.]*( [\w.()-]+)*[.)]?", re.ASCII)
RESERVED = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}


def flow(value: object) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{word(key)}: {flow(item)}' for key, item in value.items())}}}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(flow(item) for item in value)}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number(value)
    return word(value) if isinstance(value, str) else str(value)


def number(value: float) -> str:
    """A floating-point number."""
    text = "-0.0" if str(value) == "-0.0" else number_text(value)
    return f"{text[:-3]}.inf" if text.endswith("inf") else text


def word(text: str) -> str:
    """Text on one line."""
    if SAFE.fullmatch(text) and text.lower() not in RESERVED:
        return text
    return text if "\n" not in text and reads_as(f"{{k: {text}}}", text) else quote(text)


def quote(text: str) -> str:
    """Text in double quotes."""
    return UNPRINTABLE.sub(lambda match: f"\\u{ord(match.group()):04x}", json.dumps(text, ensure_ascii=False))


def reads_as(document: str, text: str) -> bool:
    """Whether the value of the only key of a document is this text."""
    source = Source(document)
    return not source.problems and getattr(source.root, "values", {}) == {"k": text}


def block(key: str, value: object, pad: str) -> list[str]:
    """A key of a block mapping; text that does not fit on its line is folded, or kept line by line."""
    line = f"{pad}{key}: {flow(value)}"
    if not isinstance(value, str) or (len(line) <= WIDTH and "\n" not in value):
        return [line] if len(line) <= WIDTH or isinstance(value, str) else wrapped(key, value, pad)
    inner = pad + STEP
    folded = textwrap.wrap(value, WIDTH - len(inner), break_long_words=False, break_on_hyphens=False)
    literal = value.split("\n")
    indicator = "2" if value[:1] in {" ", "\n", "\t"} else ""
    for mark, lines in ((">-", folded), (f"|{indicator}-", literal)):
        text = [f"{inner}{item}" if item else "" for item in lines]
        if reads_as("\n".join([f"k: {mark}", *(item[len(pad):] for item in text)]), value):
            return [f"{pad}{key}: {mark}", *text]
    return [line]


def wrapped(key: str, value: object, pad: str) -> list[str]:
    """A list or mapping over several lines, broken between its items."""
    opening, closing = "{}" if isinstance(value, Mapping) else "[]"
    if isinstance(value, Mapping):
        items = [f"{word(name)}: {flow(item)}" for name, item in value.items()]
    else:
        items = [flow(item) for item in value] if isinstance(value, list | tuple) else []
    lines = [""]
    for item in items:
        joined = f"{lines[-1]} {item},".lstrip()
        if len(pad) + len(STEP) + len(joined) > WIDTH and lines[-1]:
            lines.append(f"{item},")
        else:
            lines[-1] = joined
    return [f"{pad}{key}: {opening}", *(f"{pad}{STEP}{line}" for line in lines), f"{pad}{STEP}{closing}"]


LIBRARY_FILE = "library.yaml"
EMPTY_COUNTS = {"api", "default"}       # keys whose empty value says something else than no key


def render(library: Library) -> dict[str, str]:
    """File name to text."""
    files = {LIBRARY_FILE: "\n".join(header(library)) + "\n"}
    for family in library.families:
        files[f"{family.name}.yaml"] = "\n".join(family_lines(family)) + "\n"
    return files


def header(library: Library) -> list[str]:
    """The library's own file."""
    record = values(library, fields.LIBRARY)
    record["path"] = "" if library.path == "." else library.path
    lines = [line for key, value in record.items() if is_set(value) for line in block(key, value, "")]
    return [*lines, *([""] if library.tokens else []), *token_lines(library.tokens, "")]


def family_lines(family: Family) -> list[str]:
    """The classes of one family, under its summary."""
    lines = [f"# {line}" for line in textwrap.wrap(family.summary, WIDTH - 2, break_long_words=False,
                                                   break_on_hyphens=False)]
    lines.append("classes:")
    for index, cls in enumerate(family.classes):
        lines += [*([""] if index else []), *class_lines(cls)]
    return lines


def class_lines(cls: SchemaClass) -> list[str]:
    """One class."""
    record = values(cls, fields.CLASS)
    record["python_name"] = "" if cls.python_name == cls.name else cls.python_name
    lines = [line for key, value in record.items() if is_set(value) for line in block(key, value, STEP)]
    lines += token_lines(cls.tokens, STEP)
    for key, kind in (("attributes", True), ("relationships", False)):
        props = [prop for prop in cls.properties if isinstance(prop, Attribute) is kind]
        lines += [f"{STEP}{key}:"] if props else []
        lines += [line for prop in props for line in entry(property_values(prop), STEP)]
    return ["- " + lines[0].removeprefix(STEP), *lines[1:]]


def property_values(prop: Property) -> dict[str, object]:
    """The keys of a property."""
    record = values(prop, fields.ATTRIBUTE if isinstance(prop, Attribute) else fields.RELATIONSHIP)
    return {key: value for key, value in record.items() if is_set(value) or (key in EMPTY_COUNTS and value is not None)}


def token_lines(tokens: Iterable[Token], pad: str) -> list[str]:
    """A list of tokens."""
    lines = []
    for token in tokens:
        record = {"name": token.name, "value": token.value, "doc": prose(token.doc)}
        absent = {"value": token.name, "doc": ""}
        lines += entry({key: value for key, value in record.items() if value != absent.get(key)}, pad)
    return [f"{pad}tokens:", *lines] if lines else []


def entry(record: Mapping[str, object], pad: str) -> list[str]:
    """An item of a list: on one line where it fits, with doc on a second line, or else key by key."""
    line, is_short = f"{pad}- {flow(record)}", "\n" not in str(record.get("doc", ""))
    if len(line) <= WIDTH and is_short:
        return [line]
    first = {key: value for key, value in record.items() if key != "doc"}
    start, doc = f"{pad}- {flow(first)[:-1]},", f"{pad}   doc: {flow(record['doc'])}}}" if "doc" in record else ""
    if "doc" in record and is_short and max(len(start), len(doc)) <= WIDTH and list(record)[-1] == "doc":
        return [start, doc]
    lines = [item for key, value in record.items() for item in block(key, value, pad + STEP)]
    return [f"{pad}- " + lines[0].removeprefix(pad + STEP), *lines[1:]]


def values(owner: Library | SchemaClass | Property, table: Mapping[str, fields.Field]) -> dict[str, object]:
    """The keys of a table with the values that YAML gives them; absent ones are empty, None or false."""
    record: dict[str, object] = {}
    for key, field in table.items():
        if field.holds == "list":
            continue
        value = getattr(owner, "range_text" if key == "range" else key)
        if field.holds == "entries":
            value = mapping(value)
        elif field.holds == "flag":
            value = None if value is field.absent else value
        elif field.holds in {"prose", "text"}:
            value = prose(value)
        record[key] = value
    return record


def prose(text: str) -> str:
    """Text such that the reader gives it back: it takes one line end away, as blocks of YAML end with one."""
    return f"{text}\n" if text.endswith("\n") else text


def is_set(value: object) -> bool:
    """Whether a key has to be written: 0 and false are values."""
    return value is not None and value != "" and value != () and value != {}


def mapping(entries: Iterable[Entry]) -> dict[str, object]:
    """Typed entries as a mapping with the type in the key."""
    return {f"{item.type} {item.key}": mapping(nested(item)) if item.type == DICTIONARY else item.value
            for item in entries}


def nested(item: Entry) -> list[Entry]:
    """The entries inside a dictionary."""
    return [part for part in item.value if isinstance(part, Entry)] if isinstance(item.value, tuple) else []
