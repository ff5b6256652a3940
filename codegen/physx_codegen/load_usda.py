"""A schema.usda, as usdGenSchema takes it, to a frozen Library."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import Any, NoReturn

from pxr import Sdf, Tf

from .model import Library, Location, SchemaError
from .usda_outline import Outline
from .usda_reader import UsdaReader
from .usda_spec import Problems
from .usda_trial import failure
from .wording import display_path

MAX_UNTESTED_BRACKETS = 500           # brackets that open: so many in one another end USD neither by depth nor by time
ERROR_LINE = re.compile(r":(\d+):\d+: (.*)", re.DOTALL)
NO_VALUE = re.compile(r"Error parsing simple value: .* at '(.*)' in <(.*)>")


def load_usda(path: Path) -> Library:
    """Read a file of schema classes as one library. Raises SchemaError with every problem found."""
    text = read_source(path)
    layer = parse_layer(path, text)
    outline = Outline(text)
    problems = Problems(display_path(path), outline)
    for prim_path in outline.variants:
        problems.report("variants cannot stand in a schema; remove them", prim_path)
    for line, name in outline.repeated:
        problems.entries.append((Location(problems.file, line),
                                 f"property '{name}' is given again; keep one of the two"))
    try:
        library = UsdaReader(layer, problems).library()
    except UnicodeDecodeError as error:             # escapes such as \xed can spell bytes that are no text
        _refuse(path, 1, f"escapes spell text that is not UTF-8, {error.object!r}; write the characters themselves")
    if problems.entries:
        raise SchemaError(problems.entries)
    return library


def read_source(path: Path) -> str:
    """The text of a file. Raises SchemaError."""
    if path.exists() and not path.is_file():
        _refuse(path, 1, "is no regular file; give a schema.usda")
    try:
        content = path.read_bytes()
        if content.startswith(b"PXR-USDC"):
            _refuse(path, 1, "is binary; write it as text with usdcat -o schema.usda")
        if content.startswith(codecs.BOM_UTF8):
            _refuse(path, 1, "begins with a byte order mark, which USD cannot read; save the file as UTF-8 without one")
        return content.decode("utf-8").replace("\r\n", "\n")     # how lines end is no part of any text
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        _refuse(path, line, f"not UTF-8 text at byte {error.start}; save the file as UTF-8")
    except OSError as error:
        _refuse(path, 1, f"cannot be read: {error.strerror}; check the file and its permissions")


def parse_layer(path: Path, text: str) -> Any:
    """The layer that USD makes of a text. Raises SchemaError with USD's own words."""
    if not text.startswith("#usda"):
        _refuse(path, 1, "does not begin with #usda 1.0; give a text layer of USD")
    if sum(map(text.count, "([{")) > MAX_UNTESTED_BRACKETS:
        fault = failure(text)
        if fault:
            _refuse(path, 1, f"{fault}; have it written anew by the tool it is from")
    layer = Sdf.Layer.CreateAnonymous(".usda")
    try:
        if layer.ImportFromString(text):
            return layer
        reason = "not a USD layer"
    except Tf.ErrorException as error:
        reason = " ".join(str(item.commentary) for item in error.args[-1:])
    match = ERROR_LINE.search(reason)
    line, words = (int(match.group(1)), match.group(2)) if match else (1, reason)
    words = "ends or breaks off" if "pegtl" in words else " ".join(words.split())[:200]
    words = NO_VALUE.sub(r"\1 is no value of the type declared, at <\2>", words)
    _refuse(path, line, f"not usda: {words}; correct the syntax there")


def _refuse(path: Path, line: int, message: str) -> NoReturn:
    raise SchemaError([(Location(display_path(path), line), message)], unreadable=True)
