"""Generate the typed API, tokens and USD plugin from schema definitions: YAML files, or anyone's schema.usda.

The steps, in order: :mod:`.definitions` finds what to read, :mod:`.load_yaml` and :mod:`.load_usda` make the frozen
classes of :mod:`.model` of it, :mod:`.validate` checks what a single line cannot show, :mod:`.render` makes
``{relative path: text}``, :mod:`.emit` compares or writes. :mod:`.write_usda` and :mod:`.write_yaml` lead back.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import Library

__all__ = ["load"]


def load(path: str | os.PathLike[str]) -> list[Library]:
    """The libraries of a schema.usda, a folder of YAML files, or a folder with one sub-folder of either per library.

    Raises SchemaError with every problem of every file.
    """
    from .definitions import load_all, places  # here, so that importing the package loads no parser

    return load_all(places(Path(path)))
